"""OpenDKIM and OpenDMARC beside Postfix, started from config/mail, with a DNS server of our own."""

import os
import re
import shutil
import signal
import socketserver
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory

import pytest

from tests.deployment.shipped import text, with_changes
from tests.judges.court import program
from tests.ports import free_ports
from tests.post.town import Town, running

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


ELSEWHERE = """
_dmarc IN TXT "v=DMARC1; p=reject"
@ IN TXT "v=spf1 -all"
"""
"""What example.com says of its mails: none is from here, and whatever is not proved is to be refused."""
IN_USE = """
smtpd_milters = inet:127.0.0.1:8891, inet:127.0.0.1:8893
non_smtpd_milters = inet:127.0.0.1:8891
"""
WRITTEN_BY_ROOT_ALONE = "/run"
"""OpenDKIM takes no key from below a folder in which everybody may write."""


@dataclass(frozen=True)
class Filters:
    """Where OpenDKIM and OpenDMARC listen, and whom they ask."""

    signs: int
    judges: int
    zones: Zones

    @property
    def changes(self) -> dict[str, str]:
        """What is to be changed in main.cf for a Postfix that asks them."""
        here = {"8891": str(self.signs), "8893": str(self.judges)}
        lines = [f"{line}\n" for line in IN_USE.split("\n") if line]
        return {line: re.sub("889[13]", lambda port: here[port[0]], line) for line in lines}


@contextmanager
def filters(dkim: dict[str, str] | None = None, dmarc: dict[str, str] | None = None) -> Iterator[Filters]:
    """OpenDKIM and OpenDMARC by our files; `dkim` and `dmarc`: what is made wrong in them."""
    opendkim = program("opendkim", "/usr/sbin/opendkim", package="opendkim")
    opendmarc = program("opendmarc", "/usr/sbin/opendmarc", package="opendmarc")
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("the filters change their user, and see their own resolv.conf: root alone can do that")
    signs, judges = free_ports(2)
    address = f"127.0.53.{SystemRandom().randint(1, 254)}"
    with TemporaryDirectory(prefix="filters-", dir=WRITTEN_BY_ROOT_ALONE) as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        town = Town(folder, 0, 0, 0, 0)
        for user in ("opendkim", "opendmarc"):
            (folder / user).mkdir(mode=0o700)
            shutil.chown(folder / user, user)
        (folder / "resolv.conf").write_text(f"nameserver {address}\noptions edns0\n")
        here = {
            "inet:8891@": f"inet:{signs}@",
            "/run/": f"{folder}/",
            "/etc/dkimkeys": f"{folder}/opendkim",
        }
        (folder / "opendkim.conf").write_text(
            with_changes("mail/opendkim.conf", here | (dkim or {})) + f"\nNameservers {address}\n"
        )
        here = {"inet:8893@": f"inet:{judges}@", "/run/": f"{folder}/"}
        (folder / "opendmarc.conf").write_text(with_changes("mail/opendmarc.conf", here | (dmarc or {})))
        zones = Zones()
        key = {'"v=DKIM1; k=rsa; p=REPLACED"': new_key(folder)}
        zones.read(with_changes("mail/dns.zone", key), "example.org")
        zones.read(ELSEWHERE, "example.com")
        stack.enter_context(dns_server(address, zones))
        for command, port in (
            ([opendkim, "-f", "-x", f"{folder}/opendkim.conf"], signs),
            ([opendmarc, "-f", "-c", f"{folder}/opendmarc.conf"], judges),
        ):
            asks_us = _with_names_of(folder, command)
            stack.enter_context(
                running(asks_us, [port], town, signal.SIGKILL)
            )  # it heeds no other for seconds
        yield Filters(signs, judges, zones)


def new_key(folder: Path) -> str:
    """Make a key as config/mail/README.md says; gives the strings of its record."""
    program("opendkim-genkey", "/usr/sbin/opendkim-genkey", package="opendkim-tools")
    (command,) = re.findall(r"`(opendkim-genkey [^`]+)`", text("mail/README.md"))
    (owned,) = re.findall(r"`(chown opendkim: [^`]+)`", text("mail/README.md"))
    for one in (command, owned):
        typed = one.replace("/etc/dkimkeys", f"{folder}/opendkim")
        subprocess.run(["sh", "-eu", "-c", typed], check=True, capture_output=True)
    return " ".join(re.findall(r'"[^"]*"', (folder / "opendkim/letters.txt").read_text()))


def _with_names_of(folder: Path, command: list[str]) -> list[str]:
    """A command for which the resolv.conf of this folder is that of the machine."""
    mounted = f'mount --bind {folder}/resolv.conf /etc/resolv.conf && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", mounted, Path(command[0]).name, *command]
