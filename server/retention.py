"""Deletion of expired rows, by the rules that their tables declare (server/store/personal.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, delete, exists, func, or_, tuple_, update
from sqlmodel import Session, SQLModel, col, select

from emails.letters import lobby_letters
from server.lobby.proposals import delete_player, is_needed
from server.store.context import Context
from server.store.encrypted import delete_old_withdrawals, delete_raw_mails
from server.store.models import (
    WORDS_ANSWERED,
    ApiKey,
    Game,
    IncomingMail,
    LocalMail,
    OperatorMail,
    OutgoingLetter,
    Player,
    PreparedLetter,
    Proposal,
    UnsolicitedLetter,
    table_of,
)
from server.store.personal import STAYS, Kept
from server.store.states import GameStatus, LetterState, MailState

READ_MAIL = (MailState.PLAYED, MailState.ASKED, MailState.REFUSED, MailState.IGNORED)
CLOSED_LETTERS = (LetterState.SENT, LetterState.DROPPED, LetterState.FAILED, LetterState.WITHHELD)
PLAYERS, MAILS, LETTERS = table_of(Player), table_of(IncomingMail), table_of(OutgoingLetter)
ASCENDING = (MAILS, LETTERS, table_of(LocalMail))
"""Tables without an index of time, whose row numbers ascend with time."""
EMPTIED = {
    table: values
    for table in SQLModel.metadata.tables.values()
    if (
        values := {
            one.name: one.info["emptied"] for one in table.c if one.info.get("emptied", STAYS) is not STAYS
        }
    )
}
"""By table: the values that empty its last row."""


def _is_closed_letter(before: datetime) -> ColumnElement[bool]:
    # Invitations to games that have not begun stay: they record who was invited to a seat.
    waiting = select(Game.id).where(Game.status == GameStatus.OPEN)
    invites = and_(
        col(OutgoingLetter.kind) == lobby_letters.Invitation.kind, col(OutgoingLetter.game).in_(waiting)
    )
    late = or_(col(OutgoingLetter.sent_at).is_(None), col(OutgoingLetter.sent_at) <= before)
    return and_(col(OutgoingLetter.state).in_(CLOSED_LETTERS), late, ~invites)


def _is_opened_proposal(before: datetime) -> ColumnElement[bool]:
    return exists().where(
        col(Game.id) == Proposal.game, col(Game.status) != GameStatus.PROPOSED, col(Game.opened_at) <= before
    )


def _is_closed_unsolicited_letter(before: datetime) -> ColumnElement[bool]:
    # Records of waiting letters stay: the limits on unsolicited letters count them.
    waits = exists().where(
        col(OutgoingLetter.message_id) == UnsolicitedLetter.message_id,
        col(OutgoingLetter.state) == LetterState.WAITING,
    )
    late = or_(col(UnsolicitedLetter.sent_at).is_(None), col(UnsolicitedLetter.sent_at) <= before)
    return and_(late, ~waits)


def _is_idle_stranger(before: datetime) -> ColumnElement[bool]:
    written = exists().where(
        func.lower(OutgoingLetter.recipient) == func.lower(Player.address),
        col(OutgoingLetter.queued_at) > before,
    )
    return and_(col(Player.confirmed_at).is_(None), ~is_needed(), ~written)


CONDITIONS: Mapping[Kept, Callable[[datetime], ColumnElement[bool]]] = {
    Kept.STRANGERS: _is_idle_stranger,
    Kept.MAILS: lambda _: col(IncomingMail.state).in_(READ_MAIL),
    Kept.IGNORED_MAILS: lambda _: col(IncomingMail.state) == MailState.IGNORED,
    Kept.LETTERS: _is_closed_letter,
    Kept.OPENED_PROPOSALS: _is_opened_proposal,
    Kept.KEYS: lambda before: or_(col(ApiKey.used_at).is_(None), col(ApiKey.used_at) <= before),
    Kept.UNSOLICITED: _is_closed_unsolicited_letter,
    Kept.OPERATOR_MAILS: lambda _: col(OperatorMail.state) != LetterState.WAITING,
}
"""Further conditions for expiry, as functions of the time before which rows are old."""
EXPIRIES = [
    (table, rule)
    for table in SQLModel.metadata.tables.values()
    for rule in table.info.get("rules", ())
    if table.info["since"] or rule in (Kept.STRANGERS, Kept.OPENED_PROPOSALS)
]
"""Tables with the rules by which their rows expire."""


LOOK_EVERY = timedelta(hours=1)
MOST_AT_ONCE = 300


def delete_expired(context: Context, now: datetime) -> None:
    """Delete some expired rows; when none are left, set the next cleanup in an hour."""
    if context.next_cleanup is not None and now < context.next_cleanup:
        return
    _delete_some(context, now)


def _delete_some(context: Context, now: datetime) -> bool:
    """Delete some expired rows, and set the time of the next cleanup; return whether no row was expired."""
    with context.reading() as session:  # the slow search blocks no writer
        due = [one for one in EXPIRIES if _find_expired(session, *one, now, 1) is not None]
        chosen = select(col(OutgoingLetter.id)).where(WORDS_ANSWERED, col(OutgoingLetter.due_at) <= now)
        answered = session.exec(chosen.limit(MOST_AT_ONCE)).all()
    if not due and not answered:
        delete_old_withdrawals(context, now)
        context.next_cleanup = now + LOOK_EVERY
        return True
    context.next_cleanup = None
    with context.writing() as session:
        for table, rule in due:
            which = _find_expired(session, table, rule, now, MOST_AT_ONCE)
            if which is not None:
                delete_rows(session, table, which)
        session.execute(update(OutgoingLetter).where(col(OutgoingLetter.id).in_(answered)).values(text=""))
        letter = col(OutgoingLetter.id) == PreparedLetter.letter
        waits = exists().where(letter, col(OutgoingLetter.state) == LetterState.WAITING)
        session.execute(delete(PreparedLetter).where(~waits))
        session.commit()
    return False


def delete_all_expired(context: Context, now: datetime, most: int | None = None) -> dict[str, int]:
    """Delete all expired rows in several transactions; return the number of deleted rows by table.

    `most`: maximum number of transactions; None: no limit.
    """
    before = _count_rows(context)
    for _ in count() if most is None else range(most):
        if _delete_some(context, now):
            break
    after = _count_rows(context)
    return {name: before[name] - after[name] for name in sorted(before) if before[name] > after[name]}


def _count_rows(context: Context) -> dict[str, int]:
    tables = {table for table, _ in EXPIRIES}
    with context.reading() as session:
        return {one.name: session.exec(select(func.count()).select_from(one)).one() for one in tables}


def _find_expired(session: Session, table: Table, rule: Kept, now: datetime, most: int) -> Any:
    """Return the condition for the primary keys of some expired rows; None if no row is expired."""
    since, before = table.info["since"], now - rule.period
    conditions = [CONDITIONS[rule](before)] if rule in CONDITIONS else []
    if table in ASCENDING:
        conditions.append(table.c.id <= _last_number_before(session, table, before))
        if table in EMPTIED:
            is_last = table.c.id == select(func.max(table.c.id)).scalar_subquery()
            conditions.append(~and_(is_last, table.c.recipient == ""))
    elif since:
        conditions.append(table.c[since] <= before)
    own = table.primary_key.columns
    keys = session.execute(select(*own).where(*conditions).limit(most)).all()
    return tuple_(*own).in_(keys) if keys else None


def _last_number_before(session: Session, table: Table, before: datetime) -> int:
    """Return the number of the last row up to a moment, or 0 if there is none.

    Binary search reads only a few rows of a table of any size.
    """
    number, moment = table.c.id, table.c[table.info["since"]]
    # one query for each: only then does SQLite read a single row
    first, last = (session.execute(select(end(number))).scalar() for end in (func.min, func.max))
    if first is None or last is None:
        return 0
    low, high = first - 1, last  # rows up to `low` are old, and rows after `high` are newer
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


def delete_rows(session: Session, table: Table, which: ColumnElement[bool]) -> None:
    """Delete the rows for which a condition holds. The caller commits.

    The last row of a table in `EMPTIED` is only emptied, so that the number of the row is not reused.
    """
    session.flush()
    if table is PLAYERS:
        for player in session.execute(select(table.c.id).where(which)).scalars().all():
            delete_player(session, player)
        return
    raw_mails: list[int] = []
    if table is LETTERS:
        chosen = select(table.c.id).where(which)
        told = update(table).where(table.c.told_by.in_(chosen))
        session.execute(told.values(told_by=None))
        session.execute(delete(PreparedLetter).where(col(PreparedLetter.letter).in_(chosen)))
    elif table is MAILS:
        chosen = select(table.c.raw_mail).where(which, table.c.raw_mail.is_not(None))
        raw_mails = list(session.execute(chosen).scalars())
    if table in EMPTIED:
        last = session.execute(select(func.max(table.c.id))).scalar()
        session.execute(update(table).where(which, table.c.id == last).values(EMPTIED[table]))
        which = and_(which, table.c.id != last)
    session.execute(delete(table).where(which))
    delete_raw_mails(session, raw_mails)
