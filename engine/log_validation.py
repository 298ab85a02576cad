"""Judging a log: whether a fact that somebody wrote down can stand where it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.cards import Bag, Chance, Symbol
from engine.effects import close_game, ends_with_turn, perform
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    Event,
    GameClosed,
    GameEnded,
    GameStarted,
    GuardRecalled,
    InvalidEvent,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.position import Phase, Position, Table
from engine.rules import DueEvent, due, make_due


def check(position: Position, event: Event) -> None:
    """Judge a fact that somebody wrote down as next after `position`.

    Raises `InvalidEvent`, or `Illegal` for an action against the rules.
    """
    kind = due(position)
    if kind is not None:
        _check_due(position, event, kind)
        return
    table = position.table
    if table.over:
        raise InvalidEvent("the game is over (rule 7)")
    if isinstance(event, GameClosed):
        if event != close_game(table):
            raise InvalidEvent(_describe_mismatch(event, close_game(table)))
        return
    if isinstance(event, TurnSkipped):
        _check_skip(table, event)
        return
    make = ACTIONS.get(type(event))
    if make is None:
        action = _judge_unchosen(table, event)
    else:
        _check_seat(table, event.seat)  # type: ignore[union-attr]  # whatever is chosen has one
        action = make(event)
    chance = _recorded_card(position, event, "5.1") if isinstance(event, CardDrawn) else _no_chance
    expected = perform(position, action, chance)
    if expected != event:
        raise InvalidEvent(_describe_mismatch(event, expected))


def _judge_unchosen(table: Table, event: Event) -> Action:
    """The action behind a fact that nobody chooses: the end of a turn, with which the game ends."""
    match event:
        case GameStarted():
            raise InvalidEvent("the game has started already (rule 2.2)")
        case GameEnded():
            if table.phase is not Phase.ACTIONS or not ends_with_turn(table):
                raise InvalidEvent("the game cannot end here (rule 7)")
            return End()
    rule = "5.3" if isinstance(event, SupplyRenewed) else "4.1"
    raise InvalidEvent(f"nothing was due here (rule {rule})")


def _check_skip(table: Table, event: TurnSkipped) -> None:
    """A whole turn is skipped, and none that has begun."""
    _check_seat(table, event.seat)
    if table.phase is not Phase.CARD:
        raise InvalidEvent("a turn that has begun is not skipped (rule 3.1)")


def _check_seat(table: Table, seat: int) -> None:
    if seat != table.seat:
        raise InvalidEvent(f"it is the turn of seat {table.seat}, not of seat {seat} (rule 3.1)")


def _check_due(position: Position, event: Event, kind: DueEvent) -> None:
    if type(event) is not kind:
        raise InvalidEvent(f"something else is due here by itself (rule {RULE_OF_DUE[kind]})")
    chance = _recorded_card(position, event, "4.1") if isinstance(event, CardOpened) else _no_chance
    expected = make_due(position, kind, chance)
    if expected != event:
        raise InvalidEvent(_describe_mismatch(event, expected))


def _recorded_card(position: Position, event: CardDrawn | CardOpened, rule: str) -> Chance:
    """Dice that fall as an event says, where such a card can come."""
    if event.card not in position.supply:
        raise InvalidEvent(f"there is no {event.card} in the supply (rule {rule})")
    return lambda _: event.card


def _no_chance(_: Bag) -> Symbol:
    raise AssertionError("no card comes from the supply here")


RULE_OF_DUE: dict[DueEvent, str] = {
    GameEnded: "7",
    SupplyRenewed: "5.3",
    CardOpened: "4.1",
    TurnEnded: "3.3",
}
"""The clause by which each kind of event comes by itself."""

RULE_OF: dict[type[Event], str] = {
    CardChosen: "4.1",
    AlexanderMarched: "4.6",
    AlexanderStayed: "4.9",
    CardDrawn: "5.1",
    CardTaken: "5.1",
    ProvinceOccupied: "5.6",
    ProvinceTakenOver: "5.9",
    TaxesLevied: "5.12",
    GuardRecalled: "5.13",
    TurnEnded: "3.3",
    GameEnded: "7.3",
    GameClosed: "7.3",
    TurnSkipped: "3.1",
}
"""The clause that each kind of fact follows."""


def _describe_mismatch(event: Event, expected: Event | None) -> str:
    rule = RULE_OF[type(event)]
    if type(event) is not type(expected):
        return f"something else happens here (rule {rule})"
    wrong = [name for name in event.__slots__ if getattr(event, name) != getattr(expected, name)]
    return f"{' and '.join(wrong)} should be otherwise (rule {rule})"


ACTIONS: Mapping[type[Event], Callable[[Any], Action]] = {
    CardChosen: lambda event: (Choose if event.source == "display" else Play)(event.card),
    AlexanderMarched: lambda event: March(event.target, event.path),
    AlexanderStayed: lambda event: Stay(event.card),
    CardDrawn: lambda _: Draw(),
    CardTaken: lambda event: Take(event.card),
    ProvinceOccupied: lambda event: Occupy(event.guards),
    ProvinceTakenOver: lambda event: TakeOver(event.guards, event.given),
    TaxesLevied: lambda event: Levy(event.card),
    GuardRecalled: lambda event: Recall(event.place),
    TurnEnded: lambda _: End(),
}
"""For each kind of fact that somebody chooses the action it tells of."""


def action_of(event: Event) -> Action:
    """The action that a fact tells of; a fact that nobody chooses has none and raises `InvalidEvent`."""
    make = ACTIONS.get(type(event))
    if make is None:
        raise InvalidEvent("nobody chooses that")
    return make(event)
