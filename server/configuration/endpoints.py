"""Where to listen and where to connect to: what the settings say of it, read and checked.

Each is read with a `ValueError` that says what is wrong, without the password.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv6Address, ip_address
from typing import Self
from urllib.parse import unquote

LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DOMAIN = re.compile(rf"(?!.{{254}}){LABEL}(\.{LABEL})*")
RELAY_URL = re.compile(r"(smtps?)://(?:([^:@/]+):([^:@/]+)@)?([^@/]+)")
IMAP_URL = re.compile(r"(imaps?)://([^:@/]+):([^:@/]+)@([^@/]+)(?:/(.*))?")
BAD_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")

INBOX_FOLDER, DONE_FOLDER, REFUSED_FOLDER = "INBOX", "Done", "Refused"
"""The folders of a mailbox: where mail arrives, unless another is named, and where it is put then."""
MAILBOX_KEPT_FOR = timedelta(days=7)
"""How long a mail is kept in the folders where it is put."""
LONGEST_FOLDER = 200
DEFAULT_IMAP_PORTS = {"imap": 143, "imaps": 993}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host and a port to listen at or to connect to; an IPv6 address stands without its brackets."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `host:port`, IPv6 addresses in brackets; raises `ValueError` with what is wrong."""
        host, colon, port = text.rpartition(":")
        if not colon or not host:
            raise ValueError("does not name a host and a port")
        if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
            raise ValueError("names a port that is no number from 1 to 65535")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
            if not _is_ipv6(host):
                raise ValueError("has no IPv6 address between its brackets")
        elif not DOMAIN.fullmatch(host):
            raise ValueError("names a host that is none (an IPv6 address stands in brackets)")
        return cls(host, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this very machine, so that nobody can listen in on the way."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class Relay:
    """The server that takes our letters further."""

    at: Endpoint
    tls: bool
    """Whether TLS comes before all else; if not it is begun with STARTTLS, where that is offered."""
    user: str = ""
    """Empty: it wants none."""
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `smtp://user:password@host:port` or the same with `smtps`; raises `ValueError`."""
        found = RELAY_URL.fullmatch(text)
        if not found:
            raise ValueError("is neither local nor an address of the form smtp://user:password@host:port")
        scheme, user, password, at = found.groups(default="")
        user, password = _decode_credentials(user, password)
        return cls(Endpoint.read(at), scheme == "smtps", user, password)


@dataclass(frozen=True, slots=True)
class ListenEndpoint:
    """Where mail servers bring us mail."""

    at: Endpoint
    lmtp: bool = False
    """Whether they speak LMTP (RFC 2033): then each recipient has an answer of its own."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `smtp://host:port` or `lmtp://host:port`; raises `ValueError`."""
        scheme, _, at = text.partition("://")
        return cls(Endpoint.read(at), scheme == "lmtp")


@dataclass(frozen=True, slots=True)
class ImapMailbox:
    """A mailbox that our mail is delivered to, and we fetch it there."""

    at: Endpoint
    tls: bool
    """Whether TLS comes before all else; if not it is begun with STARTTLS, where that is offered."""
    user: str
    password: str = field(repr=False)
    folder: str = INBOX_FOLDER

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `imap://user:password@host:port/folder` or the same with `imaps`; raises `ValueError`."""
        found = IMAP_URL.fullmatch(text)
        if not found:
            raise ValueError("is no address of the form imaps://user:password@host/folder")
        scheme, user, password, at, folder = found.groups(default="")
        user, password = _decode_credentials(user, password)
        if not re.search(r":[^\]]*\Z", at):
            at += f":{DEFAULT_IMAP_PORTS[scheme]}"
        if BAD_PERCENT.search(folder):
            raise ValueError("has a % in its folder that is not written as %25")
        folder = unquote(folder, errors="replace") or INBOX_FOLDER
        if not folder.isprintable() or len(folder) > LONGEST_FOLDER:
            raise ValueError("names a folder that is none")
        if folder in (DONE_FOLDER, REFUSED_FOLDER):
            raise ValueError(f"names {folder}, the folder that mail is moved to")
        return cls(Endpoint.read(at), scheme == "imaps", user, password, folder)


def _decode_credentials(user: str, password: str) -> tuple[str, str]:
    """User and password as they are, from percent-encoding."""
    if BAD_PERCENT.search(user + password):
        raise ValueError("has a % in its user or password that is not written as %25")
    user, password = unquote(user), unquote(password)
    if not (user + password).isascii():
        raise ValueError("has a user or password that is not ASCII")
    return user, password


def _is_ipv6(text: str) -> bool:
    try:
        return IPv6Address(text).scope_id is None
    except ValueError:
        return False
