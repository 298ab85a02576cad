"""Somebody is forgotten in pieces: nobody else waits while what is kept is searched for them."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine

from emails.tokens import KeyRing
from server import personal_data
from server.delivery.sending import send_due_letters
from server.inbox.dispatch import process_waiting_mail
from server.inbox.intake import store_mail
from server.outbox.queue import read_sent_letter
from server.personal_data import collect_data_at, forget_address
from server.retention import delete_all_expired
from server.store.context import Context
from server.store.models import OutgoingLetter
from tests.server.desk import NOON, Collector
from tests.server.storage import storage

MAILS = 30


@dataclass
class LookingKeys:
    """Keys that look at each mail they open whether somebody else could write meanwhile."""

    keys: KeyRing
    database: Engine
    could_write: list[bool] = field(default_factory=list)

    def __getattr__(self, name: str):
        return getattr(self.keys, name)

    def decrypt(self, sealed: bytes) -> bytes:
        self.could_write.append(storage().is_free_to_write(self.database))
        return self.keys.decrypt(sealed)


def write(context: Context, name: str, words: str, number: int, now: datetime = NOON) -> None:
    sender = f"{name.lower()}@example.org"
    mail = f"From: {sender}\r\nMessage-ID: <{number}@example.org>\r\n\r\n{words}\r\n"
    store_mail(context, sender, f"x+{number}@play.example.org", mail.encode(), now)


@pytest.fixture
def kept(context: Context, monkeypatch: pytest.MonkeyPatch) -> Context:
    """A server with mails of Ben and of Anna, some of which name Ben."""
    monkeypatch.setattr(personal_data, "PIECE", 7)
    context.start_game("Anna", "Ben")
    for number in range(MAILS):
        writer = "Anna" if number % 3 else "Ben"
        write(context, writer, "ben@example.org" if number % 2 else "Hello", number)
    while process_waiting_mail(context, NOON):
        pass
    return context


def named(context: Context) -> int:
    return sum(b"ben@" in one.raw or "ben@" in one.envelope_from for one in context.stored_mails())


def test_while_mails_are_opened_others_can_write(kept):
    looking = LookingKeys(kept.links.keys, kept.database)
    kept.links = replace(kept.links, keys=looking)
    forget_address(kept, "ben@example.org", NOON)
    assert len(looking.could_write) >= MAILS
    assert all(looking.could_write)
    assert named(kept) == 0
    left = [number for number in range(MAILS) if number % 3 and not number % 2]
    assert sum(b"Hello" in one.raw for one in kept.stored_mails()) == len(left)


def test_what_has_come_while_mails_were_opened_goes_too(kept, monkeypatch):
    delete = personal_data.delete_mails_of

    def slowly(search: personal_data.MailSearch, *session: object) -> None:
        delete(search, *session)
        if not session:
            write(kept, "Ben", "I write just now", MAILS)

    monkeypatch.setattr(personal_data, "delete_mails_of", slowly)
    forget_address(kept, "ben@example.org", NOON)
    assert named(kept) == 0


def test_who_is_cut_short_forgets_once_more(kept, monkeypatch):
    """As by a kill: the player is there until all else is gone."""
    monkeypatch.setattr(personal_data, "_delete_player", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        forget_address(kept, "ben@example.org", NOON)
    monkeypatch.undo()
    with kept.reading() as session:
        assert len(personal_data.find_people(session, personal_data.Mailboxes.of(["ben@example.org"]))) == 1
    forget_address(kept, "ben@example.org", NOON)
    with kept.reading() as session:
        assert not personal_data.find_people(session, personal_data.Mailboxes.of(["ben@example.org"]))
    assert named(kept) == 0


class NamingRelay(Collector):
    """A relay that names whose letter it has queued."""

    def send(self, sender: str, recipient: str, raw: bytes) -> str:
        super().send(sender, recipient, raw)
        return f"250 2.0.0 <{recipient}> Ok: queued as 4F2B71C0A3"


def relay_replies(context: Context) -> set[str]:
    return {read_sent_letter(one).relay_reply for one in context.rows_of(OutgoingLetter.detail)} - {""}


def test_what_the_relay_said_of_a_letter_goes_where_the_letter_goes(context):
    context.start_game("Anna", "Ben")
    send_due_letters(context, NamingRelay(), NOON)
    to_anna, to_ben = (f"250 2.0.0 <{name}@example.org> Ok: queued as 4F2B71C0A3" for name in ("anna", "ben"))
    assert relay_replies(context) == {to_anna, to_ben}
    told = collect_data_at(context, "ben@example.org")["letters"]
    assert [one["relay_reply"] for one in told] == [to_ben]
    forget_address(context, "ben@example.org", NOON)
    assert relay_replies(context) == {to_anna}
    delete_all_expired(context, NOON + timedelta(days=31))
    assert relay_replies(context) == set()
