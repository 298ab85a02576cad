"""What letters and the history tell of a seat that was passed on: each deed by the name of whoever did it."""

from __future__ import annotations

import re

import pytest

from emails.terms import AbsenceRule
from emails.wording.requests import Request, RequestKind
from server.lobby.leaving import resign, take_offered_seat
from server.outbox.letter_kinds import ShownDetail
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.store.context import Context
from server.store.models import Game
from server.store.states import Channel
from tests.server.beginnings import begin_once
from tests.server.desk import (
    Clock,
    Collector,
    body,
    committed,
    game_row,
    kinds,
    names_of,
    set_preferences,
    work_until_idle,
)
from tests.server.lobby.test_seat_returns import opened, plays
from tests.server.lobby.test_substitutes import known
from tests.server.web.site import Site


def plays_on(context: Context, game: str, mails: Collector, clock: Clock) -> None:
    plays(context, game)
    work_until_idle(context, mails, clock.forward(1))


@pytest.fixture
def passed_on(context: Context, mails: Collector, clock: Clock) -> str:
    """A game in whose second round the seat of the first to move was passed on to Dirk, who has played."""

    def with_substitute() -> str:
        game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
        work_until_idle(context, mails, clock())
        for _ in range(4):
            plays_on(context, game, mails, clock)
        committed(context, clock(), resign, game, 0, Channel.WEB)
        work_until_idle(context, mails, clock.forward(1))
        take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock())
        while game_row(context, game).turn < 8:
            plays_on(context, game, mails, clock)
        return game

    return begin_once(context, mails, with_substitute, clock=clock)


def history_for(context: Context, game: str, seat: int, mails: Collector, clock: Clock) -> str:
    """The course of the game, as a mail of the player on a seat gets it."""
    asked = Notification(seat, ShownDetail((Request(RequestKind.HISTORY),)))
    with context.writing() as session:
        queue_letters(context, session, session.get_one(Game, game), [asked], clock())
        session.commit()
    work_until_idle(context, mails, clock.forward(1))
    return " ".join(body(mails.mails[-1]).partition("== The game so far ==")[2].split())


def first_of(context: Context, game: str) -> str:
    """Who was dealt the seat that Dirk has now."""
    [first] = {"Anna", "Ben", "Cleo"} - {*names_of(context, game)}
    return first


def movers(history: str) -> list[str]:
    """Whose each turn is said to be."""
    return re.findall(r"Turn \d+, ([^:]+):", history)


@pytest.mark.breadth
def test_the_history_by_mail_names_who_played_each_turn(
    context: Context, passed_on: str, mails: Collector, clock: Clock
) -> None:
    first, (_, second, third) = first_of(context, passed_on), names_of(context, passed_on)
    told = history_for(context, passed_on, 1, mails, clock)
    assert movers(told) == [first, "you", third, first, "you", third, "Dirk"]
    assert f"turns go {first}, you and {third}" in told
    assert movers(history_for(context, passed_on, 2, mails, clock))[:2] == [first, second]


def test_a_substitute_is_not_told_that_they_did_what_was_done_before(
    context: Context, passed_on: str, mails: Collector, clock: Clock
) -> None:
    first, (_, second, third) = first_of(context, passed_on), names_of(context, passed_on)
    told = history_for(context, passed_on, 0, mails, clock)
    assert movers(told) == [first, second, third, first, second, third, "you"]
    assert "you were dealt" not in told
    assert "you " not in told[told.index("Turn 1,") : told.index("Turn 5,")].lower()


def test_the_pages_tell_it_likewise(context: Context, passed_on: str, clock: Clock) -> None:
    place = Site(context)
    place.clock.now = clock()
    first = first_of(context, passed_on)
    titles = re.findall(
        r"Turn (\d+): (\w+)", place.visitor().get(place.link(passed_on, seat=0) + "/history").text
    )
    named = dict(titles)
    assert (named["1"], named["4"], named["7"]) == (first, first, "you")


@pytest.mark.breadth
@pytest.mark.parametrize("everything", [False, True])
def test_whose_player_has_gone_is_named_in_the_next_letter(
    context: Context, mails: Collector, clock: Clock, everything: bool
) -> None:
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    first, second, _ = names_of(context, game)
    set_preferences(context, game, second, everything=everything)
    plays(context, game)
    committed(context, clock(), resign, game, 0, Channel.WEB)
    take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock())
    work_until_idle(context, mails, clock.forward(1))
    [turn] = [one for one in mails.to(second) if kinds([one]) == ["your_turn"]]
    told = " ".join(body(turn).split())
    assert f"{first} marched " in told
    assert "Dirk marched " not in told
