"""A seat whose owner vanishes is kept by the caretaker, as the game's rule says, until they are back."""

from datetime import datetime, timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.terms import AbsenceRule
from emails.wording.narration import VoteOutcome
from server.accounts.vacations import PlayerReturn, away_until, return_player, take_vacation
from server.admin.backups import examine_stored_acts
from server.clock import tick
from server.inbox import dispatch, intake
from server.lobby.leaving import come_back
from server.outbox.queue import UnitOfWork
from server.store import projection
from server.store.game_terms import SeatRequest
from server.store.models import AbsentSeat, Act
from server.store.server_facts import GameTerms
from server.store.states import Channel
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import (
    NOON,
    begin_time,
    body,
    changing,
    committed,
    game_row,
    kinds,
    names_of,
    open_game,
    player_of,
    rows_of,
    set_preferences,
    unread,
    words_of,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import answering, last_letter, reply
from tests.server.inbox.test_presence_mail import tells
from tests.server.lobby.voting import pauses
from tests.server.turns.test_play import say, whole_turn
from tests.server.web.bots import bot


def opened(context, rule: AbsenceRule, *names: str) -> str:
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in names or ("Anna", "Ben")]
    terms = GameTerms(absence=rule)
    return begin_time(context, open_game(context, "Friday", requests, NOON, at_once=True, terms=terms))


def begun(context, mails, clock, rule: AbsenceRule, *names: str) -> str:
    """A game of which the first letters have left."""
    game = opened(context, rule, *names)
    work_until_idle(context, mails, clock())
    return game


def kept(context) -> list[int]:
    return rows_of(context, AbsentSeat.seat)


def lets_pass(context, mails, clock) -> None:
    """The time of a turn passes, and all that follows is done."""
    clock.forward(48)
    tick(context, clock.forward(0.1))
    work_until_idle(context, mails, clock())


def left_alone(context, mails, clock, *names: str) -> str:
    """A game in which the first has vanished at once, and by its rule the caretaker keeps the seat."""

    def with_first_gone() -> str:
        game = begun(context, mails, clock, AbsenceRule.SEAT, *names)
        lets_pass(context, mails, clock)
        return game

    return begin_once(context, mails, with_first_gone, *names, clock=clock)


def plays(context, game) -> None:
    say(context, game, *whole_turn(context, game), "end")


def back(context, game, seat: int, now: datetime) -> bool:
    return committed(context, now, come_back, game, seat, Channel.WEB)


@pytest.fixture
def away(context, mails, clock) -> str:
    """A game of two in which the first has vanished at once, and the caretaker keeps the seat."""
    return left_alone(context, mails, clock)


def test_by_one_rule_the_seat_is_kept_after_the_first_turn_that_was_missed(context, away, mails, clock):
    first, second = names_of(context, away)
    assert kept(context) == [0]
    assert game_row(context, away).seat == 1
    plays(context, away)
    work_until_idle(context, mails, clock())
    assert (game_row(context, away).turn, game_row(context, away).seat) == (4, 1)
    letter = next(one for one in mails.to(first) if kinds([one]) == ["absence"])
    assert "A caretaker keeps your seat" in body(letter)
    assert "time_passed" not in kinds(mails.to(first)), "one letter tells both"
    told = f"{first} has not played in time"
    assert any(one.startswith(told) for one in unread(context, away, 1)) or any(
        told in words_of(one) for one in mails.to(second)
    )


FORETOLD = {
    AbsenceRule.ALWAYS: "the server plays that turn for you",
    AbsenceRule.SEAT: "a caretaker plays each of your turns until you are back, so",
    AbsenceRule.TURN: "once more, a caretaker plays each of your turns until you are back, and",
}


@pytest.mark.parametrize("rule", AbsenceRule)
def test_a_reminder_says_what_becomes_of_the_seat_when_time_is_up(context, mails, clock, rule):
    game = opened(context, rule)
    first = names_of(context, game)[0]
    work_until_idle(context, mails, clock())
    work_until_idle(context, mails, clock.forward(25))
    once = AbsenceRule.ALWAYS if rule is AbsenceRule.TURN else rule
    assert FORETOLD[once] in last_words(mails, first, "reminder")
    if rule is AbsenceRule.SEAT:
        return  # the first time that passes is the last
    lets_pass(context, mails, clock)
    plays(context, game)
    work_until_idle(context, mails, clock.forward(1))
    work_until_idle(context, mails, clock.forward(25))
    assert FORETOLD[rule] in last_words(mails, first, "reminder")


