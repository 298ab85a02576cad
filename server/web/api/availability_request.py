"""When the clock of a caller stands still: told, and changed as on their page."""

from __future__ import annotations

from dataclasses import replace
from datetime import time

from sqlmodel import Session

from emails.i18n import gettext
from server.accounts.deadline_adjustments import keep_time_left
from server.accounts.vacations import (
    away_until,
    end_vacations,
    list_ahead,
    local_today,
    remove_vacation,
    store_rest,
    take_vacation,
)
from server.outbox.preferences import load_preferences, store_preferences
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.stored_availability import StoredVacation, load_availability
from server.web.api.act_request import read_body
from server.web.api.availability_shapes import (
    AvailabilityRequest,
    AvailabilityView,
    SleepHours,
    VacationEnd,
    VacationRequest,
    VacationView,
)
from server.web.api.game_view import check_own_game
from server.web.api.problems import ApiError
from server.web.kit.request_context import current_context, now


def show_availability(player: int, game: str | None) -> AvailabilityView:
    """When no time runs on the turns of a caller. Raises `ApiError`: the game is not theirs."""
    check_own_game(player, game)
    with current_context().reading() as session:
        return _describe(session, player, game)


def set_availability(player: int) -> AvailabilityView:
    """Keep the zone, the hours of sleep and the days off of a caller.

    Raises `ApiError`, `InvalidPreferences` and `VacationRefused`; then nothing is kept.
    """
    body = read_body(AvailabilityRequest)
    sleeps = None if body.sleeps is None else _hours_of(body.sleeps)
    with open_unit(current_context(), now()) as unit:
        _store_zone(unit, player, body.zone)
        store_rest(unit.session, player, sleeps, frozenset(body.days_off), unit.now)
        unit.commit()
        return _describe(unit.session, player, None)


def take_days(player: int) -> AvailabilityView:
    """Note that a caller is away. Raises `ApiError` and `VacationRefused`."""
    body = read_body(VacationRequest)
    with open_unit(current_context(), now()) as unit:
        first = body.first or local_today(unit.session, player, unit.now)
        take_vacation(unit.session, player, first, body.last, unit.now)
        unit.commit()
        return _describe(unit.session, player, None)


def end_days(player: int) -> AvailabilityView:
    """Note that a caller is back, or not away after all. Raises `ApiError`: there is no such vacation."""
    body = read_body(VacationEnd)
    with open_unit(current_context(), now()) as unit:
        if body.vacation is None:
            end_vacations(unit.session, player, unit.now)
        elif not remove_vacation(unit.session, player, body.vacation, unit.now):
            raise ApiError(422, gettext("You have no vacation of this number that has not passed."))
        unit.commit()
        return _describe(unit.session, player, None)


def _store_zone(unit: UnitOfWork, player: int, zone: str) -> None:
    """Keep the time zone of a player, where it is another. Raises `InvalidPreferences`."""
    known = load_preferences(unit.session, player)
    if zone != known.zone:
        with keep_time_left(unit.session, player, unit.now):
            store_preferences(unit.session, player, None, replace(known, zone=zone), unit.now)


def _hours_of(sleeps: SleepHours) -> tuple[time, time]:
    return time.fromisoformat(sleeps.begins), time.fromisoformat(sleeps.ends)


def _describe(session: Session, player: int, game: str | None) -> AvailabilityView:
    found = load_availability(session, player, game)
    begins, ends = found.sleeps_from, found.sleeps_until
    asleep = (
        None if begins is None or ends is None else SleepHours(begins=f"{begins:%H:%M}", ends=f"{ends:%H:%M}")
    )
    return AvailabilityView(
        zone=found.zone,
        sleeps=asleep,
        days_off=sorted(found.days_off),
        vacations=[_describe_vacation(row) for row in list_ahead(session, player, game, now())],
        away_until=away_until(session, player, game, now()),
    )


def _describe_vacation(row: StoredVacation) -> VacationView:
    assert row.id is not None
    return VacationView(vacation=row.id, first=row.first, last=row.last)
