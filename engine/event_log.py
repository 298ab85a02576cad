"""Events and positions as JSON; logs with one event on each line: their validation and their hash chain.

The hash chain yields "heads": short codes in letters to players, which verify a log after its game. A digest
does not cover names and texts, so that these personal data can be erased from the log. A head needs a secret
key, which the server adds to the log when the game is over. Without the key, a guess of hidden cards cannot
be tested against a head.

    digest of line 0  SHA-256 over "alexandros log 1", a line feed and the id of the game
    digest of line n  SHA-256 over the digest of line n-1 and the canonical text of line n
    head after n      n, a hyphen and the first 20 characters of HMAC-SHA256(key, digest of line n) in base32
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b32encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Illegal,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.board import Board, Point, Side, Space
from engine.cards import ONE, Bag, Chance, Symbol
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
from engine.evolve import evolve, start
from engine.notation.orders import write
from engine.position import Phase, Position, Table, view
from engine.provinces import provinces
from engine.rules import DueEvent, close_game, due, ends_with_turn, legal, perform, perform_due

RULESET = 1
"""The version of the log format."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldKind:
    """A kind of value in the log; the errors of `read` do not name the field."""

    read: Callable[[object, Board], object]


def _wrong_value(wanted: str, value: object) -> InvalidEvent:
    return InvalidEvent(f"must be {wanted}, not {_abbreviate(value)}")


def _abbreviate(value: object) -> str:
    """Format a wrong value for a message: shortened; lists and objects only by their type."""
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


Named = TypeVar("Named")


def _reader_of_name(
    wanted: str, names: Callable[[Board], Mapping[str, Named]]
) -> Callable[[object, Board], Named]:
    def read(value: object, board: Board) -> Named:
        known = names(board)
        if not isinstance(value, str) or value not in known:
            raise _wrong_value(wanted, value)
        return known[value]

    return read


SYMBOL_OF_NAME = {str(symbol): symbol for symbol in Symbol}
_read_symbol = _reader_of_name("a symbol", lambda _: SYMBOL_OF_NAME)
_read_place = _reader_of_name("a place on the board", lambda board: board.places)


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


def _read_places(value: object, board: Board) -> tuple[Space, ...]:
    places = tuple(_read_place(item, board) for item in _read_list(value))
    if list(places) != sorted(set(places)):
        raise InvalidEvent("must be in reading order, each place once")
    return places


def _reader_of_each(one: Callable[[object, Board], object]) -> Callable[[object, Board], object]:
    return lambda value, board: tuple([one(item, board) for item in _read_list(value)])


def _reader_of_names(
    wanted: str, names: Callable[[Board], Mapping[str, object]]
) -> Callable[[object, Board], object]:
    one = _reader_of_name(wanted, names)

    def read(value: object, board: Board) -> object:
        known = names(board)
        try:
            return tuple([known[name] for name in _read_list(value)])  # type: ignore[index]
        except (KeyError, TypeError):  # `one` raises an exact error
            return tuple([one(item, board) for item in _read_list(value)])

    return read


def _reader_of_choice(texts: Collection[str]) -> Callable[[object, Board], object]:
    def read(value: object, _: Board) -> object:
        if not isinstance(value, str) or value not in texts:
            raise _wrong_value("one of " + ", ".join(texts), value)
        return value

    return read


def _write_value(value: object, board: Board) -> object:
    match value:
        case Space():
            return board.names[value]
        case Point() | Side():
            return str(value)
        case Bag() | tuple():
            return [_write_value(item, board) for item in value]
        case _:
            return value


SEAT = FieldKind(_read_int)
INT = FieldKind(_read_int)
TEXT = FieldKind(_read_text)
TEXTS = FieldKind(_reader_of_each(_read_text))
SEATS = FieldKind(_reader_of_each(_read_int))
INTS = FieldKind(_reader_of_each(_read_int))
SYMBOL = FieldKind(_read_symbol)
OPTIONAL_SYMBOL = FieldKind(lambda value, board: None if value is None else _read_symbol(value, board))
BAG = FieldKind(_read_bag)
BAGS = FieldKind(_reader_of_each(_read_bag))
PLACE = FieldKind(_read_place)
PLACES = FieldKind(_read_places)
PATH = FieldKind(_reader_of_names("a point on the board", lambda board: board.point_names))
SIDES = FieldKind(_reader_of_names("a side on the board", lambda board: board.side_names))
SOURCE = FieldKind(_reader_of_choice(("display", "hand")))
REASON = FieldKind(_reader_of_choice(("points", "no march", "walls", "stalemate")))
EDITION = FieldKind(_reader_of_choice(EDITIONS))

