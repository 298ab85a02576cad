"""Peers that connect and say nothing, or half of something, and mail to addresses that are made up.

Everybody else is served as if they were not there.
"""

import smtplib
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from sys import getsizeof
from time import monotonic
from typing import Any

import pytest
from waitress.server import create_server

from emails.replies.screening import LARGEST_MAIL
from emails.tokens import is_inbox_address
from server.app import create_app
from server.inbox import intake, smtp
from server.inbox.intake import is_deliverable
from server.inbox.smtp import SmtpListener, SmtpPolicy
from server.network import Endpoint
from server.web.kit import visitors
from server.web.kit.visitors import RateQuotas
from tests.ports import free_port
from tests.server.desk import DOMAIN, NOON, Desk, desk
from tests.server.test_connections import connect, listening, running
from tests.server.test_serving import PATIENCE, alexandros, served, settings

pytestmark = pytest.mark.breadth

PROMPT = 3.0
"""Seconds within which an honest visitor and an honest mail are served."""
AT_MOST = 5.0
"""Seconds for which they are waited for."""
HALF_REQUESTS = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-",
    b"POST /signin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\nnonce=",
    b"POST /signin HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n",
)
HALF_MAILS = (
    b"",
    b"EHLO x\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<new@%b>\r\nDATA\r\nSubject: " % DOMAIN.encode(),
    b"EHLO x\r\nMAIL FR",
)
MAIL = b"From: anna@example.org\r\nSubject: a game\r\n\r\nthe house\r\n"
HONEST, CROWD = "127.0.0.2", "127.0.1.1"
MADE_UP, LARGE = 1000, b"Subject: x\r\n\r\n" + (b"x" * 74 + b"\r\n") * 25_000
"""So many recipients that there are not, and what each is sent: 1.9 MB."""


@contextmanager
def half_requests(port: int, number: int) -> Iterator[None]:
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
def test_half_requests_keep_no_visitor_waiting(number, tmp_path, figure):
    with listening(create_app(desk(tmp_path))) as port:
        alone = seconds_of_a_page(port)
        with half_requests(port, number):
            waited = seconds_of_a_page(port)
    figure(f"a page: {alone:.3f} s, beside {number} half requests {waited:.3f} s")
    assert waited < PROMPT


def test_control_half_requests_shut_a_server_without_deadlines(tmp_path):
    port = free_port()
    sockets: dict[int, Any] = {}
    plain = create_server(create_app(desk(tmp_path)), map=sockets, host="127.0.0.1", port=port)
    with running(plain, sockets, port), half_requests(port, 200), pytest.raises(TimeoutError):
        seconds_of_a_page(port)


@contextmanager
def taking_mail(context: Desk, deliverable: Callable[[str], bool] | None = None) -> Iterator[int]:
    def take_in(sender: str, recipient: str, raw: bytes, network: str = "") -> None:
        intake.store_mail(context, sender, recipient, raw, NOON, network)

    known = deliverable or partial(is_deliverable, context)
    listener = SmtpListener(Endpoint("127.0.0.1", 0), SmtpPolicy(DOMAIN, known), take_in)
    listener.start()
    yield listener.port
    listener.stop()


@contextmanager
def silent_sessions(port: int, number: int, networks: int) -> Iterator[None]:
    with ExitStack() as stack:
        for one in range(number):
            source = (f"127.0.{1 + one % networks}.1", 0)
            peer = socket.create_connection(("127.0.0.1", port), PATIENCE, source)
            stack.enter_context(closing(peer))
            peer.sendall(HALF_MAILS[one % len(HALF_MAILS)])
        yield


def seconds_of_a_mail(port: int, raw: bytes = MAIL) -> float:
    """How long it takes to hand in an honest mail. Raises an `OSError` where it is not taken."""
    began = monotonic()
    with smtplib.SMTP("127.0.0.1", port, "peer", AT_MOST, (HONEST, 0)) as peer:
        assert peer.sendmail("anna@example.org", [f"new@{DOMAIN}"], raw) == {}
    return monotonic() - began


@pytest.mark.parametrize(("number", "networks"), [(50, 1), (250, 100)])
def test_silent_sessions_keep_no_mail_waiting(number, networks, tmp_path, figure):
    context = desk(tmp_path)
    with taking_mail(context) as port:
        alone = seconds_of_a_mail(port)
        with silent_sessions(port, number, networks):
            waited = seconds_of_a_mail(port, MAIL + b"again\r\n")
    figure(f"a mail: {alone:.3f} s, beside {number} silent sessions of {networks} peers {waited:.3f} s")
    assert waited < PROMPT
    assert len(context.stored_mails()) == 2


