"""Where a player is signed in, and his keys for programs: each can be ended, and is out at the next request.

Every button sends one form, whose `wish` says what it is about; pressed twice it does no more than once.
"""

from __future__ import annotations

from flask import Blueprint, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import say
from server.accounts import sign_in
from server.accounts.sign_in import LONGEST_KEY_NAME, MOST_KEYS, NotSigned
from server.web.kit import errors, request_context, user_agents, visitors
from server.web.kit.request_context import now, office

OUT, OTHERS, NEW = "out", "others", "new"
END, END_KEY = "end-", "end-key-"
"""How a wish begins that ends one browser, or one key: its number follows."""
pages = Blueprint("sessions_page", __name__)


@pages.get("/me/browsers")
def show() -> ResponseReturnValue:
    """The browsers and the keys."""
    player = visitors.signed_in()
    if player is None:
        return redirect(url_for("sign_in_pages.form"), 303)
    return _page(player, done=request.args.get("done", "")[:10])


@pages.post("/me/browsers")
def change() -> ResponseReturnValue:
    """End one of them, or all others; make a key; sign out."""
    player, wish = visitors.signed_in(), request.form.get("wish", "")
    if player is None:
        return _is_out() if wish == OUT else redirect(url_for("sign_in_pages.form"), 303)
    if not request_context.is_pressed(_subject(player)):
        return _page(player, wrong=say(request_context.TOO_OLD)), 400
    if wish == NEW:
        return _new_key(player)
    if wish == OUT:
        sign_in.sign_out(office(), visitors.token())
        response = make_response(_is_out())
        visitors.drop(response)
        return response
    number = wish.rpartition("-")[2]
    if wish == OTHERS:
        sign_in.end_all(office(), player, but=visitors.token())
    elif number.isascii() and number.isdigit() and len(number) < 16 and wish == f"{END_KEY}{number}":
        sign_in.end_key(office(), player, int(number))
    elif number.isascii() and number.isdigit() and len(number) < 16 and wish == f"{END}{number}":
        sign_in.end(office(), player, int(number))
    else:
        return _page(player, wrong=say("Please choose one of these.")), 422
    done = "key" if wish.startswith(END_KEY) else "browser"
    return redirect(url_for("sessions_page.show", done=done), 303)


def _new_key(player: int) -> ResponseReturnValue:
    """Make a key and show it, this once: the page is not to be opened again, so no address leads to it."""
    name = request.form.get("name", "").strip()[:200]
    try:
        return _page(player, made=sign_in.new_key(office(), player, name, now()))
    except NotSigned as error:
        return _page(player, wrong_key=str(error), typed=name), 422


def _is_out() -> ResponseReturnValue:
    """What is said to whoever is signed out; it drops no cookie.

    A browser leaves its cookies out where another site sends the form, and its user, who is signed in, must
    not be signed out by that site.
    """
    words = say("In this browser nobody is signed in any more. The links in your letters work as before.")
    return errors.page(say("You are signed out"), words, 200)


def _subject(player: int) -> str:
    return request_context.form(f"browsers {player}")


def _page(
    player: int, *, wrong: str = "", wrong_key: str = "", typed: str = "", made: str = "", done: str = ""
) -> str:
    with office().reading() as session:
        found = sign_in.browsers(session, player, now())
        keys = sign_in.keys(session, player)
    return render_template(
        "browsers.html",
        browsers=[
            (one, user_agents.called(one.browser), sign_in.is_browser(one, visitors.token())) for one in found
        ],
        keys=keys,
        most=MOST_KEYS,
        longest=LONGEST_KEY_NAME,
        wrong=wrong,
        wrong_key=wrong_key,
        typed=typed,
        made=made,
        done=done,
        nonce=request_context.button(_subject(player)),
        action=url_for("sessions_page.change"),
    )
