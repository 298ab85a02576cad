"""The settings page: which letters a player wants, and in which language and time zone.

Every ticket of a seat leads here, and a ticket may come from a forwarded letter. So a ticket changes only the
settings of its game; settings for all games need a signed-in player. The page links to unsubscribing only
while the game is not over: after that a ticket is read-only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from emails.i18n import UTC_ZONE, gettext, gettext_noop, zone_names
from emails.languages.supported_languages import LANGUAGES
from emails.letters.account_letters import Pace
from emails.letters.lobby_letters import LONGEST_ADDRESS
from emails.picture.palette import clean_name
from emails.tokens import seal_unsubscribe
from server.accounts.bounces import find_bounce_mark
from server.accounts.vacations import keep_time_left
from server.mail_addresses import mask_address
from server.outbox.preferences import (
    LONGEST_PAUSE,
    SHORTEST_PAUSE,
    Preferences,
    has_own_preferences,
    load_preferences,
    reset_preferences,
    store_preferences,
)
from server.outbox.queue import UnitOfWork
from server.store.models import Player
from server.store.states import GameStatus
from server.web.account.unsubscribe_page import unwanted_page_link
from server.web.game.ticket_context import (
    SeatForm,
    TicketContext,
    answers_seat_form,
    load_ticket,
    render_form,
    token_of,
)
from server.web.game.ticket_pages import build_one_click_form
from server.web.kit.request_context import current_context, in_transaction, now, redirect_to

ALL_GAMES_PREFIX, THIS_GAME_PREFIX = "all-", "own-"
SWITCH_FIELDS = (
    "moves",
    "reminders",
    "messages",
    "pictures",
    "everything",
    "suggestions",
    "one_conversation",
)
YES, NO = "yes", "no"
ZONE_REGIONS = {
    "Africa": gettext_noop("Africa"),
    "America": gettext_noop("America"),
    "Antarctica": gettext_noop("Antarctica"),
    "Arctic": gettext_noop("Arctic"),
    "Asia": gettext_noop("Asia"),
    "Atlantic": gettext_noop("Atlantic"),
    "Australia": gettext_noop("Australia"),
    "Europe": gettext_noop("Europe"),
    "Indian": gettext_noop("Indian Ocean"),
    "Pacific": gettext_noop("Pacific"),
}  # other names in the time zone database are deprecated
FieldErrors = dict[str, str]
"""Error sentence by field; the empty name stands for the top of the form."""


def form_values(session: Session, player: int, game: str) -> dict[str, str]:
    everywhere = load_preferences(session, player)
    return {
        "language": everywhere.language,
        "zone": everywhere.zone,
        "scope": "own" if has_own_preferences(session, player, game) else "all",
        "address": "",
        **_preference_fields(ALL_GAMES_PREFIX, everywhere),
        **_preference_fields(THIS_GAME_PREFIX, load_preferences(session, player, game)),
    }


def _preference_fields(begin: str, chosen: Preferences) -> dict[str, str]:
    found = {"pace": chosen.pace, "minutes": str(chosen.minutes), "hour": str(chosen.hour)}
    found |= {name: YES if getattr(chosen, name) else NO for name in SWITCH_FIELDS}
    return {begin + name: value for name, value in found.items()}


def read_preferences(
    typed: Mapping[str, str], begin: str, before: Preferences, wrong: FieldErrors
) -> Preferences:
    """Parse the fields with prefix `begin`; invalid ones are added to `wrong`."""
    held = {**_preference_fields(begin, before), **typed}
    said = {name: held[begin + name] for name in ("pace", "minutes", "hour", *SWITCH_FIELDS)}
    switches = dict.fromkeys(SWITCH_FIELDS, (YES, NO))
    choices = {**switches, "pace": tuple(Pace), "hour": tuple(map(str, range(24)))}
    unknown = [name for name, known in choices.items() if said[name] not in known]
    wrong |= {begin + name: gettext("Please choose one of these.") for name in unknown}
    minutes = int(said["minutes"]) if re.fullmatch("[0-9]{1,5}", said["minutes"]) else 0
    if not SHORTEST_PAUSE <= minutes <= LONGEST_PAUSE:
        if said["pace"] == Pace.GATHERED:  # else the field is hidden
            wrong[f"{begin}minutes"] = gettext(
                "Please give a whole number from %(least)s to %(most)s.",
                least=SHORTEST_PAUSE,
                most=LONGEST_PAUSE,
            )
        minutes = before.minutes
    if unknown:
        return before
    ticks: dict[str, Any] = {name: said[name] == YES for name in SWITCH_FIELDS}
    return replace(before, pace=Pace(said["pace"]), minutes=minutes, hour=int(said["hour"]), **ticks)


def zones_by_region(chosen: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the time zones by region, each with its display name; UTC comes first, without a region."""
    found: dict[str, list[tuple[str, str]]] = {"": [(UTC_ZONE, UTC_ZONE)]}
    if chosen != UTC_ZONE and chosen.partition("/")[0] not in ZONE_REGIONS:
        found[""].append((chosen, chosen))
    for name in sorted(zone_names()):
        region, _, place = name.partition("/")
        if region in ZONE_REGIONS and place:
            found.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [(gettext(ZONE_REGIONS[region]) if region else "", places) for region, places in found.items()]


