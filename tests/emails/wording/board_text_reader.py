"""The position in words read back, so that nobody need doubt that a plain letter says all there is.

The inverse of `text.board_text`, whatever language is spoken: `read_text(board_text(view), board) == view`.
Nothing is taken on trust: a text is one only if `board_text` would say the same of what was read, so its
provinces, gains and colours must agree with its walls and guards too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import NoReturn

from emails.i18n import gettext
from emails.picture.palette import SEAT_LOOKS, clean_name
from emails.wording import board_text as written
from emails.wording import phrases
from engine.board import Board, Point, Side, Space, side
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from engine.editions import EDITIONS, Edition
from engine.events import EndReason
from engine.position import Phase, Table, View

NUMBER = re.compile(r"[0-9]{1,6}")

Said = Mapping[str, Sequence[str]]
"""Each key of the text with its items."""


def _plain(sentence: str, **values: object) -> str:
    return sentence % values


def read_text(text: str, board: Board) -> View:
    """The view that `board_text` wrote as this text, with the names as it showed them.

    Lines may be broken between any two items, and blank at the end; numbered corners are passed over. Raises
    `ValueError` with a sentence for a text that is none, or none of this board, or in another language than
    the one spoken.
    """
    facts = _facts(text)
    said = dict(facts)
    named = ", ".join(_items(said, gettext("Board")))
    if named != clean_name(board.name):
        wanted = clean_name(board.name)
        _refuse(
            _plain("it is of the board “%(name)s”, not of “%(wanted)s”", name=_short(named), wanted=wanted)
        )
    view = _view(said, board)
    again = _facts(written.describe_board(view))
    for found, due in zip_longest(facts, again):
        if found != due:
            words = {"found": _shown(found), "due": _shown(due)}
            _refuse(_plain("where it says “%(found)s”, all else in it means “%(due)s”", **words))
    return view


Fact = tuple[str, Sequence[str]]


def _facts(text: str) -> list[Fact]:
    """The facts in their order, without the numbered corners, which are of another page."""
    facts: list[Fact] = []
    lines = unicodedata.normalize("NFC", text).strip().split("\n")
    for line in "\n".join(line.rstrip() for line in lines).replace("\n  ", " ").split("\n"):
        key, parted, items = line.partition(": ")
        if not parted:
            _refuse(_plain("the line “%(line)s” is no fact with a key", line=_short(line)))
        if facts and facts[-1][0] == key == gettext("Walls"):  # they have a key on each line
            items = f"{', '.join(facts.pop()[1])}, {items}"
        facts.append((key, items.split(", ")))
    return facts[:-1] if facts[-1][0] == gettext("Numbered corners") else facts


def _shown(fact: Fact | None) -> str:
    return _short(f"{fact[0]}: {', '.join(fact[1])}") if fact else "nothing"


def _short(line: str) -> str:
    return clean_name(line, 120)


def _refuse(why: str) -> NoReturn:
    raise ValueError(_plain("the text is no position: %(why)s", why=why))


def _items(said: Said, key: str, least: int = 1) -> Sequence[str]:
    """The items of a key, of which there are at least so many."""
    if key not in said:
        _refuse(_plain("there is no line “%(key)s”", key=key))
    if len(said[key]) < least:
        _refuse(_plain("the line “%(key)s” is too short", key=key))
    return said[key]


def _number(item: str) -> int:
    """The number in an item, such as 3 in `3 points`."""
    found = NUMBER.search(item)
    return int(found.group()) if found else _refuse(_plain("“%(words)s” has no number", words=_short(item)))


# --- who is who -----------------------------------------------------------------------------------------


def _view(said: Said, board: Board) -> View:
    seats = [_items(said, _seat_key(seat), 6) for seat in range(_many(said))]
    people = {written.player_item(items[0], seat): seat for seat, items in enumerate(seats)}
    (you, *_) = _items(said, gettext("You"))
    me = None if you == gettext("a spectator") else _seat(you, people)
    return View(
        table=_table(said, board, seats, people),
        me=me,
        hand=EMPTY if me is None else _bag(said, gettext("Your hand")),
        hand_sizes=tuple(_number(items[3]) for items in seats),
        supply_size=_number(_items(said, gettext("Supply"))[0]),
    )


def _seat_key(seat: int) -> str:
    return gettext("Seat %(number)s", number=seat + 1)


def _many(said: Said) -> int:
    """How many seats there are."""
    most = len(SEAT_LOOKS)
    return next((seat for seat in range(1, most) if _seat_key(seat) not in said), most)


def _seat(item: str, people: Mapping[str, int]) -> int:
    if item not in people:
        _refuse(_plain("nobody in it is “%(words)s”", words=_short(item)))
    return people[item]


# --- what stands on the table ---------------------------------------------------------------------------


def _table(said: Said, board: Board, seats: Sequence[Sequence[str]], people: Mapping[str, int]) -> Table:
    turn, mover = _items(said, gettext("Turn"), 2)[:2]
    black, red = _items(said, gettext("Walls left"), 2)[:2]
    idle = _items(said, gettext("Turns without a wall or a point"))
    edition = _edition(said)
    stage = _stage(_items(said, gettext("Phase")), edition)
    over = stage.phase is Phase.OVER
    movers = {written.turn_item(person): seat for person, seat in people.items()}
    return Table(
        board=board,
        edition=edition,
        names=tuple(items[0] for items in seats),
        phase=stage.phase,
        turn=_number(turn),
        seat=_seat(mover, movers),
        actions_left=stage.actions_left,
        levied=stage.levied or gettext("Final turn") in said,
        stirred=gettext("this turn had one") in idle or gettext("the final turn had one") in idle,
        last_turn=gettext("Last turn") in said,
        idle=_number(idle[0]),
        chosen=stage.chosen,
        alexander=_alexander(_items(said, gettext("Alexander"))[0], board),
        black=_number(black),
        red=_number(red),
        walled=board.grid.mask_sides(_walls(_items(said, gettext("Walls")), board)),
        display=_bag(said, gettext("Display")),
        discard=_bag(said, gettext("Discard pile")),
        scores=tuple(_number(items[2]) for items in seats),
        standing=tuple(board.grid.mask_spaces(_guards(said, seat, board)) for seat in people.values()),
        reason=stage.reason,
        winners=tuple(_seat(item, people) for item in _items(said, gettext("Winners"))) if over else None,
    )


@dataclass(frozen=True, slots=True)
class Stage:
    """What the line of the phase says."""

    phase: Phase
    actions_left: int = 0
    levied: bool = False
    chosen: Symbol | None = None
    reason: EndReason | None = None


def _stage(items: Sequence[str], edition: Edition) -> Stage:
    first, *others = items
    known = _stages(edition)
    if first not in known:
        _refuse(_plain("“%(words)s” is no phase", words=_short(first)))
    return replace(known[first], levied=others == [gettext("taxes were levied this turn")])


def _stages(edition: Edition) -> dict[str, Stage]:
    """Each first item that a phase can have, with what it says."""
    found = {written.card_phase_item(): Stage(Phase.CARD)}
    found |= {written.march_phase_item(card): Stage(Phase.MARCH, chosen=card) for card in SYMBOLS}
    found |= {
        written.actions_phase_item(left): Stage(Phase.ACTIONS, left)
        for left in range(edition.actions_per_turn + 1)
    }
    return found | {
        written.over_phase_item(why): Stage(Phase.OVER, reason=why) for why in written.REASON_ITEMS
    }


def _edition(said: Said) -> Edition:
    (name, *_) = _items(said, gettext("Edition"))
    if name not in EDITIONS:
        _refuse(_plain("“%(words)s” is no edition", words=_short(name)))
    return EDITIONS[name]


def _bag(said: Said, key: str) -> Bag:
    """The cards of a line such as `2 horses, 1 lyre`."""
    items, counts = _items(said, key), dict.fromkeys(SYMBOLS, 0)
    for item in items if list(items) != [gettext("none")] else ():
        number = _number(item)
        known = [symbol for symbol in SYMBOLS if phrases.format_symbol_count(symbol, number) == item]
        if not known:
            _refuse(_plain("“%(words)s” are no cards", words=_short(item)))
        counts[known[0]] += number
    temple, amphora, horse, lyre, soldier = counts.values()
    return Bag((temple, amphora, horse, lyre, soldier))


def _alexander(item: str, board: Board) -> Point:
    found = [point for point in board.steps if written.alexander_item(point) == item]
    return found[0] if found else _no_point(item)


def _point(name: str, board: Board) -> Point:
    known = board.point_names
    return known[name] if name in known else _no_point(name)


def _no_point(words: str) -> NoReturn:
    _refuse(_plain("“%(words)s” is no point of the board", words=_short(words)))


def _walls(rows: Sequence[str], board: Board) -> frozenset[Side]:
    """The sides along rows of points such as `A1-A3-B4`."""
    walls: set[Side] = set()
    for row in rows if list(rows) != [gettext("none")] else ():
        for one, other in pairwise([_point(name, board) for name in row.split("-")]):
            edge = side(one, other)
            if edge not in board.spaces_on:
                _refuse(_plain("there is no side %(side)s", side=edge))
            walls.add(edge)
    return frozenset(walls)


def _guards(said: Said, seat: int, board: Board) -> tuple[Space, ...]:
    """The places of guards such as `horse Larissa BC4 in AB2 worth 7`."""
    items = _items(said, gettext("Guards of seat %(number)s", number=seat + 1))
    places = []
    for item in items if list(items) != [gettext("none on the board")] else ():
        (_, name, *_) = (*item.split(" "), "")
        if name not in board.places:
            _refuse(_plain("“%(words)s” is no place of a guard", words=_short(name)))
        places.append(board.places[name])
    return tuple(places)
