"""Security headers of every response: no scripts but ours, no caching, no referrer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Flask, Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

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
"""Where a page sets one of these itself, its own stands."""


def register(app: Flask, base_url: str, hsts: int = 0) -> None:
    """Send these headers with every answer, and serve pages under the path of `base_url`.

    Under https browsers are told to come by https alone for `hsts` seconds.
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
    """Serve under a path, whether the web server before us takes the path away or leaves it on."""

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(prefix + "/"):
            environ["PATH_INFO"] = path[len(prefix) :]
        environ["SCRIPT_NAME"] = prefix
        return inner(environ, start_response)

    return application
