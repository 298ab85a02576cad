"""What has happened, as programs are told it: the facts of the log in the shapes that `engine.codec` writes.

Each class is one type of fact, and its words stand in the document that describes the API.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from engine import codec
from engine.board import Board
from engine.cards import Symbol
from engine.events import Event, Reason
from engine.views import CardDrawnUnseen, GameStartedUnseen, told

Seat = Annotated[int, Field(ge=0, le=3, description="The number of a seat: players[seat] sits there.")]
Place = Annotated[str, Field(description="The name of a symbol space.", examples=["Larissa"])]
Point = Annotated[
    str, Field(description="A corner: the letter of its row, then its column.", examples=["C3"])
]
Side = Annotated[str, Field(description="A side of a space, as its two corners.", examples=["A3-B4"])]
Json = dict[str, object]


class Shape(BaseModel):
    """An object of the API; other keys than those named here are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Fact(Shape):
    meta: Json | None = None
    """Who acted, when and how, where the log says it; while a game runs its key `act` is the act's number."""


class GameStarted(_Fact):
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


class CardChosen(_Fact):
    """A card was chosen for the march: from the display into the hand, or out of the hand."""

    type: Literal["card_chosen"]
    seat: Seat
    card: Symbol
    source: Literal["display", "hand"]


class AlexanderMarched(_Fact):
    """Alexander marched."""

    type: Literal["alexander_marched"]
    seat: Seat
    target: Place
    path: list[Point]
    walls: list[Side]
    """The sides that got a wall, in the order of the path."""
    red: int
    """How many of them, counted from the last, are red."""


class AlexanderStayed(_Fact):
    """No march was possible, so Alexander stayed."""

    type: Literal["alexander_stayed"]
    seat: Seat
    card: Symbol | None
    """The card taken off the display; null where none lay there."""


class CardDrawn(_Fact):
    """A card was drawn from the supply."""

    type: Literal["card_drawn"]
    seat: Seat
    card: Symbol | None
    """Null where somebody else drew it."""


class CardTaken(_Fact):
    """A card was taken off the display."""

    type: Literal["card_taken"]
    seat: Seat
    card: Symbol


class ProvinceOccupied(_Fact):
    """A free province was occupied."""

    type: Literal["province_occupied"]
    seat: Seat
    guards: list[Place]
    paid: list[Symbol]


class ProvinceTakenOver(_Fact):
    """A province was taken over from its holder."""

    type: Literal["province_taken_over"]
    seat: Seat
    loser: Seat
    removed: list[Place]
    """Where the loser's guards stood."""
    guards: list[Place]
    paid: list[Symbol]
    """All cards played for it."""
    given: list[Symbol]
    """Those of them that the loser got."""


class TaxesLevied(_Fact):
    """Taxes were levied."""

    type: Literal["taxes_levied"]
    seat: Seat
    card: Symbol
    gains: list[int]
    """The points of each seat."""


class GuardRecalled(_Fact):
    """A guard was taken back."""

    type: Literal["guard_recalled"]
    seat: Seat
    place: Place


class TurnEnded(_Fact):
    """A turn ended, and the next seat is up."""

    type: Literal["turn_ended"]
    seat: Seat


class CardOpened(_Fact):
    """A card was turned from the supply onto the display."""

    type: Literal["card_opened"]
    card: Symbol


class SupplyRenewed(_Fact):
    """The discard pile became the supply."""

    type: Literal["supply_renewed"]


class GameEnded(_Fact):
    """The game is over: the last fact of its log."""

    type: Literal["game_ended"]
    reason: Reason
    winners: list[Seat]


class Fact(
    RootModel[
        Annotated[
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
            | GameEnded,
            Field(discriminator="type"),
        ]
    ]
):
    """Something that happened: one line of a log."""


def heard(event: Event, me: int | None, board: Board) -> Json:
    """A fact as JSON as seat `me` (None: a spectator) hears it: null stands for each card it did not see."""
    match told(event, me):
        case CardDrawnUnseen(seat):
            return {"type": "card_drawn", "seat": seat, "card": None}
        case GameStartedUnseen(called, edition, seats, hand, display):
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
