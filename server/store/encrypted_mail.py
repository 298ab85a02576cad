"""Mails as the database keeps them: encrypted, for their addresses and their quotations hold live tokens.

Only the server's secret opens them, so that whoever reads the database or a copy of it cannot act for
anybody. Nothing else reads or writes the bytes of a kept mail.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import delete, insert
from sqlmodel import Session, col, select

from emails.keys import ForgedToken, KeyRing, Purpose
from server.store.models import IncomingMail, LocalMail, RawMail

ENCRYPTED = b"\0encrypted 1\0"
"""How an encrypted mail begins; those from before begin as mails do, and were kept as they came."""


SEALED = col(IncomingMail.recipient).like("% %")
"""The condition that a mail came to an address with a token, as `without_token` writes it."""


class MailLocked(Exception):
    """A mail that no secret of this server opens."""

    def __init__(self) -> None:
        super().__init__("it was kept under a secret that ALEXANDROS_SECRET no longer names")


@dataclass(frozen=True, slots=True)
class KeptMail:
    """A mail and its envelope."""

    sender: str
    recipient: str
    raw: bytes


def encrypt_mail(mail: KeptMail, keys: KeyRing) -> bytes:
    """A mail with its envelope, as it is stored; addresses have no zero bytes."""
    return ENCRYPTED + keys.encrypt(f"{mail.sender}\0{mail.recipient}\0".encode() + mail.raw)


def is_from_before(row: IncomingMail) -> bool:
    """Whether a mail was taken in by a version that kept mails as they came; its address was good then."""
    return not row.raw.startswith(ENCRYPTED)


def decrypt_mail(row: IncomingMail | LocalMail, keys: KeyRing) -> KeptMail:
    """A mail that is stored, with its envelope; raises `MailLocked`."""
    if not row.raw.startswith(ENCRYPTED):
        return KeptMail(row.sender if isinstance(row, IncomingMail) else "", row.recipient, row.raw)
    return decrypt_bytes(row.raw, keys)


def keep_raw_mail(session: Session, raw: bytes, keys: KeyRing) -> int:
    """Keep the bytes of a mail, once for all its recipients; their number. No commit."""
    digest = keys.digest(Purpose.STORAGE, raw).hex()
    known = session.exec(select(RawMail.id).where(RawMail.digest == digest)).first()
    if known is not None:
        return known
    row = {"digest": digest, "raw": encrypt_mail(KeptMail("", "", raw), keys)}
    return int(session.execute(insert(RawMail).values(**row).returning(col(RawMail.id))).scalar_one())


def load_incoming_mail(session: Session, row: IncomingMail, keys: KeyRing) -> KeptMail:
    """A mail that came in, with its envelope; raises `MailLocked`."""
    kept = decrypt_mail(row, keys)
    if row.raw_mail is None:
        return kept
    return KeptMail(kept.sender, kept.recipient, _load_raw_mail(session, row.raw_mail, keys))


def _load_raw_mail(session: Session, number: int, keys: KeyRing) -> bytes:
    """The bytes of a mail that are kept once for all its recipients; raises `MailLocked`."""
    return decrypt_bytes(session.get_one(RawMail, number).raw, keys).raw


def delete_raw_mails(session: Session, numbers: Collection[int]) -> None:
    """Delete the bytes of mails that no recipient has any more. No commit."""
    used = select(IncomingMail.id).where(IncomingMail.raw_mail == RawMail.id).exists()
    session.execute(delete(RawMail).where(col(RawMail.id).in_(numbers), ~used))


def drop_words(session: Session, number: int) -> None:
    """Delete the bytes of one mail, and keep that it came, from whom and what became of it. No commit."""
    row = session.get(IncomingMail, number)
    if row is not None and row.raw_mail is not None:
        raw_mail, row.raw, row.raw_mail = row.raw_mail, b"", None
        session.flush()
        delete_raw_mails(session, [raw_mail])


def decrypt_bytes(stored: bytes, keys: KeyRing) -> KeptMail:
    """A mail with its envelope from what `encrypt_mail` has made; raises `MailLocked`."""
    try:
        sender, recipient, raw = keys.decrypt(stored.removeprefix(ENCRYPTED)).split(b"\0", 2)
    except ForgedToken:
        raise MailLocked from None
    return KeptMail(sender.decode(), recipient.decode(), raw)


def without_token(address: str) -> str:
    """An address of the house without its token, and a digest by which it is told from others of its kind."""
    local, _, domain = address.rpartition("@")
    name, _, token = local.partition("+")
    if not token:
        return address
    return f"{name}@{domain} {sha256(address.lower().encode()).hexdigest()[:16]}".lower()


def is_sealed(recipient: str) -> bool:
    """Whether a stored mail came to an address with a token: to others anybody can write."""
    return " " in recipient
