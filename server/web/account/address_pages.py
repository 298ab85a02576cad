"""The forms of the settings page that are about a player's addresses, and the link with which they sign in.

Another address can be asked for with a ticket too: then the address in use is asked first
(server/accounts/address_requests.py).
"""

from __future__ import annotations

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from emails.letters.proposal_letter import LONGEST_ADDRESS
from server.accounts import address_requests, sign_in, undeliverable
from server.accounts.user_agents import summarize_agent
from server.store.refusals import Refusal
from server.web.account.settings_page import render_settings, typed_fields
from server.web.account.sign_in_pages import allow_sign_in, too_many_sentence
from server.web.game.ticket_context import TicketContext, token_of
from server.web.game.ticket_forms import SeatForm, answers_form, do_at_once
from server.web.kit import errors
from server.web.kit.request_context import current_context, now

pages = Blueprint("address_pages", __name__)


@pages.post("/t/<token>/settings/address")
@answers_form(SeatForm.SETTINGS, render_settings)
def change_address(case: TicketContext) -> ResponseReturnValue:
    """Ask for another address; nothing changes before those who read it, and the one in use, say so."""
    address = typed_fields().get("address", "")[:LONGEST_ADDRESS]
    game, seat, kept = case.game.id, case.ticket.seat, "address"
    browser = summarize_agent(request.user_agent.string)
    try:
        if case.is_own_browser:
            address_requests.request_address_confirmation(
                current_context(), game, seat, address, now(), browser=browser
            )
        else:
            due_at = address_requests.request_move(current_context(), game, seat, address, now(), browser)
            kept = "asked" if due_at is None else "due"
    except Refusal as error:
        return render_settings(case, beside={"address": errors.note_refusal(error)}), 422
    return _redirect(case, kept)


@pages.post("/t/<token>/settings/again")
@answers_form(SeatForm.SETTINGS, render_settings)
def resume_delivery(case: TicketContext) -> ResponseReturnValue:
    """The player says that letters can reach their address again: they go there, and nowhere else."""
    seat = case.ticket.seat
    do_at_once(lambda unit: undeliverable.clear_bounce_of_seat(unit, case.game.id, seat))
    return _redirect(case, "again")


@pages.post("/t/<token>/settings/signin")
@answers_form(SeatForm.SETTINGS, render_settings, 429)
def mail_sign_in_link(case: TicketContext) -> ResponseReturnValue:
    """Mail a link to the player's address that signs in and leads on to this page."""
    if not allow_sign_in():
        return render_settings(case, too_many_sentence()), 429
    sign_in.request_link_for(current_context(), case.player, now(), case.game.id)
    return _redirect(case, "link")


def _redirect(case: TicketContext, kept: str) -> ResponseReturnValue:
    token = token_of(case.ticket)
    return redirect(url_for("settings_page.show_settings", token=token, kept=kept), 303)
