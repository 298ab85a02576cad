"""OpenDKIM and OpenDMARC beside Postfix, as config/mail sets them up: what is signed, what is judged."""

import re
import smtplib
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP

from emails.replies.headers import DmarcResult, own_values, parse_headers, read_dmarc_result
from server.configuration.network import Relay
from server.delivery.sending import send_due_letters
from server.delivery.transports import DeliveryFailed, SmtpTransport, choose_transport
from server.store.game_terms import SeatRequest
from tests.deployment.filters import filters
from tests.deployment.shipped import environment_file
from tests.deployment.test_postfix import postfix
from tests.faults.wires import Wire
from tests.ports import free_ports
from tests.post.town import PATIENCE
from tests.server.desk import NOON, desk, open_game

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
SPARES_SECOND = {
    "# smtpd_milter_maps = inline:{10.0.0.12=": f"smtpd_milter_maps = inline:{{{SECOND}=",
}
SIGNS_SECOND = {
    "InternalHosts           127.0.0.1\n": "",
    "# InternalHosts         127.0.0.1,10.0.0.12": f"InternalHosts         127.0.0.1,{SECOND}",
}
"""The lines for a second machine are taken in, the first two in main.cf, the last in opendkim.conf."""


class LmtpController(Controller):
    """A listener that speaks LMTP, as ours does."""

    def factory(self) -> LMTP:
        return LMTP(self.handler)


@dataclass
class Sink:
    """Takes each mail, byte by byte."""

    mails: list[bytes] = field(default_factory=list)
    came: threading.Condition = field(default_factory=threading.Condition)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        with self.came:
            self.mails.append(envelope.content)
            self.came.notify_all()
        return "250 taken"

    def number(self, index: int) -> bytes:
        """The mail with this number, as soon as it has come."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.mails) > index, PATIENCE)
            return self.mails[index]


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
        open_game(context, "Friday", seats, NOON, at_once=True)
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
        """What somebody elsewhere is told of a mail."""
        with smtplib.SMTP("127.0.0.1", self.smtp, "mx.example.com", PATIENCE) as line:
            line.ehlo()
            assert line.docmd(f"XCLIENT ADDR={STRANGER} NAME=[UNAVAILABLE]")[0] == 220
            line.ehlo()
            line.mail("somebody@example.com")
            assert line.rcpt("postmaster@example.org")[0] == 250
            return line.data(mail)


@contextmanager
def post(
    dkim: dict[str, str] | None = None,
    dmarc: dict[str, str] | None = None,
    main: dict[str, str] | None = None,
) -> Iterator[Post]:
    """All three, with a listener and a world; `dkim`, `dmarc`, `main`: what is changed in their files."""
    listener, world = Sink(), Sink()
    at, outside = free_ports(2)
    with ExitStack() as stack:
        for controller in (
            LmtpController(listener, "127.0.0.1", at),
            Controller(world, "127.0.0.1", outside),
        ):
            controller.start()
            stack.callback(controller.stop)
        asked = stack.enter_context(filters(dkim, dmarc))
        changes = asked.changes | TELLS_ADDRESS | (main or {}) | {"8891}": f"{asked.signs}}}"}
        town = stack.enter_context(postfix(at, outside, **changes))
        yield Post(town.smtp, listener, world)


@pytest.fixture(scope="module")
def place() -> Iterator[Post]:
    with post() as built:
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


def dmarc(mail: bytes) -> DmarcResult:
    """What our server reads of that."""
    return read_dmarc_result(parse_headers(mail), OURS)


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
    assert dmarc(came) is DmarcResult.PASS


@pytest.mark.parametrize("change", CHANGES)
def test_a_letter_that_is_changed_on_its_way_is_found_bad(place: Post, letter: bytes, change: str) -> None:
    came = place.bring(put(*CHANGES[change], letter))
    assert "dkim=fail" in verdicts(came)
    assert dmarc(came) is DmarcResult.FAIL


def test_a_letter_of_a_second_machine_leaves_signed_as_one_of_the_first(tmp_path_factory) -> None:
    with post(SIGNS_SECOND, None, TAKES_SECOND | SPARES_SECOND) as built, built.from_second() as second:
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
    assert dmarc(came).is_proof_lacking


def test_a_verdict_that_a_mail_brings_along_is_taken_away(place: Post) -> None:
    claimed = f"Authentication-Results: {OURS}; dmarc=pass header.from=example.com\r\n".encode()
    came = place.bring(FORGED % claimed)
    assert "dmarc=pass" not in came.decode()
    assert dmarc(came) is DmarcResult.FAIL


def test_what_a_domain_says_holds_for_those_below_it(place: Post) -> None:
    came = place.bring(FORGED.replace(b"@", b"@play.", 1) % b"")
    assert "header.from=play.example.com" in verdicts(came)
    assert dmarc(came) is DmarcResult.FAIL


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
