"""Fetching of mail from a mailbox over IMAP, as soon as its server announces new mail.

A mail is moved out of the folder only after it is stored; if the process ends in between, the mail is
fetched again and recognised. Recipients are read from the headers that the mailbox's server wrote; mail for
other domains is not moved. Errors are retried after growing pauses; a mail that cannot be stored or moved
stays in the folder and delays no other.

The beginning of each complete reading of the folder, and of each outage, is recorded. The clock ends a turn
only after a complete reading that began after the turn's deadline (server/clock.py).
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

from imap_tools import AND, MailBox, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError, MailboxFolderCreateError, MailboxLoginError
from imap_tools.utils import encode_folder
from sqlalchemy.exc import SQLAlchemyError

from server.inbox.intake import (
    MOST_BYTES_KEPT,
    IntakeLimitReached,
    find_envelope_sender,
    find_recipients,
    is_addressed_to,
)
from server.network import DONE_FOLDER, MAILBOX_KEPT_FOR, REFUSED_FOLDER, ImapMailbox
from server.store.context import utc_now
from server.store.states import MomentName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from imap_tools import BaseMailBox

    from server.inbox.intake import StoreMail

LOG = logging.getLogger(__name__)

ANSWER_TIMEOUT = 30.0
IDLE_RENEWAL = 60.0
"""Seconds after which the folder is read unannounced, since a connection can break unnoticed.

Turns past their deadline wait for this reading. RFC 2177 requires less than 29 minutes.
"""
FIRST_RETRY_PAUSE, LONGEST_RETRY_PAUSE = 1.0, 300.0
BATCH_SIZE = 50
LONGEST_AWAITED = 600.0  # seconds in which turns do not end, since an unstored mail may contain orders
OLD_DELETED_EVERY = 86400.0
LONGEST_ERROR_TEXT = 300
PERSONAL_NAMESPACE = re.compile(rb'\(\("((?:[^"\\]|\\.)*)"')
"""First personal namespace (RFC 2342), the prefix of our folders' names, such as `INBOX.`."""


class MailboxUnavailable(Exception):
    """Mail cannot be fetched now; the message gives the reason."""


class RetryQueue:
    """Mails that could not be stored, with the time of the next attempt; pauses between attempts grow."""

    def __init__(self, pause: float) -> None:
        """Create an empty queue. `pause`: seconds before the first retry."""
        self._first = self._pause = pause
        self._uids: dict[str, float] = {}
        self._due = 0.0

    @property
    def uids(self) -> Mapping[str, float]:
        return self._uids

    def add(self, uid: str, now: float) -> None:
        if not self._uids:
            self._pause, self._due = self._first, now + self._first
        self._uids.setdefault(uid, now)

    def remove(self, *uids: str) -> None:
        for uid in uids:
            self._uids.pop(uid, None)

    def take_due(self, now: float) -> list[str]:
        if now < self._due or not self._uids:
            return []
        self._pause = min(2 * self._pause, LONGEST_RETRY_PAUSE)
        self._due = now + self._pause
        return sorted(self._uids)

    def seconds_until_due(self, now: float) -> float:
        """Return the seconds until the next attempt; infinite without mails."""
        return max(0.0, self._due - now) if self._uids else inf


