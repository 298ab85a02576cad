"""From position to position: folds facts, judges nothing, throws no dice.

The only file that makes new positions. A fact that could not have happened gives a position that could not
be; rules.py is who refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from engine.board import Board
from engine.cards import DECK, EMPTY, ONE, Bag
from engine.editions import EDITIONS
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
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
)
from engine.lattice import Space
from engine.position import BLACK_WALLS, RED_WALLS, Phase, Position, Table


def start(board: Board, event: GameStarted) -> Position:
    """The position once the cards are dealt (2.1, 2.2)."""
    seats = len(event.seats)
    supply = DECK - event.display
    for hand in event.hands:
        supply -= hand
    table = Table(
        board=board,
        edition=EDITIONS[event.edition],
        names=event.seats,
        phase=Phase.CARD,
        turn=1,
        seat=0,
        actions_left=0,
        levied=False,
        stirred=False,
        last_turn=False,
        idle=0,
        chosen=None,
        alexander=board.start,
        black=BLACK_WALLS,
        red=RED_WALLS,
        walls=frozenset(),
        display=event.display,
        discard=EMPTY,
        scores=(0,) * seats,
        guards=((),) * seats,
        reason=None,
        winners=None,
    )
    return Position(table, event.hands, supply)


def evolve(position: Position, event: Event) -> Position:
    """The position after one more fact."""
    table = position.table
    match event:
        case CardOpened(card):
            shown = table.but(display=table.display + ONE[card])
            return Position(shown, position.hands, position.supply - ONE[card])
        case CardChosen(seat, card, source):
            if source == "display":
                table = table.but(phase=Phase.MARCH, chosen=card, display=table.display - ONE[card])
                return Position(table, _add_to_hand(position.hands, seat, ONE[card]), position.supply)
            table = table.but(phase=Phase.MARCH, chosen=card, discard=table.discard + ONE[card])
            return Position(table, _take_from_hand(position.hands, seat, ONE[card]), position.supply)
        case AlexanderMarched():
            return _with_table(position, _apply_march(table, event))
        case TurnEnded():
            return _with_table(position, _next_turn(table))
        case CardTaken(seat, card):
            table = _spend_action(table, display=table.display - ONE[card])
            return Position(table, _add_to_hand(position.hands, seat, ONE[card]), position.supply)
        case CardDrawn(seat, card):
            return Position(
                _spend_action(table),
                _add_to_hand(position.hands, seat, ONE[card]),
                position.supply - ONE[card],
            )
        case ProvinceOccupied(seat, guards, paid):
            table = _spend_action(
                table, guards=_place_guards(table, seat, guards), discard=table.discard + paid
            )
            return Position(table, _take_from_hand(position.hands, seat, paid), position.supply)
        case ProvinceTakenOver():
            return _take_over(position, event)
        case TaxesLevied(seat, card, gained):
            scores = tuple(score + gain for score, gain in zip(table.scores, gained, strict=True))
            table = _spend_action(table, levied=True, scores=scores, discard=table.discard + ONE[card])
            table = table.but(stirred=table.stirred or any(gained))
            return Position(table, _take_from_hand(position.hands, seat, ONE[card]), position.supply)
        case GuardRecalled(seat, place):
            return _with_table(position, _spend_action(table, guards=_remove_guards(table, seat, (place,))))
        case SupplyRenewed():
            return Position(table.but(discard=EMPTY), position.hands, table.discard)
        case AlexanderStayed(seat, card):
            taken = EMPTY if card is None else ONE[card]
            table = table.but(
                phase=Phase.ACTIONS,
                actions_left=table.edition.actions_per_turn,
                display=table.display - taken,
                last_turn=True,
            )
            return Position(table, _add_to_hand(position.hands, seat, taken), position.supply)
        case GameEnded(reason, winners):
            table = table.but(phase=Phase.OVER, actions_left=0, chosen=None, reason=reason, winners=winners)
            return _with_table(position, table)
        case GameStarted():
            return start(table.board, event)
        case _:
            assert_never(event)


def _take_over(position: Position, event: ProvinceTakenOver) -> Position:
    table, seat, paid = position.table, event.seat, event.paid
    freed = table.but(guards=_remove_guards(table, event.loser, event.removed))
    guards = _place_guards(freed, seat, event.guards)
    table = _spend_action(table, guards=guards, discard=table.discard + paid - event.given)
    hands = _add_to_hand(_take_from_hand(position.hands, seat, paid), event.loser, event.given)
    return Position(table, hands, position.supply)


def replay(board: Board, events: Iterable[Event]) -> Position:
    """The position after all of a game's facts, of which the first deals the cards."""
    rest = iter(events)
    first = next(rest)
    assert isinstance(first, GameStarted)
    position = start(board, first)
    for event in rest:
        position = evolve(position, event)
    return position


def _with_table(position: Position, table: Table) -> Position:
    return Position(table, position.hands, position.supply)


def _add_to_hand(hands: tuple[Bag, ...], seat: int, cards: Bag) -> tuple[Bag, ...]:
    return (*hands[:seat], hands[seat] + cards, *hands[seat + 1 :])


def _take_from_hand(hands: tuple[Bag, ...], seat: int, cards: Bag) -> tuple[Bag, ...]:
    return (*hands[:seat], hands[seat] - cards, *hands[seat + 1 :])


def _place_guards(table: Table, seat: int, places: tuple[Space, ...]) -> tuple[tuple[Space, ...], ...]:
    standing = tuple(sorted(table.guards[seat] + places))
    return (*table.guards[:seat], standing, *table.guards[seat + 1 :])


def _remove_guards(table: Table, seat: int, places: tuple[Space, ...]) -> tuple[tuple[Space, ...], ...]:
    standing = tuple(place for place in table.guards[seat] if place not in places)
    return (*table.guards[:seat], standing, *table.guards[seat + 1 :])


def _spend_action(table: Table, **changes: object) -> Table:
    return table.but(actions_left=table.actions_left - 1, **changes)


def _apply_march(table: Table, event: AlexanderMarched) -> Table:
    return table.but(
        phase=Phase.ACTIONS,
        actions_left=table.edition.actions_per_turn,
        chosen=None,
        alexander=event.path[-1],
        black=table.black - len(event.walls) + event.red,
        red=table.red - event.red,
        walls=table.walls.union(event.walls),
        stirred=bool(event.walls),
        last_turn=event.red > 0,
    )


def _next_turn(table: Table) -> Table:
    return table.but(
        phase=Phase.CARD,
        turn=table.turn + 1,
        seat=(table.seat + 1) % len(table.names),
        actions_left=0,
        levied=False,
        stirred=False,
        idle=0 if table.stirred else table.idle + 1,
    )
