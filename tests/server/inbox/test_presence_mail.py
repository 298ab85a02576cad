"""Mails in which players tell that they are away, or back again: noon of Monday, 2 March 2026."""

from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from server.clock import tick
from server.inbox import intake
from server.outbox.preferences import load_preferences, preferences_changed_at
from server.store.game_terms import SeatRequest
from server.store.models import Seating
from server.store.server_facts import GameTerms
from server.store.stored_availability import StoredVacation, load_availability
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    game_row,
    mover,
    names_of,
    open_game,
    rows_of,
    seat_of,
    set_preferences,
    start_game,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import last_letter, turn_words

HOUR = timedelta(hours=1)


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben", "Cleo")


def vacations(context):
    return [(row.first, row.last) for row in rows_of(context, StoredVacation)]


def body(letter):
    return " ".join(letter.get_body(("plain",)).get_content().split())


def mail_to(letter, text):
    mail = EmailMessage()
    mail["From"], mail["To"] = str(letter["To"]), str(letter["Reply-To"])
    mail["Subject"], mail["In-Reply-To"] = "Re: " + str(letter["Subject"]), str(letter["Message-ID"])
    mail.set_content(text)
    return mail


def tells(context, carrier, name, text, now=NOON + HOUR):
    """The answer to a mail that somebody writes an hour after their letter."""
    mail = mail_to(last_letter(context, carrier, name), text)
    intake.store_mail(context, str(mail["From"]), str(mail["To"]), bytes(mail), now)
    work_until_idle(context, carrier, now)
    letter = carrier.to(name)[-1]
    return str(letter["X-Alexandros"]), body(letter)


def test_a_line_lets_the_clock_stand_and_is_answered_with_when_where_and_how_it_is_undone(
    context, game, carrier
):
    name = mover(context, game)
    before = game_row(context, game).deadline
    kind, text = tells(context, carrier, name, "I am away until Friday")
    assert kind == "shown"
    assert vacations(context) == [(date(2026, 3, 2), date(2026, 3, 6))]
    assert "from now until the end of Friday 6 March 2026, by your clock (UTC)" in text
    assert "That holds in all your games." in text
    assert "The others see that you are not there." in text
    assert "To undo it reply “back”" in text
    left = before - (NOON + HOUR)
    assert "Nor does it on your first day home, Saturday 7 March 2026." in text
    assert game_row(context, game).deadline == datetime(2026, 3, 8, tzinfo=UTC) + left


def test_days_ahead_that_overlap_are_joined_and_those_within_are_replaced(context, game, carrier):
    name = mover(context, game)
    for hours, words, kept in (
        (1, "2026-04-10 until 2026-04-20", (10, 20)),
        (2, "2026-04-18 until 2026-04-25", (10, 25)),
        (3, "2026-04-05 until 2026-04-12", (5, 25)),
        (4, "2026-04-07 until 2026-04-09", (7, 9)),
    ):
        tells(context, carrier, name, f"away from {words}", NOON + hours * HOUR)
        assert vacations(context) == [(date(2026, 4, kept[0]), date(2026, 4, kept[1]))]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("I am away", "Until when are you not there?"),
        ("I am away until further notice", "Until when are you not there?"),
        (
            "Hi all, I broke my leg and will be away until further notice. Sorry! Ben",
            "Until when are you not there?",
        ),
        ("away from Friday", "Until when are you not there?"),
        ("away until Monday", "on Monday 2 March 2026 or from Monday 2 March 2026 to Monday 9 March 2026"),
        ("away until 20 February", "These days have passed."),
        ("away until 5 August", "A vacation has at most 92 days"),
    ],
)
def test_what_is_not_certain_is_asked_and_nothing_is_done(context, game, carrier, words, asked):
    before = game_row(context, game).deadline
    kind, text = tells(context, carrier, mover(context, game), words)
    assert kind == "refused"
    assert asked in text
    assert (vacations(context), game_row(context, game).deadline) == ([], before)


