"""Where mail comes in: a small mail server that keeps a mail first and only then says that it has it.

It takes mail for the addresses of the house and passes nothing on to anybody. It offers no TLS, so its place
is behind a mail server that does. It speaks SMTP, or LMTP: there each recipient has an answer of its own
(RFC 2033, section 4.2), and one that cannot be stored does not make the others come again.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from threading import Thread
from typing import AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from emails.links import is_inbox_address
from emails.replies.screening import LARGEST_ACCEPTED
from server.endpoints import Endpoint

LOG = logging.getLogger(__name__)

MOST_RECIPIENTS = 50
MOST_SESSIONS = 50
"""At one time; who comes when the house is full is asked to come again."""
MOST_UNANSWERED = 2 * LARGEST_ACCEPTED
"""Bytes that a peer may send between two answers of ours, a mail that is too long among them."""
LONGEST_LINE = 2**16
"""Bytes; RFC 5321, section 4.5.3.1.6, allows 1000, but not all who send HTML keep to it."""
IDLE_TIMEOUT = 300.0
"""Seconds in which a peer must come to the end of a command or of a mail (RFC 5321, section 4.5.3.2)."""

ANSWER_STORED = "250 2.0.0 Kept"
ANSWER_TRY_AGAIN = "451 4.3.0 Something is wrong here; please try again later"
ANSWER_BUSY = "421 4.3.2 Too many are being served; please try again later"
ANSWER_TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients; please send the others a mail of their own"
ANSWER_NO_SUCH_ADDRESS = "550 5.1.1 No such address here, and nothing is passed on"

StoreMail = Callable[[str, str, bytes], None]
"""Given sender (empty: none), recipient and the mail as it came; has stored it when it returns."""


class SmtpListener:
    """Listens for mail in a thread of its own, from `start` to `stop`."""

    def __init__(
        self,
        listen: Endpoint,
        domain: str,
        take_in: StoreMail,
        idle: float = IDLE_TIMEOUT,
        lmtp: bool = False,
    ) -> None:
        """Take mail for the addresses of the house at `domain` and no others; `idle` is in seconds."""
        self.port = listen.port
        """Where it listens; if that was left open (0), it is known after `start`."""
        self._listen, self._domain, self._take_in = listen, domain, take_in
        self._idle, self._lmtp = idle, lmtp
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Event, Thread] | None = None

    def start(self) -> None:
        """Take mail from now on; raises `OSError` if it cannot listen there."""
        # What peers say holds reply addresses, and those are as good as keys: they belong in no log.
        logging.getLogger("mail.log").setLevel(logging.WARNING)
        family = socket.AF_INET6 if ":" in self._listen.host else socket.AF_INET
        bound = socket.create_server((self._listen.host, self._listen.port), family=family)
        self.port = bound.getsockname()[1]
        loop, ending = asyncio.new_event_loop(), asyncio.Event()
        thread = Thread(target=self._run, args=(loop, ending, bound), name="mail-in", daemon=True)
        self._running = loop, ending, thread
        thread.start()

    def stop(self) -> None:
        """Take no more mail. What is being stored is stored first; whoever got no answer sends it again."""
        if self._running is not None:
            (loop, ending, thread), self._running = self._running, None
            loop.call_soon_threadsafe(ending.set)
            thread.join()

    def _run(self, loop: asyncio.AbstractEventLoop, ending: asyncio.Event, bound: socket.socket) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._serve(ending, bound))

    async def _serve(self, ending: asyncio.Event, bound: socket.socket) -> None:
        porter = _MailReceiver(self._domain, self._take_in, self._idle, self._lmtp)
        server = await asyncio.get_running_loop().create_server(porter.open_session, sock=bound)
        await ending.wait()
        server.close()
        await porter.finish_storing()  # after that the sessions end with the loop


class _MailReceiver:
    """Decides at the door: who is let in, which addresses are ours, what is said when a mail is stored."""

    def __init__(self, domain: str, take_in: StoreMail, idle: float, lmtp: bool) -> None:
        self.domain = domain.lower()
        self.idle = idle
        self._lmtp = lmtp
        self.sessions: set[_SmtpSession] = set()
        self._take_in = take_in
        self._storing = asyncio.Lock()
        self.handle_RCPT, self.handle_DATA = (
            self._accept_recipient,
            self._accept_mail,
        )  # as aiosmtpd looks for them

    def open_session(self) -> asyncio.Protocol:
        """Who talks with the next peer."""
        if len(self.sessions) >= MOST_SESSIONS:
            return _BusyProtocol()
        return _LmtpSession(self) if self._lmtp else _SmtpSession(self)

    async def _accept_recipient(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not is_inbox_address(address, self.domain):
            return ANSWER_NO_SUCH_ADDRESS
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return ANSWER_TOO_MANY_RECIPIENTS
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def _accept_mail(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        sender = "" if envelope.mail_from in {None, "<>"} else _to_storable_text(envelope.mail_from or "")
        raw = envelope.original_content or b""
        kept: dict[str, bool] = {}
        for recipient in dict.fromkeys(envelope.rcpt_tos):
            kept[recipient] = await self._store(sender, _to_storable_text(recipient), raw)
            if not (kept[recipient] or self._lmtp):
                break  # one answer for all: the mail comes again
        if self._lmtp:
            return "\r\n".join(
                ANSWER_STORED if kept[recipient] else ANSWER_TRY_AGAIN for recipient in envelope.rcpt_tos
            )
        return ANSWER_STORED if all(kept.values()) else ANSWER_TRY_AGAIN

    async def _store(self, sender: str, recipient: str, raw: bytes) -> bool:
        """Whether the mail is stored for this recipient."""
        try:
            async with self._storing:  # one at a time: a database does not profit from more
                await asyncio.to_thread(self._take_in, sender, recipient, raw)
        except Exception:
            LOG.exception("a mail cannot be stored; its sender is asked to send it again")
            return False
        return True

    async def handle_exception(self, error: Exception) -> str:
        """Whatever else goes wrong is told to our log alone."""
        LOG.error("a mail session went wrong", exc_info=error)
        return ANSWER_TRY_AGAIN

    async def finish_storing(self) -> None:
        """Wait until what is being stored is stored."""
        async with self._storing:
            pass


class _SmtpSession(SMTP):
    """One peer at the door, who can neither stay for ever nor send without end."""

    line_length_limit = LONGEST_LINE

    def __init__(self, porter: _MailReceiver) -> None:
        super().__init__(
            porter,
            data_size_limit=LARGEST_ACCEPTED,
            enable_SMTPUTF8=True,
            hostname=porter.domain,
            ident="Alexandros",
            timeout=porter.idle,
        )
        self._porter = porter
        self._unanswered = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the peer in."""
        self._porter.sessions.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """The peer is gone."""
        self._porter.sessions.discard(self)
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Listen on, unless the peer has sent too much: a line without end would fill the memory."""
        self._unanswered += len(data)
        if self._unanswered <= MOST_UNANSWERED:
            super().data_received(data)
        elif isinstance(self.transport, asyncio.Transport):
            self.transport.abort()

    async def push(self, status: AnyStr) -> None:
        """Answer, and be ready to listen as long again."""
        self._unanswered = 0
        await super().push(status)


class _LmtpSession(_SmtpSession, LMTP):
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


class _BusyProtocol(asyncio.Protocol):
    """Sends a peer away for now."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say so and close."""
        if isinstance(transport, asyncio.Transport):
            transport.write(ANSWER_BUSY.encode() + b"\r\n")
            transport.close()


def _to_storable_text(address: str) -> str:
    """An address as any database can store it: signs that are none, such as broken UTF-8, are replaced."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in address)
