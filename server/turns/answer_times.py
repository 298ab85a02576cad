"""How soon people answer: counted when a turn of theirs ends, and read to tell when a turn comes.

What is counted is how long a turn waited that somebody could play: none of the house, of a caretaker, or of
whom no letter reaches; and none that ends as soon as a plan would end it. The mean of all is that of a few
hundred players, taken anew from time to time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from server.forecast.answer_counts import AnswerCounts, add_counts, count_wait, read_counts, write_counts
from server.forecast.rates import Rates, fit_mean
from server.outbox.preferences import load_preferences
from server.outbox.unit_of_work import UnitOfWork
from server.store.columns import table_of
from server.store.context import Context
from server.store.dialects.locks import lock_beside, player_key
from server.store.histories import History
from server.store.models import Seating
from server.store.states import PERSONAL_CHANNELS, Channel
from server.store.work_models import StoredAnswerCounts
from server.turns.plans import PLAN_PAUSE

TOO_SOON_TO_COUNT = PLAN_PAUSE + timedelta(seconds=10)
"""No answer is counted before, from when a turn began. A plan is played that soon, and is not counted either:
so no forecast tells the others which of the two it was. By some of these seconds a server may be late.
"""
MOST_IN_MEAN = 500
"""Players of whom the mean is taken: the newest."""
MEAN_HOLDS_FOR = timedelta(hours=1)

# A plain statement: it is a part of each turn.
SEATINGS = table_of(Seating).c
PLAYER_AT = select(SEATINGS.player).where(
    SEATINGS.game == bindparam("of"), SEATINGS.seat == bindparam("at_seat"), SEATINGS.house.is_(False)
)


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """A turn that ends: whose it was, and since when it waited."""

    seat: int
    began: datetime | None
    """None: its player was there before its time could begin."""


def count_answer(unit: UnitOfWork, game: str, before: History, turn: AnsweredTurn, channel: Channel) -> None:
    """Count how long a turn waited that ends now; `before`: the history in which it waited. No commit."""
    session, now, answered = unit.session, unit.now, channel in PERSONAL_CHANNELS
    since = now if turn.began is None else turn.began
    if not (answered or channel == Channel.CLOCK) or _was_paused(before, turn.seat, since):
        return
    if answered and now - since < TOO_SOON_TO_COUNT:
        return
    player = session.connection().execute(PLAYER_AT, {"of": game, "at_seat": turn.seat}).scalar()
    if player is None:
        return
    lock_beside(session.connection(), player_key(player))  # they may play two games at this moment
    row = session.get(StoredAnswerCounts, player)
    zone = ZoneInfo(load_preferences(session, player).zone)
    known = AnswerCounts() if row is None else read_counts(row.answers, row.quarters)
    counted = count_wait(known, since, now, zone, is_answered=answered)
    row = row or StoredAnswerCounts(player=player, answers="", quarters="")
    row.answers, row.quarters = write_counts(counted.answers), write_counts(counted.quarters)
    session.add(row)


def _was_paused(history: History, seat: int, since: datetime) -> bool:
    """Whether the clock of a seat stood still since a moment: it could not know of its turn."""
    pause = history.clock_pauses.get(seat)
    return pause is not None and (pause.ended is None or pause.ended > since)


def load_mean_rates(context: Context, session: Session, now: datetime) -> Rates:
    """How soon all players answer; for an hour the same."""
    kept = context.mean_rates
    if kept is not None and timedelta() <= now - kept[0] < MEAN_HOLDS_FOR:
        return kept[1]
    newest = select_rows(StoredAnswerCounts).order_by(col(StoredAnswerCounts.player).desc())
    rows = session.exec(newest.limit(MOST_IN_MEAN))
    mean = fit_mean(add_counts([read_counts(row.answers, row.quarters) for row in rows]))
    context.mean_rates = now, mean
    return mean
