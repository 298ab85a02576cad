"""Events as JSON: the names, fields and versions of the log.

Names are chosen here, not taken from class names, so that renaming a class never changes a stored log. A
newer shape of an event gets a dated function here that brings the old shape up to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from engine.board import Board
from engine.cards import Bag, Symbol
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
    WrongEvent,
)
from engine.lattice import Point, Side, Space

RULESET = 1
"""The version of the log's events."""
Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Field:
    """How one kind of value is read and written; `read` raises `WrongEvent` without naming the field."""

    read: Callable[[object, Board], object]
    write: Callable[[object, Board], object]


def _refuse(wanted: str, value: object) -> WrongEvent:
    return WrongEvent(f"must be {wanted}, not {_shown(value)}")


def _shown(value: object) -> str:
    """A wrong value for a sentence, cut short; a nested one may be too deep to be written out."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    shown = ascii(value)
    return shown if len(shown) <= 40 else shown[:39] + "..."


def _int(value: object, _: Board) -> int:
    if type(value) is not int:
        raise _refuse("a whole number", value)
    return value


def _text(value: object, _: Board) -> str:
    if not isinstance(value, str):
        raise _refuse("a text", value)
    return value


SYMBOL_NAMES: Mapping[object, Symbol] = {str(symbol): symbol for symbol in Symbol}


def _symbol(value: object, _: Board) -> Symbol:
    if not isinstance(value, str) or value not in SYMBOL_NAMES:
        raise _refuse("a symbol", value)
    return SYMBOL_NAMES[value]


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        raise _refuse("a list", value)
    return value


def _bag(value: object, board: Board) -> Bag:
    cards = [_symbol(item, board) for item in _items(value)]
    bag = Bag.of(cards)
    if list(bag) != cards:
        raise WrongEvent("must be in canonical order: temple, amphora, horse, lyre, soldier")
    return bag


def _place(value: object, board: Board) -> Space:
    if not isinstance(value, str) or value not in board.places:
        raise _refuse("a place on the board", value)
    return board.places[value]


def _point(value: object, board: Board) -> Point:
    if not isinstance(value, str) or value not in board.point_names:
        raise _refuse("a point on the board", value)
    return board.point_names[value]


def _side(value: object, board: Board) -> Side:
    if not isinstance(value, str) or value not in board.side_names:
        raise _refuse("a side on the board", value)
    return board.side_names[value]


def _sorted_places(value: object, board: Board) -> tuple[Space, ...]:
    places = tuple(_place(item, board) for item in _items(value))
    if list(places) != sorted(set(places)):
        raise WrongEvent("must be in reading order, each place once")
    return places


def _many(one: Callable[[object, Board], object]) -> Callable[[object, Board], object]:
    return lambda value, board: tuple(one(item, board) for item in _items(value))


def _one_of(*texts: str) -> Callable[[object, Board], object]:
    def read(value: object, _: Board) -> object:
        if value not in texts:
            raise _refuse("one of " + ", ".join(texts), value)
        return value

    return read


def _plain(value: object, _: Board) -> object:
    return value


def _each(value: object, _: Board) -> object:
    assert isinstance(value, Iterable)
    return [str(item) for item in value]


def _named(value: object, board: Board) -> object:
    assert isinstance(value, Space)
    return board.names[value]


def _all_named(value: object, board: Board) -> object:
    assert isinstance(value, tuple)
    return [board.names[place] for place in value]


def _bags(value: object, board: Board) -> object:
    assert isinstance(value, tuple)
    return [_each(bag, board) for bag in value]


def _listed(value: object, _: Board) -> object:
    assert isinstance(value, tuple)
    return list(value)


def _maybe_symbol(value: object, board: Board) -> Symbol | None:
    return None if value is None else _symbol(value, board)


INT = Field(_int, _plain)
TEXT = Field(_text, _plain)
TEXTS = Field(_many(_text), _listed)
INTS = Field(_many(_int), _listed)
SYMBOL = Field(_symbol, _plain)
MAYBE_SYMBOL = Field(_maybe_symbol, _plain)
BAG = Field(_bag, _each)
BAGS = Field(_many(_bag), _bags)
PLACE = Field(_place, _named)
PLACES = Field(_sorted_places, _all_named)
PATH = Field(_many(_point), _each)
SIDES = Field(_many(_side), _each)
SOURCE = Field(_one_of("display", "hand"), _plain)
REASON = Field(_one_of("points", "no march", "walls", "stalemate"), _plain)
EDITION = Field(_one_of(*EDITIONS), _plain)

SHAPES: dict[str, tuple[Callable[..., Event], dict[str, Field]]] = {
    "game_started": (
        GameStarted,
        {"board": TEXT, "edition": EDITION, "seats": TEXTS, "hands": BAGS, "display": BAG},
    ),
    "card_chosen": (CardChosen, {"seat": INT, "card": SYMBOL, "source": SOURCE}),
    "alexander_marched": (
        AlexanderMarched,
        {"seat": INT, "target": PLACE, "path": PATH, "walls": SIDES, "red": INT},
    ),
    "alexander_stayed": (AlexanderStayed, {"seat": INT, "card": MAYBE_SYMBOL}),
    "card_drawn": (CardDrawn, {"seat": INT, "card": SYMBOL}),
    "card_taken": (CardTaken, {"seat": INT, "card": SYMBOL}),
    "province_occupied": (ProvinceOccupied, {"seat": INT, "guards": PLACES, "paid": BAG}),
    "province_taken_over": (
        ProvinceTakenOver,
        {"seat": INT, "loser": INT, "removed": PLACES, "guards": PLACES, "paid": BAG, "given": BAG},
    ),
    "taxes_levied": (TaxesLevied, {"seat": INT, "card": SYMBOL, "gains": INTS}),
    "guard_recalled": (GuardRecalled, {"seat": INT, "place": PLACE}),
    "turn_ended": (TurnEnded, {"seat": INT}),
    "card_opened": (CardOpened, {"card": SYMBOL}),
    "supply_renewed": (SupplyRenewed, {}),
    "game_ended": (GameEnded, {"reason": REASON, "winners": INTS}),
}
"""Every event of the log: its class, and its fields in the order of the class."""
NAMES: Mapping[object, str] = {shape[0]: name for name, shape in SHAPES.items()}


def name_of(kind: type[Event]) -> str:
    """The name of a kind of event in the log."""
    return NAMES[kind]


def encode(event: Event, board: Board) -> dict[str, object]:
    """An event as JSON, without `meta`."""
    name = NAMES[type(event)]
    data: dict[str, object] = {"type": name}
    if isinstance(event, GameStarted):
        data["ruleset"] = RULESET
    for key, kind in SHAPES[name][1].items():
        data[key] = kind.write(getattr(event, key), board)
    return data


def decode(data: object, board: Board) -> Event:
    """The event that a JSON object of the log tells of.

    Checks every field's type and that places, points, sides and symbols exist, not whether it is legal.
    Raises `WrongEvent`.
    """
    if not isinstance(data, dict):
        raise WrongEvent("an event must be a JSON object")
    name = data.get("type")
    if not isinstance(name, str) or name not in SHAPES:
        raise WrongEvent(f"unknown event type {_shown(name)}")
    make, fields = SHAPES[name]
    values = []
    try:
        for key, kind in fields.items():
            values.append(kind.read(data[key], board))
    except KeyError:
        raise WrongEvent(f"{name} lacks the field {key}") from None
    except WrongEvent as error:
        raise WrongEvent(f"{name}: {key} {error}") from None
    if make is GameStarted:
        _check_ruleset(data)
    if len(data) > len(fields) + 1:
        _check_keys(name, data, fields)
    return make(*values)


def _check_ruleset(data: dict[str, object]) -> None:
    if type(data.get("ruleset")) is not int or data["ruleset"] != RULESET:
        raise WrongEvent(f"game_started: ruleset must be {RULESET}")


def _check_keys(name: str, data: dict[str, object], fields: dict[str, Field]) -> None:
    allowed = {"type", "meta", *fields, *(["ruleset"] if name == "game_started" else [])}
    for key in data:
        if key not in allowed:
            raise WrongEvent(f"{name} has the unknown field {_shown(key)}")
