"""The page on which a player says when they are away, sleep and have days off.

Every ticket of a seat leads there, and a ticket may come with a letter that was passed on. So it tells of
days away in its game alone; what holds in all games takes a browser in which the player is signed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from enum import StrEnum

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from emails.i18n import gettext
from emails.wording import phrases
from emails.wording.presence.absence_text import tell_time_runs
from emails.wording.presence.day_text import format_days, format_weekday
from emails.wording.presence.scope_text import (
    EVERYWHERE,
    AbsenceScope,
    describe_scope,
    tell_exceeded,
    tell_scope,
)
from emails.wording.presence.terms_text import describe_bound
from server.accounts.player_returns import return_player
from server.accounts.vacations import (
    VacationRefused,
    away_until,
    days_left,
    list_ahead,
    list_exceeded_elsewhere,
    local_today,
    remove_vacation,
    runs_again_from,
    scope_of,
    store_rest,
    take_vacation,
)
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.availability.stored_availability import load_availability, read_time
from server.store.refusals import Refusal
from server.store.states import Channel
from server.time_control.availability import LONGEST_SLEEP, LONGEST_VACATION, MOST_DAYS_OFF, Availability
from server.web.account.settings_view import is_own_browser
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, token_of
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("away_page", __name__)
WEEK = range(7)
ALL_GAMES, THIS_GAME = "all", "own"


class PresenceChange(StrEnum):
    """What was just done, as the address of the page says it."""

    AWAY = "away"
    BACK = "back"
    REMOVED = "removed"
    REST = "rest"


@pages.get("/t/<token>/away")
def show_away_page(token: str) -> str:
    """The days away as they are told."""
    kept = request.args.get("kept", "")
    where = request.args.get("where", "")
    return _render_page(
        load_ticket(token), {}, kept=kept if kept in list(PresenceChange) else "", where=where
    )


@pages.post("/t/<token>/away")
def change_presence(token: str) -> ResponseReturnValue:
    """A button was pressed: days away are told or taken back, or sleep and days off are kept."""
    case = load_ticket(token)
    typed = {name: value.strip()[:40] for name, value in request.form.items()}
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        return _render_page(case, typed, gettext(request_context.FORM_EXPIRED)), 400
    try:
        with open_unit(current_context(), now()) as unit:
            kept, where = _do_choice(unit, case, typed)
            unit.commit()
    except Refusal as error:
        return _render_page(case, typed, errors.note_refusal(error)), 422
    current_context().wake()
    token = token_of(case.turn_ticket)
    return redirect(url_for("away_page.show_away_page", token=token, kept=kept, where=where), 303)


def _do_choice(unit: UnitOfWork, case: TicketContext, typed: Mapping[str, str]) -> tuple[PresenceChange, str]:
    """Do what was pressed; what it was, and where it holds.

    Raises `VacationRefused`, and what `return_player` raises.
    """
    own, session = is_own_browser(case), unit.session
    where = ALL_GAMES if own else THIS_GAME
    game = None if own and typed.get("scope") != THIS_GAME else case.game.id
    choice, player = typed.get("wish", ""), case.player
    if choice == "back":
        return_player(unit, player, case.game.id, Channel.WEB, everywhere=own)
        return PresenceChange.BACK, where
    if choice.startswith("remove"):
        number = choice.removeprefix("remove")
        if number.isascii() and number.isdigit() and len(number) < 10:
            remove_vacation(session, player, int(number), now(), None if own else case.game.id)
        return PresenceChange.REMOVED, where
    if choice == "rest" and own:
        sleeps, days = _read_rest(typed)
        store_rest(session, player, sleeps, days, now())
        return PresenceChange.REST, where
    first, last = _read_days(session, player, typed)
    take_vacation(session, player, first, last, now(), game)
    return PresenceChange.AWAY, ALL_GAMES if game is None else THIS_GAME


def _read_days(session: Session, player: int, typed: Mapping[str, str]) -> tuple[date, date]:
    """The days that were typed; without a first one from today. Raises `VacationRefused`."""
    try:
        last = date.fromisoformat(typed.get("last", ""))
        first = date.fromisoformat(typed["first"]) if typed.get("first") else None
    except ValueError:
        raise VacationRefused(gettext("Please give the days as dates: the last one is needed.")) from None
    return first or local_today(session, player, now()), last


def _read_rest(typed: Mapping[str, str]) -> tuple[tuple[time, time] | None, frozenset[int]]:
    """The hours of sleep and the days off that were chosen. Raises `VacationRefused`."""
    days = frozenset(day for day in WEEK if typed.get(f"off{day}") == "yes")
    written = typed.get("sleeps-from", ""), typed.get("sleeps-until", "")
    if written == ("", ""):
        return None, days
    begins, ends = map(read_time, written)
    if begins is None or ends is None:
        raise VacationRefused(gettext("Please give both hours of your sleep, or none."))
    return (begins, ends), days


def _csrf_subject(case: TicketContext) -> str:
    return f"away {case.game.id} {case.ticket.seat}"


def _render_page(
    case: TicketContext, typed: Mapping[str, str], wrong: str = "", kept: str = "", where: str = ""
) -> str:
    token, player, game = token_of(case.turn_ticket), case.player, case.game.id
    own = is_own_browser(case)
    with current_context().reading() as session:
        availability = load_availability(session, player, game)
        today = local_today(session, player, now())
        ahead = [
            (row.id, format_days(row.first, row.last), describe_scope(scope_of(session, row), named=own))
            for row in list_ahead(session, player, game, now())
        ]
        until = away_until(session, player, game, now())
        left = days_left(session, player, game, today.year)
        runs_from = runs_again_from(session, player, game, now())
        elsewhere = list_exceeded_elsewhere(session, player, game, runs_from, now()) if own else ()
    return render_template(
        "away.html",
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        own=own,
        typed={**_rest_fields(availability), "first": "", "last": "", "scope": ALL_GAMES, **typed},
        wrong=wrong,
        kept=kept,
        where=_tell_where(case, where),
        is_away=until is not None or case.is_kept,
        kept_seat=case.is_kept,
        skipped=case.is_skipped,
        ahead=ahead,
        left=left,
        runs_from="" if runs_from is None else tell_time_runs(runs_from),
        elsewhere=list(tell_exceeded(elsewhere)),
        allowance=availability.yearly_allowance,
        zone=availability.zone,
        today=today.isoformat(),
        weekdays=[(day, format_weekday(day)) for day in WEEK],
        longest=LONGEST_VACATION,
        most_sleep=int(LONGEST_SLEEP.total_seconds() // 3600),
        most_off=MOST_DAYS_OFF,
        timed=case.game.turn_minutes > 0,
        deadline=case.deadline,
        waits_for=case.other_mover,
        bound=describe_bound(),
        nonce=request_context.csrf_token(_csrf_subject(case)),
        action=url_for("away_page.change_presence", token=token),
        settings_link=url_for("settings_page.show_settings", token=token),
        game_link=link_of(case.turn_ticket),
    )


def _tell_where(case: TicketContext, where: str) -> str:
    """Where that holds which was just done, as a sentence; empty where the address does not say."""
    scopes = {ALL_GAMES: EVERYWHERE, THIS_GAME: AbsenceScope(case.game.name)}
    return tell_scope(scopes[where]) if where in scopes else ""


def _rest_fields(availability: Availability) -> dict[str, str]:
    """Sleep and days off as the fields of the form hold them."""
    sleeps = availability.sleeps_from, availability.sleeps_until
    begins, ends = ("" if one is None else f"{one:%H:%M}" for one in sleeps)
    off = {f"off{day}": "yes" for day in availability.days_off}
    return {"sleeps-from": begins, "sleeps-until": ends, **off}
