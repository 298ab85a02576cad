"""The listener stops and starts: what is on its way comes in, and nobody is promised what is not stored."""

import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from server.configuration.network import Endpoint
from server.inbox import smtp
from server.inbox.smtp import ANSWER_STOPPING, ANSWER_STORED, SmtpListener
from tests.server.inbox.test_smtp import (
    ANNA,
    HERE,
    MAIL,
    OURS,
    PATIENCE,
    POLICY,
    Shelf,
    calling,
    until_closed,
)

COMMANDS = (
    b"EHLO peer\r\n",
    b"MAIL FROM:<anna@example.org>\r\n",
    b"RCPT TO:<play+a@example.org>\r\n",
    b"DATA\r\n",
)
"""What is said before a mail."""


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def house(shelf: Shelf) -> Iterator[SmtpListener]:
    made = SmtpListener(HERE, POLICY, shelf.take_in)
    made.start()
    yield made
    made.stop()


def test_what_is_being_stored_when_it_stops_is_stored_and_accepted(shelf: Shelf, house: SmtpListener) -> None:
    shelf.open.clear()
    with ThreadPoolExecutor() as threads:
        peer = calling(house)
        sent = threads.submit(peer.sendmail, ANNA, OURS, MAIL)
        assert shelf.entered.wait(PATIENCE)
        stopped = threads.submit(house.stop)
        shelf.open.set()
        stopped.result(PATIENCE)
        assert sent.result(PATIENCE) == {}
        peer.close()
    assert len(shelf.mails) == 1


def test_a_mail_on_its_way_comes_in_when_it_stops_and_other_sessions_end(
    shelf: Shelf, house: SmtpListener
) -> None:
    with (
        ThreadPoolExecutor() as threads,
        closing(calling(house)) as idle,
        socket.create_connection(("127.0.0.1", house.port), PATIENCE) as peer,
    ):
        say(peer, *COMMANDS)
        stopped = threads.submit(house.stop)
        assert idle.sock is not None
        assert until_closed(idle.sock).endswith(ANSWER_STOPPING.encode() + b"\r\n")
        peer.sendall(b"Subject: hello\r\n\r\nend\r\n.\r\n")
        assert until_closed(peer).split(b"\r\n") == [ANSWER_STORED.encode(), ANSWER_STOPPING.encode(), b""]
        stopped.result(PATIENCE)
    assert shelf.mails == [("anna@example.org", "play+a@example.org", b"Subject: hello\r\n\r\nend\r\n")]


def say(peer: socket.socket, *commands: bytes) -> None:
    """Say one after the other, each when the one before is answered, and the server has greeted."""
    hear(peer)
    for command in commands:
        peer.sendall(command)
        hear(peer)


def hear(peer: socket.socket) -> None:
    """Read up to the last line of a reply."""
    heard = b""
    while not re.search(rb"^\d{3} [^\n]*\n\Z", heard, re.MULTILINE):
        some = peer.recv(4096)
        assert some, "the server has hung up"
        heard += some


def test_a_mail_that_does_not_end_is_not_waited_for_without_end(
    shelf: Shelf, house: SmtpListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "FINISHING_TAKES", 0.05)
    with socket.create_connection(("127.0.0.1", house.port), PATIENCE) as peer:
        say(peer, *COMMANDS)
        house.stop()
        assert b"250" not in until_closed(peer)
    assert shelf.mails == []


def test_a_socket_that_was_passed_is_listened_at_and_stays(shelf: Shelf) -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        at = Endpoint("127.0.0.1", bound.getsockname()[1])
        for _ in range(2):
            house = SmtpListener(at, POLICY, shelf.take_in, passed=[bound.dup()])
            with socket.create_connection(bound.getsockname(), PATIENCE) as early:
                house.start()
                assert early.recv(4096).startswith(b"220")
                house.stop()
        # The first port is still held, so that the other socket cannot be given the same one.
        with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(ValueError, match="passed is at"):
            SmtpListener(at, POLICY, shelf.take_in, passed=[other]).start()


def test_after_it_stopped_nobody_is_there_and_it_can_start_again(shelf: Shelf) -> None:
    house = SmtpListener(HERE, POLICY, shelf.take_in)
    house.stop()
    for _ in range(2):
        house.start()
        with closing(calling(house)) as peer:
            peer.sendmail(ANNA, OURS, MAIL)
            house.stop()
            house.stop()
            assert peer.noop() == (421, ANSWER_STOPPING.removeprefix("421 ").encode())
        with pytest.raises(ConnectionRefusedError):
            calling(house)
    assert len(shelf.mails) == 2