def test_orders_beside_it_are_played_and_both_are_told(context, game, carrier):
    name = mover(context, game)
    kind, text = tells(context, carrier, name, "\n".join([*turn_words(context, game), "away until Friday"]))
    assert kind == "answer"
    assert game_row(context, game).seq > 2
    assert "the end of Friday 6 March 2026" in text


def test_where_its_orders_are_refused_nothing_of_it_is_done(context, game, carrier):
    kind, _ = tells(context, carrier, mover(context, game), "levy taxes\naway until Friday")
    assert (kind, vacations(context)) == ("refused", [])


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("away until Friday or Saturday", "Monday 2 March 2026 to Friday 6 March 2026, while"),
        (
            "Perhaps I'm travelling from Wednesday to Friday",
            "Wednesday 4 March 2026 to Friday 6 March 2026, while",
        ),
        (
            "Maybe I'm away from Wednesday until Friday",
            "Wednesday 4 March 2026 to Friday 6 March 2026, while",
        ),
        ("I need 5 more hours please", "Do you want 24 more hours for your turn?"),
        ("Let's pause until Friday", "Shall the others be asked for a pause from now until Friday"),
    ],
)
def test_what_sentences_most_likely_mean_is_asked(context, game, carrier, words, asked):
    kind, text = tells(context, carrier, mover(context, game), words)
    assert (kind, vacations(context)) == ("asked_back", [])
    assert asked in text


@pytest.mark.parametrize(
    "words",
    [
        "I'll be away from the board on move 3, said the general.",
        "Sorry for the silence, I was away until Friday.",
        "I'm in Greece until Sunday but I've got my tablet, so I can play as usual.",
        "How was your holiday?",
    ],
)
def test_talk_of_days_sets_nothing(context, game, carrier, words):
    tells(context, carrier, mover(context, game), words)
    assert vacations(context) == []


@pytest.mark.parametrize(
    ("language", "words", "told"),
    [
        ("en", "I sleep from 11 pm to 7 am, please don't count that", "are set on your page: http"),
        ("en", "days off: Saturday, Sunday", "are set on your page: http"),
        ("en", "I don't play on weekends", "are set on your page: http"),
        ("en", "sleep", "are set on your page: http"),
        ("nl", "Ik slaap van 23 tot 7 uur, dan graag geen klok.", "stel je in op je pagina: http"),
        ("nl", "vrije dagen: zaterdag, zondag", "stel je in op je pagina: http"),
    ],
)
def test_a_mail_about_nights_and_weekends_is_answered_with_the_page(
    context, game, carrier, language, words, told
):
    name = mover(context, game)
    set_preferences(context, game, name, everywhere=True, language=language, zone="Europe/Amsterdam")
    kind, text = tells(context, carrier, name, words)
    assert kind == "shown"
    assert told in text
    assert "22:00" in text
    assert vacations(context) == []
    with context.reading() as session:
        player = session.exec(select(Seating).where(Seating.name == name)).one().player
        assert load_availability(session, player).is_always


def test_one_that_bears_no_sign_answers_at_once_and_its_player_is_asked(context, game, carrier):
    """A program answers within the minute, and to the question it says the same again: no yes."""
    name = mover(context, game)
    soon = NOON + timedelta(seconds=20)
    kind, text = tells(context, carrier, name, "I am away until Friday.", soon)
    assert (kind, vacations(context)) == ("asked_back", [])
    assert "a program may have written it" in text
    tells(context, carrier, name, "I am away until Friday.", soon + timedelta(seconds=20))
    assert vacations(context) == []


def test_their_yes_sets_it(context, game, carrier):
    name = mover(context, game)
    tells(context, carrier, name, "I am away until Friday.", NOON + timedelta(seconds=20))
    kind, text = tells(context, carrier, name, "yes")
    assert kind == "shown"
    assert "You are away until the end of " in text
    assert "the end of Friday 6 March 2026" in text
    assert vacations(context) == [(date(2026, 3, 2), date(2026, 3, 6))]


