"""The page on which those who play ask each other for more time or a pause, and agree or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_zone, gettext, gettext_noop
from emails.wording import phrases
from emails.wording.requests import MotionKind, MotionTerms
from emails.wording.times.deadlines import format_deadline
from server.accounts.player_returns import return_player
from server.lobby.motions import (
    MotionOutcome,
    decline_motion,
    support_motion,
    tell_outcome,
)
from server.lobby.open_motions import MotionState, hours_asked, hours_left_to_add, list_motions
from server.lobby.seat_returns import YOU_ARE_BACK
from server.outbox.unit_of_work import open_unit
from server.store.histories import StartedHistory, require_started
from server.store.refusals import Refusal
from server.store.states import Channel
from server.web.game import page_readers
from server.web.game.notes.motion_note import agreement_subject
from server.web.game.notes.plan_note import note_plan
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, redirect_to_game, token_of
from server.web.kit import errors, request_context, visitors
from server.web.kit.request_context import current_context, now

pages = Blueprint("agreements_page", __name__)
SAY: Mapping[str, Callable[..., MotionOutcome]] = {
    "ask": support_motion,
    "agree": partial(support_motion, asked=True),
    "decline": decline_motion,
}
"""What the buttons send."""
BACK = "back"
"""What the button of whoever was away sends."""


@dataclass(frozen=True, slots=True)
class MotionWords:
    """What is said of something that can be asked for."""

    title: str
    meaning: str
    button: str
    """Of whoever asks for it first."""


WORDS: Mapping[MotionKind, MotionWords] = {
    MotionKind.MORE_TIME: MotionWords(
        gettext_noop("More time for this turn"),
        gettext_noop("It gets %(time)s more. Who is to move asks, and one of the others gives it."),
        gettext_noop("Ask for more time"),
    ),
    MotionKind.PAUSE: MotionWords(
        gettext_noop("A pause"),
        gettext_noop(
            "No time runs on any turn until the game is resumed, for thirty days at most. "
            "Who opened the game pauses it alone; else all who play have to agree."
        ),
        gettext_noop("Ask for a pause"),
    ),
    MotionKind.RESUME: MotionWords(
        gettext_noop("Go on"),
        gettext_noop(
            "Time runs again, and the turn has what was left of its own. "
            "Who opened the game resumes it alone; else all who play have to agree."
        ),
        gettext_noop("Ask to go on"),
    ),
    MotionKind.CLOSE: MotionWords(
        gettext_noop("End the game as it stands"),
        gettext_noop(
            "Somebody has vanished or resigned. The game ends with the points as they are, "
            "once all who still play agree. That cannot be taken back."
        ),
        gettext_noop("Ask to end it"),
    ),
    MotionKind.GO_ON: MotionWords(
        gettext_noop("Go on without %(gone)s"),
        gettext_noop(
            "Nobody waits: each turn of %(gone)s is skipped, and the guards stay, until %(gone)s is back or "
            "somebody else plays there. All who still play have to agree."
        ),
        gettext_noop("Ask to go on without %(gone)s"),
    ),
    MotionKind.REPLACE: MotionWords(
        gettext_noop("Somebody else for %(gone)s"),
        gettext_noop(
            "Each of you gets a link to pass on: whoever takes the seat by it plays on, with the hand and "
            "the position from then on. Until then %(gone)s can come back. "
            "All who still play have to agree."
        ),
        gettext_noop("Ask for somebody else for %(gone)s"),
    ),
}


@dataclass(frozen=True, slots=True)
class ShownMotion:
    """Something that can be asked for, as the page shows it."""

    kind: MotionKind
    words: MotionWords
    without: int | None
    """The seat that it is about, where it is about one."""
    gone: str
    """The name of its player."""
    added: str
    """How much more time it would be."""
    most: int
    """The hours that can be asked for at most; 0 where there is nothing to choose."""
    until: str
    """When a pause would end by itself, where somebody has asked for that."""
    hours: int
    """The hours that somebody has asked for; 0: as many as are usual."""
    ends_at: int | str
    """That end in seconds since 1970; empty where nobody has asked for one."""
    choosing: bool
    """Whether the last day of a pause can be chosen."""
    asked_by: str
    """The name of whoever has asked; empty where nobody has."""
    mine: bool
    """Whether that is the reader."""
    agreed: bool
    missing: tuple[str, ...]
    """The names of those who have not agreed yet."""
    gives: bool
    """Whether the reader's word alone is enough."""


@pages.get("/t/<token>/agreements")
def show_agreements(token: str) -> ResponseReturnValue:
    """What can be asked, what is asked, and who has agreed; nothing happens yet."""
    case = load_ticket(token)
    return _render_page(case) if isinstance(case.history, StartedHistory) else redirect_to_game(case)


