"""Sign-in by a mailed link; the list of sessions and API keys.

Mail programs open links to scan them, so only the button signs in. The response does not show whether an
address is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import abort, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import select

from emails.i18n import gettext
from emails.letters.lobby_letters import LONGEST_ADDRESS, find_address_fault, tidy_address
from emails.names import isolate
from emails.tokens import Purpose, seal_game
from emails.wording import phrases
from server.accounts import sign_in
from server.accounts.sign_in import LONGEST_KEY_NAME, MOST_KEYS, SESSIONS_PAGE, find_browser, summarize_agent
from server.lobby.games import find_or_create_player
from server.mail_addresses import mask_address
from server.monitoring import SecurityEvent
from server.outbox.queue import count_desk_links, open_unit, send_desk_link
from server.store.context import Context
from server.store.event_log import Refusal
from server.store.models import Player
from server.web.account.my_pages import settings_link
from server.web.game.viewers import TicketContext, load_ticket, render_form
from server.web.kit import errors, visitors
from server.web.kit.forms import FormPages
from server.web.kit.request_context import current_context, now, redirect_to, session_token
from server.web.kit.visitors import constant_time

pages = FormPages("sign_in_pages", __name__)


# --- requesting a link ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SignInForm:
    address: str
    leads_to: str


def _read_form() -> SignInForm:
    leads_to = request.values.get("to", "")
    known = leads_to if leads_to in (sign_in.SESSIONS_PAGE, sign_in.DESK_PAGE) else ""
    return SignInForm(tidy_address(request.form.get("address", "")[: LONGEST_ADDRESS + 1]), known)


def _render_form(typed: SignInForm, wrong: str = "") -> str:
    sent = "sent" in request.args
    if request.method == "GET" and visitors.signed_in_player() and typed.leads_to != sign_in.DESK_PAGE:
        abort(redirect_to("my_pages.show_my_games"))
    return render_template(
        "sign_in.html",
        case=None,
        address=typed.address,
        sent=sent,
        wrong=wrong,
        leads_to=typed.leads_to,
        desk=typed.leads_to == sign_in.DESK_PAGE,
        longest=LONGEST_ADDRESS,
        action=url_for("sign_in_pages.request_link"),
    )


@pages.form("/signin", _read_form, _render_form, 429)
def request_link(typed: SignInForm) -> ResponseReturnValue:
    """Mail a sign-in link to a player or, for the desk (pages of the operator), only to the operator."""
    address, leads_to = typed.address, typed.leads_to
    if fault := find_address_fault(address):
        return _render_form(typed, fault), 422
    _check_limit()
    with constant_time():
        if leads_to == sign_in.DESK_PAGE:
            _mail_desk_link(current_context(), address, now())
        else:
            network = visitors.visitor_network()
            sign_in.request_link(current_context(), address, now(), leads_to, network)
    desk = sign_in.DESK_PAGE if leads_to == sign_in.DESK_PAGE else None
    return redirect_to("sign_in_pages.request_link", sent="1", to=desk)


DESK_LINK_WORDS = """\
With this link you sign in at the desk of {server}:

{link}

