"""Choices with their links, and what a page tells its scripts about the march of each.

Scripts know no rules: what a path would cut off stands beside its link, worked out by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from emails.links import Ticket
from emails.wording.options import Choice, Group
from engine import marching
from engine.board import Board
from engine.lattice import Point, Space
from engine.provinces import Province
from server.web.game.ticket_context import link_of

NOT_HERE = "#guards"
"""Where a choice leads that has no words: the forms on the page of the turn."""


@dataclass(frozen=True, slots=True)
class Linked:
    """A choice with the page that shows what it would do."""

    choice: Choice
    link: str
    path: str = ""
    """The points of its march; empty where it is none, or several."""
    corner: str = ""
    """Where its march ends, or all its marches do."""
    parts: str = ""
    """What its march would cut off: see `parts`."""
    trail: str = ""
    """How its marches begin, where they are told from others by that."""


@dataclass(frozen=True, slots=True)
class Section:
    """The choices under one heading."""

    heading: str
    found: tuple[Linked, ...]
    card: str = ""
    targets: str = ""


def section(ticket: Ticket, group: Group) -> Section:
    """A group of choices, each with its link."""
    targets = " ".join(map(str, group.targets))
    return Section(
        group.heading, tuple(linked(ticket, choice) for choice in group.choices), group.card, targets
    )


def linked(ticket: Ticket, choice: Choice, trail: marching.Path = ()) -> Linked:
    """A choice with its link. `trail`: how its marches begin, where they are told from others by that."""
    if not choice.words:
        return Linked(choice, NOT_HERE)
    link = link_of(replace(ticket, words=choice.words))
    last = next((one for one in choice.words.split("; ") if one.startswith("march ")), "")
    if not last:
        return Linked(choice, link)
    points, begins = last.rpartition(" ")[2], "-".join(map(str, trail))
    corner = points.rpartition("-")[2]
    if choice.further or choice.outcome is None:
        return Linked(choice, link, corner=corner, trail=begins)
    return Linked(choice, link, points, corner, parts(choice.outcome), begins)


def by_corner(sections: Iterable[Section], board: Board) -> dict[Point, list[Linked]]:
    """The marches of all these choices by the corners where they end."""
    found: dict[Point, list[Linked]] = {}
    for one in (one for part in sections for one in part.found if one.corner):
        found.setdefault(board.point_names[one.corner], []).append(one)
    return found


def parts(outcome: marching.Outcome) -> str:
    """What a march would cut off, the parts divided by semicolons, such as "4 CD4-7 DE4,6;2@1 CD8,9".

    First what it is worth, then "@" and the seat that keeps it, or "!" where nobody can ever occupy it; then
    its spaces, row by row.
    """
    return ";".join(_part(part) for split in outcome.splits for part in split.apart)


def _part(part: Province) -> str:
    kept = "" if part.holder is None else f"@{part.holder}"
    return f"{part.value}{kept or ('' if part.places else '!')} {' '.join(_rows(part.spaces))}"


def _rows(spaces: Sequence[Space]) -> Iterator[str]:
    for _, row in groupby(spaces, key=lambda space: space.row):
        found = list(row)
        runs: list[list[Space]] = []
        for space in found:
            if runs and runs[-1][-1].col + 1 == space.col:
                runs[-1].append(space)
            else:
                runs.append([space])
        name = str(found[0]).rstrip("0123456789")
        yield name + ",".join(map(_run, runs))


def _run(run: list[Space]) -> str:
    first, last = run[0].col + 1, run[-1].col + 1
    return str(first) if first == last else f"{first}-{last}"
