"""A seat whose owner vanishes is kept by the caretaker, as the game's rule says, until they are back."""

from __future__ import annotations

from datetime import datetime

import pytest
from sqlmodel import select

from emails.terms import AbsenceRule
from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from engine.event_log import check_log
from server.admin import archive
from server.admin.backups import examine_stored_acts
from server.clock import tick
from server.lobby.leaving import come_back
from server.outbox.chat import unread_chat
from server.store import projection
from server.store.context import Context, load_boards
from server.store.game_terms import SeatRequest
from server.store.models import AbsentSeat, Act
from server.store.server_facts import GameTerms
from server.store.states import Channel
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import (
    NOON,
    Clock,
    Collector,
    begin_time,
    body,
    committed,
    game_row,
    kinds,
    names_of,
    open_game,
    set_preferences,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import last_letter, reply
from tests.server.inbox.test_presence_mail import tells
from tests.server.lobby.voting import answers, pauses
from tests.server.turns.test_play import say, whole_turn
from tests.server.web.bots import bot
from tests.server.web.site import Site


@pytest.fixture
def place(context: Context) -> Site:
    return Site(context)


def opened(context: Context, rule: AbsenceRule, *names: str) -> str:
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in names or ("Anna", "Ben")]
    terms = GameTerms(absence=rule)
    return begin_time(context, open_game(context, "Friday", requests, NOON, at_once=True, terms=terms))


def kept(context: Context) -> list[int]:
    with context.reading() as session:
        return list(session.exec(select(AbsentSeat.seat).order_by(AbsentSeat.seat)))


def lets_pass(context: Context, mails: Collector, clock: Clock) -> None:
    """The time of a turn passes, and all that follows is done."""
    clock.forward(48)
    tick(context, clock.forward(0.1))
    work_until_idle(context, mails, clock())


def left_alone(context: Context, mails: Collector, clock: Clock, *names: str) -> str:
    """A game in which the first has vanished at once, and by its rule the caretaker keeps the seat."""

    def with_first_gone() -> str:
        game = opened(context, AbsenceRule.SEAT, *names)
        work_until_idle(context, mails, clock())
        lets_pass(context, mails, clock)
        return game

    return begin_once(context, mails, with_first_gone, *names, clock=clock)


def plays(context: Context, game: str) -> None:
    say(context, game, *whole_turn(context, game), "end")


def back(context: Context, game: str, seat: int, now: datetime) -> bool:
    found: bool = committed(context, now, come_back, game, seat, Channel.WEB)
    return found


@pytest.fixture
def away(context: Context, mails: Collector, clock: Clock) -> str:
    """A game of two in which the first has vanished at once, and the caretaker keeps the seat."""
    return left_alone(context, mails, clock)


def test_by_one_rule_the_seat_is_kept_after_the_first_turn_that_was_missed(
    context: Context, away: str, mails: Collector, clock: Clock
) -> None:
    first, second = names_of(context, away)
    assert kept(context) == [0]
    assert game_row(context, away).seat == 1
    plays(context, away)
    work_until_idle(context, mails, clock())
    assert (game_row(context, away).turn, game_row(context, away).seat) == (4, 1)
    letter = next(one for one in mails.to(first) if kinds([one]) == ["absence"])
    assert "A caretaker keeps your seat" in body(letter)
    assert "time_passed" not in kinds(mails.to(first)), "one letter tells both"
    with context.reading() as session:
        told = [one.words for one in unread_chat(session, away, 1)[0]]
    assert any(one.startswith(f"{first} has not played in time") for one in told) or any(
        f"{first} has not played in time" in " ".join(body(one).split()) for one in mails.to(second)
    )


def test_by_the_other_after_two_in_a_row(context: Context, mails: Collector, clock: Clock) -> None:
    game = opened(context, AbsenceRule.TURN)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    assert kept(context) == []
    plays(context, game)
    work_until_idle(context, mails, clock())
    plays(context, game)
    plays(context, game)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    assert kept(context) == []
    plays(context, game)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    assert kept(context) == [0]


FORETOLD = {
    "en": {
        AbsenceRule.ALWAYS: "the server plays that turn for you",
        AbsenceRule.SEAT: "a caretaker plays each of your turns until you are back, so",
        AbsenceRule.TURN: "once more, a caretaker plays each of your turns until you are back, and",
    },
    "nl": {
        AbsenceRule.ALWAYS: "dan speelt de server die beurt voor je",
        AbsenceRule.SEAT: "dan speelt een waarnemer al je beurten tot je terug bent, zodat",
        AbsenceRule.TURN: "nog een keer niet op tijd, dan speelt een waarnemer al je beurten",
    },
}


