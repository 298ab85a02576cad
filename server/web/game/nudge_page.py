"""The button that reminds whoever is to move, for those who wait."""

from __future__ import annotations

from flask import Blueprint, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.wording import phrases
from emails.wording.requests import NUDGED
from server.lobby.nudges import may_nudge, nudge
from server.web.game.page_readers import ButtonForm
from server.web.game.ticket_context import TicketContext, token_of
from server.web.game.ticket_forms import SeatForm, answers_form, do_at_once, form_token, render_note
from server.web.kit.request_context import current_context, now

pages = Blueprint("nudge_page", __name__)


def build_nudge_form(case: TicketContext) -> ButtonForm | None:
    """The form of the button; None where nobody can be reminded, or not now."""
    with current_context().reading() as session:
        if not may_nudge(session, case.game, case.history, case.ticket.seat, now()):
            return None
    action = url_for("nudge_page.send_nudge", token=token_of(case.turn_ticket))
    return ButtonForm(action, form_token(SeatForm.NUDGE, case))


def _render_refusal(case: TicketContext, wrong: str) -> str:
    return render_note(case, gettext("Nobody was reminded"), wrong)


@pages.post("/t/<token>/nudge")
@answers_form(SeatForm.NUDGE, _render_refusal)
def send_nudge(case: TicketContext) -> ResponseReturnValue:
    """The button was pressed: the reminder is on its way. Pressed twice, it is sent once."""
    person = do_at_once(lambda unit: nudge(unit, case.game.id, case.ticket.seat))
    title = gettext("%(name)s gets a reminder", name=phrases.safe_name(person.name))
    return render_note(case, title, " ".join(filter(None, (case.absence, gettext(NUDGED)))))
