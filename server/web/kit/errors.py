"""Error pages of one sentence, without internal details."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NoReturn

from flask import Flask, abort, current_app, g, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import DataError, OperationalError
from werkzeug.exceptions import BadRequest, HTTPException, InternalServerError, NotFound, ServiceUnavailable

from emails.i18n import gettext, gettext_noop
from emails.tokens import ForgedToken, OutdatedToken, Purpose
from server.monitoring import AttemptChannel, SecurityEvent
from server.store.event_log import CorruptLog, Refusal
from server.web.kit import request_context, visitors
from server.web.kit.request_context import PageError

LOG = logging.getLogger(__name__)
API_PATH = "/api/"
API_ERROR_VIEW = "errors of the API"
"""Key in `app.extensions` of the view that shows errors of the API's paths."""
SEALED_PATHS = {
    "t": Purpose.SEAT,
    "n": Purpose.PROPOSAL,
    "j": Purpose.JOIN,
    "new": Purpose.ORGANISER,
    "u": Purpose.UNSUBSCRIBE,
}
"""Kind of the token in a page address, by the first part of its path."""
TRY_AGAIN_AFTER = 60
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


class GameGone(PageError):
    code = 404
    title = gettext_noop("This game is gone")
    words = gettext_noop("The link is one of ours, but its game is no longer here.")


class GameCalledOff(PageError):
    code = 410
    title = gettext_noop("This game was called off")
    words = gettext_noop("It was called off before it began. You get no more mails of it.")
    way_on = "new_game.submit_new_game", gettext_noop("New game")


class GameNotWatchable(PageError):
    """The game is not open to spectators, or does not exist; the page does not reveal which."""

    code = 404
    title = gettext_noop("This game is not open to watch")
    words = gettext_noop(
        "Only its players can look at this game. "
        "If you are one of them, open the link in any of your mails, or sign in."
    )
    way_on = "sign_in_pages.request_link", gettext_noop("Sign in")


class SignInNeeded(PageError):
    """The action, such as a change of a finished game, needs a session besides the link."""

    code = 403
    title = gettext_noop("Nothing was done")
    words = gettext_noop("The game is over: its links only show it from now on. Sign in to do more.")
    way_on = "sign_in_pages.mail_link", gettext_noop("Sign in")


class GameLongOver(SignInNeeded):
    title = gettext_noop("This game ended long ago")
    words = gettext_noop(
        "Its links open nothing any more. Who played in it can see it once they are signed in."
    )


class LinkWithdrawn(PageError):
    code = 410
    title = gettext_noop("This link is not good any more")
    words = gettext_noop(
        "The links of its player were made new since. Nothing was done, and nothing is lost: your latest "
        "mail has links that work."
    )


class GameSetBack(LinkWithdrawn):
    """The link names an act that is no longer in the log, because a backup was restored."""

    title = gettext_noop("The game was set back")
    words = gettext_noop(
        "The server lost its last hours and stands again where it stood before them: what this link is about "
        "did not count. Nothing was done; your latest mail has links that work."
    )


class SeatLeft(HTTPException):
    """The holder of the ticket left the seat before the game began, or did not answer in time."""

    code = 410

    def __init__(self, game: str) -> None:
        super().__init__()
        self.game = game


def register(app: Flask) -> None:
    app.register_error_handler(HTTPException, _render_http_error)
    app.register_error_handler(ForgedToken, _render_forged_link)
    app.register_error_handler(PageError, _render_page_error)
    app.register_error_handler(LinkWithdrawn, _offer_links)
    app.register_error_handler(OutdatedToken, lambda _: _offer_links(LinkWithdrawn()))
    app.register_error_handler(
        Refusal, lambda refusal: render_message(gettext("Nothing was done"), note_refusal(refusal), 409)
    )
    app.register_error_handler(CorruptLog, _render_broken_log)
    app.register_error_handler(OperationalError, _render_unavailable)
    app.register_error_handler(DataError, _render_unstorable)


def render_message(
    title: str, words: str, status: int = 200, link: str = "", label: str = ""
) -> ResponseReturnValue:
    return render_template("message.html", title=title, sentence=words, link=link, label=label), status


def abort_with_message(title: str, words: str, status: int, link: str = "", label: str = "") -> NoReturn:
    abort(make_response(render_message(title, words, status, link, label)))


def note_refusal(refusal: Refusal, way: AttemptChannel = AttemptChannel.PAGE) -> str:
    """Log a refusal; return its sentence."""
    request_context.current_context().events.note_refusal(refusal.code, way)
    return refusal.sentence


def _render_http_error(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return error.get_response()
    if request.path.startswith(API_PATH):
        show: Callable[[HTTPException], ResponseReturnValue] = current_app.extensions[API_ERROR_VIEW]
        return show(error)
    title, words = map(
        gettext, STATUS_SENTENCES.get(error.code, STATUS_SENTENCES[400 if error.code < 500 else 500])
    )
    shown = render_template("message.html", title=title, sentence=words, link="", label="")
    headers = [(name, value) for name, value in error.get_headers() if name in ("Allow", "Retry-After")]
    return shown, error.code, headers  # RFC 9110, section 15.5.6: a 405 must say what is allowed


def _render_unavailable(error: OperationalError) -> ResponseReturnValue:
    # The disk is full, or the database is unavailable.
    LOG.error("a page could not be stored or shown: %s", error.orig)
    g.signed_in = None
    return _render_http_error(ServiceUnavailable(retry_after=TRY_AGAIN_AFTER))


def _render_unstorable(error: DataError) -> ResponseReturnValue:
    # A form or an address has text that no column can store, such as a NUL.
    LOG.warning("a request has data that cannot be stored: %s", type(error.orig).__name__)
    return _render_http_error(BadRequest() if request.method == "POST" else NotFound())


def note_refused_seal(kind: Purpose, way: AttemptChannel = AttemptChannel.PAGE) -> None:
    """Log that a visitor sent a token that was not made with any of the server's keys."""
    origin, note = visitors.visitor_network(), request_context.current_context().security.note
    note(SecurityEvent.SEAL_REFUSED, origin, request_context.now(), by=way, kind=kind)


def _render_forged_link(_: ForgedToken) -> ResponseReturnValue:
    note_refused_seal(SEALED_PATHS.get(request.path.split("/")[1], Purpose.SEAT))
    words = gettext(
        "This link is not one of ours, or it was damaged on its way. "
        "Open it once more from your mail, or copy the whole of it."
    )
    return render_message(gettext("This link does not work"), words, 404)


def _render_page_error(error: PageError) -> ResponseReturnValue:
    endpoint, label = error.way_on
    named = (request.view_args or {}) if isinstance(error, SignInNeeded) else {}
    link = url_for(endpoint, **named) if endpoint else ""
    title, words = gettext(error.title), gettext(error.words)
    return render_message(title, words, error.code or 400, link, gettext(label) if label else "")


def again_subject(token: str) -> str:
    return f"again {token}"


def _offer_links(error: LinkWithdrawn) -> ResponseReturnValue:
    token = (request.view_args or {}).get("token", "") if request.path.startswith("/t/") else ""
    return render_template(
        "withdrawn.html",
        title=gettext(error.title),
        sentence=gettext(error.words),
        action=url_for("settings_pages.mail_again", token=token) if token else "",
        nonce=request_context.csrf_token(again_subject(token)) if token else "",
    ), 410


def _render_broken_log(error: CorruptLog) -> ResponseReturnValue:
    LOG.error("%s", error)
    return _render_http_error(InternalServerError())
