"""An SMTP or LMTP listener that stores each mail before it acknowledges it, and limits sessions."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Address
from threading import Thread
from time import monotonic
from typing import AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from sqlalchemy.exc import OperationalError

from emails.replies.screening import LARGEST_ACCEPTED
from server.inbox.intake import IntakeLimitReached, StoreMail
from server.network import Endpoint, Network, is_within, network_of, parse_address

MOST_SESSIONS = 200
MOST_SESSIONS_OF_A_PEER = 5
"""Maximum simultaneous sessions of one peer; peers that forward mail of others have no such limit."""
MOST_BYTES_HELD = 256 * 1024 * 1024
MOST_UNANSWERED = 2 * LARGEST_ACCEPTED
LONGEST_LINE = 2**16
"""Maximum bytes; RFC 5321, section 4.5.3.1.6, allows 1000, but some senders of HTML exceed this."""
LONGEST_COMMAND = 300.0
"""Seconds in which a command or a mail must be complete (RFC 5321, section 4.5.3.2)."""

ANSWER_BUSY = "421 4.3.2 Too many sessions; please try again later"
ANSWER_STOPPING = "421 4.3.2 The server is stopping; please try again later"
ANSWER_IDLE = "421 4.4.2 Timeout; please try again later"


class SmtpSession(SMTP):
    """Session of one peer, limited in time and memory."""

    line_length_limit = LONGEST_LINE

    def __init__(
        self,
        handler: object,
        sessions: list[SmtpSession],
        domain: str,
        timeout: float,
        peer: str,
        network: str,
    ) -> None:
        """Create a session, listed in `sessions` while it lasts; `handler` decides which mail is accepted.

        `timeout`: seconds for a command or a mail. `network`: network of the peer; empty if the peer forwards
        mail of others.
        """
        super().__init__(
            handler,
            data_size_limit=LARGEST_ACCEPTED,
            enable_SMTPUTF8=True,
            hostname=domain,
            ident="Alexandros",
            timeout=timeout,
        )
        self._sessions = sessions
        self.peer, self.network = peer, network
        self.heard, self.held, self.is_storing = monotonic(), 0, False
        self._has_mail_in_hand = self._is_ending = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._sessions.append(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._forget()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Process data, or abort if the peer sent too much: an endless line would fill the memory."""
        self.heard = monotonic()
        self.held += len(data)
        if self.held <= MOST_UNANSWERED:
            super().data_received(data)
            bound_memory(self._sessions)
        elif isinstance(self.transport, asyncio.Transport):
            self.transport.abort()

    async def push(self, status: AnyStr) -> None:
        """Send a response and reset the limits on the peer's next data."""
        self.heard, self.held = monotonic(), 0
        answer = status.encode() if isinstance(status, str) else status  # type: ignore[redundant-expr]
        await super().push(answer)
        self._has_mail_in_hand = answer.startswith(b"354")
        if self._is_ending:
            self.end_after_mail()

    def end_after_mail(self) -> None:
        """End the session now, or after the response to the mail in transfer."""
        self._is_ending = True
        if not self._has_mail_in_hand and isinstance(self.transport, asyncio.Transport):
            self._forget()
            self.transport.write(ANSWER_STOPPING.encode() + b"\r\n")
            self.transport.close()  # sends the response first

    def leave(self, answer: str) -> None:
        self._forget()
        if isinstance(self.transport, asyncio.Transport):
            self.transport.write(answer.encode() + b"\r\n")
            self.transport.abort()

    def _timeout_cb(self) -> None:
        # aiosmtpd itself would wait for a peer that reads no responses.
        if self.is_storing:
            self._reset_timeout()
        else:
            self.leave(ANSWER_IDLE)

    def _forget(self) -> None:
        if self in self._sessions:
            self._sessions.remove(self)


class LmtpSession(SmtpSession, LMTP):
    """LMTP session, which sends one response per recipient after a mail."""

    _owed = 0

    async def push(self, status: AnyStr) -> None:
        """Send a response; a response about a whole mail is repeated for each recipient."""
        answer = status.encode() if isinstance(status, str) else status  # type: ignore[redundant-expr]
        owed, self._owed = self._owed, 0
        if answer.startswith(b"354") and self.envelope is not None:
            self._owed = len(self.envelope.rcpt_tos)
        elif owed and b"\r\n" not in answer:
            answer = b"\r\n".join([answer] * owed)
        await super().push(answer)


def name_peer(address: str) -> str:
    found = parse_address(address)
    return str(found) if isinstance(found, IPv4Address) else network_of(address)


