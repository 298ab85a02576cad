"""Seats that are held for somebody who asked for one and does not answer: after a day they are free again."""

from __future__ import annotations

import logging
from datetime import datetime

from sqlmodel import Session, col, select

from server.lobby.games import add
from server.lobby.open_seats import HELD, NotJoined, act_on, free, seats_of, tell_organiser
from server.store.context import Office
from server.store.event_log import Broken, History
from server.store.models import Game, Opening, Seating

LOG = logging.getLogger(__name__)


def free_old(office: Office, now: datetime) -> int:
    """Free the seats that were held for a day for somebody who has not answered; how many. Commits."""
    chosen = (
        select(Seating.game)
        .join(Game, col(Game.id) == Seating.game)
        .join(Opening, col(Opening.game) == Seating.game)
        .where(Game.status == "open", Opening.joined_by != "")
        .where(col(Seating.player).is_not(None), col(Seating.accepted_at).is_(None))
    )
    with office.reading() as session:
        games = sorted(set(session.exec(chosen)))
    done = 0
    for game in games:
        try:
            with office.reading() as session:
                late = _late(office, session, session.get_one(Game, game), now)
            done += _free_late(office, game, now) if late else 0
        except (Broken, NotJoined):
            LOG.exception("no seat of game %s can be freed", game)  # those of the others can
    return done


def _free_late(office: Office, game: str, now: datetime) -> int:
    def deed(session: Session, row: Game, history: History) -> tuple[History, int]:
        late = _late(office, session, row, now)  # again, for another server may have been quicker
        for seating in late:
            name, fact = seating.name, free(session, seating)
            history = add(office, session, row, history, now, None, "clock", "", [fact])
            tell_organiser(office, session, row, history, seating.seat, name, "silent", now)
        return history, len(late)

    return act_on(office, game, deed)


def _late(office: Office, session: Session, game: Game, now: datetime) -> list[Seating]:
    """The seats that are held for nobody any more."""
    taken = office.history(session, game).taken if game.status == "open" else {}
    return [
        one
        for one in seats_of(session, game.id)
        if one.accepted_at is None and one.player is not None and one.seat in taken
        if taken[one.seat].joined and taken[one.seat].at <= now - HELD
    ]
