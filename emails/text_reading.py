"""The position in words read back, so that nobody need doubt that a plain letter says all there is.

The inverse of `text.board_text`: `read_text(board_text(view), board) == view`. Nothing is taken on trust: a
text is one only if `board_text` would say the same of what was read, so its provinces, gains and colours must
agree with its walls and guards too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import NoReturn, assert_never

from emails.palette import SEAT_WORDS, plain_name
from emails.text import board_text
from engine.board import Board
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from engine.editions import EDITIONS, Edition
from engine.events import Reason
from engine.lattice import Point, Side, Space, side
from engine.position import Phase, Table, View

NUMBER = re.compile(r"[0-9]{1,6}")
PHASES = {
    Phase.CARD: re.compile("a card is to be chosen"),
    Phase.MARCH: re.compile("Alexander is to march with the (.*)"),
    Phase.ACTIONS: re.compile("([0-9]+) actions? left"),
    Phase.OVER: re.compile(r"the game is over \((.*)\)"),
}
"""What the first item of the phase says of each, with the one thing that differs."""
REASONS: tuple[Reason, ...] = ("points", "no march", "walls", "stalemate")
STIRRED = {"this turn had one", "the final turn had one"}
LABELS = "Numbered corners"

Said = Mapping[str, Sequence[str]]
"""Each key of the text with its items."""


def read_text(text: str, board: Board) -> View:
    """The view that `board_text` wrote as this text, with the names as it showed them.

    Lines may be broken between any two items, and blank at the end; numbered corners are passed over. Raises
    `ValueError` with a sentence for a text that is none, or none of this board.
    """
    facts = _facts(text)
    said = dict(facts)
    named = ", ".join(_items(said, "Board"))
    if named != plain_name(board.name):
        _refuse(f"it is of the board “{_short(named)}”, not of “{plain_name(board.name)}”")
    view = _view(said, board)
    again = _facts(board_text(view))
    for found, due in zip_longest(facts, again):
        if found != due:
            _refuse(f"where it says “{_shown(found)}”, all else in it means “{_shown(due)}”")
    return view


Fact = tuple[str, Sequence[str]]


def _facts(text: str) -> list[Fact]:
    """The facts in their order, without the numbered corners, which are of another page."""
    facts: list[Fact] = []
    lines = unicodedata.normalize("NFC", text).strip().split("\n")
    for line in "\n".join(line.rstrip() for line in lines).replace("\n  ", " ").split("\n"):
        key, parted, items = line.partition(": ")
        if not parted:
            _refuse(f"the line “{_short(line)}” is no fact with a key")
        facts.append((key, items.split(", ")))
    return facts[:-1] if facts[-1][0] == LABELS else facts


def _shown(fact: Fact | None) -> str:
    return _short(f"{fact[0]}: {', '.join(fact[1])}") if fact else "nothing"


def _short(line: str) -> str:
    return plain_name(line, 120)


def _refuse(why: str) -> NoReturn:
    raise ValueError(f"the text is no position: {why}")


def _items(said: Said, key: str, least: int = 1) -> Sequence[str]:
    """The items of a key, of which there are at least so many."""
    if key not in said:
        _refuse(f"there is no line “{key}”")
    if len(said[key]) < least:
        _refuse(f"the line “{key}” is too short")
    return said[key]


def _number(item: str) -> int:
    """The number in an item, such as 3 in `3 points`."""
    found = NUMBER.search(item)
    return int(found.group()) if found else _refuse(f"“{_short(item)}” has no number")


# --- who is who -----------------------------------------------------------------------------------------


def _view(said: Said, board: Board) -> View:
    seats = [_items(said, f"Seat {seat + 1}", 6) for seat in range(_many(said))]
    people = {f"{items[0]} (seat {seat})": seat - 1 for seat, items in enumerate(seats, 1)}
    (you, *_) = _items(said, "You")
    me = None if you == "a spectator" else _seat(you, people)
    return View(
        table=_table(said, board, seats, people),
        me=me,
        hand=EMPTY if me is None else _bag(said, "Your hand"),
        hand_sizes=tuple(_number(items[3]) for items in seats),
        supply_size=_number(_items(said, "Supply")[0]),
    )


def _many(said: Said) -> int:
    """How many seats there are."""
    return next(
        (seat for seat in range(1, len(SEAT_WORDS)) if f"Seat {seat + 1}" not in said), len(SEAT_WORDS)
    )


def _seat(item: str, people: Mapping[str, int]) -> int:
    return people[item] if item in people else _refuse(f"nobody in it is “{_short(item)}”")


# --- what stands on the table ---------------------------------------------------------------------------


def _table(said: Said, board: Board, seats: Sequence[Sequence[str]], people: Mapping[str, int]) -> Table:
    turn, mover = _items(said, "Turn", 2)[:2]
    black, red = _items(said, "Walls left", 2)[:2]
    idle = _items(said, "Turns without a wall or a point")
    stage = _stage(_items(said, "Phase"))
    over = stage.phase is Phase.OVER
    return Table(
        board=board,
        edition=_edition(said),
        names=tuple(items[0] for items in seats),
        phase=stage.phase,
        turn=_number(turn),
        seat=_seat(mover.removeprefix("of "), people),
        actions_left=stage.actions_left,
        levied=stage.levied or "Taxes" in said,
        stirred=not STIRRED.isdisjoint(idle),
        last_turn="Last turn" in said,
        idle=_number(idle[0]),
        chosen=stage.chosen,
        alexander=_point(_items(said, "Alexander")[0].removeprefix("on "), board),
        black=_number(black),
        red=_number(red),
        walls=_walls(_items(said, "Walls"), board),
        display=_bag(said, "Display"),
        discard=_bag(said, "Discard pile"),
        scores=tuple(_number(items[2]) for items in seats),
        guards=tuple(_guards(_items(said, f"Guards of seat {seat + 1}"), board) for seat in people.values()),
        reason=stage.reason,
        winners=tuple(_seat(item, people) for item in _items(said, "Winners")) if over else None,
    )


@dataclass(frozen=True, slots=True)
class Stage:
    """What the line of the phase says."""

    phase: Phase
    actions_left: int = 0
    levied: bool = False
    chosen: Symbol | None = None
    reason: Reason | None = None


def _stage(items: Sequence[str]) -> Stage:
    first, *others = items
    for phase, wording in PHASES.items():
        found = wording.fullmatch(first)
        if not found:
            continue
        match phase:
            case Phase.CARD:
                return Stage(phase)
            case Phase.MARCH:
                return Stage(phase, chosen=_symbol(found[1]))
            case Phase.ACTIONS:
                levied = others == ["taxes were levied this turn"]
                return Stage(phase, actions_left=_number(found[1]), levied=levied)
            case Phase.OVER:
                return Stage(phase, reason=_reason(found[1]))
            case _:
                assert_never(phase)
    _refuse(f"“{_short(first)}” is no phase")


def _reason(word: str) -> Reason:
    found = [reason for reason in REASONS if reason == word]
    return found[0] if found else _refuse(f"“{_short(word)}” is no reason to end a game")


def _edition(said: Said) -> Edition:
    (name, *_) = _items(said, "Edition")
    return EDITIONS[name] if name in EDITIONS else _refuse(f"“{_short(name)}” is no edition")


def _symbol(word: str) -> Symbol:
    found = [symbol for symbol in SYMBOLS if symbol == word]
    return found[0] if found else _refuse(f"“{_short(word)}” is no symbol")


def _bag(said: Said, key: str) -> Bag:
    """The cards of a line such as `2 horse, 1 lyre`."""
    items = _items(said, key)
    counts = dict.fromkeys(SYMBOLS, 0)
    for item in items if list(items) != ["none"] else ():
        counts[_symbol(item.partition(" ")[2])] += _number(item)
    temple, amphora, horse, lyre, soldier = counts.values()
    return Bag((temple, amphora, horse, lyre, soldier))


def _point(name: str, board: Board) -> Point:
    known = board.point_names
    return known[name] if name in known else _refuse(f"“{_short(name)}” is no point of the board")


def _walls(rows: Sequence[str], board: Board) -> frozenset[Side]:
    """The sides along rows of points such as `A1-A3-B4`."""
    walls: set[Side] = set()
    for row in rows if list(rows) != ["none"] else ():
        for one, other in pairwise([_point(name, board) for name in row.split("-")]):
            edge = side(one, other)
            if edge not in board.spaces_on:
                _refuse(f"there is no side {edge}")
            walls.add(edge)
    return frozenset(walls)


def _guards(items: Sequence[str], board: Board) -> tuple[Space, ...]:
    """The places of guards such as `horse Larissa BC4 in AB2 worth 7`."""
    places = []
    for item in items if list(items) != ["none on the board"] else ():
        (_, name, *_) = (*item.split(" "), "")
        if name not in board.places:
            _refuse(f"“{_short(item)}” is no place of a guard")
        places.append(board.places[name])
    return tuple(places)
