"""The history of a game, step by step, and the recap of what happened since a reader's last turn.

One step is one fact, and step 0 deals the cards. A player sees their own hand as it was then, a spectator
none. Nobody sees more than they were told at the time. The list of the recap stands on the page of a turn and
leads into the history; its frames are for a script, which asks for them when it is to show something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from flask import Blueprint, Response, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import gettext, gettext_noop
from emails.languages.supported_languages import LANGUAGES
from emails.picture.board_picture import draw_board
from emails.picture.overlay import EMPTY_OVERLAY, Overlay
from emails.picture.palette import clean_name
from emails.picture.png import GROUND_TAG
from emails.wording import phrases, standings
from emails.wording.costs import ProvinceCost
from emails.wording.narration import NarrationLine, build_overlay, narrate_events
from engine.board import Space
from engine.events import (
    AlexanderMarched,
    CardOpened,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnOver,
)
from engine.position import Phase, Table, View, VisibleEvent, view
from engine.provinces import province_at, provinces
from server.admin import archive
from server.store.event_log import require_started
from server.web.game.board_scene import scene_values
from server.web.game.page_readers import (
    Reader,
    not_begun_sentence,
    own_seat_link,
    page_links,
    reader_of_game,
    reader_of_ticket,
)
from server.web.kit import errors
from server.web.kit.locale import LANGUAGE_PARAMETER
from server.web.kit.request_context import current_context

UNCHANGING = ("<defs", GROUND_TAG)
"""How the layers of a board begin that are the same in all its pictures; they come first."""
NEARLY_UNCHANGING = re.compile(r'<g class="(symbols|names)"')
"""How those begin that are on the page but for a few pieces: those of spaces where guards stand by now."""
TAG = re.compile(r"<(/?)[a-z]+[^>]*?(/?)>")
pages = Blueprint("history_page", __name__)


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


LAST_STEP = "last"
"""How an address asks for the last step, whatever its number is."""
STEP_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One fact of a game."""

    number: int
    """From 0."""
    turn: int
    """The turn it belongs to, from 1; 0: before the first."""
    words: str


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    """The steps of one turn."""

    number: int
    title: str
    steps: tuple[HistoryStep, ...]


@pages.get("/t/<token>/history")
def show_player_history(token: str) -> ResponseReturnValue:
    """The history as a player knows it."""
    reader = reader_of_ticket(token)
    return render_history(reader) if reader.has_begun else redirect(reader.page_link(), 303)


@pages.get("/g/<game>/history")
def show_spectator_history(game: str) -> ResponseReturnValue:
    """The history as a spectator knows it; who plays in the game reads it as a player."""
    if own := own_seat_link(game, "history"):
        query = request.query_string.decode("latin-1")
        return redirect(f"{own}?{query}" if query else own, 303)
    reader = reader_of_game(game)
    return (
        render_history(reader)
        if reader.has_begun
        else errors.render_message(gettext("Not yet"), not_begun_sentence(), 404)
    )


@pages.get("/t/<token>/log")
def download_player_log(token: str) -> ResponseReturnValue:
    """The log of a finished game, for one of its players."""
    return _log_response(reader_of_ticket(token))


@pages.get("/g/<game>/log")
def download_spectator_log(game: str) -> ResponseReturnValue:
    """The log of a finished game that anybody may watch."""
    return _log_response(reader_of_game(game))


