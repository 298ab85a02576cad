"""Transports: an SMTP relay, or a local mailbox that only stores letters."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.parser import BytesHeaderParser
from threading import Lock
from typing import Protocol

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from emails.replies.screening import RefusalCause, judge_refusal
from server.configuration.network import Relay
from server.store.context import Context
from server.store.encrypted_mail import KeptMail, encrypt_mail
from server.store.models import LocalMail

CONNECT_TIMEOUT = 30.0
ANSWER_TIMEOUT = 300.0
"""Seconds to wait for each response of the mail server (RFC 5321, section 4.5.3.2)."""
TAKING_TIMEOUT = 600.0
"""Seconds to wait after the final dot; giving up sooner duplicates letters (section 4.5.3.2.6)."""
KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
LONGEST_ANSWER = 300
TOO_LARGE = 552
"""RFC 1870, section 6.3: a reply to the sender command that is about the letter."""
AUTHENTICATION_REQUIRED = 530
"""RFC 4954, section 6: a reply about us, even if it comes at the recipient."""


class DeliveryFailed(Exception):
    """The letter was not accepted; the sentence says why.

    `final`: this reader will not get it later either. `nobody`: the address has no mailbox that accepts mail.
    `lost`: the connection broke without a response; `doubtful`: after the final dot, so it is unknown whether
    the letter was accepted. `ours`: our own address was refused, so this holds for every reader.
    """

    def __init__(
        self,
        sentence: str,
        final: bool,
        nobody: bool = False,
        *,
        lost: bool = False,
        doubtful: bool = False,
        ours: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.final = final
        self.nobody = nobody
        self.lost = lost or doubtful
        self.doubtful = doubtful
        self.ours = ours


class RelayAway(Exception):
    """The mail server cannot be reached, whatever the letter; the sentence says why."""


class Transport(Protocol):
    def send(self, sender: str, recipient: str, raw: bytes) -> str | None:
        """Hand over one letter for one reader, or raise `DeliveryFailed` or `RelayAway`.

        Returns the mail server's reply, or None without a server. `sender` receives a bounce; empty: no
        bounce (RFC 5321, section 4.5.5). `raw` is the whole letter with CRLF line ends, sent unchanged.
        """

    def probe(self) -> None:
        """Check that a connection can be made, or raise `RelayAway`."""


@dataclass(frozen=True, slots=True)
class LocalTransport:
    """Stores letters instead of sending them."""

    keep: Callable[[str, str, bytes], None]

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.keep(sender, recipient, raw)

    def probe(self) -> None:
        """Do nothing, since the local mailbox is always there."""


class _Conversation(smtplib.SMTP):
    """SMTP connection with a longer timeout after the final dot of a letter."""

    taking = TAKING_TIMEOUT
    is_taking = False
    """Whether a letter was sent to its end and no response has come."""
    last_reply: tuple[int, bytes] = (0, b"")

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection: socket.socket = super()._get_socket(host, port, min(timeout, CONNECT_TIMEOUT))  # type: ignore[misc]
        connection.settimeout(timeout)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # Else the end of a letter waits for the acknowledgement of what comes before.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for name, value in KEEPALIVE.items():
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        return connection

    def data(self, msg: bytes | str) -> tuple[int, bytes]:  # type: ignore[override]
        assert self.sock is not None
        self.sock.settimeout(self.taking)
        self.is_taking = True
        try:
            answer = super().data(msg)
        except smtplib.SMTPResponseException:
            self.is_taking = False
            raise
        self.is_taking, self.last_reply = False, answer
        self.sock.settimeout(self.timeout)
        return answer


class _TlsConversation(smtplib.SMTP_SSL, _Conversation):
    """Connection that starts with TLS."""


class SmtpTransport:
    """Hands letters to a mail server over one connection, for as long as that lasts."""

    def __init__(
        self, relay: Relay, patience: float = ANSWER_TIMEOUT, taking: float = TAKING_TIMEOUT
    ) -> None:
        """Set the seconds to wait for each response (`patience`) and after a letter's end (`taking`)."""
        self._relay = relay
        self._patience, self._taking = patience, taking
        self._connection: _Conversation | None = None
        self._lock = Lock()  # a connection transfers one letter at a time

    def send(self, sender: str, recipient: str, raw: bytes) -> str:
        """Hand over one letter; return the server's reply in one line.

        Raises `DeliveryFailed` (final if the server refused reader or letter), and `RelayAway` if no
        connection can be made.
        """
        if not (_fits(sender) and _fits(recipient)):
            raise DeliveryFailed(
                "This address cannot stand on an envelope.", final=True, nobody=not _fits(recipient)
            )
        with self._lock:
            connection = self._ensure_connected()
            try:
                return self._hand_over(connection, sender, recipient, raw)
            except (OSError, ValueError) as error:
                # Only after a response is the state of the connection known.
                if not isinstance(error, smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused):
                    self._hang_up()
                raise self._to_delivery_failure(error, connection.is_taking) from error

    def probe(self) -> None:
        with self._lock:
            self._ensure_connected()

    @property
    def tls_version(self) -> str:
        connection = None if self._connection is None else self._connection.sock
        return connection.version() or "" if isinstance(connection, ssl.SSLSocket) else ""

    def close(self) -> None:
        with self._lock:
            try:
                if self._connection is not None:
                    self._connection.quit()
            except OSError:
                pass  # the server closed it first
            self._hang_up()

    def _hand_over(self, connection: _Conversation, sender: str, recipient: str, raw: bytes) -> str:
        header = raw.partition(b"\r\n\r\n")[0]
        options = []
        if not (sender.isascii() and recipient.isascii() and header.isascii()):
            if not connection.has_extn("smtputf8"):
                sentence = f"{self._relay.at} takes only addresses in ASCII."
                raise DeliveryFailed(sentence, final=True, nobody=not recipient.isascii())
            options += ["SMTPUTF8"]  # RFC 6531
        if not raw.isascii() and connection.has_extn("8bitmime"):
            options += ["BODY=8BITMIME"]  # RFC 6152
        connection.sendmail(sender, [recipient], raw, options)
        return _answer(*connection.last_reply).removesuffix(".")

    def _ensure_connected(self) -> _Conversation:
        if self._connection is not None:
            try:
                if self._connection.rset()[0] == 250:
                    return self._connection
            except OSError:
                pass  # it was closed meanwhile
            self._hang_up()
        try:
            self._connection = self._connect()
        except (OSError, ValueError) as error:  # smtplib's own, the network's, TLS's; an odd challenge
            raise RelayAway(str(self._to_delivery_failure(error))) from error
        return self._connection

    def _connect(self) -> _Conversation:
        relay, context = self._relay, self._tls_context()
        at = (relay.at.host, relay.at.port)
        connection = (
            _TlsConversation(*at, timeout=self._patience, context=context)
            if relay.tls
            else _Conversation(*at, timeout=self._patience)
        )
        connection.taking = self._taking
        try:
            connection.ehlo_or_helo_if_needed()
            if not relay.tls and connection.has_extn("starttls"):
                connection.starttls(context=context)
                connection.ehlo_or_helo_if_needed()
            elif relay.user and not relay.tls and not relay.at.is_loopback:
                raise RelayAway(f"{relay.at} offers no TLS, so it was not told the password.")
            if relay.user:
                connection.login(relay.user, relay.password)
        except BaseException:
            connection.close()
            raise
        return connection

    def _tls_context(self) -> ssl.SSLContext:
        """Return a TLS context that verifies the server, unless it is this machine or TLS is optional."""
        context = ssl.create_default_context()
        if self._relay.at.is_loopback or not (self._relay.tls or self._relay.user):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _to_delivery_failure(self, error: Exception, doubtful: bool = False) -> DeliveryFailed:
        server = self._relay.at
        match error:
            case smtplib.SMTPRecipientsRefused():
                code, text = next(iter(error.recipients.values()))
                final = code >= 500 and code != AUTHENTICATION_REQUIRED
                answer = _answer(code, text)
                is_unknown = final and judge_refusal(answer) == RefusalCause.MAILBOX
                return DeliveryFailed(f"{server} refused the address: {answer}", final, is_unknown)
            case smtplib.SMTPDataError():
                answer = _answer(error.smtp_code, error.smtp_error)
                return DeliveryFailed(f"{server} refused the letter: {answer}", error.smtp_code >= 500)
            case smtplib.SMTPSenderRefused():
                what = "refused our own address"
            case smtplib.SMTPAuthenticationError():
                what = "refused user or password"
            case smtplib.SMTPResponseException():
                what = "is not ready"
            case smtplib.SMTPException():
                what = "broke off"
            case _:
                what = "cannot be reached"
        if not isinstance(error, smtplib.SMTPResponseException):
            sentence = f"{server} {what}: {_shorten_answer(str(error))}"
            return DeliveryFailed(sentence, final=False, lost=True, doubtful=doubtful)
        sentence = f"{server} {what}: {_answer(error.smtp_code, error.smtp_error)}"
        refused = isinstance(error, smtplib.SMTPSenderRefused) and error.smtp_code >= 500
        return DeliveryFailed(sentence, final=False, ours=refused and error.smtp_code != TOO_LARGE)


