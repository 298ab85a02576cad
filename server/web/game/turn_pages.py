"""The pages of a turn: dock, preview, question, placement form, nudge, and the page while waiting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext, ngettext
from emails.picture.overlay import Overlay
from emails.replies.clerk.proposals import ask_which_turn, propose
from emails.tokens import Ticket
from emails.wording import costs, phrases
from emails.wording.costs import ConquestVerb, PlacementCheck
from emails.wording.deadlines import describe_reserve
from emails.wording.narration import build_overlay, narrate_events
from emails.wording.options import Option
from emails.wording.requests import NUDGED
from engine.actions import Unreadable
from engine.board import Point
from engine.cards import COPIES, Bag, Symbol
from engine.events import TurnEnded, TurnOver
from engine.notation.orders import Verb
from engine.position import GUARDS_PER_SEAT, Phase, View, view
from engine.provinces import province_at
from server.lobby.nudges import may_nudge, nudge
from server.store.event_log import StartedHistory, require_started
from server.store.turn_clock import find_reserve
from server.turns.dry_run import LinesRefused
from server.web.game.board_scene import CornerLink, scene_values, standing_values
from server.web.game.dock import MOST_DRAWN, play_values
from server.web.game.finished_game import finished_game_values
from server.web.game.preview import Disambiguation, PreviewOutcome, preview_lines
from server.web.game.ticket_context import (
    SeatForm,
    TicketContext,
    answers_seat_form,
    form_token,
    link_of,
    load_ticket,
    path_of,
    render_note,
    token_of,
)
from server.web.game.turn_state import DockSelection, TurnState, load_state
from server.web.game.viewers import ButtonForm, build_return_form, ticket_page_links
from server.web.game.votes_page import note_plan, note_votes, tell_missed_plan
from server.web.kit import cookies, errors
from server.web.kit.locale import localize_orders
from server.web.kit.request_context import csrf_token, current_context, in_transaction, now

LONGEST_FIELD_NAME = 40
GIVE_FIELD_PREFIX = "give-"
MOST_CARDS_GIVEN = 60
"""More cards than exist."""
VERBS: dict[str, ConquestVerb] = {"occupy": Verb.OCCUPY, "takeover": Verb.TAKEOVER}
pages = Blueprint("turn_pages", __name__)


@dataclass(frozen=True, slots=True)
class PlacementForm:
    verb: ConquestVerb
    guards: tuple[str, ...]
    given: tuple[str, ...] | None
    """Names of symbols, one for each card; None if the form has no such fields."""

    @property
    def words(self) -> str:
        """The form as an order; empty if no guard is placed."""
        if not self.guards:
            return ""
        return f"{self.verb} {'+'.join(self.guards)}" + (
            f" give {'+'.join(self.given)}" if self.given else ""
        )

    def province_in(self, view: View) -> str:
        """Return the name of the province of the first guard; empty if there is none."""
        places = view.table.board.places
        first = next((places[name] for name in self.guards if name in places), None)
        return "" if first is None else str(province_at(view.table, first).first)

    def cost_for(self, view: View) -> PlacementCheck:
        places = view.table.board.places
        unknown = next((name for name in self.guards if name not in places), None)
        if unknown is not None:
            return PlacementCheck(
                False, (gettext("There is no symbol space “%(name)s” on this board.", name=unknown),)
            )
        guards = tuple(sorted(places[name] for name in self.guards))
        given = (
            None if self.given is None else Bag.of(Symbol(name) for name in self.given if name in [*Symbol])
        )
        return costs.check_placement(view, self.verb, guards, given)


def read_placement_form() -> PlacementForm | None:
    verb = VERBS.get(request.values.get("place", ""))
    if verb is None:
        return None
    ticked = request.values.getlist("guard")[: GUARDS_PER_SEAT + 2]
    guards = tuple(name[:LONGEST_FIELD_NAME] for name in ticked)
    given: list[str] = []
    asked = False
    for name, value in request.values.items():
        symbol = name.removeprefix(GIVE_FIELD_PREFIX)[:LONGEST_FIELD_NAME]
        if name.startswith(GIVE_FIELD_PREFIX):
            asked = True
            number = min(int(value[:4]), COPIES) if value.isascii() and value.isdigit() else 0
            given += [symbol] * number
    return PlacementForm(verb, guards, tuple(given[:MOST_CARDS_GIVEN]) if asked else None)


@pages.get("/t/<token>/sum")
def show_cost(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    asked = read_placement_form()
    if not isinstance(case.history, StartedHistory) or asked is None:
        found = PlacementCheck(False, (gettext(costs.NOT_YOUR_ACTIONS),))
    else:
        known = load_state(case).known if case.view.my_turn else case.view
        found = asked.cost_for(known)
    return render_template("placement_sum.html", sum=found)


def build_nudge_form(case: TicketContext) -> ButtonForm | None:
    with current_context().reading() as session:
        if not may_nudge(session, case.game, case.history, case.ticket.seat, now()):
            return None
    action = case.link_to("turn_pages.send_nudge")
    return ButtonForm(action, form_token(SeatForm.NUDGE, case))


def _render_refusal(case: TicketContext, wrong: str) -> str:
    return render_note(case, gettext("Nobody was reminded"), wrong)


@pages.post("/t/<token>/nudge")
@answers_seat_form(SeatForm.NUDGE, _render_refusal)
def send_nudge(case: TicketContext) -> ResponseReturnValue:
    """Send a reminder to the player to move. A second press sends none."""
    person = in_transaction(lambda unit: nudge(unit, case.game.id, case.ticket.seat))
    title = gettext("%(name)s gets a reminder", name=phrases.safe_name(person.name))
    return render_note(case, title, " ".join(filter(None, (case.absence, gettext(NUDGED)))))


@dataclass(frozen=True, slots=True)
class ChoiceLink:
    choice: Option
    link: str


def link_choice(ticket: Ticket, choice: Option) -> ChoiceLink:
    return ChoiceLink(choice, link_of(replace(ticket, words=choice.words)))


class NoticeKind(StrEnum):
    """Kind of a notice; also its CSS class."""

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
    case: TicketContext, look: DockSelection | None = None, words: str = "", notice: Notice | None = None
) -> str:
    """`look`: the selection in the dock. `words`: orders that the reader typed and may want to correct."""
    if not case.is_current:
        return _render_moved_on(case)
    if not is_at_turn(case):
        return _render_watch_page(case, notice)
    if not case.lines:
        return render_turn_page(load_state(case, look), notice, words)
    try:
        found = preview_lines(case.position, case.ticket.seat, case.lines)
    except LinesRefused as refused:
        said = localize_orders(case.ticket.words)
        if (meant := _propose(case, refused)) is not None:
            return _render_question(case, meant)
        return render_turn_page(load_state(case), _refusal_notice(refused), said)
    if isinstance(found, Disambiguation):
        return _render_question(case, found)
    return _render_preview(case, found)


def _propose(case: TicketContext, refused: LinesRefused) -> Disambiguation | None:
    """Return suggestions for unreadable orders; None if they are readable, or nothing fits."""
    if not isinstance(refused.refusal, Unreadable) or refused.refusal.did_you_mean:
        return None
    found = propose(case.lines, case.view, {}, (current_locale().language,))
    question = ask_which_turn(found, case.view)
    if question is None:
        return None
    said = "; ".join(case.lines)[:LONGEST_SAID]
    return Disambiguation(said, case.view, question.choices, (), {}, {}, question.more)


LONGEST_SAID = 80


def nothing_done_notice(*why: str) -> Notice:
    return Notice(NoticeKind.REFUSED, gettext("Nothing was done"), why)


def _refusal_notice(refused: LinesRefused) -> Notice:
    why = errors.note_refusal(refused)
    if refused.line:
        why = gettext("“%(line)s” is not done. %(why)s", line=localize_orders(refused.line[:80]), why=why)
    return nothing_done_notice(why)


def _render_moved_on(case: TicketContext) -> str:
    act, known = case.act, case.view
    late = tuple(
        gettext("%(name)s ran out of time, and the server played.", name=phrases.safe_name(name))
        for name in case.late
    )
    if act is None:
        told = (*late, *narrate_events(case.events_after(case.ticket.after), known))
        return _render_watch_page(
            case, Notice(NoticeKind.MOVED, gettext("This link is old: the game went on")), told
        )
    notice = Notice(
        NoticeKind.DONE,
        gettext("It is done"),
        tuple(narrate_events(act.told, known)),
        act.undone,
        act.reason,
    )
    if act.seq == case.history.after and known.my_turn:
        return render_turn_page(load_state(case), notice)
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
        "turn_link": link_of(case.turn_ticket),
        **scene_values(case.game.id, known, marked, spots),
        "links": ticket_page_links(case),
        **more,
    }
    return render_template(template, **_frame_values(case), **facts)


def _frame_values(case: TicketContext) -> dict[str, object]:
    return {
        "case": case,
        "name": phrases.safe_name(case.game.name),
        "reader": phrases.safe_name(case.seating.name),
        "plays_at_once": cookies.plays_at_once(case.seating.player),
        "offers_at_once": "offer" in request.args,
    }


def _render_watch_page(case: TicketContext, notice: Notice | None, after: tuple[str, ...] = ()) -> str:
    known = case.view
    since, before = case.events_since
    pointed = replace(build_overlay(since, before, known), labels={}, targets=frozenset())
    told = after or (() if notice else tuple(narrate_events(since, known)))
    if not known.table.over:
        forms = {"nudge": build_nudge_form(case), "comeback": build_return_form(case)}
        more = {"plan": note_plan(case), "votes": note_votes(case), **forms}
        return _render_page("waiting.html", case, known, pointed, None, notice=notice, since=told, **more)
    ended = finished_game_values(case.game, case.history, known)
    return _render_page(
        "finished.html", case, known, pointed, None, notice=notice, since=told, frame="game.html", **ended
    )


# --- a turn ---------------------------------------------------------------------------------------------


def is_at_turn(case: TicketContext) -> bool:
    """True if the ticket is current and it is its bearer's turn."""
    return case.is_current and case.view.my_turn and not case.has_resigned


