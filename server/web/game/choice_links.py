"""Choices with their links, and what a page tells its scripts about the march of each.

Scripts know no rules: what a path would cut off stands beside its link, worked out by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from emails.tokens import Ticket
from emails.wording.options import Option, OptionGroup
from engine import marching
from engine.board import Board
from engine.lattice import Point, Space
from engine.provinces import Province
from server.web.game.ticket_context import link_of

GUARD_FORMS_LINK = "#guards"
"""Where a choice leads that has no words: the forms on the page of the turn."""


@dataclass(frozen=True, slots=True)
class ChoiceLink:
    """A choice with the page that shows what it would do."""

    choice: Option
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
class ChoiceSection:
    """The choices under one heading."""

    heading: str
    found: tuple[ChoiceLink, ...]
    card: str = ""
    targets: str = ""


def link_group(ticket: Ticket, group: OptionGroup) -> ChoiceSection:
    """A group of choices, each with its link."""
    targets = " ".join(map(str, group.targets))
    return ChoiceSection(
        group.heading, tuple(link_choice(ticket, choice) for choice in group.choices), group.card, targets
    )


def link_choice(ticket: Ticket, choice: Option, trail: marching.Path = ()) -> ChoiceLink:
    """A choice with its link. `trail`: how its marches begin, where they are told from others by that."""
    if not choice.words:
        return ChoiceLink(choice, GUARD_FORMS_LINK)
    link = link_of(replace(ticket, words=choice.words))
    last = next((one for one in choice.words.split("; ") if one.startswith("march ")), "")
    if not last:
        return ChoiceLink(choice, link)
    points, begins = last.rpartition(" ")[2], "-".join(map(str, trail))
    corner = points.rpartition("-")[2]
    if choice.further or choice.outcome is None:
        return ChoiceLink(choice, link, corner=corner, trail=begins)
    return ChoiceLink(choice, link, points, corner, encode_parts(choice.outcome), begins)


def marches_by_corner(sections: Iterable[ChoiceSection], board: Board) -> dict[Point, list[ChoiceLink]]:
    """The marches of all these choices by the corners where they end."""
    found: dict[Point, list[ChoiceLink]] = {}
    for one in (one for part in sections for one in part.found if one.corner):
        found.setdefault(board.point_names[one.corner], []).append(one)
    return found


def encode_parts(outcome: marching.MarchOutcome) -> str:
    """What a march would cut off, the parts divided by semicolons, such as "4 CD4-7 DE4,6;2@1 CD8,9".

    First what it is worth, then "@" and the seat that keeps it, or "!" where nobody can ever occupy it; then
    its spaces, row by row.
    """
    return ";".join(_encode_part(part) for split in outcome.splits for part in split.cut_off)


def _encode_part(part: Province) -> str:
    kept = "" if part.holder is None else f"@{part.holder}"
    return f"{part.value}{kept or ('' if part.places else '!')} {' '.join(_encode_rows(part.spaces))}"


def _encode_rows(spaces: Sequence[Space]) -> Iterator[str]:
    for _, row in groupby(spaces, key=lambda space: space.row):
        found = list(row)
        runs: list[list[Space]] = []
        for space in found:
            if runs and runs[-1][-1].col + 1 == space.col:
                runs[-1].append(space)
            else:
                runs.append([space])
        name = str(found[0]).rstrip("0123456789")
        yield name + ",".join(map(_encode_run, runs))


def _encode_run(run: list[Space]) -> str:
    first, last = run[0].col + 1, run[-1].col + 1
    return str(first) if first == last else f"{first}-{last}"