def make_room(sessions: list[SmtpSession], address: str) -> bool:
    """Return whether a peer may connect; if all sessions are taken, end the longest idle one.

    `address`: address of the peer; empty if the peer forwards mail of others, and so has no separate limit.
    """
    if address and sum(one.peer == name_peer(address) for one in sessions) >= MOST_SESSIONS_OF_A_PEER:
        return False
    if len(sessions) >= MOST_SESSIONS:
        idle = find_longest_idle(sessions)
        if idle is None:
            return False
        idle.leave(ANSWER_BUSY)
    return True


def find_longest_idle(sessions: list[SmtpSession]) -> SmtpSession | None:
    return min((one for one in sessions if not one.is_storing), key=lambda one: one.heard, default=None)


def bound_memory(sessions: list[SmtpSession]) -> None:
    """End the session with most buffered bytes, if all sessions together buffer too many."""
    if sum(one.held for one in sessions) > MOST_BYTES_HELD:
        receiving = [one for one in sessions if not one.is_storing]
        if receiving:
            max(receiving, key=lambda one: one.held).leave(ANSWER_BUSY)


LOG = logging.getLogger(__name__)

MOST_RECIPIENTS = 50
FINISHING_TAKES = 10.0
LOOK_EVERY = 0.02

ANSWER_STORED = "250 2.0.0 Stored"
ANSWER_TRY_AGAIN = "451 4.3.0 Server error; please try again later"
# after a mail's data, since a sending server would remember a refused recipient for hours
ANSWER_FULL = "452 4.3.1 Too many mails; please try again later"
ANSWER_TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients; please send the others in a separate mail"
ANSWER_BANNED = "550 5.7.1 Mail from your network is refused"
ANSWER_NO_SUCH_ADDRESS = "550 5.1.1 No such address; answer a mail at the address in its Reply-To"

IsDeliverable = Callable[[str], bool]
IsBanned = Callable[[str, str], bool]
"""Returns whether a peer, given by IP address, may not write to an address of this server."""


@dataclass(frozen=True, slots=True)
class SmtpPolicy:
    """Rules for accepted peers and recipients."""

    domain: str
    is_deliverable: IsDeliverable
    is_banned: IsBanned = lambda _, __: False
    """Called for all peers except those that forward mail of others."""
    relays: tuple[Network, ...] = ()
    """Networks of peers that forward mail of others, as each LMTP peer does.

    These peers have no separate session limit, and record the origin in each mail.
    """
    lmtp: bool = False
    timeout: float = LONGEST_COMMAND

    def is_relay(self, address: str) -> bool:
        found = parse_address(address)
        return self.lmtp or (found is not None and is_within(found, self.relays))


class SmtpListener:
    """Receives mail in a separate thread, from `start` to `stop`."""

    def __init__(
        self, listen: Endpoint, policy: SmtpPolicy, take_in: StoreMail, passed: Sequence[socket.socket] = ()
    ) -> None:
        """Create a listener. `take_in` stores mail; `passed`: listening sockets, used instead of `listen`."""
        self.port = listen.port
        """Port of the listener; if configured as 0, the real port after `start`."""
        self._listen, self._passed = listen, passed
        self._make_receiver = partial(_MailReceiver, policy, take_in)
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Event, Thread] | None = None

    def start(self) -> None:
        """Start receiving. Raises `OSError` if the server cannot listen."""
        # Sessions contain reply addresses, which let their holders act, and so must not be logged.
        logging.getLogger("mail.log").setLevel(logging.WARNING)
        family = socket.AF_INET6 if ":" in self._listen.host else socket.AF_INET
        bound = self._passed or [socket.create_server((self._listen.host, self._listen.port), family=family)]
        self.port = bound[0].getsockname()[1]
        loop, ending = asyncio.new_event_loop(), asyncio.Event()
        thread = Thread(target=self._run, args=(loop, ending, bound), name="mail-in", daemon=True)
        self._running = loop, ending, thread
        thread.start()

    def ask_to_stop(self) -> None:
        if self._running is not None:
            loop, ending, _ = self._running
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(ending.set)

    def join(self, seconds: float | None = None) -> None:
        if self._running is not None:
            self._running[2].join(seconds)

    def stop(self) -> None:
        self.ask_to_stop()
        self.join()

    def _run(
        self, loop: asyncio.AbstractEventLoop, ending: asyncio.Event, bound: Sequence[socket.socket]
    ) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._serve(ending, bound))

    async def _serve(self, ending: asyncio.Event, bound: Sequence[socket.socket]) -> None:
        receiver, loop = self._make_receiver(), asyncio.get_running_loop()
        servers = [await loop.create_server(receiver.open_session, sock=one) for one in bound]
        await ending.wait()
        for server in servers:
            server.close()
        await receiver.end_sessions()


