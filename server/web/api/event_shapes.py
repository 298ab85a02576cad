"""What has happened, as programs are told it: the facts of the log in the shapes that `engine.codec` writes.

Each class is one type of fact, and its words stand in the document that describes the API.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from engine import codec
from engine.board import Board
from engine.cards import Symbol
from engine.events import EndReason, Event
from engine.views import CardDrawnVeiled, GameStartedVeiled, veil_event

SeatNumber = Annotated[int, Field(ge=0, le=3, description="The number of a seat: players[seat] sits there.")]
PlaceName = Annotated[str, Field(description="The name of a symbol space.", examples=["Larissa"])]
PointName = Annotated[
    str, Field(description="A corner: the letter of its row, then its column.", examples=["C3"])
]
SideName = Annotated[str, Field(description="A side of a space, as its two corners.", examples=["A3-B4"])]
Json = dict[str, object]


class ApiShape(BaseModel):
    """An object of the API; other keys than those named here are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Fact(ApiShape):
    meta: Json | None = None
    """Who acted, when and how, where the log says it; while a game runs its key `act` is the act's number."""


class GameStartedFact(_Fact):
    """The cards were dealt."""

    type: Literal["game_started"]
    ruleset: Literal[1]
    board: str
    edition: str
    seats: list[str]
    """The names of the players; play goes round in this order."""
    hands: list[list[Symbol] | None]
    """The card dealt to each seat; null where you did not see it."""
    display: list[Symbol]


class CardChosenFact(_Fact):
    """A card was chosen for the march: from the display into the hand, or out of the hand."""

    type: Literal["card_chosen"]
    seat: SeatNumber
    card: Symbol
    source: Literal["display", "hand"]


class AlexanderMarchedFact(_Fact):
    """Alexander marched."""

    type: Literal["alexander_marched"]
    seat: SeatNumber
    target: PlaceName
    path: list[PointName]
    walls: list[SideName]
    """The sides that got a wall, in the order of the path."""
    red: int
    """How many of them, counted from the last, are red."""


class AlexanderStayedFact(_Fact):
    """No march was possible, so Alexander stayed."""

    type: Literal["alexander_stayed"]
    seat: SeatNumber
    card: Symbol | None
    """The card taken off the display; null where none lay there."""


class CardDrawnFact(_Fact):
    """A card was drawn from the supply."""

    type: Literal["card_drawn"]
    seat: SeatNumber
    card: Symbol | None
    """Null where somebody else drew it."""


class CardTakenFact(_Fact):
    """A card was taken off the display."""

    type: Literal["card_taken"]
    seat: SeatNumber
    card: Symbol


class ProvinceOccupiedFact(_Fact):
    """A free province was occupied."""

    type: Literal["province_occupied"]
    seat: SeatNumber
    guards: list[PlaceName]
    paid: list[Symbol]


class ProvinceTakenOverFact(_Fact):
    """A province was taken over from its holder."""

    type: Literal["province_taken_over"]
    seat: SeatNumber
    loser: SeatNumber
    removed: list[PlaceName]
    """Where the loser's guards stood."""
    guards: list[PlaceName]
    paid: list[Symbol]
    """All cards played for it."""
    given: list[Symbol]
    """Those of them that the loser got."""


class TaxesLeviedFact(_Fact):
    """Taxes were levied."""

    type: Literal["taxes_levied"]
    seat: SeatNumber
    card: Symbol
    gains: list[int]
    """The points of each seat."""


class GuardRecalledFact(_Fact):
    """A guard was taken back."""

    type: Literal["guard_recalled"]
    seat: SeatNumber
    place: PlaceName


class TurnEndedFact(_Fact):
    """A turn ended, and the next seat is up."""

    type: Literal["turn_ended"]
    seat: SeatNumber


class CardOpenedFact(_Fact):
    """A card was turned from the supply onto the display."""

    type: Literal["card_opened"]
    card: Symbol


class SupplyRenewedFact(_Fact):
    """The discard pile became the supply."""

    type: Literal["supply_renewed"]


class GameEndedFact(_Fact):
    """The game is over: the last fact of its log."""

    type: Literal["game_ended"]
    reason: EndReason
    winners: list[SeatNumber]


class Fact(
    RootModel[
        Annotated[
            GameStartedFact
            | CardChosenFact
            | AlexanderMarchedFact
            | AlexanderStayedFact
            | CardDrawnFact
            | CardTakenFact
            | ProvinceOccupiedFact
            | ProvinceTakenOverFact
            | TaxesLeviedFact
            | GuardRecalledFact
            | TurnEndedFact
            | CardOpenedFact
            | SupplyRenewedFact
            | GameEndedFact,
            Field(discriminator="type"),
        ]
    ]
):
    """Something that happened: one line of a log."""


def encode_for_seat(event: Event, me: int | None, board: Board) -> Json:
    """A fact as JSON as seat `me` (None: a spectator) hears it: null stands for each card it did not see."""
    match veil_event(event, me):
        case CardDrawnVeiled(seat):
            return {"type": "card_drawn", "seat": seat, "card": None}
        case GameStartedVeiled(called, edition, seats, hand, display):
            return {
                "type": "game_started",
                "ruleset": codec.RULESET,
                "board": called,
                "edition": edition,
                "seats": list(seats),
                "hands": [list(hand) if seat == me else None for seat in range(len(seats))],
                "display": list(display),
            }
        case known:
            return codec.encode(known, board)
