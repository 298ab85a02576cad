"""Pages for what cannot be shown or done: a sentence each, and never the inside of the server."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit, urlunsplit

from flask import Flask, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import DataError, OperationalError
from werkzeug.exceptions import BadRequest, HTTPException, InternalServerError, NotFound, ServiceUnavailable
from werkzeug.routing import RequestRedirect

from emails.i18n import gettext, gettext_noop
from emails.keys import ForgedToken, Purpose
from emails.tokens import OutdatedToken
from server.security_log import AttemptChannel, SecurityEvent
from server.store.event_log import CorruptLog
from server.store.refusals import Refusal
from server.web.kit import request_context, visitors
from server.web.kit.cookies import DoubledCookie
from server.web.kit.visitors import VisitorBanned

LOG = logging.getLogger(__name__)
ERROR_VIEWS_KEY = "errors shown"
"""The key in `app.extensions` of the other error views, by the path below which each is used."""
SEALED_PATHS = {
    "t": Purpose.SEAT,
    "n": Purpose.PROPOSAL,
    "j": Purpose.JOIN,
    "new": Purpose.ORGANISER,
    "u": Purpose.UNSUBSCRIBE,
}
"""What stands sealed in the address of a page, by how that begins."""
SET_BACK = gettext_noop(
    "The server lost its last hours and stands again where it stood before them: what this link is about did "
    "not count. Nothing was done; your latest mail has links that work."
)
TRY_AGAIN_AFTER = 60
"""Seconds, while nothing can be stored."""
STATUS_SENTENCES = {
    400: (
        gettext_noop("That could not be understood"),
        gettext_noop("What was sent cannot be read. Nothing was done."),
    ),
    404: (
        gettext_noop("There is nothing here"),
        gettext_noop("This page does not exist. Perhaps the address was cut short on its way."),
    ),
    405: (
        gettext_noop("Not in this way"),
        gettext_noop("This page cannot be asked in that way. Nothing was done."),
    ),
    413: (
        gettext_noop("That is too much"),
        gettext_noop("What was sent is larger than this page takes. Nothing was done."),
    ),
    500: (
        gettext_noop("Something went wrong here"),
        gettext_noop("That is our fault, not yours. Please try again later."),
    ),
    503: (
        gettext_noop("Nothing can be stored just now"),
        gettext_noop("Nothing was done. Please try again in a minute."),
    ),
}
"""For each status a title and what it means for the visitor."""


class GameGone(HTTPException):
    """A ticket of ours whose game is not there any more."""

    code = 404


class GameCalledOff(HTTPException):
    """A game that was called off before it began."""

    code = 410


class SeatLeft(HTTPException):
    """A ticket of somebody who has given their seat up before the game began, or has not answered in time."""

    code = 410

    def __init__(self, game: str) -> None:
        super().__init__()
        self.game = game


class SignInNeeded(HTTPException):
    """Something that a link alone does not do, such as to change anything of a finished game."""

    code = 403

    def __init__(self, shown: bool = True) -> None:
        """`shown`: whether a link still shows the game."""
        super().__init__()
        self.shown = shown


class LinkWithdrawn(HTTPException):
    """A link of ours from before the links of its seat were made new."""

    code = 410


class GameSetBack(HTTPException):
    """A link of ours about an act that is not in the log any more: a backup was restored since."""

    code = 410


class GameNotWatchable(HTTPException):
    """A game that is not open to watch, or none at all: nobody is told which."""

    code = 404


def register(app: Flask) -> None:
    """Show these pages instead of Flask's own."""
    app.before_request(_redirect_here)
    app.register_error_handler(HTTPException, _render_http_error)
    app.register_error_handler(ForgedToken, _render_forged_link)
    app.register_error_handler(SignInNeeded, _render_sign_in_needed)
    app.register_error_handler(OutdatedToken, _render_withdrawn_link)
    app.register_error_handler(LinkWithdrawn, _render_withdrawn_link)
    app.register_error_handler(GameSetBack, _render_game_set_back)
    app.register_error_handler(GameGone, _render_game_gone)
    app.register_error_handler(GameCalledOff, _render_game_called_off)
    app.register_error_handler(GameNotWatchable, _render_not_watchable)
    app.register_error_handler(DoubledCookie, _render_doubled_cookie)
    app.register_error_handler(VisitorBanned, _render_banned)
    app.register_error_handler(Refusal, render_refusal)
    app.register_error_handler(CorruptLog, _render_broken_log)
    app.register_error_handler(OperationalError, _render_unavailable)
    app.register_error_handler(DataError, _render_unstorable)


