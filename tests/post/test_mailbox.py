"""Our ways in beside real neighbours: the collector and Dovecot, the listener and Postfix."""

import logging
import smtplib
import time
from collections.abc import Callable
from dataclasses import replace
from logging.handlers import QueueHandler
from queue import Queue

import pytest

from server.inbox.imap import ImapFetcher
from server.inbox.smtp import SmtpListener, SmtpPolicy
from server.network import Endpoint, ImapMailbox
from tests.ports import free_ports
from tests.post.town import PATIENCE, Town, folders, town

pytestmark = pytest.mark.breadth

DOMAIN = "play.example.org"
MAIL = b"From: anna@example.org\r\nMessage-ID: <1@client.example.org>\r\n\r\ndraw\r\n"
Taken = Queue[tuple[str, str, bytes]]


def bring(place: Town, *recipients: str, sender: str = "anna@example.org") -> None:
    with smtplib.SMTP("127.0.0.1", place.smtp, timeout=PATIENCE) as smtp:
        assert smtp.sendmail(sender, recipients, MAIL) == {}


def until(fits: Callable[[], bool], place: Town) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if fits():
            return
        folders(place)  # which takes a moment
    raise AssertionError(place.log()[-3000:])


@pytest.mark.parametrize(("prefix", "separator", "tls"), [("", "/", True), ("INBOX.", ".", False)])
def test_a_mailbox_is_emptied_over_tls_or_with_it_begun_later(
    prefix: str, separator: str, tls: bool, caplog: pytest.LogCaptureFixture
) -> None:
    taken: Taken = Queue()
    with town(prefix=prefix, separator=separator) as place:
        box = ImapMailbox.read(place.setting)
        if tls:
            box = replace(box, at=Endpoint("127.0.0.1", place.imaps), tls=True)
        bring(place, f"play+a@{DOMAIN}", f"stop+b@{DOMAIN}")
        until(lambda: len(folders(place)["INBOX"]) == 2, place)
        collector = ImapFetcher(box, DOMAIN, lambda *mail: taken.put(mail), bool)
        collector.start()
        before = sorted(taken.get(timeout=PATIENCE)[:2] for _ in range(2))
        bring(place, f"play+c@{DOMAIN}", sender="")
        sender, recipient, raw = taken.get(timeout=PATIENCE)
        until(lambda: len(folders(place)[f"{prefix}Done"]) == 3, place)
        collector.stop()
        assert before == [("anna@example.org", f"play+a@{DOMAIN}"), ("anna@example.org", f"stop+b@{DOMAIN}")]
        assert (sender, recipient) == ("", f"play+c@{DOMAIN}")
        assert raw.endswith(b"\r\n\r\ndraw\r\n")
        assert folders(place)["INBOX"] == folders(place)[f"{prefix}Refused"] == []
        assert any("Login: user=<box@" in line and "TLS" in line for line in place.log().splitlines())
    assert not caplog.messages


def test_a_password_that_dovecot_refuses_is_told_in_one_sentence(caplog: pytest.LogCaptureFixture) -> None:
    told: Queue[logging.LogRecord] = Queue()
    handler = QueueHandler(told)
    logging.getLogger("server.inbox.imap").addHandler(handler)
    with town() as place:
        box = replace(ImapMailbox.read(place.setting), password="hunter2")
        collector = ImapFetcher(box, DOMAIN, lambda *_: None, bool)
        collector.start()
        told.get(timeout=PATIENCE)
        collector.stop()
    logging.getLogger("server.inbox.imap").removeHandler(handler)
    assert caplog.messages[0].startswith(f"Mail cannot be fetched: {box.at} refused user or password: ")
    assert "hunter2" not in caplog.text


def test_postfix_sends_again_only_to_whom_we_could_not_store(caplog: pytest.LogCaptureFixture) -> None:
    """One mail to three by LMTP, one of whom cannot be stored at first: nobody gets it twice."""
    taken: Taken = Queue()
    tried: list[str] = []
    (port,) = free_ports(1)

    def take_in(sender: str, recipient: str, raw: bytes, network: str = "") -> None:
        tried.append(recipient)
        if tried.count(recipient) == 1 and recipient.startswith("stop+"):
            raise RuntimeError("not now")
        taken.put((sender, recipient, raw))

    listener = SmtpListener(Endpoint("127.0.0.1", port), SmtpPolicy(DOMAIN, bool, lmtp=True), take_in)
    listener.start()
    with town(ours=port) as place, caplog.at_level(logging.CRITICAL):
        bring(place, *(f"{door}@{DOMAIN}" for door in ("play+a", "stop+b", "confirm+c")))
        mails = [taken.get(timeout=PATIENCE) for _ in range(3)]
        until(lambda: not place.waiting(), place)
        assert place.log().count("status=deferred") == 1
        assert place.log().count("status=sent") == 3
    listener.stop()
    assert sorted(tried) == [f"{door}@{DOMAIN}" for door in ("confirm+c", "play+a", "stop+b", "stop+b")]
    assert sorted(mail[1] for mail in mails) == [
        f"{door}@{DOMAIN}" for door in ("confirm+c", "play+a", "stop+b")
    ]
    assert taken.empty()
