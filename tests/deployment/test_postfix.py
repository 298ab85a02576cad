"""Postfix as config/mail sets it up, before our server with the settings of config/systemd.

What differs here: ports, paths, the certificate, and the world outside, which is one sink for all letters.
The filters are left out; test_filters.py has them.
"""

import os
import smtplib
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.utils import parseaddr
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from tests.certificates import make_certificate
from tests.deployment.shipped import environment_file, text, with_changes
from tests.judges.court import missing, program
from tests.ports import free_ports
from tests.post.town import PATIENCE, Town, found_postfix, running
from tests.server.test_serving import alexandros, served

pytestmark = pytest.mark.breadth

DEBIANS = Path("/usr/share/postfix/master.cf.dist")
HERE = """
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
lmtp_host_lookup = native
smtp_host_lookup = native
relayhost = [127.0.0.1]:{world}
"""


@dataclass
class Sink:
    """Takes each mail, and keeps it byte by byte for each of its recipients."""

    mails: list[tuple[str, bytes]] = field(default_factory=list)
    came: threading.Condition = field(default_factory=threading.Condition)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        with self.came:
            self.mails += [(recipient, envelope.content) for recipient in envelope.rcpt_tos]
            self.came.notify_all()
        return "250 taken"

    def await_mails(self, fits: Callable[[], bool]) -> None:
        with self.came:
            assert self.came.wait_for(fits, PATIENCE)

    def number(self, index: int) -> bytes:
        """The mail with this number, as soon as it has come."""
        self.await_mails(lambda: len(self.mails) > index)
        return self.mails[index][1]

    def to(self, address: str) -> list[bytes]:
        return [mail for to, mail in self.mails if to == address]


@dataclass(frozen=True)
class Place:
    """Postfix, our server and the world."""

    town: Town
    world: Sink
    given: dict[str, str]
    listener: int

    def replies(self, *recipients: str, mail: bytes | None = None) -> list[tuple[int, str]]:
        """What a stranger's mail server is told: of each recipient, then of the mail if one was taken.

        Told to come again it does, as long as it must while a machine is busy.
        """
        told: list[tuple[int, str]] = []
        with smtplib.SMTP(
            "127.0.0.1", self.town.smtp, "away.example.com", PATIENCE, ("127.0.0.2", 0)
        ) as line:
            line.ehlo()
            line.mail("forged@example.com")
            for recipient in recipients:
                until = time.monotonic() + PATIENCE
                while (answer := line.rcpt(recipient))[0] == 450 and time.monotonic() < until:
                    pass
                told.append((answer[0], answer[1].decode()))
            if mail is not None and any(code == 250 for code, _ in told):
                code, words = line.data(mail)
                told.append((code, words.decode()))
        return told


@contextmanager
def postfix(listener: int, world: int, **changes: str) -> Iterator[Town]:
    """Postfix by our main.cf and Debian's master.cf; `changes`: what is made wrong."""
    with TemporaryDirectory(prefix="postfix-") as name:  # its own user has to get there
        yield from _postfix(Path(name), listener, world, changes)


def _postfix(folder: Path, listener: int, world: int, changes: dict[str, str]) -> Iterator[Town]:
    postconf = program("postconf", "/usr/sbin/postconf", package="postfix")
    if os.geteuid() != 0 or not DEBIANS.exists():
        missing("this needs Debian's Postfix, and root to start it")
    folder.chmod(0o755)
    (smtp,) = free_ports(1)
    make_certificate(folder, "mx")
    here = {
        "lmtp:inet:127.0.0.1:8024": f"lmtp:inet:127.0.0.1:{listener}",
        "/etc/ssl/mx": f"{folder}/mx",
        "/etc/postfix/header_checks": f"{folder}/header_checks",
        "smtpd_milters = inet:127.0.0.1:8891, inet:127.0.0.1:8893\n": "",
        "non_smtpd_milters = inet:127.0.0.1:8891\n": "",
    }
    (folder / "header_checks").write_text(text("mail/header_checks"))
    main = with_changes("mail/main.cf", here | changes) + HERE.format(folder=folder, world=world)
    rows = [line.split() for line in DEBIANS.read_text().splitlines() if line[:1] not in ("#", " ", "")]
    master = "".join(
        " ".join([f"127.0.0.1:{smtp}" if row[:2] == ["smtp", "inet"] else row[0], *row[1:4], "n", *row[5:]])
        + "\n"
        for row in rows
        if row[7] not in ("pickup", "pipe")
    )
    found_postfix(folder, main, master)
    town = Town(folder, smtp, 0, 0, 0)
    daemons = subprocess.check_output([postconf, "-dh", "daemon_directory"], text=True).strip()
    with running([f"{daemons}/master", "-d", "-c", f"{folder}/postfix"], [smtp], town):
        yield town


