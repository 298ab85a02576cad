"""Data encrypted under the server's secret: stored mails, and the journal of withdrawals.

The addresses and texts of mails contain tokens to act for a player, which a reader of the database cannot
use. No other module reads or writes the bytes of a stored mail.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from sqlalchemy import URL, delete, insert
from sqlmodel import Session, col, select

from emails.replies.parsed_mail import Mail
from emails.tokens import ForgedToken, KeyRing, Purpose
from server.store.context import Context
from server.store.models import IncomingMail, LocalMail, RawMail
from server.store.personal import Kept

ENCRYPTED = b"\0encrypted 1\0"
"""Prefix of an encrypted mail; earlier versions stored mails unencrypted, without this prefix."""


SEALED = col(IncomingMail.recipient).like("% %")


class MailLocked(Exception):
    def __init__(self) -> None:
        super().__init__("it was encrypted under a secret that ALEXANDROS_SECRET no longer contains")


def encrypt_mail(mail: Mail, keys: KeyRing) -> bytes:
    """Encrypt a mail with its envelope; zero bytes, which addresses cannot contain, separate the parts."""
    return ENCRYPTED + keys.encrypt(f"{mail.envelope_from}\0{mail.envelope_to}\0".encode() + mail.raw)


def decrypt_mail(row: IncomingMail | LocalMail, keys: KeyRing) -> Mail:
    if not row.raw.startswith(ENCRYPTED):
        return Mail(row.raw, row.sender if isinstance(row, IncomingMail) else "", row.recipient)
    return decrypt_bytes(row.raw, keys)


def keep_raw_mail(session: Session, raw: bytes, keys: KeyRing) -> int:
    """Store the bytes of a mail once for all its recipients; return the id of the row. Does not commit."""
    digest = keys.digests(Purpose.STORAGE, raw)[0].hex()
    known = session.exec(select(RawMail.id).where(RawMail.digest == digest)).first()
    if known is not None:
        return known
    row = {"digest": digest, "raw": encrypt_mail(Mail(raw), keys)}
    return int(session.execute(insert(RawMail).values(**row).returning(col(RawMail.id))).scalar_one())


def load_incoming_mail(session: Session, row: IncomingMail, keys: KeyRing) -> Mail:
    kept = decrypt_mail(row, keys)
    if row.raw_mail is None:
        return kept
    stored = session.get_one(RawMail, row.raw_mail)
    return replace(kept, raw=decrypt_bytes(stored.raw, keys).raw)


def delete_raw_mails(session: Session, numbers: Collection[int]) -> None:
    used = select(IncomingMail.id).where(IncomingMail.raw_mail == RawMail.id).exists()
    session.execute(delete(RawMail).where(col(RawMail.id).in_(numbers), ~used))


def drop_words(session: Session, number: int) -> None:
    """Delete the bytes of a mail; its sender, time and outcome remain stored. Does not commit."""
    row = session.get(IncomingMail, number)
    if row is not None and row.raw_mail is not None:
        raw_mail, row.raw, row.raw_mail = row.raw_mail, b"", None
        session.flush()
        delete_raw_mails(session, [raw_mail])


def decrypt_bytes(stored: bytes, keys: KeyRing) -> Mail:
    try:
        sender, recipient, raw = keys.decrypt(stored.removeprefix(ENCRYPTED)).split(b"\0", 2)
    except ForgedToken:
        raise MailLocked from None
    return Mail(raw, sender.decode(), recipient.decode())


def without_token(address: str) -> str:
    local, _, domain = address.rpartition("@")
    name, _, token = local.partition("+")
    if not token:
        return address
    return f"{name}@{domain} {sha256(address.lower().encode()).hexdigest()[:16]}".lower()


def is_sealed(recipient: str) -> bool:
    """Return whether `without_token` has replaced a token in `recipient` by a digest."""
    return " " in recipient


# --- withdrawals: blocks, erasures, stopped letters ---------------------------------------------------------

# No backup contains or replaces the journal. A restored backup lacks later withdrawals, so
# server/admin/backups.py repeats them from it. Its lines hold digests instead of addresses.

WITHDRAWALS_KEPT_FOR = Kept.WITHDRAWALS.period


class WithdrawalKind(StrEnum):
    """Kinds of withdrawals; `Withdrawal.subject` depends on the kind. Mailboxes are stored as digests."""

    BLOCK = "block"
    """`subject`: kind, value and origin of the block, and its displayed text."""
    LETTERS = "letters"
    """`subject`: a mailbox, and the game whose letters were stopped (empty: all games)."""
    ERASURE = "erasure"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    kind: WithdrawalKind
    subject: tuple[str, ...]
    holds: bool
    """False if the withdrawal was taken back."""
    at: datetime


def note_withdrawal(
    context: Context, session: Session, kind: WithdrawalKind, *subject: str, now: datetime, holds: bool = True
) -> None:
    """Append a withdrawal (`holds` False: its cancellation) to the journal, before the caller commits it."""
    said = json.dumps([kind, subject, holds, now.isoformat()])
    line = context.links.keys.encrypt(said.encode()).decode()
    context.system.append_line(session.connection(), line)


def read_withdrawals(context: Context, database: URL) -> tuple[Sequence[Withdrawal], int]:
    read = [_read_line(context, line) for line in context.system.read_lines(database)]
    found = [one for one in read if one is not None]
    return found, len(read) - len(found)


def delete_old_withdrawals(context: Context, now: datetime) -> None:
    """Delete lines older than `WITHDRAWALS_KEPT_FOR`; unreadable lines, of unknown age, are not deleted."""
    old = set[str]()
    for line in context.system.read_lines(context.settings.database):
        read = _read_line(context, line)
        if read is not None and read.at <= now - WITHDRAWALS_KEPT_FOR:
            old.add(line)
    if old:
        with context.writing() as session:
            context.system.delete_lines(session.connection(), old)
            session.commit()


def _read_line(context: Context, line: str) -> Withdrawal | None:
    """Decrypt a line of the journal; None if the line is truncated or its secret is no longer configured."""
    try:
        kind, subject, holds, at = json.loads(context.links.keys.decrypt(line.encode()))
        return Withdrawal(WithdrawalKind(kind), tuple(subject), holds, datetime.fromisoformat(at))
    except (ForgedToken, ValueError):
        return None
