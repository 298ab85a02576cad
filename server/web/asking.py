"""What words would do, looked at before they are done: one outcome, or a question which of several is meant.

Whoever says "march Larissa D4" where three paths lead there is asked which. Where there are very many, they
are parted by the first point at which they differ, and the question is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from emails import wording
from emails.choices import Choice, choices, labels
from engine import acting, marching, notation
from engine.actions import Action, Ambiguous, Illegal, March, Refusal, TakeOver
from engine.events import AlexanderMarched
from engine.lattice import Point, Space
from engine.marching import Path
from engine.position import Phase, Position, View
from engine.views import view
from server.play import MOST_LINES, Preview, Refused, preview

MOST_ASKED = 24
"""Candidates shown one by one."""
MOST_LOOKED_AT = 5000
"""Paths looked at to answer one question."""


def lines_of(words: str) -> list[str]:
    """The actions that words say, parted by semicolons or by the ends of lines."""
    return [line for part in re.split(r"[;\r\n]", words) if (line := " ".join(part.split()))]


@dataclass(frozen=True, slots=True)
class Seen:
    """Words that mean one thing, and what they would bring about."""

    preview: Preview
    details: tuple[str, ...]
    """What each march or other action is worth to know."""
    path: Path
    """The way of a march among them."""
    later: tuple[str, ...]
    """Lines that come after a card nobody has seen yet."""


@dataclass(frozen=True, slots=True)
class Question:
    """Words that mean several things."""

    line: str
    known: View
    """What the reader knows when that line is read."""
    choices: tuple[Choice, ...]
    paths: tuple[tuple[Point, ...], ...]
    """The path of each choice, where it has one of its own."""
    labels: dict[Point, str]
    """Points by which the choices can be told apart on the board."""
    more: bool
    """Whether there are others that are not shown."""


def look(position: Position, seat: int, lines: Sequence[str]) -> Seen | Question:
    """What lines would do for `seat`, whose turn it is. Raises `Refused`."""
    if len(lines) > MOST_LINES:
        raise Refused(lines[MOST_LINES], Illegal("3.1", "a turn has not so many actions"))
    try:
        seen = preview(position, seat, lines)
    except Refused as refused:
        if not isinstance(refused.refusal, Ambiguous):
            raise
        done = _done_before(position, seat, lines)
        before = preview(position, seat, lines[:done]).position if done else position
        return _question(before, seat, lines, done, refused.refusal)
    left = lines[len(seen.done) :]
    if left and seen.position.table.phase is Phase.MARCH:  # a card still hidden changes no target (4.11)
        try:
            notation.read(left[0], view(seen.position, seat))
        except Ambiguous as ambiguous:
            return _question(seen.position, seat, lines, len(seen.done), ambiguous)
        except Refusal as refusal:
            raise Refused(left[0], refusal) from None
    return Seen(seen, tuple(_details(position, seat, seen)), _path(seen), tuple(left))


def _done_before(position: Position, seat: int, lines: Sequence[str]) -> int:
    """How many lines can be done before the one that means several things."""
    for count in range(1, len(lines) + 1):
        try:
            preview(position, seat, lines[:count])
        except Refused:
            return count - 1
    return len(lines)


def _path(seen: Preview) -> Path:
    return next((event.path for event in seen.events if isinstance(event, AlexanderMarched)), ())


def _details(position: Position, seat: int, seen: Preview) -> Iterator[str]:
    """The same words that stand beside the choices."""
    known = {
        choice.words: choice.detail for group in choices(view(position, seat)) for choice in group.choices
    }
    whole = known.get("; ".join(seen.done), "")
    if whole:
        yield whole
        return
    path = _path(seen)
    if path:
        yield wording.outcome(
            view(position, seat), marching.outcome(position.table, path), seen.position.hands[seat]
        )
    yield from (detail for line in seen.done if (detail := known.get(line, "")))


# --- questions ------------------------------------------------------------------------------------------


def _question(position: Position, seat: int, lines: Sequence[str], at: int, refusal: Ambiguous) -> Question:
    known = view(position, seat)
    line, board = lines[at], position.table.board
    said = notation.parse(line, board)
    more = False
    paths: tuple[Path, ...] = ()
    if said.verb == "march":
        marches = list(_fitting(known, said))
        found = _one_by_one(known, marches) if len(marches) <= MOST_ASKED else _by_fork(known, said, marches)
        paths = tuple(march.path for march in marches) if len(marches) <= MOST_ASKED else ()
    else:
        actions: list[Action] = list(refusal.candidates)
        if said.verb == "takeover":
            actions = list(islice(_gifts(known, tuple(sorted(said.places))), MOST_ASKED + 1))
        more = len(actions) > MOST_ASKED
        found = [_as_choice(known, action) for action in actions[:MOST_ASKED]]
    whole = [_within(lines, at, choice) for choice in found]
    marked, whole = _marked(whole, paths)
    return Question(line, known, tuple(whole), paths, marked, more)


def _within(lines: Sequence[str], at: int, choice: Choice) -> Choice:
    words = "; ".join((*lines[:at], choice.words, *lines[at + 1 :]))
    return Choice(words, choice.title, choice.detail, choice.further)


def _fitting(known: View, said: notation.Said) -> Iterator[March]:
    """The marches that the words fit, those that differ only in the target named taken once."""
    table = known.table
    spaces = [one for one in marching.targets_of_chosen(table) if not said.places or one in said.places]
    seen: set[Path] = set()
    for space in spaces:
        for corner in marching.corners_to(table, space):
            if said.points and corner != said.points[-1]:
                continue
            for path in islice(marching.Ways(table, corner).through(said.points), MOST_LOOKED_AT):
                if path not in seen:
                    seen.add(path)
                    yield March(space, path)


def _one_by_one(known: View, marches: Iterable[March]) -> list[Choice]:
    table, numbers = known.table, labels(known)
    found = []
    for march in marches:
        told = marching.outcome(table, march.path)
        title = wording.goal(table, (march.target,), march.path[-1], numbers[march.path[-1]]) + wording.by(
            march.path
        )
        found.append(
            Choice(notation.write(march, table.board), title, wording.outcome(known, told, known.hand))
        )
    return found


def _by_fork(known: View, said: notation.Said, marches: Sequence[March]) -> list[Choice]:
    """Very many paths, parted by their corners, or else by the first point at which they differ."""
    table, numbers = known.table, labels(known)
    corners = {march.path[-1] for march in marches}
    at = -1 if len(corners) > 1 else _fork([march.path for march in marches])
    parted: dict[Point, list[March]] = {}
    for march in marches:
        parted.setdefault(march.path[at], []).append(march)
    found = []
    for point, those in sorted(parted.items()):
        first, corner = those[0], those[0].path[-1]
        passed = sorted({*said.points, point, corner}, key=first.path.index)
        least = min(len(marching.new_walls(table, march.path)) for march in those)
        via = "" if at == -1 else f" by {point}"
        title = wording.goal(table, (first.target,), corner, numbers[corner]) + via
        words = f"march {table.board.names[first.target]} {'-'.join(str(one) for one in passed)}"
        found.append(Choice(words, title, wording.several_paths(len(those), least), True))
    return found


def _fork(paths: Sequence[Path]) -> int:
    """Where paths of one length first differ."""
    return next(at for at, points in enumerate(zip(*paths, strict=True)) if len(set(points)) > 1)


def _gifts(known: View, guards: tuple[Space, ...]) -> Iterator[TakeOver]:
    """The ways to take over a province with these guards: which cards its loser gets (5.10)."""
    table = known.table
    province = acting.besieged(table, table.seat, guards)
    paid = acting.removal(table, province) + acting.symbols_on(table, province.places)
    paid -= acting.symbols_on(table, guards)
    return (TakeOver(guards, given) for given in paid.handfuls(acting.handed_over(table, paid)))


def _as_choice(known: View, action: Action) -> Choice:
    """An action as the list of choices has it, or as one can say it."""
    words = notation.write(action, known.table.board)
    offered = (choice for group in choices(known) for choice in group.choices)
    for choice in offered:
        if choice.words == words:
            return choice
    if isinstance(action, TakeOver):
        board = known.table.board
        title = wording.placement(known.table, action.guards)
        province = acting.besieged(known.table, known.table.seat, action.guards)
        detail = (
            f"{wording.shown(known.table.names[province.holder or 0])} gets {wording.cards(action.given)}"
        )
        return Choice(notation.write(action, board), title, detail)
    return Choice(words, wording.begun(words))


def _marked(found: list[Choice], paths: Sequence[Path]) -> tuple[dict[Point, str], list[Choice]]:
    """Ways to one corner get letters, each at a point that no other passes, where there is one."""
    marked: dict[Point, str] = {}
    named = []
    goals = [path[-1] for path in paths]
    for index, choice in enumerate(found):
        title = choice.title
        if index < len(paths) and goals.count(goals[index]) > 1:
            others = {point for number, path in enumerate(paths) if number != index for point in path}
            own = [point for point in paths[index] if point not in others]
            if own:
                letter = "abcdefghijklmnopqrstuvwxyz"[len(marked)]
                marked[own[len(own) // 2]] = letter
                title = f"{letter}: {title}"
        named.append(Choice(choice.words, title, choice.detail, choice.further))
    return marked, named
