"""Pages for what cannot be shown or done: a sentence each, and never the inside of the server."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import cast

from flask import Flask, current_app, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, InternalServerError

from emails.i18n import say, sentence
from emails.links import Forged
from server.store.event_log import Broken

LOG = logging.getLogger(__name__)
SHOWN = "errors shown"
"""The name under which an application keeps who else shows errors, by the paths below which they do."""
SENTENCES = {
    400: (
        sentence("That could not be understood"),
        sentence("What was sent cannot be read. Nothing was done."),
    ),
    404: (
        sentence("There is nothing here"),
        sentence("This page does not exist. Perhaps the address was cut short on its way."),
    ),
    405: (sentence("Not in this way"), sentence("This page cannot be asked in that way. Nothing was done.")),
    413: (
        sentence("That is too much"),
        sentence("What was sent is larger than this page takes. Nothing was done."),
    ),
    500: (
        sentence("Something went wrong here"),
        sentence("That is our fault, not yours. Please try again later."),
    ),
}
"""For each status a title and what it means for the visitor."""


class Gone(HTTPException):
    """A ticket of ours whose game is not there any more."""

    code = 404


class CalledOff(HTTPException):
    """A game that was called off before it began."""

    code = 410


class Left(HTTPException):
    """A ticket of somebody who has given his seat up before the game began, or has not answered in time."""

    code = 410

    def __init__(self, game: str) -> None:
        super().__init__()
        self.game = game


class Private(HTTPException):
    """A game that is not open to watch, or none at all: nobody is told which."""

    code = 404


def register(app: Flask) -> None:
    """Show these pages instead of Flask's own."""
    app.register_error_handler(HTTPException, _known)
    app.register_error_handler(Forged, _forged)
    app.register_error_handler(Gone, _gone)
    app.register_error_handler(CalledOff, _called_off)
    app.register_error_handler(Private, _private)
    app.register_error_handler(Broken, _broken)


def shown_by(app: Flask, path: str, show: Callable[[HTTPException], ResponseReturnValue]) -> None:
    """Let errors at addresses that begin with a path be shown otherwise: not everybody there reads pages."""
    app.extensions.setdefault(SHOWN, {})[path] = show


def page(title: str, words: str, status: int, link: str = "", label: str = "") -> ResponseReturnValue:
    """A page of one sentence, with a way on where there is one."""
    return render_template("message.html", title=title, sentence=words, link=link, label=label), status


def _known(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return error.get_response()
    for path, show in current_app.extensions.get(SHOWN, {}).items():
        if request.path.startswith(path):
            return cast(ResponseReturnValue, show(error))
    title, words = map(say, SENTENCES.get(error.code, SENTENCES[400 if error.code < 500 else 500]))
    shown = render_template("message.html", title=title, sentence=words, link="", label="")
    headers = [(name, value) for name, value in error.get_headers() if name in ("Allow", "Retry-After")]
    return shown, error.code, headers  # RFC 9110, section 15.5.6: a 405 must say what is allowed


def _forged(_: Forged) -> ResponseReturnValue:
    words = say(
        "This link is not one of ours, or it was damaged on its way. "
        "Open it once more from your mail, or copy the whole of it."
    )
    return page(say("This link does not work"), words, 404)


def _gone(_: Gone) -> ResponseReturnValue:
    words = say("The link is one of ours, but its game is no longer here.")
    return page(say("This game is gone"), words, 404)


def _called_off(_: CalledOff) -> ResponseReturnValue:
    words = say("It was called off before it began. You get no more letters of it.")
    return page(say("This game was called off"), words, 410, url_for("new_game_form.new"), say("New game"))


def _private(_: Private) -> ResponseReturnValue:
    words = say(
        "Only its players can look at this game. "
        "If you are one of them, open the link in any of your letters, or sign in."
    )
    return page(
        say("This game is not open to watch"), words, 404, url_for("sign_in_pages.form"), say("Sign in")
    )


def _broken(error: Broken) -> ResponseReturnValue:
    LOG.error("%s", error)
    return _known(InternalServerError())
