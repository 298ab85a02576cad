"""The page on which a player gives a game up: what that means, and the button.

Every ticket of a seat leads there, and a ticket may come with a letter that was passed on. So the button
gives the game up only where its player is signed in; elsewhere it mails them a link to sign in. To come back
the ticket is enough, as it is for whoever was away.
"""

from __future__ import annotations

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from server.accounts import sign_in
from server.lobby.leaving import YOU_ARE_BACK, resign, take_back_resignation
from server.lobby.open_seats import change_with_retries
from server.mail_addresses import mask_address
from server.outbox.queue import UnitOfWork
from server.store.models import Game, Player
from server.store.states import Channel
from server.web.account.sign_in_pages import allow_sign_in, too_many_sentence
from server.web.game.ticket_context import TicketContext, load_ticket, redirect_to_game, token_of
from server.web.game.ticket_forms import SeatForm, answers_form, do_at_once, render_form, render_note
from server.web.kit.request_context import current_context, now

pages = Blueprint("resign_page", __name__)


def _render_page(case: TicketContext, wrong: str = "", sent: bool = False) -> str:
    with current_context().reading() as session:
        address = session.get_one(Player, case.player).address
    return render_form(
        "resign.html",
        SeatForm.RESIGN,
        case,
        wrong,
        own=case.is_own_browser,
        address=mask_address(address),
        sent=sent,
        action=url_for("resign_page.resign_game", token=token_of(case.turn_ticket)),
    )


def _render_not_back(case: TicketContext, wrong: str) -> str:
    return render_note(case, gettext("You are not back"), wrong)


@pages.get("/t/<token>/resign")
def show_resign_page(token: str) -> ResponseReturnValue:
    """What it means to give the game up, and the button; nothing happens yet."""
    case = load_ticket(token)
    return _render_page(case, sent="sent" in request.args) if case.may_resign else redirect_to_game(case)


@pages.post("/t/<token>/resign")
@answers_form(SeatForm.RESIGN, _render_page)
def resign_game(case: TicketContext) -> ResponseReturnValue:
    """The button was pressed: a caretaker plays on for the seat, or a link to sign in is mailed."""
    if not case.may_resign:
        return redirect_to_game(case)
    if not case.is_own_browser:
        return _mail_link(case)
    do_at_once(lambda unit: resign(unit, case.game.id, case.ticket.seat, Channel.WEB))
    said = (
        gettext("A caretaker plays on for your seat, and the others are told. You can go on watching."),
        gettext("Until somebody else has the seat you can come back."),
    )
    return render_note(load_ticket(token_of(case.ticket)), gettext("You have resigned"), " ".join(said))


@pages.post("/t/<token>/return")
@answers_form(SeatForm.RETURN, _render_not_back)
def take_back(case: TicketContext) -> ResponseReturnValue:
    """Whoever has resigned says that they are back. Pressed twice, it is done once."""

    def come_back(unit: UnitOfWork, game: Game) -> bool:
        return take_back_resignation(unit, game.id, case.ticket.seat, case.player, Channel.WEB)

    change_with_retries(current_context(), case.game.id, now(), come_back)
    return render_note(case, gettext("You are back"), gettext(YOU_ARE_BACK))


def _mail_link(case: TicketContext) -> ResponseReturnValue:
    """Mail the player of the seat a link to sign in, which leads to their settings of this game."""
    if not allow_sign_in():
        return _render_page(case, too_many_sentence()), 429
    sign_in.request_link_for(current_context(), case.player, now(), case.game.id)
    token = token_of(case.turn_ticket)
    return redirect(url_for("resign_page.show_resign_page", token=token, sent="1"), 303)
