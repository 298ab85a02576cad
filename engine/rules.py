"""The judge: what may be done, what follows from it, and what comes due by itself.

`legal` offers, `decide` judges an action; log_validation.py judges a fact somebody else wrote down. What
an action does by itself stands in effects.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from engine import action_rules, march_rules
from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Illegal,
    Levy,
    Play,
    Recall,
    Stay,
    Take,
)
from engine.cards import Chance
from engine.effects import end_game, ends_with_turn, perform
from engine.events import CardOpened, Event, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.position import DISPLAY_SIZE, Phase, Position, View

DueEvent = type[GameEnded] | type[SupplyRenewed] | type[CardOpened] | type[TurnEnded]


def due(position: Position) -> DueEvent | None:
    """The kind of event that must come next by itself, by its precedence; None: a player acts."""
    table = position.table
    if table.phase is Phase.ACTIONS:
        spent = table.actions_left == 0
        if table.has_winning_score or (spent and ends_with_turn(table)):
            return GameEnded
        if not position.supply and table.discard:
            return SupplyRenewed
        return TurnEnded if spent else None
    if table.phase is Phase.OVER:
        return None
    if not position.supply:
        return SupplyRenewed if table.discard else None
    return CardOpened if len(table.display) < DISPLAY_SIZE else None


def perform_due(position: Position, chance: Chance) -> Event | None:
    """The event that comes by itself now, if any."""
    kind = due(position)
    return None if kind is None else make_due(position, kind, chance)


def make_due(position: Position, kind: DueEvent, chance: Chance) -> Event:
    """The event of the kind that is due."""
    if kind is TurnEnded:
        return TurnEnded(position.table.seat)
    if kind is CardOpened:
        return CardOpened(chance(position.supply))
    if kind is SupplyRenewed:
        return SupplyRenewed()
    return end_game(position.table)


def decide(position: Position, seat: int, action: Action, chance: Chance) -> tuple[Event, ...]:
    """What happens when `seat` does `action`: the facts, and all that follows by itself.

    Raises `Illegal` with the rule's number; then nothing has been drawn. The position must be at rest:
    nothing is due in it.
    """
    return play_out(position, seat, action, chance)[0]


def play_out(
    position: Position, seat: int, action: Action, chance: Chance
) -> tuple[tuple[Event, ...], Position]:
    """What happens as for `decide`, and the position that it leads to."""
    table = position.table
    if table.over:
        raise Illegal("7", "the game is over")
    if seat != table.seat:
        raise Illegal("3.1", "it is the turn of %(name)s", name=table.display_name(table.seat))
    happened: list[Event] = []
    event: Event | None = perform(position, action, chance)
    while event is not None:
        happened.append(event)
        position = evolve(position, event)
        event = perform_due(position, chance)
    return tuple(happened), position


def card_choices(known: View) -> Iterator[Choose | Play | Stay]:
    """The first step of a turn: every legal choice of a card (4.1, 4.9)."""
    table = known.table
    choices = [Choose(card) for card in march_rules.choosable_cards(table)]
    plays = [Play(card) for card in known.hand.kinds() if march_rules.can_play(table, card)]
    yield from choices
    yield from plays
    if not choices and not plays:
        if len(table.display):
            yield from (Stay(card) for card in table.display.kinds())
        else:
            yield Stay(None)


def simple_actions(known: View) -> Iterator[Draw | Take | Levy | Recall | End]:
    """The actions of section 5 that need no place chosen in a province, and the end of the turn."""
    table = known.table
    if known.supply_size:
        yield Draw()
    yield from (Take(card) for card in table.display.kinds())
    yield from (Levy(card) for card in action_rules.levy_cards(table, table.seat, known.hand))
    yield from (Recall(place) for place in table.guards[table.seat])
    yield End()


def legal(known: View) -> Iterator[Action]:
    """Every legal action of the mover, lazily; none for a reader whose turn it is not.

    There can be a quarter of a million: choose by steps (`cards`, `marching`, `acting.find_sieges`) to show
    them.
    """
    table = known.table
    if not known.my_turn:
        return
    match table.phase:
        case Phase.CARD:
            yield from card_choices(known)
        case Phase.MARCH:
            yield from march_rules.marches(table, march_rules.targets_of_chosen(table))
        case Phase.ACTIONS:
            yield from simple_actions(known)
            for siege in action_rules.find_sieges(table, table.seat, known.hand):
                yield from action_rules.conquests(table, siege)
        case Phase.OVER:
            return
        case _:
            assert_never(table.phase)
