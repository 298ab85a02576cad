"""What has happened: facts, complete enough that replaying them needs no rules and no dice.

Facts name the seat by its number; places are spaces, cards are bags or symbols. event_log.py gives each its
name and fields in the log.
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
    """Alexander marched (4.5); `walls` were laid in path order (4.6), the last `red` of them red (4.7)."""

    seat: int
    target: Space
    path: tuple[Point, ...]
    walls: tuple[Side, ...]
    red: int


@dataclass(frozen=True, slots=True)
class AlexanderStayed:
    """No march was legal; a display card was taken if there was one (4.9)."""

    seat: int
    card: Symbol | None


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card came off the supply into a hand (5.1)."""

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
    """A held province was taken over (5.9); `given` went to the loser out of `paid` (5.10)."""

    seat: int
    loser: int
    removed: tuple[Space, ...]
    guards: tuple[Space, ...]
    paid: Bag
    given: Bag


@dataclass(frozen=True, slots=True)
class TaxesLevied:
    """Taxes were levied; `gains` is what each seat scored (5.12)."""

    seat: int
    card: Symbol
    gains: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GuardRecalled:
    """A guard went back to its owner's supply (5.13)."""

    seat: int
    place: Space


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """Play passed to the next seat (3.3)."""

    seat: int


@dataclass(frozen=True, slots=True)
class CardOpened:
    """A card was turned from the supply onto the display (3.3, 4.1)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class SupplyRenewed:
    """The discard pile was shuffled and became the supply (5.3)."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over (section 7)."""

    reason: EndReason
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameClosed:
    """The game is over as it stands, since all who still play agree: no rule ends it, its players do."""

    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnSkipped:
    """The turn of a seat that nobody plays passed to the next one, since all who still play agree.

    No rule does that, its players do: but for whose turn it is and its number the position stays as it is.
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
"""That play passes to the next seat."""


class InvalidEvent(ValueError):
    """An event that cannot stand where it does in a log; the sentence says why."""
