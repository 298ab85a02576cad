"""The sessions of a listener: none stays for ever or sends without end, and none keeps others out.

Whoever says nothing for a while is left, no peer has more than a few sessions, and when all are taken the one
that has been idle for longest ends for the new one. So nobody is refused because others stay.
"""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Address
from time import monotonic
from typing import AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP

from emails.replies.screening import LARGEST_ACCEPTED
from server.configuration.network import network_of, parse_address

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
"""Seconds in which a peer must come to the end of a command or of a mail, however slowly it goes on."""

ANSWER_BUSY = "421 4.3.2 Too many are being served; please try again later"
ANSWER_STOPPING = "421 4.3.2 The server is being stopped; please try again later"
ANSWER_IDLE = "421 4.4.2 Nothing was heard for too long; please try again later"


class SmtpSession(SMTP):
    """One peer at the door, who can neither stay for ever nor send without end."""

    line_length_limit = LONGEST_LINE

    def __init__(
        self,
        handler: object,
        sessions: list[SmtpSession],
        domain: str,
        idle: float,
        peer: str,
        network: str,
    ) -> None:
        """One of `sessions` while it lasts; `handler` decides what is taken, `idle` is in seconds.

        `network` is that of the peer; empty where it hands on the mail of others.
        """
        super().__init__(
            handler,
            data_size_limit=LARGEST_ACCEPTED,
            enable_SMTPUTF8=True,
            hostname=domain,
            ident="Alexandros",
            timeout=LONGEST_COMMAND,
        )
        self._sessions, self._idle = sessions, idle
        self.peer, self.network = peer, network
        self.heard, self.held, self.is_storing = monotonic(), 0, False
        self._has_mail_in_hand = self._is_ending = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the peer in."""
        self._sessions.append(self)
        super().connection_made(transport)
        self._end_if_idle()

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

    def _end_if_idle(self) -> None:
        """End it if nothing was heard for too long; else look again when that could be so."""
        if self not in self._sessions:
            return
        left = self._idle - (0 if self.is_storing else monotonic() - self.heard)
        if left > 0:
            self.loop.call_later(left, self._end_if_idle)
        else:
            self.leave(ANSWER_IDLE)


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