def _fits(address: str) -> bool:
    """Whether smtplib sends the address unchanged; of other text it sends what it takes for the address."""
    return address.isprintable() and smtplib.quoteaddr(address) == f"<{address}>"


def _answer(code: int, text: bytes | str) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return _shorten_answer(f"{code} {words}")


def _shorten_answer(text: str) -> str:
    line = " ".join(text.split())[:LONGEST_ANSWER].rstrip(".")
    return "".join(sign if sign.isprintable() else "?" for sign in line) + "."


def make_transport(mail_out: Relay | None, keep: Callable[[str, str, bytes], None]) -> Transport:
    return LocalTransport(keep) if mail_out is None else SmtpTransport(mail_out)


def choose_transport(context: Context, now: Callable[[], datetime]) -> Transport:
    return make_transport(
        context.settings.mail_out, lambda _, to, raw: _store_local_mail(context, to, raw, now())
    )


def _store_local_mail(context: Context, recipient: str, raw: bytes, now: datetime) -> None:
    found = BytesHeaderParser().parsebytes(raw)
    with context.writing() as session:
        row = {
            "recipient": recipient,
            "message_id": str(found["Message-ID"]),
            "at": now,
            "raw": encrypt_mail(KeptMail("", recipient, raw), context.links.keys),
        }
        try:
            session.execute(insert(LocalMail).values(**row))
            session.commit()
        except IntegrityError:
            session.rollback()
