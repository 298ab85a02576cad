"""Vacations, sleep hours and days off, which adjust the deadlines of running turns; a player's return."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from emails.i18n import gettext, ngettext
from server.outbox.notifications import load_preferences, store_preferences
from server.store.event_log import Refusal, RefusalCode
from server.store.models import AbsentSeat, DailyRest, Game, Seating, StoredVacation, count_rows
from server.store.schedule import AT_ONCE
from server.store.states import GameStatus
from server.store.turn_clock import (
    WELCOMED,
    counted_until,
    end_vacation_day,
    list_vacations,
    load_availability,
    sleep_length,
    unavailable_times_of,
    whole_time,
)
from server.turn_time import (
    FARTHEST_VACATION,
    LONGEST_SLEEP,
    LONGEST_VACATION,
    MOST_DAYS_OFF,
    MOST_VACATIONS,
    NO_TIME,
    deadline_after_change,
)


@contextmanager
def keep_time_left(session: Session, player: int, now: datetime) -> Iterator[None]:
    turns = [
        (game, unavailable_times_of(session, game.id, game.seat)) for game in _running_turns(session, player)
    ]
    yield
    session.flush()
    for game, before in turns:
        if game.deadline is None:
            continue
        until, after = counted_until(session, game, now), unavailable_times_of(session, game.id, game.seat)
        least = whole_time(game) if until == now else NO_TIME
        found = deadline_after_change(game.deadline, until, game.turn_began_at or until, before, after, least)
        if found != game.deadline:
            game.deadline, game.due_at = found, AT_ONCE
            session.add(game)


def store_zone(session: Session, player: int, zone: str, now: datetime) -> None:
    """Store a player's time zone; running turns keep their time left. Does not commit."""
    with keep_time_left(session, player, now):
        wanted = replace(load_preferences(session, player), zone=zone)
        store_preferences(session, player, None, wanted, now)


def _running_turns(session: Session, player: int) -> list[Game]:
    own = (col(Seating.game) == Game.id) & (col(Seating.seat) == Game.seat)
    chosen = select(Game).join(Seating, own).where(Seating.player == player)
    running = (Game.status == GameStatus.RUNNING, col(Game.deadline).is_not(None))
    return list(session.exec(chosen.where(*running)))


MOST_KEPT = 200


class VacationRefused(Refusal):
    """A refused vacation, or refused sleep hours or days off."""

    code = RefusalCode.PREFERENCES


def local_today(session: Session, player: int, now: datetime) -> date:
    return now.astimezone(ZoneInfo(load_availability(session, player).zone)).date()


def take_vacation(
    session: Session, player: int, first: date, last: date, now: datetime, *, only_adds: bool = False
) -> StoredVacation:
    """Store days on which a player's clock is stopped in all games; return the stored row. Does not commit.

    New days that overlap a stored vacation extend the vacation. New days within a stored vacation shorten
    the vacation. But new days within a vacation change nothing if `only_adds` is set, or if the vacation has
    begun and the new days are still ahead. Raises `VacationRefused`.
    """
    today = local_today(session, player, now)
    starts = max(first, today)
    _check_days(first, last, today)
    replaced = [
        row
        for row in _list_going_on(session, player, now)
        if row.first <= last and row.last >= first and not (row.game and _overlaps(row, first, last))
    ]
    if only_adds:
        replaced = [row for row in replaced if not row.game]
    for row in replaced:
        is_known = not row.game and row.first <= starts and last <= row.last
        is_same = last == row.last and max(row.first, today) == starts
        if is_known and (only_adds or is_same or row.first <= today < first):
            return row
    joined = [row for row in replaced if only_adds or _overlaps(row, first, last)]
    first = min([first, *(max(row.first, today) for row in joined)])
    last = max([last, *(row.last for row in joined)])
    _check_days(first, last, today)
    own = StoredVacation.player == player
    ahead = own, StoredVacation.ends_at > now, col(StoredVacation.back_at).is_(None)
    if (
        count_rows(session, StoredVacation, *ahead) >= MOST_VACATIONS
        or count_rows(session, StoredVacation, own) >= MOST_KEPT
    ):
        raise VacationRefused(gettext("So many vacations are not kept: remove one first."))
    with keep_time_left(session, player, now):
        for row in replaced:
            _take_back(session, row, now)
        made = StoredVacation(
            player=player,
            first=first,
            last=last,
            told_at=now,
            ends_at=end_vacation_day(last, load_availability(session, player).zone),
        )
        session.add(made)
    for game in _running_turns(session, player):
        game.reminded &= ~WELCOMED
    return made


