"""Connections that trickle, and a server that stops or starts anew under load: nobody is left waiting."""

import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest
from waitress.server import create_server

from server.app import create_app
from tests.faults.house import House, house, town
from tests.faults.relays import Mood, relay
from tests.faults.visits import PATIENCE, until
from tests.ports import free_port
from tests.server.desk import desk
from tests.server.test_connections import running

PROMPT = 10.0
"""Seconds after which a visitor gives a page up."""
QUEUED = 60
STOPS_WITHIN = 20.0
"""Seconds, beside the patience that a letter in hand needs."""
BEGUN = (
    b"GET /rules HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    b"POST /signin HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\n",
    b"POST /signin HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n",
)


@contextmanager
def trickling(port: int, number: int, every: float = 1.0) -> Iterator[list[socket.socket]]:
    """So many connections, each of which says one byte more every second."""
    ends = Event()
    with ExitStack() as stack:
        opened = (socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(number))
        peers = [stack.enter_context(closing(peer)) for peer in opened]
        for one, peer in enumerate(peers):
            peer.sendall(BEGUN[one % len(BEGUN)])
        thread = Thread(target=_trickle, args=(peers, ends, every), daemon=True)
        thread.start()
        try:
            yield peers
        finally:
            ends.set()
            thread.join()


def _trickle(peers: list[socket.socket], ends: Event, every: float) -> None:
    gone: set[int] = set()
    while not ends.wait(every):
        for one, peer in enumerate(peers):
            if one not in gone:
                try:
                    peer.sendall(b"x")
                except OSError:
                    gone.add(one)


