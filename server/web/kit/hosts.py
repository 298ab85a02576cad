"""The name by which a request asks for us: one that is no host name is refused before anything reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LONGEST_HOST = 253 + len(":65535")
"""Characters of a name (RFC 1035, section 2.3.4) and a port."""
NO_HOST = "The request names no host that there could be.\n"


def register(app: Flask) -> None:
    """Refuse requests whose `Host` is no name of a host; the framework would fail at them."""
    app.wsgi_app = _refuse_bad_hosts(app.wsgi_app)  # type: ignore[assignment, method-assign]


def _refuse_bad_hosts(inner: WSGIApplication) -> WSGIApplication:
    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if is_host(environ.get("HTTP_HOST", "")):
            return inner(environ, start_response)
        return Response(NO_HOST, 400, mimetype="text/plain")(environ, start_response)

    return application


def is_host(name: str) -> bool:
    """Whether it can be the name of a host, with or without a port; also where there is none."""
    try:
        name.encode("ascii").decode("idna").encode("idna")  # as the framework does both, label by label
    except UnicodeError:
        return False
    return len(name) <= LONGEST_HOST
