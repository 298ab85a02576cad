"""What has been kept long enough is deleted: a piece at each tick, until an hourly look finds nothing.

The tables that grow are numbered in the order in which their rows came, so what is old is found by its
number, however much is kept. The last row of such a table stays without what it said, so that its number is
never given to another: numbers stand in sealed addresses.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, exists, func, inspect, update
from sqlmodel import Session, SQLModel, col, select

from server.lobby.proposals import delete_stranger
from server.outbox.chat import NO_ADDRESSEE
from server.outbox.queue import NO_SEAT
from server.privacy.retention import RETENTION, Expiry
from server.store.context import Context
from server.store.encrypted_mail import delete_raw_mails
from server.store.models import ChatMessage, IncomingMail, OutgoingLetter, Player
from server.store.states import Hindrance, LetterState
from server.store.work_models import WORDS_ANSWERED, PreparedLetter

LOOK_EVERY = timedelta(hours=1)
MOST_AT_ONCE = 300
"""Rows of one kind that are deleted in one tick."""
EMPTIED: dict[type[SQLModel], dict[str, object]] = {
    IncomingMail: {
        "sender": "",
        "recipient": "",
        "raw": b"",
        "raw_mail": None,
        "message_id": None,
        "network": "",
        "why": "",
        "hindrance": Hindrance.NONE,
    },
    OutgoingLetter: {
        "recipient": "",
        "seat": NO_SEAT,
        "detail": "{}",
        "answers": None,
        "text": "",
        "why": "",
        "hindrance": Hindrance.NONE,
    },
    ChatMessage: {"words": "", "about": "", "addressee": NO_ADDRESSEE, "seat": None},
}
"""What is left of the last row of a table whose numbers are not given twice."""


def delete_expired(context: Context, now: datetime) -> None:
    """Delete a piece of what has been kept long enough, if there is any; it is looked for once an hour."""
    if context.next_cleanup is not None and now < context.next_cleanup:
        return
    with context.reading() as session:  # what takes long to find keeps nobody from writing
        due = [one for one in _expiries(now) if _expired(session, *one, 1)]
        answered = bool(_answered_letters(session, now, 1))
    if not due and not answered:
        context.next_cleanup = now + LOOK_EVERY
        return
    context.next_cleanup = None
    with context.writing() as session:
        for expiry, before in due:
            delete_rows(session, expiry.table, _expired(session, expiry, before, MOST_AT_ONCE))
        if answered:
            _blank_words(session, _answered_letters(session, now, MOST_AT_ONCE))
        _delete_settled_letters(session)
        session.commit()


def delete_all_expired(context: Context, now: datetime, most: int | None = None) -> dict[str, int]:
    """Delete all that has been kept long enough, a piece at a time; how many rows are gone, by table.

    `most`: pieces, for whoever cannot wait; where something is left, `context.next_cleanup` is None.
    """
    tables = {expiry.table for expiry, _ in _expiries(now)}
    before = _count_rows(context, tables)
    context.next_cleanup = None
    for _ in count() if most is None else range(most):
        if _is_all_deleted(context, now):
            break
    after = _count_rows(context, tables)
    return {name: before[name] - after[name] for name in sorted(before) if before[name] > after[name]}


def _is_all_deleted(context: Context, now: datetime) -> bool:
    """Delete a piece; whether none was left."""
    delete_expired(context, now)
    return context.next_cleanup is not None


def _count_rows(context: Context, tables: Iterable[type[SQLModel]]) -> dict[str, int]:
    with context.reading() as session:
        return {
            str(table.__tablename__): session.exec(select(func.count()).select_from(table)).one()
            for table in tables
        }


def _expiries(now: datetime) -> list[tuple[Expiry, datetime]]:
    """What is deleted, each with the moment before which it is old."""
    return [
        (rule.expiry, now - rule.period)
        for rule in RETENTION
        if rule.expiry is not None and rule.period is not None
    ]


def _expired(session: Session, expiry: Expiry, before: datetime, most: int) -> list[Any]:
    """The primary keys of so many rows whose time has passed."""
    table, conditions = expiry.table, list[ColumnElement[bool]]()
    if expiry.numbered:
        conditions.append(_number_of(table) <= _last_number_before(session, expiry, before))
        conditions += [~_is_emptied(table)] if table in EMPTIED else []
    elif expiry.moment is not None:
        conditions.append(col(expiry.moment) <= before)
    if expiry.may_go is not None:
        conditions.append(expiry.may_go(before))
    keys = inspect(table).primary_key
    return list(session.execute(select(*keys).where(and_(*conditions)).limit(most)))


def _last_number_before(session: Session, expiry: Expiry, before: datetime) -> int:
    """The number of the last row from before a moment; 0 where there is none.

    Halves what is left each time, so that it reads a few rows of a table of any size.
    """
    number, moment = _number_of(expiry.table), col(expiry.moment)
    first, last = (session.execute(select(end(number))).scalar() for end in (func.min, func.max))
    if first is None or last is None:
        return 0
    low, high = first - 1, last  # up to the low one all are old, and after the high one none is
    while low < high:
        middle = (low + high + 1) // 2
        found = session.execute(
            select(number, moment).where(number <= middle).order_by(number.desc()).limit(1)
        ).first()
        if found is None or found[1] <= before:
            low = middle
        else:
            high = found[0] - 1
    return int(low)


def _is_emptied(table: type[SQLModel]) -> ColumnElement[bool]:
    """Whether a row is the last of its table and says nothing any more."""
    number = _number_of(table)
    return and_(number == select(func.max(number)).scalar_subquery(), col(table.recipient) == "")  # type: ignore[attr-defined]


def _number_of(table: type[SQLModel]) -> Any:
    return col(table.id)  # type: ignore[attr-defined]


def delete_rows(session: Session, table: type[SQLModel], keys: list[Any]) -> None:
    """Delete rows by their primary keys; of a table that is numbered the last is only emptied. No commit."""
    if not keys:
        return
    own = inspect(table).primary_key
    if table in EMPTIED:
        numbers, number = [one[0] for one in keys], _number_of(table)
        last = session.execute(select(func.max(number))).scalar()
        if table is OutgoingLetter:
            told = update(OutgoingLetter).where(col(OutgoingLetter.told_by).in_(numbers))
            session.execute(told.values(told_by=None))
            session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(numbers)))
        raw_mails = []
        if table is IncomingMail:
            chosen = select(IncomingMail.raw_mail).where(col(IncomingMail.id).in_(numbers))
            raw_mails = [one for one in session.exec(chosen) if one is not None]
        if last in numbers:
            session.execute(update(table).where(number == last).values(**EMPTIED[table]))
        session.execute(delete(table).where(number.in_(numbers), number != last))
        delete_raw_mails(session, raw_mails)
        return
    if table is Player:
        for (player,) in keys:
            delete_stranger(session, player)
        return
    for key in keys:
        session.execute(
            delete(table).where(and_(*(one == value for one, value in zip(own, key, strict=True))))
        )


def _answered_letters(session: Session, now: datetime, most: int) -> list[int]:
    """The letters that were answered long enough ago and whose words are kept still."""
    answered = and_(WORDS_ANSWERED, col(OutgoingLetter.due_at) <= now)
    return [one for (one,) in session.execute(select(col(OutgoingLetter.id)).where(answered).limit(most))]


def _delete_settled_letters(session: Session) -> None:
    """Delete letters as they were written that nobody will send any more, as when no letters are wanted."""
    letter = col(OutgoingLetter.id) == PreparedLetter.letter
    waits = exists().where(letter, col(OutgoingLetter.state) == LetterState.WAITING)
    session.execute(delete(PreparedLetter).where(~waits))


def _blank_words(session: Session, letters: list[int]) -> None:
    session.execute(update(OutgoingLetter).where(col(OutgoingLetter.id).in_(letters)).values(text=""))