class _MailReceiver:
    """Accepts or rejects the peers, recipients and mails of all sessions."""

    def __init__(self, policy: SmtpPolicy, take_in: StoreMail) -> None:
        self._policy, self._take_in = policy, take_in
        self._sessions: list[SmtpSession] = []
        self._storing = asyncio.Lock()
        self._is_ending = False
        self._failure = ""
        self.handle_RCPT, self.handle_DATA = (
            self._accept_recipient,
            self._accept_mail,
        )  # names that aiosmtpd calls

    def open_session(self) -> asyncio.Protocol:
        return _Gate(self)

    def admit(self, address: str) -> SmtpSession | None:
        """Return a session for a peer; None if the peer or the server has too many, or the server stops."""
        known, policy = self._policy.is_relay(address), self._policy
        if self._is_ending or not make_room(self._sessions, "" if known else address):
            return None
        kind = LmtpSession if policy.lmtp else SmtpSession
        network = "" if known else network_of(address)
        peer, domain = name_peer(address), policy.domain.lower()
        return kind(self, self._sessions, domain, policy.timeout, peer, network)

    async def _accept_recipient(
        self, server: SmtpSession, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not await asyncio.to_thread(self._policy.is_deliverable, _to_storable_text(address)):
            return ANSWER_NO_SUCH_ADDRESS
        peer = str((session.peer or ("",))[0])
        asked = bool(server.network)  # a relay forwards mail of others
        if asked and await asyncio.to_thread(self._policy.is_banned, peer, _to_storable_text(address)):
            return ANSWER_BANNED
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return ANSWER_TOO_MANY_RECIPIENTS
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def _accept_mail(self, server: SmtpSession, session: Session, envelope: Envelope) -> str:
        server.is_storing = True
        try:
            return await self._store_for_all(server.network, envelope)
        finally:
            server.is_storing = False

    async def _store_for_all(self, network: str, envelope: Envelope) -> str:
        sender = "" if envelope.mail_from in {None, "<>"} else _to_storable_text(envelope.mail_from or "")
        raw = envelope.original_content or b""
        answers: dict[str, str] = {}
        for recipient in dict.fromkeys(envelope.rcpt_tos):
            answer = await self._store(sender, _to_storable_text(recipient), raw, network)
            if answer != ANSWER_STORED and not self._policy.lmtp:
                return answer  # one response for all recipients: the mail is sent again
            answers[recipient] = answer
        if self._policy.lmtp:
            return "\r\n".join(answers[recipient] for recipient in envelope.rcpt_tos)
        return ANSWER_STORED

    async def _store(self, sender: str, recipient: str, raw: bytes, network: str) -> str:
        try:
            async with self._storing:  # one at a time, since more would not be faster
                await asyncio.to_thread(self._take_in, sender, recipient, raw, network)
        except IntakeLimitReached:
            return ANSWER_FULL
        except Exception as error:
            self._tell_failure(error)
            return ANSWER_TRY_AGAIN
        self._failure = ""
        return ANSWER_STORED

    def _tell_failure(self, error: Exception) -> None:
        if self._failure == (kind := type(error).__name__):
            return
        self._failure = kind
        said = "mails cannot be stored; their senders must send them again"
        if isinstance(error, OperationalError):  # often a full disk: log no traceback
            LOG.error("%s: %s", said, error.orig)
        else:
            LOG.error(said, exc_info=error)

    async def handle_exception(self, error: Exception) -> str:
        """Log an unexpected error of a session; the peer gets no details."""
        LOG.error("a mail session failed", exc_info=error)
        return ANSWER_TRY_AGAIN

    async def end_sessions(self) -> None:
        """End each session after the response to its mail; wait at most `FINISHING_TAKES`."""
        self._is_ending = True
        for one in [*self._sessions]:
            one.end_after_mail()
        with suppress(TimeoutError):
            async with asyncio.timeout(FINISHING_TAKES):
                while self._sessions:
                    await asyncio.sleep(LOOK_EVERY)
        async with self._storing:
            pass


class _Gate(asyncio.Protocol):
    """Passes a new connection to a session for its peer, or rejects it as busy."""

    def __init__(self, receiver: _MailReceiver) -> None:
        self._receiver = receiver

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        session = self._receiver.admit(str(transport.get_extra_info("peername", [""])[0]))
        if session is None:
            transport.write(ANSWER_BUSY.encode() + b"\r\n")
            transport.close()
        else:
            transport.set_protocol(session)
            session.connection_made(transport)


def _to_storable_text(address: str) -> str:
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in address)
