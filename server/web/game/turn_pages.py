"""The pages of a game: a turn and its choices, what words would do, a question, how the game stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from flask import render_template, request

from emails.i18n import gettext, ngettext
from emails.picture.overlay import Overlay
from emails.wording import phrases
from emails.wording.narration import build_overlay, narrate_events
from engine.events import TurnEnded
from engine.lattice import Point
from engine.marching import Path
from engine.position import Phase, View
from engine.views import view
from server.turns.dry_run import LinesRefused
from server.web.game import conquests
from server.web.game.board_links import CornerLink
from server.web.game.choice_links import link_choice
from server.web.game.final_chart import finished_game_values
from server.web.game.march_steps import MOST_DRAWN, narrow_choices
from server.web.game.preview import Disambiguation, PreviewOutcome, preview_lines
from server.web.game.readers import ticket_page_links
from server.web.game.scene import scene_values
from server.web.game.ticket_context import TicketContext, link_of, path_of, token_of
from server.web.kit import cookies, errors
from server.web.kit.locale import localize_orders
from server.web.kit.request_context import csrf_token

FEW_CHOICES = 30
"""Up to so many choices all groups stand open."""


class NoticeKind(StrEnum):
    """What a notice is about; a style sheet knows it by this name."""

    DONE = "done"
    MOVED = "moved"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Notice:
    """What the page says first."""

    kind: NoticeKind
    title: str
    sentences: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    reason: str = ""


def render_game_page(
    case: TicketContext, corner: str = "", card: str = "", words: str = "", notice: Notice | None = None
) -> str:
    """The page of a ticket whose game has started, whatever has happened since it was made.

    `corner`, `card`: show the choices of these alone. `words`: what its reader typed and may want to change.
    """
    if not case.is_current:
        return _render_moved_on(case)
    if case.position.table.over or not case.view.my_turn:
        return _render_watch_page(case, notice)
    if not case.lines:
        return _render_turn_page(case, notice, corner, card, words)
    try:
        found = preview_lines(case.position, case.ticket.seat, case.lines)
    except LinesRefused as refused:
        return _render_turn_page(case, _refusal_notice(refused), words=localize_orders(case.ticket.words))
    if isinstance(found, Disambiguation):
        return _render_question(case, found)
    return _render_preview(case, found)


def nothing_done_notice(*why: str) -> Notice:
    """That nothing was done, and why."""
    return Notice(NoticeKind.REFUSED, gettext("Nothing was done"), why)


def _refusal_notice(refused: LinesRefused) -> Notice:
    why = errors.note_refusal(refused)
    if refused.line:
        why = gettext("“%(line)s” is not done. %(why)s", line=localize_orders(refused.line[:80]), why=why)
    return nothing_done_notice(why)


def _render_moved_on(case: TicketContext) -> str:
    """The page of a ticket that has been played, or that the game has overtaken."""
    act, known = case.act, case.view
    late = tuple(
        gettext("%(name)s ran out of time, and the server played.", name=phrases.safe_name(name))
        for name in case.late
    )
    if act is None:
        told = (*late, *narrate_events(case.events_after(case.ticket.after), known))
        return _render_watch_page(
            case, Notice(NoticeKind.MOVED, gettext("The game has moved on since this link was made")), told
        )
    notice = Notice(
        NoticeKind.DONE,
        gettext("It is done"),
        tuple(narrate_events(act.told, known)),
        act.undone,
        act.reason,
    )
    if act.seq == case.history.after and known.my_turn:
        return _render_turn_page(case, notice)
    after = tuple(narrate_events(case.events_after(act.seq), known))
    return _render_watch_page(case, notice, (*late, *after))


# --- what all these pages show --------------------------------------------------------------------------


def _render_page(
    template: str,
    case: TicketContext,
    known: View,
    marked: Overlay,
    spots: Mapping[Point, CornerLink] | None = None,
    **more: object,
) -> str:
    facts = {
        "notice": None,
        "since": (),
        **scene_values(known, marked, spots),
        "links": ticket_page_links(case),
        **more,
    }
    return render_template(
        template,
        case=case,
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        turn_link=link_of(case.turn_ticket),
        plays_at_once=cookies.plays_at_once(case.seating.player),
        offers_at_once="offer" in request.args,
        **facts,
    )


def _render_watch_page(case: TicketContext, notice: Notice | None, after: tuple[str, ...] = ()) -> str:
    """How the game stands, for a reader who cannot or need not act here."""
    known = case.view
    since, before = case.events_since
    pointed = replace(build_overlay(since, before, known), labels={}, targets=frozenset())
    told = after or (() if notice else tuple(narrate_events(since, known)))
    if not known.table.over:
        return _render_page("watch.html", case, known, pointed, notice=notice, since=told)
    ended = finished_game_values(case.history, known)
    return _render_page(
        "finished.html", case, known, pointed, None, notice=notice, since=told, frame="game.html", **ended
    )


# --- a turn ---------------------------------------------------------------------------------------------


def _render_turn_page(
    case: TicketContext, notice: Notice | None, corner: str = "", card: str = "", words: str = ""
) -> str:
    """The choices of the reader whose turn it is, or those of one card and one corner."""
    known = case.view
    since, before = case.events_since
    others, own = _split_by_mover(case)
    ticket = case.turn_ticket
    now = narrow_choices(known, ticket, build_overlay(since, before, known), card, corner)
    return _render_page(
        "turn.html",
        case,
        known,
        now.marks,
        now.spots,
        notice=notice,
        since=others,
        own=own if notice is None or notice.kind != NoticeKind.DONE else (),
        step=now,
        all_open=now.choice_count <= FEW_CHOICES or bool(now.corner),
        camps=conquests.list_conquests(known),
        words=words,
        example=next((localize_orders(one.choice.words) for part in now.sections for one in part.found), ""),
        self_link=path_of(ticket),
    )


def _split_by_mover(case: TicketContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What happened since the reader's last turn: what others did, and what they have done in this turn."""
    since, _ = case.events_since
    ends = [number for number, fact in enumerate(since, 1) if isinstance(fact, TurnEnded)]
    begun = ends[-1] if ends else 0
    own = next(
        (at for at in range(begun, len(since)) if getattr(since[at], "seat", None) == case.ticket.seat), None
    )
    others, mine = (since, ()) if own is None else (since[:own], since[own:])
    return tuple(narrate_events(others, case.view)), tuple(narrate_events(mine, case.view))