class ImapFetcher:
    """Fetches mail from a mailbox in a separate thread, from `start` to `stop`."""

    def __init__(
        self,
        box: ImapMailbox,
        domain: str,
        take_in: StoreMail,
        is_deliverable: Callable[[str], bool],
        renew: float = IDLE_RENEWAL,
        pause: float = FIRST_RETRY_PAUSE,
        note: Callable[[MomentName, datetime], None] = lambda *_: None,
        now: Callable[[], datetime] = utc_now,
        sender: str = "",
    ) -> None:
        """Store mail for deliverable addresses at `domain` through `take_in`.

        `renew`: seconds after which the folder is read without an announcement; `pause`: seconds before the
        first retry; `note`: records when the mailbox was read, or when its outage began; `sender`: sender
        address of letters.
        """
        self._box, self._domain, self._sender = box, domain, sender
        self._take_in, self._is_deliverable = take_in, is_deliverable
        self._renew, self._pause = renew, pause
        self._note, self._now = note, now
        self._left = RetryQueue(pause)
        self._stored: dict[str, str] = {}
        """Target folder, by UID, of each mail that is stored and still has to be moved."""
        self._foreign: set[str] = set()
        """UIDs of mails for other domains, which are not moved."""
        self._over_limit: dict[str, None] = {}
        """UIDs of mails refused for now because of a limit on incoming mail, least recently tried first."""
        self._numbering: list[bytes | None] = [None]
        self._old_deleted = -inf
        self._stopping = Event()
        self._running: tuple[socket.socket, socket.socket, Thread] | None = None

    def start(self) -> None:
        """Start fetching. Never raises: an unavailable server is tried again."""
        self._stopping.clear()
        stop_sender, stop_signal = socket.socketpair()
        thread = Thread(target=self._run, args=(stop_signal,), name="mail-in", daemon=True)
        self._running = stop_sender, stop_signal, thread
        thread.start()

    def ask_to_stop(self) -> None:
        """Signal the thread to end after it has stored and moved the current mail."""
        if self._running is not None:
            self._stopping.set()
            self._running[0].send(b"!")

    def join(self, seconds: float = 2 * ANSWER_TIMEOUT) -> None:
        if self._running is not None:
            stop_sender, stop_signal, thread = self._running
            thread.join(seconds)
            if not thread.is_alive():
                stop_sender.close()
                stop_signal.close()
                self._running = None

    def stop(self) -> None:
        self.ask_to_stop()
        self.join()

    def _run(self, stop_signal: socket.socket) -> None:
        pause, since = self._pause, None
        while not self._stopping.is_set():
            try:
                with open_mailbox(self._box) as box:
                    self._forget_other_numbering(box)
                    folders = ensure_folders(box)
                    while not self._stopping.is_set():
                        began = self._now()
                        moved = self._fetch_all(box, folders)
                        if self._is_all_taken_in():
                            since = None
                            with suppress(SQLAlchemyError):  # a later reading is recorded instead
                                self._note(MomentName.MAILBOX_READ, began)
                        self._delete_old(box, folders)
                        self._await_more(box, stop_signal)
                        pause = self._pause
                        if not moved:  # avoids a busy loop if the server announces without new mail
                            _wait_until_readable(stop_signal, FIRST_RETRY_PAUSE)
            except Exception as error:  # responses can be anything, and no error may end this thread
                told = describe_error(self._box, error)
                if since is None:  # a single lost connection is normal
                    since = self._now()
                    LOG.warning("Mail cannot be fetched: %s", told)
                else:
                    with suppress(SQLAlchemyError):
                        self._note(MomentName.MAILBOX_AWAY, since)
                    when = f"{since:%Y-%m-%d %H:%M} UTC"
                    LOG.warning("Mail cannot be fetched since %s, and no turn ends: %s", when, told)
                _wait_until_readable(stop_signal, pause)
                pause = min(2 * pause, LONGEST_RETRY_PAUSE)

    def _forget_other_numbering(self, box: BaseMailBox) -> None:
        _, numbering = box.client.response("UIDVALIDITY")
        if numbering == self._numbering != [None]:
            return
        self._numbering, self._left = numbering, RetryQueue(self._pause)
        self._stored, self._foreign, self._over_limit = {}, set(), {}

    def _is_all_taken_in(self) -> bool:
        unread = [
            failed
            for uid, failed in self._left.uids.items()
            if uid not in self._stored and uid not in self._over_limit
        ]
        return not self._stopping.is_set() and all(monotonic() - one >= LONGEST_AWAITED for one in unread)

    def _delete_old(self, box: BaseMailBox, folders: tuple[str, str]) -> None:
        if monotonic() - self._old_deleted < OLD_DELETED_EVERY:
            return
        self._old_deleted = monotonic()
        old = AND(date_lt=(self._now() - MAILBOX_KEPT_FOR).date())
        for folder in folders:
            try:
                box.folder.set(folder)
                box.delete(box.uids(old, None), BATCH_SIZE)
            except (ImapToolsError, IMAP4.error) as error:
                LOG.warning("Old mails cannot be deleted from %s: %s", folder, _answer_of(error))
        box.folder.set(self._box.folder)

    def _fetch_all(self, box: BaseMailBox, folders: tuple[str, str]) -> int:
        box.client.noop()  # some servers announce new mail only here
        seen, moved, foreign = {*self._left.uids, *self._foreign}, 0, len(self._foreign)
        self._left.remove(*seen.difference(box.uids("UNDELETED", None)))
        while lying := [uid for uid in box.uids("UNDELETED", None) if uid not in seen][:BATCH_SIZE]:
            for uid in lying:
                if self._stopping.is_set():
                    return moved
                seen.add(uid)  # each mail is tried once per reading, whatever happens
                self._left.add(uid, monotonic())
                moved += self._fetch_and_move(box, uid, folders)
        due = self._left.take_due(monotonic())
        # Of mails beyond a limit, only one batch is fetched each time.
        few = [uid for uid in list(self._over_limit)[:BATCH_SIZE] if uid in due]
        # Failed mails come last, since one of them may break the connection each time.
        for uid in [*(uid for uid in due if uid not in self._over_limit), *few]:
            moved += not self._stopping.is_set() and self._fetch_and_move(box, uid, folders)
        if more := len(self._foreign) - foreign:
            there = self._box.folder
            LOG.warning("Mails stay in %s because they name no address at %s: %d", there, self._domain, more)
        return moved

    def _fetch_and_move(self, box: BaseMailBox, uid: str, folders: tuple[str, str]) -> bool:
        if uid not in self._stored and not self._fetch_and_store(box, uid, folders):
            return False
        try:
            box.move([uid], self._stored[uid])
        except (ImapToolsError, IMAP4.error) as error:
            said = self._stored[uid], uid, _answer_of(error)
            LOG.warning("A mail is stored, but cannot be moved to %s: %s: %s", *said)
            ensure_folders(box)
            return False
        self._left.remove(uid)
        del self._stored[uid]
        return True

    def _fetch_and_store(self, box: BaseMailBox, uid: str, folders: tuple[str, str]) -> bool:
        self._over_limit.pop(uid, None)
        raw = _fetch_mail(box, uid)
        found = None if raw is None else self._store_mail(uid, raw)
        if raw is None or found is None:
            LOG.warning("A mail stays in the mailbox because it cannot be stored: %s", uid)
        elif not is_addressed_to(raw, self._domain):
            self._foreign.add(uid)
            self._left.remove(uid)
        else:
            done, refused = folders
            self._stored[uid] = done if found and len(raw) < MOST_BYTES_KEPT else refused
        return uid in self._stored

    def _store_mail(self, uid: str, raw: bytes) -> list[str] | None:
        try:
            named = find_recipients(raw, "", self._domain, self._sender)
            found = list(filter(self._is_deliverable, named))
            for recipient in found:
                self._take_in(find_envelope_sender(raw, None), recipient, raw)
        except IntakeLimitReached:
            self._over_limit[uid] = None
            return None
        except Exception:
            LOG.exception("a mail cannot be stored; it stays in its mailbox")
            return None
        return found

    def _await_more(self, box: BaseMailBox, stop_signal: socket.socket) -> None:
        seconds = min(self._renew, self._left.seconds_until_due(monotonic()))
        if "IDLE" not in box.client.capabilities:
            _wait_until_readable(stop_signal, seconds)
            return
        box.idle.start()  # type: ignore[no-untyped-call]
        if not _has_buffered_answer(box):
            _wait_until_readable(stop_signal, seconds, box.client.socket())
        box.idle.stop()  # type: ignore[no-untyped-call]


