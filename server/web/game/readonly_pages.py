"""Pages that only show a game: history, spectators' page, printable turn sheet, end; and polling for news.

Each step of the history is one event; step 0 deals the cards. A step shows what its viewer knew then: a
player sees their hand of that time, a spectator sees no hand. For the recap on the page of a turn, a script
loads drawings of the board (frames) from here. The sheet is drawn for black ink: hatched land, guards with
shapes and initials, dashed red walls.

Open pages poll for news. Each poll makes one query, draws nothing and replays no history, since many pages
poll. If the clock of a turn has not started yet, a script of the mover's page reports that the page is shown,
and so starts the clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from math import ceil

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import bindparam, select

from emails.i18n import gettext, gettext_noop
from emails.languages.supported_languages import LANGUAGES
from emails.letters.game_letters import describe_highlights, render_score_chart
from emails.names import SeatNames, name_seats_in_turn
from emails.picture import palette
from emails.picture.board_picture import draw_board
from emails.picture.layers import EMPTY_OVERLAY, GROUND_TAG
from emails.picture.palette import clean_name
from emails.tokens import Ticket, unseal_ticket
from emails.wording import phrases, review_text, standings
from emails.wording.costs import ProvinceCost
from emails.wording.narration import NarrationLine, build_overlay, names_in_turns, narrate_events
from emails.wording.options import OptionGroup, list_options
from emails.wording.review_text import compile_statistics, draw_chance_chart
from engine.board import Space
from engine.bots.reviews import Review, ReviewedTurn, harvests, largest_swing, largest_swings
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
from engine.notation.orders import write
from engine.position import Phase, Table, View, VisibleEvent, veil_event, view
from engine.provinces import province_at, provinces
from server.admin import backups
from server.outbox.chat import COUNT_SHOWN, READER
from server.reviews import is_review_awaited, load_review
from server.store.context import is_set_back
from server.store.event_log import History, StartedHistory, list_steps, require_started
from server.store.models import Draft, Game, Seating, StoredTerms, table_of
from server.store.states import GameStatus
from server.store.turn_clock import is_awaiting_letter
from server.turns.dry_run import mark_draft
from server.web.game.dock import scene_values
from server.web.game.viewers import (
    TicketContext,
    Viewer,
    check_still_shown,
    link_of,
    load_ticket,
    load_viewer,
    not_begun_sentence,
    own_seat_link,
    page_links,
    spectator_of_game,
)
from server.web.kit import errors, visitors
from server.web.kit.request_context import current_context, is_csrf_valid, read
from server.web.kit.visitors import LANGUAGE_PARAMETER

pages = Blueprint("readonly_pages", __name__)


UNCHANGING = ("<defs", GROUND_TAG)  # beginnings of the first layers, equal in all drawings of a board
NEARLY_UNCHANGING = re.compile(r'<g class="(symbols|names)"')  # layers that change only where guards stand
TAG = re.compile(r"<(/?)[a-z]+[^>]*?(/?)>")


def recap_of(links: dict[str, object]) -> object:
    """Return the steps that are new to the reader, from `page_links`; None if none, or without a board."""
    viewer = links.get("reader") if links.get("here") == "board" else None
    if "recap" not in links and isinstance(viewer, Viewer):
        begun, lines = _recent_lines(viewer)
        found = {
            "steps": [(line.words, viewer.page_link("history", at=begun + line.last)) for line in lines],
            "frames": viewer.page_link("recap"),
            # key under which a browser stores that it has shown this recap
            "key": f"{viewer.game.id} {'' if viewer.seat is None else viewer.seat}",
            "begun": begun,
        }
        links["recap"] = found if lines else None
    return links.get("recap")


def _recent_range(viewer: Viewer) -> tuple[int, int]:
    """Return the range of events that are new to the viewer; its end is exclusive.

    For players it begins after their last turn and ends before their events in an unfinished turn. For
    spectators it begins with the previous turn.
    """
    facts = viewer.visible_events
    ends = [number + 1 for number, fact in enumerate(facts) if isinstance(fact, TurnEnded)]
    over = [number + 1 for number, fact in enumerate(facts) if isinstance(fact, TurnOver)]
    if viewer.seat is None:
        return max(1, ends[-2] if len(ends) > 1 else 0), len(facts)
    own = [end for end in ends if getattr(facts[end - 1], "seat", None) == viewer.seat]
    begun, turn = (own[-1] if own else 1), (over[-1] if over else 1)
    unended = range(max(begun, turn), len(facts))
    return begun, next((at for at in unended if getattr(facts[at], "seat", None) == viewer.seat), len(facts))


def _recent_lines(viewer: Viewer) -> tuple[int, Sequence[NarrationLine]]:
    begun, end = _recent_range(viewer)
    return begun, viewer.narrate(begun, end)


# --- the frames -----------------------------------------------------------------------------------------


@pages.get("/t/<token>/recap", endpoint="show_player_frames")
@pages.get("/g/<game>/recap", endpoint="show_spectator_frames")
def show_frames(**address: str) -> dict[str, object]:
    """Return drawings of the board for the recap: one before the first action, and one after each action.

    A drawing is a stack of layers. `layers` has each distinct layer once. Each of `frames` is one drawing, as
    indices of its layers. The lowest layers never change, so `layers` and `frames` omit them: a script keeps
    the page's lowest layers, `kept` in number. A layer with the attribute `data-own` lacks elements that the
    page already has. The attribute names a class, and the script takes the elements from the page's layer of
    this class. `deeds` describes each action.
    """
    viewer = load_viewer(**address)
    if not viewer.has_begun:
        return {"kept": 0, "layers": [], "frames": [], "deeds": []}
    begun, lines = _recent_lines(viewer)
    now = {piece for layer in _split_layers(draw_board(viewer.view)) for piece in _pieces_of(layer)}
    layers: dict[str, int] = {}
    frames = []
    for number, line in ((begun - 1, None), *((begun + line.last, line) for line in lines)):
        drawn = _split_layers(_draw_frame(viewer, number, begun, line))
        changing = (_leave_out(layer, now) for layer in drawn if not layer.startswith(UNCHANGING))
        frames.append([layers.setdefault(layer, len(layers)) for layer in changing])
    told = [_describe_line(viewer, begun, line) for line in lines]
    return {"kept": len(UNCHANGING), "layers": list(layers), "frames": frames, "deeds": told}


def _draw_frame(viewer: Viewer, at: int, begun: int, line: NarrationLine | None) -> str:
    seen, marks = viewer.view_at(at), EMPTY_OVERLAY
    if line is not None:
        facts = viewer.visible_events[begun + line.first : begun + line.last + 1]
        before = viewer.positions[begun + line.first - 1].table
        marks = build_overlay(facts, before, view(viewer.positions[at], None))
    return draw_board(seen, viewer.add_red_march(at, marks))


def _leave_out(layer: str, now: Set[str]) -> str:
    if not (begins := NEARLY_UNCHANGING.match(layer)):
        return layer
    missing = "".join(piece for piece in _pieces_of(layer) if piece not in now)
    return f'{layer[: layer.index(">")]} data-own="{begins[1]}">{missing}</g>'


def _pieces_of(layer: str) -> list[str]:
    within = layer[layer.index(">") + 1 :].removesuffix("</g>")
    return _split(within) if NEARLY_UNCHANGING.match(layer) else []


def _split_layers(drawing: str) -> list[str]:
    return _split(drawing.partition("</desc>")[2].removesuffix("</svg>"))


def _split(drawn: str) -> list[str]:
    found: list[str] = []
    begin = depth = 0
    for tag in TAG.finditer(drawn):
        depth += -1 if tag[1] else 0 if tag[2] else 1
        if not depth:
            found.append(drawn[begin : tag.end()])
            begin = tag.end()
    return found


def _describe_line(viewer: Viewer, begun: int, line: NarrationLine) -> dict[str, object]:
    facts = viewer.visible_events[begun + line.first : begun + line.last + 1]
    after = viewer.positions[begun + line.last].table
    path = next((fact.path for fact in facts if isinstance(fact, AlexanderMarched)), ())
    return {
        "seat": getattr(facts[0], "seat", None),
        "path": "-".join(map(str, path)),
        "spaces": sorted({str(space) for fact in facts for space in _spaces_of(fact, after)}),
    }


def _spaces_of(fact: VisibleEvent, after: Table) -> Iterator[Space]:
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
STEP_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class HistoryStep:
    number: int
    turn: int
    words: str


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    number: int
    title: str
    steps: tuple[HistoryStep, ...]


@pages.get("/t/<token>/history")
def show_player_history(token: str) -> ResponseReturnValue:
    viewer = load_ticket(token)
    return render_history(viewer) if viewer.has_begun else redirect(viewer.page_link(), 303)


@pages.get("/g/<game>/history")
def show_spectator_history(game: str) -> ResponseReturnValue:
    """Show the history to a spectator; redirect the game's signed-in players to their own history."""
    if own := own_seat_link(game, "history"):
        query = request.query_string.decode("latin-1")
        return redirect(f"{own}?{query}" if query else own, 303)
    viewer = spectator_of_game(game)
    return (
        render_history(viewer)
        if viewer.has_begun
        else errors.render_message(gettext("Not yet"), not_begun_sentence(), 404)
    )


