"""Mail is taken in: kept as it came, and not looked at.

Whatever the way it comes by, its bytes and the recipient of its envelope are stored before its sender hears
that it was accepted. The same mail to the same address twice is one mail. Reading comes after, in
mailroom.py.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from email.utils import getaddresses

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from emails import bodies
from emails.links import is_door
from emails.screening import LARGEST
from server.office import Office
from server.tables import Incoming

MOST_BYTES = LARGEST + 1
"""Of a mail that is kept; what is larger is refused, so its end is not needed."""
MOST_RECIPIENTS = 5
"""Of our addresses that the headers of one mail name."""

NAMING = ("x-original-to", "delivered-to", "envelope-to", "to")
"""The headers that name the recipient, the most trusted first."""


def take_in(office: Office, sender: str, recipient: str, raw: bytes, now: datetime) -> None:
    """Store a mail as it came; the same bytes to the same address twice are one mail."""
    digest = hashlib.sha256(recipient.lower().encode("utf-8", "replace") + b"\0" + raw).hexdigest()
    row = {
        "digest": digest,
        "at": now,
        "sender": _storable(sender),
        "recipient": _storable(recipient),
        "raw": raw[:MOST_BYTES],
        "message_id": bodies.headers(raw).first("message-id")[:300] or None,
        "state": "waiting",
        "why": "",
    }
    with office.writing() as session:
        try:
            session.execute(insert(Incoming).values(**row))
            session.commit()
        except IntegrityError:
            return  # it came before
    office.wake()


def _storable(address: str) -> str:
    """An address of the envelope, bounded and without the halves of characters that no database takes."""
    return address[:320].encode("utf-8", "replace").decode()


def recipients(raw: bytes, given: str, domain: str) -> list[str]:
    """To which of our addresses a mail without an envelope is meant: `given`, else those its headers name.

    A mailbox may write down its own address beside the one that was written to, so addresses that are doors
    go before others.
    """
    if given:
        return [given] if is_ours(given, domain) else []
    headers = bodies.headers(raw)
    named = [getaddresses(list(headers.all(name))) for name in NAMING]
    ours = [[address for _, address in header if is_ours(address, domain)] for header in named]
    doors = [[address for address in header if is_door(address, domain)] for header in ours]
    return next(filter(None, doors + ours), [])[:MOST_RECIPIENTS]


def is_ours(address: str, domain: str) -> bool:
    """Whether an address is at our domain."""
    mailbox, _, place = address.rpartition("@")
    return bool(mailbox) and place.lower() == domain.lower()


def sender(raw: bytes, given: str | None) -> str:
    """The envelope sender of a mail without an envelope: `given`, else what Return-Path or From says."""
    if given is not None:
        return given
    headers = bodies.headers(raw)
    named = getaddresses([headers.first("return-path") or headers.first("from")])
    return named[0][1] if named else ""