@pages.post("/t/<token>/agreements")
def agree(token: str) -> ResponseReturnValue:
    """A button was pressed: the bearer asks, agrees, or does not. Pressed twice, it is done once."""
    case = load_ticket(token)
    if not isinstance(case.history, StartedHistory):
        return redirect_to_game(case)
    if not request_context.is_csrf_valid(agreement_subject(case)):
        return _render_page(case, gettext(request_context.FORM_EXPIRED)), 400
    if request.form.get("say") == BACK:
        return _come_back(case)
    try:
        kind = MotionKind(request.form.get("motion", ""))
        say = SAY[request.form.get("say", "")]
    except (ValueError, KeyError):
        return _render_page(case, gettext("Please choose one of these.")), 422
    try:
        with open_unit(current_context(), now()) as unit:
            outcome = say(unit, case.game.id, case.ticket.seat, kind, Channel.WEB, terms=_read_terms())
            unit.commit()
    except Refusal as error:
        return _render_page(load_ticket(token), errors.note_refusal(error)), 409
    current_context().wake()
    return redirect(_address_of(case, motion=kind.value, outcome=outcome.value), 303)


def _read_terms() -> MotionTerms:
    """What the button that was pressed is about; of whoever agrees, what they were shown."""
    agrees = request.form.get("say") == "agree"
    seat = request.form.get("without", "")
    hours = request.form.get("asked-hours" if agrees else "hours", "").strip()
    without = int(seat) if re.fullmatch("[0-3]", seat) else None
    until = _read_asked_end() if agrees else _read_last_day()
    return MotionTerms(without, int(hours) if re.fullmatch("[0-9]{1,4}", hours) else 0, until)


def _read_asked_end() -> datetime | None:
    """When a pause ends by itself that the page showed as asked for; None where it showed no end."""
    seconds = request.form.get("asked-end", "")
    return datetime.fromtimestamp(int(seconds), UTC) if re.fullmatch("[0-9]{1,11}", seconds) else None


def _read_last_day() -> datetime | None:
    """When the last day of a pause is over that was chosen, for whoever chose it; None where none was."""
    try:
        last = date.fromisoformat(request.form.get("last", "").strip())
        return datetime.combine(last + timedelta(days=1), time(), current_zone()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _come_back(case: TicketContext) -> ResponseReturnValue:
    try:
        with open_unit(current_context(), now()) as unit:
            own = visitors.signed_in_player() == case.player
            return_player(unit, case.player, case.game.id, Channel.WEB, everywhere=own)
            unit.commit()
    except Refusal as error:
        return _render_page(case, errors.note_refusal(error)), 409
    return redirect(_address_of(case, outcome=BACK), 303)


def _address_of(case: TicketContext, **query: str) -> str:
    return url_for("agreements_page.show_agreements", token=token_of(case.turn_ticket), **query)  # type: ignore[arg-type]


def _render_page(case: TicketContext, wrong: str = "") -> str:
    reader, seat = page_readers.reader_of_context(case), case.ticket.seat
    history = case.history
    found: tuple[MotionState, ...] = ()
    if isinstance(history, StartedHistory) and case.game.suspended_at is None:
        with current_context().reading() as session:
            found = list_motions(session, case.game, history, seat, now())
    return render_template(
        "agreements.html",
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        links=page_readers.page_links(reader, "agreements"),
        deadline=case.deadline,
        waits_for=case.other_mover,
        kept=case.is_kept,
        skipped=case.is_skipped,
        motions=[_show_motion(one, case) for one in found],
        done=_told_outcome(),
        wrong=wrong,
        nonce=request_context.csrf_token(agreement_subject(case)),
        action=_address_of(case),
        away=url_for("away_page.show_away_page", token=token_of(case.turn_ticket)),
        plan=note_plan(case),
        back=link_of(case.turn_ticket),
    )


def _show_motion(state: MotionState, case: TicketContext) -> ShownMotion:
    names = [phrases.safe_name(one.name) for one in case.seats]
    history, is_new = require_started(case.history), state.asked_by is None
    return ShownMotion(
        state.kind,
        WORDS[state.kind],
        state.terms.without,
        "" if state.terms.without is None else names[state.terms.without],
        phrases.format_hours(hours_asked(case.game, history, state.terms)),
        hours_left_to_add(case.game, history) if is_new and state.kind is MotionKind.MORE_TIME else 0,
        "" if state.terms.until is None else format_deadline(state.terms.until),
        state.terms.hours,
        "" if state.terms.until is None else int(state.terms.until.timestamp()),
        is_new and state.kind is MotionKind.PAUSE,
        "" if state.asked_by is None else names[state.asked_by],
        state.asked_by == case.ticket.seat,
        state.agreed,
        tuple(names[one] for one in state.missing),
        state.at_once,
    )


def _told_outcome() -> str:
    """What became of the button that was pressed before, in a sentence; empty where none was."""
    if request.args.get("outcome") == BACK:
        return gettext(YOU_ARE_BACK)
    try:
        kind = MotionKind(request.args.get("motion", ""))
        return tell_outcome(kind, MotionOutcome(request.args.get("outcome", "")))
    except ValueError:
        return ""
