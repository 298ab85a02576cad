"""The letters by which a player hears that it is their turn: the time for it begins when one has left."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from server.outbox.letter_traits import KINDS_SHOWING_GAME
from server.store.models import Game, OutgoingLetter
from server.store.turn_clock import begin_turn_clock


def begin_clock_told_by(session: Session, letter: OutgoingLetter, at: datetime) -> None:
    """Let the time of a turn begin if this letter tells it, which has left or never will. No commit.

    It does if it was queued since the turn began, or if it tells another letter of which that is so.
    """
    game = session.get(Game, letter.game)
    if game is None or game.seat != letter.seat or game.turn_began_at is not None:
        return
    since = (col(OutgoingLetter.seq) >= game.after, col(OutgoingLetter.kind).in_(KINDS_SHOWING_GAME))
    of_turn = select(OutgoingLetter.id).where(*since)
    itself_or_told = (col(OutgoingLetter.id) == letter.id) | (col(OutgoingLetter.told_by) == letter.id)
    if session.exec(of_turn.where(itself_or_told).limit(1)).first() is not None:
        begin_turn_clock(session, game.id, letter.seat, game.turn, at)
