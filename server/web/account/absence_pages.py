"""Pages on which a player goes on vacation, sets sleep hours and days off, resigns and comes back.

Every ticket of a seat leads here, and a ticket may come from a forwarded letter. Days away hold in all games
of the player, so a ticket can only add some, as a reply to its letter can. To remove days, to set sleep hours
or days off, and to resign, the player must be signed in. To come back the ticket is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from enum import StrEnum

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from emails.i18n import gettext
from emails.wording.absences import describe_bound, describe_own_absence, format_days, format_weekday
from server.accounts import sign_in
from server.accounts.vacations import (
    VacationRefused,
    away_until,
    list_ahead,
    local_today,
    remove_vacation,
    return_player,
    store_rest,
    take_vacation,
)
from server.lobby.leaving import YOU_ARE_BACK, resign, take_back_resignation
from server.lobby.open_seats import change_with_retries
from server.mail_addresses import mask_address
from server.outbox.budgets import player_origin
from server.outbox.queue import UnitOfWork
from server.store.models import Game, Player
from server.store.states import Channel
from server.store.stored_availability import load_availability, read_time
from server.time_control.availability import LONGEST_SLEEP, LONGEST_VACATION, MOST_DAYS_OFF, Availability
from server.web.account.sign_in_pages import allow_sign_in, too_many_sentence
from server.web.game.ticket_context import (
    SeatForm,
    TicketContext,
    answers_seat_form,
    load_ticket,
    redirect_to_game,
    render_form,
    render_note,
    token_of,
)
from server.web.kit import visitors
from server.web.kit.request_context import current_context, in_transaction, now

pages = Blueprint("absence_pages", __name__)
WEEK = range(7)
CHANGES_PER_HOUR = 60
"""Changes that one player may make within an hour: more than anyone makes by hand."""


class PresenceChange(StrEnum):
    """What was done, as the query `kept` says it."""

    AWAY = "away"
    BACK = "back"
    REMOVED = "removed"
    REST = "rest"


@pages.get("/t/<token>/away")
def show_away_page(token: str) -> str:
    return _render_away(load_ticket(token))


def _render_away(case: TicketContext, wrong: str = "") -> str:
    player, game, own = case.player, case.game.id, case.is_own_browser
    with current_context().reading() as session:
        availability = load_availability(session, player)
        today = local_today(session, player, now())
        ahead = [
            (row.id, format_days(row.first, row.last)) for row in list_ahead(session, player, game, now())
        ]
        until = away_until(session, player, game, now())
    return render_form(
        "away.html",
        SeatForm.AWAY,
        case,
        wrong,
        own=own,
        tells=own or case.may_resign,
        typed={**_rest_fields(availability), "first": "", "last": "", **_typed_fields()},
        kept=request.args.get("kept", ""),
        away=describe_own_absence(until),
        is_away=(own and until is not None) or case.is_caretaken,
        kept_seat=case.is_caretaken,
        skipped=case.is_skipped,
        ahead=ahead,
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
        action=case.link_to("absence_pages.change_presence"),
        sign_in=case.link_to("sign_in_pages.show_link_offer"),
        settings_link=case.link_to("settings_page.show_settings"),
    )


def _typed_fields() -> dict[str, str]:
    return {name: value.strip()[:40] for name, value in request.form.items()}


@pages.post("/t/<token>/away")
@answers_seat_form(SeatForm.AWAY, _render_away, 422)
def change_presence(case: TicketContext) -> ResponseReturnValue:
    """Add or remove days away, or store sleep hours and days off."""
    who = player_origin(case.player).text
    if not visitors.allow(visitors.LimitedAction.DAYS_AWAY, CHANGES_PER_HOUR, who):
        wrong = gettext("You have changed your days away very often. Please wait for a while.")
        return _render_away(case, wrong), 429
    kept = in_transaction(lambda unit: _do_choice(unit, case, _typed_fields()))
    return redirect(case.link_to("absence_pages.show_away_page", kept=kept), 303)


def _do_choice(unit: UnitOfWork, case: TicketContext, typed: Mapping[str, str]) -> PresenceChange:
    """Perform the choice of the form. Raises `VacationRefused` and what `return_player` raises."""
    own, session, player = case.is_own_browser, unit.session, case.player
    choice = typed.get("wish", "")
    if choice == PresenceChange.BACK:
        return_player(unit, player, case.game.id, Channel.WEB, everywhere=own)
        return PresenceChange.BACK
    if choice == PresenceChange.AWAY and (own or case.may_resign):
        first, last = _read_days(session, player, typed)
        take_vacation(session, player, first, last, unit.now, only_adds=not own)
        return PresenceChange.AWAY
    if not own:
        raise VacationRefused(gettext("Sign in first: days away hold in all your games."))
    if choice.startswith("remove"):
        number = choice.removeprefix("remove")
        if number.isascii() and number.isdigit() and len(number) < 10:
            remove_vacation(session, player, int(number), unit.now)
        return PresenceChange.REMOVED
    if choice == PresenceChange.REST:
        sleeps, days = _read_rest(typed)
        store_rest(session, player, sleeps, days, unit.now)
        return PresenceChange.REST
    raise VacationRefused(gettext("Please choose one of these."))


def _read_days(session: Session, player: int, typed: Mapping[str, str]) -> tuple[date, date]:
    """Parse the typed days; the first is today by default. Raises `VacationRefused`."""
    try:
        last = date.fromisoformat(typed.get("last", ""))
        first = date.fromisoformat(typed["first"]) if typed.get("first") else None
    except ValueError:
        raise VacationRefused(gettext("Please give the days as dates: the last one is needed.")) from None
    return first or local_today(session, player, now()), last


def _read_rest(typed: Mapping[str, str]) -> tuple[tuple[time, time] | None, frozenset[int]]:
    days = frozenset(day for day in WEEK if typed.get(f"off{day}") == "yes")
    written = typed.get("sleeps-from", ""), typed.get("sleeps-until", "")
    if written == ("", ""):
        return None, days
    begins, ends = map(read_time, written)
    if begins is None or ends is None:
        raise VacationRefused(gettext("Please give both hours of your sleep, or none."))
    return (begins, ends), days


def _rest_fields(availability: Availability) -> dict[str, str]:
    sleeps = availability.sleeps_from, availability.sleeps_until
    begins, ends = ("" if one is None else f"{one:%H:%M}" for one in sleeps)
    off = {f"off{day}": "yes" for day in availability.days_off}
    return {"sleeps-from": begins, "sleeps-until": ends, **off}


def _render_resign(case: TicketContext, wrong: str = "", sent: bool = False) -> str:
    with current_context().reading() as session:
        address = session.get_one(Player, case.player).address
    return render_form(
        "resign.html",
        SeatForm.RESIGN,
        case,
        wrong,
        own=case.is_own_browser,
        address=mask_address(address),
        sent=sent,
        action=case.link_to("absence_pages.resign_game"),
    )


def _render_not_back(case: TicketContext, wrong: str) -> str:
    return render_note(case, gettext("You are not back"), wrong)


@pages.get("/t/<token>/resign")
def show_resign_page(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    return _render_resign(case, sent="sent" in request.args) if case.may_resign else redirect_to_game(case)


@pages.post("/t/<token>/resign")
@answers_seat_form(SeatForm.RESIGN, _render_resign)
def resign_game(case: TicketContext) -> ResponseReturnValue:
    """Hand the seat to a caretaker; mail a link to sign in if the player is not signed in."""
    if not case.may_resign:
        return redirect_to_game(case)
    if not case.is_own_browser:
        return _mail_link(case)
    in_transaction(lambda unit: resign(unit, case.game.id, case.ticket.seat, Channel.WEB))
    said = (
        gettext("A caretaker plays on for your seat, and the others are told. You can go on watching."),
        gettext("Until somebody else has the seat you can come back."),
    )
    return render_note(load_ticket(token_of(case.ticket)), gettext("You have resigned"), " ".join(said))


@pages.post("/t/<token>/return")
@answers_seat_form(SeatForm.RETURN, _render_not_back)
def take_back(case: TicketContext) -> ResponseReturnValue:
    """Undo a resignation. A second press changes nothing."""

    def come_back(unit: UnitOfWork, game: Game) -> bool:
        return take_back_resignation(unit, game.id, case.ticket.seat, case.player, Channel.WEB)

    change_with_retries(current_context(), case.game.id, now(), come_back)
    return render_note(case, gettext("You are back"), gettext(YOU_ARE_BACK))


def _mail_link(case: TicketContext) -> ResponseReturnValue:
    if not allow_sign_in():
        return _render_resign(case, too_many_sentence()), 429
    sign_in.request_link_for(current_context(), case.player, now(), case.game.id)
    return redirect(case.link_to("absence_pages.show_resign_page", sent="1"), 303)