def register_error_view(app: Flask, path: str, show: Callable[[HTTPException], ResponseReturnValue]) -> None:
    """Use another error view below a path, such as JSON for the API."""
    app.extensions.setdefault(ERROR_VIEWS_KEY, {})[path] = show


def render_message(
    title: str, words: str, status: int, link: str = "", label: str = ""
) -> ResponseReturnValue:
    """A page of one sentence, with a way on where there is one."""
    return render_template("message.html", title=title, sentence=words, link=link, label=label), status


def render_refusal(refusal: Refusal, link: str = "", label: str = "") -> ResponseReturnValue:
    """A page that says why nothing was done."""
    return render_message(gettext("Nothing was done"), note_refusal(refusal), 409, link, label)


def note_refusal(refusal: Refusal, way: AttemptChannel = AttemptChannel.PAGE) -> str:
    """Let the log tell of a refusal that is answered; its sentence."""
    request_context.current_context().events.note_refusal(refusal.code, way)
    return refusal.sentence


def render_expired_form(link: str) -> ResponseReturnValue:
    """A page that says that a button was pressed too late, and leads back to it."""
    title, words = gettext("Please look once more"), gettext(request_context.FORM_EXPIRED)
    return render_message(title, words, 400, link, gettext("Look again"))


def _render_http_error(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return error.get_response()
    for path, show in current_app.extensions.get(ERROR_VIEWS_KEY, {}).items():
        if request.path.startswith(path):
            return cast(ResponseReturnValue, show(error))
    title, words = map(
        gettext, STATUS_SENTENCES.get(error.code, STATUS_SENTENCES[400 if error.code < 500 else 500])
    )
    shown = render_template("message.html", title=title, sentence=words, link="", label="")
    headers = [(name, value) for name, value in error.get_headers() if name in ("Allow", "Retry-After")]
    return shown, error.code, headers  # RFC 9110, section 15.5.6: a 405 must say what is allowed


def _render_unavailable(error: OperationalError) -> ResponseReturnValue:
    """The disk is full, or the database away: the log says so without a trace for each visitor."""
    LOG.error("a page could not be stored or shown: %s", error.orig)
    visitors.ask_no_more()
    return _render_http_error(ServiceUnavailable(retry_after=TRY_AGAIN_AFTER))


def _render_unstorable(error: DataError) -> ResponseReturnValue:
    """A number or a text that no column takes, such as one with a NUL: only what was sent can be so.

    Nothing has such a name, so whoever looks for it finds nothing.
    """
    LOG.warning("a page was sent what cannot be stored: %s", type(error.orig).__name__)
    return _render_http_error(BadRequest() if request.method == "POST" else NotFound())


def _redirect_here() -> ResponseReturnValue | None:
    """A redirect of werkzeug's, as for `//new`, without the host: that is whatever the request said."""
    error = request.routing_exception
    if not isinstance(error, RequestRedirect):
        return None
    to = urlsplit(error.new_url)
    return redirect(urlunsplit(("", "", f"/{to.path.lstrip('/')}", to.query, "")), error.code)


def note_refused_seal(kind: Purpose, way: AttemptChannel = AttemptChannel.PAGE) -> None:
    """Note that a visitor has shown what no key of ours has sealed."""
    origin, note = visitors.visitor_network(), request_context.current_context().security.note
    note(SecurityEvent.SEAL_REFUSED, origin, request_context.now(), by=way, kind=kind)


def _render_forged_link(_: ForgedToken) -> ResponseReturnValue:
    note_refused_seal(SEALED_PATHS.get(request.path.split("/")[1], Purpose.SEAT))
    words = gettext(
        "This link is not one of ours, or it was damaged on its way. "
        "Open it once more from your mail, or copy the whole of it."
    )
    return render_message(gettext("This link does not work"), words, 404)


def _render_sign_in_needed(needed: SignInNeeded) -> ResponseReturnValue:
    """Why a link is not enough, and the one button that mails another."""
    token = (request.view_args or {}).get("token", "")
    title = gettext("Nothing was done")
    words = gettext("The game is over: its links only show it from now on. Sign in to do more.")
    if not needed.shown:
        title = gettext("This game ended long ago")
        words = gettext(
            "Its links open nothing any more. Who played in it can see it once they are signed in."
        )
    link = url_for("sign_in_pages.show_link_offer", token=token)
    return render_message(title, words, 403, link, gettext("Sign in"))


def again_subject(token: str) -> str:
    """The subject of the button that mails the links that work, for one that does not."""
    return f"again {token}"


def _render_withdrawn_link(_: Exception) -> ResponseReturnValue:
    """What to do with a link of ours that opens nothing any more; a seat's can be mailed anew."""
    title = gettext("This link is not good any more")
    words = gettext(
        "The links of its player were made new since. Nothing was done, and nothing is lost: your latest "
        "mail has links that work."
    )
    return _offer_links(title, words)


def _render_game_set_back(_: GameSetBack) -> ResponseReturnValue:
    return _offer_links(gettext("The game was set back"), gettext(SET_BACK))


def _offer_links(title: str, words: str) -> ResponseReturnValue:
    """A page of one sentence, and the button that mails the links that work."""
    token = (request.view_args or {}).get("token", "") if request.path.startswith("/t/") else ""
    action = url_for("address_pages.mail_again", token=token) if token else ""
    nonce = request_context.csrf_token(again_subject(token)) if token else ""
    return render_template("withdrawn.html", title=title, sentence=words, action=action, nonce=nonce), 410


def _render_game_gone(_: GameGone) -> ResponseReturnValue:
    words = gettext("The link is one of ours, but its game is no longer here.")
    return render_message(gettext("This game is gone"), words, 404)


def _render_game_called_off(_: GameCalledOff) -> ResponseReturnValue:
    words = gettext("It was called off before it began. You get no more mails of it.")
    return render_message(
        gettext("This game was called off"),
        words,
        410,
        url_for("new_game.show_new_game_form"),
        gettext("New game"),
    )


def _render_not_watchable(_: GameNotWatchable) -> ResponseReturnValue:
    words = gettext(
        "Only its players can look at this game. "
        "If you are one of them, open the link in any of your mails, or sign in."
    )
    return render_message(
        gettext("This game is not open to watch"),
        words,
        404,
        url_for("sign_in_pages.show_sign_in_form"),
        gettext("Sign in"),
    )


def _render_doubled_cookie(_: DoubledCookie) -> ResponseReturnValue:
    words = gettext(
        "Your browser sent two cookies where one is ours, so another site has set the other. "
        "Nothing was done. Please delete the cookies of this site in your browser, and begin again."
    )
    return render_message(gettext("Please look once more"), words, 400)


def _render_banned(_: VisitorBanned) -> ResponseReturnValue:
    words = gettext(
        "The operator of this server takes nothing from your network, or from your address, so nothing was "
        "done. You can go on reading."
    )
    return render_message(gettext("Not from here"), words, 403)


def _render_broken_log(error: CorruptLog) -> ResponseReturnValue:
    LOG.error("%s", error)
    return _render_http_error(InternalServerError())
