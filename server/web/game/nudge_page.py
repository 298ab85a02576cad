"""The button that reminds whoever is to move, for those who wait."""

from __future__ import annotations

from flask import Blueprint, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.wording import phrases
from emails.wording.requests import NUDGED
from server.lobby.nudges import may_nudge, nudge
from server.outbox.unit_of_work import open_unit
from server.store.refusals import Refusal
from server.web.game.page_readers import ButtonForm
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, token_of
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("nudge_page", __name__)


def build_nudge_form(case: TicketContext) -> ButtonForm | None:
    """The form of the button; None where nobody can be reminded, or not now."""
    with current_context().reading() as session:
        if not may_nudge(session, case.game, case.history, case.ticket.seat, now()):
            return None
    action = url_for("nudge_page.send_nudge", token=token_of(case.turn_ticket))
    return ButtonForm(action, request_context.csrf_token(_csrf_subject(case)))


@pages.post("/t/<token>/nudge")
def send_nudge(token: str) -> ResponseReturnValue:
    """The button was pressed: the reminder is on its way. Pressed twice, it is sent once."""
    case = load_ticket(token)
    back = link_of(case.turn_ticket), gettext("To the game")
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        words = gettext(request_context.FORM_EXPIRED)
        return errors.render_message(gettext("Nobody was reminded"), words, 400, *back)
    try:
        with open_unit(current_context(), now()) as unit:
            person = nudge(unit, case.game.id, case.ticket.seat)
            unit.commit()
    except Refusal as error:
        return errors.render_message(gettext("Nobody was reminded"), errors.note_refusal(error), 409, *back)
    name = phrases.safe_name(person.name)
    return errors.render_message(
        gettext("%(name)s gets a reminder", name=name),
        " ".join(filter(None, (case.absence, gettext(NUDGED)))),
        200,
        *back,
    )


def _csrf_subject(case: TicketContext) -> str:
    return f"nudge {case.game.id} {case.ticket.seat}"
