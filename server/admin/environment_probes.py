"""Probes of the server's environment: the DNS, the relay, the mailbox, its own pages, the clock, the disk.

Each is asked with a deadline, and answers with a sentence where it cannot.
"""

from __future__ import annotations

import ctypes
import shutil
import socket
import urllib.request
from imaplib import IMAP4
from pathlib import Path
from typing import Literal, Protocol

from dns.exception import DNSException
from dns.resolver import NXDOMAIN, NoAnswer, resolve
from imap_tools.errors import ImapToolsError, MailboxLoginError

from server.configuration.endpoints import Endpoint, ImapMailbox, Relay
from server.delivery.transports import SmtpTransport
from server.inbox import imap

PATIENCE = 10.0
MOST_READ = 100
"""Bytes of a page of ours."""
NOT_SYNCHRONISED = 5
"""What `adjtimex` says of a clock that nobody sets right (TIME_ERROR)."""

RecordType = Literal["MX", "TXT"]
PASSWORD_ADVICE = "set user and password in ALEXANDROS_MAIL_IN; some providers have one for programs"


class Unreachable(Exception):
    """Something that does not answer; the sentence says why, and `advice` what can be done."""

    def __init__(self, sentence: str, advice: str = "") -> None:
        super().__init__(sentence)
        self.advice = advice


class EnvironmentProbes(Protocol):
    """What can be asked of the world; each raises `Unreachable`."""

    def look_up(self, name: str, kind: RecordType) -> list[str]:
        """The records that a name has in the DNS, each as text."""

    def greet_relay(self, relay: Relay) -> str:
        """How the relay can be spoken with: its TLS."""

    def open_mailbox(self, box: ImapMailbox) -> float | None:
        """Open the folders of a mailbox; the part of its room that is used, where that is known."""

    def connect(self, at: Endpoint) -> None:
        """See that somebody listens."""

    def fetch(self, url: str) -> str:
        """The beginning of a page."""

    def is_clock_set(self) -> bool | None:
        """Whether something keeps the clock right; None where the system does not say."""

    def free_bytes(self, path: str) -> int:
        """What is free on the disk of a file."""


class LiveProbes:
    """The world as it is."""

    def look_up(self, name: str, kind: RecordType) -> list[str]:
        """Ask the resolvers of this machine; the name is whole."""
        try:
            found = resolve(name, kind, search=False, lifetime=PATIENCE)
        except (NXDOMAIN, NoAnswer):
            return []
        except (DNSException, OSError) as error:
            raise Unreachable(f"the DNS gives no answer about {name}: {error}") from None
        if kind == "MX":
            return [str(one.exchange).rstrip(".") for one in found]
        return [b"".join(one.strings).decode("ascii", "replace") for one in found]

    def greet_relay(self, relay: Relay) -> str:
        """Begin a conversation as letters do: connect, TLS, user and password."""
        transport = SmtpTransport(relay, PATIENCE)
        try:
            transport.probe()
            return transport.tls_version
        finally:
            transport.close()

    def open_mailbox(self, box: ImapMailbox) -> float | None:
        """Do what is done before mail is fetched: connect, begin TLS, sign in, open and make folders."""
        try:
            with imap.open_mailbox(box, PATIENCE) as opened:
                imap.ensure_folders(opened)
                return imap.measure_quota(opened, box.folder)
        except (OSError, IMAP4.error, ImapToolsError, imap.MailboxUnavailable) as error:
            advice = PASSWORD_ADVICE if isinstance(error, MailboxLoginError) else ""
            raise Unreachable(imap.describe_error(box, error), advice) from None

    def connect(self, at: Endpoint) -> None:
        """Connect and hang up."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(at.host, at.host)
        try:
            socket.create_connection((host, at.port), PATIENCE).close()
        except OSError as error:
            raise Unreachable(f"nobody listens at {at}: {error}") from None

    def fetch(self, url: str) -> str:
        """Ask for a page, as anybody does."""
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as page:  # the address is a setting
                said: bytes = page.read(MOST_READ)
        except (OSError, ValueError) as error:
            raise Unreachable(f"{url}: {error}") from None
        return said.decode("utf-8", "replace").strip()

    def is_clock_set(self) -> bool | None:
        """Ask the kernel, which those tell that set the clock."""
        try:
            state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512))
        except (OSError, AttributeError):
            return None
        return None if state < 0 else state != NOT_SYNCHRONISED

    def free_bytes(self, path: str) -> int:
        """Ask the system."""
        try:
            return shutil.disk_usage(Path(path).absolute().parent).free
        except OSError as error:
            raise Unreachable(f"{path}: {error}") from None
