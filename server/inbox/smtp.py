"""An SMTP or LMTP listener that stores each mail before it acknowledges it, with limits on its sessions."""

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
from server.configuration.network import Endpoint, Network, is_within, network_of, parse_address
from server.inbox.intake import IntakeLimitReached, StoreMail
from server.passed_sockets import check_passed

MOST_SESSIONS = 200
"""At one time."""
MOST_SESSIONS_OF_A_PEER = 5
"""At one time, of a peer that is not known to hand on the mail of others."""
MOST_BYTES_HELD = 256 * 1024 * 1024
"""Of mails that are on their way in, all sessions together: they are in memory."""
MOST_UNANSWERED = 2 * LARGEST_ACCEPTED
"""Bytes that a peer may send between two answers of ours, a mail that is too long among them."""
LONGEST_LINE = 2**16
"""Bytes; RFC 5321, section 4.5.3.1.6, allows 1000, but not all who send HTML keep to it."""
LONGEST_COMMAND = 300.0
"""Seconds for a command or a mail to be complete (RFC 5321, section 4.5.3.2)."""

ANSWER_BUSY = "421 4.3.2 Too many are being served; please try again later"
ANSWER_STOPPING = "421 4.3.2 The server is being stopped; please try again later"


class SmtpSession(SMTP):
    """One peer at the door, who can neither stay for ever nor send without end."""

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
        """Create a session; it is one of `sessions` while it lasts, and `handler` decides what is accepted.

        `timeout`: seconds for a command or a mail; `network`: of the peer, empty for a relay.
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
        """Let the peer in."""
        self._sessions.append(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """The peer is gone."""
        self._forget()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Listen on, unless the peer has sent too much: a line without end would fill the memory."""
        self.heard = monotonic()
        self.held += len(data)
        if self.held <= MOST_UNANSWERED:
            super().data_received(data)
            bound_memory(self._sessions)
        elif isinstance(self.transport, asyncio.Transport):
            self.transport.abort()

    async def push(self, status: AnyStr) -> None:
        """Answer, and be ready to listen as long again."""
        self.heard, self.held = monotonic(), 0
        answer = status.encode() if isinstance(status, str) else status  # type: ignore[redundant-expr]
        await super().push(answer)
        self._has_mail_in_hand = answer.startswith(b"354")
        if self._is_ending:
            self.end_after_mail()

    def end_after_mail(self) -> None:
        """End the session now, or when it is said what has become of the mail in hand."""
        self._is_ending = True
        if not self._has_mail_in_hand and isinstance(self.transport, asyncio.Transport):
            self._forget()
            self.transport.write(ANSWER_STOPPING.encode() + b"\r\n")
            self.transport.close()  # the answer before leaves too

    def leave(self, answer: str) -> None:
        """End the session with a last word, whether or not the peer takes it in."""
        self._forget()
        if isinstance(self.transport, asyncio.Transport):
            self.transport.write(answer.encode() + b"\r\n")
            self.transport.abort()

    def _forget(self) -> None:
        if self in self._sessions:
            self._sessions.remove(self)


class LmtpSession(SmtpSession, LMTP):
    """The same in LMTP: after a mail as many answers are owed as recipients were named."""

    _owed = 0

    async def push(self, status: AnyStr) -> None:
        """Answer; what is said of the whole mail, such as that it is too long, once for each recipient."""
        answer = status.encode() if isinstance(status, str) else status  # type: ignore[redundant-expr]
        owed, self._owed = self._owed, 0
        if answer.startswith(b"354") and self.envelope is not None:
            self._owed = len(self.envelope.rcpt_tos)
        elif owed and b"\r\n" not in answer:
            answer = b"\r\n".join([answer] * owed)
        await super().push(answer)


def name_peer(address: str) -> str:
    """Who counts as one peer: an IPv4 address, for a mail server seldom has more, or a network of IPv6."""
    found = parse_address(address)
    return str(found) if isinstance(found, IPv4Address) else network_of(address)