@contextmanager
def open_mailbox(wanted: ImapMailbox, timeout: float = ANSWER_TIMEOUT) -> Iterator[BaseMailBox]:
    """Open a mailbox folder; `timeout`: seconds per response. `describe_error` explains raised errors."""
    host, port = wanted.at.host, wanted.at.port
    box: BaseMailBox = (
        MailBox(host, port, timeout=timeout, ssl_context=_tls_context(wanted))
        if wanted.tls
        else MailBoxUnencrypted(host, port, timeout=timeout)
    )
    try:
        if not wanted.tls and "STARTTLS" in box.client.capabilities:
            box.client.starttls(_tls_context(wanted))
        elif not wanted.tls and not wanted.at.is_loopback:
            raise MailboxUnavailable(f"{wanted.at} offers no TLS, so the password was not sent.")
        box.login(wanted.user, wanted.password, None)
        box.client.capabilities = _capabilities(box)  # signing in adds capabilities
        box.folder.set(wanted.folder)
        yield box
        with suppress(ImapToolsError, IMAP4.error, OSError):
            box.logout()
    finally:
        with suppress(OSError):
            box.client.shutdown()


def describe_error(box: ImapMailbox, error: Exception) -> str:
    """Return a sentence with the reason why mail cannot be fetched, without the password."""
    match error:
        case MailboxUnavailable():
            return str(error)
        case MailboxLoginError():
            what = "refused user or password"
        case MailboxFolderCreateError():
            what = f"does not create the folders {DONE_FOLDER} and {REFUSED_FOLDER}"
        case OSError():
            what = "cannot be reached"
        case _:
            what = "broke off"
    sentence = f"{box.at} {what}: {_answer_of(error)}".replace(box.password, "...")
    line = " ".join(sentence.split())[:LONGEST_ERROR_TEXT].rstrip(".")
    return "".join(sign if sign.isprintable() else "?" for sign in line) + "."


