"""Who asks, as a web server before us says: believed of trusted ones alone, and read from the right."""

import pytest
from flask import request

from server.configuration.network import read_networks
from server.web.kit.middleware import find_visitor
from tests.server.web.site import site

TRUSTED = read_networks("127.0.0.1, ::1, 10.0.0.0/8")
PROXY, PEER = "127.0.0.1", "192.0.2.1"


@pytest.mark.parametrize(
    ("peer", "forwarded", "visitor"),
    [
        (PEER, "", PEER),
        (PEER, "203.0.113.9", PEER),
        ("2001:db8::1", "203.0.113.9", "2001:db8::1"),
        ("localhost", "203.0.113.9", "localhost"),
        ("", "203.0.113.9", ""),
        (PROXY, "", PROXY),
        (PROXY, "203.0.113.9", "203.0.113.9"),
        (PROXY, "2001:DB8::0:9", "2001:db8::9"),
        (PROXY, "203.0.113.9:4711", "203.0.113.9"),
        (PROXY, "[2001:db8::9]:4711", "2001:db8::9"),
        (PROXY, "[2001:db8::9]", "2001:db8::9"),
        (PROXY, "::ffff:203.0.113.9", "203.0.113.9"),
        ("::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("::1", "203.0.113.9", "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (PROXY, "what a visitor made up,203.0.113.9", "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9, 10.0.0.7", "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9 ,10.0.0.7,10.0.0.8", "203.0.113.9"),
        (PROXY, "203.0.113.9, unknown", PROXY),
        (PROXY, "203.0.113.9,", PROXY),
        (PROXY, "203.0.113.9, unknown, 10.0.0.7", PROXY),
        (PROXY, "10.0.0.7, 10.0.0.8", PROXY),
        (PROXY, "999.1.1.1", PROXY),
        (PROXY, ", " * 10_000, PROXY),
    ],
)
def test_the_visitor_is_the_first_from_the_right_that_is_no_trusted_proxy(
    peer: str, forwarded: str, visitor: str
) -> None:
    assert find_visitor(peer, forwarded, TRUSTED) == visitor


def test_without_trusted_proxies_nobody_is_believed() -> None:
    assert find_visitor(PROXY, "203.0.113.9", ()) == PROXY


@pytest.mark.parametrize(("trusted", "visitor"), [("none", "127.0.0.1"), ("127.0.0.1", "203.0.113.9")])
def test_pages_see_the_visitor_and_nothing_else_that_is_forwarded(
    tmp_path, trusted: str, visitor: str
) -> None:
    place = site(tmp_path, ALEXANDROS_TRUSTED_PROXIES=trusted)
    seen = []

    def look() -> None:
        names = [name for name in request.environ if "FORWARDED" in name or name == "HTTP_X_REAL_IP"]
        seen.append((request.remote_addr, request.host, request.scheme, names))

    place.app.before_request(look)
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Real-IP": "198.51.100.1"}
    forged |= {"X-Forwarded-Port": "1", "X-Forwarded-Prefix": "/evil", "Forwarded": "for=198.51.100.1"}
    place.visitor().client.get("/", headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.9", **forged})
    assert seen == [(visitor, "localhost", "http", [])]