NOTHING: Mapping[str, str] = {}
pages = Blueprint("settings_page", __name__)


def render_settings(
    case: TicketContext,
    wrong: str = "",
    beside: Mapping[str, str] = NOTHING,
    kept: str = "",
) -> str:
    """`wrong` is shown at the top, `beside` beside fields; `kept` names what was just done."""
    player, own = case.player, case.is_own_browser
    with current_context().reading() as session:
        address = session.get_one(Player, player).address
        typed = form_values(session, player, case.game.id) | typed_fields()
        stopped = not load_preferences(session, player, case.game.id).letters
        mark = find_bounce_mark(session, player)
    zone = typed["zone"] if typed["zone"] in zone_names() else UTC_ZONE
    return render_form(
        "settings.html",
        SeatForm.SETTINGS,
        case,
        wrong,
        beside=beside,
        typed=typed,
        kept=kept,
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        regions=zones_by_region(zone),
        tick=build_one_click_form(case),
        clock=now().astimezone(ZoneInfo(zone)).strftime("%H:%M"),
        least=SHORTEST_PAUSE,
        most=LONGEST_PAUSE,
        stopped=stopped,
        address=clean_name(address, LONGEST_ADDRESS) if own else mask_address(address),
        own=own,
        mark=mark,
        timed=case.game.status == GameStatus.RUNNING and case.game.turn_minutes > 0,
        clock_paused=case.history.is_clock_paused(case.ticket.seat),
        longest_address=LONGEST_ADDRESS,
        action=case.link_to("settings_page.save_settings"),
        move_action=case.link_to("address_pages.change_address"),
        again_action=case.link_to("address_pages.resume_delivery"),
        links_link=case.link_to("address_pages.show_links_page"),
        away_link=case.link_to("absence_pages.show_away_page") if case.may_resign else "",
        resign_link=case.link_to("absence_pages.show_resign_page") if case.may_resign else "",
        sign_in_action=case.link_to("address_pages.mail_sign_in_link"),
        unwanted_link=unwanted_page_link(address) if own else "",
        stop_link=_unsubscribe_link(case) if own or case.game.status != GameStatus.OVER else "",
    )


def _unsubscribe_link(case: TicketContext) -> str:
    holder = case.history.holder_code(case.ticket.seat)
    token = seal_unsubscribe(case.game.id, holder, current_context().links.keys)
    return url_for("unsubscribe_page.show_unsubscribe_page", token=token)


def typed_fields() -> dict[str, str]:
    return {name: value.strip()[:200] for name, value in request.form.items()}


@pages.get("/t/<token>/settings")
def show_settings(token: str) -> str:
    return render_settings(load_ticket(token), kept=request.args.get("kept", "")[:10])


@pages.post("/t/<token>/settings")
@answers_seat_form(SeatForm.SETTINGS, render_settings, 422)
def save_settings(case: TicketContext) -> ResponseReturnValue:
    """Store all settings of the form or none; those for all games only if the player is signed in."""
    wrong = FieldErrors()
    in_transaction(lambda unit: _store_settings(unit, case, wrong))
    if wrong:
        return render_settings(case, beside=wrong), 422
    return redirect_to("settings_page.show_settings", token=token_of(case.ticket), kept="1")


def _store_settings(unit: UnitOfWork, case: TicketContext, wrong: FieldErrors) -> None:
    """Store the settings, unless a field is `wrong`. Raises `InvalidPreferences`."""
    session, player, game, typed = unit.session, case.player, case.game.id, typed_fields()
    before = everywhere = load_preferences(session, player)
    if case.is_own_browser:
        everywhere = replace(
            read_preferences(typed, ALL_GAMES_PREFIX, before, wrong),
            language=typed.get("language", before.language),
            zone=typed.get("zone", before.zone),
        )
    here = None
    if typed.get("scope") == "own":
        here = read_preferences(typed, THIS_GAME_PREFIX, everywhere, wrong)
    if wrong:
        return
    has_own = has_own_preferences(session, player, game)
    with keep_time_left(session, player, unit.now):  # sleep hours follow the zone
        if everywhere.check() != before:
            store_preferences(session, player, None, everywhere, unit.now)
        if here is None and has_own:
            reset_preferences(session, player, game, unit.now)
        elif here is not None and (not has_own or here != load_preferences(session, player, game)):
            store_preferences(session, player, game, here, unit.now)
