"""WSGI middleware: the visitor's address, stray characters in paths, host names, security headers.

Each proxy appends its peer's address at the right end of `X-Forwarded-For`; a visitor can forge everything
to the left. So the list is read from the right: the first address that is not a trusted proxy belongs to the
visitor. Other forwarded headers, such as the host name, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Flask, Response
from werkzeug.wsgi import get_path_info

from server.configuration.network import Network, is_within, parse_address

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


FORWARDED_FOR = "HTTP_X_FORWARDED_FOR"
OTHER_HEADERS = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_BY",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PREFIX",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_REAL_IP",
)
UNKNOWN_VISITOR = "alexandros.unknown_visitor"
"""Key in the WSGI environment, set if a request was forwarded but no trusted proxy names the visitor."""
HOP = re.compile(r"\[([^]]+)\](?::\d+)?|([\d.]+):\d+")
"""An address with a port or in brackets, the forms in which some proxies write addresses."""


class ForwardedVisitors:
    """WSGI middleware that sets REMOTE_ADDR to the visitor's address instead of a proxy's."""

    def __init__(self, application: WSGIApplication, trusted: tuple[Network, ...]) -> None:
        self._application, self._trusted = application, trusted

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        forwarded = environ.pop(FORWARDED_FOR, "")
        for name in OTHER_HEADERS:
            environ.pop(name, None)
        peer = environ.get("REMOTE_ADDR", "")
        environ["REMOTE_ADDR"] = visitor = find_visitor(peer, forwarded, self._trusted)
        if forwarded and parse_address(visitor) == parse_address(peer):
            environ[UNKNOWN_VISITOR] = True
        return self._application(environ, start_response)


def find_visitor(peer: str, forwarded: str, trusted: tuple[Network, ...]) -> str:
    """Return the visitor's address: the peer's own, unless the peer is a trusted proxy that names another."""
    speaks = parse_address(peer)
    if speaks is None:
        return peer
    if is_within(speaks, trusted):
        for hop in reversed(forwarded.split(",")):
            found = HOP.fullmatch(hop.strip())
            address = parse_address((found[1] or found[2]) if found else hop.strip())
            if address is None:
                break  # not an address, so the rest is not trusted
            if not is_within(address, trusted):
                return str(address)
    return str(speaks)


PUNCTUATION = ".,;:!?)]>}'\""
INVISIBLE = (
    " \u00a0\u00ad\u061c\u200b\u200c\u200d\u200e\u200f"
    "\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
"""Blanks, joiners and direction marks that programs append to links."""


class TrailingSigns:
    """WSGI middleware that strips punctuation and invisible characters from the end of a path."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = get_path_info(environ)
        meant = path.rstrip(PUNCTUATION + INVISIBLE)
        if meant != path:
            environ["PATH_INFO"] = meant.encode().decode("latin-1")
        return self._application(environ, start_response)


LONGEST_HOST = 253 + len(":65535")
"""Maximum characters of a host name (RFC 1035, section 2.3.4) with a port."""
NO_HOST = "The request names no host that there could be.\n"


def register_host_check(app: Flask) -> None:
    """Refuse requests with an invalid `Host`, on which the framework would fail."""
    app.wsgi_app = _refuse_bad_hosts(app.wsgi_app)  # type: ignore[assignment, method-assign]


def _refuse_bad_hosts(inner: WSGIApplication) -> WSGIApplication:
    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if is_host(environ.get("HTTP_HOST", "")):
            return inner(environ, start_response)
        return Response(NO_HOST, 400, mimetype="text/plain")(environ, start_response)

    return application


def is_host(name: str) -> bool:
    """Return whether `name` is a valid host name, with or without a port, or is empty."""
    try:
        name.encode("ascii").decode("idna").encode("idna")  # the conversions of the framework
    except UnicodeError:
        return False
    return len(name) <= LONGEST_HOST


CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; script-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def register_security_headers(app: Flask, base_url: str, hsts: int = 0) -> None:
    """Add the security headers to every response, and serve the pages below the path of `base_url`.

    `hsts`: seconds for which browsers must use https; 0 for no such header. Ignored without https.
    """
    headers = dict(HEADERS)
    if hsts and base_url.startswith("https:"):
        headers["Strict-Transport-Security"] = f"max-age={hsts}"

    @app.after_request
    def add(response: Response) -> Response:
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response

    prefix = urlsplit(base_url).path
    if prefix:
        app.wsgi_app = _mount_under(prefix, app.wsgi_app)  # type: ignore[assignment, method-assign]


def _mount_under(prefix: str, inner: WSGIApplication) -> WSGIApplication:
    """Serve below a path, whether or not the proxy strips that path."""

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(prefix + "/"):
            environ["PATH_INFO"] = path[len(prefix) :]
        environ["SCRIPT_NAME"] = prefix
        return inner(environ, start_response)

    return application
