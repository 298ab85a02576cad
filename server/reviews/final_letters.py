"""The letters that tell the end of a game wait for its review, as long as that may take, and no longer.

What they would tell too waits with them, so that nobody gets two letters where one says it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import Session, col

from emails.letters.kinds import LetterKind
from server.outbox.letter_kinds import WaitingLetter, covers
from server.outbox.queue import UnitOfWork
from server.reviews.stored_reviews import is_review_awaited
from server.store.models import GameReview, OutgoingLetter
from server.store.schedule import AT_ONCE
from server.store.states import LetterState

REVIEW_TAKES = timedelta(seconds=60)
"""How long a letter waits at most."""


def ask_for_review(unit: UnitOfWork, game: str) -> timedelta:
    """Have a game that has just ended looked through, where that is done; how long its letters wait."""
    if not unit.context.settings.house_seconds:
        return timedelta(0)
    unit.session.add(GameReview(game=game, due_at=AT_ONCE))
    return REVIEW_TAKES


def hold_for_review(session: Session, letters: Sequence[WaitingLetter], now: datetime) -> None:
    """Let the letters to one seat wait that the letter of the end tells, while that waits. No commit."""
    last = next((one for one in letters if one.row.kind == LetterKind.GAME_OVER), None)
    if last is None or not now < last.row.due_at <= now + REVIEW_TAKES:
        return
    if is_review_awaited(session, last.row.game):
        for one in letters:
            if one.row.due_at <= now and (one.is_needless or covers(last, one)):
                one.row.due_at = last.row.due_at


def release_letters(session: Session, game: str, now: datetime) -> None:
    """Let the letters leave that wait for a review, which is made or never comes. No commit."""
    due = col(OutgoingLetter.due_at)
    soon = col(OutgoingLetter.game) == game, due > now, due <= now + REVIEW_TAKES
    untried = col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.tries) == 0
    session.connection().execute(update(OutgoingLetter).where(*soon, *untried).values(due_at=now))
