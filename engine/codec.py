"""Events as JSON: the names, fields and versions of the log.

Names are chosen here, not taken from class names, so that renaming a class never changes a stored log. A
newer shape of an event gets a dated function here that brings the old shape up to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from engine.board import Board
from engine.cards import ONE, Bag, Symbol
from engine.editions import EDITIONS
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    Event,
    GameClosed,
    GameEnded,
    GameStarted,
    GuardRecalled,
    InvalidEvent,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.lattice import Point, Side, Space

RULESET = 1
"""The version of the log's events."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldCodec:
    """How one kind of value is read and written; `read` raises `InvalidEvent` without naming the field.

    Each is itself alone: seats are read as numbers are, and whoever describes a log can tell them apart.
    """

    read: Callable[[object, Board], object]
    write: Callable[[object, Board], object]


def _wrong_value(wanted: str, value: object) -> InvalidEvent:
    return InvalidEvent(f"must be {wanted}, not {_abbreviate(value)}")


def _abbreviate(value: object) -> str:
    """A wrong value for a sentence, cut short; a nested one may be too deep to be written out."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    shown = ascii(value)
    return shown if len(shown) <= 40 else shown[:39] + "..."


def _read_int(value: object, _: Board) -> int:
    if type(value) is not int:
        raise _wrong_value("a whole number", value)
    return value


def _read_text(value: object, _: Board) -> str:
    if not isinstance(value, str):
        raise _wrong_value("a text", value)
    return value


SYMBOL_OF_NAME: Mapping[object, Symbol] = {str(symbol): symbol for symbol in Symbol}


def _read_symbol(value: object, _: Board) -> Symbol:
    if not isinstance(value, str) or value not in SYMBOL_OF_NAME:
        raise _wrong_value("a symbol", value)
    return SYMBOL_OF_NAME[value]


def _read_list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise _wrong_value("a list", value)
    return value


def _read_bag(value: object, board: Board) -> Bag:
    if type(value) is list and len(value) == 1:
        return ONE[_read_symbol(value[0], board)]
    cards = [_read_symbol(item, board) for item in _read_list(value)]
    bag = Bag.of(cards)
    if list(bag) != cards:
        raise InvalidEvent("must be in canonical order: temple, amphora, horse, lyre, soldier")
    return bag


def _read_place(value: object, board: Board) -> Space:
    if not isinstance(value, str) or value not in board.places:
        raise _wrong_value("a place on the board", value)
    return board.places[value]


def _read_point(value: object, board: Board) -> Point:
    if not isinstance(value, str) or value not in board.point_names:
        raise _wrong_value("a point on the board", value)
    return board.point_names[value]


def _read_side(value: object, board: Board) -> Side:
    if not isinstance(value, str) or value not in board.side_names:
        raise _wrong_value("a side on the board", value)
    return board.side_names[value]


def _read_places(value: object, board: Board) -> tuple[Space, ...]:
    places = tuple(_read_place(item, board) for item in _read_list(value))
    if list(places) != sorted(set(places)):
        raise InvalidEvent("must be in reading order, each place once")
    return places


def _reader_of_each(one: Callable[[object, Board], object]) -> Callable[[object, Board], object]:
    return lambda value, board: tuple([one(item, board) for item in _read_list(value)])


def _reader_of_names(
    names: Callable[[Board], Mapping[str, object]], one: Callable[[object, Board], object]
) -> Callable[[object, Board], object]:
    """Reads a list of names at once, and one by one where that fails, to tell which is wrong."""

    def read(value: object, board: Board) -> object:
        known = names(board)
        try:
            return tuple([known[name] for name in _read_list(value)])  # type: ignore[index]
        except (KeyError, TypeError):
            return tuple([one(item, board) for item in _read_list(value)])

    return read


def _reader_of_choice(texts: Collection[str]) -> Callable[[object, Board], object]:
    def read(value: object, _: Board) -> object:
        if value not in texts:
            raise _wrong_value("one of " + ", ".join(texts), value)
        return value

    return read


def _write_plain(value: object, _: Board) -> object:
    return value


def _write_texts(value: object, _: Board) -> object:
    assert isinstance(value, Iterable)
    return [str(item) for item in value]


def _write_place(value: object, board: Board) -> object:
    assert isinstance(value, Space)
    return board.names[value]


def _write_places(value: object, board: Board) -> object:
    assert isinstance(value, tuple)
    return [board.names[place] for place in value]


def _write_bags(value: object, board: Board) -> object:
    assert isinstance(value, tuple)
    return [_write_texts(bag, board) for bag in value]


def _write_list(value: object, _: Board) -> object:
    assert isinstance(value, tuple)
    return list(value)


def _read_optional_symbol(value: object, board: Board) -> Symbol | None:
    return None if value is None else _read_symbol(value, board)


SEAT = FieldCodec(_read_int, _write_plain)
INT = FieldCodec(_read_int, _write_plain)
TEXT = FieldCodec(_read_text, _write_plain)
TEXTS = FieldCodec(_reader_of_each(_read_text), _write_list)
SEATS = FieldCodec(_reader_of_each(_read_int), _write_list)
INTS = FieldCodec(_reader_of_each(_read_int), _write_list)
SYMBOL = FieldCodec(_read_symbol, _write_plain)
OPTIONAL_SYMBOL = FieldCodec(_read_optional_symbol, _write_plain)
BAG = FieldCodec(_read_bag, _write_texts)
BAGS = FieldCodec(_reader_of_each(_read_bag), _write_bags)
PLACE = FieldCodec(_read_place, _write_place)
PLACES = FieldCodec(_read_places, _write_places)
PATH = FieldCodec(_reader_of_names(lambda board: board.point_names, _read_point), _write_texts)
SIDES = FieldCodec(_reader_of_names(lambda board: board.side_names, _read_side), _write_texts)
SOURCE = FieldCodec(_reader_of_choice(("display", "hand")), _write_plain)
REASON = FieldCodec(_reader_of_choice(("points", "no march", "walls", "stalemate")), _write_plain)
EDITION = FieldCodec(_reader_of_choice(EDITIONS), _write_plain)

EVENT_FIELDS: dict[str, tuple[Callable[..., Event], dict[str, FieldCodec]]] = {
    "game_started": (
        GameStarted,
        {"board": TEXT, "edition": EDITION, "seats": TEXTS, "hands": BAGS, "display": BAG},
    ),
    "card_chosen": (CardChosen, {"seat": SEAT, "card": SYMBOL, "source": SOURCE}),
    "alexander_marched": (
        AlexanderMarched,
        {"seat": SEAT, "target": PLACE, "path": PATH, "walls": SIDES, "red": INT},
    ),
    "alexander_stayed": (AlexanderStayed, {"seat": SEAT, "card": OPTIONAL_SYMBOL}),
    "card_drawn": (CardDrawn, {"seat": SEAT, "card": SYMBOL}),
    "card_taken": (CardTaken, {"seat": SEAT, "card": SYMBOL}),
    "province_occupied": (ProvinceOccupied, {"seat": SEAT, "guards": PLACES, "paid": BAG}),
    "province_taken_over": (
        ProvinceTakenOver,
        {"seat": SEAT, "loser": SEAT, "removed": PLACES, "guards": PLACES, "paid": BAG, "given": BAG},
    ),
    "taxes_levied": (TaxesLevied, {"seat": SEAT, "card": SYMBOL, "gains": INTS}),
    "guard_recalled": (GuardRecalled, {"seat": SEAT, "place": PLACE}),
    "turn_ended": (TurnEnded, {"seat": SEAT}),
    "card_opened": (CardOpened, {"card": SYMBOL}),
    "supply_renewed": (SupplyRenewed, {}),
    "game_ended": (GameEnded, {"reason": REASON, "winners": SEATS}),
    "game_closed": (GameClosed, {"winners": SEATS}),
    "turn_skipped": (TurnSkipped, {"seat": SEAT}),
}
"""Every event of the log: its class, and its fields in the order of the class."""
EVENT_NAMES: Mapping[object, str] = {shape[0]: name for name, shape in EVENT_FIELDS.items()}


def event_name(kind: type[Event]) -> str:
    """The name of a kind of event in the log."""
    return EVENT_NAMES[kind]


def encode(event: Event, board: Board) -> dict[str, object]:
    """An event as JSON, without `meta`."""
    name = EVENT_NAMES[type(event)]
    data: dict[str, object] = {"type": name}
    if isinstance(event, GameStarted):
        data["ruleset"] = RULESET
    for key, kind in EVENT_FIELDS[name][1].items():
        data[key] = kind.write(getattr(event, key), board)
    return data


def decode(data: object, board: Board) -> Event:
    """The event that a JSON object of the log tells of.

    Checks every field's type and that places, points, sides and symbols exist, not whether it is legal.
    Raises `InvalidEvent`.
    """
    if not isinstance(data, dict):
        raise InvalidEvent("an event must be a JSON object")
    name = data.get("type")
    if not isinstance(name, str) or name not in EVENT_FIELDS:
        raise InvalidEvent(f"unknown event type {_abbreviate(name)}")
    make, fields = EVENT_FIELDS[name]
    values = []
    try:
        for key, kind in fields.items():
            values.append(kind.read(data[key], board))
    except KeyError:
        raise InvalidEvent(f"{name} lacks the field {key}") from None
    except InvalidEvent as error:
        raise InvalidEvent(f"{name}: {key} {error}") from None
    if make is GameStarted:
        _check_ruleset(data)
    if len(data) > len(fields) + 1:
        _check_keys(name, data, fields)
    return make(*values)


def _check_ruleset(data: dict[str, object]) -> None:
    if type(data.get("ruleset")) is not int or data["ruleset"] != RULESET:
        raise InvalidEvent(f"game_started: ruleset must be {RULESET}")


def _check_keys(name: str, data: dict[str, object], fields: dict[str, FieldCodec]) -> None:
    allowed = {"type", "meta", *fields, *(["ruleset"] if name == "game_started" else [])}
    for key in data:
        if key not in allowed:
            raise InvalidEvent(f"{name} has the unknown field {_abbreviate(key)}")
