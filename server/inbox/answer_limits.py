"""Limits of answers: so many an hour to an address, so that no two machines write to each other for ever.

What a mail does is done beyond that too, and its answer waits until there is room; a mail that does nothing
gets none.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import case, func, or_
from sqlmodel import Session, col, select

from server.outbox.letter_traits import ANSWER_KINDS
from server.store.dialects.locks import lock_beside, player_key
from server.store.models import OutgoingLetter, Player, Seating
from server.store.states import LetterState

HOUR = timedelta(hours=1)
MOST_ANSWERS_TO_STRANGERS = 20
"""As many within an hour are caused by mails that do not come from the player, who has the others left."""
MOST_ANSWERS_AN_HOUR = 60
NO_ROOM = "Too many mails came within the hour."


def find_room_for_answer(
    session: Session, game: str, seat: int, now: datetime, most: int = MOST_ANSWERS_AN_HOUR
) -> datetime:
    """When the next answer to whoever plays a seat may leave; `now` where there is room.

    Those in whatever game of theirs count, from when they were queued or, where they had to wait, left.
    """
    player = select(Seating.player).where(Seating.game == game, Seating.seat == seat).scalar_subquery()
    games = select(Seating.game).where(Seating.player == player)
    address = select(Player.address).where(Player.id == player).scalar_subquery()
    leaves = case(
        (col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.due_at)),
        else_=func.coalesce(col(OutgoingLetter.sent_at), col(OutgoingLetter.queued_at)),
    )
    answers = (
        select(leaves)
        .where(
            col(OutgoingLetter.game).in_(games),
            OutgoingLetter.recipient == address,
            col(OutgoingLetter.kind).in_(ANSWER_KINDS),
            or_(
                col(OutgoingLetter.queued_at) > now - HOUR,
                col(OutgoingLetter.state) == LetterState.WAITING,
                col(OutgoingLetter.sent_at) > now - HOUR,
            ),
        )
        .order_by(leaves.desc())
    )
    earliest = session.exec(answers.offset(most - 1).limit(1)).first()
    return now if earliest is None else max(now, earliest + HOUR)


def reserve_room_for_answer(session: Session, game: str, seat: int, now: datetime) -> datetime:
    """The same for an answer that is queued now: till the commit no other is counted for its reader."""
    same = select(Seating.player).where(Seating.game == game, Seating.seat == seat)
    player = session.exec(same).first()
    if player is not None:
        lock_beside(session.connection(), player_key(player))  # they may answer in two games at this moment
    return find_room_for_answer(session, game, seat, now)


def has_room_for_answer(
    session: Session, game: str, seat: int, now: datetime, most: int = MOST_ANSWERS_AN_HOUR
) -> bool:
    """Whether an answer to whoever plays a seat may leave at once."""
    return find_room_for_answer(session, game, seat, now, most) <= now
