"""The SMTP relay: connections, observed availability, outages; locks that keep letters in order."""

from __future__ import annotations

import logging
import smtplib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from threading import Event, Lock, Thread
from time import monotonic
from typing import Protocol

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from emails.replies.parsed_mail import Mail
from emails.replies.screening import RefusalCause, judge_refusal
from server.accounts.bounces import MOST_READERS_REFUSED
from server.mail_addresses import normalise_address
from server.network import Relay
from server.outbox.queue import tell_operator
from server.outbox.timed_letters import TOLD_AFTER, end_absence
from server.store.context import Context
from server.store.dialects import SharedKeys
from server.store.encrypted import encrypt_mail
from server.store.models import LocalMail, OperatorMail, OutgoingLetter
from server.store.schedule import leave_uncounted, read_moment, write_moment
from server.store.states import Hindrance, LetterState, MomentName, OperatorMatter
from server.store.turn_clock import LEAST_ABSENCE

CONNECT_TIMEOUT = 30.0
ANSWER_TIMEOUT = 300.0
"""Seconds to wait for each response of the relay (RFC 5321, section 4.5.3.2)."""
TAKING_TIMEOUT = 600.0
"""Seconds to wait after the final dot; a shorter wait duplicates letters (section 4.5.3.2.6)."""
KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
LONGEST_ANSWER = 300
TOO_LARGE = 552
"""Reply code to MAIL FROM that refuses the letter and not the sender (RFC 1870, section 6.3)."""
AUTHENTICATION_REQUIRED = 530
"""Reply code that refuses this server, even in reply to RCPT TO (RFC 4954, section 6)."""


class DeliveryFailed(Exception):
    """The relay did not accept a letter; the message gives the reason.

    `final`: later attempts would fail too. `nobody`: the address has no mailbox that accepts mail. `lost`:
    the connection broke before the relay responded. `doubtful`: it broke after the whole letter was sent, so
    the relay may have accepted it. `ours`: the relay rejects this server as the sender of any letter.
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
        self.final, self.nobody, self.ours = final, nobody, ours
        self.lost, self.doubtful = lost or doubtful, doubtful


class RelayAway(Exception):
    """The relay cannot be reached, so no letter can be sent; the message gives the reason."""


class Transport(Protocol):
    def send(self, sender: str, recipient: str, raw: bytes) -> str | None:
        """Send one letter to one recipient. Raises `DeliveryFailed` or `RelayAway`.

        Returns the relay's reply, or None without a relay. `sender`: address for bounces; empty: no bounces
        (RFC 5321, section 4.5.5). `raw`: the complete letter with CRLF line ends, sent unchanged.
        """

    def probe(self) -> None:
        """Check that a connection can be made. Raises `RelayAway`."""


@dataclass(frozen=True, slots=True)
class LocalTransport:
    """Stores letters in the built-in mailbox instead of sending them."""

    context: Context
    now: Callable[[], datetime]

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        message_id = str(BytesHeaderParser().parsebytes(raw)["Message-ID"])
        kept = encrypt_mail(Mail(raw, envelope_to=recipient), self.context.links.keys)
        with self.context.writing() as session, suppress(IntegrityError):  # after a crash it may be there
            session.add(LocalMail(recipient=recipient, message_id=message_id, at=self.now(), raw=kept))
            session.commit()

    def probe(self) -> None:
        """Do nothing, since the built-in mailbox is always available."""


class _Conversation(smtplib.SMTP):
    """SMTP connection that waits longer for the response to a letter."""

    taking = TAKING_TIMEOUT
    is_taking = False  # True from the command DATA until the response to the final dot
    last_reply: tuple[int, bytes] = (0, b"")

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection: socket.socket = super()._get_socket(host, port, min(timeout, CONNECT_TIMEOUT))  # type: ignore[misc]
        connection.settimeout(timeout)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # Otherwise the end of a letter waits for the acknowledgement of its beginning.
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
    """SMTP connection that starts with TLS."""


class SmtpTransport:
    """Sends letters to a mail server over one connection, which is opened again when it has ended."""

    def __init__(
        self, relay: Relay, patience: float = ANSWER_TIMEOUT, taking: float = TAKING_TIMEOUT
    ) -> None:
        """Set the seconds to wait for each response (`patience`) and after a letter's end (`taking`)."""
        self._relay = relay
        self._patience, self._taking = patience, taking
        self._connection: _Conversation | None = None
        self._lock = Lock()  # a connection transfers one letter at a time

    def send(self, sender: str, recipient: str, raw: bytes) -> str:
        """Send one letter; return the relay's reply in one line. Raises `DeliveryFailed` or `RelayAway`."""
        if not (_fits(sender) and _fits(recipient)):
            raise DeliveryFailed(
                "This address is invalid in an SMTP envelope.", final=True, nobody=not _fits(recipient)
            )
        with self._lock:
            connection = self._ensure_connected()
            try:
                return self._hand_over(connection, sender, recipient, raw)
            except (OSError, ValueError) as error:
                # Without a response the state of the connection is unknown.
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
            if self._connection is not None:
                with suppress(OSError):  # the server may have closed it first
                    self._connection.quit()
            self._hang_up()

    def _hand_over(self, connection: _Conversation, sender: str, recipient: str, raw: bytes) -> str:
        header = raw.partition(b"\r\n\r\n")[0]
        options = []
        if not (sender.isascii() and recipient.isascii() and header.isascii()):
            if not connection.has_extn("smtputf8"):
                sentence = f"{self._relay.at} accepts only addresses in ASCII."
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
                pass  # the server closed the connection meanwhile
            self._hang_up()
        try:
            self._connection = self._connect()
        except (OSError, ValueError) as error:  # ValueError: a malformed login challenge
            raise RelayAway(str(self._to_delivery_failure(error))) from error
        return self._connection

    def _connect(self) -> _Conversation:
        relay, context = self._relay, ssl.create_default_context()
        if relay.at.is_loopback or not (relay.tls or relay.user):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
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
                raise RelayAway(f"{relay.at} offers no TLS, so the password was not sent.")
            if relay.user:
                connection.login(relay.user, relay.password)
        except BaseException:
            connection.close()
            raise
        return connection

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
    # From other text, smtplib would extract another address.
    return address.isprintable() and smtplib.quoteaddr(address) == f"<{address}>"


