"""Stored availability of players, and the unavailable intervals of seats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import FromClause, Integer, Select, and_, bindparam
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.i18n import UTC_ZONE, zone_names
from server.store.models import (
    DailyRest,
    Game,
    Seating,
    StoredPreferences,
    StoredTerms,
    StoredVacation,
    table_of,
)
from server.turn_time import (
    Availability,
    Interval,
    UnavailableTimes,
    Vacation,
    always_available,
    local_moment,
    protected_intervals,
)

# Core statements, since they run for each letter and each act.
SAID, REST, TERMS, GAMES = (table_of(one) for one in (StoredPreferences, DailyRest, StoredTerms, Game))
SEATINGS = table_of(Seating).c


def _select_days(whose: FromClause) -> Select[Any]:
    return (
        plain_select(
            *(whose.c.player, SAID.c.said, REST.c.sleeps_from, REST.c.sleeps_until, REST.c.days_off),
            *(TERMS.c.vacation_days, GAMES.c.turn_minutes),
        )
        .select_from(whose)
        .outerjoin(SAID, and_(SAID.c.player == whose.c.player, SAID.c.game == ""))
        .outerjoin(REST, REST.c.player == whose.c.player)
        .outerjoin(TERMS, TERMS.c.game == bindparam("in"))
        .outerjoin(GAMES, GAMES.c.id == bindparam("in"))
    )


SELECT_DAYS = _select_days(plain_select(bindparam("of", type_=Integer).label("player")).subquery())
SELECT_SEAT_DAYS = _select_days(
    plain_select(SEATINGS.player)
    .where(SEATINGS.game == bindparam("in"), SEATINGS.seat == bindparam("at_seat"))
    .where(SEATINGS.player.is_not(None))
    .subquery()
)
SELECT_SEATS = (
    plain_select(
        *(SEATINGS.game, SEATINGS.seat, GAMES.c.turn_minutes, SAID.c.said),
        *(REST.c.sleeps_from, REST.c.sleeps_until, REST.c.days_off),
    )
    .join(GAMES, GAMES.c.id == SEATINGS.game)
    .outerjoin(SAID, and_(SAID.c.player == SEATINGS.player, SAID.c.game == ""))
    .outerjoin(REST, REST.c.player == SEATINGS.player)
    .where(
        SEATINGS.game.in_(bindparam("games", expanding=True)),
        SEATINGS.house.is_(False),
        SEATINGS.player.is_not(None),
    )
)
SELECT_AWAY = (
    select(Seating.game, Seating.seat, Seating.player)
    .join(StoredVacation, col(StoredVacation.player) == Seating.player)
    .where(
        col(Seating.game).in_(bindparam("games", expanding=True)),
        col(StoredVacation.ends_at) > bindparam("since"),
    )
    .distinct()
)
SELECT_VACATIONS = (
    select(StoredVacation)
    .where(
        col(StoredVacation.player) == bindparam("of"),
        col(StoredVacation.game).in_(bindparam("games", expanding=True)),
    )
    .order_by(col(StoredVacation.first), col(StoredVacation.id))
)


def load_availability(session: Session, player: int, game: str | None = None) -> Availability:
    """Return the availability of a player in a game; without `game`, as set for all games."""
    return _build_availability(session, game, session.execute(SELECT_DAYS, {"of": player, "in": game}).one())


def _build_availability(session: Session, game: str | None, days: Sequence[Any]) -> Availability:
    player, said, sleeps_from, sleeps_until, days_off, allowance, minutes = days
    rows = list_vacations(session, player, game)
    vacations = tuple(Vacation(row.first, row.last, row.told_at, row.back_at) for row in rows)
    rest = _read_rest(_read_zone(said), sleeps_from, sleeps_until, days_off)
    found = replace(rest, vacations=vacations, yearly_allowance=allowance)
    return found.for_turns_of(minutes or 0)


def unavailable_times_when_needed(session: Session, game: str, seat: int | None) -> UnavailableTimes:
    """Return a function for a seat's unavailable times that reads the database only at its first call."""
    load = cache(lambda: unavailable_times_of(session, game, seat))
    return lambda since, until: load()(since, until)


