"""Where an address stands beside the rows of its player, and how it is taken out of there."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, SQLModel, col, delete, select, update

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
)
from server.store.states import GameStatus, LetterState, MailState
from server.store.unasked_models import Block, OperatorMail, Proposal
from server.store.work_models import RawMail

KeptRow = IncomingMail | LocalMail | OperatorMail
KEPT_TABLES: tuple[Any, ...] = (IncomingMail, LocalMail, OperatorMail)
"""Where mails are kept."""
PIECE = 50
"""Mails that are opened at a time."""
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


def find_recipients(session: Session, mailboxes: Mailboxes) -> list[str]:
    """The ways in which the addresses of somebody stand on letters."""
    recipients = session.exec(select(OutgoingLetter.recipient).distinct())
    return [one for one in recipients if mailboxes.holds(one)]


def find_letters_to(session: Session, recipients: Collection[str]) -> list[Any]:
    """The numbers of the letters to these addresses, which are looked up by index."""
    lowered = [func.lower(one) for one in recipients]
    same = func.lower(OutgoingLetter.recipient).in_(lowered)
    return list(session.execute(select(col(OutgoingLetter.id)).where(same)))


def delete_letters(session: Session, keys: list[Any]) -> None:
    """Delete letters, those that wait and those in the built-in mailbox too."""
    numbers = [key[0] for key in keys]
    ids = select(OutgoingLetter.message_id).where(col(OutgoingLetter.id).in_(numbers))
    session.execute(delete(LocalMail).where(col(LocalMail.message_id).in_(ids)))
    waiting = update(OutgoingLetter).where(col(OutgoingLetter.id).in_(numbers))
    session.execute(waiting.values(state=LetterState.DROPPED))
    delete_rows(session, OutgoingLetter, keys)


@dataclass(frozen=True, slots=True)
class MailSearch:
    """Looks for somebody in the mails that are kept, each of which has to be opened for that."""

    context: Context
    mailboxes: Mailboxes
    naming: re.Pattern[str]
    """What finds their names in the reason for which something became of a mail of others."""
    _seen: dict[type[SQLModel], int] = field(default_factory=dict)
    """Up to which number it has looked."""

    def find_next(self, session: Session, table: Any) -> tuple[int, list[Any], list[int]]:
        """Look at the next piece: how many there were, the keys of those to go, those whose reason goes."""
        number = col(table.id)
        chosen = select(table).where(number > self._seen.get(table, 0)).order_by(number).limit(PIECE)
        rows: Sequence[KeptRow] = session.exec(chosen).all()
        if rows:
            self._seen[table] = rows[-1].id or 0
        with_bytes = [one.raw_mail for one in rows if isinstance(one, IncomingMail)]
        read_at_once = session.exec(select(RawMail).where(col(RawMail.id).in_(with_bytes))).all()
        found = [(one.id,) for one in rows if self._is_theirs(session, one)]
        del read_at_once  # for as long as they are held, the session reads none of them a second time
        gone = {key for (key,) in found}
        incoming = (one for one in rows if isinstance(one, IncomingMail) and one.id not in gone)
        named = [one.id or 0 for one in incoming if one.why and self.naming.search(one.why)]
        return len(rows), found, named

    def _is_theirs(self, session: Session, row: KeptRow) -> bool:
        if not isinstance(row, IncomingMail):
            return self.mailboxes.stands_in(_decrypt_mail(self.context, row.raw))
        said = _open_mail(self.context, session, row)
        kept = b"\n".join([said, f"{row.sender} {row.recipient} {row.why}".encode()])
        is_own = self.mailboxes.holds(row.sender) or self.mailboxes.stands_in(_from_line(kept))
        return is_own or (row.state != MailState.WAITING and self.mailboxes.stands_in(kept))


def delete_mails_of(search: MailSearch, writing: Session | None = None) -> None:
    """Delete the mails that came from somebody, and of others those that are read and name their address.

    Without a session that is done in pieces: opened while others can write, and each deleted in a transaction
    of its own. In one it is done with what has come since; the caller commits.
    """
    for table in KEPT_TABLES:
        looked_at = PIECE
        while looked_at == PIECE:
            with nullcontext(writing) if writing is not None else search.context.reading() as session:
                looked_at, found, named = search.find_next(session, table)
            if writing is not None:
                _delete_mails(writing, table, found, named)
            elif found or named:
                with search.context.writing() as session:
                    _delete_mails(session, table, found, named)
                    session.commit()


def _delete_mails(session: Session, table: type[SQLModel], found: list[Any], named: list[int]) -> None:
    delete_rows(session, table, found)
    session.execute(update(IncomingMail).where(col(IncomingMail.id).in_(named)).values(why=""))


def _open_mail(context: Context, session: Session, row: IncomingMail) -> bytes:
    """A mail that came in as it says itself, after its envelope."""
    try:
        kept = load_incoming_mail(session, row, context.links.keys)
    except MailLocked:
        return b""
    return f"{kept.sender}\0{kept.recipient}\0".encode() + kept.raw


def _decrypt_mail(context: Context, raw: bytes) -> bytes:
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
        if any(mailboxes.holds(text) for text in _texts(json.loads(proposal.request))):
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
    tables: tuple[Any, ...] = (AddressConfirmation, BouncingAddress)
    for table in tables:
        for row in session.exec(select(table)).all():
            if mailboxes.holds(row.address):
                session.delete(row)
    session.flush()


def mask_blocks(session: Session, mailboxes: Mailboxes) -> None:
    """Let a block of an address, which is a digest, stay without what the operator could read of it."""
    digests = [digest_address(one) for one in mailboxes.addresses]
    session.execute(update(Block).where(col(Block.value).in_(digests)).values(shown=FORGOTTEN))