def _check_days(first: date, last: date, today: date) -> None:
    if last < max(first, today):
        raise VacationRefused(gettext("These days have passed, or the last is before the first."))
    if (last - max(first, today)).days >= LONGEST_VACATION:
        raise VacationRefused(
            gettext("A vacation has at most %(days)s days: tell the rest later.", days=LONGEST_VACATION)
        )
    if (first - today).days > FARTHEST_VACATION:
        raise VacationRefused(gettext("A vacation that begins so late cannot be kept yet."))


def end_vacations(
    session: Session, player: int, now: datetime, number: int | None = None
) -> list[StoredVacation]:
    """End the current vacations, or end or cancel the one with the id `number`; return them."""
    today = local_today(session, player, now)
    rows = _list_going_on(session, player, now)
    ended = [row for row in rows if (row.first <= today if number is None else row.id == number)]
    with keep_time_left(session, player, now):
        for row in ended:
            _take_back(session, row, now)
    return ended


def _list_going_on(session: Session, player: int, now: datetime) -> list[StoredVacation]:
    rows = session.exec(select(StoredVacation).where(StoredVacation.player == player))
    return [row for row in rows if _goes_on(row, now)]


def _goes_on(row: StoredVacation, now: datetime) -> bool:
    return row.back_at is None and row.ends_at > now


def _overlaps(row: StoredVacation, first: date, last: date) -> bool:
    return (row.first < first and row.last < last) or (row.first > first and row.last > last)


def _take_back(session: Session, row: StoredVacation, now: datetime) -> None:
    if row.first > local_today(session, row.player, now):
        for one in session.exec(select(StoredVacation).where(StoredVacation.replaces == row.id)):
            session.delete(one)
        session.delete(row)
    else:
        row.back_at = now
        session.add(row)


# --- queries --------------------------------------------------------------------------------------------


def list_ahead(session: Session, player: int, game: str | None, now: datetime) -> list[StoredVacation]:
    return [row for row in list_vacations(session, player, game) if _goes_on(row, now)]


# --- sleep and days off ---------------------------------------------------------------------------------


def store_rest(
    session: Session, player: int, sleeps: tuple[time, time] | None, days_off: frozenset[int], now: datetime
) -> None:
    """Store a player's sleep hours and days off. Does not commit.

    Raises `VacationRefused` if they leave too little time.
    """
    if sleeps is not None and not timedelta(0) < sleep_length(*sleeps) <= LONGEST_SLEEP:
        hours = int(LONGEST_SLEEP.total_seconds() // 3600)
        raise VacationRefused(gettext("The hours of sleep are at most %(hours)s.", hours=hours))
    if len(days_off) > MOST_DAYS_OFF:
        raise VacationRefused(
            ngettext(
                "There is at most %(number)s day off in a week.",
                "There are at most %(number)s days off in a week.",
                MOST_DAYS_OFF,
            )
        )
    begins, ends = ("", "") if sleeps is None else (f"{one:%H:%M}" for one in sleeps)
    with keep_time_left(session, player, now):
        row = session.get(DailyRest, player) or DailyRest(player=player)
        row.sleeps_from, row.sleeps_until = begins, ends
        row.days_off = "".join(map(str, sorted(days_off)))
        session.add(row)


def list_caretaken_seats(session: Session, player: int) -> list[AbsentSeat]:
    found = select(AbsentSeat).join(
        Seating, (col(Seating.game) == AbsentSeat.game) & (col(Seating.seat) == AbsentSeat.seat)
    )
    return list(session.exec(found.where(Seating.player == player).order_by(AbsentSeat.game)))
