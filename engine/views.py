"""What a reader may know: views and veiled facts (section 8).

A view is built from nothing by picking what its reader knows; nothing is stripped from a position, so a
letter cannot leak what its writer never got. Letters, pages and offers are made from views.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import EMPTY, Bag
from engine.events import CardDrawn, Event, GameStarted
from engine.position import Position, View


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
