"""Where a player is signed in, and their keys for programs. Each can be ended, at once.

Every button sends one form, whose `wish` says what it is about; pressed twice it does no more than once.
"""

from __future__ import annotations

from flask import Blueprint, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from server.accounts import api_keys, sessions, user_agents
from server.accounts.api_keys import LONGEST_KEY_NAME, MOST_KEYS
from server.accounts.sign_in import SESSIONS_PAGE
from server.security_log import SecurityEvent
from server.store.refusals import Refusal
from server.web.kit import errors, request_context, visitors
from server.web.kit.cookies import session_token
from server.web.kit.request_context import current_context, now

SIGN_OUT, END_OTHERS, NEW_KEY = "out", "others", "new"
END_BROWSER_PREFIX, END_KEY_PREFIX = "end-", "end-key-"
"""How a choice begins that ends one browser, or one key: its number follows."""
pages = Blueprint("sessions_page", __name__)


@pages.get("/me/browsers")
def show_sessions() -> ResponseReturnValue:
    """The browsers and the keys."""
    player = visitors.signed_in_player()
    if player is None:
        return redirect(url_for("sign_in_pages.show_sign_in_form", to=SESSIONS_PAGE), 303)
    return _render_page(player, done=request.args.get("done", "")[:10])


@pages.post("/me/browsers")
def change_sessions() -> ResponseReturnValue:
    """End one of them, or all others; make a key; sign out."""
    player, choice = visitors.signed_in_player(), request.form.get("wish", "")
    if player is None:
        return (
            _signed_out_page()
            if choice == SIGN_OUT
            else redirect(url_for("sign_in_pages.show_sign_in_form"), 303)
        )
    if not request_context.is_csrf_valid(_csrf_subject(player)):
        return _render_page(player, wrong=gettext(request_context.FORM_EXPIRED)), 400
    if choice == NEW_KEY:
        return _make_key(player)
    if choice == SIGN_OUT:
        sessions.sign_out(current_context(), session_token())
        response = make_response(_signed_out_page())
        visitors.clear_session_cookie(response)
        return response
    number = choice.rpartition("-")[2]
    numbered = number.isascii() and number.isdigit() and len(number) < 16
    if choice == END_OTHERS:
        sessions.sign_out_everywhere(current_context(), player, but=session_token())
        visitors.note_event(SecurityEvent.SIGNED_OUT_ELSEWHERE, player)
    elif numbered and choice == f"{END_KEY_PREFIX}{number}":
        api_keys.revoke_key(current_context(), player, int(number))
        visitors.note_event(SecurityEvent.KEY_ENDED, player)
    elif numbered and choice == f"{END_BROWSER_PREFIX}{number}":
        sessions.sign_out_browser(current_context(), player, int(number))
        visitors.note_event(SecurityEvent.SIGNED_OUT_ELSEWHERE, player)
    else:
        return _render_page(player, wrong=gettext("Please choose one of these.")), 422
    done = "key" if choice.startswith(END_KEY_PREFIX) else "browser"
    return redirect(url_for("sessions_page.show_sessions", done=done), 303)


def _make_key(player: int) -> ResponseReturnValue:
    """Make a key and show it, this once: the page is not to be opened again, so no address leads to it."""
    name = request.form.get("name", "").strip()[:200]
    browser = user_agents.summarize_agent(request.user_agent.string)
    try:
        return _render_page(player, made=api_keys.create_key(current_context(), player, name, now(), browser))
    except Refusal as error:
        return _render_page(player, wrong_key=errors.note_refusal(error), typed=name), 422


def _signed_out_page() -> ResponseReturnValue:
    """What is said to whoever is signed out; it drops no cookie.

    A browser leaves its cookies out where another site sends the form, and its user, who is signed in, must
    not be signed out by that site.
    """
    words = gettext(
        "In this browser nobody is signed in any more. "
        "The links in your mails work as before, and ask before they act."
    )
    return errors.render_message(gettext("You are signed out"), words, 200)


def _csrf_subject(player: int) -> str:
    return request_context.form_subject(f"browsers {player}")


def _render_page(
    player: int, *, wrong: str = "", wrong_key: str = "", typed: str = "", made: str = "", done: str = ""
) -> str:
    with current_context().reading() as session:
        found = sessions.browsers_of(session, player, now())
        keys = api_keys.keys_of(session, player)
    return render_template(
        "sessions.html",
        browsers=[
            (
                one,
                user_agents.describe_agent(one.browser),
                sessions.is_same_browser(one, session_token()),
            )
            for one in found
        ],
        keys=keys,
        most=MOST_KEYS,
        longest=LONGEST_KEY_NAME,
        wrong=wrong,
        wrong_key=wrong_key,
        typed=typed,
        made=made,
        done=done,
        nonce=request_context.csrf_token(_csrf_subject(player)),
        action=url_for("sessions_page.change_sessions"),
    )
