"""Pages that change a player's mail address or renew the links in their letters.

A ticket can request another address too; then the current address must confirm first
(server/accounts/addresses.py).
"""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.letters.lobby_letters import LONGEST_ADDRESS
from emails.picture.palette import clean_name
from emails.tokens import OutdatedToken, unseal_ticket
from emails.wording import phrases
from server.accounts import addresses, bounces, sign_in
from server.accounts.addresses import mail_links, renew_links
from server.accounts.sign_in import summarize_agent
from server.store.models import Seating
from server.store.refusals import Refusal
from server.store.states import ConfirmationPurpose
from server.web.account.settings_page import render_settings, typed_fields
from server.web.account.sign_in_pages import allow_sign_in, too_many_sentence
from server.web.game.ticket_context import (
    SeatForm,
    TicketContext,
    answers_seat_form,
    load_ticket,
    render_form,
    token_of,
)
from server.web.kit import errors, locale, request_context
from server.web.kit.request_context import current_context, in_transaction, now, redirect_to

DECLINE = "no"
pages = Blueprint("address_pages", __name__)


@pages.get("/c/<code>")
def show_confirmation(code: str) -> ResponseReturnValue:
    try:
        return _render_confirmation(code, addresses.find_pending_address(current_context(), code, now()))
    except Refusal as error:
        return _render_not_confirmed(error)


@pages.post("/c/<code>")
def confirm_address(code: str) -> ResponseReturnValue:
    """Confirm a pending address, or decline it (only as the current address)."""
    try:
        if not request_context.is_csrf_valid(f"confirm {code}"):
            return _render_confirmation(
                code,
                addresses.find_pending_address(current_context(), code, now()),
                wrong=gettext(request_context.FORM_EXPIRED),
            ), 400
        declined = request.form.get("wish") == DECLINE
        answer = addresses.decline_move if declined else addresses.confirm_address
        made = in_transaction(lambda unit: answer(unit, code))
    except Refusal as error:
        return _render_not_confirmed(error)
    sentence = _describe_refusal(made) if declined else _describe_consent(made)
    return errors.render_message(
        gettext("Thank you, %(name)s", name=phrases.safe_name(made.name)), sentence, 200
    )


def _describe_consent(made: addresses.PendingAddress) -> str:
    to = clean_name(made.address, LONGEST_ADDRESS)
    if made.purpose is ConfirmationPurpose.MOVE:
        return gettext("%(address)s gets a mail now. Your mails go there once it has said yes.", address=to)
    if made.due_at is not None:
        return gettext(
            "Your mails go to %(address)s from %(time)s on, unless somebody at your address until now "
            "objects or mail arrives there again.",
            address=to,
            time=phrases.format_time(made.due_at),
        )
    return gettext("From now on your mails go to %(address)s.", address=to)


def _describe_refusal(made: addresses.PendingAddress) -> str:
    to = clean_name(made.address, LONGEST_ADDRESS)
    return gettext(
        "Your mails do not go to %(address)s. The links in your earlier mails open nothing any more; "
        "a mail of each of your games with new ones is on its way.",
        address=to,
    )


def _render_confirmation(code: str, made: addresses.PendingAddress, wrong: str = "") -> str:
    return render_template(
        "address_confirmation.html",
        name=phrases.safe_name(made.name),
        address=clean_name(made.address, LONGEST_ADDRESS),
        move=made.purpose is ConfirmationPurpose.MOVE,
        due=phrases.format_time(made.due_at) if made.due_at else "",
        wrong=wrong,
        nonce=request_context.csrf_token(f"confirm {code}"),
        action=url_for("address_pages.confirm_address", code=code),
    )


def _render_not_confirmed(error: Refusal) -> ResponseReturnValue:
    return errors.render_message(gettext("This address is not confirmed"), errors.note_refusal(error), 404)


@pages.post("/t/<token>/settings/address")
@answers_seat_form(SeatForm.SETTINGS, render_settings)
def change_address(case: TicketContext) -> ResponseReturnValue:
    """Request another address; nothing changes before the new and the current address confirm it."""
    address = typed_fields().get("address", "")[:LONGEST_ADDRESS]
    game, seat, kept = case.game.id, case.ticket.seat, "address"
    browser = summarize_agent(request.user_agent.string)
    try:
        if case.is_own_browser:
            addresses.request_address_confirmation(
                current_context(), game, seat, address, now(), browser=browser
            )
        else:
            due_at = addresses.request_move(current_context(), game, seat, address, now(), browser)
            kept = "asked" if due_at is None else "due"
    except Refusal as error:
        return render_settings(case, beside={"address": errors.note_refusal(error)}), 422
    return _redirect(case, kept)


@pages.post("/t/<token>/settings/again")
@answers_seat_form(SeatForm.SETTINGS, render_settings)
def resume_delivery(case: TicketContext) -> ResponseReturnValue:
    """Clear the bounce mark of the player's address, so that letters go there again."""
    in_transaction(lambda unit: bounces.clear_bounce_of_seat(unit, case.game.id, case.ticket.seat))
    return _redirect(case, "again")


@pages.post("/t/<token>/settings/signin")
@answers_seat_form(SeatForm.SETTINGS, render_settings, 429)
def mail_sign_in_link(case: TicketContext) -> ResponseReturnValue:
    if not allow_sign_in():
        return render_settings(case, too_many_sentence()), 429
    sign_in.request_link_for(current_context(), case.player, now(), case.game.id)
    return _redirect(case, "link")


def _redirect(case: TicketContext, kept: str) -> ResponseReturnValue:
    return redirect_to("settings_page.show_settings", token=token_of(case.ticket), kept=kept)


def _render_links(case: TicketContext, wrong: str = "") -> str:
    return render_form("links.html", SeatForm.LINKS, case, wrong, action=case.link_to("address_pages.renew"))


@pages.get("/t/<token>/links")
def show_links_page(token: str) -> ResponseReturnValue:
    return _render_links(load_ticket(token))


@pages.post("/t/<token>/links")
@answers_seat_form(SeatForm.LINKS, _render_links)
def renew(case: TicketContext) -> ResponseReturnValue:
    """Withdraw all links of the player; new ones come only by mail."""
    seat = case.game.id, case.ticket.seat
    in_transaction(lambda unit: renew_links(unit, unit.session.get_one(Seating, seat)))
    locale.use_player_locale(current_locale(), "")  # no links to the player's pages: they are withdrawn
    words = gettext(
        "A mail with your new links is on its way for each of your games. This page is closed now."
    )
    return errors.render_message(gettext("Your links are new"), words, 200)


@pages.post("/t/<token>/again")
def mail_again(token: str) -> ResponseReturnValue:
    """Mail working links to the player of a seat; the visitor learns nothing. Raises `ForgedToken`."""
    if not request_context.is_csrf_valid(errors.again_subject(token)):
        return errors.render_expired_form(url_for("ticket_pages.show_ticket", token=token))
    try:
        ticket = unseal_ticket(token, current_context().links.keys)
    except OutdatedToken as error:
        ticket = error.ticket
    in_transaction(lambda unit: mail_links(unit, ticket))
    words = gettext("If that seat is still yours, a mail with links that work is on its way to your address.")
    return errors.render_message(gettext("Look in your mail"), words, 200)
