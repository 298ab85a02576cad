"""The position in words read back, so that nobody need doubt that a plain letter says all there is.

The inverse of `describe_board` in each language: `read_text(describe_board(view), board) == view`.
Nothing is taken on trust: `describe_board` must say the same of what was read, so that its provinces, gains
and colours agree with its walls and guards too. An assertion, a key or a value fails for any other text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from emails.i18n import gettext
from emails.picture.palette import SEAT_LOOKS, clean_name
from emails.wording import board_text as written
from emails.wording import phrases
from emails.wording.texts import say
from engine.board import Board, Side, Space, side
from engine.cards import EMPTY, SYMBOLS, Bag, Symbol
from engine.editions import EDITIONS, Edition
from engine.events import EndReason
from engine.position import Phase, Table, View

Said = Mapping[str, Sequence[str]]
"""Each key of the text with its items."""


def read_text(text: str, board: Board) -> View:
    """The view that `describe_board` wrote as this text, with the names as it showed them.

    Lines may be broken between any two items, and blank at the end; numbered corners are passed over.
    """
    facts = _facts(text)
    said = dict(facts)
    assert ", ".join(said[gettext("Board")]) == clean_name(board.name)
    view = _view(said, board)
    assert _facts(written.describe_board(view)) == facts
    return view


def _facts(text: str) -> list[tuple[str, Sequence[str]]]:
    """The facts in their order, without the numbered corners, which are of another page."""
    facts: list[tuple[str, Sequence[str]]] = []
    lines = unicodedata.normalize("NFC", text).strip().split("\n")
    for line in "\n".join(line.rstrip() for line in lines).replace("\n  ", " ").split("\n"):
        key, parted, items = line.partition(": ")
        assert parted, line
        if facts and facts[-1][0] == key == gettext("Walls"):  # they have a key on each line
            items = f"{', '.join(facts.pop()[1])}, {items}"
        facts.append((key, items.split(", ")))
    return facts[:-1] if facts[-1][0] == gettext("Numbered corners") else facts


def _number(item: str) -> int:
    """The number in an item, such as 3 in `3 points`."""
    found = re.search(r"[0-9]{1,6}", item)
    assert found, item
    return int(found.group())


# --- who is who -----------------------------------------------------------------------------------------


def _view(said: Said, board: Board) -> View:
    keys = [gettext("Seat %(number)s", number=seat + 1) for seat in range(len(SEAT_LOOKS))]
    seats = [said[key] for key in keys if key in said]
    people = {say("board.player", name=items[0], seat=seat): seat for seat, items in enumerate(seats)}
    (you, *_) = said[gettext("You")]
    me = None if you == gettext("a spectator") else people[you]
    return View(
        table=_table(said, board, seats, people),
        me=me,
        hand=EMPTY if me is None else _bag(said, gettext("Your hand")),
        hand_sizes=tuple(_number(items[3]) for items in seats),
        supply_size=_number(said[gettext("Supply")][0]),
    )


# --- what stands on the table ---------------------------------------------------------------------------


def _table(said: Said, board: Board, seats: Sequence[Sequence[str]], people: Mapping[str, int]) -> Table:
    turn, mover = said[gettext("Turn")][:2]
    black, red = said[gettext("Walls left")][:2]
    idle = said[gettext("Turns without a wall or a point")]
    edition = EDITIONS[said[gettext("Edition")][0]]
    stage = _stage(said[gettext("Phase")], edition)
    over = stage.phase is Phase.OVER
    alexander = {say("board.stands", point=point): point for point in board.steps}
    return Table(
        board=board,
        edition=edition,
        names=tuple(items[0] for items in seats),
        phase=stage.phase,
        turn=_number(turn),
        seat={say("board.moves", player=person): seat for person, seat in people.items()}[mover],
        actions_left=stage.actions_left,
        levied=stage.levied or gettext("Final turn") in said,
        stirred=gettext("this turn had one") in idle or gettext("the final turn had one") in idle,
        last_turn=gettext("Last turn") in said,
        idle=_number(idle[0]),
        chosen=stage.chosen,
        alexander=alexander[said[gettext("Alexander")][0]],
        black=_number(black),
        red=_number(red),
        walled=board.grid.mask_sides(_walls(said[gettext("Walls")], board)),
        display=_bag(said, gettext("Display")),
        discard=_bag(said, gettext("Discard pile")),
        scores=tuple(_number(items[2]) for items in seats),
        standing=tuple(board.grid.mask_spaces(_guards(said, seat, board)) for seat in people.values()),
        reason=stage.reason,
        winners=tuple(people[item] for item in said[gettext("Winners")]) if over else None,
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
    known = {say("board.card_phase"): Stage(Phase.CARD)}
    known |= {say("board.march_phase", card=card): Stage(Phase.MARCH, chosen=card) for card in SYMBOLS}
    for left in range(edition.actions_per_turn + 1):
        known[say("board.actions_phase", left=left)] = Stage(Phase.ACTIONS, left)
    for why in written.REASON_ITEMS:
        known[say("board.over_phase", reason=gettext(written.REASON_ITEMS[why]))] = Stage(
            Phase.OVER, reason=why
        )
    return replace(known[first], levied=others == [gettext("taxes were levied this turn")])


def _bag(said: Said, key: str) -> Bag:
    """The cards of a line such as `2 horses, 1 lyre`."""
    cards: list[Symbol] = []
    for item in said[key] if list(said[key]) != [gettext("none")] else ():
        number = _number(item)
        [symbol] = (one for one in SYMBOLS if phrases.format_symbol_count(one, number) == item)
        cards += [symbol] * number
    return Bag.of(cards)


def _walls(rows: Sequence[str], board: Board) -> frozenset[Side]:
    """The sides along rows of points such as `A1-A3-B4`."""
    walls: set[Side] = set()
    for row in rows if list(rows) != [gettext("none")] else ():
        walls |= {side(*both) for both in pairwise(board.point_names[name] for name in row.split("-"))}
    return frozenset(walls)


def _guards(said: Said, seat: int, board: Board) -> tuple[Space, ...]:
    """The places of guards such as `horse Larissa BC4 in AB2 worth 7`."""
    items = said[gettext("Guards of seat %(number)s", number=seat + 1)]
    standing = items if list(items) != [gettext("none on the board")] else ()
    return tuple(board.places[item.split(" ")[1]] for item in standing)
