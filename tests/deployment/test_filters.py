"""OpenDKIM and OpenDMARC beside Postfix, as config/mail sets them up: what is signed, what is judged."""

import os
import re
import shutil
import signal
import smtplib
import socketserver
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from ipaddress import ip_address
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP

from emails.replies.parsed_mail import parse_headers
from emails.replies.screening import is_author_proven, own_values
from server.delivery.relay import DeliveryFailed, SmtpTransport, choose_transport
from server.delivery.sending import send_due_letters
from server.network import Relay
from server.store.game_terms import SeatRequest
from tests.deployment.shipped import environment_file, text, with_changes
from tests.deployment.test_postfix import Sink, postfix, world
from tests.faults.wires import Wire
from tests.judges.court import program
from tests.ports import free_ports
from tests.post.town import PATIENCE, Town, running
from tests.server.desk import NOON, desk

PORT = 53
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
def filters(dkim: dict[str, str]) -> Iterator[Filters]:
    """OpenDKIM and OpenDMARC by our files; `dkim`: what is changed in that of the first."""
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
        here = {"inet:8891@": f"inet:{signs}@", "/run/": f"{folder}/", "/etc/dkimkeys": f"{folder}/opendkim"}
        (folder / "opendkim.conf").write_text(
            with_changes("mail/opendkim.conf", here | dkim) + f"\nNameservers {address}\n"
        )
        here = {"inet:8893@": f"inet:{judges}@", "/run/": f"{folder}/"}
        (folder / "opendmarc.conf").write_text(with_changes("mail/opendmarc.conf", here))
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


pytestmark = pytest.mark.breadth

OURS = environment_file()["ALEXANDROS_MAIL_AUTHSERV"]
WAY_OUT = {"list-unsubscribe", "list-unsubscribe-post"}
STRANGER = "198.51.100.7"
"""An address elsewhere, which Postfix is told of (XCLIENT): SPF lets every address of this machine pass."""
TELLS_ADDRESS = {"smtpd_helo_required = yes\n": "smtpd_authorized_xclient_hosts = 127.0.0.1\n"}
"""What is changed in main.cf for that."""
SECOND = "127.0.0.2"
"""The address here that stands for a second machine's."""
TAKES_SECOND = {
    "mynetworks = 127.0.0.1/32 [::1]/128\n": "",
    "# mynetworks = 127.0.0.1/32 [::1]/128 10.0.0.12/32": f"mynetworks = 127.0.0.1/32 [::1]/128 {SECOND}/32",
}
SPARES_SECOND = {"# smtpd_milter_maps = inline:{10.0.0.12=": f"smtpd_milter_maps = inline:{{{SECOND}="}
SIGNS_SECOND = {
    "InternalHosts           127.0.0.1\n": "",
    "# InternalHosts         127.0.0.1,10.0.0.12": f"InternalHosts         127.0.0.1,{SECOND}",
}
"""The lines for a second machine are taken in, the first two in main.cf, the last in opendkim.conf."""


class LmtpController(Controller):
    """A listener that speaks LMTP, as ours does."""

    def factory(self) -> LMTP:
        return LMTP(self.handler)


@dataclass(frozen=True)
class Post:
    """Postfix with its filters: a port for the mails of everybody, and where they go."""

    smtp: int
    listener: Sink
    world: Sink

    def letter(self, folder) -> bytes:
        """A letter of a game, sent by our server, as the world gets it."""
        given = {"BASE_URL": "https://alexandros.example.org", "MAIL_OUT": f"smtp://127.0.0.1:{self.smtp}"}
        context = desk(folder, **{f"ALEXANDROS_{name}": value for name, value in given.items()})
        seats = [SeatRequest.read(one) for one in ("Anna <anna@example.net>", "house")]
        context.open_game("Friday", seats, NOON, at_once=True)
        before = len(self.world.mails)
        carrier = choose_transport(context, lambda: NOON)
        assert isinstance(carrier, SmtpTransport)
        with closing(carrier):
            send_due_letters(context, carrier, NOON)
        return self.world.number(before)

    @contextmanager
    def from_second(self) -> Iterator["Post"]:
        """The same for a second machine: who comes to this port comes from its address."""
        with closing(Wire(("127.0.0.1", self.smtp), SECOND)) as wire:
            yield replace(self, smtp=wire.port)

    def bring(self, mail: bytes) -> bytes:
        """A mail that somebody elsewhere sends us, as our listener gets it."""
        before = len(self.listener.mails)
        assert self.told(mail)[0] == 250
        return self.listener.number(before)

    def told(self, mail: bytes) -> tuple[int, bytes]:
        with smtplib.SMTP("127.0.0.1", self.smtp, "mx.example.com", PATIENCE) as line:
            line.ehlo()
            assert line.docmd(f"XCLIENT ADDR={STRANGER} NAME=[UNAVAILABLE]")[0] == 220
            line.ehlo()
            line.mail("somebody@example.com")
            assert line.rcpt("postmaster@example.org")[0] == 250
            return line.data(mail)


@contextmanager
def post(dkim: dict[str, str], main: dict[str, str]) -> Iterator[Post]:
    """All three, with a listener and a world; `dkim`, `main`: what is changed in their files."""
    listener, (at,) = Sink(), free_ports(1)
    controller = LmtpController(listener, "127.0.0.1", at)
    with world() as (outside, port), filters(dkim) as asked, ExitStack() as stack:
        controller.start()
        stack.callback(controller.stop)
        changes = asked.changes | TELLS_ADDRESS | main | {"8891}": f"{asked.signs}}}"}
        town = stack.enter_context(postfix(at, port, **changes))
        yield Post(town.smtp, listener, outside)


