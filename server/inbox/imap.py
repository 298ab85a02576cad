"""Mail that is delivered to a mailbox is fetched there: over IMAP, as soon as the mailbox tells of it.

A mail is moved out of the folder only after it is stored. Whoever is killed in between fetches it again, and
it is still one mail. Which of our addresses it was sent to stands in its headers, where the mailbox's server
wrote it. Whatever goes wrong is tried again, after pauses that grow; a mail that cannot be taken in stays
where it is and keeps no other waiting.
"""

from __future__ import annotations

import logging
import re
import selectors
import socket
import ssl
from contextlib import contextmanager, suppress
from imaplib import IMAP4
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from imap_tools import MailBox, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError, MailboxLoginError

from server.configuration.endpoints import DONE_FOLDER, REFUSED_FOLDER, ImapMailbox
from server.inbox.mail_intake import (
    MOST_BYTES_KEPT,
    IntakeLimitReached,
    find_envelope_sender,
    find_recipients,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from imap_tools import BaseMailBox

    from server.inbox.mail_intake import StoreMail

LOG = logging.getLogger(__name__)

ANSWER_TIMEOUT = 30.0
"""Seconds to wait for each answer of the mailbox's server."""
IDLE_RENEWAL = 300.0
"""Seconds after which we look by ourselves: what is between us may have forgotten us without a word. RFC 2177
asks for less than 29 minutes."""
FIRST_RETRY_PAUSE, LONGEST_RETRY_PAUSE = 1.0, 300.0
"""Seconds before it is tried again; each time twice as long."""
BATCH_SIZE = 50
"""Mails between two looks at what lies there."""
LONGEST_ERROR_TEXT = 300
"""Characters of what went wrong that are worth telling."""
PERSONAL_NAMESPACE = re.compile(rb'\(\("((?:[^"\\]|\\.)*)"')
"""The first personal namespace (RFC 2342): what our folders' names begin with, such as `INBOX.`."""


class MailboxUnavailable(Exception):
    """What lies in the mailbox cannot be fetched now; the sentence says why."""


class RetryQueue:
    """The mails that could not be taken in, and when they are tried again: after pauses that grow."""

    def __init__(self, pause: float) -> None:
        """`pause`: the first one; this and all moments are in seconds."""
        self._first = self._pause = pause
        self._uids: set[str] = set()
        self._due = 0.0

    @property
    def uids(self) -> frozenset[str]:
        """Which they are."""
        return frozenset(self._uids)

    def add(self, uid: str, now: float) -> None:
        """Count this mail as failed until it is stored: one that cuts the connection has to wait."""
        if not self._uids:
            self._pause, self._due = self._first, now + self._first
        self._uids.add(uid)

    def remove(self, *uids: str) -> None:
        """These mails are taken in, or are no more."""
        self._uids.difference_update(uids)

    def take_due(self, now: float) -> list[str]:
        """Those that are to be tried again now."""
        if now < self._due or not self._uids:
            return []
        self._pause = min(2 * self._pause, LONGEST_RETRY_PAUSE)
        self._due = now + self._pause
        return sorted(self._uids)

    def seconds_until_due(self, now: float) -> float:
        """Seconds until they are tried again; without end if there are none."""
        return max(0.0, self._due - now) if self._uids else inf


class ImapFetcher:
    """Fetches mail from a mailbox in a thread of its own, from `start` to `stop`."""

    def __init__(
        self,
        box: ImapMailbox,
        domain: str,
        take_in: StoreMail,
        is_deliverable: Callable[[str], bool],
        renew: float = IDLE_RENEWAL,
        pause: float = FIRST_RETRY_PAUSE,
    ) -> None:
        """Take in what is deliverable at `domain`; `renew` and `pause` (the first one) are in seconds."""
        self._box, self._domain = box, domain
        self._take_in, self._is_deliverable = take_in, is_deliverable
        self._renew, self._pause = renew, pause
        self._left = RetryQueue(pause)
        self._stopping = Event()
        self._running: tuple[socket.socket, socket.socket, Thread] | None = None

    def start(self) -> None:
        """Fetch mail from now on. Never raises: a server that is away may come back."""
        self._stopping.clear()
        bell, ear = socket.socketpair()
        thread = Thread(target=self._run, args=(ear,), name="mail-in", daemon=True)
        self._running = bell, ear, thread
        thread.start()

    def ask_to_stop(self) -> None:
        """Fetch no more than the mail in hand, which is stored and moved."""
        if self._running is not None:
            self._stopping.set()
            self._running[0].send(b"!")

    def join(self, seconds: float = 2 * ANSWER_TIMEOUT) -> None:
        """Wait until it has stopped, so long at most."""
        if self._running is not None:
            bell, ear, thread = self._running
            thread.join(seconds)
            if not thread.is_alive():
                bell.close()
                ear.close()
                self._running = None

    def stop(self) -> None:
        """Fetch no more, and wait until the mail in hand is stored and moved."""
        self.ask_to_stop()
        self.join()

    def _run(self, ear: socket.socket) -> None:
        pause = self._pause
        while not self._stopping.is_set():
            try:
                with self._open_mailbox() as box:
                    done, refused = _ensure_folders(box)
                    while not self._stopping.is_set():
                        moved = self._fetch_all(box, done, refused)
                        self._await_more(box, ear)
                        pause = self._pause
                        if not moved:  # a server that calls for nothing is not asked without end
                            _wait_until_readable(ear, FIRST_RETRY_PAUSE)
            except Exception as error:  # answers can be anything, and no answer may end this thread
                LOG.warning("Mail cannot be fetched: %s", self._describe_error(error))
                _wait_until_readable(ear, pause)
                pause = min(2 * pause, LONGEST_RETRY_PAUSE)

    @contextmanager
    def _open_mailbox(self) -> Iterator[BaseMailBox]:
        """The mailbox with its folder open."""
        wanted = self._box
        host, port = wanted.at.host, wanted.at.port
        box: BaseMailBox = (
            MailBox(host, port, timeout=ANSWER_TIMEOUT, ssl_context=_tls_context(wanted))
            if wanted.tls
            else MailBoxUnencrypted(host, port, timeout=ANSWER_TIMEOUT)
        )
        try:
            if not wanted.tls and "STARTTLS" in box.client.capabilities:
                box.client.starttls(_tls_context(wanted))
            elif not wanted.tls and not wanted.at.is_loopback:
                raise MailboxUnavailable(f"{wanted.at} offers no TLS, so it was not told the password.")
            box.login(wanted.user, wanted.password, None)
            box.client.capabilities = _capabilities(box)  # more than before
            box.folder.set(wanted.folder)
            yield box
            with suppress(ImapToolsError, IMAP4.error, OSError):
                box.logout()
        finally:
            with suppress(OSError):
                box.client.shutdown()

    def _fetch_all(self, box: BaseMailBox, done: str, refused: str) -> int:
        """Take in all that lies in the folder; how many mails were moved."""
        seen, moved = set(self._left.uids), 0
        self._left.remove(*seen.difference(box.uids("UNDELETED", None)))
        while lying := [uid for uid in box.uids("UNDELETED", None) if uid not in seen][:BATCH_SIZE]:
            for uid in lying:
                if self._stopping.is_set():
                    return moved
                seen.add(uid)  # whatever comes of it, each is looked at once
                self._left.add(uid, monotonic())
                moved += self._fetch_and_move(box, uid, done, refused)
        for uid in self._left.take_due(monotonic()):  # last, for by some a mailbox may cut us off each time
            moved += not self._stopping.is_set() and self._fetch_and_move(box, uid, done, refused)
        return moved

    def _fetch_and_move(self, box: BaseMailBox, uid: str, done: str, refused: str) -> bool:
        """Take in one mail; whether that could be done, and it was moved."""
        raw = _fetch_mail(box, uid)
        found = None if raw is None else self._store_mail(raw)
        if raw is None or found is None:
            LOG.warning("A mail stays in the mailbox, for it cannot be taken in: %s", uid)
            return False
        box.move([uid], done if found and len(raw) < MOST_BYTES_KEPT else refused)
        self._left.remove(uid)
        return True

    def _store_mail(self, raw: bytes) -> list[str] | None:
        """The addresses of ours for which a mail is stored now; None if it cannot be.

        One that is too large is cut, and stored all the same: so its writer hears of it.
        """
        try:
            found = list(filter(self._is_deliverable, find_recipients(raw, "", self._domain)))
            for recipient in found:
                self._take_in(find_envelope_sender(raw, None), recipient, raw)
        except IntakeLimitReached:
            return None
        except Exception:
            LOG.exception("a mail cannot be stored; it stays in its mailbox")
            return None
        return found

    def _await_more(self, box: BaseMailBox, ear: socket.socket) -> None:
        """Wait until the server tells of something, or it is time to look, or to stop."""
        seconds = min(self._renew, self._left.seconds_until_due(monotonic()))
        if "IDLE" not in box.client.capabilities:
            _wait_until_readable(ear, seconds)
            return
        box.idle.start()  # type: ignore[no-untyped-call]
        if not _has_buffered_answer(box):
            _wait_until_readable(ear, seconds, box.client.socket())
        box.idle.stop()  # type: ignore[no-untyped-call]

    def _describe_error(self, error: Exception) -> str:
        at = self._box.at
        if isinstance(error, MailboxUnavailable):
            return str(error)
        if isinstance(error, MailboxLoginError):
            sentence = f"{at} refused user or password: {_answer_of(error)}"
        elif isinstance(error, OSError):
            sentence = f"{at} cannot be reached: {error}"
        else:
            sentence = f"{at} broke off: {_answer_of(error)}"
        line = " ".join(sentence.replace(self._box.password, "...").split())[:LONGEST_ERROR_TEXT].rstrip(".")
        return "".join(sign if sign.isprintable() else "?" for sign in line) + "."


def _wait_until_readable(ear: socket.socket, seconds: float, *others: socket.socket) -> None:
    """Wait so long, or until something can be read on one of these."""
    with selectors.DefaultSelector() as selector:
        for one in (ear, *others):
            selector.register(one, selectors.EVENT_READ)
        selector.select(seconds)


def _has_buffered_answer(box: BaseMailBox) -> bool:
    """Whether the server told of something in one breath with its last answer.

    That lies in a buffer, ours or that of TLS, and no selector sees it there.
    """
    connection = box.client.socket()
    connection.settimeout(0)
    try:
        return bool(box.client.file.peek(1))  # type: ignore[union-attr]
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    finally:
        connection.settimeout(ANSWER_TIMEOUT)


def _tls_context(box: ImapMailbox) -> ssl.SSLContext:
    """The server has to prove who it is, unless it is this machine."""
    context = ssl.create_default_context()
    if box.at.is_loopback:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _capabilities(box: BaseMailBox) -> tuple[str, ...]:
    _, data = box.client.capability()
    return tuple(data[-1].decode("ascii", "replace").upper().split())


def _ensure_folders(box: BaseMailBox) -> tuple[str, str]:
    """The names of the folders that mail is moved to; they are made where they are missing."""
    prefix = ""
    if "NAMESPACE" in box.client.capabilities:
        found = PERSONAL_NAMESPACE.match(box.client.namespace()[1][0] or b"")
        prefix = re.sub(r"\\(.)", r"\1", found[1].decode("ascii", "replace")) if found else ""
    names = prefix + DONE_FOLDER, prefix + REFUSED_FOLDER
    for name in names:
        if not box.folder.exists(name):
            box.folder.create(name)
    return names


def _fetch_mail(box: BaseMailBox, uid: str) -> bytes | None:
    """A mail as it lies there, at most `MOST_BYTES_KEPT` of it; None if it is not handed out, or is gone."""
    status, data = box.client.uid("FETCH", uid, f"(BODY.PEEK[]<0.{MOST_BYTES_KEPT}>)")
    if status != "OK" or not data or data[0] is None:
        return None
    return next((bytes(part[1]) for part in data if isinstance(part, tuple)), b"")


def _answer_of(error: Exception) -> str:
    """What a server answered, where that is known."""
    result = getattr(error, "command_result", None)
    words = result[1] if result else error
    if isinstance(words, list):
        words = b" ".join(one for one in words if isinstance(one, bytes)).decode("utf-8", "replace")
    return str(words)
