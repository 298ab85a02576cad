"""What has happened, as programs are told it: the facts of the log in the shapes that `engine.codec` writes.

The shapes are made of its table; the words that stand in the document that describes the API are added here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model

from engine import codec
from engine.board import Board
from engine.cards import Symbol
from engine.events import EndReason, Event, Source
from engine.views import CardDrawnVeiled, GameStartedVeiled, veil_event

SeatNumber = Annotated[int, Field(ge=0, le=3, description="The number of a seat: players[seat] sits there.")]
PlaceName = Annotated[str, Field(description="The name of a symbol space.", examples=["Larissa"])]
PointName = Annotated[
    str, Field(description="A corner: the letter of its row, then its column.", examples=["C3"])
]
SideName = Annotated[str, Field(description="A side of a space, as its two corners.", examples=["A3-B4"])]
JsonObject = dict[str, object]


class ApiShape(BaseModel):
    """An object of the API; other keys than those named here are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Fact(ApiShape):
    meta: JsonObject | None = None
    """Who acted, when and how, where the log says it; while a game runs its key `act` is the act's number."""


class _MadeFact(_Fact):
    """What the shapes are made of that have no source: docstrings are not looked for, which takes long."""

    model_config = ConfigDict(use_attribute_docstrings=False)


TYPES: dict[codec.FieldCodec, object] = {
    codec.SEAT: SeatNumber,
    codec.SEATS: list[SeatNumber],
    codec.INT: int,
    codec.INTS: list[int],
    codec.TEXT: str,
    codec.TEXTS: list[str],
    codec.EDITION: str,
    codec.SYMBOL: Symbol,
    codec.OPTIONAL_SYMBOL: Symbol | None,
    codec.BAG: list[Symbol],
    codec.BAGS: list[list[Symbol] | None],
    codec.PLACE: PlaceName,
    codec.PLACES: list[PlaceName],
    codec.PATH: list[PointName],
    codec.SIDES: list[SideName],
    codec.SOURCE: Source,
    codec.REASON: EndReason,
}
"""What each kind of value in the log is to a program; a hand that it did not see is null."""
DESCRIPTIONS = {
    "game_started": "The cards were dealt.",
    "game_started.seats": "The names of the players; play goes round in this order.",
    "game_started.hands": "The card dealt to each seat; null where you did not see it.",
    "card_chosen": "A card was chosen for the march: from the display into the hand, or out of the hand.",
    "alexander_marched": "Alexander marched.",
    "alexander_marched.walls": "The sides that got a wall, in the order of the path.",
    "alexander_marched.red": "How many of them, counted from the last, are red.",
    "alexander_stayed": "No march was possible, so Alexander stayed.",
    "alexander_stayed.card": "The card taken off the display; null where none lay there.",
    "card_drawn": "A card was drawn from the supply.",
    "card_drawn.card": "Null where somebody else drew it.",
    "card_taken": "A card was taken off the display.",
    "province_occupied": "A free province was occupied.",
    "province_taken_over": "A province was taken over from its holder.",
    "province_taken_over.removed": "Where the loser's guards stood.",
    "province_taken_over.paid": "All cards played for it.",
    "province_taken_over.given": "Those of them that the loser got.",
    "taxes_levied": "Taxes were levied.",
    "taxes_levied.gains": "The points of each seat.",
    "guard_recalled": "A guard was taken back.",
    "turn_ended": "A turn ended, and the next seat is up.",
    "card_opened": "A card was turned from the supply onto the display.",
    "supply_renewed": "The discard pile became the supply.",
    "game_ended": "The game is over: the last fact of its log.",
    "turn_skipped": "The turn of a seat that nobody plays was skipped, as most who answered wanted.",
    "game_closed": "The game is over as it stands, as most who answered wanted: the last fact of its log.",
}
"""What each fact tells, and those of its fields that do not speak for themselves."""


def _make_shape(name: str, fields: Mapping[str, codec.FieldCodec]) -> type[_Fact]:
    """The shape of one type of fact; in the document it is called as in the log: `GameStarted`."""
    shown: dict[str, Any] = {"type": (Literal[name], ...)}
    if name == "game_started":
        shown["ruleset"] = (Literal[codec.RULESET], ...)
    for key, kind in fields.items():
        veiled = (name, key) == ("card_drawn", "card")
        words = DESCRIPTIONS.get(f"{name}.{key}")
        described = Field(description=words) if words else ...  # else its type has words of its own
        shown[key] = (TYPES[codec.OPTIONAL_SYMBOL if veiled else kind], described)
    called = name.title().replace("_", "")
    return create_model(called, __base__=_MadeFact, __module__=__name__, __doc__=DESCRIPTIONS[name], **shown)


EVENT_SHAPES = {name: _make_shape(name, fields) for name, (_, fields) in codec.EVENT_FIELDS.items()}
"""The shape of each type of fact."""
if TYPE_CHECKING:
    AnyFact = _Fact
else:
    AnyFact = Annotated[Union[*EVENT_SHAPES.values()], Field(discriminator="type")]


class Fact(RootModel[AnyFact]):
    """Something that happened: one line of a log."""


def encode_for_seat(event: Event, me: int | None, board: Board) -> JsonObject:
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
