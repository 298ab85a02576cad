"""Budgets for letters that nobody has asked for: for each recipient, for whoever causes them, for the server.

A ledger holds one row for each such letter: the digest of the address, who has caused it, when. What is over
the budget of its recipient or its origin is not queued; what is over that of the server waits until there is
room, the first letter of each origin before the second of any. So nobody can use up what others need.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, func, insert, or_, update
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from server.mail_addresses import digest_address
from server.outbox.letter_traits import KINDS_SENT_DESPITE_SUSPENSION
from server.store.models import Game, OutgoingLetter
from server.store.states import LetterState
from server.store.unasked_models import UnaskedLetter

DAY, MONTH = timedelta(days=1), timedelta(days=30)
MOST_TO_ONE = ((DAY, 3), (MONTH, 10))
"""Letters to one mailbox, by the time within which they are counted."""
MOST_FROM_ONE = 30
"""Letters that one origin causes within a day."""
KEPT_FOR = timedelta(days=31)
"""How long the ledger keeps a row."""

OPERATOR = "operator"
"""The origin of what the operator asks for by command: theirs are counted and never refused."""
UNKNOWN = ""
"""The origin of what comes from nobody knows where: refused only by the budget of its recipient."""


def player_origin(player: int) -> str:
    """The origin of what a player causes who is signed in, or whose ticket shows who they are."""
    return f"player {player}"


def is_recipient_full(session: Session, address: str, now: datetime) -> bool:
    """Whether a mailbox has got as many letters that it did not ask for as anybody may."""
    mine = _count().where(UnaskedLetter.address == digest_address(address))
    return any(
        session.exec(mine.where(UnaskedLetter.at > now - ago)).one() >= most for ago, most in MOST_TO_ONE
    )


def is_origin_full(session: Session, origin: str, now: datetime, more: int = 1) -> bool:
    """Whether an origin may not cause so many `more` letters today."""
    if origin in (OPERATOR, UNKNOWN):
        return False
    caused = _count().where(UnaskedLetter.origin == origin, UnaskedLetter.at > now - DAY)
    return session.exec(caused).one() + more > MOST_FROM_ONE


def record_unasked(session: Session, message_id: str, address: str, origin: str, now: datetime) -> None:
    """Write a letter down in the ledger; twice is once. The caller commits."""
    row = {"message_id": message_id, "address": digest_address(address), "origin": origin, "at": now}
    session.connection().execute(insert(UnaskedLetter).prefix_with("OR IGNORE"), row)


def record_sent(session: Session, message_id: str, now: datetime) -> None:
    """Note that a letter has left, if it is one of the ledger. The caller commits."""
    same = update(UnaskedLetter).where(col(UnaskedLetter.message_id) == message_id)
    session.connection().execute(same.values(sent_at=now))


def is_unasked(session: Session, message_id: str) -> bool:
    """Whether a letter of the outbox is one of the ledger."""
    same = select(UnaskedLetter.id).where(UnaskedLetter.message_id == message_id)
    return session.exec(same).first() is not None


def is_due(now: datetime) -> ColumnElement[bool]:
    """The condition that a letter of the outbox is to leave: letters of a game that is halted wait."""
    halted = select(Game.id).where(col(Game.suspended_at).is_not(None))
    leaves = or_(
        col(OutgoingLetter.kind).in_(KINDS_SENT_DESPITE_SUSPENSION), col(OutgoingLetter.game).not_in(halted)
    )
    return and_(col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.due_at) <= now, leaves)


def room_of_server(session: Session, most: int, now: datetime) -> int:
    """How many unasked letters may still leave within this day."""
    return max(0, most - session.exec(_count().where(col(UnaskedLetter.sent_at) > now - DAY)).one())


def due_unasked_letters(session: Session, most: int, now: datetime) -> list[OutgoingLetter]:
    """The due letters of the ledger: the first of each origin within the day before the second of any."""
    recent = (
        select(
            col(UnaskedLetter.message_id),
            func.row_number()
            .over(partition_by=col(UnaskedLetter.origin), order_by=col(UnaskedLetter.id))
            .label("rank"),
        )
        .where(
            UnaskedLetter.at > now - KEPT_FOR,
            col(UnaskedLetter.sent_at).is_(None) | (col(UnaskedLetter.sent_at) > now - DAY),
        )
        .subquery()
    )
    waiting = select(OutgoingLetter).join(recent, recent.c.message_id == OutgoingLetter.message_id)
    waiting = waiting.where(is_due(now))
    return list(session.exec(waiting.order_by(recent.c.rank, col(OutgoingLetter.id)).limit(most)))


def _count() -> SelectOfScalar[int]:
    return select(func.count()).select_from(UnaskedLetter)
