"""Peers that connect and say nothing, or half of something, and keep nobody else waiting."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from waitress.server import create_server

from server.app import create_app
from tests.server.desk import desk
from tests.server.test_connections import connect, listening, running
from tests.server.test_serving import free_port

pytestmark = pytest.mark.breadth

PROMPT = 1.0
"""Seconds within which an honest visitor and an honest mail are served."""
AT_MOST = 5.0
"""Seconds for which they are waited for."""
HALF_REQUESTS = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-",
    b"POST /signin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\nnonce=",
    b"POST /signin HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n",
)


# --- half requests --------------------------------------------------------------------------------------


@contextmanager
def half_requests(port: int, number: int) -> Iterator[None]:
    """So many peers who have each begun to ask for something."""
    with ExitStack() as stack:
        for one in range(number):
            stack.enter_context(closing(connect(port, HALF_REQUESTS[one % len(HALF_REQUESTS)])))
        yield


def seconds_of_a_page(port: int) -> float:
    """How long an honest visitor waits for a page. Raises `TimeoutError` where none comes."""
    began = monotonic()
    with closing(socket.create_connection(("127.0.0.1", port), AT_MOST)) as visitor:
        visitor.sendall(b"GET /rules HTTP/1.0\r\nHost: localhost\r\n\r\n")
        said = visitor.recv(4096)
        assert said.startswith(b"HTTP/1.0 200 "), said
    return monotonic() - began


@pytest.mark.parametrize("number", [200, 1050])
def test_half_requests_keep_no_visitor_waiting(number: int, tmp_path: Path, record_property) -> None:
    with listening(create_app(desk(tmp_path))) as port:
        alone = seconds_of_a_page(port)
        with half_requests(port, number):
            waited = seconds_of_a_page(port)
    record_property("figure", f"a page: {alone:.3f} s, beside {number} half requests {waited:.3f} s")
    assert waited < PROMPT


def test_control_half_requests_shut_a_server_without_deadlines(tmp_path: Path) -> None:
    port = free_port()
    sockets: dict[int, Any] = {}
    plain = create_server(create_app(desk(tmp_path)), map=sockets, host="127.0.0.1", port=port)
    with running(plain, sockets, port), half_requests(port, 200), pytest.raises(TimeoutError):
        seconds_of_a_page(port)
