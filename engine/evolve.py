"""Apply events to positions without checks; rules.py and event_log.py check actions and events first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.board import Board, Space
from engine.cards import DECK, EMPTY, ONE, Bag
from engine.editions import EDITIONS
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    EndReason,
    Event,
    GameClosed,
    GameEnded,
    GameStarted,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.position import BLACK_WALLS, RED_WALLS, Phase, Position, Table


def start(board: Board, event: GameStarted) -> Position:
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
        walled=0,
        display=event.display,
        discard=EMPTY,
        scores=(0,) * seats,
        standing=(0,) * seats,
        reason=None,
        winners=None,
    )
    return Position(table, event.hands, supply)


def evolve(position: Position, event: Event) -> Position:
    return FOLDS[type(event)](position, event)


def _open_card(position: Position, event: CardOpened) -> Position:
    card = ONE[event.card]
    table = position.table
    return Position(table.but(display=table.display + card), position.hands, position.supply - card)


def _choose_card(position: Position, event: CardChosen) -> Position:
    table, card = position.table, ONE[event.card]
    if event.source == "display":
        table = table.but(phase=Phase.MARCH, chosen=event.card, display=table.display - card)
        return Position(table, _add_to_hand(position.hands, event.seat, card), position.supply)
    table = table.but(phase=Phase.MARCH, chosen=event.card, discard=table.discard + card)
    return Position(table, _take_from_hand(position.hands, event.seat, card), position.supply)


def _march(position: Position, event: AlexanderMarched) -> Position:
    table = position.table
    marched = table.but(
        walled=table.walled | table.board.grid.mask_sides(event.walls),
        phase=Phase.ACTIONS,
        actions_left=table.edition.actions_per_turn,
        chosen=None,
        alexander=event.path[-1],
        black=table.black - len(event.walls) + event.red,
        red=table.red - event.red,
        stirred=bool(event.walls),
        last_turn=event.red > 0,
    )
    return Position(marched, position.hands, position.supply)


def _stay(position: Position, event: AlexanderStayed) -> Position:
    table = position.table
    taken = EMPTY if event.card is None else ONE[event.card]
    table = table.but(
        phase=Phase.ACTIONS,
        actions_left=table.edition.actions_per_turn,
        display=table.display - taken,
        last_turn=True,
    )
    return Position(table, _add_to_hand(position.hands, event.seat, taken), position.supply)


def _draw_card(position: Position, event: CardDrawn) -> Position:
    card = ONE[event.card]
    hands = _add_to_hand(position.hands, event.seat, card)
    table = position.table.but(actions_left=position.table.actions_left - 1)
    return Position(table, hands, position.supply - card)


def _take_card(position: Position, event: CardTaken) -> Position:
    table, card = position.table, ONE[event.card]
    table = table.but(actions_left=table.actions_left - 1, display=table.display - card)
    return Position(table, _add_to_hand(position.hands, event.seat, card), position.supply)


def _occupy(position: Position, event: ProvinceOccupied) -> Position:
    table = position.table
    standing = _place_guards(table, table.standing, event.seat, event.guards)
    discard = table.discard + event.paid
    table = table.but(actions_left=table.actions_left - 1, standing=standing, discard=discard)
    return Position(table, _take_from_hand(position.hands, event.seat, event.paid), position.supply)


def _levy(position: Position, event: TaxesLevied) -> Position:
    table, card = position.table, ONE[event.card]
    table = table.but(
        actions_left=table.actions_left - 1,
        levied=True,
        scores=tuple([score + gain for score, gain in zip(table.scores, event.gains, strict=True)]),
        discard=table.discard + card,
        stirred=table.stirred or any(event.gains),
    )
    return Position(table, _take_from_hand(position.hands, event.seat, card), position.supply)


def _recall(position: Position, event: GuardRecalled) -> Position:
    table = position.table
    standing = _remove_guards(table, event.seat, (event.place,))
    table = table.but(actions_left=table.actions_left - 1, standing=standing)
    return Position(table, position.hands, position.supply)


def _renew_supply(position: Position, _: SupplyRenewed) -> Position:
    return Position(position.table.but(discard=EMPTY), position.hands, position.table.discard)


def _end_game(position: Position, event: GameEnded | GameClosed) -> Position:
    reason: EndReason = "agreement" if isinstance(event, GameClosed) else event.reason
    ended = {"actions_left": 0, "chosen": None, "reason": reason, "winners": event.winners}
    return Position(position.table.but(phase=Phase.OVER, **ended), position.hands, position.supply)


def _take_over(position: Position, event: ProvinceTakenOver) -> Position:
    table, seat, paid = position.table, event.seat, event.paid
    freed = _remove_guards(table, event.loser, event.removed)
    standing = _place_guards(table, freed, seat, event.guards)
    discard = table.discard + paid - event.given
    table = table.but(actions_left=table.actions_left - 1, standing=standing, discard=discard)
    hands = _add_to_hand(_take_from_hand(position.hands, seat, paid), event.loser, event.given)
    return Position(table, hands, position.supply)


def _add_to_hand(hands: tuple[Bag, ...], seat: int, cards: Bag) -> tuple[Bag, ...]:
    changed = [*hands]
    changed[seat] += cards
    return tuple(changed)


def _take_from_hand(hands: tuple[Bag, ...], seat: int, cards: Bag) -> tuple[Bag, ...]:
    changed = [*hands]
    changed[seat] -= cards
    return tuple(changed)


def _place_guards(
    table: Table, standing: tuple[int, ...], seat: int, places: tuple[Space, ...]
) -> tuple[int, ...]:
    changed = [*standing]
    changed[seat] |= table.board.grid.mask_spaces(places)
    return tuple(changed)


def _remove_guards(table: Table, seat: int, places: tuple[Space, ...]) -> tuple[int, ...]:
    changed = [*table.standing]
    changed[seat] &= ~table.board.grid.mask_spaces(places)
    return tuple(changed)


def _end_turn(position: Position, _: TurnEnded) -> Position:
    table = position.table
    ended = table.but(
        phase=Phase.CARD,
        turn=table.turn + 1,
        seat=(table.seat + 1) % len(table.names),
        actions_left=0,
        levied=False,
        stirred=False,
        idle=0 if table.stirred else table.idle + 1,
    )
    return Position(ended, position.hands, position.supply)


def _skip_turn(position: Position, _: TurnSkipped) -> Position:
    table = position.table
    table = table.but(turn=table.turn + 1, seat=(table.seat + 1) % len(table.names))
    return Position(table, position.hands, position.supply)


FOLDS: Mapping[type[Event], Callable[[Position, Any], Position]] = {
    GameStarted: lambda position, event: start(position.table.board, event),
    CardChosen: _choose_card,
    AlexanderMarched: _march,
    AlexanderStayed: _stay,
    CardDrawn: _draw_card,
    CardTaken: _take_card,
    ProvinceOccupied: _occupy,
    ProvinceTakenOver: _take_over,
    TaxesLevied: _levy,
    GuardRecalled: _recall,
    TurnEnded: _end_turn,
    CardOpened: _open_card,
    SupplyRenewed: _renew_supply,
    GameEnded: _end_game,
    GameClosed: _end_game,
    TurnSkipped: _skip_turn,
}
"""For each event the function that applies it."""


def replay(board: Board, events: Iterable[Event]) -> Position:
    """Return the position after all events of a game; the first must be `GameStarted`."""
    rest = iter(events)
    first = next(rest)
    assert isinstance(first, GameStarted)
    position = start(board, first)
    for event in rest:
        position = evolve(position, event)
    return position
