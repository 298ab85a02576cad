"""The built-in mailbox: where letters are kept that are handed to no relay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from email.parser import BytesHeaderParser

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from server.delivery.transports import Transport, make_transport
from server.store.context import Context
from server.store.encrypted_mail import KeptMail, encrypt_mail
from server.store.models import LocalMail


def choose_transport(context: Context, now: Callable[[], datetime]) -> Transport:
    """Who takes letters away: the relay of the settings, or the built-in mailbox."""
    return make_transport(
        context.settings.mail_out, lambda _, to, raw: _store_local_mail(context, to, raw, now())
    )


def _store_local_mail(context: Context, recipient: str, raw: bytes, now: datetime) -> None:
    """Put a mail into the built-in mailbox; a second copy of it is dropped."""
    found = BytesHeaderParser().parsebytes(raw)
    with context.writing() as session:
        row = {
            "recipient": recipient,
            "message_id": str(found["Message-ID"]),
            "at": now,
            "raw": encrypt_mail(KeptMail("", recipient, raw), context.links.keys),
        }
        try:
            session.execute(insert(LocalMail).values(**row))
            session.commit()
        except IntegrityError:
            session.rollback()
