"""Vacations: a player tells when they are away, and that they are back; their clock stands meanwhile.

The last word counts: days that are told anew take the place of those that lie within them, or within which
they lie; those that they only overlap they join. What was told for all games can be taken back in one of
them alone: so whoever has no more than a link from a letter changes that game and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import exists, func
from sqlmodel import Session, col, select

from emails.i18n import gettext, ngettext
from emails.wording.presence.scope_text import AbsenceScope, ExceededGame
from server.accounts.deadline_adjustments import keep_time_left
from server.store.availability.availability_models import DailyRest, StoredVacation
from server.store.availability.stored_availability import (
    end_vacation_day,
    list_vacations,
    load_availability,
    load_zone,
    pick_vacations,
    sleep_length,
    vacation_from,
)
from server.store.models import Game, Resignation, Seating
from server.store.refusals import Refusal, RefusalCode
from server.store.states import GameStatus
from server.store.work_models import StoredTerms
from server.time_control.availability import (
    FARTHEST_VACATION,
    LONGEST_SLEEP,
    LONGEST_VACATION,
    MOST_DAYS_OFF,
    MOST_VACATIONS,
    Availability,
    covered_days,
)

MOST_KEPT = 200
"""Vacations of a player that are kept at all, those that have passed among them."""


class VacationRefused(Refusal):
    """Days away that cannot be kept."""

    code = RefusalCode.PREFERENCES


def local_today(session: Session, player: int, now: datetime) -> date:
    """The day that it is where a player lives."""
    return now.astimezone(ZoneInfo(load_zone(session, player))).date()


def take_vacation(
    session: Session, player: int, first: date, last: date, now: datetime, game: str | None = None
) -> StoredVacation:
    """Let a player's clock stand on these days, in one game or (None) in all: the row as kept. No commit.

    Raises `VacationRefused`.
    """
    today = local_today(session, player, now)
    _check_days(first, last, today)
    replaced = _touched(session, player, game, first, last, now)
    joined = [row for row in replaced if _overlaps(row, first, last)]
    first = min([first, *(max(row.first, today) for row in joined)])
    last = max([last, *(row.last for row in joined)])
    _check_days(first, last, today)
    _check_room(session, player, now)
    with keep_time_left(session, player, now):
        for row in replaced:
            _take_back(session, row, game, now)
        made = StoredVacation(
            player=player,
            game=game or "",
            first=first,
            last=last,
            told_at=now,
            ends_at=end_vacation_day(last, load_zone(session, player)),
        )
        session.add(made)
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


def _check_room(session: Session, player: int, now: datetime) -> None:
    own = select(func.count()).select_from(StoredVacation).where(StoredVacation.player == player)
    ahead = own.where(StoredVacation.ends_at > now, col(StoredVacation.back_at).is_(None))
    if session.exec(ahead).one() >= MOST_VACATIONS or session.exec(own).one() >= MOST_KEPT:
        raise VacationRefused(gettext("So many vacations are not kept: remove one first."))


def end_vacations(
    session: Session, player: int, now: datetime, game: str | None = None
) -> list[StoredVacation]:
    """A player is back: what they are away for now is over, in one game or (None) in all. No commit."""
    today = local_today(session, player, now)
    running = [row for row in _in_scope(session, player, game) if row.first <= today and _goes_on(row, now)]
    with keep_time_left(session, player, now):
        for row in running:
            _take_back(session, row, game, now)
    return running


def remove_vacation(
    session: Session, player: int, number: int, now: datetime, game: str | None = None
) -> bool:
    """Take a vacation back that has not passed, in one game or (None) in all; whether it is there."""
    rows = [row for row in _in_scope(session, player, game) if row.id == number and _goes_on(row, now)]
    with keep_time_left(session, player, now):
        for row in rows:
            _take_back(session, row, game, now)
    return bool(rows)


def _in_scope(session: Session, player: int, game: str | None) -> list[StoredVacation]:
    """The vacations that hold in a game, or (None) all of a player."""
    if game is not None:
        return list_vacations(session, player, game)
    return list(session.exec(select(StoredVacation).where(StoredVacation.player == player)))


def _goes_on(row: StoredVacation, now: datetime) -> bool:
    return row.back_at is None and row.ends_at > now


def _touched(
    session: Session, player: int, game: str | None, first: date, last: date, now: datetime
) -> list[StoredVacation]:
    """The vacations ahead that share a day with others, and are joined or replaced by them.

    What is told for one game alone stays beside days of all games that it overlaps.
    """
    rows = [row for row in _in_scope(session, player, game) if _goes_on(row, now)]
    return [
        row
        for row in rows
        if row.first <= last
        and row.last >= first
        and (row.game in ("", game) or not _overlaps(row, first, last))
    ]


def _overlaps(row: StoredVacation, first: date, last: date) -> bool:
    """Whether a vacation has days before or behind others that it shares a day with, and they have too."""
    return (row.first < first and row.last < last) or (row.first > first and row.last > last)


def _take_back(session: Session, row: StoredVacation, game: str | None, now: datetime) -> None:
    """End a vacation, or let it be none where it has not begun; in one game alone where it is for all."""
    if game is not None and row.game != game:
        copied = StoredVacation(
            player=row.player,
            game=game,
            first=row.first,
            last=row.last,
            told_at=row.told_at,
            back_at=now,
            replaces=row.id,
            ends_at=row.ends_at,
        )
        session.add(copied)
    elif row.first > local_today(session, row.player, now):
        for one in session.exec(select(StoredVacation).where(StoredVacation.replaces == row.id)):
            session.delete(one)
        session.delete(row)
    else:
        row.back_at = now
        session.add(row)


# --- what is told of them -------------------------------------------------------------------------------


def list_ahead(session: Session, player: int, game: str | None, now: datetime) -> list[StoredVacation]:
    """The vacations that hold in a game, or in all, and have not passed."""
    return [row for row in list_vacations(session, player, game) if _goes_on(row, now)]


def scope_of(session: Session, row: StoredVacation) -> AbsenceScope:
    """Where a vacation holds: in its game, or in all but those in which it was taken back."""
    if row.game:
        return AbsenceScope(session.get_one(Game, row.game).name)
    taken_back = select(Game.name).join(StoredVacation, col(StoredVacation.game) == Game.id)
    names = session.exec(taken_back.where(StoredVacation.replaces == row.id)).all()
    return AbsenceScope(but=tuple(sorted(names)))


def list_covered(
    session: Session, player: int, game: str | None, now: datetime
) -> list[tuple[StoredVacation, date, date]]:
    """The days ahead on which the clock stands in a game, by vacation: the first and the last of each run."""
    covered, today = _covered_ahead(session, player, game), local_today(session, player, now)
    found: list[tuple[StoredVacation, date, date]] = []
    for row in list_ahead(session, player, game, now):
        for day in filter(covered.__contains__, _days_of(row)):
            if found and found[-1][0] is row and found[-1][2] == day - timedelta(days=1):
                found[-1] = row, found[-1][1], day
            else:
                found.append((row, day, day))
    return [run for run in found if run[2] >= today]


def runs_again_from(session: Session, player: int, game: str | None, now: datetime) -> date | None:
    """The first day away that is not covered by what a game allows; None where all are."""
    covered, today = _covered_ahead(session, player, game), local_today(session, player, now)
    return _first_uncovered(list_ahead(session, player, game, now), covered, today)


def _first_uncovered(ahead: list[StoredVacation], covered: frozenset[date], today: date) -> date | None:
    days = (day for row in ahead for day in _days_of(row))
    return min((day for day in days if day >= today and day not in covered), default=None)


def list_exceeded_games(session: Session, player: int, now: datetime) -> list[ExceededGame]:
    """The running games of a player that allow fewer days than they are away, the first day first."""
    rows = _in_scope(session, player, None)  # once, however many games there are
    if not any(_goes_on(row, now) for row in rows):
        return []
    given_up = exists().where(
        col(Resignation.game) == col(Seating.game), col(Resignation.seat) == col(Seating.seat)
    )
    own = select(Game.id, Game.name, StoredTerms.vacation_days)
    own = own.join(Seating, col(Seating.game) == Game.id)
    own = own.join(StoredTerms, col(StoredTerms.game) == Game.id).where(Seating.player == player, ~given_up)
    own = own.where(
        Game.status == GameStatus.RUNNING, Game.turn_minutes > 0, col(StoredTerms.vacation_days) >= 0
    )
    zone, today = load_zone(session, player), local_today(session, player, now)
    found: list[ExceededGame] = []
    for game, name, allowance in session.exec(own.distinct()):
        held = pick_vacations(rows, game)
        days = Availability(zone, vacations=tuple(map(vacation_from, held)), yearly_allowance=allowance)
        covered = frozenset(day for _, day in covered_days(days))
        if (day := _first_uncovered([row for row in held if _goes_on(row, now)], covered, today)) is not None:
            found.append(ExceededGame(game, name, day))
    return sorted(found, key=lambda one: (one.runs_from, one.name, one.id))


def list_exceeded_elsewhere(
    session: Session, player: int, game: str, runs_from: date | None, now: datetime
) -> tuple[ExceededGame, ...]:
    """The other games that allow fewer days than a player is away, but for those as strict as this one.

    `runs_from`: the first day away that this game does not allow; None: it allows all.
    """
    found = list_exceeded_games(session, player, now)
    return tuple(one for one in found if one.id != game and one.runs_from != runs_from)


def _covered_ahead(session: Session, player: int, game: str | None) -> frozenset[date]:
    return frozenset(day for _, day in covered_days(load_availability(session, player, game)))


def _days_of(row: StoredVacation) -> Iterator[date]:
    return (row.first + timedelta(days=number) for number in range((row.last - row.first).days + 1))


def away_until(session: Session, player: int | None, game: str | None, now: datetime) -> date | None:
    """The last day of the vacation that a player is on, by their calendar; None where they are on none."""
    if player is None:
        return None
    availability = load_availability(session, player, game)
    today = now.astimezone(ZoneInfo(availability.zone)).date()
    covered = {
        day: vacation
        for vacation, day in covered_days(availability)
        if (vacation.told_at or now) <= now and (vacation.back_at is None or vacation.back_at > now)
    }
    if today not in covered:
        return None
    while today + timedelta(days=1) in covered:
        today += timedelta(days=1)
    return today


def days_left(session: Session, player: int, game: str | None, year: int) -> int | None:
    """How many days of vacation a game still allows in a year; None where it allows any number."""
    availability = load_availability(session, player, game)
    if availability.yearly_allowance is None:
        return None
    used = {day for _, day in covered_days(availability) if day.year == year}
    return availability.yearly_allowance - len(used)


# --- sleep and days off ---------------------------------------------------------------------------------


def check_rest(sleeps: tuple[time, time] | None, days_off: frozenset[int]) -> None:
    """Raise `VacationRefused` where somebody would be there too seldom."""
    if sleeps is not None and not timedelta(0) < sleep_length(*sleeps) <= LONGEST_SLEEP:
        raise VacationRefused(
            gettext(
                "The hours of sleep are at most %(hours)s.", hours=int(LONGEST_SLEEP.total_seconds() // 3600)
            )
        )
    if len(days_off) > MOST_DAYS_OFF:
        raise VacationRefused(
            ngettext(
                "There is at most %(number)s day off in a week.",
                "There are at most %(number)s days off in a week.",
                MOST_DAYS_OFF,
            )
        )


def store_rest(
    session: Session, player: int, sleeps: tuple[time, time] | None, days_off: frozenset[int], now: datetime
) -> None:
    """Keep when a player sleeps and has days off. No commit. Raises `VacationRefused`."""
    check_rest(sleeps, days_off)
    begins, ends = ("", "") if sleeps is None else (f"{one:%H:%M}" for one in sleeps)
    with keep_time_left(session, player, now):
        row = session.get(DailyRest, player) or DailyRest(player=player)
        row.sleeps_from, row.sleeps_until = begins, ends
        row.days_off = "".join(map(str, sorted(days_off)))
        session.add(row)
