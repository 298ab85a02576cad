"""What happened since a reader's last turn: a list of actions, and the frames that show them on the board.

The list stands on the page and leads into the history. The frames are for a script, which asks for them when
it is to show something: the board after each action, and where on it the action was done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import cast

from flask import Blueprint
from flask.typing import ResponseReturnValue

from emails.picture.board_picture import draw_board
from emails.picture.overlay import EMPTY_OVERLAY
from emails.picture.png import GROUND_TAG
from emails.wording.narration import NarrationLine, build_overlay
from engine.events import (
    AlexanderMarched,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
    TurnEnded,
    TurnOver,
)
from engine.lattice import Space
from engine.position import Table
from engine.provinces import province_at, provinces
from engine.views import VisibleEvent, view
from server.web.game.page_readers import Reader, reader_of_game, reader_of_ticket

UNCHANGING = ("<defs", GROUND_TAG)
"""How the layers of a board begin that are the same in all its pictures; they come first."""
NEARLY_UNCHANGING = re.compile(r'<g class="(symbols|names)"')
"""How those begin that are on the page but for a few pieces: those of spaces where guards stand by now."""
TAG = re.compile(r"<(/?)[a-z]+[^>]*?(/?)>")
pages = Blueprint("recap", __name__)


@dataclass(frozen=True, slots=True)
class RecapStep:
    """One action, as the list has it."""

    words: str
    link: str
    """To the step of the history that ends it."""


@dataclass(frozen=True, slots=True)
class Recap:
    """What happened since a reader's last turn."""

    steps: tuple[RecapStep, ...]
    frames: str
    """The address of its frames."""
    key: str
    """The game and whose eyes see it, to remember in a browser what it has shown."""
    begun: int
    """The first step of the history of all these."""


def build_recap(reader: Reader) -> Recap | None:
    """The list of what happened; None where nothing has."""
    begun, lines = _recent_lines(reader)
    if not lines:
        return None
    return Recap(
        tuple(RecapStep(line.words, reader.page_link("history", at=begun + line.last)) for line in lines),
        reader.page_link("recap"),
        f"{reader.game.id} {'' if reader.seat is None else reader.seat}",
        begun,
    )


def recap_of(links: dict[str, object]) -> Recap | None:
    """The same for the page of a board with these links (page_readers.page_links), built once."""
    if "recap" not in links:
        reader = links.get("reader") if links.get("here") == "board" else None
        links["recap"] = build_recap(reader) if isinstance(reader, Reader) else None
    return cast("Recap | None", links["recap"])


def first_recent_step(reader: Reader) -> int:
    """The first step of the history that is new to the reader; the last where nothing is."""
    return min(_recent_range(reader)[0], len(reader.visible_events) - 1)


def _recent_range(reader: Reader) -> tuple[int, int]:
    """From which fact up to which it is new: what they have done in a turn of theirs they know.

    For a spectator it is what happened since the turn before this one began.
    """
    facts = reader.visible_events
    ends = [number + 1 for number, fact in enumerate(facts) if isinstance(fact, TurnEnded)]
    over = [number + 1 for number, fact in enumerate(facts) if isinstance(fact, TurnOver)]
    if reader.seat is None:
        return max(1, ends[-2] if len(ends) > 1 else 0), len(facts)
    own = [end for end in ends if getattr(facts[end - 1], "seat", None) == reader.seat]
    begun, turn = (own[-1] if own else 1), (over[-1] if over else 1)
    unended = range(max(begun, turn), len(facts))
    return begun, next((at for at in unended if getattr(facts[at], "seat", None) == reader.seat), len(facts))


def _recent_lines(reader: Reader) -> tuple[int, Sequence[NarrationLine]]:
    begun, end = _recent_range(reader)
    return begun, reader.narrate(begun, end)


# --- the frames -----------------------------------------------------------------------------------------


@pages.get("/t/<token>/recap")
def show_player_frames(token: str) -> ResponseReturnValue:
    """The frames as a player knows them."""
    return build_frames(reader_of_ticket(token))


@pages.get("/g/<game>/recap")
def show_spectator_frames(game: str) -> ResponseReturnValue:
    """The frames as a spectator knows them."""
    return build_frames(reader_of_game(game))