def _log_response(reader: Reader) -> ResponseReturnValue:
    """All that happened, hands and draws too, once the game is over; before that it is nobody's to read."""
    if not reader.has_begun or not reader.view_at().table.over:
        abort(404)
    lines = "".join(f"{line}\n" for line in archive.export_log(current_context(), reader.game.id))
    answer = Response(lines, content_type="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="alexandros-{reader.game.id}.jsonl"'
    return answer


def render_history(reader: Reader) -> str:
    """The step that is asked for with `at`, or the first that its reader has not seen happen."""
    steps = [HistoryStep(number, *_describe_step(reader, number)) for number in range(len(reader.positions))]
    since = first_recent_step(reader)
    at, wrong = _requested_step(request.args.get("at", ""), since, len(steps) - 1)
    turns = _group_by_turn(reader, steps)
    language = request.args.get(LANGUAGE_PARAMETER, "") if reader.case is None else ""
    language = language if language in LANGUAGES else ""
    shown = next(turn for turn in turns if turn.number == steps[at].turn)
    known = reader.view_at(at)
    facts = scene_values(reader.game.id, known, _step_marks(reader, at)) | {
        "links": page_links(reader, "history"),
        "lands": [(land, ProvinceCost(False)) for land in standings.province_standings(known, None)],
    }
    return render_template(
        "history.html",
        name=phrases.safe_name(reader.game.name),
        reader=phrases.safe_name(reader.name) if reader.case else "",
        step=steps[at],
        last=len(steps) - 1,
        since=since,
        newest=reader.page_link("history", at=LAST_STEP),
        wrong=wrong,
        shown=shown,
        turns=turns,
        ways=_navigation_targets(at, turns, len(steps) - 1),
        action=reader.page_link("history").partition("?")[0],
        language=language,
        step_link=f"?{LANGUAGE_PARAMETER}={language}&at=" if language else "?at=",
        **facts,
    )


def _requested_step(given: str, since: int, last: int) -> tuple[int, str]:
    """The step that is asked for, by default the first that is new; and what is wrong with the number."""
    given = given.strip()
    if not given or given == LAST_STEP:
        return (last if given else since), ""
    if not STEP_NUMBER.fullmatch(given):
        shown = clean_name(given, 20)
        return last, gettext("“%(given)s” is the number of no step. This is the last one.", given=shown)
    nearest = min(max(0, int(given)), last)
    if nearest == int(given):
        return nearest, ""
    return nearest, gettext("The steps of this game are 0 to %(last)s. This is the nearest one.", last=last)


# --- what a step shows ----------------------------------------------------------------------------------


def _describe_step(reader: Reader, number: int) -> tuple[int, str]:
    """The turn to which a fact belongs, and what happened, in words; the first fact of a plan says so."""
    turn, told = _narrate_step(reader, number)
    acts = [seq for seq, _ in reader.history.events[max(0, number - 1) : number + 1]]
    if acts[-1] in reader.planned_acts and acts[0] != acts[-1]:
        told = gettext("%(told)s This was played by a plan.", told=told)
    return turn, told


def _narrate_step(reader: Reader, number: int) -> tuple[int, str]:
    fact, known = reader.visible_events[number], _view_of_step(reader, number)
    if not number:
        return 0, narrate_events([fact], known)[0]
    before = reader.positions[number - 1].table
    filled = isinstance(fact, CardOpened | SupplyRenewed) and before.phase is Phase.CARD
    turn = max(1, before.turn - filled)  # cards that fill the display at the end of a turn belong to it (3.3)
    if isinstance(fact, TurnEnded) and not before.actions_left:  # not early, as `sentences` would say
        mine, theirs = gettext_noop("your turn was over"), gettext_noop("%(name)s's turn was over")
        over = phrases.gettext_for_seat(known.table, fact.seat, known.me, mine, theirs)
        return turn, phrases.capitalize_first(over) + "."
    return turn, narrate_events([fact], known)[0]


def _view_of_step(reader: Reader, number: int) -> View:
    """What the reader knew then: whoever plays on for a seat is "you" in what came after."""
    return (
        require_started(reader.history).seat_names_at(number, reader.seat).name_seats(reader.view_at(number))
    )


def _step_marks(reader: Reader, at: int) -> Overlay:
    """What the board points out: what this fact did, and no choices."""
    if not at:
        return EMPTY_OVERLAY
    seen = view(reader.positions[at], None)
    return reader.add_red_march(
        at, build_overlay([reader.visible_events[at]], reader.positions[at - 1].table, seen)
    )


def _group_by_turn(reader: Reader, steps: Sequence[HistoryStep]) -> list[HistoryTurn]:
    found = []
    for number, group in groupby(steps, key=lambda step: step.turn):
        own = tuple(group)
        seat = reader.positions[max(0, own[0].number - 1)].table.seat
        known = _view_of_step(reader, own[0].number)  # with the name of whoever has begun it
        name = phrases.name_or_you(known.table, seat, known.me)
        title = (
            gettext("Turn %(number)s: %(name)s", number=number, name=name) if number else gettext("The deal")
        )
        found.append(HistoryTurn(number, title, own))
    return found


def _navigation_targets(at: int, turns: Sequence[HistoryTurn], last: int) -> Mapping[str, int | None]:
    """Where one can go from a step; None where that leads nowhere."""
    begins = [turn.steps[0].number for turn in turns]
    earlier, later = [one for one in begins if one < at], [one for one in begins if one > at]
    return {
        "first": 0 if at else None,
        "turn-back": earlier[-1] if earlier else None,
        "back": at - 1 if at else None,
        "on": at + 1 if at < last else None,
        "turn-on": later[0] if later else None,
        "last": last if at < last else None,
    }