def test_control_silent_sessions_shut_a_door_where_they_may_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(smtp, "MOST_SESSIONS", 50)
    monkeypatch.setattr(smtp, "MOST_SESSIONS_OF_A_PEER", 50)
    monkeypatch.setattr(smtp, "find_longest_idle", lambda sessions: None)
    with (
        taking_mail(desk(tmp_path)) as port,
        silent_sessions(port, 50, 1),
        pytest.raises(OSError, match="421"),
    ):
        seconds_of_a_mail(port)


def test_both_at_once_keep_nobody_waiting(tmp_path, figure):
    port, mail_port = free_port(), free_port()
    given = settings(tmp_path, port, MAIL_IN=f"smtp://127.0.0.1:{mail_port}")
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        served(process, f"http://127.0.0.1:{port}/rules")
        with half_requests(port, 200), silent_sessions(mail_port, 50, 1):
            page, mail = seconds_of_a_page(port), seconds_of_a_mail(mail_port)
    figure(f"beside 200 half requests and 50 silent sessions: a page {page:.3f} s, a mail {mail:.3f} s")
    assert max(page, mail) < PROMPT


def stored_bytes(context: Desk) -> int:
    with sqlite3.connect(str(context.database.url.database)) as db:
        both = "SELECT raw FROM incoming UNION ALL SELECT raw FROM raw_mail"
        found = db.execute(f"SELECT coalesce(sum(length(raw)), 0) FROM ({both})").fetchone()[0]
    db.close()
    return int(found)


def send_to_made_up(port: int, number: int) -> int:
    """Bring large mails to so many addresses that there are not; how many were taken."""
    names = ("play", "stop", "confirm", "bounce", "new")
    tokens = (
        f"{names[one % len(names)]}+{'abcdefgh'[one % 8] * (20 + one % 30)}{one:b}" for one in range(number)
    )
    taken = 0
    with smtplib.SMTP("127.0.0.1", port, "peer", PATIENCE, (CROWD, 0)) as peer:
        peer.ehlo()
        for token in tokens:
            peer.mail("a@example.com")
            peer.rcpt(f"{token.replace('0', 'y').replace('1', 'z')}@{DOMAIN}")
            if peer.docmd("DATA")[0] == 354:
                peer.send(LARGE + b".\r\n")
                taken += peer.getreply()[0] == 250
            peer.rset()
    return taken


def send_without_waiting(port: int) -> None:
    """The same of one who sends all at once, whatever is answered."""
    said = b"EHLO x\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<play+aaaa@%b>\r\nDATA\r\n" % DOMAIN.encode()
    with suppress(ConnectionError), closing(connect(port)) as peer:
        peer.sendall(said + LARGE + b".\r\n")
        while peer.recv(4096):
            pass


def test_mail_to_made_up_recipients_is_never_stored(tmp_path, figure):
    assert 1_900_000 <= len(LARGE) <= LARGEST_MAIL
    context = desk(tmp_path)
    with taking_mail(context) as port:
        began = monotonic()
        taken = send_to_made_up(port, MADE_UP)
        seconds = monotonic() - began
        send_without_waiting(port)
        stored = stored_bytes(context)
        seconds_of_a_mail(port)
    figure(f"{MADE_UP} mails of 1.9 MB to made-up recipients: {stored} bytes stored, {seconds:.1f} s")
    assert (taken, stored) == (0, 0)
    assert stored_bytes(context) > 0, "an honest one is"


def test_control_mail_to_made_up_recipients_is_stored_where_seals_are_not_looked_at(tmp_path):
    context = desk(tmp_path)
    with taking_mail(context, lambda address: is_inbox_address(address, DOMAIN)) as port:
        assert send_to_made_up(port, 3) == 3
    assert stored_bytes(context) > len(LARGE), "for all three once"


def let_in(gate: RateQuotas, number: int) -> None:
    for one in range(number):
        gate.put((visitors.LimitedAction.API, f"2001:{one >> 16:x}:{one & 0xFFFF:x}::/48"), 4, NOON)


def bytes_held(gate: RateQuotas) -> int:
    return getsizeof(gate._left) + sum(map(getsizeof, [*gate._left, *gate._left.values()]))


def test_a_million_networks_fill_no_memory(figure):
    gate = RateQuotas()
    let_in(gate, 1_000_000)
    held = bytes_held(gate)
    figure(f"of 1,000,000 networks {held / 1e6:.1f} MB held")
    assert held < 20_000_000


def test_control_a_table_without_a_bound_fills_the_memory(monkeypatch):
    monkeypatch.setattr(visitors, "MOST_VISITORS", 10**9)
    gate = RateQuotas()
    let_in(gate, 150_000)
    assert bytes_held(gate) > 20_000_000
