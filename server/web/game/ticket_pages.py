"""The pages behind the links of our letters.

To look at a page changes nothing, however often and by whomever it is looked at: mail scanners open every
link. A button sends a nonce, and what it does goes through server/turns/play.py.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, make_response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import say
from emails.links import Ticket
from server.store.event_log import Stale
from server.turns.dry_run import Refused
from server.turns.play import NoGame, play
from server.web.game import invitation_page, placement_form, turn_pages
from server.web.game.preview import lines_of
from server.web.game.ticket_context import ACCEPT, Case, find, link_of, token_of
from server.web.kit import cookies, errors
from server.web.kit.locale import orders
from server.web.kit.request_context import is_pressed, now, office

LONGEST_SAID = 1000
"""Characters of what somebody types; a link carries little more."""
pages = Blueprint("ticket_pages", __name__)


@pages.get("/t/<token>")
def show(token: str) -> ResponseReturnValue:
    """What a ticket says, shown and not done."""
    case = find(token)
    if _is_invitation(case):
        return invitation_page.page(case)
    placing = placement_form.placing()
    if placing is not None and case.current and case.view.my_turn:
        found = placing.sum(case.view)
        if not found.fits:
            words = orders(placing.words)
            return turn_pages.show(case, words=words, notice=turn_pages.nothing_done(*found.sentences))
    typed = placing.words if placing else _typed()
    if typed is not None and typed:
        return _to_words(case, typed)
    if typed is not None:
        empty = say("Say what to do, or tick where a guard is to stand.")
        return turn_pages.show(case, notice=turn_pages.nothing_done(empty))
    return turn_pages.show(case, request.args.get("corner", "")[:8], request.args.get("card", "")[:40])


def _is_invitation(case: Case) -> bool:
    return case.game.status == "open" or case.ticket.words == ACCEPT


def _typed() -> str | None:
    """What was typed on the page of a turn; None where nothing was sent, empty where it was empty."""
    if "say" not in request.args:
        return None
    return "; ".join(lines_of(request.args["say"][: LONGEST_SAID + 1]))


def _to_words(case: Case, words: str) -> ResponseReturnValue:
    """On to the page that shows what typed words would do, which can be opened again."""
    try:
        if len(words) > LONGEST_SAID:
            raise ValueError
        return redirect(link_of(replace(case.ticket, words=words)), 303)
    except ValueError:
        long = say("That is too long: a whole turn has four actions.")
        return turn_pages.show(case, words=words[:LONGEST_SAID], notice=turn_pages.nothing_done(long))


@pages.post("/t/<token>")
def act(token: str) -> ResponseReturnValue:
    """The button was pressed: do what the ticket says, then show what came of it."""
    case = find(token)
    token = token_of(case.ticket)
    if not is_pressed(f"play {token}"):
        link = url_for("ticket_pages.show", token=token, look="1")
        words = say("This button is too old, or it does not belong to this page. Nothing was done.")
        return errors.page(say("Please look once more"), words, 400, link, say("Look again"))
    if _is_invitation(case):
        return invitation_page.accepted(case)
    if not case.lines:
        link = link_of(case.turn_ticket)
        words = say("This link says no action.")
        return errors.page(say("There is nothing to do"), words, 400, link, say("To the game"))
    return _play(case, token)


def _play(case: Case, token: str) -> ResponseReturnValue:
    ticket: Ticket = case.ticket
    door = "web" if "look" in request.args else "link"
    try:
        play(office(), ticket.game, ticket.seat, ticket.after, case.lines, door, now())
    except Stale:
        if find(token).deed is None:
            return turn_pages.show(find(token)), 409
    except Refused:
        return turn_pages.show(find(token)), 409
    except NoGame:
        raise errors.Gone from None
    cookies.remember(case.seating.player)
    return redirect(url_for("ticket_pages.show", token=token, look="1"), 303)


@pages.post("/t/<token>/ask")
def ask(token: str) -> ResponseReturnValue:
    """Whether links in letters act at once in this browser, or ask each time."""
    case = find(token)
    cookies.set_asks(request.form.get("ask") == "1")
    return make_response(redirect(link_of(case.turn_ticket), 303))
