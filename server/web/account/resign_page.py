"""The page on which a player gives a game up: what that means, and the button.

Every ticket of a seat leads there, and a ticket may come with a letter that was passed on. So the button
gives the game up only where its player is signed in; elsewhere it mails them a link to sign in. To come back
the ticket is enough, as it is for whoever was away.
"""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.wording import phrases
from server.accounts import sign_in
from server.lobby.leaving import YOU_ARE_BACK, resign, take_back_resignation
from server.lobby.open_seats import change_with_retries
from server.mail_addresses import mask_address
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.models import Game, Player
from server.store.refusals import Refusal
from server.store.states import Channel
from server.web.account.settings_view import is_own_browser
from server.web.account.sign_in_pages import allow_sign_in, too_many_sentence
from server.web.game.page_readers import return_subject
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, redirect_to_game, token_of
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("resign_page", __name__)


@pages.get("/t/<token>/resign")
def show_resign_page(token: str) -> ResponseReturnValue:
    """What it means to give the game up, and the button; nothing happens yet."""
    case = load_ticket(token)
    return _render_page(case, sent="sent" in request.args) if case.may_resign else redirect_to_game(case)


@pages.post("/t/<token>/resign")
def resign_game(token: str) -> ResponseReturnValue:
    """The button was pressed: a caretaker plays on for the seat, or a link to sign in is mailed."""
    case = load_ticket(token)
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        return _render_page(case, gettext(request_context.FORM_EXPIRED)), 400
    if not case.may_resign:
        return redirect_to_game(case)
    try:
        if not is_own_browser(case):
            return _mail_link(case)
        with open_unit(current_context(), now()) as unit:
            resign(unit, case.game.id, case.ticket.seat, Channel.WEB)
            unit.commit()
    except Refusal as error:
        return _render_page(case, errors.note_refusal(error)), 409
    said = (
        gettext("A caretaker plays on for your seat, and the others are told. You can go on watching."),
        gettext("Until somebody else has the seat you can come back."),
    )
    to_game = link_of(load_ticket(token).turn_ticket), gettext("To the game")
    return errors.render_message(gettext("You have resigned"), " ".join(said), 200, *to_game)


@pages.post("/t/<token>/return")
def take_back(token: str) -> ResponseReturnValue:
    """Whoever has resigned says that they are back. Pressed twice, it is done once."""
    case = load_ticket(token)
    to_game = link_of(case.turn_ticket), gettext("To the game")
    if not request_context.is_csrf_valid(return_subject(case)):
        expired = gettext(request_context.FORM_EXPIRED)
        return errors.render_message(gettext("Nothing was done"), expired, 400, *to_game)

    def come_back(unit: UnitOfWork, game: Game) -> bool:
        return take_back_resignation(unit, game.id, case.ticket.seat, case.player, Channel.WEB)

    try:
        change_with_retries(current_context(), case.game.id, now(), come_back)
    except Refusal as error:
        why = errors.note_refusal(error)
        return errors.render_message(gettext("You are not back"), why, 409, *to_game)
    return errors.render_message(gettext("You are back"), gettext(YOU_ARE_BACK), 200, *to_game)


def _mail_link(case: TicketContext) -> ResponseReturnValue:
    """Mail the player of the seat a link to sign in, which leads to their settings of this game."""
    if not allow_sign_in():
        return _render_page(case, too_many_sentence()), 429
    sign_in.request_link_for(current_context(), case.player, now(), case.game.id)
    token = token_of(case.turn_ticket)
    return redirect(url_for("resign_page.show_resign_page", token=token, sent="1"), 303)


def _csrf_subject(case: TicketContext) -> str:
    return f"resign {case.game.id} {case.ticket.seat}"


def _render_page(case: TicketContext, wrong: str = "", sent: bool = False) -> str:
    with current_context().reading() as session:
        address = session.get_one(Player, case.player).address
    return render_template(
        "resign.html",
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        own=is_own_browser(case),
        address=mask_address(address),
        sent=sent,
        wrong=wrong,
        nonce=request_context.csrf_token(_csrf_subject(case)),
        action=url_for("resign_page.resign_game", token=token_of(case.turn_ticket)),
        back=link_of(case.turn_ticket),
    )
