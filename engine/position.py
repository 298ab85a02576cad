"""A position: the table that everybody sees, hidden cards, and the view that a reader has of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from engine.board import Board, Point, Side, Space
from engine.cards import EMPTY, Bag, Symbol
from engine.editions import Edition
from engine.events import CardDrawn, EndReason, Event, GameStarted

BLACK_WALLS, RED_WALLS = 65, 10
"""Walls of each colour at the start (1.3)."""
GUARDS_PER_SEAT = 4
"""Guards of each seat (1.2)."""
DISPLAY_SIZE = 2
"""Cards face up when the display is full (2.2)."""


class Phase(StrEnum):
    """What the turn waits for."""

    CARD = "card"
    MARCH = "march"
    ACTIONS = "actions"
    OVER = "over"


@dataclass(frozen=True)
class Table:
    """Everything public (8.2). Without slots, so that `but` can copy it at once."""

    board: Board
    edition: Edition
    names: tuple[str, ...]
    """Who sits where; seat 0 began (2.3)."""
    phase: Phase
    turn: int
    seat: int
    actions_left: int
    levied: bool
    """Whether taxes were levied this turn (3.2)."""
    stirred: bool
    """Whether this turn laid a wall or scored a point (7.4)."""
    last_turn: bool
    """Whether a red wall was laid or nobody could march (7.1, 4.9)."""
    idle: int
    """How many turns in a row ended without a new wall and without a point (7.4)."""
    chosen: Symbol | None
    alexander: Point
    black: int
    red: int
    walled: int
    """The sides that bear a wall, as bits of the board's grid."""
    display: Bag
    discard: Bag
    scores: tuple[int, ...]
    standing: tuple[int, ...]
    """For each seat the spaces where its guards stand, as bits of the grid."""
    reason: EndReason | None
    winners: tuple[int, ...] | None

    def but(self, **changes: object) -> Table:
        """The same table with other values here; `dataclasses.replace` would take five times as long."""
        made = object.__new__(Table)
        _set_values(made, self.__dict__ | changes)
        return made

    @property
    def walls(self) -> frozenset[Side]:
        """The sides that bear a wall."""
        return self.board.grid.list_sides(self.walled)

    @property
    def guards(self) -> tuple[tuple[Space, ...], ...]:
        """For each seat where its guards stand, in reading order."""
        return tuple(map(self.board.grid.list_spaces, self.standing))

    @property
    def walls_left(self) -> int:
        """Black and red walls not yet laid (4.9)."""
        return self.black + self.red

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.phase is Phase.OVER

    @property
    def has_winning_score(self) -> bool:
        """Whether any seat has reached the winning score (7.2, 9.2)."""
        return max(self.scores) >= self.edition.winning_score

    @property
    def completes_stalemate(self) -> bool:
        """Whether the game would end by 7.4 if this turn ended as it stands."""
        return not self.stirred and self.idle + 1 >= 10 * len(self.names)

    def display_name(self, seat: int) -> str:
        """The name of a seat for a sentence: on one line, whatever the log says."""
        return " ".join(self.names[seat].split())

    def guards_in_supply(self, seat: int) -> int:
        """How many guards of a seat are not on the board."""
        return GUARDS_PER_SEAT - self.standing[seat].bit_count()

    def holder_of(self, space: Space) -> int | None:
        """Whose guard stands on a space."""
        bit = self.board.grid.space_bits[space]
        return next((seat for seat, standing in enumerate(self.standing) if standing & bit), None)


# The dictionary itself: `object.__setattr__` takes three times as long.
_set_values: Callable[[Table, dict[str, object]], None] = vars(Table)["__dict__"].__set__


@dataclass(frozen=True, slots=True, init=False)
class Position:
    """Everything true now, secrets included (8.1)."""

    table: Table
    hands: tuple[Bag, ...]
    supply: Bag

    def __init__(self, table: Table, hands: tuple[Bag, ...], supply: Bag) -> None:
        _set_table(self, table)
        _set_hands(self, hands)
        _set_supply(self, supply)


# The slots themselves: what a frozen dataclass writes by itself takes twice as long.
_set_table: Callable[[Position, Table], None] = vars(Position)["table"].__set__
_set_hands: Callable[[Position, tuple[Bag, ...]], None] = vars(Position)["hands"].__set__
_set_supply: Callable[[Position, Bag], None] = vars(Position)["supply"].__set__


@dataclass(frozen=True, slots=True)
class View:
    """What one reader knows: a seat, or a spectator (`me` is None)."""

    table: Table
    me: int | None
    hand: Bag
    """My cards; none for a spectator."""
    hand_sizes: tuple[int, ...]
    supply_size: int

    @property
    def my_seat(self) -> int:
        """The seat of its reader; raises `ValueError` where that is a spectator."""
        if self.me is None:
            raise ValueError("a spectator has no seat")
        return self.me

    @property
    def my_turn(self) -> bool:
        """Whether the game waits for me."""
        return not self.table.over and self.table.seat == self.me


@dataclass(frozen=True, slots=True)
class CardDrawnVeiled:
    """Another seat drew a card from the supply (5.1, 8.1)."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameStartedVeiled:
    """The cards were dealt, of which the reader saw only their own (2.2, 8.1)."""

    board: str
    edition: str
    seats: tuple[str, ...]
    hand: Bag
    display: Bag


VisibleEvent = Event | CardDrawnVeiled | GameStartedVeiled
"""An event as one reader may see it."""


def view(position: Position, me: int | None) -> View:
    """What seat `me` knows; None: what a spectator knows."""
    return View(
        table=position.table,
        me=me,
        hand=EMPTY if me is None else position.hands[me],
        hand_sizes=tuple(len(hand) for hand in position.hands),
        supply_size=len(position.supply),
    )


def veil_event(event: Event, me: int | None) -> VisibleEvent:
    """A fact as seat `me` (None: a spectator) hears it."""
    match event:
        case CardDrawn(seat, _) if seat != me:
            return CardDrawnVeiled(seat)
        case GameStarted(board, edition, seats, hands, display):
            return GameStartedVeiled(board, edition, seats, EMPTY if me is None else hands[me], display)
        case _:
            return event