@pytest.mark.parametrize("language", ["en", "nl"])
@pytest.mark.parametrize("rule", AbsenceRule)
def test_a_reminder_says_what_becomes_of_the_seat_when_time_is_up(
    context: Context, mails: Collector, clock: Clock, rule: AbsenceRule, language: str
) -> None:
    game = opened(context, rule)
    first = names_of(context, game)[0]
    set_preferences(context, game, first, language=language)
    work_until_idle(context, mails, clock())
    work_until_idle(context, mails, clock.forward(25))
    once = AbsenceRule.ALWAYS if rule is AbsenceRule.TURN else rule
    assert FORETOLD[language][once] in words_of(mails, first, "reminder")
    if rule is AbsenceRule.SEAT:
        return  # the first time that passes is the last
    lets_pass(context, mails, clock)
    plays(context, game)
    work_until_idle(context, mails, clock.forward(1))
    work_until_idle(context, mails, clock.forward(25))
    assert FORETOLD[language][rule] in words_of(mails, first, "reminder")


@pytest.mark.parametrize("rule", [AbsenceRule.ALWAYS, AbsenceRule.TURN])
def test_whoever_ran_out_of_time_hears_what_the_next_time_does(
    context: Context, mails: Collector, clock: Clock, rule: AbsenceRule
) -> None:
    game = opened(context, rule, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    foretold = "If the time of your next turn passes too, a caretaker plays each of your turns"
    first, *others = names_of(context, game)
    assert (foretold in words_of(mails, first, "time_passed")) == (rule is AbsenceRule.TURN)
    assert all(foretold not in words_of(mails, one, "time_passed") for one in others)


def words_of(mails: Collector, name: str, kind: str) -> str:
    """The words of the last letter of a kind to somebody."""
    return " ".join(body([one for one in mails.to(name) if kinds([one]) == [kind]][-1]).split())


def test_a_turn_that_was_planned_is_none_that_was_missed(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.TURN)
    work_until_idle(context, mails, clock())
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
def test_in_games_from_before_the_caretaker_plays_one_turn_after_the_other(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.ALWAYS)
    work_until_idle(context, mails, clock())
    for _ in range(6):
        lets_pass(context, mails, clock)
    assert kept(context) == []
    assert game_row(context, game).turn == 7


def test_who_is_back_has_their_turns_again_and_the_others_hear_it(
    context: Context, away: str, mails: Collector, clock: Clock
) -> None:
    assert back(context, away, 0, clock())
    assert not back(context, away, 0, clock())
    assert kept(context) == []
    plays(context, away)
    work_until_idle(context, mails, clock.forward(1))
    row = game_row(context, away)
    assert (row.turn, row.seat) == (3, 0)
    assert row.deadline is not None
    with context.reading() as session:
        acts = session.exec(select(Act.events).where(Act.game == away)).all()
    assert sum("seat_returned" in events for events in acts) == 1


def test_no_letter_of_a_turn_goes_to_whoever_is_away(
    context: Context, away: str, mails: Collector, clock: Clock
) -> None:
    first = names_of(context, away)[0]
    before = kinds(mails.to(first)).count("your_turn")
    for _ in range(3):
        plays(context, away)
        work_until_idle(context, mails, clock.forward(1))
    assert kinds(mails.to(first)).count("your_turn") == before


@pytest.mark.parametrize(("language", "words"), first(1, [("nl", "ik ben terug"), ("en", "I am back")]))
def test_they_are_back_by_mail_in_both_languages(
    context: Context, away: str, mails: Collector, clock: Clock, language: str, words: str
) -> None:
    first = names_of(context, away)[0]
    set_preferences(context, away, first, language=language)
    letter = next(one for one in mails.to(first) if kinds([one]) == ["absence"])
    reply(context, letter, words)
    assert kept(context) == []
    work_until_idle(context, mails, clock())
    told = "You are back" if language == "en" else "Je bent terug"
    assert told in body(mails.to(first)[-1])


@pytest.mark.parametrize(
    ("language", "words", "told", "never"),
    [
        ("en", "away until 20 March", "Your turns are yours again, and wait for you.", "You are back"),
        ("nl", "weg tot en met 20 maart", "Je beurten zijn weer van jou, en wachten op je.", "Je bent terug"),
    ],
)
def test_of_whoever_writes_that_they_are_away_nobody_is_told_that_they_are_back(
    context: Context,
    away: str,
    mails: Collector,
    clock: Clock,
    language: str,
    words: str,
    told: str,
    never: str,
) -> None:
    first = names_of(context, away)[0]
    set_preferences(context, away, first, language=language)
    _, said = tells(context, mails, first, words, clock.forward(1))
    assert kept(context) == []
    assert (told in said, never in said) == (True, False)
    with context.reading() as session:
        others = [one.words for one in unread_chat(session, away, 1)[0]]
    assert [one for one in others if "is back" in one] == []
    assert f"{first} has written: no caretaker plays for that seat any more" in others[-1]


def test_whatever_they_write_to_the_others_brings_them_back_and_a_program_does_not(
    context: Context, away: str, mails: Collector
) -> None:
    letter = mails.to(names_of(context, away)[0])[-1]
    reply(context, letter, "I am on holiday until Friday.", Auto_Submitted="auto-replied")
    assert kept(context) == [0]
    reply(context, letter, "say: sorry, I was ill")
    assert kept(context) == []


def test_on_the_page(context: Context, place: Site, away: str, clock: Clock) -> None:
    place.clock.now = clock()
    visitor = place.visitor().get(place.link(away, seat=0)).click("I am back")
    assert kept(context) == [0]
    visitor.send("//form[.//button[@value='back']]", say="back")
    assert "You are back" in visitor.text
    assert kept(context) == []


def test_by_whatever_they_press(context: Context, place: Site, away: str, clock: Clock) -> None:
    place.clock.now = clock()
    visitor = place.visitor().get(place.link(away, seat=0))
    visitor.send("//form[contains(@action, '/say')]", words="Sorry, I was ill.")
    assert kept(context) == []


def test_by_a_program(context: Context, place: Site, away: str, clock: Clock) -> None:
    place.clock.now = clock()
    one, client = bot(place, away, names_of(context, away)[0]), place.app.test_client()
    for new in (True, False):
        answer = client.post(f"/api/games/{away}/back", headers=one.headers())
        assert answer.json == {"back": new}
    assert kept(context) == []


def test_who_is_away_is_not_waited_for_when_others_agree(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.SEAT, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    outcomes = [pauses(context, game, seat, clock()) for seat in (1, 2)]
    assert outcomes == [VoteOutcome.ASKED, VoteOutcome.PAUSED]


def test_who_is_away_is_worked_out_anew_from_the_acts(context: Context, away: str) -> None:
    with context.writing() as session:
        session.delete(session.exec(select(AbsentSeat)).one())
        session.commit()
    [finding] = examine_stored_acts(context)
    assert "list of absent players" in finding
    projection.rebuild(context)
    assert kept(context) == [0]
    assert list(examine_stored_acts(context)) == []


# --- a game that is closed -------------------------------------------------------------------------------


@pytest.mark.breadth
def test_who_still_play_end_the_game_as_it_stands(context: Context, mails: Collector, clock: Clock) -> None:
    game = opened(context, AbsenceRule.SEAT, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    outcomes = [
        answers(context, game, seat, VoteKind.EMPTY_SEAT, VoteAnswer.END, clock(), 0) for seat in (1, 1, 2)
    ]
    assert outcomes == [VoteOutcome.NOTED, VoteOutcome.NOTED, VoteOutcome.ENDED]
    work_until_idle(context, mails, clock.forward(1))
    assert game_row(context, game).status == "over"
    for name in names_of(context, game):
        assert kinds(mails.to(name)).count("game_over") == 1
        last_letter = " ".join(body(mails.to(name)[-1]).split())
        assert "those who still played wanted it" in last_letter
        assert "ended the game" not in last_letter, "none of their turns did"
    assert list(examine_stored_acts(context)) == []
    lines = [line.encode() for line in archive.export_log(context, game)]
    *_, (_, last) = check_log(lines, load_boards())
    assert (last.table.over, last.table.reason) == (True, "agreement")


@pytest.mark.parametrize("way", ["a program", "a yes"])
def test_whoever_plans_is_back_by_every_way(
    context: Context, away: str, place: Site, mails: Collector, way: str
) -> None:
    name, said = names_of(context, away)[0], "plan: horse; draw; draw"
    if way == "a program":
        client, headers = place.app.test_client(), bot(place, away, name).headers()
        answer = client.post(f"/api/games/{away}/plan", json={"plan": said}, headers=headers)
        assert answer.status_code == 200, answer.text
    else:
        reply(context, last_letter(context, mails, name), f"no idea what will come up\n{said}")
        assert kinds([last_letter(context, mails, name)]) == ["asked_back"]
        assert kept(context) == [0]
        reply(context, last_letter(context, mails, name), "yes")
    assert kept(context) == []
