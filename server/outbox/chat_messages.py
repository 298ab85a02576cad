"""The messages of a game as they are stored and told by letter, whoever says them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, or_, select

from emails.letters.kinds import LetterKind
from server.outbox.announcements import PRESSING
from server.outbox.notifications import Notification
from server.outbox.queue import load_people, queue_letters
from server.store.context import Context
from server.store.models import ChatMessage, Game, OutgoingLetter, ReadMarker, Seating


def store_message(
    context: Context, session: Session, game: Game, message: ChatMessage, now: datetime
) -> None:
    """Keep a message and queue the letters of it. The caller commits and wakes the worker."""
    session.add(message)
    session.flush()
    readers = [
        one
        for one in load_people(session, game.id)
        if one != message.seat and message.addressee in (None, one)
    ]
    pressing = message.announcement in PRESSING
    letters = (
        Notification(one, LetterKind.MESSAGE, mark=_mark_for(session, message, one), pressing=pressing)
        for one in readers
    )
    queue_letters(context, session, game, letters, now)


def _mark_for(session: Session, message: ChatMessage, seat: int) -> str:
    """What tells the letter of a message from others to its reader: how many are known, and the moment.

    The number of the message itself would tell them how much others write to each other; the moment, because
    letters are not known for ever.
    """
    before = select(func.count()).select_from(OutgoingLetter).where(OutgoingLetter.kind == LetterKind.MESSAGE)
    before = before.where(OutgoingLetter.game == message.game, OutgoingLetter.seat == seat)
    return f"-{session.exec(before).one() + 1}-{int(message.at.timestamp())}"


def is_visible_to(seat: int) -> ColumnElement[bool]:
    """The condition that a message is to a seat, or to all."""
    return or_(col(ChatMessage.addressee).is_(None), col(ChatMessage.addressee) == seat)


def is_unread_by(session: Session, game: str, seat: int) -> Sequence[ColumnElement[bool]]:
    """The conditions that a seat may read a message of another, and that no letter has told it."""
    seating, number = session.get(Seating, (game, seat)), col(ChatMessage.id)
    told = select(ReadMarker.message).where(ReadMarker.game == game, ReadMarker.seat == seat)
    later = number > (0 if seating is None else seating.chat_from)
    unheard = number > func.coalesce(told.scalar_subquery(), 0)
    return later, unheard, is_visible_to(seat), col(ChatMessage.seat).is_distinct_from(seat)


def load_last(session: Session, game: str, most: int, *which: ColumnElement[bool]) -> list[ChatMessage]:
    """The last messages of a game of which this holds, the oldest first."""
    chosen = (
        select(ChatMessage)
        .where(ChatMessage.game == game, *which)
        .order_by(col(ChatMessage.id).desc())
        .limit(most)
    )
    return list(session.exec(chosen))[::-1]
