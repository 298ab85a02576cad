"""What the page of a game says of what is asked of all who play and still open: who asks, who is awaited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flask import url_for

from emails.i18n import gettext, gettext_noop
from emails.wording import phrases
from emails.wording.requests import MotionKind
from emails.wording.times.deadlines import format_deadline
from server.lobby.open_motions import MotionState, hours_asked, list_motions
from server.store.histories import StartedHistory, require_started
from server.web.game.ticket_context import TicketContext, token_of
from server.web.kit.request_context import csrf_token, current_context, now

ASKED_BY_READER: Mapping[MotionKind, str] = {
    MotionKind.MORE_TIME: gettext_noop("You have asked for %(time)s more for this turn."),
    MotionKind.PAUSE: gettext_noop("You have asked for a pause."),
    MotionKind.RESUME: gettext_noop("You have asked to go on."),
    MotionKind.CLOSE: gettext_noop("You have asked to end the game as it stands."),
    MotionKind.GO_ON: gettext_noop("You have asked to go on without %(gone)s."),
    MotionKind.REPLACE: gettext_noop("You have asked that somebody else plays for %(gone)s."),
}
ASKED_BY_OTHER: Mapping[MotionKind, str] = {
    MotionKind.MORE_TIME: gettext_noop("%(name)s asks for %(time)s more for this turn."),
    MotionKind.PAUSE: gettext_noop("%(name)s asks for a pause."),
    MotionKind.RESUME: gettext_noop("%(name)s asks to go on."),
    MotionKind.CLOSE: gettext_noop("%(name)s asks to end the game as it stands."),
    MotionKind.GO_ON: gettext_noop("%(name)s asks to go on without %(gone)s."),
    MotionKind.REPLACE: gettext_noop("%(name)s asks that somebody else plays for %(gone)s."),
}
READ_FIRST = frozenset({MotionKind.CLOSE, MotionKind.REPLACE})
"""What cannot be taken back: its page says what it means before it is answered."""


@dataclass(frozen=True, slots=True)
class MotionNote:
    """Something that is asked of all who play, in a line, with what its buttons send."""

    kind: MotionKind
    said: tuple[str, ...]
    """Who asks for what, and who has not answered."""
    awaits_reader: bool
    """Whether the reader has not answered."""
    answers: bool
    """Whether the two buttons stand there; else its page is linked."""
    without: int | None
    hours: int
    ends_at: int | str
    """When a pause would end, in seconds since 1970; empty where nobody has said."""
    action: str
    """The page of what is asked, to which the buttons are sent."""
    nonce: str


def note_motions(case: TicketContext) -> tuple[MotionNote, ...]:
    """What is asked and open, for whoever is asked or has asked; nothing where nothing is."""
    history = case.history
    if not isinstance(history, StartedHistory) or case.game.suspended_at is not None:
        return ()
    turn = history.position.table.turn
    if not any(one.is_open(turn, now()) for one in history.agreements.motions.values()):
        return ()
    with current_context().reading() as session:
        found = list_motions(session, case.game, history, case.ticket.seat, now())
    return tuple(_note_motion(one, case) for one in found if one.asked_by is not None)


def _note_motion(state: MotionState, case: TicketContext) -> MotionNote:
    until, seat = state.terms.until, case.ticket.seat
    awaits_reader = not state.agreed and seat not in state.declined
    return MotionNote(
        state.kind,
        tuple(_list_answers(state, case)),
        awaits_reader,
        awaits_reader and state.kind not in READ_FIRST,
        state.terms.without,
        state.terms.hours,
        "" if until is None else int(until.timestamp()),
        url_for("agreements_page.show_agreements", token=token_of(case.turn_ticket)),
        csrf_token(agreement_subject(case)),
    )


def _list_answers(state: MotionState, case: TicketContext) -> Iterator[str]:
    """Who asks for what, who does not agree, and whose answer is awaited, a sentence each."""
    names = [phrases.safe_name(one.name) for one in case.seats]
    mine = state.asked_by == case.ticket.seat
    words = (ASKED_BY_READER if mine else ASKED_BY_OTHER)[state.kind]
    yield gettext(
        words,
        name="" if state.asked_by is None else names[state.asked_by],
        gone="" if state.terms.without is None else names[state.terms.without],
        time=phrases.format_hours(hours_asked(case.game, require_started(case.history), state.terms)),
    )
    if state.terms.until is not None:
        moment = format_deadline(state.terms.until)
        yield gettext("It would end by itself: %(moment)s.", moment=moment)
    for seat in state.declined:
        if seat == case.ticket.seat:
            yield gettext("You do not agree.")
        else:
            yield gettext("%(name)s does not agree.", name=names[seat])
    awaited = [names[seat] for seat in state.missing if seat not in (case.ticket.seat, *state.declined)]
    if awaited and state.agreed:
        yield gettext("Not answered yet: %(names)s.", names=phrases.format_list(awaited))


def agreement_subject(case: TicketContext) -> str:
    """The subject of the CSRF token with which something is asked of all who play, or answered."""
    return f"agree {case.game.id} {case.ticket.seat}"
