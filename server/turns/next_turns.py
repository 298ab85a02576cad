"""When a seat's turn comes, told to whoever waits for it: by how soon the players of the seats ahead answer.

Nobody is told more than the sum of it: no counts, no name, no zone. It follows from the acts, the counts and
when players rest or are away, and so from nothing that is hidden in the game: a hand, a draft or a message
changes nothing in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import and_, bindparam, select
from sqlmodel import Session

from emails.wording.times.forecasts import NoForecastReason, TurnOutlook
from server.forecast.answer_counts import read_counts
from server.forecast.rates import Rates, fit_rates
from server.forecast.turn_forecast import HORIZON, STEP, SeatAhead, forecast_turn
from server.outbox.preferences import combine_preferences
from server.store.availability.availability_models import DailyRest
from server.store.availability.stored_availability import load_vacation_spans, read_rest
from server.store.columns import table_of
from server.store.context import Context
from server.store.histories import History, StartedHistory, require_started
from server.store.models import Game, Seating, StoredPreferences
from server.store.turn_clock import longest_turn
from server.store.work_models import StoredAnswerCounts
from server.time_control.availability import protected_spans
from server.time_control.spans import Span
from server.turns.answer_times import load_mean_rates

SEATINGS = table_of(Seating).c
COUNTS = table_of(StoredAnswerCounts)
PREFERENCES = table_of(StoredPreferences)
REST = table_of(DailyRest)
SELECT_SEATS = (
    select(
        *(SEATINGS.game, SEATINGS.seat, COUNTS.c.answers, COUNTS.c.quarters, PREFERENCES.c.said),
        *(REST.c.sleeps_from, REST.c.sleeps_until, REST.c.days_off),
    )
    .outerjoin(COUNTS, COUNTS.c.player == SEATINGS.player)
    .outerjoin(PREFERENCES, and_(PREFERENCES.c.player == SEATINGS.player, PREFERENCES.c.game == ""))
    .outerjoin(REST, REST.c.player == SEATINGS.player)
    .where(
        SEATINGS.game.in_(bindparam("games", expanding=True)),
        SEATINGS.house.is_(False),
        SEATINGS.player.is_not(None),
    )
)


class AskingSeat(NamedTuple):
    """A seat that may wait for its turn, and its game as it stands."""

    game: Game
    history: History
    seat: int


@dataclass(frozen=True, slots=True)
class _KnownPlayer:
    """What is stored of a player; None of whom nothing is."""

    answers: str | None
    quarters: str | None
    said: str | None
    """Their preferences."""
    sleeps_from: str | None
    sleeps_until: str | None
    days_off: str | None
    away: Sequence[Span] = ()
    """When they are away in the game that is asked about."""

    def seat_ahead(self, mean: Rates, limit: timedelta | None, now: datetime) -> SeatAhead:
        """A seat of theirs."""
        rates = fit_rates(read_counts(self.answers or "", self.quarters or ""), mean)
        zone = combine_preferences(self.said, None).zone
        daily = read_rest(zone, self.sleeps_from, self.sleeps_until, self.days_off)
        rest = protected_spans(daily, now, now + HORIZON * STEP)
        return SeatAhead(rates, ZoneInfo(zone), limit, self.away, rest)


def foresee_turn(context: Context, session: Session, asking: AskingSeat, now: datetime) -> TurnOutlook | None:
    """When the turn of a seat comes; None where it does not wait for one."""
    return foresee_turns(context, session, [asking], now)[0]


def foresee_turns(
    context: Context, session: Session, asking: Sequence[AskingSeat], now: datetime
) -> list[TurnOutlook | None]:
    """The same of several seats, with two queries for all, and one an hour for the mean."""
    games = {one.game.id for one in asking if _waits(one)}
    if not games:
        return [None for _ in asking]
    people: dict[str, dict[int, _KnownPlayer]] = {game: {} for game in games}
    for game, seat, *known in session.connection().execute(SELECT_SEATS, {"games": sorted(games)}).all():
        people[game][seat] = _KnownPlayer(*known)
    away = load_vacation_spans(session, sorted(games), now, now + HORIZON * STEP)
    for (game, seat), spans in away.items():
        if seat in people[game]:
            people[game][seat] = replace(people[game][seat], away=spans)
    mean = load_mean_rates(context, session, now)
    return [_foresee(one, people[one.game.id], mean, now) if _waits(one) else None for one in asking]


def _waits(one: AskingSeat) -> bool:
    history = one.history
    if not isinstance(history, StartedHistory) or one.seat in history.resigned or one.seat in history.skipped:
        return False
    table = history.position.table
    return not table.over and table.seat != one.seat


def _foresee(
    asking: AskingSeat, people: Mapping[int, _KnownPlayer], mean: Rates, now: datetime
) -> TurnOutlook:
    game, history, seat = asking
    table = require_started(history).position.table
    between = _seats_between(table.seat, seat, len(table.names))
    waited_for = [one for one in between if one in people and not history.is_vacant(one)]
    if not waited_for:
        return NoForecastReason.HOUSE
    if game.suspended_at is not None or any(map(history.is_time_halted, waited_for)):
        return NoForecastReason.UNKNOWN
    limits = [longest_turn(game, history, one) if game.turn_minutes else None for one in waited_for]
    ahead = [people[one].seat_ahead(mean, limit, now) for one, limit in zip(waited_for, limits, strict=True)]
    since, until = now, ahead[0].deadline_after(now)
    if table.seat == waited_for[0] and game.turn_began_at is not None:
        since, until = game.turn_began_at, game.deadline
    return forecast_turn(ahead, since, until, now) or NoForecastReason.UNKNOWN


def _seats_between(mover: int, seat: int, seats: int) -> Iterator[int]:
    """The seats that play before one of them, in their order."""
    while mover != seat:
        yield mover
        mover = (mover + 1) % seats
