"""Mails in which players tell that they are away, or back again: noon of Monday, 2 March 2026."""

from datetime import UTC, date, datetime, time, timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from server.accounts.vacations import store_rest
from server.clock import tick
from server.inbox import intake
from server.store.game_terms import SeatRequest
from server.store.models import Game, Seating
from server.store.server_facts import GameTerms
from server.store.stored_availability import StoredVacation, load_availability
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    desk,
    game_row,
    mover,
    names_of,
    open_game,
    set_preferences,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import last_letter, turn_words

HOUR = timedelta(hours=1)


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben", "Cleo")


def vacations(context):
    with context.reading() as session:
        return [(row.first, row.last) for row in session.exec(select(StoredVacation))]


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


def test_days_that_overlap_are_joined_and_told_as_a_whole(context, game, carrier):
    name = mover(context, game)
    left = game_row(context, game).deadline - (NOON + HOUR)
    tells(context, carrier, name, "away until 2026-03-20")
    tenth = NOON + timedelta(days=8)
    _, text = tells(context, carrier, name, "away from 2026-03-18 until 2026-03-25", tenth)
    assert "from now until the end of Wednesday 25 March 2026" in text
    assert game_row(context, game).deadline == datetime(2026, 3, 27, tzinfo=UTC) + left
    tells(context, carrier, name, "away until 2026-03-12", tenth + HOUR)
    assert game_row(context, game).deadline == datetime(2026, 3, 14, tzinfo=UTC) + left


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


def test_so_it_is_in_dutch(context, game, carrier):
    name = mover(context, game)
    set_preferences(context, game, name, language="nl")
    kind, text = tells(context, carrier, name, "weg tot en met vrijdag")
    assert (kind, vacations(context)) == ("shown", [(date(2026, 3, 2), date(2026, 3, 6))])
    assert "Er loopt geen tijd voor je beurten van nu tot het einde van vrijdag 6 maart 2026" in text
    kind, text = tells(context, carrier, name, "Ik ben terug!", NOON + 2 * HOUR)
    assert kind == "shown"
    assert "Je bent er weer" in text
    assert game_row(context, game).deadline == NOON + timedelta(hours=49)


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


def test_the_date_that_is_asked_for_is_understood(context, game, carrier):
    name = mover(context, game)
    _, text = tells(context, carrier, name, "away until Monday")
    assert "“away until 2026-03-09”" in text
    tells(context, carrier, name, "away until 2026-03-09", NOON + 2 * HOUR)
    assert vacations(context) == [(date(2026, 3, 2), date(2026, 3, 9))]


def test_orders_beside_it_are_played_and_both_are_told(context, game, carrier):
    name = mover(context, game)
    kind, text = tells(context, carrier, name, "\n".join([*turn_words(context, game), "away until Friday"]))
    assert kind == "answer"
    assert game_row(context, game).seq > 2
    assert "the end of Friday 6 March 2026" in text


def test_where_its_orders_are_refused_nothing_of_it_is_done(context, game, carrier):
    kind, _ = tells(context, carrier, mover(context, game), "levy taxes\naway until Friday")
    assert (kind, vacations(context)) == ("refused", [])


def test_whoever_was_not_away_hears_that_nothing_has_changed(context, game, carrier):
    kind, text = tells(context, carrier, mover(context, game), "I am back")
    assert kind == "shown"
    assert "You were not away, so nothing has changed." in text


# --- in sentences ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Heads up: I'm gone from Wednesday until Friday. Happy Easter everyone!"),
        ("nl", "Sorry, van woensdag tot en met vrijdag ben ik op vakantie. Fijne week!"),
    ],
)
def test_days_away_told_in_sentences_are_the_same(context, game, carrier, language, words):
    name = mover(context, game)
    set_preferences(context, game, name, language=language)
    kind, _ = tells(context, carrier, name, words)
    assert (kind, vacations(context)) == ("shown", [(date(2026, 3, 4), date(2026, 3, 6))])


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


def test_days_that_sentences_leave_open_are_asked_for(context, game, carrier):
    words = "I'm going on holiday on Saturday, so please don't count on me"
    kind, text = tells(context, carrier, mover(context, game), words)
    assert (kind, vacations(context)) == ("refused", [])
    assert "Until when are you not there?" in text


def test_a_yes_does_what_sentences_most_likely_mean(context, game, carrier):
    tells(context, carrier, mover(context, game), "Maybe I'm away from Wednesday until Friday")
    tells(context, carrier, mover(context, game), "yes")
    assert vacations(context) == [(date(2026, 3, 4), date(2026, 3, 6))]


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


# --- what is not their word -----------------------------------------------------------------------------


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


def test_of_a_mail_that_is_not_proved_to_be_theirs_they_are_asked(tmp_path, carrier):
    context = desk(tmp_path, ALEXANDROS_MAIL_AUTHSERV="mx.example.org")
    game = begin_game(context, carrier, "Anna", "Ben")
    kind, _ = tells(context, carrier, mover(context, game), "I am away until Friday")
    assert (kind, vacations(context)) == ("asked_back", [])


# --- the clock ------------------------------------------------------------------------------------------


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


def test_a_deadline_that_was_moved_without_a_look_at_availability_is_put_right(context, game, carrier):
    """Nobody is played for while they sleep, wherever their deadline was put."""
    moved, found = datetime(2026, 3, 6, 2, tzinfo=UTC), datetime(2026, 3, 6, 7, tzinfo=UTC)
    seat = game_row(context, game).seat
    last_letter(context, carrier, mover(context, game))
    with context.writing() as session:
        player = session.get_one(Seating, (game, seat)).player
        store_rest(session, player, (time(23), time(7)), frozenset(), NOON)
        session.get_one(Game, game).deadline = moved
        session.commit()
    tick(context, moved)
    assert (game_row(context, game).seat, game_row(context, game).deadline) == (seat, found)
    tick(context, found)
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
    with context.reading() as session:
        assert session.exec(select(StoredVacation.back_at)).one() == evening


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
