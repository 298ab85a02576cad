"""Carriers: what a real mail server on this machine gets, and what is said when it refuses or goes away."""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from server.delivery.relay import LONGEST_ANSWER, DeliveryFailed, RelayAway, SmtpTransport
from server.network import Endpoint, Relay

LETTER = b"From: a@example.org\r\nSubject:  kept   as it is\r\n\r\n.dot\r\nlast line\r\n"
ANNA, BEN = "anna@example.org", "ben@example.org"
KEY = (Path(__file__).parent / "key.pem").read_text("ascii")
"""A key that guards nothing but these tests, and its certificate, which nobody vouches for."""


class Server(Controller):
    """A mail server on a free port of this machine."""

    def _trigger_server(self) -> None:
        assert self.server
        self.port = self.server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        super()._trigger_server()


class Clerk:
    """Answers what it was told to, goes away where it was told to, and keeps what it takes."""

    def __init__(self) -> None:
        self.taken: list[tuple[str | None, list[str], bytes | None]] = []
        self.sessions: list[Session] = []
        self.options: list[str] = []
        self.said: dict[str, str] = {}
        self.leaves_at = ""
        self.handle_MAIL, self.handle_RCPT = self.mail, self.rcpt
        self.handle_DATA, self.handle_RSET = self.data, self.rset

    def answer(self, command: str, server: SMTP) -> str:
        if command == self.leaves_at and isinstance(server.transport, asyncio.Transport):
            self.leaves_at = ""
            server.transport.abort()
        return self.said.get(command, "250 OK")

    async def mail(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from, self.options = address, options
        return self.answer("MAIL", server)

    async def rcpt(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        return self.said.get(address) or self.answer("RCPT", server)

    async def data(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = self.answer("DATA", server)
        if answer.startswith("250"):
            self.taken.append((envelope.mail_from, envelope.rcpt_tos, envelope.original_content))
            self.sessions.append(session)
        return answer

    async def rset(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        return self.answer("RSET", server)


@contextmanager
def serving(clerk: Clerk, **more: object) -> Iterator[Endpoint]:
    server = Server(clerk, "127.0.0.1", 0, server_hostname="neighbour", **more)
    server.start()
    try:
        yield Endpoint("127.0.0.1", server.port)
    finally:
        server.stop()


@contextmanager
def carrying(at: Endpoint, user: str = "", password: str = "", tls: bool = False) -> Iterator[SmtpTransport]:
    carrier = SmtpTransport(Relay(at, tls, user, password), patience=5)
    try:
        yield carrier
    finally:
        carrier.close()


@pytest.fixture
def clerk() -> Clerk:
    return Clerk()


@pytest.fixture
def carrier(clerk: Clerk) -> Iterator[SmtpTransport]:
    with serving(clerk) as at, carrying(at) as carrier:
        yield carrier


@pytest.fixture
def certificate(tmp_path: Path) -> ssl.SSLContext:
    file = tmp_path / "key.pem"
    file.write_text(KEY)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    return context


def refusal(
    carrier: SmtpTransport, recipient: str = ANNA, sender: str = "back@example.org"
) -> DeliveryFailed:
    with pytest.raises(DeliveryFailed) as refused:
        carrier.send(sender, recipient, LETTER)
    return refused.value


def away(carrier: SmtpTransport) -> str:
    """Why no conversation with the mail server comes about."""
    with pytest.raises(RelayAway) as found:
        carrier.send("back@example.org", ANNA, LETTER)
    return str(found.value)


def test_a_letter_arrives_byte_for_byte_with_the_envelope_it_was_given(clerk, carrier):
    carrier.send("back@example.org", ANNA, LETTER)
    assert clerk.taken == [("back@example.org", [ANNA], LETTER)]
    assert not {"SMTPUTF8", "BODY=8BITMIME"} & set(clerk.options)


def test_a_mail_server_is_probed_without_a_letter(clerk, carrier):
    carrier.probe()
    carrier.probe()
    assert clerk.taken == []
    carrier.send("back@example.org", ANNA, LETTER)
    assert len(clerk.taken) == 1


def test_a_batch_goes_over_one_connection(clerk, carrier):
    for recipient in [ANNA, BEN, ANNA]:
        carrier.send("", recipient, LETTER)
    assert [recipients for _, recipients, _ in clerk.taken] == [[ANNA], [BEN], [ANNA]]
    assert len({id(session) for session in clerk.sessions}) == 1


def test_a_connection_that_was_closed_meanwhile_is_opened_anew(clerk, carrier):
    carrier.send("", ANNA, LETTER)
    clerk.leaves_at = "RSET"
    carrier.send("", BEN, LETTER)
    clerk.said["RSET"] = "421 idle for too long"
    carrier.send("", ANNA, LETTER)
    carrier.close()
    carrier.close()
    carrier.send("", BEN, LETTER)
    assert len(clerk.taken) == 4
    assert len({id(session) for session in clerk.sessions}) == 4


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA"])
def test_a_connection_that_drops_half_way_keeps_one_letter_back_for_a_while(command, clerk, carrier):
    clerk.leaves_at = command
    refused = refusal(carrier)
    assert not refused.final
    assert " broke off: " in str(refused)
    clerk.taken.clear()
    carrier.send("", BEN, LETTER)
    assert [recipients for _, recipients, _ in clerk.taken] == [[BEN]]


@pytest.mark.parametrize(
    ("answer", "nobody"),
    [
        ("550 5.1.1 no such reader", True),
        ("550 5.1.10 RESOLVER.ADR.RecipientNotFound", True),
        ("553 sorry, no mailbox here by that name", True),
        ("450 4.2.1 come back later", False),
        ("530 5.7.0 who are you", False),
        ("550 5.7.1 relaying denied", False),
        ("550 relay not permitted", False),
        ("550 5.1.8 sender's domain not found", False),
        ("501 5.5.4 syntax", False),
    ],
)
def test_a_refused_reader_is_told_from_what_is_refused_of_us(answer, nobody, clerk, carrier):
    clerk.said["RCPT"] = answer
    assert refusal(carrier).nobody is nobody


@pytest.mark.parametrize(
    ("command", "answer", "final"),
    [
        ("RCPT", "550 5.1.1 no such reader", True),
        ("RCPT", "450 4.2.1 come back later", False),
        ("RCPT", "421 too many for now", False),
        ("RCPT", "530 5.7.0 who are you", False),
        ("MAIL", "550 5.7.1 that is not your address", False),
        ("MAIL", "451 4.3.0 come back later", False),
        ("DATA", "554 5.7.1 not such a letter", True),
        ("DATA", "452 4.3.1 no room now", False),
    ],
)
def test_an_answer_that_says_no(command, answer, final, clerk, carrier):
    clerk.said[command] = answer
    refused = refusal(carrier)
    assert refused.final == final
    assert str(refused).startswith("127.0.0.1:")
    assert str(refused).endswith(f": {answer}.")
    del clerk.said[command]
    carrier.send("", BEN, LETTER)
    assert [recipients for _, recipients, _ in clerk.taken] == [[BEN]]


def test_what_the_server_says_as_it_takes_a_letter_is_one_harmless_line(clerk, carrier):
    clerk.said["DATA"] = "250 2.0.0 Ok: queued as 4F2B71C0A3"
    assert carrier.send("", ANNA, LETTER) == "250 2.0.0 Ok: queued as 4F2B71C0A3"
    clerk.said["DATA"] = "250-it is\r\n250 \x1b[2Jtaken \x07."
    assert carrier.send("", BEN, LETTER) == "250 it is ?[2Jtaken ?"
    clerk.said["DATA"] = "250 " + "many words " * 60
    assert len(carrier.send("", ANNA, LETTER)) <= LONGEST_ANSWER
    assert len(clerk.taken) == 3


@pytest.mark.parametrize(
    "address",
    [
        "anna@example.org>\r\nRCPT TO:<ben@example.org",
        "anna@example.org\n",
        "anna@example.org, ben@example.org",
        "Anna <anna@example.org>",
        "anna\udcff@example.org",
    ],
)
def test_an_address_that_would_not_be_sent_as_it_stands_is_refused(address, clerk, carrier):
    assert refusal(carrier, sender=address).final
    refused = refusal(carrier, address)
    assert refused.final
    assert str(refused) == "This address is invalid in an SMTP envelope."
    carrier.send("", BEN, LETTER)
    assert [recipients for _, recipients, _ in clerk.taken] == [[BEN]]


def test_smtputf8_only_where_an_address_needs_it(clerk, carrier):
    carrier.send("", "änna@example.org", LETTER)
    assert {"SMTPUTF8", "BODY=8BITMIME"} & set(clerk.options) == {"SMTPUTF8"}
    carrier.send("", ANNA, LETTER + "é\r\n".encode())
    assert {"SMTPUTF8", "BODY=8BITMIME"} & set(clerk.options) == {"BODY=8BITMIME"}
    assert clerk.taken[0][1] == ["änna@example.org"]


def test_a_server_without_smtputf8_never_takes_such_an_address(clerk):
    with serving(clerk, enable_SMTPUTF8=False) as at, carrying(at) as carrier:
        refused = refusal(carrier, "änna@example.org")
        assert refused.final
        assert str(refused) == f"{at} accepts only addresses in ASCII."
        carrier.send("", ANNA, LETTER)


def test_nobody_there_is_no_end():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and does not listen
        at = Endpoint("127.0.0.1", bound.getsockname()[1])
        with carrying(at) as carrier:
            assert away(carrier).startswith(f"{at} cannot be reached: ")


def test_a_server_that_says_nothing_is_not_waited_for_long():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        at = Endpoint("127.0.0.1", silent.getsockname()[1])
        assert "timed out" in away(SmtpTransport(Relay(at, tls=False), patience=0.1))


def test_a_connection_that_drops_after_the_last_dot_leaves_it_open_whether_the_letter_was_taken(
    clerk, carrier
):
    for command, doubtful in (("RCPT", False), ("DATA", True)):
        clerk.leaves_at = command
        assert refusal(carrier).doubtful is doubtful


def check(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: LoginPassword
) -> AuthResult:
    right = given == LoginPassword(b"post@example.org", b"a/b:c%")
    return AuthResult(success=right, handled=False)


def test_user_and_password_are_told(clerk):
    with (
        serving(clerk, authenticator=check, auth_require_tls=False) as at,
        carrying(at, "post@example.org", "a/b:c%") as carrier,
    ):
        carrier.send("", ANNA, LETTER)
    assert [session.authenticated for session in clerk.sessions] == [True]


def test_a_wrong_password_is_our_fault_and_is_not_shown(clerk):
    with (
        serving(clerk, authenticator=check, auth_require_tls=False) as at,
        carrying(at, "post@example.org", "hunter2") as carrier,
    ):
        why = away(carrier)
    assert why.startswith(f"{at} refused user or password: 535 ")
    assert "hunter2" not in why


def test_a_password_is_never_told_in_the_clear_to_another_machine(clerk):
    with serving(clerk, authenticator=check, auth_require_tls=False) as at:
        elsewhere = Endpoint("0.0.0.0", at.port)  # this machine, but not known as such
        with carrying(elsewhere, "post@example.org", "a/b:c%") as carrier:
            assert away(carrier) == f"{elsewhere} offers no TLS, so the password was not sent."


def test_tls_is_begun_where_it_is_offered(clerk, certificate):
    with (
        serving(clerk, tls_context=certificate, authenticator=check) as at,
        carrying(at, "post@example.org", "a/b:c%") as carrier,
    ):
        carrier.send("", ANNA, LETTER)
        carrier.send("", BEN, LETTER)
    assert [session.ssl is not None for session in clerk.sessions] == [True, True]
    assert [session.authenticated for session in clerk.sessions] == [True, True]


def test_tls_before_all_else(clerk, certificate):
    with serving(clerk, ssl_context=certificate) as at, carrying(at, tls=True) as carrier:
        carrier.send("", ANNA, LETTER)
    assert len(clerk.taken) == 1


def test_another_machine_has_to_prove_who_it_is_before_it_is_told_a_password(clerk, certificate):
    with serving(clerk, tls_context=certificate, authenticator=check) as at:
        elsewhere = Endpoint("0.0.0.0", at.port)
        with carrying(elsewhere, "post@example.org", "a/b:c%") as carrier:
            assert "CERTIFICATE_VERIFY_FAILED" in away(carrier)
        with carrying(elsewhere) as carrier:  # without TLS it would get the letter as well
            carrier.send("", ANNA, LETTER)
    assert [session.ssl is not None for session in clerk.sessions] == [True]
