"""A DNS server of our own at an address of this machine: it answers from zone files, and asks nobody."""

import re
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address

PORT = 53
"""Resolvers ask at no other."""
TYPES = {"A": 1, "MX": 15, "TXT": 16, "AAAA": 28}
NO_SUCH_NAME = 3
ROW = re.compile(r"^(\S+)\s+IN (A|AAAA|MX|TXT)\s+(.+)$", re.MULTILINE)


@dataclass
class Zones:
    """What is known, by name and type; and the names that were asked for."""

    records: dict[tuple[str, int], list[bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def read(self, zone: str, origin: str) -> None:
        """Take the records of a zone file, each of which stands in a line."""
        for owner, kind, value in ROW.findall(zone):
            name = origin if owner == "@" else f"{owner}.{origin}"
            self.records.setdefault((name, TYPES[kind]), []).append(_data(kind, value))

    def answer(self, question: bytes) -> bytes:
        """The response to a query (RFC 1035, section 4)."""
        labels, at = [], 12
        while length := question[at]:
            labels.append(question[at + 1 : at + 1 + length].decode("ascii", "replace").lower())
            at += length + 1
        name = ".".join(labels)
        self.asked.append(name)
        (kind,) = struct.unpack("!H", question[at + 1 : at + 3])
        found = self.records.get((name, kind), [])
        known = any(one == name or one.endswith(f".{name}") for one, _ in self.records)
        flags = 0x8580 | (0 if known else NO_SUCH_NAME)
        rows = [struct.pack("!HHHIH", 0xC00C, kind, 1, 60, len(data)) + data for data in found]
        return (
            struct.pack("!2sHHHHH", question[:2], flags, 1, len(rows), 0, 0)
            + question[12 : at + 5]
            + b"".join(rows)
        )


def _data(kind: str, value: str) -> bytes:
    """A value as it goes over the wire."""
    if kind == "TXT":
        text = "".join(re.findall(r'"([^"]*)"', value)).encode()
        parts = [text[at : at + 255] for at in range(0, len(text), 255)]
        return b"".join(bytes([len(part)]) + part for part in parts)
    if kind == "MX":
        preference, host = value.split()
        labels = b"".join(bytes([len(one)]) + one.encode() for one in host.rstrip(".").split("."))
        return struct.pack("!H", int(preference)) + labels + b"\0"
    return ip_address(value).packed


@contextmanager
def dns_server(address: str, zones: Zones) -> Iterator[None]:
    """The server, for as long as it is wanted; long answers go by UDP too, as EDNS allows."""

    class Answering(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            question, line = self.request
            line.sendto(zones.answer(question), self.client_address)

    with socketserver.ThreadingUDPServer((address, PORT), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
