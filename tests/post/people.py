"""People with a mailbox in the town: they read their letters over IMAP and answer with a mail program."""

import smtplib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from imap_tools import BaseMailBox, MailBoxUnencrypted

from tests.post.town import PASSWORD, PATIENCE, Town


@dataclass
class Person:
    """Somebody with a mailbox, and what was found there so far."""

    name: str
    language: str
    town: Town
    letters: list[EmailMessage] = field(default_factory=list)
    answered: int = 0

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@example.org"

    def await_letter(self, *kinds: str) -> EmailMessage:
        """The next letter of one of these kinds that was not asked for before; a refusal ends the test."""
        for letter in self._arriving():
            if letter is None:
                continue
            assert letter["X-Alexandros"] != "refused", text(letter)
            if letter["X-Alexandros"] in kinds:
                return letter
        told = [str(letter["X-Alexandros"]) for letter in self.letters]
        raise AssertionError(f"{self.name} waits for {kinds} and has {told}: {self.town.log()[-3000:]}")

    def await_mails(self, wanted: list[str]) -> None:
        """Wait until just these mails are there, by their Message-IDs: none lost, none doubled."""
        for _ in self._arriving():
            if len(self.letters) >= len(wanted):
                break
        assert sorted(str(letter["Message-ID"]) for letter in self.letters) == sorted(wanted)

    def _arriving(self) -> Iterator[EmailMessage | None]:
        """Letters as they arrive, and nothing now and then while none does."""
        until = time.monotonic() + PATIENCE
        with MailBoxUnencrypted("127.0.0.1", self.town.imap, PATIENCE).login(self.address, PASSWORD) as box:
            while time.monotonic() < until:
                for letter in mails(box, box.uids()[len(self.letters) :]):
                    self.letters.append(letter)
                    yield letter
                yield None
                box.idle.wait(0.1)

    def answer(self, letter: EmailMessage, words: Sequence[str]) -> None:
        """Answer as most mail programs do: a few lines, and the letter quoted below."""
        self.answered += 1
        mail = EmailMessage()
        mail["From"], mail["To"] = f"{self.name} <{self.address}>", str(letter["Reply-To"])
        mail["Subject"], mail["In-Reply-To"] = f"Re: {letter['Subject']}", str(letter["Message-ID"])
        mail["Message-ID"] = f"<{self.name}.{self.answered}@client.example.org>"
        quoted = "".join(f"> {line}\n" for line in text(letter).splitlines())
        mail.set_content("\n".join(words) + f"\n\n{WROTE[self.language]}\n{quoted}")
        with smtplib.SMTP("127.0.0.1", self.town.smtp, timeout=PATIENCE) as smtp:
            assert smtp.send_message(mail, self.address) == {}


WROTE = {"en": "On Monday Alexandros wrote:", "nl": "Op maandag schreef Alexandros:"}


def mails(box: BaseMailBox, uids: list[str]) -> Iterator[EmailMessage]:
    """These mails of the folder that is open, byte for byte."""
    for uid in uids:
        _, data = box.client.uid("FETCH", uid, "(BODY.PEEK[])")
        mail = message_from_bytes(data[0][1], policy=policy.default)
        assert isinstance(mail, EmailMessage)
        yield mail


def text(letter: EmailMessage) -> str:
    """The words of a letter."""
    body = letter.get_body(("plain",))
    assert body is not None
    return str(body.get_content())
