"""Positions: the public table, the hidden cards, and each reader's view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from engine.board import Board, Point, Side, Space, list_sides
from engine.cards import EMPTY, Bag, Symbol
from engine.editions import Edition
from engine.events import CardDrawn, EndReason, Event, GameStarted

BLACK_WALLS, RED_WALLS = 65, 10
"""Numbers of black and red walls at the start (1.3)."""
GUARDS_PER_SEAT = 4
DISPLAY_SIZE = 2
"""Number of cards of a full display (2.2)."""


class Phase(StrEnum):
    """The next step of the present turn, or the end of the game."""

    CARD = "card"
    MARCH = "march"
    ACTIONS = "actions"
    OVER = "over"


@dataclass(frozen=True)
class Table:
    """The public part of a position (8.2)."""

    board: Board
    edition: Edition
    names: tuple[str, ...]
    """Player names by seat; seat 0 has the first turn (2.3)."""
    phase: Phase
    turn: int
    seat: int
    actions_left: int
    levied: bool
    """True if taxes were levied in this turn (3.2)."""
    stirred: bool
    """True if this turn built a wall or scored a point (7.4)."""
    last_turn: bool
    """True if a red wall was built or no march was possible (7.1, 4.9)."""
    idle: int
    """Consecutive turns without a new wall or a point (7.4)."""
    chosen: Symbol | None
    alexander: Point
    black: int
    red: int
    walled: int
    """The mask of sides with a wall."""
    display: Bag
    discard: Bag
    scores: tuple[int, ...]
    standing: tuple[int, ...]
    """For each seat the mask of spaces with its guards."""
    reason: EndReason | None
    winners: tuple[int, ...] | None

    def but(self, **changes: object) -> Table:
        """Return a copy with some values changed; five times as fast as `dataclasses.replace`."""
        made = object.__new__(Table)
        _set_values(made, self.__dict__ | changes)
        return made

    @property
    def walls(self) -> frozenset[Side]:
        return list_sides(self.board.grid, self.walled)

    @property
    def guards(self) -> tuple[tuple[Space, ...], ...]:
        return tuple(map(self.board.grid.list_spaces, self.standing))

    @property
    def walls_left(self) -> int:
        return self.black + self.red

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER

    @property
    def has_winning_score(self) -> bool:
        """True if a seat has reached the winning score (7.2, 9.2)."""
        return max(self.scores) >= self.edition.winning_score

    def display_name(self, seat: int) -> str:
        """Return a player's name with each run of blanks and line breaks replaced by one blank."""
        return " ".join(self.names[seat].split())

    def guards_in_supply(self, seat: int) -> int:
        return GUARDS_PER_SEAT - self.standing[seat].bit_count()


# Sets all values at once, three times as fast as `object.__setattr__` for each.
_set_values: Callable[[Table, dict[str, object]], None] = vars(Table)["__dict__"].__set__


@dataclass(frozen=True, slots=True, init=False)
class Position:
    """The complete position, hidden cards included (8.1)."""

    table: Table
    hands: tuple[Bag, ...]
    supply: Bag

    def __init__(self, table: Table, hands: tuple[Bag, ...], supply: Bag) -> None:
        _set_table(self, table)
        _set_hands(self, hands)
        _set_supply(self, supply)


# Sets one slot directly, twice as fast as the initialiser of a frozen dataclass.
_set_table: Callable[[Position, Table], None] = vars(Position)["table"].__set__
_set_hands: Callable[[Position, tuple[Bag, ...]], None] = vars(Position)["hands"].__set__
_set_supply: Callable[[Position, Bag], None] = vars(Position)["supply"].__set__


@dataclass(frozen=True, slots=True)
class View:
    """The facts that one reader may know: the player of seat `me`, or a spectator if `me` is None."""

    table: Table
    me: int | None
    hand: Bag
    hand_sizes: tuple[int, ...]
    supply_size: int

    @property
    def my_seat(self) -> int:
        if self.me is None:
            raise ValueError("a spectator has no seat")
        return self.me

    @property
    def my_turn(self) -> bool:
        return not self.table.over and self.table.seat == self.me


@dataclass(frozen=True, slots=True)
class CardDrawnVeiled:
    """Another seat drew a card (5.1, 8.1)."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameStartedVeiled:
    """The deal with only the reader's own cards (2.2, 8.1)."""

    board: str
    edition: str
    seats: tuple[str, ...]
    hand: Bag
    display: Bag


VisibleEvent = Event | CardDrawnVeiled | GameStartedVeiled
"""An event without the facts hidden from its reader."""


def view(position: Position, me: int | None) -> View:
    """Return the view of seat `me`, or of a spectator if None."""
    return View(
        table=position.table,
        me=me,
        hand=EMPTY if me is None else position.hands[me],
        hand_sizes=tuple(len(hand) for hand in position.hands),
        supply_size=len(position.supply),
    )


def veil_event(event: Event, me: int | None) -> VisibleEvent:
    """Return an event without the facts hidden from seat `me`; None: a spectator."""
    match event:
        case CardDrawn(seat, _) if seat != me:
            return CardDrawnVeiled(seat)
        case GameStarted(board, edition, seats, hands, display):
            return GameStartedVeiled(board, edition, seats, EMPTY if me is None else hands[me], display)
        case _:
            return event
