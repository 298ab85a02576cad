"""Letters and links that version 0.1 has sent still lead somewhere, and the letters that waited leave.

`sent_before/` holds a database of commit 7aa88f80 (schema 0017) with running, finished, open and proposed
games, waiting letters, plans and absences, and the letters that its readers have: each kind,
sent over ten days in March 2026. It stays as it is; each later program has to open it.
"""

from __future__ import annotations

import json
import lzma
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlmodel import col, select

from server.cli import main
from server.configuration.settings import Settings
from server.inbox.intake import store_mail
from server.store.context import open_context
from server.store.models import IncomingMail, OutgoingLetter
from server.store.states import LetterState, MailState
from tests.server.desk import Clock, Collector, work_until_idle
from tests.server.web.site import Site

pytestmark = pytest.mark.breadth

FOLDER = Path(__file__).parent / "sent_before"
SENT = json.loads(lzma.decompress((FOLDER / "letters.json.xz").read_bytes()))
LETTERS = SENT["letters"]
ANSWERS = {"refused": "1", "asked_back": "yes", "invitation": "yes", "motion": "yes", "seat_claim": "yes"}
"""What a reader answers to a kind of letter; to all others with the first turn that it offers."""
SHORT_LIVED = ("/s/", "/c/", "/n/", "/u/")
"""Links that had ended when the last letter was sent: of days ago, or of a game that was proposed alone."""


def service(folder: Path, secret: str = SENT["secret"]) -> Site:
    """The service of that database, a moment after its last letter, with today's program."""
    file = folder / "games.sqlite"
    file.touch(0o600)
    file.write_bytes(lzma.decompress((FOLDER / "games.sqlite.xz").read_bytes()))
    given = {f"ALEXANDROS_{name.upper()}": SENT[name] for name in ("base_url", "mail_domain", "mail_from")}
    given |= {
        "ALEXANDROS_SECRET": secret,
        "ALEXANDROS_DATABASE": f"sqlite:///{file}",
        "ALEXANDROS_MAIL_OUT": "local",
    }
    migrated = CliRunner(env=given).invoke(main, ["migrate"])
    assert migrated.exit_code == 0, migrated.output
    return Site(open_context(Settings.read(given)), Clock(datetime.fromisoformat(SENT["ended"])))


@pytest.fixture
def place(tmp_path: Path) -> Site:
    return service(tmp_path)


def letters_in(place: Site, state: LetterState) -> set[int | None]:
    """The numbers of the letters that are in a state."""
    with place.context.reading() as session:
        return set(session.exec(select(OutgoingLetter.id).where(OutgoingLetter.state == state)))


def answer(number: int, letter: dict[str, Any]) -> bytes:
    """A reply to a letter, with the letter quoted below it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = letter["to"], letter["reply_to"], f"Re: {letter['subject']}"
    mail["Message-ID"], mail["In-Reply-To"] = f"<{number}@client.example.org>", letter["message_id"]
    quoted = "\n".join(f"> {line}" for line in letter["text"].splitlines())
    mail.set_content(f"{ANSWERS.get(letter['kind'], 'a')}\n\n{quoted}")
    return bytes(mail)


def test_each_link_leads_to_a_page_that_leads_on(place: Site) -> None:
    lost = []
    for link in dict.fromkeys(link for letter in LETTERS for link in letter["links"]):
        visitor = place.visitor().get(link)
        ended = (404, 410) if link.startswith(SHORT_LIVED) else (410,)
        leads_on = visitor.page.xpath("//a[@href] | //main//button")
        if visitor.answer.status_code not in (200, *ended) or not leads_on:
            lost.append((link, visitor.answer.status_code, visitor.title))
    assert not lost


def test_control_under_another_secret_no_sealed_link_opens(tmp_path: Path) -> None:
    client = service(tmp_path, "another secret of more than sixteen letters").app.test_client()
    links = {link for letter in LETTERS for link in letter["links"] if link.startswith("/t/")}
    assert {client.get(link).status_code for link in links} == {404}


def test_each_answer_is_played_or_explained_and_no_letter_is_stuck(place: Site) -> None:
    carrier, played, unanswered = Collector(), set(), set()
    waited = letters_in(place, LetterState.WAITING)
    for number, letter in reversed(list(enumerate(LETTERS))):
        if "+" not in letter["reply_to"]:
            continue
        store_mail(place.context, letter["to"], letter["reply_to"], answer(number, letter), place.clock())
        before = len(carrier.mails)
        work_until_idle(place.context, carrier, place.clock())
        with place.context.reading() as session:
            row = session.exec(select(IncomingMail).order_by(col(IncomingMail.id).desc())).first()
        assert row is not None
        assert row.state in (MailState.PLAYED, MailState.REFUSED, MailState.IGNORED), letter["kind"]
        if row.state == MailState.PLAYED:
            played.add(letter["kind"])
        elif len(carrier.mails) == before:
            unanswered.add(letter["kind"])
    assert played >= {
        "your_turn",
        "digest",
        "reminder",
        "refused",
        "invitation",
        "seat_claim",
        "seat_offered",
        "proposal",
    }
    # An address that waits for a yes answers no other word, nor a seat whose loss was told before.
    silent = {"confirm", "moved", "move_asked", "absence", "accepted", "called_off", "seat_offered"}
    assert unanswered <= silent | {"invitation"}
    work_until_idle(place.context, carrier, place.clock.forward(24))
    assert waited
    assert not waited & letters_in(place, LetterState.WAITING)
    assert not letters_in(place, LetterState.FAILED)
