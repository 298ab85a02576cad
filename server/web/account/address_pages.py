"""The forms of the settings page that are about a player's addresses, and the link with which they sign in.

Another address can be asked for with a ticket too: then the address in use is asked first
(server/accounts/address_requests.py).
"""

from __future__ import annotations

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.letters.proposal_letter import LONGEST_ADDRESS
from server.accounts import address_requests, sign_in, undeliverable
from server.accounts.user_agents import summarize_agent
from server.outbox.unit_of_work import open_unit
from server.store.refusals import Refusal
from server.web.account.settings_view import is_form_valid, is_own_browser, render_settings
from server.web.account.sign_in_pages import allow_sign_in, too_many_sentence
from server.web.game.ticket_context import TicketContext, load_ticket
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("address_pages", __name__)


@pages.post("/t/<token>/settings/address")
def change_address(token: str) -> ResponseReturnValue:
    """Ask for another address; nothing changes before those who read it, and the one in use, say so."""
    case = load_ticket(token)
    address = request.form.get("address", "").strip()[:LONGEST_ADDRESS]
    if not is_form_valid(case):
        return _render_expired(case, address=address)
    game, seat, kept = case.game.id, case.ticket.seat, "address"
    browser = summarize_agent(request.user_agent.string)
    try:
        if is_own_browser(case):
            address_requests.request_address_confirmation(
                current_context(), game, seat, address, now(), browser=browser
            )
        else:
            due_at = address_requests.request_move(current_context(), game, seat, address, now(), browser)
            kept = "asked" if due_at is None else "due"
    except Refusal as error:
        return render_settings(case, {"address": address}, {"address": errors.note_refusal(error)}), 422
    return _redirect(token, kept)


@pages.post("/t/<token>/settings/again")
def resume_delivery(token: str) -> ResponseReturnValue:
    """The player says that letters can reach their address again: they go there, and nowhere else."""
    case = load_ticket(token)
    if not is_form_valid(case):
        return _render_expired(case)
    with open_unit(current_context(), now()) as unit:
        undeliverable.clear_bounce_of_seat(unit, case.game.id, case.ticket.seat)
        unit.commit()
    return _redirect(token, "again")


@pages.post("/t/<token>/settings/signin")
def mail_sign_in_link(token: str) -> ResponseReturnValue:
    """Mail a link to the player's address that signs in and leads on to this page."""
    case = load_ticket(token)
    if not is_form_valid(case):
        return _render_expired(case)
    if not allow_sign_in():
        return render_settings(case, {}, {"": too_many_sentence()}), 429
    try:
        sign_in.request_link_for(current_context(), case.player, now(), case.game.id)
    except Refusal as error:
        return render_settings(case, {}, {"": errors.note_refusal(error)}), 429
    return _redirect(token, "link")


def _render_expired(case: TicketContext, **typed: str) -> ResponseReturnValue:
    return render_settings(case, typed, {"": gettext(request_context.FORM_EXPIRED)}), 400


def _redirect(token: str, kept: str) -> ResponseReturnValue:
    return redirect(url_for("settings_page.show_settings", token=token, kept=kept), 303)