def render_overtaken_page(case: TicketContext) -> str:
    """Render the page after an outdated button was pressed: the game moved on, and the draft is gone."""
    gone = gettext("The game has moved on; what you had begun on that page is gone.")
    notice = Notice(NoticeKind.MOVED, gettext("Nothing was done"), (gone,))
    if case.view.my_turn:
        return render_turn_page(load_state(case), notice)
    return _render_watch_page(
        case, notice, tuple(narrate_events(case.events_after(case.ticket.after), case.view))
    )


def render_turn_page(state: TurnState, notice: Notice | None = None, words: str = "", said: str = "") -> str:
    case, known = state.case, state.case.view
    if "said" in request.args and notice is not None and not notice.undone:
        said, notice = " ".join(notice.sentences), None
    told = case.link_to("advice_page.show_advice") if state.is_advised else ""
    return render_template(
        "turn.html",
        **_frame_values(case),
        **standing_values(case.game.id, known) | {"links": ticket_page_links(case)},
        **play_values(state, said),
        reserve=_describe_reserve(case),
        notice=notice,
        own=_narrate_own(case),
        missed=tell_missed_plan(case),
        votes=note_votes(case),
        words=words,
        advice_link=told,
    )


def _describe_reserve(case: TicketContext) -> str:
    with current_context().reading() as session:
        return describe_reserve(find_reserve(session, case.game, case.deadline, now()), now())


