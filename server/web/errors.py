"""Pages for what cannot be shown or done: a sentence each, and never the inside of the server."""

from __future__ import annotations

import logging

from flask import Flask, render_template
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, InternalServerError

from emails.links import Forged
from server.log import Broken

LOG = logging.getLogger(__name__)
SENTENCES = {
    400: ("That could not be understood", "What was sent cannot be read. Nothing was done."),
    404: ("There is nothing here", "This page does not exist. Perhaps the address was cut short on its way."),
    405: ("Not in this way", "This page cannot be asked in that way. Nothing was done."),
    413: ("That is too much", "What was sent is larger than this page takes. Nothing was done."),
    500: ("Something went wrong here", "That is our fault, not yours. Please try again later."),
}
"""For each status a title and what it means for the visitor."""


class Gone(HTTPException):
    """A ticket of ours whose game is not there any more."""

    code = 404


def register(app: Flask) -> None:
    """Show these pages instead of Flask's own."""
    app.register_error_handler(HTTPException, _known)
    app.register_error_handler(Forged, _forged)
    app.register_error_handler(Gone, _gone)
    app.register_error_handler(Broken, _broken)


def page(title: str, sentence: str, status: int, link: str = "", label: str = "") -> ResponseReturnValue:
    """A page of one sentence, with a way on where there is one."""
    return render_template("message.html", title=title, sentence=sentence, link=link, label=label), status


def _known(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return error.get_response()
    title, sentence = SENTENCES.get(error.code, SENTENCES[400 if error.code < 500 else 500])
    words = render_template("message.html", title=title, sentence=sentence, link="", label="")
    headers = [(name, value) for name, value in error.get_headers() if name in ("Allow", "Retry-After")]
    return words, error.code, headers  # RFC 9110, section 15.5.6: a 405 must say what is allowed


def _forged(error: Forged) -> ResponseReturnValue:
    sentence = f"{error} Open it once more from your mail, or copy the whole of it."
    return page("This link does not work", sentence, 404)


def _gone(_: Gone) -> ResponseReturnValue:
    return page("This game is gone", "The link is one of ours, but its game is no longer here.", 404)


def _broken(error: Broken) -> ResponseReturnValue:
    LOG.error("%s", error)
    return _known(InternalServerError())