EVENT_FIELDS: dict[str, tuple[Callable[..., Event], dict[str, FieldKind]]] = {
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
"""For each event name in the log its class and its fields, in the order of the class."""
EVENT_NAMES: Mapping[object, str] = {shape[0]: name for name, shape in EVENT_FIELDS.items()}


def encode(event: Event, board: Board) -> dict[str, object]:
    """Return an event as a JSON object, without the metadata that a log adds (`meta`)."""
    name = EVENT_NAMES[type(event)]
    data: dict[str, object] = {"type": name}
    if isinstance(event, GameStarted):
        data["ruleset"] = RULESET
    for key in EVENT_FIELDS[name][1]:
        data[key] = _write_value(getattr(event, key), board)
    return data


def decode(data: object, board: Board) -> Event:
    """Parse an event of the log; raises `InvalidEvent`.

    Checks the type of each field, and that spaces, points, sides and symbols exist, but not the rules.
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
    if make is GameStarted and (type(data.get("ruleset")) is not int or data["ruleset"] != RULESET):
        raise InvalidEvent(f"game_started: ruleset must be {RULESET}")
    if len(data) > len(fields) + 1:
        allowed = {"type", "meta", *fields, *(["ruleset"] if name == "game_started" else [])}
        for key in data:
            if key not in allowed:
                raise InvalidEvent(f"{name} has the unknown field {_abbreviate(key)}")
    return make(*values)


def check(position: Position, event: Event) -> None:
    """Check that an event is possible after `position`.

    Raises `InvalidEvent`, or `Illegal` for an action against the rules.
    """
    kind = due(position)
    if kind is not None:
        _check_due(position, event, kind)
        return
    table = position.table
    if table.over:
        raise InvalidEvent("the game is over (rule 7)")
    if isinstance(event, GameClosed):
        if event != close_game(table):
            raise InvalidEvent(_describe_mismatch(event, close_game(table)))
        return
    if isinstance(event, TurnSkipped):
        _check_seat(table, event.seat)
        if table.phase is not Phase.CARD:
            raise InvalidEvent("a turn that has begun is not skipped (rule 3.1)")
        return
    make = ACTIONS.get(type(event))
    if make is None:
        action = _judge_unchosen(table, event)
    else:
        _check_seat(table, event.seat)  # type: ignore[union-attr]  # whatever is chosen has one
        action = make(event)
    chance = _recorded_card(position, event, "5.1") if isinstance(event, CardDrawn) else _no_chance
    expected = perform(position, action, chance)
    if expected != event:
        raise InvalidEvent(_describe_mismatch(event, expected))


def _judge_unchosen(table: Table, event: Event) -> Action:
    match event:
        case GameStarted():
            raise InvalidEvent("the game has started already (rule 2.2)")
        case GameEnded():
            if table.phase is not Phase.ACTIONS or not ends_with_turn(table):
                raise InvalidEvent("the game cannot end here (rule 7)")
            return End()
    rule = "5.3" if isinstance(event, SupplyRenewed) else "4.1"
    raise InvalidEvent(f"this event is not due here (rule {rule})")


def _check_seat(table: Table, seat: int) -> None:
    if seat != table.seat:
        raise InvalidEvent(f"it is the turn of seat {table.seat}, not of seat {seat} (rule 3.1)")


def _check_due(position: Position, event: Event, kind: DueEvent) -> None:
    if type(event) is not kind:
        raise InvalidEvent(f"another event is due here (rule {RULE_OF_DUE[kind]})")
    chance = _recorded_card(position, event, "4.1") if isinstance(event, CardOpened) else _no_chance
    expected = perform_due(position, kind, chance)
    if expected != event:
        raise InvalidEvent(_describe_mismatch(event, expected))


def _recorded_card(position: Position, event: CardDrawn | CardOpened, rule: str) -> Chance:
    """Return a `Chance` that picks the recorded card; raises `InvalidEvent` if the supply lacks it."""
    if event.card not in position.supply:
        raise InvalidEvent(f"there is no {event.card} in the supply (rule {rule})")
    return lambda _: event.card


def _no_chance(_: Bag) -> Symbol:
    raise AssertionError("no card comes from the supply here")


RULE_OF_DUE: dict[DueEvent, str] = {
    GameEnded: "7",
    SupplyRenewed: "5.3",
    CardOpened: "4.1",
    TurnEnded: "3.3",
}
"""The number of the rule that requires each automatic event."""

RULE_OF: dict[type[Event], str] = {
    CardChosen: "4.1",
    AlexanderMarched: "4.6",
    AlexanderStayed: "4.9",
    CardDrawn: "5.1",
    CardTaken: "5.1",
    ProvinceOccupied: "5.6",
    ProvinceTakenOver: "5.9",
    TaxesLevied: "5.12",
    GuardRecalled: "5.13",
    TurnEnded: "3.3",
    GameEnded: "7.3",
    GameClosed: "7.3",
    TurnSkipped: "3.1",
}
"""For each event that an action causes, the number of the rule that allows the action."""


def _describe_mismatch(event: Event, expected: Event | None) -> str:
    rule = RULE_OF[type(event)]
    if type(event) is not type(expected):
        return f"something else happens here (rule {rule})"
    wrong = [name for name in event.__slots__ if getattr(event, name) != getattr(expected, name)]
    return f"{' and '.join(wrong)} should be otherwise (rule {rule})"


ACTIONS: Mapping[type[Event], Callable[[Any], Action]] = {
    CardChosen: lambda event: (Choose if event.source == "display" else Play)(event.card),
    AlexanderMarched: lambda event: March(event.target, event.path),
    AlexanderStayed: lambda event: Stay(event.card),
    CardDrawn: lambda _: Draw(),
    CardTaken: lambda event: Take(event.card),
    ProvinceOccupied: lambda event: Occupy(event.guards),
    ProvinceTakenOver: lambda event: TakeOver(event.guards, event.given),
    TaxesLevied: lambda event: Levy(event.card),
    GuardRecalled: lambda event: Recall(event.place),
    TurnEnded: lambda _: End(),
}
"""For each event that a player causes, a function that returns the action."""


def action_of(event: Event) -> Action:
    """Return the action that causes an event; raises `InvalidEvent` if no player causes it."""
    make = ACTIONS.get(type(event))
    if make is None:
        raise InvalidEvent("no player chooses this event")
    return make(event)


class InvalidLog(ValueError):
    """An impossible log; the message gives the number of the event, from 1, and the reason."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"event {number}: {reason}")
        self.number = number


def check_log(
    lines: Iterable[bytes], boards: Mapping[str, Board], board: Board | None = None
) -> Iterator[tuple[Event, Position]]:
    """Yield each event of a log with the position after it, checked against the rules.

    `boards` are the boards that a log can name; `board`, if given, replaces them. Raises `InvalidLog` at the
    first impossible event.
    """
    position: Position | None = None
    for number, line in enumerate(lines, start=1):
        try:
            data = parse(line)
            if position is None:
                board = board or _named_board(data, boards)
                event = decode(data, board)
                position = start(board, check_start(event))
            else:
                event = decode(data, position.table.board)
                check(position, event)
                position = evolve(position, event)
        except (InvalidEvent, Illegal) as error:
            raise InvalidLog(number, str(error)) from None
        yield event, position
    if position is None:
        raise InvalidLog(1, "the log is empty (rule 2.2)")


def parse(line: bytes) -> object:
    """Parse one line as JSON; raises `InvalidEvent`."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InvalidEvent("bad JSON: each line must be one JSON object") from None


def _refuse_constant(name: str) -> object:
    """Refuse NaN and infinity, which Python accepts but JSON does not allow (RFC 8259, section 6)."""
    raise ValueError(name)


def _named_board(data: object, boards: Mapping[str, Board]) -> Board:
    name = data.get("board") if isinstance(data, dict) and data.get("type") == "game_started" else None
    if isinstance(name, str):
        if name not in boards:
            raise InvalidEvent(f"there is no board called {name[:40]!a}")
        return boards[name]
    return next(iter(boards.values()))  # `decode` reports the error


def check_start(event: Event) -> GameStarted:
    """Check the first event of a log (2.2); raises `InvalidEvent`."""
    if not isinstance(event, GameStarted):
        raise InvalidEvent("the first event must be game_started (rule 2.2)")
    if not 2 <= len(event.seats) <= 4:
        raise InvalidEvent("a game has 2 to 4 seats (rule 1.2)")
    if len(event.hands) != len(event.seats) or any(len(hand) != 1 for hand in event.hands):
        raise InvalidEvent("each seat is dealt one card (rule 2.2)")
    if len(event.display) != 2:
        raise InvalidEvent("two cards are turned face up (rule 2.2)")
    return event


def describe_table(table: Table) -> dict[str, object]:
    """Return what all players see of a position as a JSON object."""
    board = table.board
    return {
        "phase": str(table.phase),
        "turn": table.turn,
        "seat": table.seat,
        "actions_left": table.actions_left,
        "levied": table.levied,
        "last_turn": table.last_turn,
        "idle": table.idle,
        "chosen": table.chosen,
        "alexander": str(table.alexander),
        "black": table.black,
        "red": table.red,
        "walls": [str(edge) for edge in sorted(table.walls)],
        "display": list(table.display),
        "discard": list(table.discard),
        "scores": list(table.scores),
        "guards": [[board.names[place] for place in places] for places in table.guards],
        "provinces": [
            {
                "first": str(province.first),
                "spaces": len(province.spaces),
                "value": province.value,
                "places": [board.names[place] for place in province.places],
                "holder": province.holder,
            }
            for province in provinces(table)
        ],
        "winners": None if table.winners is None else list(table.winners),
    }


KEYS = """
    phase turn seat actions_left levied last_turn idle chosen due alexander black red walls
    display supply discard hands scores guards provinces winners
    """.split()
"""Keys of a described position, in the order in which `replay` prints them."""


def describe(position: Position, *, with_legal: bool = False) -> dict[str, object]:
    """Return a position as a JSON object for the command `replay`; `with_legal` adds the legal actions."""
    table, next_due = position.table, due(position)
    found = describe_table(table) | {
        "due": None if next_due is None else EVENT_NAMES[next_due],
        "supply": list(position.supply),
        "hands": [list(hand) for hand in position.hands],
    }
    described = {key: found[key] for key in KEYS}
    if with_legal:
        actions = legal(view(position, table.seat)) if next_due is None else ()
        described["legal"] = sorted(write(action, table.board) for action in actions)
    return described


# --- the hash chain --------------------------------------------------------------------------------------

HEAD = re.compile(r"([1-9][0-9]{0,8})-([a-z2-7]{20})", re.ASCII)
HEAD_LETTERS = 20
"""Number of base32 characters in a head: 100 bits, enough to exclude collisions."""
KEY_BYTES = 16
COVERED_META = ("at", "door", "seat")
END_TYPES = ("game_ended", "game_closed")
PROOF = "proof"
"""Field of `meta` in the first line of a finished log; contains the game's id and its secret key."""


class NoProof(ValueError):
    """An unusable log, for which no head can be computed; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class ChainLink:
    lines: int
    digest: bytes

    def append(self, fact: Mapping[str, object]) -> ChainLink:
        """Add a line; its digest covers time, channel, seat, and the event without names."""
        meta, seats = fact.get("meta"), fact.get("seats")
        covered = (
            {name: meta[name] for name in COVERED_META if name in meta} if isinstance(meta, dict) else {}
        )
        told = {name: value for name, value in fact.items() if name != "meta"}
        if isinstance(seats, list):
            told["seats"] = len(seats)
        text = json.dumps([told, covered], sort_keys=True, separators=(",", ":"))
        return ChainLink(self.lines + 1, sha256(self.digest + text.encode()).digest())

    def extend(self, facts: Iterable[Mapping[str, object]]) -> ChainLink:
        link = self
        for fact in facts:
            link = link.append(fact)
        return link

    def head(self, key: str) -> str:
        """Return the head after this line: its number and a keyed code of its digest; `key` is hex."""
        code = hmac.digest(bytes.fromhex(key), self.digest, "sha256")
        return f"{self.lines}-{b32encode(code).decode().lower()[:HEAD_LETTERS]}"


def begin_chain(game: str) -> ChainLink:
    return ChainLink(0, sha256(f"alexandros log 1\n{game}".encode()).digest())


@dataclass(frozen=True, slots=True)
class ProvenLog:
    """The log of a finished game, its key, and the chain link of each line."""

    key: str
    links: tuple[ChainLink, ...]
    is_ended: bool
    """False if the log is cut off before the end of its game."""

    def find_fault(self, head: str) -> str | None:
        """Return the reason why a head does not match this log; None if it matches."""
        told = HEAD.fullmatch(head.strip().lower())
        if told is None:
            return "that is not a head: a number, a hyphen and 20 letters, copied from a letter of the game"
        number = int(told[1])
        if number > len(self.links):
            return f"the log has {len(self.links)} lines, but the head is of line {number}"
        if self.links[number - 1].head(self.key) != told[0]:
            return f"the first {number} lines differ from the log of which this is the head"
        return None


def read_proven_log(lines: Iterable[bytes]) -> ProvenLog:
    """Read a finished log and compute its chain; raises `NoProof`."""
    facts: list[Mapping[str, object]] = []
    for number, line in enumerate(lines, 1):
        try:
            fact = parse(line)
        except InvalidEvent as error:
            raise NoProof(f"event {number}: {error}") from None
        if not isinstance(fact, dict):
            raise NoProof(f"event {number}: each line must be one JSON object")
        facts.append(fact)
    game, key = _find_proof(facts)
    links = [begin_chain(game)]
    for fact in facts:
        links.append(links[-1].append(fact))
    return ProvenLog(key, tuple(links[1:]), facts[-1].get("type") in END_TYPES)


def _find_proof(facts: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    meta = facts[0].get("meta") if facts else None
    proof = meta.get(PROOF) if isinstance(meta, dict) else None
    if not isinstance(proof, dict):
        raise NoProof("the log has no key: the server adds it to the log of a finished game")
    game, key = proof.get("game"), proof.get("key")
    if not isinstance(game, str) or not isinstance(key, str) or not re.fullmatch(r"[0-9a-f]{32}", key):
        raise NoProof("the key of the log is damaged")
    return game, key