def make_room(sessions: list[SmtpSession], address: str) -> bool:
    """Let the longest idle session end if all are taken; whether a peer may come in.

    `address`: of the peer; empty where it hands on the mail of others, and may have as many as there are.
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
    """The session of which nothing was heard for longest, of those whose peer does not wait for us."""
    return min((one for one in sessions if not one.is_storing), key=lambda one: one.heard, default=None)


def bound_memory(sessions: list[SmtpSession]) -> None:
    """Let the session go that holds most, where all together hold too much."""
    if sum(one.held for one in sessions) > MOST_BYTES_HELD:
        receiving = [one for one in sessions if not one.is_storing]
        if receiving:
            max(receiving, key=lambda one: one.held).leave(ANSWER_BUSY)


LOG = logging.getLogger(__name__)

MOST_RECIPIENTS = 50
FINISHING_TAKES = 10.0
"""Seconds that mails in hand have, when the listener stops, to come in whole and to be stored."""
LOOK_EVERY = 0.02
"""Seconds between two looks whether all sessions have ended."""

ANSWER_STORED = "250 2.0.0 Kept"
ANSWER_TRY_AGAIN = "451 4.3.0 Something is wrong here; please try again later"
ANSWER_FULL = "452 4.3.1 Too many mails came lately; please try again later"
"""Not said at a recipient: a mail server before us would remember it of the address for hours."""
ANSWER_TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients; please send the others a mail of their own"
ANSWER_BANNED = "550 5.7.1 Nothing is taken here from your network"
ANSWER_NO_SUCH_ADDRESS = (
    "550 5.1.1 No such address here, and nothing is passed on; answer a mail at the address in its Reply-To"
)

IsDeliverable = Callable[[str], bool]
"""Whether mail to an address is taken."""
IsBanned = Callable[[str, str], bool]
"""Whether a peer, by its address, may not write to an address of ours."""


@dataclass(frozen=True, slots=True)
class SmtpPolicy:
    """From whom mail is taken, and for whom."""

    domain: str
    """As the server of which it is taken."""
    is_deliverable: IsDeliverable
    is_banned: IsBanned = lambda _, __: False
    """Asked of all peers but relays."""
    relays: tuple[Network, ...] = ()
    """Who hand on the mail of others, as all do who speak LMTP.

    They may have as many sessions as there are, and have noted in each mail where it came from.
    """
    lmtp: bool = False
    timeout: float = LONGEST_COMMAND

    def is_relay(self, address: str) -> bool:
        """Whether a peer at this address hands on the mail of others."""
        found = parse_address(address)
        return self.lmtp or (found is not None and is_within(found, self.relays))


class SmtpListener:
    """Listens for mail in a thread of its own, from `start` to `stop`."""

    def __init__(
        self, listen: Endpoint, policy: SmtpPolicy, take_in: StoreMail, passed: Sequence[socket.socket] = ()
    ) -> None:
        """Take mail by a policy; `passed`: sockets that are listened at already, in the place of `listen`."""
        self.port = listen.port
        """Where it listens; if that was left open (0), it is known after `start`."""
        self._listen, self._passed = listen, passed
        self._make_porter = partial(_MailReceiver, policy, take_in)
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Event, Thread] | None = None

    def start(self) -> None:
        """Take mail from now on; raises `OSError` or `ValueError` if it cannot listen there."""
        # What peers say holds reply addresses, and those are as good as keys: they belong in no log.
        logging.getLogger("mail.log").setLevel(logging.WARNING)
        check_passed(self._passed, self._listen)
        family = socket.AF_INET6 if ":" in self._listen.host else socket.AF_INET
        bound = self._passed or [socket.create_server((self._listen.host, self._listen.port), family=family)]
        self.port = bound[0].getsockname()[1]
        loop, ending = asyncio.new_event_loop(), asyncio.Event()
        thread = Thread(target=self._run, args=(loop, ending, bound), name="mail-in", daemon=True)
        self._running = loop, ending, thread
        thread.start()

    def ask_to_stop(self) -> None:
        """Take no more mail than those in hand; whoever got no answer sends it again."""
        if self._running is not None:
            loop, ending, _ = self._running
            with suppress(RuntimeError):  # it has stopped
                loop.call_soon_threadsafe(ending.set)

    def join(self, seconds: float | None = None) -> None:
        """Wait until it has stopped, so long at most."""
        if self._running is not None:
            self._running[2].join(seconds)

    def stop(self) -> None:
        """Take no more mail, and wait until those in hand are stored."""
        self.ask_to_stop()
        self.join()

    def _run(
        self, loop: asyncio.AbstractEventLoop, ending: asyncio.Event, bound: Sequence[socket.socket]
    ) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._serve(ending, bound))

    async def _serve(self, ending: asyncio.Event, bound: Sequence[socket.socket]) -> None:
        porter, loop = self._make_porter(), asyncio.get_running_loop()
        servers = [await loop.create_server(porter.open_session, sock=one) for one in bound]
        await ending.wait()
        for server in servers:
            server.close()
        await porter.end_sessions()


class _MailReceiver:
    """Decides at the door: who is let in, which addresses are ours, what is said when a mail is stored."""

    def __init__(self, policy: SmtpPolicy, take_in: StoreMail) -> None:
        self._policy, self._take_in = policy, take_in
        self._sessions: list[SmtpSession] = []
        self._storing = asyncio.Lock()
        self._is_ending = False
        self._failure = ""
        self.handle_RCPT, self.handle_DATA = (
            self._accept_recipient,
            self._accept_mail,
        )  # as aiosmtpd looks for them

    def open_session(self) -> asyncio.Protocol:
        """Who talks with the next peer, until it is known which one that is."""
        return _Gate(self)

    def admit(self, address: str) -> SmtpSession | None:
        """Who talks with a peer from then on; None where it has sessions enough, or nobody can go for it."""
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
        asked = bool(server.network)  # whoever hands on the mail of others does not speak for themselves
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
                return answer  # one answer for all: the mail comes again
            answers[recipient] = answer
        if self._policy.lmtp:
            return "\r\n".join(answers[recipient] for recipient in envelope.rcpt_tos)
        return ANSWER_STORED

    async def _store(self, sender: str, recipient: str, raw: bytes, network: str) -> str:
        """Store the mail for this recipient; what its sender is answered."""
        try:
            async with self._storing:  # one at a time: a database does not profit from more
                await asyncio.to_thread(self._take_in, sender, recipient, raw, network)
        except IntakeLimitReached:
            return ANSWER_FULL
        except Exception as error:
            self._tell_failure(error)
            return ANSWER_TRY_AGAIN
        self._failure = ""
        return ANSWER_STORED

    def _tell_failure(self, error: Exception) -> None:
        """Log that mails cannot be stored, once until one is stored or fails for another reason."""
        if self._failure == (kind := type(error).__name__):
            return
        self._failure = kind
        said = "mails cannot be stored; their senders are asked to send them again"
        if isinstance(error, OperationalError):  # a full disk, most likely, which a trace fills further
            LOG.error("%s: %s", said, error.orig)
        else:
            LOG.error(said, exc_info=error)

    async def handle_exception(self, error: Exception) -> str:
        """Whatever else goes wrong is told to our log alone."""
        LOG.error("a mail session went wrong", exc_info=error)
        return ANSWER_TRY_AGAIN

    async def end_sessions(self) -> None:
        """Let each session end when the mail in hand is answered, and wait for that as long as may be."""
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
    """Learns who has come, and gives the line to a session, or sends the peer away for now."""

    def __init__(self, porter: _MailReceiver) -> None:
        self._porter = porter

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A peer is there."""
        assert isinstance(transport, asyncio.Transport)
        session = self._porter.admit(str(transport.get_extra_info("peername", [""])[0]))
        if session is None:
            transport.write(ANSWER_BUSY.encode() + b"\r\n")
            transport.close()
        else:
            transport.set_protocol(session)
            session.connection_made(transport)


def _to_storable_text(address: str) -> str:
    """An address as any database can store it: signs that are none, such as broken UTF-8, are replaced."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in address)
