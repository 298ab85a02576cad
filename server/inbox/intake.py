"""Mail is taken in: kept as it came, encrypted, and not looked at.

Whatever the way it comes by, its bytes and the recipient of its envelope are stored before its sender hears
that it was accepted. The same mail to the same address twice is one mail. Reading comes after, in
incoming.py.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from emails.links import is_inbox_address, mask_tokens
from emails.replies.charsets import make_storable
from emails.replies.headers import parse_headers
from emails.replies.screening import LARGEST_MAIL
from server.store.context import Context
from server.store.encrypted_mail import KeptMail, encrypt_mail, without_token
from server.store.models import IncomingMail
from server.store.states import MailState

MOST_BYTES_KEPT = LARGEST_MAIL + 1
"""Bytes of a mail that are kept; what is larger is not played, so its end is not needed."""
MOST_RECIPIENTS = 5
"""Of our addresses that the headers of one mail name."""

RECIPIENT_HEADERS = ("x-original-to", "delivered-to", "envelope-to", "to")
"""The headers that name the recipient, the most trusted first."""


def store_mail(context: Context, sender: str, recipient: str, raw: bytes, now: datetime) -> None:
    """Store a mail as it came; the same bytes to the same address twice are one mail."""
    digest = hashlib.sha256(recipient.lower().encode("utf-8", "replace") + b"\0" + raw).hexdigest()
    mail = KeptMail(_clip_storable(sender), _clip_storable(recipient), raw[:MOST_BYTES_KEPT])
    row = {
        "digest": digest,
        "at": now,
        "sender": mask_tokens(mail.sender),
        "recipient": without_token(mail.recipient),
        "raw": encrypt_mail(mail, context.links.keys),
        "message_id": _clip_storable(parse_headers(raw).first("message-id"), 300) or None,
        "state": MailState.WAITING,
        "why": "",
    }
    with context.writing() as session:
        try:
            session.execute(insert(IncomingMail).values(**row))
            session.commit()
        except IntegrityError:
            return  # it came before
    context.wake()


def _clip_storable(words: str, longest: int = 320) -> str:
    """What comes from outside, bounded and as any database takes it."""
    return make_storable(words[:longest])


def find_recipients(raw: bytes, given: str, domain: str) -> list[str]:
    """To which of our addresses a mail without an envelope is meant: `given`, else those its headers name.

    A mailbox may write down its own address beside the one that was written to; that is none of ours.
    """
    if given:
        return [given] if is_inbox_address(given, domain) else []
    head = parse_headers(raw)
    named = (
        [address for _, address in head.people(name) if is_inbox_address(address, domain)]
        for name in RECIPIENT_HEADERS
    )
    return next(filter(None, named), [])[:MOST_RECIPIENTS]


def find_envelope_sender(raw: bytes, given: str | None) -> str:
    """The envelope sender of a mail without an envelope: `given`, else what Return-Path or From says."""
    if given is not None:
        return given
    return next((address for _, address in parse_headers(raw).people("return-path", "from")), "")
