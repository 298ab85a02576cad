"""The first letter to a substitute: the seat is theirs, whose it was, and what is to be done now."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from emails.terms import AbsenceRule
from server.lobby.games import find_or_create_player
from server.lobby.leaving import resign, take_offered_seat
from server.store.context import Context
from server.store.states import Channel
from tests.server.desk import (
    Clock,
    Collector,
    body,
    committed,
    confirm,
    game_row,
    kinds,
    names_of,
    work_until_idle,
)
from tests.server.lobby.test_seat_returns import opened, plays
from tests.server.lobby.test_substitutes import known


@pytest.fixture
def begun(context: Context, mails: Collector, clock: Clock) -> str:
    """A game of three of which the first letters have left."""
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    return game


def pass_on(context: Context, game: str, seat: int, mails: Collector, clock: Clock) -> EmailMessage:
    """Its player resigns, and Dirk takes the seat: the one letter that he gets."""
    committed(context, clock(), resign, game, seat, Channel.WEB)
    dirk = known(context, "Dirk", clock)
    confirm(context, "Dirk")
    take_offered_seat(context, game, dirk, "Dirk", clock())
    work_until_idle(context, mails, clock.forward(1))
    [letter] = mails.to("Dirk")
    assert kinds([letter]) == ["substitute"]
    return letter


def words(letter: EmailMessage) -> str:
    return " ".join(body(letter).split())


def test_who_waits_is_told_whose_seat_it_was_and_that_there_is_nothing_to_do(
    context: Context, begun: str, mails: Collector, clock: Clock
) -> None:
    _, second, third = names_of(context, begun)
    plays(context, begun)
    letter = pass_on(context, begun, 2, mails, clock)
    told = words(letter)
    assert letter["Subject"] == "Friday: the seat is yours"
    assert told.startswith("--- Write above this line --- The seat is yours, Dirk From now on you play in")
    assert f"in “Friday” in place of {third}, with" in told
    assert "Your turn comes with a mail; until then there is nothing to do." in told
    assert f"{second} has until " in told
    assert "== Your cards and what they can do ==" in told
    assert context.links.rules_link() in told
    html = letter.get_body(("html",))
    assert html is not None
    assert "The seat is yours, Dirk" in html.get_content()
    assert context.links.rules_link() in html.get_content()


def test_who_is_to_move_gets_their_turn_and_until_when_in_the_same_letter(
    context: Context, begun: str, mails: Collector, clock: Clock
) -> None:
    first, _, _ = names_of(context, begun)
    seat = game_row(context, begun).seat
    assert seat == 0
    told = words(pass_on(context, begun, 0, mails, clock))
    assert f"in place of {first}, with" in told
    assert "It is your turn. Choose " in told
    assert "please play before " in told
    assert "Open your turn: " in told
    assert game_row(context, begun).deadline is not None


def test_it_names_whoever_had_the_seat_last(
    context: Context, begun: str, mails: Collector, clock: Clock
) -> None:
    pass_on(context, begun, 2, mails, clock)
    committed(context, clock(), resign, begun, 2, Channel.WEB)
    take_offered_seat(context, begun, known(context, "Anna", clock), "Anna B", clock())
    work_until_idle(context, mails, clock.forward(1))
    assert "in place of Dirk, with" in words(mails.mails[-1])


def test_it_is_in_the_language_of_its_reader(
    context: Context, begun: str, mails: Collector, clock: Clock
) -> None:
    with context.writing() as session:
        dirk = find_or_create_player(session, "Dirk", "dirk@example.org", "nl", clock()).id
        session.commit()
    confirm(context, "Dirk")
    committed(context, clock(), resign, begun, 2, Channel.WEB)
    take_offered_seat(context, begun, dirk, "Dirk", clock())
    work_until_idle(context, mails, clock.forward(1))
    [letter] = mails.to("Dirk")
    assert "De plaats is van jou, Dirk" in words(letter)
    assert letter["Subject"] == "Friday: de plaats is van jou"
