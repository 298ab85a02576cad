"""What is kept about whoever is signed in: to be looked at, taken along, and forgotten."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.letters.lobby_letters import LONGEST_ADDRESS
from emails.picture.palette import clean_name
from emails.wording import phrases
from server.accounts import sign_in
from server.privacy.erasure import WHAT_GOES, WHAT_STAYS, forget_player
from server.privacy.personal_data import write_data_of
from server.security_log import SecurityEvent
from server.store.database import compact_database
from server.store.models import Player
from server.web.kit import errors, request_context, visitors
from server.web.kit.cookies import session_token
from server.web.kit.request_context import current_context, now

SIGN_IN_ANEW = "anew"
"""What the button sends that signs out and leads to a new sign-in."""
pages = Blueprint("my_data_page", __name__)


@pages.get("/me/data")
def show_my_data() -> ResponseReturnValue:
    """What there is, and where it can be had."""
    player = visitors.signed_in_player()
    return _ask_to_sign_in() if player is None else _render_page("my_data.html", player)


@pages.get("/me/data.json")
def download_my_data() -> ResponseReturnValue:
    """All of it, as a file that is written while it is sent."""
    player = visitors.signed_in_player()
    if player is None:
        return _ask_to_sign_in()
    visitors.note_event(SecurityEvent.DATA_ASKED, player)
    answer = Response(write_data_of(current_context(), player), mimetype="application/json")
    answer.headers["Content-Disposition"] = 'attachment; filename="alexandros-my-data.json"'
    return answer


@pages.get("/me/forget")
def show_forget_page() -> ResponseReturnValue:
    """What it means to be forgotten, and the button."""
    player = visitors.signed_in_player()
    return _ask_to_sign_in() if player is None else _render_page("forget.html", player)


@pages.post("/me/forget")
def forget_me() -> ResponseReturnValue:
    """The button was pressed: nobody is signed in here any more, for there is nobody who could be.

    It takes a sign-in of this moment: whoever only finds a browser that is signed in forgets nobody.
    """
    player = visitors.signed_in_player()
    if player is None:
        return _ask_to_sign_in()
    if not request_context.is_csrf_valid(_csrf_subject(player)):
        return _render_page("forget.html", player, gettext(request_context.FORM_EXPIRED)), 400
    if request.form.get("wish") == SIGN_IN_ANEW:
        sign_in.sign_out(current_context(), session_token())
        leaving = make_response(_ask_to_sign_in())
        visitors.clear_session_cookie(leaving)
        return leaving
    if not _is_sign_in_fresh():
        return _render_page("forget.html", player), 403
    visitors.note_event(SecurityEvent.PERSON_FORGOTTEN, player)
    forget_player(current_context(), player, now())
    compact_database(current_context().database, whole=False)
    words = gettext(
        "Your name, your addresses and what you wrote are gone from here. Your games go on without you."
    )
    answer = make_response(errors.render_message(gettext("You are forgotten"), words, 200))
    visitors.clear_session_cookie(answer)
    return answer


def _is_sign_in_fresh() -> bool:
    with current_context().reading() as session:
        return sign_in.is_sign_in_fresh(session, session_token(), now())


def _ask_to_sign_in() -> ResponseReturnValue:
    return redirect(url_for("sign_in_pages.show_sign_in_form"), 303)


def _csrf_subject(player: int) -> str:
    return request_context.form_subject(f"forget {player}")


def _render_page(template: str, player: int, wrong: str = "") -> str:
    with current_context().reading() as session:
        known = session.get_one(Player, player)
    return render_template(
        template,
        name=phrases.safe_name(known.name),
        address=clean_name(known.address, LONGEST_ADDRESS),
        goes=[gettext(one) for one in WHAT_GOES],
        stays=[gettext(one) for one in WHAT_STAYS],
        wrong=wrong,
        fresh=_is_sign_in_fresh(),
        nonce=request_context.csrf_token(_csrf_subject(player)),
        action=url_for("my_data_page.forget_me"),
    )
