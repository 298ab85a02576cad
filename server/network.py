"""Network addresses: endpoints to listen on or connect to, and networks that count as one visitor."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self
from urllib.parse import unquote

LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DOMAIN = re.compile(rf"(?!.{{254}}){LABEL}(\.{LABEL})*")
RELAY_URL = re.compile(r"(smtps?)://(?:([^:@/]+):([^:@/]+)@)?([^@/]+)")
IMAP_URL = re.compile(r"(imaps?)://([^:@/]+):([^:@/]+)@([^@/]+)(?:/(.*))?")
BAD_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")

INBOX_FOLDER, DONE_FOLDER, REFUSED_FOLDER = "INBOX", "Done", "Refused"
MAILBOX_KEPT_FOR = timedelta(days=7)
"""Storage period of processed and refused mail in the IMAP mailbox."""
LONGEST_FOLDER = 200
DEFAULT_IMAP_PORTS = {"imap": 143, "imaps": 993}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host and a port to listen on or connect to. An IPv6 host has no brackets."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse `host:port`, with IPv6 addresses in brackets. Raises `ValueError`."""
        host, colon, port = text.rpartition(":")
        if not colon or not host:
            raise ValueError("does not name a host and a port")
        if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
            raise ValueError("names a port that is not a number from 1 to 65535")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
            if not _is_ipv6(host):
                raise ValueError("has no IPv6 address between its brackets")
        elif not DOMAIN.fullmatch(host):
            raise ValueError("does not name a valid host (put an IPv6 address in brackets)")
        return cls(host, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class Relay:
    at: Endpoint
    tls: bool
    """Whether TLS begins with the connection. If False, STARTTLS is used where the relay offers it."""
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse `smtp://user:password@host:port` or `smtps://...`. Raises `ValueError`."""
        found = RELAY_URL.fullmatch(text)
        if not found:
            raise ValueError("is neither local nor an address of the form smtp://user:password@host:port")
        scheme, user, password, at = found.groups(default="")
        user, password = _decode_credentials(user, password)
        return cls(Endpoint.read(at), scheme == "smtps", user, password)


@dataclass(frozen=True, slots=True)
class ListenEndpoint:
    at: Endpoint
    lmtp: bool = False

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse `smtp://host:port` or `lmtp://host:port`. Raises `ValueError`."""
        scheme, _, at = text.partition("://")
        return cls(Endpoint.read(at), scheme == "lmtp")


@dataclass(frozen=True, slots=True)
class ImapMailbox:
    """An IMAP mailbox from which incoming mail is fetched."""

    at: Endpoint
    tls: bool
    user: str
    password: str = field(repr=False)
    folder: str = INBOX_FOLDER

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse `imap://user:password@host:port/folder` or `imaps://...`. Raises `ValueError`."""
        found = IMAP_URL.fullmatch(text)
        if not found:
            raise ValueError("is not an address of the form imaps://user:password@host/folder")
        scheme, user, password, at, folder = found.groups(default="")
        user, password = _decode_credentials(user, password)
        if not re.search(r":[^\]]*\Z", at):
            at += f":{DEFAULT_IMAP_PORTS[scheme]}"
        if BAD_PERCENT.search(folder):
            raise ValueError("has a % in its folder that is not written as %25")
        folder = unquote(folder, errors="replace") or INBOX_FOLDER
        if not folder.isprintable() or len(folder) > LONGEST_FOLDER:
            raise ValueError("does not name a valid folder")
        if folder in (DONE_FOLDER, REFUSED_FOLDER):
            raise ValueError(f"names {folder}, the folder that mail is moved to")
        return cls(Endpoint.read(at), scheme == "imaps", user, password, folder)


def _decode_credentials(user: str, password: str) -> tuple[str, str]:
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


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

IPV4_PREFIX, IPV6_PREFIX = 24, 48

INTERNAL = tuple(
    ip_network(text)
    for text in (
        *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
        *("::1/128", "fc00::/7", "fe80::/10"),
    )
)
"""Networks that are not public: loopback, private, link-local and carrier-grade NAT."""


def parse_address(text: str) -> Address | None:
    """Parse an IP address; convert an IPv4-mapped IPv6 address to IPv4. Return None for other texts."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def network_of(text: str) -> str:
    """Return the network of an IP address, such as 192.0.2.0/24. Other texts are returned unchanged.

    For limits on requests, all addresses of a network count as one visitor.
    """
    found = parse_address(text)
    if found is None:
        return text
    prefix = IPV4_PREFIX if isinstance(found, IPv4Address) else IPV6_PREFIX
    return str(ip_network((found, prefix), strict=False))


def parse_network(text: str) -> Network:
    """Parse a network in CIDR notation; address bits after the prefix are ignored. Raises `ValueError`.

    IPv4-mapped IPv6 networks become IPv4 networks.
    """
    found = ip_network(text, strict=False)
    inside = found.network_address.ipv4_mapped if isinstance(found, IPv6Network) else None
    return found if inside is None or found.prefixlen < 96 else ip_network((inside, found.prefixlen - 96))


def is_narrow(network: Network) -> bool:
    return network.prefixlen > (IPV4_PREFIX if isinstance(network, IPv4Network) else IPV6_PREFIX)


def is_within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)


def read_networks(text: str) -> tuple[Network, ...]:
    found = []
    for part in text.split(","):
        try:
            network = ip_network(part.strip())
        except ValueError:
            raise ValueError(
                f"names {part.strip() or 'nothing'}, which is neither an address nor a network"
            ) from None
        if not network.prefixlen:
            raise ValueError("names a network that holds every address")
        found.append(network)
    return tuple(found)