@pytest.mark.parametrize("rule", [AbsenceRule.ALWAYS, AbsenceRule.TURN])
def test_whoever_ran_out_of_time_hears_what_the_next_time_does(context, mails, clock, rule):
    game = begun(context, mails, clock, rule, "Anna", "Ben", "Cleo")
    lets_pass(context, mails, clock)
    foretold = "If the time of your next turn passes too, a caretaker plays each of your turns"
    first, *others = names_of(context, game)
    assert (foretold in last_words(mails, first, "time_passed")) == (rule is AbsenceRule.TURN)
    assert all(foretold not in last_words(mails, one, "time_passed") for one in others)


def last_words(mails, name: str, kind: str) -> str:
    """The words of the last letter of a kind to somebody."""
    return words_of([one for one in mails.to(name) if kinds([one]) == [kind]][-1])


def test_a_turn_that_was_planned_is_none_that_was_missed(context, mails, clock):
    game = begun(context, mails, clock, AbsenceRule.TURN)
    lets_pass(context, mails, clock)
    plays(context, game)
    work_until_idle(context, mails, clock())
    say(context, game, *whole_turn(context, game), "end", door=Channel.PLAN)
    work_until_idle(context, mails, clock())
    plays(context, game)
    for missed in ([], [0]):
        work_until_idle(context, mails, clock())
        assert game_row(context, game).seat == 0
        lets_pass(context, mails, clock)
        assert kept(context) == missed
        plays(context, game)
    assert list(examine_stored_acts(context)) == []


@pytest.mark.breadth
def test_in_games_from_before_the_caretaker_plays_one_turn_after_the_other(context, mails, clock):
    game = begun(context, mails, clock, AbsenceRule.ALWAYS)
    for _ in range(6):
        lets_pass(context, mails, clock)
    assert kept(context) == []
    assert game_row(context, game).turn == 7


def test_who_is_back_has_their_turns_again_and_the_others_hear_it(context, away, mails, clock):
    assert back(context, away, 0, clock())
    assert not back(context, away, 0, clock())
    assert kept(context) == []
    plays(context, away)
    work_until_idle(context, mails, clock.forward(1))
    row = game_row(context, away)
    assert (row.turn, row.seat) == (3, 0)
    assert row.deadline is not None
    acts = rows_of(context, Act.events, Act.game == away)
    assert sum("seat_returned" in events for events in acts) == 1


@pytest.mark.parametrize(
    ("language", "words", "told", "never"),
    [
        ("en", "away until 20 March", "Your turns are yours again, and wait for you.", "You are back"),
        ("nl", "weg tot en met 20 maart", "Je beurten zijn weer van jou, en wachten op je.", "Je bent terug"),
    ],
)
def test_of_whoever_writes_that_they_are_away_nobody_is_told_that_they_are_back(
    context, away, mails, clock, language, words, told, never
):
    first = names_of(context, away)[0]
    set_preferences(context, away, first, language=language)
    _, said = tells(context, mails, first, words, clock.forward(1))
    assert kept(context) == []
    assert (told in said, never in said) == (True, False)
    others = unread(context, away, 1)
    assert [one for one in others if "is back" in one] == []
    assert f"{first} has written: no caretaker plays for that seat any more" in others[-1]


def test_whatever_they_write_to_the_others_brings_them_back_and_a_program_does_not(context, away, mails):
    letter = mails.to(names_of(context, away)[0])[-1]
    reply(context, letter, "I am on holiday until Friday.", Auto_Submitted="auto-replied")
    assert kept(context) == [0]
    reply(context, letter, "say: sorry, I was ill")
    assert kept(context) == []


def test_by_whatever_they_press(context, place, away, clock):
    visitor = place.look(away, seat=0)
    visitor.send("//form[contains(@action, '/say')]", words="Sorry, I was ill.")
    assert kept(context) == []


def test_by_a_program(context, place, away, clock):
    one = bot(place, away, names_of(context, away)[0])
    assert [one.post(f"games/{away}/back").json for _ in range(2)] == [{"back": True}, {"back": False}]
    assert kept(context) == []


def test_who_is_away_is_not_waited_for_when_others_agree(context, mails, clock):
    game = left_alone(context, mails, clock, "Anna", "Ben", "Cleo")
    outcomes = [pauses(context, game, seat, clock()) for seat in (1, 2)]
    assert outcomes == [VoteOutcome.ASKED, VoteOutcome.PAUSED]


def test_who_is_away_is_worked_out_anew_from_the_acts(context, away):
    with changing(context) as session:
        session.delete(session.exec(select(AbsentSeat)).one())
    [finding] = examine_stored_acts(context)
    assert "list of absent players" in finding
    projection.rebuild(context)
    assert kept(context) == [0]
    assert list(examine_stored_acts(context)) == []


