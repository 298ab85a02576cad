"""What the DNS says of a name, asked of the machine's own resolver over TCP (RFC 1035, RFC 7766).

The standard library asks for addresses and names alone, and first /etc/hosts, of which the world knows
nothing. What comes back is bounded, and read as from anybody.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
import struct
from enum import IntEnum
from pathlib import Path
from typing import assert_never

RESOLV_CONF = Path("/etc/resolv.conf")
PORT, PATIENCE = 53, 5.0
MOST_JUMPS = 32
"""Pointers that one name may follow."""
MOST_RECORDS = 100
RECURSION_WANTED, IS_INTERNET = 0x0100, 1
NO_ERROR, NO_SUCH_NAME = 0, 3


class RecordType(IntEnum):
    """A kind of record, by its number."""

    A = 1
    PTR = 12
    MX = 15
    TXT = 16
    AAAA = 28


class LookupFailed(Exception):
    """The resolver gives no answer; the sentence says why."""


def look_up(name: str, kind: RecordType, servers: tuple[str, ...] | None = None) -> list[str]:
    """The records of a name, each as text: of MX the hosts, the best first; empty where there are none.

    Raises `LookupFailed`.
    """
    why = "no resolver is set in /etc/resolv.conf"
    for server in _own_servers() if servers is None else servers:
        try:
            return _query_server(server, name, kind)
        except (OSError, ValueError, struct.error, IndexError) as error:
            why = f"the resolver {server} gives no answer: {error}"
    raise LookupFailed(why)


def _own_servers() -> tuple[str, ...]:
    """The resolvers of this machine."""
    try:
        lines = RESOLV_CONF.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    return tuple(line.split()[1] for line in lines if line.startswith("nameserver") and line.split()[1:])


def _query_server(server: str, name: str, kind: RecordType) -> list[str]:
    number = secrets.randbelow(1 << 16)
    query = struct.pack("!6H", number, RECURSION_WANTED, 1, 0, 0, 0) + _write_name(name)
    query += struct.pack("!2H", kind, IS_INTERNET)
    host, _, port = server.partition("#")
    with socket.create_connection((host, int(port or PORT)), PATIENCE) as connection:
        connection.sendall(struct.pack("!H", len(query)) + query)
        (length,) = struct.unpack("!H", _receive(connection, 2))
        return read_answer(_receive(connection, length), number, kind)


def _receive(connection: socket.socket, length: int) -> bytes:
    """So many bytes; raises `ValueError` where the other side ends before."""
    found = b""
    while len(found) < length:
        part = connection.recv(length - len(found))
        if not part:
            raise ValueError("it broke off")
        found += part
    return found


def _write_name(name: str) -> bytes:
    labels = name.rstrip(".").encode("idna").split(b".")
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def read_answer(message: bytes, number: int, kind: RecordType) -> list[str]:
    """The records of an answer to a question; raises `ValueError` where it is none, or says no."""
    found, flags, questions, answers, *_ = struct.unpack_from("!6H", message)
    if found != number:
        raise ValueError("it answers another question")
    if flags & 15 == NO_SUCH_NAME:
        return []
    if flags & 15 != NO_ERROR:
        raise ValueError(f"it says error {flags & 15}")
    at, records = 12, list[tuple[int, str]]()
    for _ in range(questions):
        at = _read_name(message, at)[1] + 4
    for _ in range(min(answers, MOST_RECORDS)):
        at = _read_name(message, at)[1]
        one, _, _, length = struct.unpack_from("!2HIH", message, at)
        at += 10
        if one == kind:
            records.append(_read_record(message, at, length, kind))
        at += length
    return [text for _, text in sorted(records, key=lambda one: one[0])]


def _read_record(message: bytes, at: int, length: int, kind: RecordType) -> tuple[int, str]:
    """A record as text, with its preference."""
    match kind:
        case RecordType.A:
            return 0, str(ipaddress.IPv4Address(message[at : at + length]))
        case RecordType.AAAA:
            return 0, str(ipaddress.IPv6Address(message[at : at + length]))
        case RecordType.PTR:
            return 0, _read_name(message, at)[0]
        case RecordType.MX:
            (preference,) = struct.unpack_from("!H", message, at)
            return preference, _read_name(message, at + 2)[0]
        case RecordType.TXT:
            return 0, _read_text(message, at, at + length)
        case _:
            assert_never(kind)


def _read_text(message: bytes, at: int, end: int) -> str:
    """A text, which comes in pieces."""
    words = b""
    while at < end:
        words += message[at + 1 : at + 1 + message[at]]
        at += 1 + message[at]
    return words.decode("ascii", "replace")


def _read_name(message: bytes, at: int) -> tuple[str, int]:
    """A name, and where what follows it begins. Raises `ValueError`, `IndexError`."""
    labels, end = list[str](), 0
    for _ in range(MOST_JUMPS * 4):
        length = message[at]
        if length >= 192:
            end = end or at + 2
            at = struct.unpack_from("!H", message, at)[0] & 0x3FFF
        elif length:
            labels.append(message[at + 1 : at + 1 + length].decode("ascii", "replace"))
            at += 1 + length
        else:
            return ".".join(labels).lower(), end or at + 1
    raise ValueError("it sends a name without an end")
