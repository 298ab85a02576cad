"""The pages behind the links of our letters.

To look at a page changes nothing, however often and by whomever it is looked at: mail scanners open every
link. A button sends a CSRF token, and what it does goes through server/turns/play.py.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.tokens import ACCEPT_WORDS, DECLINE_WORDS, Ticket
from engine.notation.parser import parse_lines
from server.outbox.unit_of_work import open_unit
from server.store.refusals import GameNotRunning, StalePosition
from server.store.states import Channel, GameStatus
from server.turns.drafts import SEPARATOR
from server.turns.dry_run import LinesRefused
from server.turns.play import play_ticket
from server.web.game import invitation_page, one_click_play, placement_form, turn_pages
from server.web.game.dock.turn_state import load_state, read_look
from server.web.game.preview import lines_of
from server.web.game.ticket_context import (
    TicketContext,
    link_of,
    load_ticket,
    token_of,
)
from server.web.kit import cookies, errors
from server.web.kit.locale import localize_orders, page_vocabulary
from server.web.kit.request_context import current_context, is_csrf_valid, now

LONGEST_TYPED = 1000
"""Characters of what somebody types; a link carries little more."""
pages = Blueprint("ticket_pages", __name__)


@pages.get("/t/<token>")
def show_ticket(token: str) -> ResponseReturnValue:
    """What a ticket says, shown and not done."""
    case = load_ticket(token)
    if _is_invitation(case):
        return invitation_page.render_invitation(case)
    placing = placement_form.read_placement_form()
    typed = _typed_text()
    if placing is None and typed is None:
        return turn_pages.render_game_page(case, read_look())
    state = load_state(case) if case.history.after and turn_pages.is_at_turn(case) else None
    if placing is not None and state is not None:
        found = placing.cost_for(state.known)
        if not found.fits:
            notice = turn_pages.nothing_done_notice(*found.sentences)
            look = replace(read_look(), province=placing.province_in(state.known))
            return turn_pages.render_game_page(case, look, localize_orders(placing.words), notice)
    typed = placing.words if placing else typed
    if typed:
        drafted = state.drafted if state is not None and not case.lines else ()
        return _redirect_to_preview(case, SEPARATOR.join((*drafted, typed)))
    empty = gettext("Say what to do, or tick where a guard is to stand.")
    return turn_pages.render_game_page(case, notice=turn_pages.nothing_done_notice(empty))


def _is_invitation(case: TicketContext) -> bool:
    return case.game.status == GameStatus.OPEN or case.ticket.words in (ACCEPT_WORDS, DECLINE_WORDS)


def _typed_text() -> str | None:
    """What was typed on the page of a turn; None where nothing was sent, empty where it was empty."""
    if "say" not in request.args:
        return None
    return "; ".join(lines_of(request.args["say"][: LONGEST_TYPED + 1]))


def _redirect_to_preview(case: TicketContext, words: str) -> ResponseReturnValue:
    """On to the page that shows what typed words would do, which can be opened again."""
    try:
        if len(words) > LONGEST_TYPED:
            raise ValueError
        return redirect(link_of(replace(case.ticket, words=words)), 303)
    except ValueError:
        long = gettext("That is too long: a whole turn has four actions.")
        return turn_pages.render_game_page(
            case, words=words[:LONGEST_TYPED], notice=turn_pages.nothing_done_notice(long)
        )


@pages.post("/t/<token>")
def perform_ticket(token: str) -> ResponseReturnValue:
    """The button was pressed: do what the ticket says, then show what came of it."""
    case = load_ticket(token)
    token = token_of(case.ticket)
    if not is_csrf_valid(f"play {token}"):
        link = url_for("ticket_pages.show_ticket", token=token, look="1")
        words = gettext("This button is too old, or it does not belong to this page. Nothing was done.")
        return errors.render_message(
            gettext("Please look once more"), words, 400, link, gettext("Look again")
        )
    if _is_invitation(case):
        return invitation_page.submit_acceptance(case)
    if not case.lines:
        link = link_of(case.turn_ticket)
        words = gettext("This link says no action.")
        return errors.render_message(
            gettext("There is nothing to do"), words, 400, link, gettext("To the game")
        )
    return _play_ticket(case, token, Channel.WEB if "look" in request.args else Channel.LINK)


def perform_words(case: TicketContext, words: str) -> ResponseReturnValue:
    """A button of the page itself was pressed: do these words, and show what came of it."""
    ticket = replace(case.turn_ticket, words=words)
    return _play_ticket(replace(case, ticket=ticket), token_of(ticket), Channel.WEB, said="1")


def _play_ticket(
    case: TicketContext, token: str, channel: Channel, said: str | None = None
) -> ResponseReturnValue:
    """Do what a ticket says. `said`: that the dock says what came of it."""
    ticket: Ticket = case.ticket
    board = current_context().board_of(case.game)
    orders = parse_lines(case.lines, board, page_vocabulary())
    try:
        with open_unit(current_context(), now(), game=ticket.game) as unit:
            play_ticket(unit, ticket, orders, channel)
            unit.commit()
    except StalePosition as stale:
        errors.note_refusal(stale)
        if load_ticket(token).act is None:
            return turn_pages.render_game_page(load_ticket(token)), 409
    except LinesRefused:
        return turn_pages.render_game_page(load_ticket(token)), 409
    except GameNotRunning as refused:
        errors.note_refusal(refused)
        raise errors.GameGone from None
    one_click_play.note_tick(case)
    offer = "1" if channel is Channel.LINK and _is_first_from_letter(case) else None
    return redirect(url_for("ticket_pages.show_ticket", token=token, look="1", offer=offer, said=said), 303)


def _is_first_from_letter(case: TicketContext) -> bool:
    """Whether no link of a letter to this player has played in this browser before; asked once for each."""
    player = case.seating.player
    return player is not None and cookies.note_offer(player)