# --- what words would do --------------------------------------------------------------------------------


def _render_preview(case: TicketContext, seen: PreviewOutcome) -> str:
    """The board as it would be, what would have happened, and the button."""
    seat, ahead = case.ticket.seat, seen.preview
    after = view(ahead.position, seat)
    told = ahead.events
    marked = replace(build_overlay(told, case.position.table, after, seen.path), changed=frozenset())
    if (
        not after.table.last_turn
    ):  # an arrow beside the dashes tells red walls from black ones, and nothing else
        marked = replace(marked, marches=())
    happens = narrate_events(told, after)
    if seen.stops_at_draw:
        happens.append(gettext("You draw a card that nobody has seen yet from the supply."))
    looked = "look" in request.args
    action = link_of(case.ticket) if looked else path_of(case.ticket)
    return _render_page(
        "preview.html",
        case,
        after,
        marked,
        happens=happens,
        details=[phrases.capitalize_first(detail) for detail in seen.details],
        then=_next_sentence(case, seen),
        hidden=ahead.hidden,
        draws=seen.stops_at_draw,
        lines="; ".join(map(localize_orders, case.lines)),
        later="; ".join(map(localize_orders, seen.later)),
        nonce=csrf_token(f"play {token_of(case.ticket)}"),
        action=action,
        pressed=cookies.plays_at_once(case.seating.player) and not looked,
    )


def _next_sentence(case: TicketContext, seen: PreviewOutcome) -> str:
    """What comes next for the reader."""
    ahead, table = seen.preview, seen.preview.position.table
    left = table.actions_left - seen.stops_at_draw
    over = table.phase is Phase.ACTIONS and (
        not left or any(isinstance(event, TurnEnded) for event in ahead.events)
    )
    if table.has_winning_score or (over and table.last_turn):
        return gettext("The game is then over.")
    if over:
        following = table.names[(table.seat + 1) % len(table.names)]
        return gettext("Your turn is then over, and %(name)s is next.", name=phrases.safe_name(following))
    if table.phase is Phase.MARCH:
        return gettext("Then you march.")
    if table.last_turn:
        return ngettext(
            "Then you have %(number)s action left, and the game ends with this turn.",
            "Then you have %(number)s actions left, and the game ends with this turn.",
            left,
        )
    return ngettext("Then you have %(number)s action left.", "Then you have %(number)s actions left.", left)


def _render_question(case: TicketContext, asked: Disambiguation) -> str:
    """Words that mean several things: each with what it would do."""
    goals = {path[-1] for path in asked.paths}
    kept = {point: label for point, label in asked.numbers.items() if point in goals or not goals}
    tried = tuple((case.ticket.seat, path) for path in asked.paths[:MOST_DRAWN])
    if asked.trails:
        tried = ((case.ticket.seat, asked.trails[0][:-1]),)
    marked = Overlay(labels=kept | asked.labels, marches=tried)
    trails: Sequence[Path] = asked.trails or ((),) * len(asked.choices)
    found = [
        link_choice(case.turn_ticket, choice, trail)
        for choice, trail in zip(asked.choices, trails, strict=True)
    ]
    return _render_page(
        "question.html",
        case,
        asked.known,
        marked,
        line=localize_orders(asked.line),
        more=asked.more,
        found=found,
        signs=" ".join(f"{point}:{label}" for point, label in asked.labels.items()),
    )
