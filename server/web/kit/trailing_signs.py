"""Links that mail programs have lengthened: with the punctuation behind them, or with invisible signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from werkzeug.wsgi import get_path_info

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PUNCTUATION = ".,;:!?)]>}'\""
INVISIBLE = (
    " \u00a0\u00ad\u061c\u200b\u200c\u200d\u200e\u200f"
    "\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
"""Blanks, joiners, and the marks of direction that right-to-left programs put behind a link."""


class TrailingSigns:
    """A WSGI application that is asked for a path without the signs that do not belong to it."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request for the path that was meant; none of ours ends with such a sign."""
        path = get_path_info(environ)
        meant = path.rstrip(PUNCTUATION + INVISIBLE)
        if meant != path:
            environ["PATH_INFO"] = meant.encode().decode("latin-1")
        return self._application(environ, start_response)