def build_frames(reader: Reader) -> dict[str, object]:
    """The board before all that and after each action, as layers of its drawing; and what each was about.

    A layer that stands in several frames is sent once: `frames` are numbers of `layers`, which follow the
    first `kept` ones of the board on the page. What has `data-own` is added to the layer of that class there.
    """
    if not reader.has_begun:
        return {"kept": 0, "layers": [], "frames": [], "deeds": []}
    begun, lines = _recent_lines(reader)
    now = {piece for layer in _split_layers(draw_board(reader.view_at())) for piece in _pieces_of(layer)}
    layers: dict[str, int] = {}
    frames = []
    for number, line in ((begun - 1, None), *((begun + line.last, line) for line in lines)):
        drawn = _split_layers(_draw_frame(reader, number, begun, line))
        changing = (_leave_out(layer, now) for layer in drawn if not layer.startswith(UNCHANGING))
        frames.append([layers.setdefault(layer, len(layers)) for layer in changing])
    told = [_describe_line(reader, begun, line) for line in lines]
    return {"kept": len(UNCHANGING), "layers": list(layers), "frames": frames, "deeds": told}


def _draw_frame(reader: Reader, at: int, begun: int, line: NarrationLine | None) -> str:
    """The board after a step; it points out what the action did that ends with it, and no choices."""
    seen, marks = reader.view_at(at), EMPTY_OVERLAY
    if line is not None:
        facts = reader.visible_events[begun + line.first : begun + line.last + 1]
        before = reader.positions[begun + line.first - 1].table
        marks = build_overlay(facts, before, view(reader.positions[at], None))
    return draw_board(seen, reader.add_red_march(at, marks))


def _leave_out(layer: str, now: Set[str]) -> str:
    """A layer that is nearly unchanging without the pieces that are on the page."""
    if not (begins := NEARLY_UNCHANGING.match(layer)):
        return layer
    missing = "".join(piece for piece in _pieces_of(layer) if piece not in now)
    return f'{layer[: layer.index(">")]} data-own="{begins[1]}">{missing}</g>'


def _pieces_of(layer: str) -> list[str]:
    """What stands within a layer that is nearly unchanging; nothing of others."""
    within = layer[layer.index(">") + 1 :].removesuffix("</g>")
    return _split(within) if NEARLY_UNCHANGING.match(layer) else []


def _split_layers(drawing: str) -> list[str]:
    """The layers of a drawing, which follow its description."""
    return _split(drawing.partition("</desc>")[2].removesuffix("</svg>"))


def _split(drawn: str) -> list[str]:
    """The pieces of which a part of a drawing is made, each well-formed."""
    found: list[str] = []
    begin = depth = 0
    for tag in TAG.finditer(drawn):
        depth += -1 if tag[1] else 0 if tag[2] else 1
        if not depth:
            found.append(drawn[begin : tag.end()])
            begin = tag.end()
    return found


def _describe_line(reader: Reader, begun: int, line: NarrationLine) -> dict[str, object]:
    """Who did it, the way that was marched, and the spaces it was about."""
    facts = reader.visible_events[begun + line.first : begun + line.last + 1]
    after = reader.positions[begun + line.last].table
    path = next((fact.path for fact in facts if isinstance(fact, AlexanderMarched)), ())
    return {
        "seat": getattr(facts[0], "seat", None),
        "path": "-".join(map(str, path)),
        "spaces": sorted({str(space) for fact in facts for space in _spaces_of(fact, after)}),
    }


def _spaces_of(fact: VisibleEvent, after: Table) -> Iterator[Space]:
    """The spaces that a fact is about: the place that was marched to, or the provinces where it was done."""
    match fact:
        case AlexanderMarched(target=target):
            yield target
        case ProvinceOccupied(guards=guards) | ProvinceTakenOver(guards=guards):
            yield from province_at(after, guards[0]).spaces
        case GuardRecalled(place=place):
            yield from province_at(after, place).spaces
        case TaxesLevied():
            yield from (space for one in provinces(after) if one.scores for space in one.spaces)
