"""Stored availability of players, and the unavailable intervals of seats."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, partial
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Select, and_, bindparam, exists
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.i18n import UTC_ZONE, zone_names
from server.store.models import (
    DailyRest,
    Game,
    Player,
    Seating,
    StoredPreferences,
    StoredTerms,
    StoredVacation,
    table_of,
)
from server.turn_time import (
    Availability,
    UnavailableTimes,
    Vacation,
    always_available,
    holds_rest,
    local_moment,
    protected_intervals,
)

# Core statements, since they run for each letter and each act.
PLAYERS, SEATINGS, GAMES, SAID, REST, TERMS, AWAY = (
    table_of(one)
    for one in (Player, Seating, Game, StoredPreferences, DailyRest, StoredTerms, StoredVacation)
)
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def with_availability(found: Select[Any], player: ColumnElement[Any]) -> Select[Any]:
    """Add to a query of games the columns that `read_availability` reads, for the player `player`."""
    has_vacations = exists().where(AWAY.c.player == player, AWAY.c.ends_at > bindparam("since"))
    return (
        found.add_columns(
            *(player, SAID.c.said, REST.c.sleeps_from, REST.c.sleeps_until, REST.c.days_off),
            *(TERMS.c.vacation_days, GAMES.c.turn_minutes, has_vacations),
        )
        .outerjoin(SAID, and_(SAID.c.player == player, SAID.c.game == ""))
        .outerjoin(REST, REST.c.player == player)
        .outerjoin(TERMS, TERMS.c.game == GAMES.c.id)
    )


SELECT_DAYS = with_availability(
    plain_select()
    .select_from(PLAYERS.outerjoin(GAMES, GAMES.c.id == bindparam("in")))
    .where(PLAYERS.c.id == bindparam("of")),
    PLAYERS.c.id,
)
SELECT_SEATS = with_availability(
    plain_select(SEATINGS.c.game, SEATINGS.c.seat)
    .select_from(SEATINGS.join(GAMES, GAMES.c.id == SEATINGS.c.game))
    .where(SEATINGS.c.game.in_(bindparam("games", expanding=True)), SEATINGS.c.player.is_not(None)),
    SEATINGS.c.player,
)
SELECT_SEAT = SELECT_SEATS.where(SEATINGS.c.seat == bindparam("at_seat"))
SELECT_VACATIONS = (
    select(StoredVacation)
    .where(
        col(StoredVacation.player) == bindparam("of"),
        col(StoredVacation.game).in_(bindparam("games", expanding=True)),
    )
    .order_by(col(StoredVacation.first), col(StoredVacation.id))
)


def read_availability(session: Session, game: str | None, found: Sequence[Any]) -> Availability:
    """Return the availability in a game from the columns of `with_availability`."""
    player, said, sleeps_from, sleeps_until, days_off, allowance, minutes, has_vacations = found
    try:
        known = json.loads(said or "{}")
    except ValueError:
        known = {}
    zone = known.get("zone") if isinstance(known, dict) else None
    if not isinstance(zone, str) or zone not in zone_names():
        zone = UTC_ZONE
    rows = list_vacations(session, player, game) if has_vacations else ()
    vacations = tuple(Vacation(row.first, row.last, row.told_at, row.back_at) for row in rows)
    if not holds_rest(minutes or 0):
        return Availability(zone, vacations=vacations, yearly_allowance=allowance)
    begins: time | None = None
    ends: time | None = None
    with suppress(ValueError):
        begins, ends = time.fromisoformat(sleeps_from or ""), time.fromisoformat(sleeps_until or "")
    off = frozenset(int(sign) for sign in days_off or "" if sign in "0123456")
    return Availability(zone, begins, ends, off, vacations, allowance)


def load_availability(session: Session, player: int, game: str | None = None) -> Availability:
    """Return the availability of a player in a game; without `game`, as set for all games."""
    asked = {"of": player, "in": game, "since": LONG_AGO}
    return read_availability(session, game, session.connection().execute(SELECT_DAYS, asked).one())


def load_seat_availability(session: Session, game: str, seat: int | None) -> Availability | None:
    """Return the availability of the player of a seat; None without a player."""
    asked = {"games": [game], "at_seat": seat, "since": LONG_AGO}
    found = session.connection().execute(SELECT_SEAT, asked).first()
    return None if found is None else read_availability(session, game, found[2:])


def unavailable_times_of(session: Session, game: str, seat: int | None) -> UnavailableTimes:
    found = load_seat_availability(session, game, seat)
    return always_available if found is None else partial(protected_intervals, found)


def unavailable_when_needed(load: Callable[[], Availability | None]) -> UnavailableTimes:
    """Return the unavailable times of a player, whose availability is loaded only at the first call."""
    known = cache(load)
    return lambda since, until: () if (found := known()) is None else protected_intervals(found, since, until)


def list_vacations(session: Session, player: int, game: str | None = None) -> list[StoredVacation]:
    """Return a player's vacations that apply in a game, in order; without `game`, those for all games."""
    rows = session.exec(SELECT_VACATIONS, params={"of": player, "games": ["", game or ""]}).all()
    replaced = {row.replaces for row in rows if row.game == (game or "")}
    return [row for row in rows if row.game or row.id not in replaced]


def load_people_of(
    session: Session, games: Sequence[str], since: datetime
) -> dict[str, dict[int, Availability]]:
    """Return the players' availability by game and seat, for the time from `since`."""
    people: dict[str, dict[int, Availability]] = {game: {} for game in games}
    asked = {"games": games, "since": since - LONGEST_FREE_AFTER}
    for game, seat, *found in session.connection().execute(SELECT_SEATS, asked).all():
        people[game][seat] = read_availability(session, game, found)
    return people


LONGEST_FREE_AFTER = timedelta(hours=26)  # after a vacation: a first day at home, longest when clocks change


def end_vacation_day(last: date, zone: str) -> datetime:
    return local_moment(datetime.combine(last + timedelta(days=1), time()), ZoneInfo(zone))


def move_vacation_ends(session: Session, player: int) -> None:
    zone = load_availability(session, player).zone
    going_on = col(StoredVacation.back_at).is_(None)
    for row in session.exec(select(StoredVacation).where(StoredVacation.player == player, going_on)):
        row.ends_at = end_vacation_day(row.last, zone)
        session.add(row)


def sleep_length(begins: time, ends: time) -> timedelta:
    minutes = (ends.hour - begins.hour) * 60 + ends.minute - begins.minute
    return timedelta(minutes=minutes % (24 * 60))