@pytest.mark.parametrize("way", ["a program", "a yes"])
def test_whoever_plans_is_back_by_every_way(context, away, place, mails, way):
    name, said = names_of(context, away)[0], "plan: horse; draw; draw"
    if way == "a program":
        answer = bot(place, away, name).post(f"games/{away}/plan", {"plan": said})
        assert answer.status_code == 200, answer.text
    else:
        reply(context, last_letter(context, mails, name), f"no idea what will come up\n{said}")
        assert kinds([last_letter(context, mails, name)]) == ["asked_back"]
        assert kept(context) == [0]
        reply(context, last_letter(context, mails, name), "yes")
    assert kept(context) == []


BUTTONS = {"agreements": "say", "away": "wish"}
"""What the button of each page is called."""


@pytest.fixture
def two_games(context, mails, clock) -> tuple[str, str]:
    """Two games of the same two players; in both the first to move has vanished, and is kept."""
    games = opened(context, AbsenceRule.SEAT), opened(context, AbsenceRule.SEAT)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    return games


def answers(context, letter: EmailMessage, words: str, now: datetime) -> None:
    mail = answering(letter, words)
    intake.store_mail(context, str(mail["From"]), str(mail["To"]), bytes(mail), now)
    dispatch.process_waiting_mail(context, now)


def goes_away(context, player: int, now: datetime) -> None:
    with changing(context) as session:
        take_vacation(session, player, now.date(), now.date() + timedelta(days=20), now)


def is_away(context, player: int, game, now: datetime) -> bool:
    with context.reading() as session:
        return away_until(session, player, game, now) is not None


def kept_games(context, player: int) -> set[str]:
    seats = rows_of(context, AbsentSeat)
    return {one.game for one in seats if player_of(context, one.game, one.seat) == player}


def comes_back(context, player: int, game, now: datetime, *, everywhere: bool) -> PlayerReturn:
    def deed(unit: UnitOfWork) -> PlayerReturn:
        return return_player(unit, player, game, Channel.WEB, everywhere=everywhere)

    return committed(context, now, deed)


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
def test_one_mail_does_both_and_one_answer_says_so(
    context, mails, clock, language, words, seat_told, time_told
):
    game = left_alone(context, mails, clock)
    first, player = names_of(context, game)[0], player_of(context, game)
    goes_away(context, player, clock())
    set_preferences(context, game, first, language=language)
    before = len(mails.to(first))
    answers(context, mails.to(first)[-1], words, clock())
    work_until_idle(context, mails, clock())
    assert (kept(context), is_away(context, player, game, clock())) == ([], False)
    [answer] = mails.to(first)[before:]
    text = words_of(answer)
    assert seat_told in text
    assert time_told in text


def test_whoever_was_neither_hears_that_nothing_has_changed(context, mails, clock):
    game = begun(context, mails, clock, AbsenceRule.SEAT)
    second = names_of(context, game)[1]
    answers(context, mails.to(second)[-1], "back", clock())
    work_until_idle(context, mails, clock())
    assert "You were not away, so nothing has changed." in words_of(mails.to(second)[-1])


def test_days_away_end_in_all_games_and_a_seat_in_one(context, two_games, clock):
    one, other = two_games
    player = player_of(context, one)
    goes_away(context, player, clock())
    before = kept_games(context, player)
    assert one in before
    assert comes_back(context, player, one, clock(), everywhere=False) == PlayerReturn(False, True)
    assert kept_games(context, player) == before - {one}
    assert is_away(context, player, one, clock())
    assert is_away(context, player, other, clock())
    assert comes_back(context, player, one, clock(), everywhere=True).was_away
    assert kept_games(context, player) == set()
    assert comes_back(context, player, one, clock(), everywhere=True) == PlayerReturn(False, False)


@pytest.mark.parametrize("page", ["agreements", "away"])
def test_a_link_gives_the_seat_back_and_signed_in_the_days_away_end_too(context, place, mails, clock, page):
    game = left_alone(context, mails, clock)
    player = player_of(context, game)
    goes_away(context, player, clock())
    form, away_link = "//form[.//button[@value='back']]", place.link(game, seat=0) + "/away"
    place.look(game, f"/{page}", seat=0).send(form, **{BUTTONS[page]: "back"})
    assert (kept(context), is_away(context, player, game, clock())) == ([], True)
    place.signed_in(game, 0).get(away_link).send(form, wish="back")
    assert not is_away(context, player, game, clock())