@pytest.fixture(scope="module")
def place() -> Iterator[Post]:
    with post({}, {}) as built:
        yield built


@pytest.fixture(scope="module")
def letter(place: Post, tmp_path_factory) -> bytes:
    return place.letter(tmp_path_factory.mktemp("letter"))


def signed(mail: bytes) -> list[str]:
    """The names in the tag h= of its only signature (RFC 6376, 3.5), each as often as it stands there."""
    (signature,) = message_from_bytes(mail).get_all("DKIM-Signature", [])
    tags = dict(tag.strip().split("=", 1) for tag in signature.split(";") if tag.strip())
    assert (tags["d"], tags["s"], tags["a"]) == ("example.org", "letters", "rsa-sha256")
    return [name.strip().lower() for name in tags["h"].split(":")]


def verdicts(mail: bytes) -> str:
    """What our mail server says of a mail, in one line."""
    return " ".join(" ".join(own_values(parse_headers(mail), OURS)).split())


def is_proven(mail: bytes) -> bool:
    return is_author_proven(parse_headers(mail), OURS)


def put(before: bytes, after: bytes, mail: bytes) -> bytes:
    """A mail in which something stands in the place of something else."""
    changed, number = re.subn(before, after, mail, count=1, flags=re.MULTILINE | re.IGNORECASE)
    assert number == 1, before
    return changed


CHANGES = {
    "the way out": (rb"^(List-Unsubscribe: <https://)", rb"\1evil."),
    "how it is pressed": (rb"^(List-Unsubscribe-Post: List-Unsubscribe=)", rb"\1Two-"),
    "another way out": (rb"^(List-Unsubscribe:)", rb"List-Unsubscribe: <https://evil.example.com/>\r\n\1"),
    "another way to press it": (rb"^(List-Unsubscribe-Post:)", rb"List-Unsubscribe-Post: no\r\n\1"),
    "its words": (rb"\r\n\r\n(?=[^\r])", rb"\r\n\r\nNot ours.\r\n"),
    "its subject": (rb"^Subject: ", rb"Subject: Not "),
}


def test_a_letter_of_the_server_leaves_signed_with_both_headers_of_the_way_out(letter: bytes) -> None:
    names = signed(letter)
    assert all(names.count(one) == 2 for one in WAY_OUT), "the second holds the place of one that is added"
    present = {name.lower() for name in message_from_bytes(letter)}
    assert WAY_OUT | {"from", "to", "subject", "date", "message-id", "feedback-id"} <= set(names) & present


def test_the_signature_is_found_good_by_who_gets_the_letter(place: Post, letter: bytes) -> None:
    came = place.bring(letter)
    assert "dkim=pass" in verdicts(came)
    assert "header.d=example.org" in verdicts(came)
    assert is_proven(came)


@pytest.mark.parametrize("change", CHANGES)
def test_a_letter_that_is_changed_on_its_way_is_found_bad(place: Post, letter: bytes, change: str) -> None:
    came = place.bring(put(*CHANGES[change], letter))
    assert "dkim=fail" in verdicts(came)
    assert not is_proven(came)


def test_a_letter_of_a_second_machine_leaves_signed_as_one_of_the_first(tmp_path_factory) -> None:
    with post(SIGNS_SECOND, TAKES_SECOND | SPARES_SECOND) as built, built.from_second() as second:
        letters = [one.letter(tmp_path_factory.mktemp("letter")) for one in (built, second)]
        first, other = (signed(one) for one in letters)
        assert other == first
        assert all("dkim=pass" in verdicts(built.bring(one)) for one in letters)
        assert not any(verdicts(one) for one in letters), "nobody judges what is our own"


def test_control_without_these_lines_no_letter_of_a_second_machine_is_taken(place: Post) -> None:
    with (
        place.from_second() as second,
        closing(SmtpTransport(Relay.read(f"smtp://127.0.0.1:{second.smtp}"))) as carrier,
        pytest.raises(DeliveryFailed, match="Relay access denied"),
    ):
        carrier.send("bounce@example.org", "anna@example.net", b"Subject: hello\r\n\r\nhello\r\n")


FORGED = b"From: ben@example.com\r\nTo: postmaster@example.org\r\nSubject: hello\r\n%s\r\nhello\r\n"


def test_a_mail_that_fails_is_taken_and_our_server_reads_that_it_failed(place: Post) -> None:
    """Its domain wants it refused (p=reject); the file says `RejectFailures false`."""
    came = place.bring(FORGED % b"")
    assert "dmarc=fail (p=reject" in verdicts(came)
    assert not is_proven(came)


def test_a_verdict_that_a_mail_brings_along_is_taken_away(place: Post) -> None:
    claimed = f"Authentication-Results: {OURS}; dmarc=pass header.from=example.com\r\n".encode()
    came = place.bring(FORGED % claimed)
    assert "dmarc=pass" not in came.decode()
    assert not is_proven(came)


def test_what_a_domain_says_holds_for_those_below_it(place: Post) -> None:
    came = place.bring(FORGED.replace(b"@", b"@play.", 1) % b"")
    assert "header.from=play.example.com" in verdicts(came)
    assert not is_proven(came)


def test_while_a_filter_is_away_nothing_is_taken() -> None:
    at, outside, nobody = free_ports(3)
    asked = "smtpd_milters = inet:127.0.0.1:8891, inet:127.0.0.1:8893\n"
    changes = {asked: f"smtpd_milters = inet:127.0.0.1:{nobody}\n"}
    with (
        postfix(at, outside, **changes) as town,
        smtplib.SMTP("127.0.0.1", town.smtp, None, PATIENCE) as line,
    ):
        line.ehlo()
        assert line.mail("alexandros@example.org")[0] == 451
