"""Letters as they were first written, kept until the relay has taken or refused them.

What a letter says and offers is known from then on: it can be answered before the relay's answer is noted.
A relay may have a letter although its sender was killed, or lost the connection, before the answer came. Such
a letter is sent again with the same bytes, so that whoever gets both gets one letter twice, and nothing is
gathered into it or dropped for it any more. One that the relay has refused is written anew at the next try.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.parser import BytesHeaderParser
from email.policy import default

from sqlalchemy import delete, insert
from sqlmodel import Session, col, select

from server.delivery.letter_writer import FinishedLetter, LetterNotWanted
from server.outbox.notifications import DropReason
from server.outbox.sent_letters import SentLetter, add_to_detail, forget_sending
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
    kept = {
        "letter": row.id,
        "raw": raw,
        "text": mail.text,
        "heard": mail.heard,
        "numbers": numbers,
        "at": now,
    }
    with context.writing(row.game) as session:
        letter = session.get(OutgoingLetter, row.id)
        if letter is None or not letter.recipient:
            raise LetterNotWanted(DropReason.OUTDATED)
        if not is_held(letter, row):
            raise LetterTaken
        note_writing(letter, mail)
        session.connection().execute(insert(PreparedLetter), kept)  # none is kept of one that is written now
        session.commit()


def note_writing(letter: OutgoingLetter, mail: FinishedLetter) -> None:
    """Note what a letter says as it was written, instead of what an earlier writing said."""
    letter.text = mail.text
    letter.detail = add_to_detail(forget_sending(letter.detail), SentLetter(mail.choices, mail.subject))


@dataclass(frozen=True, slots=True)
class ClaimedLetter:
    """A letter that is taken in hand, and as it was first written, where a relay may have it already."""

    row: OutgoingLetter
    prepared: PreparedLetter | None = None


def find_prepared_letters(
    session: Session, rows: Sequence[OutgoingLetter]
) -> Mapping[int | None, PreparedLetter]:
    """Those of some letters, by their numbers, that a relay may have already."""
    numbers = [row.id for row in rows]
    chosen = select(PreparedLetter).where(col(PreparedLetter.letter).in_(numbers))
    return {one.letter: one for one in session.exec(chosen)}


def open_prepared_letter(context: Context, letter: ClaimedLetter) -> FinishedLetter | None:
    """A letter as it was first written; None where it is to be written anew.

    So it is with one whose reader has another address now, and where the secret was changed meanwhile.
    """
    row, found = letter.row, letter.prepared
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
    """Keep these letters no longer as they were written; what was not sent has offered nothing. No commit."""
    if not numbers:
        return
    session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(numbers)))
    chosen = select(OutgoingLetter).where(col(OutgoingLetter.id).in_(numbers))
    written = chosen.where(OutgoingLetter.state != LetterState.SENT, OutgoingLetter.text != "")
    for letter in session.exec(written):
        letter.text, letter.detail = "", forget_sending(letter.detail)