@contextmanager
def world() -> Iterator[tuple[Sink, int]]:
    """Everybody outside, and the port at which they take letters."""
    built, (port,) = Sink(), free_ports(1)
    controller = Controller(built, "127.0.0.1", port)
    controller.start()
    try:
        yield built, port
    finally:
        controller.stop()


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("server")
    pages, listener = free_ports(2)
    with ExitStack() as stack:
        outside, port = stack.enter_context(world())
        town = stack.enter_context(postfix(listener, port))
        given = environment_file() | {
            "ALEXANDROS_DATABASE": f"sqlite:///{folder}/games.db",
            "ALEXANDROS_LISTEN": f"127.0.0.1:{pages}",
            "ALEXANDROS_MAIL_IN": f"lmtp://127.0.0.1:{listener}",
            "ALEXANDROS_MAIL_OUT": f"smtp://127.0.0.1:{town.smtp}",
            "ALEXANDROS_SECRET": "a secret of more than sixteen letters",
            "ALEXANDROS_TICK": "0.5",
            "ALEXANDROS_HOUSE_SECONDS": "0",
        }
        process = stack.enter_context(alexandros("serve", folder=folder, environment=given))
        served(process, f"http://127.0.0.1:{pages}/livez")
        seats = ("--seat", "Anna <anna@example.com>", "--seat", "house:easy")
        with alexandros("new", "--name", "Friday", *seats, folder=folder, environment=given) as opening:
            assert opening.wait(PATIENCE) == 0, opening.communicate()
        yield Place(town, outside, given, listener)


def test_who_writes_to_nobody_is_refused_while_they_wait(place: Place) -> None:
    for stranger in ("nobody@example.org", f"play+{'a2b3' * 10}@example.org"):
        ((code, words),) = place.replies(stranger)
        assert (code, "there is no such address here" in words) == (550, True), words
        assert "127.0.0.1" not in words
    assert place.replies("anna@example.net")[0][0] == 554
    assert not place.world.to("forged@example.com"), "nothing is sent back"


def test_what_is_written_to_postmaster_and_abuse_reaches_the_operator(place: Place) -> None:
    for address in ("postmaster@example.org", "abuse@example.org", "postmaster"):
        mail = f"From: ben@example.com\r\nTo: {address}\r\nSubject: {address}\r\n\r\nHelp!\r\n".encode()
        assert [code for code, _ in place.replies(address, mail=mail)] == [250, 250]
    place.world.await_mails(lambda: len(place.world.to(place.given["ALEXANDROS_OPERATOR"])) == 3)


def test_what_this_machine_writes_to_root_reaches_the_operator(place: Place) -> None:
    """As cron does: to root, without a domain."""
    with smtplib.SMTP("127.0.0.1", place.town.smtp, "localhost", PATIENCE) as line:
        line.sendmail("root", "root", "From: root\r\nTo: root\r\nSubject: Cron\r\n\r\nThe disk is full.\r\n")
    operator = place.given["ALEXANDROS_OPERATOR"]
    place.world.await_mails(lambda: any(b"Subject: Cron" in mail for mail in place.world.to(operator)))


def test_a_letter_goes_out_and_its_answer_comes_in(place: Place) -> None:
    place.world.await_mails(lambda: place.world.to("anna@example.com") != [])
    letter = message_from_bytes(place.world.to("anna@example.com")[-1], policy=policy.default)
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert letter["Feedback-ID"].endswith(":alexandros")
    back = parseaddr(letter["Reply-To"])[1]
    mail = (
        f"From: anna@example.com\r\nTo: {back}\r\nSubject: Re: {letter['Subject']}\r\n"
        f"Message-ID: <1@example.com>\r\nIn-Reply-To: {letter['Message-ID']}\r\n\r\nyes\r\n"
    ).encode()
    before = len(place.world.mails)
    assert [code for code, _ in place.replies(back, mail=mail)] == [250, 250]
    place.world.await_mails(lambda: len(place.world.mails) > before)


def test_tls_is_offered(place: Place) -> None:
    with smtplib.SMTP("127.0.0.1", place.town.smtp, timeout=PATIENCE) as line:
        line.ehlo()
        assert line.starttls(context=ssl._create_unverified_context())[0] == 220
        assert not line.has_extn("vrfy")


def test_a_mail_that_our_listener_would_not_take_is_refused_here(place: Place) -> None:
    with smtplib.SMTP("127.0.0.1", place.town.smtp, timeout=PATIENCE) as line:
        line.ehlo()
        assert line.docmd("MAIL FROM:<a@example.com> SIZE=3990000")[0] == 552


def test_while_our_server_is_away_nobody_is_refused_and_nothing_is_taken() -> None:
    nobody, unused = free_ports(2)
    with (
        postfix(nobody, unused) as town,
        smtplib.SMTP("127.0.0.1", town.smtp, None, PATIENCE, ("127.0.0.2", 0)) as line,
    ):
        line.ehlo()
        line.mail("ben@example.com")
        assert line.rcpt("postmaster@example.org")[0] == 450
