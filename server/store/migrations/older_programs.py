"""What an older program beside this one, or before it, has told in words alone.

Until version 0016 what hindered a letter or a mail stood in its words, and a program of that time goes on to
say it so after the migration. Each command of a newer one, such as that which serves, looks when it begins;
the last process begins when no older one is left. This goes when `OLDEST_PROGRAM` is 0016.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Engine, and_, exists, or_, select, update
from sqlmodel import col

from server.store.dialects.systems import WRITING
from server.store.models import IncomingMail, OutgoingLetter
from server.store.states import Hindrance, LetterState, MailState

LOOKS_BACK = timedelta(days=30)
"""How long an older program may have been at work beside newer ones."""
ASIDE = ": see the server's own messages"
BARRED = (
    "nothing is sent to its reader",
    "its reader has got as many letters that they did not ask for as anybody may",
    "whoever caused it has caused as many such letters as anybody may",
)
Row = type[OutgoingLetter] | type[IncomingMail]
WORDS, READ = col(OutgoingLetter.why), col(IncomingMail.why)
TOLD_IN_WORDS: tuple[tuple[Row, str, ColumnElement[bool], Hindrance], ...] = (
    (OutgoingLetter, LetterState.WAITING, WORDS.startswith("not taken: "), Hindrance.RELAY),
    (OutgoingLetter, LetterState.WAITING, WORDS.startswith("perhaps taken: "), Hindrance.PERHAPS_TAKEN),
    (OutgoingLetter, LetterState.FAILED, WORDS.startswith("it came back: "), Hindrance.CAME_BACK),
    (OutgoingLetter, LetterState.FAILED, WORDS.endswith(ASIDE), Hindrance.SET_ASIDE),
    (OutgoingLetter, LetterState.DROPPED, WORDS.in_(BARRED), Hindrance.BARRED),
    (IncomingMail, MailState.REFUSED, READ.endswith(ASIDE), Hindrance.SET_ASIDE),
)
"""Which rows have which hindrance: by their state, of which an index has the late ones, and their words."""


def note_hindrances(database: Engine, now: datetime) -> None:
    """Write down what hindered letters and mails where it is not what their words say."""
    late = now - LOOKS_BACK
    untold = [
        (row, and_(col(row.state) == state, col(row.due_at) > late, words, col(row.hindrance) != told), told)
        for row, state, words, told in TOLD_IN_WORDS
    ]
    with database.connect() as connection:
        if not connection.scalar(select(or_(*(exists().where(which) for _, which, _ in untold)))):
            return
    with database.execution_options(**{WRITING: True}).begin() as connection:
        for row, which, told in untold:
            connection.execute(update(row).where(which).values(hindrance=told))
