"""Links made new, where somebody else may have them; and the way on from a link that is not good any more."""

from __future__ import annotations

from flask import Blueprint, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.tokens import OutdatedToken, unseal_ticket
from server.accounts.addresses import mail_links, renew_links
from server.store.models import Seating
from server.web.game.ticket_context import TicketContext, load_ticket, token_of
from server.web.game.ticket_forms import SeatForm, answers_form, do_at_once, render_form
from server.web.kit import errors, locale, request_context
from server.web.kit.request_context import current_context

pages = Blueprint("links_page", __name__)


def _render_page(case: TicketContext, wrong: str = "") -> str:
    action = url_for("links_page.renew", token=token_of(case.turn_ticket))
    return render_form("links.html", SeatForm.LINKS, case, wrong, action=action)


@pages.get("/t/<token>/links")
def show_links_page(token: str) -> ResponseReturnValue:
    """What making all links new would mean, and the button."""
    return _render_page(load_ticket(token))


@pages.post("/t/<token>/links")
@answers_form(SeatForm.LINKS, _render_page)
def renew(case: TicketContext) -> ResponseReturnValue:
    """The button was pressed: from now on no link so far opens anything. The new ones come by mail alone."""
    seat = case.game.id, case.ticket.seat
    do_at_once(lambda unit: renew_links(unit, unit.session.get_one(Seating, seat)))
    locale.use_player_locale(current_locale(), "")  # the links around this page are dead by now
    words = gettext(
        "A mail with your new links is on its way for each of your games. This page is closed now."
    )
    return errors.render_message(gettext("Your links are new"), words, 200)


@pages.post("/t/<token>/again")
def mail_again(token: str) -> ResponseReturnValue:
    """Mail the links that work to the player of a seat, at the address on file: whoever asks learns nothing.

    Raises `ForgedToken`.
    """
    if not request_context.is_csrf_valid(errors.again_subject(token)):
        return errors.render_expired_form(url_for("ticket_pages.show_ticket", token=token))
    try:
        ticket = unseal_ticket(token, current_context().links.keys)
    except OutdatedToken as error:
        ticket = error.ticket
    do_at_once(lambda unit: mail_links(unit, ticket))
    words = gettext("If that seat is still yours, a mail with links that work is on its way to your address.")
    return errors.render_message(gettext("Look in your mail"), words, 200)
