"""Links made new, where somebody else may have them; and the way on from a link that is not good any more."""

from __future__ import annotations

from flask import Blueprint, render_template, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.tokens import OutdatedToken, unseal_ticket
from emails.wording import phrases
from server.accounts.link_renewal import mail_links, renew_links
from server.outbox.unit_of_work import open_unit
from server.store.models import Seating
from server.web.game.ticket_context import TicketContext, link_of, load_ticket
from server.web.kit import errors, locale, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("links_page", __name__, template_folder="templates")


@pages.get("/t/<token>/links")
def show_links_page(token: str) -> ResponseReturnValue:
    """What making all links new would mean, and the button."""
    return _render_page(token, load_ticket(token))


@pages.post("/t/<token>/links")
def renew(token: str) -> ResponseReturnValue:
    """The button was pressed: from now on no link so far opens anything. The new ones come by mail alone."""
    case = load_ticket(token)
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        return _render_page(token, case, gettext(request_context.FORM_EXPIRED)), 400
    with open_unit(current_context(), now()) as unit:
        renew_links(unit, unit.session.get_one(Seating, (case.game.id, case.ticket.seat)))
        unit.commit()
    locale.use_player_locale(current_locale(), "")  # the links around this page are dead by now
    words = gettext(
        "A mail with your new links is on its way for each of your games. This page is closed now."
    )
    return errors.render_message(gettext("Your links are new"), words, 200)


def _csrf_subject(case: TicketContext) -> str:
    return f"links {case.game.id} {case.ticket.seat}"


def _render_page(token: str, case: TicketContext, wrong: str = "") -> str:
    return render_template(
        "links.html",
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        wrong=wrong,
        nonce=request_context.csrf_token(_csrf_subject(case)),
        action=url_for("links_page.renew", token=token),
        back=link_of(case.turn_ticket),
    )


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
    with open_unit(current_context(), now()) as unit:
        mail_links(unit, ticket)
        unit.commit()
    words = gettext("If that seat is still yours, a mail with links that work is on its way to your address.")
    return errors.render_message(gettext("Look in your mail"), words, 200)