def slowest_page(port: int, seconds: float) -> float:
    """Ask for pages for so long; the seconds that the slowest took. Raises `TimeoutError`."""
    slowest, began = 0.0, monotonic()
    while monotonic() - began < seconds:
        asked = monotonic()
        with closing(socket.create_connection(("127.0.0.1", port), PROMPT)) as visitor:
            visitor.sendall(b"GET /rules HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            said = visitor.recv(64)
            assert said.startswith(b"HTTP/1.0 200 "), said
        slowest = max(slowest, monotonic() - asked)
        Event().wait(0.1)
    return slowest


@pytest.mark.parametrize(
    ("number", "seconds"),
    [
        (110, 1.5),
        pytest.param(110, 20.0, marks=pytest.mark.breadth),
        pytest.param(300, 20.0, marks=pytest.mark.breadth),
    ],
)
def test_connections_that_trickle_keep_no_visitor_waiting(number, seconds, tmp_path, figure):
    with town(tmp_path) as (place, _):
        place.ask("/rules")
        alone = slowest_page(place.port, 0.3)
        with trickling(place.port, number):
            beside = slowest_page(place.port, seconds)
            unready = place.unready()
    figure(f"{number} trickling connections: lost 0, a page {beside:.2f} s, alone {alone:.2f} s")
    assert unready == set()


@pytest.mark.breadth
def test_control_trickling_connections_shut_a_server_without_limits(tmp_path):
    port, sockets = free_port(), dict[int, Any]()
    plain = create_server(create_app(desk(tmp_path)), map=sockets, host="127.0.0.1", port=port)
    with running(plain, sockets, port), trickling(port, 110), pytest.raises(TimeoutError):
        slowest_page(port, 1.0)


def ask_all(place: House, number: int) -> list[socket.socket]:
    turn = place.turn(place.open_game("Anna", "Ben"))
    path = place.link(turn, "")
    peers = [socket.create_connection(("127.0.0.1", place.port), PATIENCE) for _ in range(number)]
    for peer in peers:
        peer.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    return peers


def answers(peers: list[socket.socket]) -> int:
    whole = 0
    for peer in peers:
        found = b""
        try:
            while some := peer.recv(65536):
                found += some
        except OSError:
            found = b""
        peer.close()
        head, _, body = found.partition(b"\r\n\r\n")
        lines = [line for line in head.splitlines() if line.lower().startswith(b"content-len")]
        lengths = [int(line.split(b":")[1]) for line in lines]
        whole += b" 200 " in head[:20] and lengths == [len(body)]
    return whole


def stop_while_asked(place: House, sign: signal.Signals) -> tuple[int, float]:
    place.ask("/rules")
    peers = ask_all(place, QUEUED)
    Event().wait(0.25)
    place.send_signal(sign)
    took = place.await_end(STOPS_WITHIN)
    return answers(peers), took


@pytest.mark.breadth
def test_who_has_asked_when_the_server_is_told_to_stop_is_answered(tmp_path, figure):
    with town(tmp_path) as (place, _):
        whole, took = stop_while_asked(place, signal.SIGTERM)
        code = place.process.exitcode
    figure(f"SIGTERM among {QUEUED} requests: {whole} answered, ended after {took:.1f} s")
    assert (whole, code) == (QUEUED, 0)


@pytest.mark.breadth
def test_control_who_has_asked_a_server_that_is_killed_is_not_answered(tmp_path):
    with town(tmp_path) as (place, _):
        whole, _ = stop_while_asked(place, signal.SIGKILL)
    assert whole < QUEUED


@pytest.mark.parametrize(("pause", "people"), [(0.15, 8), pytest.param(2.0, 8, marks=pytest.mark.breadth)])
def test_told_to_stop_it_ends_the_letters_in_hand_and_begins_no_other(pause, people, tmp_path, figure):
    with town(tmp_path) as (place, post):
        post.become(Mood(pause=pause))
        games = [place.open_game("Anna", "Ben", "Cleo", "Dirk") for _ in range(people // 4)]
        until(lambda: len(post.begun) >= 2, "letters are in hand")
        place.send_signal()
        told = monotonic()
        took = place.await_end(STOPS_WITHIN + 10 * pause)
        in_hand = [at for _, at in post.begun]
        rows = [dict(row) for game in games for row in place.queued(game)]
        there = {letter.message_id for letter in post.taken()}
        code = place.process.exitcode
    late = [at - told for at in in_hand if at > told + 6 * pause + 0.5]
    assert late == [], "a letter was begun after it was told to stop"
    assert there == {row["message_id"] for row in rows if row["state"] == "sent"}
    assert len(there) == len(in_hand)
    assert any(row["state"] == "waiting" for row in rows), "there were more than could be in hand"
    assert code == 0
    figure(
        f"SIGTERM beside a relay slow by {pause} s: ended after {took:.1f} s, {len(there)} letters in hand "
        f"finished, {len(rows) - len(there)} wait"
    )


# --- starting anew under load ---------------------------------------------------------------------------


@dataclass
class Crowd:
    port: int
    asked: int = 0
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0.0
    enough: Event = field(default_factory=Event)

    def ask_on(self) -> None:
        while not self.enough.is_set():
            began = monotonic()
            try:
                with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as visitor:
                    visitor.request("GET", "/rules")
                    answer = visitor.getresponse()
                    answer.read()
                    if answer.status != 200:
                        self.wrong.append(str(answer.status))
            except (HTTPException, OSError) as refused:
                self.wrong.append(repr(refused))
            self.asked += 1
            self.slowest = max(self.slowest, monotonic() - began)
            self.enough.wait(0.01)


def start_anew(place: House, keep_open: bool) -> Crowd:
    with closing(socket.create_server(("127.0.0.1", place.port), backlog=512)) as door:
        mail = socket.create_server(("127.0.0.1", place.mail_port), backlog=64)
        place.start([door, mail])
        if not keep_open:
            door.close()
            mail.close()
        until(lambda: place.is_answering(), "it answers")
        crowd = Crowd(place.port)
        with ThreadPoolExecutor(8) as visitors:
            for _ in range(8):
                visitors.submit(crowd.ask_on)
            until(lambda: crowd.asked > 20, "the crowd asks")
            place.send_signal()
            place.await_end(STOPS_WITHIN)
            place.start([door, mail] if keep_open else ())
            before = crowd.asked
            until(lambda: crowd.asked > before + 20, "the crowd is served again")
            crowd.enough.set()
        mail.close()
    return crowd


def test_a_server_with_doors_of_the_system_is_started_anew_and_refuses_nobody(tmp_path, figure):
    with relay() as post, house(tmp_path, post.mail_out, start=False) as place:
        crowd = start_anew(place, keep_open=True)
    figure(f"anew under load: {len(crowd.wrong)} of {crowd.asked} refused, at most {crowd.slowest:.1f} s")
    assert crowd.wrong == []


@pytest.mark.breadth
def test_control_a_server_with_doors_of_its_own_refuses_some(tmp_path):
    with relay() as post, house(tmp_path, post.mail_out, start=False) as place:
        assert start_anew(place, keep_open=False).wrong
