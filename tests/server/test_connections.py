"""Connections: half requests end at their deadline, and who is silent makes room for others."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from fcntl import F_DUPFD, fcntl
from threading import Event, Semaphore, Thread
from typing import Any

import pytest
from waitress import wasyncore
from waitress.trigger import trigger

from server import app
from server.app import (
    READY,
    PassedSockets,
    PortUnavailable,
    check_passed,
    notify_manager,
    serve,
    take_passed_sockets,
)
from server.connections import (
    LONGEST_HEADERS,
    THREADS,
    ConnectionLimits,
    VisitorConnection,
    VisitorQueue,
    WebServer,
    create_web_server,
)
from server.network import Endpoint, read_networks
from server.store.states import Role
from tests.paths import TOP
from tests.ports import free_port
from tests.server.desk import desk
from tests.server.test_serving import PATIENCE

LARGEST = 1000
ASKING = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def echo(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    said = environ["wsgi.input"].read() or b"nothing"
    start_response("200 OK", [("Content-Length", str(len(said)))])
    return [said]


@contextmanager
def running(server: Any, sockets: Any, port: int) -> Iterator[int]:
    thread = Thread(target=server.run, name="serves pages")
    thread.start()
    try:
        yield port
    finally:  # in its own thread, so that nothing is closed that is just being waited for
        bell = next(one for one in sockets.values() if isinstance(one, trigger))
        bell.pull_trigger(lambda: wasyncore.close_all(sockets))
        thread.join()
        server.task_dispatcher.shutdown()


@contextmanager
def listening(application: Any = echo, **limits: Any) -> Iterator[int]:
    """The server that serves our pages, with such limits; the port at which it listens."""
    port = free_port()
    server = create_web_server(application, Endpoint("127.0.0.1", port), LARGEST, ConnectionLimits(**limits))
    with running(server, server.map, port):
        yield port


def connect(port: int, said: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
    peer = socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
    peer.sendall(said)
    return peer


def answer(peer: socket.socket) -> bytes:
    found = b""
    while some := peer.recv(4096):
        found += some
    return found


def ask(peer: socket.socket, request: bytes = ASKING, end: bytes = b"nothing") -> None:
    """Ask for something, and wait until the answer is there."""
    peer.sendall(request)
    found = b""
    while not found.endswith(end):
        some = peer.recv(4096)
        assert some, "the connection has ended"
        found += some


def test_when_all_are_taken_the_one_that_was_silent_for_longest_makes_room():
    with listening(most=3) as port, ExitStack() as stack:
        first, second, third = (stack.enter_context(closing(connect(port, b"GET "))) for _ in range(3))
        ask(third, b"/ HTTP/1.1\r\n\r\n")
        ask(first, b"/ HTTP/1.1\r\n\r\n")
        ask(stack.enter_context(closing(connect(port))))
        assert answer(second) == b""
        ask(first)
        ask(stack.enter_context(closing(connect(port))))
        assert answer(third) == b""
        ask(first)


class Slow:
    """An application that answers when it is released."""

    def __init__(self) -> None:
        self.asked, self.released = Semaphore(0), Event()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.asked.release()
        assert self.released.wait(PATIENCE)
        return echo(environ, start_response)


class CountedQueue(VisitorQueue):
    """Says when a request begins to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.added = Semaphore(0)

    def append(self, connection: VisitorConnection) -> None:
        super().append(connection)
        self.added.release()


PIPELINED = b"GET /crowd HTTP/1.1\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n" * 50
HONEST = b"GET /honest HTTP/1.1\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n"


