"""Judging a log: whether a fact that somebody wrote down can stand where it does."""

from __future__ import annotations

from typing import assert_never

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
from engine.cards import Symbol
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    Event,
    GameEnded,
    GameStarted,
    GuardRecalled,
    InvalidEvent,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
)
from engine.position import Phase, Position
from engine.rules import DueEvent, due, ends_with_turn, perform, perform_due


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
    if isinstance(event, GameStarted):
        raise InvalidEvent("the game has started already (rule 2.2)")
    if isinstance(event, CardOpened | SupplyRenewed):
        rule = "5.3" if isinstance(event, SupplyRenewed) else "4.1"
        raise InvalidEvent(f"nothing was due here (rule {rule})")
    if isinstance(event, GameEnded):
        if table.phase is not Phase.ACTIONS or not ends_with_turn(table):
            raise InvalidEvent("the game cannot end here (rule 7)")
        action: Action = End()
    else:
        if event.seat != table.seat:
            raise InvalidEvent(f"it is the turn of seat {table.seat}, not of seat {event.seat} (rule 3.1)")
        action = action_of(event)
    if isinstance(event, CardDrawn) and event.card not in position.supply:
        raise InvalidEvent(f"there is no {event.card} in the supply (rule 5.1)")
    expected = perform(position, action, lambda _: _card_of(event))
    if expected != event:
        raise InvalidEvent(_describe_mismatch(event, expected))


def _check_due(position: Position, event: Event, kind: DueEvent) -> None:
    rule = {GameEnded: "7", SupplyRenewed: "5.3", CardOpened: "4.1", TurnEnded: "3.3"}[kind]
    if type(event) is not kind:
        raise InvalidEvent(f"something else is due here by itself (rule {rule})")
    if isinstance(event, CardOpened) and event.card not in position.supply:
        raise InvalidEvent(f"there is no {event.card} in the supply (rule {rule})")
    expected = perform_due(position, lambda _: _card_of(event))
    if expected != event:
        raise InvalidEvent(_describe_mismatch(event, expected))


def _card_of(event: Event) -> Symbol:
    assert isinstance(event, CardDrawn | CardOpened)
    return event.card


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
}
"""The clause that each kind of fact follows."""


def _describe_mismatch(event: Event, expected: Event | None) -> str:
    rule = RULE_OF[type(event)]
    if type(event) is not type(expected):
        return f"something else happens here (rule {rule})"
    wrong = [name for name in event.__slots__ if getattr(event, name) != getattr(expected, name)]
    return f"{' and '.join(wrong)} should be otherwise (rule {rule})"


def action_of(event: Event) -> Action:
    """The action that a fact tells of; a fact that nobody chooses has none and raises `InvalidEvent`."""
    match event:
        case CardChosen(_, card, source):
            return Choose(card) if source == "display" else Play(card)
        case AlexanderMarched(_, target, path):
            return March(target, path)
        case AlexanderStayed(_, card):
            return Stay(card)
        case CardDrawn():
            return Draw()
        case CardTaken(_, card):
            return Take(card)
        case ProvinceOccupied(_, guards):
            return Occupy(guards)
        case ProvinceTakenOver(_, _, _, guards, _, given):
            return TakeOver(guards, given)
        case TaxesLevied(_, card):
            return Levy(card)
        case GuardRecalled(_, place):
            return Recall(place)
        case TurnEnded():
            return End()
        case GameEnded() | GameStarted() | CardOpened() | SupplyRenewed():
            raise InvalidEvent("nobody chooses that")
        case _:
            assert_never(event)
