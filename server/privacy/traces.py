"""Where an address stands beside the rows of its player, and how it is taken out of there."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, delete, select, update

from emails.keys import ForgedToken
from server.lobby.proposals import delete_proposal
from server.mail_addresses import digest_address, normalise_address
from server.privacy.cleanup import delete_rows
from server.store.context import Context
from server.store.encrypted_mail import ENCRYPTED, MailLocked, load_incoming_mail
from server.store.models import (
    AddressConfirmation,
    BouncingAddress,
    Game,
    IncomingMail,
    LocalMail,
    OutgoingLetter,
    Proposal,
    SecondAddress,
)
from server.store.states import GameStatus, LetterState, MailState
from server.store.unasked_models import Block, OperatorMail

IN_TEXT = re.compile(rb"[^\s<>\"',;:()\[\]\0]+@[\w.-]+")
"""What could be an address in the bytes of a mail."""
FORGOTTEN = "an address that was forgotten"
"""What the operator reads of a block instead of its first letter and its domain."""


@dataclass(frozen=True, slots=True)
class Mailboxes:
    """The addresses of somebody, normalised: every way of writing one of them is found."""

    addresses: frozenset[str]

    @classmethod
    def of(cls, addresses: Collection[str]) -> Mailboxes:
        """The mailboxes to which these addresses lead."""
        return cls(frozenset(normalise_address(one) for one in addresses if "@" in one))

    def holds(self, address: str) -> bool:
        """Whether an address leads to one of them."""
        return "@" in address and normalise_address(address) in self.addresses

    def stands_in(self, data: bytes) -> bool:
        """Whether one of the addresses stands anywhere in a text."""
        found = (one.decode("utf-8", "replace").rstrip(".") for one in set(IN_TEXT.findall(data)))
        return any(map(self.holds, found))


def find_letters_to(session: Session, mailboxes: Mailboxes) -> list[Any]:
    """The numbers of the letters that were, or are to be, sent to somebody."""
    recipients = session.exec(select(OutgoingLetter.recipient).distinct()).all()
    own = [one for one in recipients if mailboxes.holds(one)]
    return list(session.execute(select(col(OutgoingLetter.id)).where(col(OutgoingLetter.recipient).in_(own))))


def delete_letters(session: Session, keys: list[Any]) -> None:
    """Delete letters, those that wait and those in the built-in mailbox too."""
    numbers = [key[0] for key in keys]
    ids = select(OutgoingLetter.message_id).where(col(OutgoingLetter.id).in_(numbers))
    session.execute(delete(LocalMail).where(col(LocalMail.message_id).in_(ids)))
    waiting = update(OutgoingLetter).where(col(OutgoingLetter.id).in_(numbers))
    session.execute(waiting.values(state=LetterState.DROPPED))
    delete_rows(session, OutgoingLetter, keys)


def delete_mails_of(context: Context, session: Session, mailboxes: Mailboxes) -> None:
    """Delete the mails that came from somebody, and of others those that are read and name their address."""
    found = []
    for row in session.exec(select(IncomingMail).execution_options(yield_per=50)):
        kept = b"\n".join(
            [_open_mail(context, session, row), f"{row.sender} {row.recipient} {row.why}".encode()]
        )
        is_own = mailboxes.holds(row.sender) or mailboxes.stands_in(_from_line(kept))
        if is_own or (row.state != MailState.WAITING and mailboxes.stands_in(kept)):
            found.append((row.id,))
    delete_rows(session, IncomingMail, found)
    tables: tuple[Any, ...] = (LocalMail, OperatorMail)
    for table in tables:
        rows = session.exec(select(table).execution_options(yield_per=50))
        delete_rows(
            session, table, [(row.id,) for row in rows if mailboxes.stands_in(_open(context, row.raw))]
        )


def blank_reasons(session: Session, naming: re.Pattern[str]) -> None:
    """Take away why something became of mails of others, where that names somebody."""
    for row in session.exec(select(IncomingMail).where(IncomingMail.why != "")):
        if naming.search(row.why):
            row.why = ""
    session.flush()


def _open_mail(context: Context, session: Session, row: IncomingMail) -> bytes:
    """A mail that came in as it says itself, after its envelope."""
    try:
        kept = load_incoming_mail(session, row, context.links.keys)
    except MailLocked:
        return b""
    return f"{kept.sender}\0{kept.recipient}\0".encode() + kept.raw


def _open(context: Context, raw: bytes) -> bytes:
    """What a kept mail says with its envelope; nothing where no secret of this server opens it."""
    try:
        return context.links.keys.decrypt(raw.removeprefix(ENCRYPTED)) if raw.startswith(ENCRYPTED) else raw
    except ForgedToken:
        return b""


def _from_line(mail: bytes) -> bytes:
    """What the header says of who wrote a mail."""
    head = re.split(rb"\r?\n\r?\n", mail.rpartition(b"\0")[2] or mail, maxsplit=1)[0]
    return b" ".join(re.findall(rb"^from:(.*(?:\r?\n[ \t].*)*)", head, re.IGNORECASE | re.MULTILINE))


def delete_proposals_naming(session: Session, mailboxes: Mailboxes) -> None:
    """Delete the games that were asked for with an address; of those that were opened, the request."""
    for proposal in session.exec(select(Proposal)).all():
        if any(mailboxes.holds(text) for text in _texts(json.loads(proposal.wishes))):
            game = session.get_one(Game, proposal.game)
            if game.status == GameStatus.PROPOSED:
                delete_proposal(session, game)
            else:
                session.delete(proposal)
                session.flush()


def _texts(value: Any) -> Iterator[str]:
    """Every text within a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def delete_addresses(session: Session, mailboxes: Mailboxes) -> None:
    """Delete an address where other players have named it, and where letters came back from it."""
    tables: tuple[Any, ...] = (SecondAddress, AddressConfirmation, BouncingAddress)
    for table in tables:
        for row in session.exec(select(table)).all():
            if mailboxes.holds(row.address):
                session.delete(row)
    session.flush()


def mask_blocks(session: Session, mailboxes: Mailboxes) -> None:
    """Let a block of an address, which is a digest, stay without what the operator could read of it."""
    digests = [digest_address(one) for one in mailboxes.addresses]
    session.execute(update(Block).where(col(Block.value).in_(digests)).values(shown=FORGOTTEN))
