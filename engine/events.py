"""The events of a game, complete enough to replay it without rules or random cards.

event_log.py defines the names of events and fields in the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.board import Point, Side, Space
from engine.cards import Bag, Symbol

Source = Literal["display", "hand"]
EndReason = Literal["points", "no march", "walls", "stalemate", "agreement"]


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The cards were dealt (2.2)."""

    board: str
    edition: str
    seats: tuple[str, ...]
    hands: tuple[Bag, ...]
    display: Bag


@dataclass(frozen=True, slots=True)
class CardChosen:
    """A card was chosen for the march (4.1)."""

    seat: int
    card: Symbol
    source: Source


@dataclass(frozen=True, slots=True)
class AlexanderMarched:
    """Alexander marched (4.5); `walls` are in path order (4.6); the last `red` walls are red (4.7)."""

    seat: int
    target: Space
    path: tuple[Point, ...]
    walls: tuple[Side, ...]
    red: int


@dataclass(frozen=True, slots=True)
class AlexanderStayed:
    """No march was legal; a display card was taken, if there was one (4.9)."""

    seat: int
    card: Symbol | None


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card was drawn from the supply (5.1)."""

    seat: int
    card: Symbol


@dataclass(frozen=True, slots=True)
class CardTaken:
    """A display card was taken as an action (5.1)."""

    seat: int
    card: Symbol


@dataclass(frozen=True, slots=True)
class ProvinceOccupied:
    """A free province was occupied (5.6)."""

    seat: int
    guards: tuple[Space, ...]
    paid: Bag


@dataclass(frozen=True, slots=True)
class ProvinceTakenOver:
    """A held province was taken over (5.9); the loser got `given` out of `paid` (5.10)."""

    seat: int
    loser: int
    removed: tuple[Space, ...]
    guards: tuple[Space, ...]
    paid: Bag
    given: Bag


@dataclass(frozen=True, slots=True)
class TaxesLevied:
    """Taxes were levied; `gains` are the points of each seat (5.12)."""

    seat: int
    card: Symbol
    gains: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GuardRecalled:
    seat: int
    place: Space


@dataclass(frozen=True, slots=True)
class TurnEnded:
    seat: int


@dataclass(frozen=True, slots=True)
class CardOpened:
    """A card was moved from the supply to the display (3.3, 4.1)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class SupplyRenewed:
    """The discard pile was shuffled and became the supply (5.3)."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game ended by the rules (section 7)."""

    reason: EndReason
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameClosed:
    """The game ended early because all remaining players agreed; not part of the rules."""

    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnSkipped:
    """The turn of a vacant seat was skipped because all remaining players agreed; not part of the rules.

    Changes only the seat to move and the number of the turn.
    """

    seat: int


Event = (
    GameStarted
    | CardChosen
    | AlexanderMarched
    | AlexanderStayed
    | CardDrawn
    | CardTaken
    | ProvinceOccupied
    | ProvinceTakenOver
    | TaxesLevied
    | GuardRecalled
    | TurnEnded
    | CardOpened
    | SupplyRenewed
    | GameEnded
    | GameClosed
    | TurnSkipped
)
TurnOver = TurnEnded | TurnSkipped
"""The events that pass play to the next seat."""


class InvalidEvent(ValueError):
    """An event that is malformed or impossible at its position in a log; the message gives the reason."""