def _narrate_own(case: TicketContext) -> tuple[str, ...]:
    since, _ = case.events_since
    ends = [number for number, fact in enumerate(since, 1) if isinstance(fact, TurnOver)]
    mine = (at for at, fact in enumerate(since) if getattr(fact, "seat", None) == case.ticket.seat)
    begun = next((at for at in mine if at >= (ends[-1] if ends else 0)), len(since))
    return tuple(narrate_events(since[begun:], case.view))


# --- what words would do --------------------------------------------------------------------------------


def _render_preview(case: TicketContext, seen: PreviewOutcome) -> str:
    seat, ahead = case.ticket.seat, seen.preview
    after = view(ahead.position, seat)
    told = ahead.events
    marked = replace(build_overlay(told, case.position.table, after, seen.path), changed=frozenset())
    if not after.table.last_turn:  # the arrow only distinguishes red walls from black ones
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
    ahead, table = seen.preview, seen.preview.position.table
    left = table.actions_left - seen.stops_at_draw
    over = table.phase is Phase.ACTIONS and (
        not left or any(isinstance(event, TurnEnded) for event in ahead.events)
    )
    if table.has_winning_score or (over and table.last_turn):
        return gettext("The game is then over.")
    if over:
        following = phrases.safe_name(require_started(case.history).following_name)
        return gettext("Your turn is then over, and %(name)s is next.", name=following)
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
    goals = {path[-1] for path in asked.paths}
    kept = {point: label for point, label in asked.numbers.items() if point in goals or not goals}
    tried = tuple((case.ticket.seat, path) for path in asked.paths[:MOST_DRAWN])
    if asked.trails:
        tried = ((case.ticket.seat, asked.trails[0][:-1]),)
    marked = Overlay(labels=kept | asked.labels, marches=tried)
    found = [link_choice(case.turn_ticket, choice) for choice in asked.choices]
    return _render_page(
        "question.html",
        case,
        asked.known,
        marked,
        line=localize_orders(asked.line),
        more=asked.more,
        found=found,
    )
