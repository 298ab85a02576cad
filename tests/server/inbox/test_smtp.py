"""The listener: what is taken in, what is refused, and that nothing is promised before it is stored."""

import re
import smtplib
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from threading import Event

import pytest

from emails.replies.parsed_mail import Mail
from emails.replies.screening import LARGEST_ACCEPTED, LARGEST_MAIL, screen_mail
from emails.tokens import is_inbox_address
from server.inbox import smtp
from server.inbox.intake import IntakeLimitReached
from server.inbox.smtp import ANSWER_STOPPING, ANSWER_STORED, MOST_RECIPIENTS, SmtpListener, SmtpPolicy
from server.network import Endpoint, read_networks

MAIL = b"From: anna@example.org\r\nSubject: Re: Alexandros\r\n\r\nmarch Troy A3-B4\r\n.\r\n..\r\nend\r\n"
HERE = Endpoint("127.0.0.1", 0)
OURS, ANNA = "play+ticket@example.org", "anna@example.org"
PATIENCE = 60.0


def ours(address: str) -> bool:
    return is_inbox_address(address, "example.org")


POLICY = SmtpPolicy("example.org", ours)


class Shelf:
    """Where a mail is put; `trouble` is raised instead once so many are there."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, str, bytes]] = []
        self.networks: list[str] = []
        self.full_at, self.refused = 1000, ""
        self.trouble: Exception = RuntimeError("the shelf is full")
        self.entered, self.open = Event(), Event()
        self.open.set()

    def take_in(self, sender: str, recipient: str, raw: bytes, network: str = "") -> None:
        self.entered.set()
        assert self.open.wait(PATIENCE)
        if len(self.mails) >= self.full_at or recipient == self.refused:
            raise self.trouble
        self.mails.append((sender, recipient, raw))
        self.networks.append(network)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@contextmanager
def listening(shelf: Shelf, **policy: object) -> Iterator[SmtpListener]:
    made = SmtpListener(HERE, replace(POLICY, **policy), shelf.take_in)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def house(shelf: Shelf) -> Iterator[SmtpListener]:
    with listening(shelf) as made:
        yield made


@pytest.fixture
def peer(house: SmtpListener) -> Iterator[smtplib.SMTP]:
    with calling(house) as peer:
        yield peer


def calling(house: SmtpListener, host: str = "127.0.0.1") -> smtplib.SMTP:
    return smtplib.SMTP(
        "127.0.0.1", house.port, local_hostname="peer", timeout=PATIENCE, source_address=(host, 0)
    )


def connected(house: SmtpListener, host: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", house.port), PATIENCE, (host, 0))


def until_closed(connection: socket.socket) -> bytes:
    said = b""
    try:
        while some := connection.recv(4096):
            said += some
    except ConnectionError:
        pass
    return said


@pytest.mark.parametrize(
    ("sender", "recipients", "raw"),
    [
        pytest.param(ANNA, [OURS], MAIL, id="one"),
        pytest.param("", [OURS], MAIL, id="a bounce"),
        pytest.param(ANNA, [OURS, "New@Example.ORG", OURS], MAIL, id="each recipient once"),
        pytest.param("änna@example.org", ["play+â@example.org"], MAIL, id="other scripts"),
        pytest.param(ANNA, [OURS], b"Subject: \xff\x00\r\n\r\n\xc3\xa9 \xe9\r\n", id="no text"),
        pytest.param(ANNA, [OURS], b"\r\n" + b"x" * 20_000 + b"\r\n", id="long lines"),
    ],
)
def test_a_mail_is_stored_as_it_came_before_it_is_accepted(shelf, peer, sender, recipients, raw):
    assert peer.sendmail(sender, recipients, raw, [] if sender.isascii() else ["SMTPUTF8"]) == {}
    assert shelf.mails == [(sender, one, raw) for one in dict.fromkeys(recipients)]


def test_addresses_in_broken_utf8_can_be_stored(shelf, house):
    with connected(house) as peer:
        peer.sendall(b"EHLO peer\r\nMAIL FROM:<\xff@example.org>\r\nRCPT TO:<play+\xfe@example.org>\r\n")
        peer.sendall(b"DATA\r\n" + MAIL.replace(b"\r\n.", b"\r\n..") + b".\r\nQUIT\r\n")
        until_closed(peer)
    assert shelf.mails == [("\ufffd@example.org", "play+\ufffd@example.org", MAIL)]


def test_others_are_served_while_a_mail_is_being_stored(shelf, house):
    shelf.open.clear()
    with ThreadPoolExecutor() as threads, calling(house) as first, calling(house) as second:
        sent = threads.submit(first.sendmail, ANNA, OURS, MAIL)
        assert shelf.entered.wait(PATIENCE)
        assert second.noop()[0] == 250
        assert not sent.done()
        shelf.open.set()
        assert sent.result(PATIENCE) == {}


@pytest.mark.parametrize(
    "address",
    [
        "anna@example.com",
        "anna@mail.example.org",
        "anna@example.org.example.com",
        "anna@[127.0.0.1]",
        "example.org",
        "@example.org",
        '"anna@example.org"@example.com',
        "anna@example.org",
        "alexandros@example.org",
        "postmaster@example.org",
        "postmaster",
        "play@example.org",
        "join+ticket@example.org",
    ],
)
def test_nothing_else_is_taken_and_nothing_is_passed_on(address, shelf, peer):
    peer.ehlo()
    peer.mail(ANNA)
    code, words = peer.docmd(f"RCPT TO:<{address}>")
    assert 550 <= code <= 553
    assert code != 550 or b"Reply-To" in words  # whoever wrote to the address in From learns the way
    assert peer.rcpt(OURS)[0] == 250
    assert peer.data(MAIL)[0] == 250
    assert shelf.mails == [(ANNA, OURS, MAIL)]


def test_a_mail_has_so_many_recipients_and_no_more(shelf, peer):
    many = [f"play+{number}@example.org" for number in range(MOST_RECIPIENTS + 1)]
    refused = peer.sendmail(ANNA, many, MAIL)
    assert [(recipient, answer[0]) for recipient, answer in refused.items()] == [(many[-1], 452)]
    assert [recipient for _, recipient, _ in shelf.mails] == many[:-1]


def test_a_mail_that_is_too_long_is_refused(shelf, peer):
    long = b"x" * 78 + b"\r\n"
    raw = long * (LARGEST_ACCEPTED // len(long) + 1)
    with pytest.raises(smtplib.SMTPSenderRefused) as refused:  # its size was announced
        peer.sendmail(ANNA, OURS, raw)
    assert refused.value.smtp_code == 552
    peer.mail(ANNA)
    peer.rcpt(OURS)
    assert peer.data(raw)[0] == 552
    assert shelf.mails == []
    peer.sendmail(ANNA, OURS, raw[: LARGEST_ACCEPTED // len(long) * len(long)])
    assert len(shelf.mails) == 1


def test_a_mail_that_is_too_large_to_be_read_is_taken_so_that_its_writer_hears_of_it(shelf, peer):
    raw = b"From: anna@example.org\r\n\r\n" + (b"x" * 78 + b"\r\n") * (LARGEST_MAIL // 80 + 1)
    peer.sendmail(ANNA, OURS, raw)
    assert screen_mail(Mail(shelf.mails[0][2], ANNA)) == "oversize"


def test_what_cannot_be_stored_is_to_be_sent_again(shelf, peer, caplog):
    shelf.full_at = 1
    with pytest.raises(smtplib.SMTPDataError) as refused:
        peer.sendmail(ANNA, [OURS, "new@example.org"], MAIL)
    assert refused.value.smtp_code == 451
    assert b"shelf" not in bytes(refused.value.smtp_error)
    assert b"RuntimeError" not in bytes(refused.value.smtp_error)
    with pytest.raises(smtplib.SMTPDataError):
        peer.sendmail(ANNA, "new@example.org", MAIL)
    assert caplog.text.count("RuntimeError: the shelf is full") == 1, "not a line for each mail"
    shelf.full_at = 1000
    peer.sendmail(ANNA, [OURS, "new@example.org"], MAIL)
    assert [recipient for _, recipient, _ in shelf.mails] == [OURS, OURS, "new@example.org"]


@pytest.mark.parametrize(
    "command",
    [
        "RCPT TO:<>",
        "RCPT TO:",
        "RCPT",
        'RCPT TO:<"@example.org>',
        "RCPT TO:<((((((@example.org>",
        "RCPT TO:<a@example.org> NOTIFY=NEVER",
        "RCPT TO:" + "<" * 400,
        "MAIL FROM:<",
        "MAIL FROM:<a@b> SIZE=many",
        "DATA",
        "STARTTLS",
        "AUTH PLAIN AGEAYg==",
        "\x00\x01",
        "x" * 5000,
        "x" * 200_000,
    ],
)
def test_what_is_no_order_is_refused_and_does_no_harm(command, shelf, peer):
    peer.ehlo()
    peer.mail(ANNA)
    code, said = peer.docmd(command)
    assert code >= 400
    assert b"Error: (" not in said  # an exception's name
    peer.rset()
    peer.sendmail(ANNA, OURS, MAIL)
    assert len(shelf.mails) == 1


@pytest.fixture
def lmtp(shelf: Shelf) -> Iterator[smtplib.LMTP]:
    with (
        listening(shelf, lmtp=True) as house,
        smtplib.LMTP("127.0.0.1", house.port, local_hostname="peer", timeout=PATIENCE) as peer,
    ):
        yield peer


MANY = [OURS, "stop+ticket@example.org", OURS, "new@example.org"]


def answers(peer: smtplib.LMTP, raw: bytes, recipients: list[str]) -> list[int]:
    """What is said to a mail after its last line: the answers up to the one to NOOP."""
    peer.ehlo()  # says LHLO
    peer.mail(ANNA)
    assert [peer.rcpt(recipient)[0] for recipient in recipients] == [250] * len(recipients)
    assert peer.docmd("DATA")[0] == 354
    peer.send(smtplib.quotedata(raw.decode()).encode().removesuffix(b"\r\n") + b"\r\n.\r\nHELP NOOP\r\n")
    said = []
    while not said or b"NOOP" not in said[-1][1]:
        said.append(peer.getreply())
    return [code for code, _ in said[:-1]]


def test_each_recipient_of_a_mail_by_lmtp_has_an_answer_of_its_own(shelf, lmtp):
    assert answers(lmtp, MAIL, MANY) == [250] * 4
    assert [recipient for _, recipient, _ in shelf.mails] == [MANY[0], MANY[1], MANY[3]]
    assert {raw for *_, raw in shelf.mails} == {MAIL}


def test_by_lmtp_only_who_could_not_be_stored_is_to_be_sent_again(shelf, lmtp):
    shelf.refused = MANY[1]
    assert answers(lmtp, MAIL, MANY) == [250, 451, 250, 250]
    assert [recipient for _, recipient, _ in shelf.mails] == [MANY[0], MANY[3]]


def test_who_has_sent_too_much_is_to_come_again_and_no_other_recipient_is(shelf, peer, lmtp, caplog):
    shelf.refused, shelf.trouble = MANY[1], IntakeLimitReached()
    assert answers(lmtp, MAIL, MANY) == [250, 452, 250, 250]
    with pytest.raises(smtplib.SMTPDataError) as refused:
        peer.sendmail(ANNA, MANY[1], MAIL)
    assert refused.value.smtp_code == 452
    assert not caplog.records, "a flood fills no log either"


def test_by_lmtp_each_recipient_hears_that_the_mail_is_too_long(shelf, lmtp):
    assert answers(lmtp, (b"x" * 78 + b"\r\n") * 51_000, MANY) == [552] * 4
    assert answers(lmtp, b"x" * (smtp.LONGEST_LINE + 1), MANY) == [500] * 4
    assert shelf.mails == []
    assert answers(lmtp, MAIL, MANY[:1]) == [250]


def test_lmtp_has_a_greeting_of_its_own_and_the_same_door(shelf, lmtp):
    assert lmtp.docmd("EHLO peer")[0] == 500
    assert lmtp.docmd("LHLO peer")[0] == 250
    assert lmtp.mail(ANNA)[0] == 250
    assert lmtp.docmd("DATA")[0] == 503
    assert lmtp.rcpt("anna@example.com")[0] == 550
    assert lmtp.docmd("DATA")[0] == 503
    assert shelf.mails == []


@pytest.mark.parametrize(
    "said", [b"", b"EHLO peer\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<new@example.org>\r\nDATA\r\nx"]
)
def test_a_peer_that_says_no_more_is_left(said, shelf):
    with listening(shelf, timeout=0.1) as house, connected(house) as peer:
        peer.sendall(said)
        answers = until_closed(peer)
    assert answers.startswith(b"220 example.org Alexandros\r\n")
    assert b"421 4.4.2 " in answers  # and the session has ended, even if its peer reads nothing
    assert shelf.mails == []


def test_a_line_without_end_is_cut_off(house, monkeypatch):
    monkeypatch.setattr(smtp, "MOST_UNANSWERED", 500_000)
    with connected(house) as peer:
        peer.sendall(b"EHLO peer\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<new@example.org>\r\nDATA\r\n")
        with pytest.raises(ConnectionError):
            peer.sendall(b"x" * 100_000_000)


@contextmanager
def silent(house: SmtpListener, number: int, host: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """So many peers at one address of this machine that were greeted and say nothing."""
    with ExitStack() as stack:
        peers = [stack.enter_context(connected(house, host)) for _ in range(number)]
        assert {peer.recv(4) for peer in peers} == {b"220 "}
        yield peers


def test_a_peer_has_so_many_sessions_and_is_asked_to_come_again_for_more(shelf, house):
    with silent(house, smtp.MOST_SESSIONS_OF_A_PEER) as sessions:
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            calling(house)
        assert refused.value.smtp_code == 421
        with calling(house, "127.0.0.2") as other:
            other.sendmail(ANNA, OURS, MAIL)
        sessions[0].sendall(b"QUIT\r\n")
        until_closed(sessions[0])
        with calling(house) as later:
            later.sendmail(ANNA, OURS, MAIL + b"again\r\n")
    assert len(shelf.mails) == 2


def test_when_all_sessions_are_taken_the_one_that_was_idle_for_longest_ends(shelf, house, monkeypatch):
    monkeypatch.setattr(smtp, "MOST_SESSIONS", 3)
    with calling(house, "127.0.0.2") as first, silent(house, 2, "127.0.0.3") as others:
        assert first.noop()[0] == 250
        with calling(house, "127.0.0.4") as later:
            later.sendmail(ANNA, OURS, MAIL)
            assert b"421 4.3.2 " in until_closed(others[0])
            assert first.noop()[0] == 250
    assert len(shelf.mails) == 1


def test_mails_on_their_way_in_hold_only_so_much_memory(shelf, house, monkeypatch):
    monkeypatch.setattr(smtp, "MOST_BYTES_HELD", 100_000)
    with calling(house, "127.0.0.2") as small, calling(house) as great:
        great.mail(ANNA)
        great.rcpt(OURS)
        great.docmd("DATA")
        with suppress(ConnectionError):
            great.send(b"x" * 1_000_000)
        assert b"250" not in until_closed(great.sock)
        small.sendmail(ANNA, OURS, MAIL)
    assert len(shelf.mails) == 1


def test_the_network_of_a_peer_goes_with_its_mail(shelf):
    with listening(shelf, relays=read_networks("127.0.0.2")) as house:
        for host in ("127.0.0.1", "127.0.0.2"):
            with calling(house, host) as peer:
                peer.sendmail(ANNA, OURS, MAIL)
    assert shelf.networks == ["127.0.0.0/24", ""]


COMMANDS = (
    b"EHLO peer\r\n",
    b"MAIL FROM:<anna@example.org>\r\n",
    b"RCPT TO:<play+a@example.org>\r\n",
    b"DATA\r\n",
)


def test_what_is_being_stored_when_it_stops_is_stored_and_accepted(shelf, house):
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


def test_a_mail_on_its_way_comes_in_when_it_stops_and_other_sessions_end(shelf, house):
    with (
        ThreadPoolExecutor() as threads,
        closing(calling(house)) as idle,
        connected(house) as peer,
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
    heard = b""
    while not re.search(rb"^\d{3} [^\n]*\n\Z", heard, re.MULTILINE):
        some = peer.recv(4096)
        assert some, "the server has hung up"
        heard += some


def test_a_mail_that_does_not_end_is_not_waited_for_without_end(shelf, house, monkeypatch):
    monkeypatch.setattr(smtp, "FINISHING_TAKES", 0.05)
    with connected(house) as peer:
        say(peer, *COMMANDS)
        house.stop()
        assert b"250" not in until_closed(peer)
    assert shelf.mails == []


def test_a_socket_that_was_passed_is_listened_at_and_stays(shelf):
    with socket.create_server(("127.0.0.1", 0)) as bound:
        at = Endpoint("127.0.0.1", bound.getsockname()[1])
        for _ in range(2):
            house = SmtpListener(at, POLICY, shelf.take_in, passed=[bound.dup()])
            with socket.create_connection(bound.getsockname(), PATIENCE) as early:
                house.start()
                assert early.recv(4096).startswith(b"220")
                house.stop()


def test_after_it_stopped_nobody_is_there_and_it_can_start_again(shelf):
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


@pytest.mark.parametrize("more", [{"lmtp": True}, {"relays": read_networks("127.0.0.0/30")}])
def test_who_hands_on_the_mail_of_others_has_as_many_sessions_as_there_are(shelf, more):
    with listening(shelf, **more) as house, silent(house, 3 * smtp.MOST_SESSIONS_OF_A_PEER):
        pass


def test_a_session_whose_mail_is_being_stored_is_not_ended(shelf, house, monkeypatch):
    monkeypatch.setattr(smtp, "MOST_SESSIONS", 1)
    shelf.open.clear()
    with ThreadPoolExecutor() as threads, calling(house) as first:
        sent = threads.submit(first.sendmail, ANNA, OURS, MAIL)
        assert shelf.entered.wait(PATIENCE)
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            calling(house, "127.0.0.2")
        assert refused.value.smtp_code == 421
        shelf.open.set()
        assert sent.result(PATIENCE) == {}
