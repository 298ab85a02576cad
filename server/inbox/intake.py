"""Mail is taken in: kept as it came, and not looked at.

Whatever the way it comes by, its bytes and the recipient of its envelope are stored before its sender hears
that it was accepted. The same mail to the same address twice is one mail. Reading comes after, in
incoming.py.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from emails.links import is_door
from emails.replies.charsets import storable
from emails.replies.headers import headers
from emails.replies.screening import LARGEST
from server.store.context import Office
from server.store.models import Incoming

KEPT = LARGEST + 1
"""Bytes of a mail that are kept; what is larger is not played, so its end is not needed."""
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
        "raw": raw[:KEPT],
        "message_id": _storable(headers(raw).first("message-id"), 300) or None,
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


def _storable(words: str, longest: int = 320) -> str:
    """What comes from outside, bounded and as any database takes it."""
    return storable(words[:longest])


def recipients(raw: bytes, given: str, domain: str) -> list[str]:
    """To which of our addresses a mail without an envelope is meant: `given`, else those its headers name.

    A mailbox may write down its own address beside the one that was written to; that is none of ours.
    """
    if given:
        return [given] if is_door(given, domain) else []
    head = headers(raw)
    named = ([address for _, address in head.people(name) if is_door(address, domain)] for name in NAMING)
    return next(filter(None, named), [])[:MOST_RECIPIENTS]


def sender(raw: bytes, given: str | None) -> str:
    """The envelope sender of a mail without an envelope: `given`, else what Return-Path or From says."""
    if given is not None:
        return given
    return next((address for _, address in headers(raw).people("return-path", "from")), "")
