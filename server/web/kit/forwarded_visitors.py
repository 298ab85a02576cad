"""Who asks, where a web server before us asks for them: what a trusted one says in `X-Forwarded-For`.

Each proxy adds the address that spoke to it at the right, and a visitor can write anything to the left of
that. So it is read from the right: the first address that is no trusted proxy is the visitor. Nobody else is
believed, and nothing else that is forwarded, such as the name of a host, is believed of anybody.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from server.configuration.networks import Network, is_within, parse_address

if TYPE_CHECKING:
    from collections.abc import Iterable

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
"""What else proxies say, and whoever pretends to be one; nobody here reads it."""
UNKNOWN_VISITOR = "alexandros.unknown_visitor"
"""The key in the environment of a request that was forwarded, and nobody who is trusted says for whom."""
HOP = re.compile(r"\[([^]]+)\](?::\d+)?|([\d.]+):\d+")
"""An address with its port, or in brackets, as some proxies write it."""


class ForwardedVisitors:
    """A WSGI application behind web servers, which is told the address of the visitor and not theirs."""

    def __init__(self, application: WSGIApplication, trusted: tuple[Network, ...]) -> None:
        self._application, self._trusted = application, trusted

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, knowing who asks."""
        forwarded = environ.pop(FORWARDED_FOR, "")
        for name in OTHER_HEADERS:
            environ.pop(name, None)
        peer = environ.get("REMOTE_ADDR", "")
        environ["REMOTE_ADDR"] = visitor = find_visitor(peer, forwarded, self._trusted)
        if forwarded and parse_address(visitor) == parse_address(peer):
            environ[UNKNOWN_VISITOR] = True
        return self._application(environ, start_response)


def find_visitor(peer: str, forwarded: str, trusted: tuple[Network, ...]) -> str:
    """The address of whoever asks: the peer's own, unless it is a trusted proxy that names another."""
    speaks = parse_address(peer)
    if speaks is None:
        return peer
    if is_within(speaks, trusted):
        for hop in reversed(forwarded.split(",")):
            found = HOP.fullmatch(hop.strip())
            address = parse_address((found[1] or found[2]) if found else hop.strip())
            if address is None:
                break  # a proxy that writes such a thing is not understood
            if not is_within(address, trusted):
                return str(address)
    return str(speaks)
