"""Which letters of the outbox are due and may leave, and in which order they are looked at.

What is due longest comes first, in pieces of so many numbers that the rows themselves are read one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from threading import get_ident

from sqlalchemy import and_, exists, or_
from sqlmodel import Session, col, select

from server.outbox.budgets import (
    OPERATOR,
    Budget,
    busiest_origins,
    due_unasked_letters,
    is_due,
    room_of_server,
)
from server.outbox.operator_mail import needs_telling, tell_operator
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.models import OutgoingLetter
from server.store.states import OperatorMatter
from server.store.unasked_models import UnaskedLetter

BATCH_SIZE = 50
LETTERS_WAIT_WORDS = """\
{most} letters to people who have not asked for them have left within 24 hours, and more are due: they wait
until there is room again, the first of each origin before the second of any. All other letters leave.

Who has caused most of them within 24 hours, by how many:

{origins}
A network is banned with `alexandros ban NETWORK`; ALEXANDROS_UNASKED_PER_DAY says how many may leave.
"""


def find_due_letters(context: Context, session: Session, now: datetime, *, shared: bool) -> Iterator[int]:
    """The numbers of the letters that are due and may leave; those behind the first are read later.

    `shared`: other processes send as well.
    """
    asked, unasked = _due_asked_letters(session, now), _due_unasked_letters(context, session, now)
    yield from _in_order(context, session, [*asked, *unasked], shared)
    while len(asked) == BATCH_SIZE:
        with context.reading() as later:
            asked = _due_asked_letters(later, now, asked[-1])
            ordered = _in_order(context, later, asked, shared)
        yield from ordered


def _in_order(context: Context, session: Session, numbers: list[int], shared: bool) -> list[int]:
    """Letters in order, or game by game where each lane of each process begins with another game.

    Who writes to a game waits for whoever else does, and the letters of one act stand together.
    """
    if not shared:
        return sorted(numbers)
    lane = f"{context.sender} {get_ident()}"
    chosen = select(OutgoingLetter.id, OutgoingLetter.game).where(col(OutgoingLetter.id).in_(numbers))
    places = {one: blake2b(f"{lane} {game}".encode()).digest() for one, game in session.exec(chosen)}
    return sorted((one for one in numbers if one in places), key=lambda one: (places[one], one))


def _due_unasked_letters(context: Context, session: Session, now: datetime) -> list[int]:
    """The numbers of the first due letters that nobody asked for, and for which there is room today."""
    due = due_unasked_letters(session, BATCH_SIZE + 1, now)
    if not due:
        return []  # as nearly always: nobody asks how much room there is
    room = room_of_server(session, context.settings.unasked_per_day, now)
    if len(due) > room:
        _tell_that_letters_wait(context, now)
    return [number for number in due[: min(BATCH_SIZE, room)] if number is not None]


def _due_asked_letters(session: Session, now: datetime, after: int | None = None) -> list[int]:
    """The numbers of the first due letters, or those behind one, of the letters that no budget bounds.

    When they fell due is compared and not read: one that is damaged must not stop the others.
    """
    due_at, number = col(OutgoingLetter.due_at), col(OutgoingLetter.id)
    unasked = exists().where(
        col(UnaskedLetter.message_id) == OutgoingLetter.message_id, col(UnaskedLetter.sent_at).is_(None)
    )
    chosen = select(OutgoingLetter.id).where(is_due(now), ~unasked).order_by(due_at, number)
    if after is not None:
        last = select(OutgoingLetter.due_at).where(OutgoingLetter.id == after).scalar_subquery()
        chosen = chosen.where(or_(due_at > last, and_(due_at == last, number > after)))
    return [found for found in session.exec(chosen.limit(BATCH_SIZE)) if found is not None]


def _tell_that_letters_wait(context: Context, now: datetime) -> None:
    """Let the operator know that more letters are due than the server sends to people who did not ask."""
    context.security.note(SecurityEvent.LIMIT_REACHED, OPERATOR.text, now, limit=Budget.SERVER)
    with context.reading() as session:
        if not needs_telling(context, session, OperatorMatter.LETTERS_WAIT, now):
            return
        origins = busiest_origins(session, now)
    listed = "".join(f"  {count:5}  {origin.text or 'unknown'}\n" for origin, count in origins)
    words = LETTERS_WAIT_WORDS.format(most=context.settings.unasked_per_day, origins=listed)
    with context.writing() as session:
        tell_operator(context, session, OperatorMatter.LETTERS_WAIT, words, now)
        session.commit()