def test_prose_of_a_program_beside_it_sets_nothing_and_gets_no_answer(context, game, carrier):
    words = "I am away until Friday.\nFor urgent matters please contact my colleague instead."
    kind, _ = tells(context, carrier, mover(context, game), words)
    assert (kind, vacations(context)) == ("your_turn", [])


def test_no_reminder_comes_and_no_turn_ends_while_its_player_is_away(context, game, carrier):
    name, seat = mover(context, game), game_row(context, game).seat
    tells(context, carrier, name, "away until Friday")
    sent = len(carrier.to(name))
    for hours in range(2, 24 * 5, 9):
        tick(context, NOON + hours * HOUR)
        work_until_idle(context, carrier, NOON + hours * HOUR)
        if NOON + hours * HOUR < datetime(2026, 3, 7, tzinfo=UTC):
            assert len(carrier.to(name)) == sent
    deadline = game_row(context, game).deadline
    assert game_row(context, game).seat == seat
    tick(context, deadline - timedelta(minutes=1))
    assert game_row(context, game).seat == seat
    tick(context, deadline)
    assert game_row(context, game).seat != seat


def test_a_turn_that_comes_while_they_are_away_waits_until_they_are_there(context, game, carrier):
    first, second = names_of(context, game)[:2]
    tells(context, carrier, second, "away until Friday")
    assert first == mover(context, game)
    tells(context, carrier, first, "\n".join(turn_words(context, game)) + "\nend", NOON + 2 * HOUR)
    assert mover(context, game) == second
    assert game_row(context, game).deadline == datetime(2026, 3, 10, tzinfo=UTC)


def test_whoever_is_back_early_has_what_was_left_and_time_to_come_to_the_board(context, game, carrier):
    name = mover(context, game)
    late = NOON + 47 * HOUR  # an hour is left
    tells(context, carrier, name, "away until Friday", late)
    tells(context, carrier, name, "back", late + HOUR)
    assert game_row(context, game).deadline == late + HOUR + 6 * HOUR


def test_who_goes_west_after_they_have_told_their_days_is_away_until_these_end_there(context, game, carrier):
    name = mover(context, game)
    tells(context, carrier, name, "away until Friday")
    set_preferences(context, game, name, everywhere=True, zone="America/Los_Angeles", now=NOON + 2 * HOUR)
    evening = datetime(2026, 3, 7, 3, tzinfo=UTC)  # seven on Friday there
    kind, text = tells(context, carrier, name, "back", evening)
    assert (kind, "You are there again" in text) == ("shown", True)
    assert game_row(context, game).deadline < evening + 48 * HOUR
    assert rows_of(context, StoredVacation.back_at)[0] == evening


def test_the_others_are_told_in_their_letters(context, game, carrier):
    first, second, third = names_of(context, game)
    tells(context, carrier, second, "away until Friday")
    set_preferences(context, game, third, moves=True)
    tells(context, carrier, first, "\n".join(turn_words(context, game)) + "\nend", NOON + 2 * HOUR)
    for name in (first, third):
        told = " ".join(body(carrier.to(name)[-1]).split())
        assert f"It is {second}'s turn. {second} has until" in told
        assert f"{second} is away until Friday." in told
    assert "is away until" not in body(carrier.to(second)[-1])


def test_who_is_away_for_longer_than_an_older_game_allows_hears_until_when_time_stands(context, carrier):
    seats = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    terms = GameTerms(vacation_days=5)
    game = open_game(context, "Friday", seats, NOON, hours=24, at_once=True, terms=terms)
    work_until_idle(context, carrier, NOON)
    _, text = tells(context, carrier, mover(context, game), "I am away until 29 March")
    assert game_row(context, game).deadline.date() == date(2026, 3, 7)
    assert "until the end of Friday 6 March 2026" in text
    assert "first day home" not in text
    told = text.partition("While you are not there")[2].partition("You can play all the same")[0]
    assert told
    assert "29 March" not in told


