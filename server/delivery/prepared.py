"""Letters as they were first written, kept until the relay has taken or refused them.

A relay may have a letter although its sender was killed, or lost the connection, before the answer came. Such
a letter is sent again with the same bytes, so that whoever gets both gets one letter twice, and nothing is
gathered into it or dropped for it any more. One that the relay has refused is written anew at the next try.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from email.parser import BytesHeaderParser
from email.policy import default

from sqlalchemy import delete
from sqlmodel import Session, col, select

from server.delivery.letter_writer import FinishedLetter, LetterNotWanted
from server.outbox.notifications import DropReason
from server.store.context import Context
from server.store.encrypted_mail import KeptMail, MailLocked, decrypt_bytes, encrypt_mail
from server.store.models import OutgoingLetter
from server.store.states import LetterState
from server.store.work_models import PreparedLetter


class LetterTaken(Exception):
    """A letter that somebody else has taken in hand, since who had it said nothing for too long."""


def is_held(letter: OutgoingLetter, row: OutgoingLetter) -> bool:
    """Whether a letter is still in the hand of who took it as this row: else somebody else has tried it."""
    return (letter.state, letter.tries) == (LetterState.WAITING, row.tries)


def keep_prepared_letter(context: Context, row: OutgoingLetter, mail: FinishedLetter, now: datetime) -> None:
    """Keep a finished letter before it is handed over.

    Raises `LetterNotWanted` where its reader was forgotten meanwhile, `LetterTaken` where it is no more ours.
    """
    raw = encrypt_mail(KeptMail(mail.sender, row.recipient, mail.raw), context.links.keys)
    numbers = json.dumps(dict(mail.choices))
    with context.writing(row.game) as session:
        letter = session.get(OutgoingLetter, row.id)
        if letter is None or not letter.recipient:
            raise LetterNotWanted(DropReason.OUTDATED)
        if not is_held(letter, row):
            raise LetterTaken
        session.merge(
            PreparedLetter(
                letter=row.id or 0, raw=raw, text=mail.text, heard=mail.heard, numbers=numbers, at=now
            )
        )
        session.commit()


def find_prepared_letter(session: Session, rows: Sequence[OutgoingLetter]) -> OutgoingLetter | None:
    """The first of some letters that a relay may have already; None where there is none."""
    numbers = [row.id for row in rows]
    found = set(session.exec(select(PreparedLetter.letter).where(col(PreparedLetter.letter).in_(numbers))))
    return next((row for row in rows if row.id in found), None)


def open_prepared_letter(context: Context, row: OutgoingLetter) -> FinishedLetter | None:
    """A letter as it was first written; None where it is to be written anew.

    So it is with one whose reader has another address now, and where the secret was changed meanwhile.
    """
    with context.reading() as session:
        found = session.get(PreparedLetter, row.id)
    if found is None:
        return None
    try:
        kept = decrypt_bytes(found.raw, context.links.keys)
        if kept.recipient == row.recipient:
            subject = BytesHeaderParser(policy=default).parsebytes(kept.raw)["Subject"]
            return FinishedLetter(
                kept.sender, kept.raw, found.text, found.heard, json.loads(found.numbers), str(subject)
            )
    except MailLocked:
        pass
    with context.writing(row.game) as session:
        discard_prepared_letters(session, [row.id])
        session.commit()
    return None


def discard_prepared_letters(session: Session, numbers: Sequence[int | None]) -> None:
    """Keep these letters no longer as they were written. No commit."""
    if not numbers:
        return
    session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(numbers)))
