"""A seat whose owner vanishes is kept by the caretaker, as the game's rule says, until they are back."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.terms import AbsenceRule
from emails.wording.requests import WAS_AWAY, WAS_KEPT
from server.accounts.vacations import take_vacation
from server.commands import Actor, ComeBack
from server.inbox import dispatch, intake
from server.store.models import AbsentSeat
from server.store.states import Channel
from server.store.turn_clock import away_until
from tests.breadth import first
from tests.server.desk import body, kinds, words_of
from tests.server.inbox.test_mail_dispatch import answering, last_letter, reply
from tests.server.lobby.table import Table
from tests.server.web.bots import bot


@pytest.fixture
def away(table) -> Table:
    """A game of two in which the first has vanished at once, and the caretaker keeps the seat."""
    return table.left_alone()


def test_by_one_rule_the_seat_is_kept_after_the_first_turn_that_was_missed(away, mails):
    first, second = away.names
    assert away.kept == [0]
    assert away.row.seat == 1
    away.play()
    away.deliver()
    assert (away.row.turn, away.row.seat) == (4, 1)
    assert "A caretaker keeps your seat" in body(away.letters(first, "absence")[0])
    assert "time_passed" not in away.kinds(first), "one letter tells both"
    told = f"{first} has not played in time"
    assert any(one.startswith(told) for one in away.unread(1)) or any(
        told in words_of(one) for one in mails.to(second)
    )


FORETOLD = {
    AbsenceRule.ALWAYS: "the server plays that turn for you",
    AbsenceRule.SEAT: "a caretaker plays each of your turns until you are back, so",
    AbsenceRule.TURN: "once more, a caretaker plays each of your turns until you are back, and",
}


@pytest.mark.parametrize("rule", AbsenceRule)
def test_a_reminder_says_what_becomes_of_the_seat_when_time_is_up(table, rule):
    game = table.open(rule)
    first = game.names[0]
    game.deliver()
    game.deliver(25)
    once = AbsenceRule.ALWAYS if rule is AbsenceRule.TURN else rule
    assert FORETOLD[once] in game.last_words(first, "reminder")
    if rule is AbsenceRule.SEAT:
        return  # the first time that passes is the last
    game.time_out()
    game.play()
    game.deliver(1)
    game.deliver(25)
    assert FORETOLD[rule] in game.last_words(first, "reminder")


@pytest.mark.parametrize("rule", [AbsenceRule.ALWAYS, AbsenceRule.TURN])
def test_whoever_ran_out_of_time_hears_what_the_next_time_does(table, rule):
    game = table.begin(rule, "Anna", "Ben", "Cleo")
    game.time_out()
    foretold = "If the time of your next turn passes too, a caretaker plays each of your turns"
    first, *others = game.names
    assert (foretold in game.last_words(first, "time_passed")) == (rule is AbsenceRule.TURN)
    assert all(foretold not in game.last_words(one, "time_passed") for one in others)


def test_a_turn_that_was_planned_is_none_that_was_missed(table, context):
    game = table.begin(AbsenceRule.TURN)
    game.time_out()
    game.play()
    game.deliver()
    context.say(game.game, *context.turn_words(game.game), "end", channel=Channel.PLAN)
    game.deliver()
    game.play()
    for missed in ([], [0]):
        game.deliver()
        assert game.row.seat == 0
        game.time_out()
        assert game.kept == missed
        game.play()
    assert game.faults == []


def test_whatever_they_press_brings_them_back(place, away):
    visitor = place.look(away.game, seat=0)
    visitor.send("//form[contains(@action, '/say')]", words="Sorry, I was ill.")
    assert away.kept == []


def test_a_program_brings_its_player_back(place, away):
    one = bot(place, away.game, away.names[0])
    assert [one.post(f"games/{away.game}/back").json for _ in range(2)] == [{"back": True}, {"back": False}]
    assert away.kept == []


def test_who_is_away_is_worked_out_anew_from_the_acts(context, away):
    with context.changing() as session:
        session.delete(session.exec(select(AbsentSeat)).one())
    [finding] = away.faults
    assert "list of absent players" in finding
    context.rebuild()
    assert away.kept == [0]
    assert away.faults == []


@pytest.mark.parametrize("way", ["a program", "a yes"])
def test_whoever_plans_is_back_by_every_way(context, away, place, mails, way):
    name, said = away.names[0], "plan: horse; draw; draw"
    if way == "a program":
        answer = bot(place, away.game, name).post(f"games/{away.game}/plan", {"plan": said})
        assert answer.status_code == 200, answer.text
    else:
        reply(context, last_letter(context, mails, name), f"no idea what will come up\n{said}")
        assert kinds([last_letter(context, mails, name)]) == ["asked_back"]
        assert away.kept == [0]
        reply(context, last_letter(context, mails, name), "yes")
    assert away.kept == []


BUTTONS = {"agreements": "say", "away": "wish"}
"""What the button of each page is called."""


@pytest.fixture
def two_games(table) -> tuple[Table, Table]:
    """Two games of the same two players; in both the first to move has vanished, and is kept."""
    games = table.open(AbsenceRule.SEAT), table.open(AbsenceRule.SEAT)
    table.deliver()
    table.time_out()
    return games


def answers(table: Table, letter: EmailMessage, words: str) -> None:
    mail, now = answering(letter, words), table.clock()
    intake.store_mail(table.context, str(mail["From"]), str(mail["To"]), bytes(mail), now)
    dispatch.process_waiting_mail(table.context, now)


def goes_away(table: Table, player: int) -> None:
    now = table.clock()
    with table.context.changing() as session:
        take_vacation(session, player, now.date(), now.date() + timedelta(days=20), now)


def is_away(game: Table, player: int) -> bool:
    with game.context.reading() as session:
        return away_until(session, player, game.game, game.clock()) is not None


def kept_games(context, player: int) -> set[str]:
    seats = context.rows_of(AbsentSeat)
    return {one.game for one in seats if context.player_of(one.game, one.seat) == player}


def comes_back(game: Table, player: int, *, everywhere: bool) -> str:
    seat = next(one for one in range(len(game.names)) if game.context.player_of(game.game, one) == player)
    actor = Actor(player, Channel.WEB, game.game, seat)
    return game.context.committed(game.clock(), ComeBack(everywhere).perform, actor).outcome


@pytest.mark.parametrize(
    ("language", "words", "seat_told", "time_told"),
    first(
        1,
        [
            ("en", "I am back", "You are back: your turns are yours again", "Time runs on your turns again"),
            ("nl", "ik ben terug", "Je bent terug: je beurten zijn weer van jou", "voor je beurten"),
        ],
    ),
)
def test_one_mail_does_both_and_one_answer_says_so(table, mails, language, words, seat_told, time_told):
    game = table.left_alone()
    first, player = game.names[0], game.player()
    goes_away(game, player)
    game.prefer(first, language=language)
    before = len(mails.to(first))
    answers(game, mails.to(first)[-1], words)
    game.deliver()
    assert (game.kept, is_away(game, player)) == ([], False)
    [answer] = mails.to(first)[before:]
    text = words_of(answer)
    assert seat_told in text
    assert time_told in text


def test_days_away_end_in_all_games_and_a_seat_in_one(context, two_games):
    one, other = two_games
    player = one.player()
    goes_away(one, player)
    before = kept_games(context, player)
    assert one.game in before
    assert comes_back(one, player, everywhere=False) == WAS_KEPT
    assert kept_games(context, player) == before - {one.game}
    assert is_away(one, player)
    assert is_away(other, player)
    assert WAS_AWAY in comes_back(one, player, everywhere=True)
    assert kept_games(context, player) == set()
    assert comes_back(one, player, everywhere=True) == ""


@pytest.mark.parametrize("page", ["agreements", "away"])
def test_a_link_gives_the_seat_back_and_signed_in_the_days_away_end_too(table, place, page):
    game = table.left_alone()
    player = game.player()
    goes_away(game, player)
    form, away_link = "//form[.//button[@value='back']]", place.link(game.game, seat=0) + "/away"
    place.look(game.game, f"/{page}", seat=0).send(form, **{BUTTONS[page]: "back"})
    assert (game.kept, is_away(game, player)) == ([], True)
    place.signed_in(game.game, 0).get(away_link).send(form, wish="back")
    assert not is_away(game, player)