def unavailable_times_of(session: Session, game: str, seat: int | None) -> UnavailableTimes:
    found = load_seat_availability(session, game, seat)
    return always_available if found is None else unavailable_times_from(found)


def load_seat_availability(session: Session, game: str, seat: int | None) -> Availability | None:
    days = session.execute(SELECT_SEAT_DAYS, {"in": game, "at_seat": seat}).first()
    return None if days is None else _build_availability(session, game, days)


def unavailable_times_from(availability: Availability) -> UnavailableTimes:
    if availability.is_always:
        return always_available

    def intervals_between(since: datetime, until: datetime) -> Sequence[Interval]:
        return protected_intervals(availability, since, until)

    return intervals_between


def list_vacations(session: Session, player: int, game: str | None = None) -> list[StoredVacation]:
    """Return a player's vacations that apply in a game, in order; without `game`, those for all games."""
    rows = session.exec(SELECT_VACATIONS, params={"of": player, "games": ["", game or ""]}).all()
    replaced = {row.replaces for row in rows if row.game == (game or "")}
    return [row for row in rows if row.game or row.id not in replaced]


def load_people_of(
    session: Session, games: Sequence[str], since: datetime
) -> dict[str, dict[int, Availability]]:
    absent = load_absent(session, games, since)
    people: dict[str, dict[int, Availability]] = {game: {} for game in games}
    for game, seat, minutes, said, *rest in (
        session.connection().execute(SELECT_SEATS, {"games": games}).all()
    ):
        present = _read_rest(_read_zone(said), *rest).for_turns_of(minutes)
        people[game][seat] = absent.get((game, seat)) or present
    return people


def load_absent(
    session: Session, games: Sequence[str], since: datetime
) -> dict[tuple[str, int], Availability]:
    asked = {"games": games, "since": since - LONGEST_FREE_AFTER}
    return {
        (game, seat): load_availability(session, player, game)
        for game, seat, player in session.exec(SELECT_AWAY, params=asked).all()
        if player is not None
    }


LONGEST_FREE_AFTER = timedelta(hours=26)  # after a vacation: a first day at home, longest when clocks change


def end_vacation_day(last: date, zone: str) -> datetime:
    return local_moment(datetime.combine(last + timedelta(days=1), time()), ZoneInfo(zone))


def move_vacation_ends(session: Session, player: int) -> None:
    zone = load_zone(session, player)
    going_on = col(StoredVacation.back_at).is_(None)
    for row in session.exec(select(StoredVacation).where(StoredVacation.player == player, going_on)):
        row.ends_at = end_vacation_day(row.last, zone)
        session.add(row)


def load_zone(session: Session, player: int) -> str:
    shared = StoredPreferences.player == player, StoredPreferences.game == ""
    return _read_zone(session.exec(select(StoredPreferences.said).where(*shared)).first())


def _read_zone(said: str | None) -> str:
    try:
        found = json.loads(said or "{}")
    except ValueError:
        return UTC_ZONE
    zone = found.get("zone") if isinstance(found, dict) else None
    return zone if isinstance(zone, str) and zone in zone_names() else UTC_ZONE


def read_time(text: str) -> time | None:
    try:
        return datetime.strptime(text, "%H:%M").time()  # noqa: DTZ007
    except ValueError:
        return None


def _read_rest(
    zone: str, sleeps_from: str | None, sleeps_until: str | None, days_off: str | None
) -> Availability:
    begins, ends = read_time(sleeps_from or ""), read_time(sleeps_until or "")
    if begins is None or ends is None:
        begins = ends = None
    off = frozenset(int(sign) for sign in days_off or "" if sign in "0123456")
    return Availability(zone, begins, ends, off)


def sleep_length(begins: time, ends: time) -> timedelta:
    minutes = (ends.hour - begins.hour) * 60 + ends.minute - begins.minute
    return timedelta(minutes=minutes % (24 * 60))