def _wait_until_readable(stop_signal: socket.socket, seconds: float, *others: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        for one in (stop_signal, *others):
            selector.register(one, selectors.EVENT_READ)
        selector.select(seconds)


def _has_buffered_answer(box: BaseMailBox) -> bool:
    # Data sent together with the last response is in a buffer of Python or of TLS: no selector notices it.
    connection = box.client.socket()
    connection.settimeout(0)
    try:
        return bool(box.client.file.peek(1))  # type: ignore[union-attr]
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    finally:
        connection.settimeout(ANSWER_TIMEOUT)


def _tls_context(box: ImapMailbox) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if box.at.is_loopback:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _capabilities(box: BaseMailBox) -> tuple[str, ...]:
    _, data = box.client.capability()
    return tuple(data[-1].decode("ascii", "replace").upper().split())


def ensure_folders(box: BaseMailBox) -> tuple[str, str]:
    """Return the folders to which stored and refused mails are moved; create those that are missing."""
    prefix = ""
    if "NAMESPACE" in box.client.capabilities:
        found = PERSONAL_NAMESPACE.match(box.client.namespace()[1][0] or b"")
        prefix = re.sub(r"\\(.)", r"\1", found[1].decode("ascii", "replace")) if found else ""
    names = prefix + DONE_FOLDER, prefix + REFUSED_FOLDER
    for name in names:
        if not box.folder.exists(name):
            box.folder.create(name)
    return names


def measure_quota(box: BaseMailBox, folder: str) -> float | None:
    """Return the used fraction of the mailbox's quota; None if the server reports none."""
    if "QUOTA" not in box.client.capabilities:
        return None
    _, (_, quotas) = box.client.getquotaroot(encode_folder(folder).decode("ascii"))
    said = b" ".join(one for one in quotas if isinstance(one, bytes))
    used = [int(used) / int(most) for used, most in re.findall(rb"STORAGE (\d+) (\d+)", said) if int(most)]
    return max(used, default=None)


def _fetch_mail(box: BaseMailBox, uid: str) -> bytes | None:
    status, data = box.client.uid("FETCH", uid, f"(BODY.PEEK[]<0.{MOST_BYTES_KEPT}>)")
    if status != "OK" or not data or data[0] is None:
        return None
    return next((bytes(part[1]) for part in data if isinstance(part, tuple)), b"")


def _answer_of(error: Exception) -> str:
    result = getattr(error, "command_result", None)
    words = result[1] if result else error
    if isinstance(words, list):
        words = b" ".join(one for one in words if isinstance(one, bytes)).decode("utf-8", "replace")
    return str(words)