It is valid once, for ten minutes. If you did not request it, do nothing:
the page does not show whether an address is the operator's.
"""


def _mail_desk_link(context: Context, address: str, now: datetime) -> None:
    operator = context.settings.operator
    with open_unit(context, now) as unit:
        session = unit.session
        sign_in.forget_old(session, now)
        known = sign_in.player_at(session, address)
        mailed = count_desk_links(session, now - timedelta(days=1))
        is_operator = operator is not None and address.lower() == operator.lower()
        if operator is not None and is_operator and mailed < sign_in.MOST_A_DAY:
            player = known or find_or_create_player(session, "Operator", operator, None, now)
            if not sign_in.has_asked_often(session, player, now):
                _, mark = sign_in.store_link(unit, player, sign_in.DESK_PAGE)
                link = context.links.sign_in_link(mark)
                words = DESK_LINK_WORDS.format(server=context.settings.base_url, link=link)
                send_desk_link(context, session, words, now)
        unit.commit()


def _check_limit() -> None:
    often = gettext("Many links were asked for from here within the hour. Please come back later.")
    visitors.check_limit(visitors.LimitedAction.SIGN_INS, often)


def mail_link_to(player: int, leads_to: str = "") -> None:
    """Mail a sign-in link to a player. Raises `LimitReached` and `SignInRefused`."""
    _check_limit()
    sign_in.request_link_for(current_context(), player, now(), leads_to)


# --- from the page of a game ------------------------------------------------------------------------------


def _render_offer(case: TicketContext, wrong: str = "") -> str:
    """Show a button that mails a link; redirect a signed-in player to the list of games."""
    if request.method == "GET" and case.is_own_browser:
        abort(redirect_to("my_pages.show_my_games"))
    with current_context().reading() as session:
        address = session.exec(select(Player.address).where(Player.id == case.player)).one()
    return render_form(
        "sign_in.html",
        case,
        wrong,
        address=mask_address(address),
        sent="sent" in request.args,
        desk=False,
        action=case.link_to("sign_in_pages.mail_link"),
    )


@pages.form("/t/<token>/signin", load_ticket, _render_offer, 429)
def mail_link(case: TicketContext) -> ResponseReturnValue:
    mail_link_to(case.player)
    return redirect(case.link_to("sign_in_pages.mail_link", sent="1"), 303)


# --- the link ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SignInLink:
    code: str
    name: str
    leads_to: str


def _load_link(code: str) -> SignInLink:
    try:
        return SignInLink(code, *sign_in.read_code(current_context(), code, now()))
    except Refusal as error:
        errors.abort_with_message(
            gettext("This link does not work"),
            errors.note_refusal(error),
            404,
            url_for("my_pages.show_my_games"),
            gettext("To my games"),
        )


def _render_link(link: SignInLink, wrong: str = "") -> str:
    return render_template(
        "sign_in_link.html",
        name=phrases.safe_name(link.name),
        desk=link.leads_to == sign_in.DESK_PAGE,
        other=visitors.signed_in_name(),
        wrong=wrong,
    )


@pages.form("/s/<code>", _load_link, _render_link)
def submit_sign_in(link: SignInLink) -> ResponseReturnValue:
    browser = summarize_agent(request.user_agent.string)
    before, network = session_token(), visitors.visitor_network()
    token = sign_in.sign_in(current_context(), link.code, browser, now(), before, network)
    response = make_response(redirect(_page_after_sign_in(link.leads_to, token), 303))
    visitors.set_session_cookie(response, token)
    return response


def _page_after_sign_in(leads_to: str, token: str) -> str:
    if leads_to == sign_in.SESSIONS_PAGE:
        return url_for("sign_in_pages.change_sessions")
    if leads_to == sign_in.DESK_PAGE:
        return url_for("desk_pages.show_desk")
    if leads_to.startswith(sign_in.JOIN_PAGE):
        game = leads_to.removeprefix(sign_in.JOIN_PAGE)
        token = seal_game(Purpose.JOIN, game, current_context().links.keys)
        return url_for("open_seat_pages.take_open_seat", token=token)
    with current_context().reading() as session:
        browser = find_browser(session, token, now())
        settings = settings_link(session, browser.player, leads_to) if browser and leads_to else ""
    return settings or url_for("my_pages.show_my_games")


SIGN_OUT, END_OTHERS, NEW_KEY = "out", "others", "new"


def _load_sessions() -> int:
    if request.form.get("wish") == SIGN_OUT and visitors.signed_in_player() is None:
        abort(make_response(_signed_out_page()))  # a second press of the button
    return visitors.require_player(SESSIONS_PAGE if request.method == "GET" else None)


def _signed_out_page() -> ResponseReturnValue:
    # keeps all cookies: a form on another site may have sent the request
    words = gettext(
        "In this browser nobody is signed in any more. "
        "The links in your mails work as before, and ask before they act."
    )
    return errors.render_message(gettext("You are signed out"), words)


def _render_sessions(player: int, wrong: str = "", *, wrong_key: str = "", made: str = "") -> str:
    with current_context().reading() as session:
        found = sign_in.browsers_of(session, player, now())
        keys = sign_in.keys_of(session, player)
    return render_template(
        "sessions.html",
        browsers=[
            (one, sign_in.describe_agent(one.browser), sign_in.is_same_browser(one, session_token()))
            for one in found
        ],
        keys=[(one, isolate(one.name)) for one in keys],
        most=MOST_KEYS,
        longest=LONGEST_KEY_NAME,
        wrong=wrong,
        wrong_key=wrong_key,
        typed=_typed_key_name() if wrong_key else "",
        made=made,
        done=request.args.get("done", ""),
    )


@pages.form("/me/browsers", _load_sessions, _render_sessions)
def change_sessions(player: int) -> ResponseReturnValue:
    """End one session, all others or a key; create a key; or sign out."""
    choice = request.form.get("wish", "")
    if choice == NEW_KEY:
        return _make_key(player)
    if choice == SIGN_OUT:
        sign_in.sign_out(current_context(), session_token())
        response = make_response(_signed_out_page())
        visitors.clear_session_cookie(response)
        return response
    ended = re.fullmatch("end-(key-)?([0-9]{1,15})", choice)
    if choice == END_OTHERS:
        sign_in.sign_out_everywhere(current_context(), player, but=session_token())
        visitors.note_event(SecurityEvent.SIGNED_OUT_ELSEWHERE, player)
    elif ended and ended[1]:
        sign_in.revoke_key(current_context(), player, int(ended[2]))
        visitors.note_event(SecurityEvent.KEY_ENDED, player)
    elif ended:
        sign_in.sign_out_browser(current_context(), player, int(ended[2]))
        visitors.note_event(SecurityEvent.SIGNED_OUT_ELSEWHERE, player)
    else:
        return _render_sessions(player, gettext("Please choose one of these.")), 422
    return redirect_to("sign_in_pages.change_sessions", done="key" if ended and ended[1] else "browser")


def _make_key(player: int) -> ResponseReturnValue:
    """Create a key and show it once, in the response itself so that no page address shows the key again."""
    browser = summarize_agent(request.user_agent.string)
    try:
        made = sign_in.create_key(current_context(), player, _typed_key_name(), now(), browser)
    except Refusal as error:
        return _render_sessions(player, wrong_key=errors.note_refusal(error)), 422
    return _render_sessions(player, made=made)


def _typed_key_name() -> str:
    return request.form.get("name", "").strip()[:200]
