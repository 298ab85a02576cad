"""Signing in: ask for a link, open it, press its button. To look at these pages changes nothing.

Mail programs open every link to look at it, so only the button signs in. Whether anybody plays here with an
address is not told: the answer is the same.
"""

from __future__ import annotations

from time import monotonic, sleep

from flask import Blueprint, current_app, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import select

from emails.i18n import say
from emails.letters.proposal_letter import LONGEST_ADDRESS, is_address
from emails.picture.palette import plain_name
from emails.wording import phrases
from server.accounts import sign_in
from server.accounts.sign_in import NotSigned
from server.store.models import Player
from server.web.game.ticket_context import AFTER_A_LINK, Case, find, token_of
from server.web.kit import errors, rate_limit, request_context, user_agents, visitors
from server.web.kit.request_context import now, office

EVENLY = 0.1
"""Seconds that it takes to be told that a link is on its way, whether one is or not."""
PER_HOUR = "SIGN_INS_PER_HOUR"
"""The name under which an application keeps how many links one visitor may ask for within an hour."""
pages = Blueprint("sign_in_pages", __name__)


# --- to ask for a link ------------------------------------------------------------------------------------


@pages.get("/signin")
def form() -> ResponseReturnValue:
    """The form, or that a link is on its way if anybody plays here with the address that was typed."""
    if visitors.signed_in() is not None:
        return redirect(url_for("my_games_page.listed"), 303)
    return _form(sent="sent" in request.args)


@pages.post("/signin")
def ask() -> ResponseReturnValue:
    """Mail a link, if anybody plays here with that address."""
    address = request.form.get("address", "").strip()[: LONGEST_ADDRESS + 1]
    if not request_context.is_pressed(request_context.form("signin")):
        return _form(address, say(request_context.TOO_OLD)), 400
    if not is_address(address):
        return _form(address, say("That is no mail address.")), 422
    if not _let():
        return _form(address, _too_many()), 429
    begun = monotonic()
    sign_in.ask(office(), address, now())
    sleep(max(0, begun + EVENLY - monotonic()))  # to queue a letter takes longer than to queue none
    return redirect(url_for("sign_in_pages.form", sent="1"), 303)


def _form(address: str = "", wrong: str = "", sent: bool = False) -> str:
    return render_template(
        "signin.html",
        case=None,
        address=address,
        sent=sent,
        wrong=wrong,
        longest=LONGEST_ADDRESS,
        nonce="" if sent else request_context.button(request_context.form("signin")),
        action=url_for("sign_in_pages.ask"),
    )


def _let() -> bool:
    return rate_limit.let("sign-ins", current_app.config[PER_HOUR])


def _too_many() -> str:
    return say("Many links were asked for from here within the hour. Please come back later.")


# --- from the page of a game ------------------------------------------------------------------------------


@pages.get("/t/<token>/signin")
def offered(token: str) -> ResponseReturnValue:
    """All games of whoever holds a ticket, if he is signed in; else one button mails him a link."""
    case = find(token)
    if visitors.signed_in() == _player(case):
        return redirect(url_for("my_games_page.listed"), 303)
    return _offer(case, sent="sent" in request.args)


@pages.post("/t/<token>/signin")
def mail(token: str) -> ResponseReturnValue:
    """The button was pressed: mail him a link, to the address where his letters go."""
    case = find(token)
    if not request_context.is_pressed(_subject(case)):
        return _offer(case, say(request_context.TOO_OLD)), 400
    if not _let():
        return _offer(case, _too_many()), 429
    try:
        sign_in.ask_as(office(), _player(case), now())
    except NotSigned as error:
        return _offer(case, str(error)), 429
    return redirect(url_for("sign_in_pages.offered", token=token_of(case.turn_ticket), sent="1"), 303)


def _player(case: Case) -> int:
    """Who sits there; raises `Gone` where nobody does who could sign in."""
    if case.seating.player is None:
        raise errors.Gone
    return case.seating.player


def _subject(case: Case) -> str:
    return f"signin {case.game.id} {case.ticket.seat}"


def _offer(case: Case, wrong: str = "", sent: bool = False) -> str:
    with office().reading() as session:
        address = session.exec(select(Player.address).where(Player.id == _player(case))).one()
    return render_template(
        "signin.html",
        case=case,
        name=phrases.shown(case.game.name),
        reader=phrases.shown(case.seating.name),
        address=plain_name(address, LONGEST_ADDRESS),
        sent=sent,
        wrong=wrong,
        nonce=request_context.button(_subject(case)),
        action=url_for("sign_in_pages.mail", token=token_of(case.turn_ticket)),
    )


# --- the link ---------------------------------------------------------------------------------------------


@pages.get("/s/<code>")
def show(code: str) -> ResponseReturnValue:
    """Ask whether to sign in."""
    code = code.rstrip(AFTER_A_LINK)
    try:
        return _page(code)
    except NotSigned as error:
        return _not(error)


@pages.post("/s/<code>")
def complete(code: str) -> ResponseReturnValue:
    """The button was pressed: from now on this browser knows who uses it."""
    code = code.rstrip(AFTER_A_LINK)
    try:
        if not request_context.is_pressed(_link(code)):
            return _page(code, say(request_context.TOO_OLD)), 400
        token = sign_in.sign_in(office(), code, user_agents.kept(request.user_agent.string), now())
    except NotSigned as error:
        return _not(error)
    response = make_response(redirect(url_for("my_games_page.listed"), 303))
    visitors.keep(response, token)
    return response


def _link(code: str) -> str:
    """The subject of the button; good in this browser alone, so that nobody is signed in as somebody else."""
    return request_context.form(f"signin {code.lower()}")


def _page(code: str, wrong: str = "") -> str:
    name = sign_in.asked(office(), code, now())
    return render_template(
        "signlink.html",
        name=phrases.shown(name),
        other=visitors.name(),
        wrong=wrong,
        nonce=request_context.button(_link(code)),
        action=url_for("sign_in_pages.complete", code=code),
    )


def _not(error: NotSigned) -> ResponseReturnValue:
    """Whoever pressed twice is signed in all the same and finds his games; others can ask for a link."""
    return errors.page(
        say("This link does not work"), str(error), 404, url_for("my_games_page.listed"), say("To my games")
    )