@pytest.mark.parametrize(("in_turn", "behind_proxy"), [(True, False), (True, True), (False, False)])
def test_a_visitor_is_answered_before_the_crowd_of_another_network(in_turn, behind_proxy, monkeypatch):
    """Each of many connections has sent many requests at once, and reads nothing."""
    if not in_turn:
        monkeypatch.setattr(VisitorConnection, "find_network", lambda _: "")
    served: list[str] = []
    application, waiting, port = Slow(), CountedQueue(), free_port()

    def noting(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        found = application(environ, start_response)
        served.append(environ["PATH_INFO"])
        return found

    trusted = read_networks("127.0.0.0/8") if behind_proxy else ()
    server = create_web_server(noting, Endpoint("127.0.0.1", port), LARGEST, trusted=trusted)
    server.task_dispatcher.queue = waiting
    with running(server, server.map, port), ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(closing(connect(port, PIPELINED)))
        stack.enter_context(closing(connect(port, HONEST, "127.0.1.1")))
        assert all(waiting.added.acquire(timeout=PATIENCE) for _ in range(101))
        application.released.set()
        assert all(application.asked.acquire(timeout=PATIENCE) for _ in range(101))
    assert len(served) <= 101, "of those that were sent at once the first is answered"
    assert ("/honest" in served[: 2 * THREADS + 1]) == in_turn


def test_a_network_that_has_many_connections_makes_room_by_its_own():
    with listening(most_of_network=2) as port, ExitStack() as stack:
        other = stack.enter_context(closing(connect(port, ASKING[:9], "127.0.2.1")))
        first, second, third = (stack.enter_context(closing(connect(port, ASKING[:9]))) for _ in range(3))
        ask(third, ASKING[9:])
        assert until_the_end(first) == b""
        ask(second, ASKING[9:])
        ask(other, ASKING[9:])


def until_the_end(peer: socket.socket) -> bytes:
    try:
        return answer(peer)
    except ConnectionError:
        return b""


def test_when_it_stops_half_a_request_may_become_whole_and_nobody_else_is_waited_for():
    port, limits = free_port(), ConnectionLimits(last_word=0.05)
    server = create_web_server(echo, Endpoint("127.0.0.1", port), LARGEST, limits)
    thread = Thread(target=lambda: (server.run(), server.drain(PATIENCE), server.close()))
    thread.start()
    with ExitStack() as stack:
        silent, idle, half = (stack.enter_context(closing(connect(port))) for _ in range(3))
        ask(idle)
        half.sendall(ASKING[:20])
        server.stop()
        assert (answer(silent), answer(idle)) == (b"", b"")
        half.sendall(ASKING[20:])
        assert answer(half).endswith(b"nothing")
        thread.join()


@pytest.mark.parametrize("listen", ["127.0.0.1", "0.0.0.0", "::1", "localhost"])
def test_a_socket_that_was_passed_has_to_be_where_the_setting_says(listen):
    """What is shown to whom follows from the setting."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
        with pytest.raises(ValueError, match="passed socket listens at"):
            check_passed([bound], Endpoint(listen, port % 65535 + 1))
        if listen in ("0.0.0.0", "::1"):
            with pytest.raises(ValueError, match="passed socket listens at"):
                check_passed([bound], Endpoint(listen, port))
        else:
            check_passed([bound], Endpoint(listen, port))


@pytest.mark.parametrize("role", [Role.PAGES, Role.MAIL])
def test_a_server_does_not_start_with_a_socket_that_is_elsewhere(tmp_path, monkeypatch, role):
    ports = {"LISTEN": f"127.0.0.1:{free_port()}", "MAIL_IN": f"smtp://127.0.0.1:{free_port()}"}
    context = desk(tmp_path, **{f"ALEXANDROS_{name}": where for name, where in ports.items()})
    monkeypatch.setattr(app, "_call_at_signal", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as other:
        passed = PassedSockets(**{role: (other,)})
        monkeypatch.setattr(app, "take_passed_sockets", lambda _: passed)
        with pytest.raises(PortUnavailable, match="a passed socket listens at"):
            serve(context, lambda: None, frozenset({role}))


def test_a_request_that_is_too_large_is_refused():
    with listening() as port:
        for said, status in (
            (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LARGEST + 1), b"413"),
            (b"GET / HTTP/1.1\r\nCookie: ".ljust(LONGEST_HEADERS, b"x"), b"431"),
        ):
            with closing(connect(port, said)) as peer:
                assert answer(peer).split()[1] == status


TAKING = """
import os, sys
from server.app import take_passed_sockets
for number, given in enumerate(sys.argv[1:], 3):
    os.dup2(int(given), number)
os.environ["LISTEN_PID"] = str(os.getpid())
taken = take_passed_sockets(os.environ)
for sockets in taken.pages, taken.mail:
    print(*(one.getsockname()[1] for one in sockets))
print(*(name for name in os.environ if name.startswith("LISTEN_")))
print(*(one.get_inheritable() for one in taken.pages + taken.mail))
"""


def test_a_socket_is_taken_by_its_name():
    bound = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    ports = [one.getsockname()[1] for one in bound]
    high = [fcntl(one.fileno(), F_DUPFD, 100) for one in bound]  # above what the program is to find them at
    given = {**os.environ, "LISTEN_FDS": "3", "LISTEN_FDNAMES": "pages:mail:alexandros.socket"}
    code = [sys.executable, "-c", TAKING, *map(str, high)]
    said = subprocess.run(code, env=given, pass_fds=high, cwd=TOP, capture_output=True, text=True, check=True)
    for number, one in zip(high, bound, strict=True):
        os.close(number)
        one.close()
    assert said.stdout.split("\n")[:-1] == [f"{ports[0]} {ports[2]}", str(ports[1]), "", "False False False"]


def test_what_was_passed_to_another_process_is_left_alone():
    given = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid() + 1), "LISTEN_FDNAMES": "mail", "HOME": "/"}
    assert take_passed_sockets(given) == PassedSockets()
    assert given == {"HOME": "/"}
    assert take_passed_sockets({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "many"}) == PassedSockets()


def test_the_manager_hears_how_it_is_where_it_listens(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(f"\0{tmp_path}")
        notify_manager({"NOTIFY_SOCKET": f"@{tmp_path}"}, READY)
        assert heard.recv(100) == b"READY=1"
    for address in ({}, {"NOTIFY_SOCKET": f"@{tmp_path}"}, {"NOTIFY_SOCKET": "vsock:2:1"}):
        notify_manager(address, READY)


HALF = (
    b"",
    b"\r\n",
    b"GET / HTTP/1.1\r\nHost: local",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n1234",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n1234",
)


def check_deadline(stage: str) -> None:
    """One part has a short deadline, and whoever is at another is served."""
    said = {
        "headers": b"GET / HTTP/1.1\r\n",
        "body": b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n1",
        "idle": ASKING,
    }
    with listening(**(dict.fromkeys(said, 1000.0) | {stage: 0.1})) as port, ExitStack() as stack:
        peers = {name: stack.enter_context(closing(connect(port, words))) for name, words in said.items()}
        answer(peers[stage])
        peers["headers"].sendall(b"\r\n") if stage != "headers" else None
        peers["body"].sendall(b"2345") if stage != "body" else None
        for name in said.keys() - {stage}:
            ask(peers[name], ASKING if name == "idle" else b"", b"12345" if name == "body" else b"nothing")


def answers_of_those_who_wait_at_the_end(drain: Callable[[WebServer], None]) -> list[bytes]:
    """What is said to sixty who have asked when the server is told to stop."""
    application, port = Slow(), free_port()
    server = create_web_server(application, Endpoint("127.0.0.1", port), LARGEST)

    def serve() -> None:
        server.run()
        application.released.set()
        drain(server)
        server.close()

    thread = Thread(target=serve)
    thread.start()
    with ExitStack() as stack, ThreadPoolExecutor(60) as threads:
        peers = [stack.enter_context(closing(connect(port, ASKING))) for _ in range(60)]
        application.asked.acquire()
        server.stop()
        found = [*threads.map(until_the_end, peers)]
        thread.join()
    with pytest.raises(ConnectionRefusedError):
        connect(port)
    return found


@pytest.mark.breadth
def test_who_says_half_of_a_request_is_left_at_its_deadline() -> None:
    with listening(headers=0.1, body=0.1, idle=0.1) as port, ExitStack() as stack:
        said = [*HALF, *(ASKING + half for half in HALF)]
        peers = [stack.enter_context(closing(connect(port, words))) for words in said]
        found = [answer(peer) for peer in peers]
    assert found[: len(HALF)] == [b""] * len(HALF)
    assert all(words.endswith(b"nothing") for words in found[len(HALF) :])


@pytest.mark.breadth
def test_each_part_of_a_request_has_a_deadline_of_its_own() -> None:
    """Three servers are looked at beside each other, for each takes a second to look at its connections."""
    with ThreadPoolExecutor(3) as together:
        list(together.map(check_deadline, ("headers", "body", "idle")))


@pytest.mark.breadth
def test_whoever_has_asked_when_it_stops_is_answered() -> None:
    found = answers_of_those_who_wait_at_the_end(lambda server: server.drain(PATIENCE))
    assert [words.split(b"\r\n")[0] for words in found] == [b"HTTP/1.1 200 OK"] * 60
    assert all(words.endswith(b"nothing") for words in found)
    assert sum(b"Connection: close" in words for words in found) >= 60 - THREADS


def test_it_would_be_noticed_if_they_were_not() -> None:
    assert answers_of_those_who_wait_at_the_end(lambda server: None).count(b"") > 40