def wanted(context, game, name):
    with context.reading() as session:
        seating = session.get_one(Seating, (game, seat_of(context, game, name)))
        return load_preferences(session, seating.player, game).reminders


@pytest.mark.parametrize(
    ("language", "words", "reminders"),
    [
        ("en", "stop reminders", False),
        ("en", "Please stop reminding me!", False),
        ("en", "no reminders", False),
        ("en", "No more reminders please, I know that it is my turn.", False),
        ("en", "Thanks, but no more reminders. I can see it is my turn", False),
        ("en", "Hi,\n\nplease stop the reminders, they are annoying\n\nAnna", False),
        ("nl", "Geen herinneringen meer graag, ik weet dat ik aan de beurt ben.", False),
        ("en", "reminders on", True),
        ("nl", "Stop met herinneringen.", False),
        ("nl", "herinneringen mogen uit", False),
        ("nl", "herinneringen aan", True),
    ],
)
def test_a_line_sets_them_and_its_answer_tells_them(context, game, carrier, language, words, reminders):
    name = mover(context, game)
    set_preferences(context, game, name, language=language, reminders=not reminders, everywhere=True)
    kind, text = tells(context, carrier, name, words)
    assert (kind, wanted(context, game, name)) == ("shown", reminders)
    told = {"en": ("Two reminders", "No reminders come"), "nl": ("twee herinneringen", "geen h")}
    assert told[language][not reminders] in text
    again = {"en": "“reminders on”", "nl": "“herinneringen aan”"}
    assert reminders or again[language] in text


def test_the_word_alone_shows_them(context, game, carrier):
    name = mover(context, game)
    kind, text = tells(context, carrier, name, "my reminders, please")
    assert (kind, wanted(context, game, name)) == ("shown", True)
    assert "Two reminders come while your time goes, and none at night." in text
    with context.reading() as session:
        seating = session.get_one(Seating, (game, seat_of(context, game, name)))
        assert preferences_changed_at(session, seating.player, game) is None


@pytest.mark.parametrize(
    "words",
    [
        "stop reminders?",
        "Remind me to buy milk a day before.",
        "no reminders for Cleo",
        "no more reminders at night please",
        "no more reminders between 22 and 7",
        "Cleo wants no more reminders",
        "reminders: half, but not at night",
    ],
)
def test_what_is_not_certain_sets_nothing(context, game, carrier, words):
    name = mover(context, game)
    tells(context, carrier, name, words)
    assert wanted(context, game, name)


def test_they_hold_in_all_games_but_those_with_settings_of_their_own(context, game, carrier):
    name = mover(context, game)
    other = start_game(context, *names_of(context, game))
    set_preferences(context, other, name, moves=True)
    tells(context, carrier, name, "stop reminders")
    assert not wanted(context, other, name), "the newest letter is of the game with its own"
    assert wanted(context, game, name)
    third = start_game(context, *names_of(context, game))
    tells(context, carrier, name, "stop reminders")
    assert not wanted(context, third, name)
    assert not wanted(context, game, name)


@pytest.mark.parametrize(
    "header",
    [
        {"Auto_Submitted": "auto-replied"},
        {"X_Autoreply": "yes"},
        {"Precedence": "auto_reply"},
        {"Subject": "Automatic reply: your turn"},
    ],
)
def test_a_program_that_answers_sets_nothing(context, game, carrier, header):
    letter = last_letter(context, carrier, mover(context, game))
    mail = mail_to(letter, "I am away until Friday.")
    for name, value in header.items():
        del mail[name]
        mail[name.replace("_", "-")] = value
    intake.store_mail(context, str(mail["From"]), str(mail["To"]), bytes(mail), NOON + HOUR)
    sent = len(carrier.mails)
    work_until_idle(context, carrier, NOON + HOUR)
    assert (vacations(context), len(carrier.mails)) == ([], sent)