@pages.get("/t/<token>/log", endpoint="download_player_log")
@pages.get("/g/<game>/log", endpoint="download_spectator_log")
def download_log(**address: str) -> ResponseReturnValue:
    viewer = load_viewer(**address)
    if not viewer.has_begun or not viewer.view.table.over:
        abort(404)
    lines = "".join(f"{line}\n" for line in backups.export_log(current_context(), viewer.game.id))
    answer = Response(lines, content_type="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="alexandros-{viewer.game.id}.jsonl"'
    return answer


def render_history(viewer: Viewer) -> str:
    """Render the step requested by `at`; the default is the first step that is new to the viewer."""
    steps = [HistoryStep(number, *_narrate_step(viewer, number)) for number in range(len(viewer.positions))]
    since = min(_recent_range(viewer)[0], len(steps) - 1)  # the last step if none is new
    at, wrong = _requested_step(request.args.get("at", ""), since, len(steps) - 1)
    turns = _group_by_turn(viewer, steps)
    language = request.args.get(LANGUAGE_PARAMETER, "") if viewer.seat is None else ""
    language = language if language in LANGUAGES else ""
    shown = next(turn for turn in turns if turn.number == steps[at].turn)
    known = viewer.view_at(at)
    marks = EMPTY_OVERLAY
    if at:
        before, told = viewer.positions[at - 1].table, [viewer.visible_events[at]]
        marks = viewer.add_red_march(at, build_overlay(told, before, view(viewer.positions[at], None)))
    facts = scene_values(viewer.bots, known, marks) | {
        "links": page_links(viewer, "history"),
        "lands": [(land, ProvinceCost()) for land in standings.province_standings(known, None)],
    }
    return render_template(
        "history.html",
        name=phrases.safe_name(viewer.game.name),
        reader=phrases.safe_name(viewer.seating.name) if isinstance(viewer, TicketContext) else "",
        step=steps[at],
        last=len(steps) - 1,
        since=since,
        newest=viewer.page_link("history", at=LAST_STEP),
        wrong=wrong,
        shown=shown,
        turns=turns,
        ways=_navigation_targets(at, turns, len(steps) - 1),
        action=viewer.page_link("history").partition("?")[0],
        language=language,
        step_link=f"?{LANGUAGE_PARAMETER}={language}&at=" if language else "?at=",
        **facts,
    )


def _requested_step(given: str, since: int, last: int) -> tuple[int, str]:
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


# --- the description of a step ----------------------------------------------------------------------------


def _narrate_step(viewer: Viewer, number: int) -> tuple[int, str]:
    fact, known = viewer.visible_events[number], _view_of_step(viewer, number)
    told = narrate_events([fact], known)[0]
    if not number:
        return 0, told
    before = viewer.positions[number - 1].table
    filled = isinstance(fact, CardOpened | SupplyRenewed) and before.phase is Phase.CARD
    turn = max(1, before.turn - filled)  # refilling the display belongs to the turn before (3.3)
    if isinstance(fact, TurnEnded) and not before.actions_left:  # the narration would call the end early
        mine, theirs = gettext_noop("your turn was over"), gettext_noop("%(name)s's turn was over")
        over = phrases.gettext_for_seat(known, fact.seat, mine, theirs)
        told = phrases.capitalize_first(over) + "."
    (earlier, _), (act, _) = viewer.history.events[number - 1 : number + 1]
    if act in viewer.planned_acts and earlier != act:
        told = gettext("%(told)s This was played by a plan.", told=told)
    return turn, told


def _view_of_step(viewer: Viewer, number: int) -> View:
    """Return the viewer's knowledge at a step; an earlier player of the viewer's seat is not "you"."""
    return (
        require_started(viewer.history).seat_names_at(number, viewer.seat).name_seats(viewer.view_at(number))
    )


def _group_by_turn(viewer: Viewer, steps: Sequence[HistoryStep]) -> list[HistoryTurn]:
    found = []
    for number, group in groupby(steps, key=lambda step: step.turn):
        own = tuple(group)
        seat = viewer.positions[max(0, own[0].number - 1)].table.seat
        known = _view_of_step(viewer, own[0].number)  # names at the start of the turn
        name = phrases.name_or_you(known, seat)
        title = (
            gettext("Turn %(number)s: %(name)s", number=number, name=name) if number else gettext("The deal")
        )
        found.append(HistoryTurn(number, title, own))
    return found


def _navigation_targets(at: int, turns: Sequence[HistoryTurn], last: int) -> Mapping[str, int | None]:
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


ROOM_LINES, LINE_WIDTH = 18, 34  # for the choices on a printed turn sheet; the width is in font sizes
LONGEST_EXAMPLE = 60
MOST_LANDS, MOST_NAMED = 12, 4
WHITE, PALE, GREY, BLACK = "#ffffff", "#cccccc", "#666666", "#000000"
BLACK_INKS = {
    **dict.fromkeys((palette.PAPER, palette.SEA, *palette.SHALLOWS, palette.LAND, palette.SUN), WHITE),
    **dict.fromkeys((palette.CHOICE_TINT, palette.MERIDIAN, palette.GRID, palette.GLOW), PALE),
    **dict.fromkeys((palette.COAST, palette.FAINT_INK), GREY),
    **dict.fromkeys((palette.INK, palette.NAME_INK, palette.RED_WALL, palette.CHOICE, palette.PURPLE), BLACK),
    **dict.fromkeys((*palette.SYMBOL_COLOURS, *palette.SEAT_COLOURS), BLACK),
    **{tint: f"url(#strokes-{seat})" for seat, tint in enumerate(palette.SEAT_TINTS)},
}
SEAT_STROKES = ("M-2 2L2-2M-2 12L12-2M8 12L12 8", "M-2 8L2 12M-2-2L12 12M8-2L12 2", "M0 5H10", "M5 0V10")
"""Hatching of each seat's land, as a path in a square of 10 units."""


@dataclass(frozen=True, slots=True)
class SheetChoices:
    groups: tuple[OptionGroup, ...]
    more: int


@pages.get("/t/<token>/sheet")
def show_print_sheet(token: str) -> ResponseReturnValue:
    viewer = load_ticket(token)
    if not viewer.has_begun:
        return redirect(viewer.page_link(), 303)
    known = viewer.view
    offered = list_options(known)
    lands = standings.province_standings(known)
    words = (phrases.translate_order(one.words) for group in offered for one in group.choices)
    return render_template(
        "print_sheet.html",
        name=phrases.safe_name(viewer.game.name),
        reader=phrases.safe_name(viewer.seating.name),
        links=page_links(viewer, "sheet"),
        deadline=viewer.deadline,
        mover=phrases.safe_name(known.table.names[known.table.seat]),
        view=known,
        table=known.table,
        board=ink_in_black(
            draw_board(known, viewer.add_red_march(len(viewer.positions) - 1, build_overlay((), None, known)))
        ),
        alt=standings.board_alt_text(known, {}),
        summary=standings.summarize_game(known),
        rows=standings.player_standings(known),
        lands=[(land, _province_name(known, land)) for land in lands[:MOST_LANDS]],
        lands_left=len(lands) - MOST_LANDS,
        offer=fit_choices(offered),
        marching=known.table.phase is Phase.MARCH,
        example=next((one for one in words if 0 < len(one) <= LONGEST_EXAMPLE), ""),
    )


def _province_name(known: View, land: standings.ProvinceStanding) -> str:
    places = land.province.places
    return land.contents if len(places) > MOST_NAMED else phrases.format_places(known.table, places)


def ink_in_black(drawn: str) -> str:
    patterns = "".join(
        f'<pattern id="strokes-{seat}" width="10" height="10" patternUnits="userSpaceOnUse">'
        f'<path d="{strokes}" fill="none" stroke="{GREY}" stroke-width="1.4"/></pattern>'
        for seat, strokes in enumerate(SEAT_STROKES)
    )
    coloured = re.sub("#[0-9a-f]{6}", lambda found: BLACK_INKS.get(found[0], found[0]), drawn)
    return coloured.replace("<defs>", f"<defs>{patterns}", 1)


# --- choices that fit on the sheet ------------------------------------------------------------------------


def fit_choices(groups: Sequence[OptionGroup], room: int = ROOM_LINES) -> SheetChoices:
    """Shorten the groups to their best choices, about equally many in each, until all fit in `room` lines.

    If even one choice of each group does not fit, the last groups are left out.
    """
    total = sum(len(group.choices) for group in groups)
    kept: list[OptionGroup] = []
    most = max((len(group.choices) for group in groups), default=0)
    for each in range(most, 0, -1):
        kept = [replace(group, choices=group.choices[:each]) for group in groups]
        if sum(map(_count_lines, kept)) <= room:
            break
    while kept and sum(map(_count_lines, kept)) > room:
        kept.pop()
    for number, group in enumerate(kept):
        for more in groups[number].choices[len(group.choices) :]:
            longer = replace(kept[number], choices=(*kept[number].choices, more))
            if sum(map(_count_lines, kept)) - _count_lines(kept[number]) + _count_lines(longer) <= room:
                kept[number] = longer
    return SheetChoices(tuple(kept), total - sum(len(group.choices) for group in kept))


def _count_lines(group: OptionGroup) -> int:
    return _count_wrapped(group.heading) + sum(
        _count_wrapped(f"{one.title}: {one.detail}") for one in group.choices
    )


def _count_wrapped(words: str) -> int:
    return ceil(palette.estimate_width(words) / LINE_WIDTH)


@pages.get("/g/<game>")
def show_spectator_page(game: str) -> ResponseReturnValue:
    """Show a game to spectators; redirect its signed-in players to their own page."""
    if own := own_seat_link(game):
        return redirect(own, 303)
    viewer = spectator_of_game(game)
    if not viewer.has_begun:
        return errors.render_message(gettext("Not yet"), not_begun_sentence(), 404)
    return _render_page(viewer)


def _render_page(viewer: Viewer) -> str:
    known = viewer.view
    table = known.table
    begun, lines = _recent_lines(viewer)
    pointed = build_overlay(viewer.visible_events[begun:], viewer.positions[begun - 1].table, known)
    facts = scene_values(viewer.bots, known, pointed) | {
        "name": phrases.safe_name(viewer.game.name),
        "links": page_links(viewer, "board"),
        "since": [line.words for line in lines],
        "deadline": viewer.deadline,
        "awaited": is_awaiting_letter(viewer.game),
    }
    if table.over:
        more = finished_game_values(viewer.game, viewer.history, known)
        return render_template("finished.html", frame="spectator.html", game=viewer.game, **facts, **more)
    return render_template("spectator.html", **facts)


# --- the page of a finished game: the course of the points, and the review ---------------------------------

MOST_SWINGS = 3


def finished_game_values(game: Game, history: History, known: View) -> dict[str, object]:
    table = known.table
    won = table.winners or ()
    events = [veil_event(event, None) for _, event in history.events]
    found, begun = compile_statistics(events), require_started(history)
    names = names_in_turns(events, begun.list_seat_names(known.me))
    chart, text = render_score_chart(found, known)
    named = f'role="img" aria-label="{escape(chart.alt)}"'
    return {
        "winners": len(won),
        "names": phrases.capitalize_first(phrases.format_seats(known, won)),
        "points": phrases.format_points(max(table.scores)),
        "mine": known.me in won,
        "reason": standings.explain_end(table),
        "course": chart.svg.replace('role="img"', named, 1),
        "course_lines": text,
        "remembered": describe_highlights(found, known, names),
        **_review_values(game, begun, known, names),
    }


def _review_values(
    game: Game, history: StartedHistory, known: View, turn_names: Sequence[SeatNames]
) -> dict[str, object]:
    with current_context().reading() as session:
        review = load_review(current_context(), session, game.id, history.position)
        awaited = review is None and is_review_awaited(session, game.id)
    steps = list_steps(history)
    found = list(harvests(steps))
    seats = range(len(known.table.names))
    return {
        "origins": [line for seat in seats if (line := review_text.describe_origins(found, seat, known))],
        "levies": [
            review_text.describe_levy(list(group), known)
            for _, group in groupby(found, key=lambda one: one.turn)
        ],
        "review": None if review is None else _build_box(review, _first_steps(history), known, turn_names),
        "review_awaited": awaited,
    }


def _first_steps(history: StartedHistory) -> Mapping[int, int]:
    found: dict[int, int] = {}
    for number, (before, event) in enumerate(list_steps(history), 1):
        if not isinstance(event, CardOpened | SupplyRenewed):
            found.setdefault(before.table.turn, number)
    return found


def _build_box(
    review: Review, at: Mapping[int, int], known: View, turn_names: Sequence[SeatNames]
) -> dict[str, object]:
    names = tuple(phrases.safe_name(name) for name in known.table.names)
    swing = largest_swing(review)
    turns = [
        _tell_turn(one, at[one.verdict.turn], name_seats_in_turn(known, turn_names, one.verdict.turn))
        for one in review.turns
    ]
    swing_text = ""
    if swing is not None:
        swing_text = review_text.describe_swing(swing, name_seats_in_turn(known, turn_names, swing.turn))
    drawn = draw_chance_chart(review, names, gettext("turn"), gettext("chances"))
    alt = gettext("The chances of each player, turn by turn, as the judge sees them.") + " " + swing_text
    worst = largest_swings((one.verdict for one in review.turns), MOST_SWINGS)
    return {
        "names": names,
        "chart": drawn.replace('role="img"', f'role="img" aria-label="{escape(alt)}"', 1),
        "swing": swing_text,
        "chances": list(map(review_text.format_chance, review.chances)),
        "turns": turns,
        "dearest": [turns[one.turn - 1] for one in worst if review_text.round_cost(one)],
    }


def _tell_turn(one: ReviewedTurn, at: int, known: View) -> dict[str, object]:
    verdict, board = one.verdict, known.table.board
    name = phrases.name_or_you(known, verdict.seat)
    return {
        "number": verdict.turn,
        "at": at,
        "title": gettext("Turn %(number)s: %(name)s", number=verdict.turn, name=name),
        "played": phrases.translate_order("; ".join(write(action, board) for action in verdict.played)),
        "cost": review_text.describe_cost(verdict, board),
        "chances": list(map(review_text.format_chance, one.chances)),
    }


# --- polling --------------------------------------------------------------------------------------------

Pulse = dict[str, int | bool | str]
"""The response to a poll.

`after`: number of the last act that changed the position; `said`: how many chat messages the reader can see;
`begun`: checksum that changes with the reader's draft; `over`: whether the game has ended; `awaited`: whether
the server is still making the review of the game; `page`: address at which the reader finds the game now.
"""
pulses = Blueprint("live_updates", __name__)

GAMES = table_of(Game).c
SEATS = table_of(Seating).c
TERMS = table_of(StoredTerms).c
DRAFTS = table_of(Draft).c
SAID = COUNT_SHOWN.scalar_subquery()
BEGUN = (
    select(DRAFTS.words)
    .where(DRAFTS.game == GAMES.id, DRAFTS.seat == READER, DRAFTS.after == GAMES.after)
    .correlate(table_of(Game))
    .scalar_subquery()
)
SELECT_PULSE = select(
    GAMES.status, GAMES.seq, GAMES.after, GAMES.redactions, GAMES.ended_at, SEATS.epoch, SAID, BEGUN
).where(GAMES.id == bindparam("of"), SEATS.game == GAMES.id, SEATS.seat == READER)
SELECT_WATCHED = select(GAMES.status, GAMES.after).where(
    GAMES.id == bindparam("of"), TERMS.game == GAMES.id, TERMS.watched
)


@pulses.get("/t/<token>/pulse")
def show_player_pulse(token: str) -> Pulse:
    ticket = unseal_ticket(token, current_context().links.keys)
    with current_context().database.connect() as connection:
        found = connection.execute(SELECT_PULSE, {"of": ticket.game, "reader": ticket.seat}).first()
    if found is None:
        raise errors.GameGone
    status, seq, after, redactions, ended_at, generation, said, begun = found
    if status == GameStatus.CANCELLED:
        raise errors.GameCalledOff
    known = current_context().history_cache.get(ticket.game)
    if known is None or (known.seq, known.redactions) != (seq, redactions) or ended_at is not None:
        _check_in_full(ticket)
    elif known.is_of_earlier_player(ticket):
        raise errors.SeatLeft(ticket.game)  # otherwise the holder would get a ticket to another player's seat
    with current_context().reading() as session:
        if is_set_back(current_context(), session, ticket):
            raise errors.GameSetBack
    if generation != ticket.generation:
        raise errors.LinkWithdrawn
    page = link_of(ticket if ticket.words else replace(ticket, after=after, act_tag=b""))
    mark = mark_draft(begun or "")
    return {"after": after, "said": said, "begun": mark, "page": page, **_describe_end(ticket.game, status)}


@pulses.post("/t/<token>/seen")
def note_page_seen(token: str) -> Response:
    """Start the turn's clock when a script reports that the page is shown; link scanners run no scripts."""
    case = load_ticket(token)
    if not is_csrf_valid():
        return Response(status=400)
    if case.awaits_letter and not visitors.allow(visitors.LimitedAction.PAGES_SEEN):
        return Response(status=429)
    return Response(status=204)


def _check_in_full(ticket: Ticket) -> None:
    with current_context().reading() as session:
        game = session.get_one(Game, ticket.game)
        seating = session.get_one(Seating, (ticket.game, ticket.seat))
        if current_context().history_of(session, game).is_of_earlier_player(ticket):
            raise errors.SeatLeft(ticket.game)
    if seating.generation == ticket.generation:
        check_still_shown(game, seating)


@pulses.get("/g/<game>/pulse")
def show_spectator_pulse(game: str) -> Pulse:
    with current_context().database.connect() as connection:
        found = connection.execute(SELECT_WATCHED, {"of": game}).first()
    if found is None or found.status == GameStatus.CANCELLED:
        raise errors.GameNotWatchable
    page = url_for("readonly_pages.show_spectator_page", game=game)
    return {"after": found.after, "said": 0, "page": page, **_describe_end(game, found.status)}


def _describe_end(game: str, status: GameStatus) -> Pulse:
    if status != GameStatus.OVER:
        return {"over": False, "awaited": False}
    return {"over": True, "awaited": read(is_review_awaited, game)}