def _answer(code: int, text: bytes | str) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return _shorten_answer(f"{code} {words}")


def _shorten_answer(text: str) -> str:
    line = " ".join(text.split())[:LONGEST_ANSWER].rstrip(".")
    return "".join(sign if sign.isprintable() else "?" for sign in line) + "."


def choose_transport(context: Context, now: Callable[[], datetime]) -> Transport:
    relay = context.settings.mail_out
    return LocalTransport(context, now) if relay is None else SmtpTransport(relay)


LEAST_LOST = 2
"""Lost connections are an outage if they concern at least this many recipients and as many games."""
PROBED_AFTER = 60.0
"""Seconds without any attempt after which an unavailable relay is probed."""


@dataclass(frozen=True, slots=True)
class RelayChange:
    """The relay has become unavailable or available again."""

    away: bool
    reason: str = ""
    seconds: float = 0.0
    """Duration of the outage; 0 if unknown."""
    refuses_all: bool = False
    is_new: bool = True


@dataclass(slots=True)
class RelayRecord:
    """What the lanes of a process have observed of the relay.

    A `note_` method returns a `RelayChange` if the event indicates an outage or its end; otherwise None.
    """

    steady: Callable[[], float] = monotonic
    """Returns the seconds of a monotonic clock."""
    _reason: str = ""
    _away_since: float | None = None
    _was_back: bool = False
    _heard_at: float = field(default_factory=monotonic)
    _tried_at: float = 0.0
    _is_reachable: bool = True
    _lost: set[tuple[str, str]] = field(default_factory=set)  # (recipient, game) since the last response
    _refused: set[str] = field(default_factory=set)  # recipients refused since the last accepted letter
    _put_off: set[int] = field(default_factory=set)  # letters refused temporarily since an accepted letter
    _at_fault: set[int] = field(default_factory=set)  # refused temporarily while the relay accepted others
    _times: dict[int, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def seconds_away(self) -> float:
        """Seconds since the outage of the relay began; 0 if there is none."""
        with self._lock:
            return 0.0 if self._away_since is None else self.steady() - self._away_since

    @property
    def refuses_all(self) -> bool:
        with self._lock:
            return len(self._refused) >= MOST_READERS_REFUSED

    def note_away(self, reason: str) -> RelayChange | None:
        with self._lock:
            change = self._go_away(reason)
            self._is_reachable = False
            return change

    def note_lost(self, reader: str, game: str, reason: str) -> RelayChange | None:
        """Record that the connection broke during a letter; `game` is empty for a mail to the operator."""
        with self._lock:
            self._tried_at, self._is_reachable = self.steady(), True
            self._lost.add((normalise_address(reader), game))
            fewest = min(len(set(names)) for names in zip(*self._lost, strict=True))
            return self._go_away(reason) if fewest >= LEAST_LOST else None

    def claim_probe(self) -> bool:
        """Return whether the caller must probe an unavailable relay; then return False for a minute."""
        with self._lock:
            now = self.steady()
            if self._away_since is None or now - self._tried_at < PROBED_AFTER:
                return False
            self._tried_at = now
            return True

    def note_reachable(self, is_awaited: bool) -> RelayChange | None:
        """Record that a connection succeeded; return a change if an outage ends.

        If the relay could be reached before, but accepted no letters, the outage goes on while a letter waits
        (`is_awaited`). Only this letter can show whether the relay works.
        """
        with self._lock:
            if self._away_since is None or (self._is_reachable and is_awaited):
                return None
            self._lost.clear()
            self._refused.clear()
            self._put_off.clear()
            return self._come_back()

    def note_silent(self, since: float, reason: str) -> RelayChange | None:
        """Record an outage, unless the relay has responded since the monotonic time `since`."""
        with self._lock:
            return self._go_away(reason) if self._heard_at < since else None

    def note_answered(self) -> RelayChange | None:
        with self._lock:
            self._note_heard()
            return None if self._away_since is None or self._refuses_some else self._come_back()

    def note_refused(self, reader: str, letter: int, reason: str, final: bool) -> RelayChange | None:
        """Record that a letter to `reader` was refused, permanently (`final`) or temporarily."""
        with self._lock:
            self._note_heard()
            self._refused.add(normalise_address(reader))
            if final:
                self._times[letter] = self._times.get(letter, 0) + 1
            if len(self._refused) >= MOST_READERS_REFUSED:
                return self._go_away(reason, refuses_all=True)
            if not final and letter not in self._at_fault:
                self._put_off.add(letter)
                return self._go_away(reason)
            return None if self._away_since is None or self._refuses_some else self._come_back()

    def note_sender_refused(self, reason: str) -> RelayChange | None:
        with self._lock:
            self._note_heard()
            return self._go_away(reason, refuses_all=True)

    def times_refused(self, letter: int) -> int:
        with self._lock:
            return self._times.get(letter, 0)

    def note_taken(self, letter: int) -> RelayChange | None:
        """Record that the relay accepted a letter; return a change if an outage ends.

        Also returns a change for the first letter after the process has started or a connection was lost:
        other letters may wait for the relay.
        """
        with self._lock:
            if len(self._refused) >= MOST_READERS_REFUSED:
                self._times.clear()  # the relay was at fault, not the letters
            self._times.pop(letter, None)
            self._refused.clear()
            self._at_fault = (self._at_fault | self._put_off) - {letter}
            self._put_off.clear()
            known = self._was_back and self._away_since is None and not self._lost
            self._note_heard()
            self._was_back = True
            return None if known else self._come_back()

    @property
    def _refuses_some(self) -> bool:
        return bool(self._put_off) or len(self._refused) >= MOST_READERS_REFUSED

    def _note_heard(self) -> None:
        self._lost.clear()
        self._heard_at = self._tried_at = self.steady()
        self._is_reachable = True

    def _go_away(self, reason: str, refuses_all: bool = False) -> RelayChange:
        is_new, self._tried_at = self._away_since is None, self.steady()
        self._away_since = self._tried_at if self._away_since is None else self._away_since
        self._reason = reason
        return RelayChange(True, reason, refuses_all=refuses_all, is_new=is_new)

    def _come_back(self) -> RelayChange:
        seconds = 0.0 if self._away_since is None else self.steady() - self._away_since
        change = RelayChange(False, self._reason, seconds)
        self._away_since, self._reason = None, ""
        return change


LOG = logging.getLogger(__name__)
READER = "reader "


@dataclass(slots=True)
class RecipientLocks:
    """Locks that let one lane at a time send to a recipient, so that letters stay in order."""

    relay: RelayRecord = field(default_factory=RelayRecord)
    shared: SharedKeys | None = None
    wake_lane: Callable[[], None] = lambda: None
    """Called by a lane that has claimed a letter, so that another lane looks for the next letter."""
    _readers: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def take(self, reader: str) -> bool:
        """Lock a recipient for this lane until `let_go`; return False if another lane holds the lock."""
        name, taken = normalise_address(reader), False
        with self._lock:
            if name in self._readers:
                return False
            self._readers.add(name)
        try:
            taken = self.shared is None or self.shared.take(READER + name)
        finally:
            if not taken:
                self._readers.discard(name)
        return taken

    def let_go(self, reader: str) -> None:
        name = normalise_address(reader)
        if self.shared is not None:
            self.shared.let_go(READER + name)
        self._readers.discard(name)


@contextmanager
def repeat_every(pause: timedelta, work: Callable[[], None]) -> Iterator[None]:
    """Call `work` at intervals in a thread until the `with` block ends. The last call may end later."""
    ended = Event()

    def run() -> None:
        due = monotonic() + pause.total_seconds()
        while not ended.wait(max(0.0, due - monotonic())):
            due = monotonic() + pause.total_seconds()  # however long `work` takes
            try:
                work()
            except Exception:
                LOG.exception("a claim could not be renewed")  # the next attempt may succeed

    Thread(target=run, name="claim", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


RELAY_REFUSES_WORDS = """\
The relay refuses the letters of all recipients. Its last response:

{reason}

The letters wait until the relay accepts one, and no time runs on any turn. The server tries repeatedly.
"""
RELAY_WAS_AWAY_WORDS = """\
From {since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC the relay accepted no letters:

{reason}

It accepts letters again. No time ran on any turn.
"""


def note_relay_change(context: Context, change: RelayChange | None, now: datetime) -> None:
    """Store a change of the relay and inform the operator; None: no change."""
    if change is None:
        return
    if change.away:
        _note_away(context, change, now)
        return
    with context.reading() as session:
        since = read_moment(session, MomentName.RELAY_AWAY)
        put_off = [Hindrance.RELAY] if since is None else [Hindrance.RELAY, Hindrance.PERHAPS_TAKEN]
        which = (
            col(OutgoingLetter.state) == LetterState.WAITING,
            col(OutgoingLetter.due_at) > now,
            col(OutgoingLetter.hindrance).in_(put_off),
        )
        waiting = session.exec(select(OutgoingLetter.id).where(*which).limit(1)).first()
    if since is not None or waiting is not None:
        with context.writing() as session:
            end_absence(context, session, MomentName.RELAY_AWAY, now)
            if since is not None and now - since >= LEAST_ABSENCE:
                leave_uncounted(session, (since, now))
            session.execute(update(OutgoingLetter).where(*which).values(due_at=now))
            operator = update(OperatorMail).where(col(OperatorMail.state) == LetterState.WAITING)
            session.execute(operator.where(col(OperatorMail.due_at) > now).values(due_at=now))
            if since is not None and now - since >= TOLD_AFTER:
                reason = change.reason or "The reason is no longer known."
                words = RELAY_WAS_AWAY_WORDS.format(since=since, until=now, reason=reason)
                tell_operator(context, session, OperatorMatter.RELAY_AWAY, words, now)
            context.commit_work(session)
    if since is not None or change.seconds:
        context.events.note_relay_back(change.seconds or (now - (since or now)).total_seconds())


def _note_away(context: Context, change: RelayChange, now: datetime) -> None:
    if change.is_new:
        context.events.note_relay_away(change.reason)
    with context.reading() as session:
        is_known = read_moment(session, MomentName.RELAY_AWAY) is not None
    if is_known and not (change.is_new and change.refuses_all):
        return
    with context.writing() as session:
        if read_moment(session, MomentName.RELAY_AWAY) is None:
            write_moment(session, MomentName.RELAY_AWAY, now)
        if change.refuses_all:
            words = RELAY_REFUSES_WORDS.format(reason=change.reason)
            tell_operator(context, session, OperatorMatter.RELAY_AWAY, words, now)
        session.commit()
