"""The page on which a player says which letters they want, in which language, and at which address.

Every ticket of their seat leads there, so whoever has their mail can open it; the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from emails.i18n import LANGUAGES, UTC_ZONE, gettext, gettext_noop, zone_names
from emails.letters.preferences_text import Pace
from emails.letters.proposal_letter import LONGEST_ADDRESS
from emails.tokens import seal_unsubscribe
from emails.wording import phrases
from server.accounts import addresses, undeliverable
from server.accounts.paused_clocks import find_bounce_mark
from server.outbox.preferences import (
    LONGEST_PAUSE,
    SHORTEST_PAUSE,
    Preferences,
    has_own_preferences,
    load_preferences,
    reset_preferences,
    store_preferences,
)
from server.outbox.unit_of_work import open_unit
from server.store.models import Player
from server.store.refusals import Refusal
from server.web.game.at_once import build_at_once_form
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, token_of
from server.web.kit import request_context
from server.web.kit.errors import GameGone
from server.web.kit.request_context import current_context, now

ALL_GAMES_PREFIX, THIS_GAME_PREFIX = "all-", "own-"
"""How the fields begin that hold for all games, and those that hold for this one."""
SWITCH_FIELDS = ("moves", "messages", "pictures")
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
}  # what else the time zone database holds are names of old
pages = Blueprint("settings_page", __name__)
FieldErrors = dict[str, str]
"""What is wrong, by the field beside which it is said; without a field: at the top."""


@pages.get("/t/<token>/settings")
def show_settings(token: str) -> str:
    """The settings as they are."""
    case = load_ticket(token)
    with current_context().reading() as session:
        typed = _form_values(session, case)
    return _render_page(case, typed, {}, request.args.get("kept", "")[:10])


@pages.post("/t/<token>/settings")
def save_settings(token: str) -> ResponseReturnValue:
    """Keep what was chosen, all of it or nothing."""
    case = load_ticket(token)
    typed = {name: value.strip()[:200] for name, value in request.form.items()}
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        with current_context().reading() as session:
            return _render_page(
                case, _form_values(session, case) | typed, {"": gettext(request_context.FORM_EXPIRED)}
            ), 400
    player, wrong = _player_of(case), FieldErrors()
    with current_context().writing() as session:
        before = load_preferences(session, player)
        everywhere = _read_preferences(typed, ALL_GAMES_PREFIX, before, wrong)
        everywhere = replace(
            everywhere, language=typed.get("language", before.language), zone=typed.get("zone", before.zone)
        )
        here = (
            _read_preferences(typed, THIS_GAME_PREFIX, everywhere, wrong)
            if typed.get("scope") == "own"
            else None
        )
        try:
            if not wrong:
                _save_preferences(session, player, case.game.id, everywhere, here, now())
        except Refusal as error:
            wrong[""] = error.sentence
        if wrong:
            session.rollback()
            return _render_page(case, _form_values(session, case) | typed, wrong), 422
        session.commit()
    current_context().wake()
    return redirect(url_for("settings_page.show_settings", token=token, kept="1"), 303)


@pages.post("/t/<token>/settings/address")
def change_address(token: str) -> ResponseReturnValue:
    """Ask at a new address whether it is this player's; nothing changes before it answers."""
    case = load_ticket(token)
    address = request.form.get("address", "").strip()[:LONGEST_ADDRESS]
    wrong, status = FieldErrors(), 422
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        wrong, status = {"": gettext(request_context.FORM_EXPIRED)}, 400
    else:
        try:
            addresses.request_address_confirmation(
                current_context(), case.game.id, case.ticket.seat, address, now()
            )
        except Refusal as error:
            wrong["address"] = error.sentence
    with current_context().reading() as session:
        typed = _form_values(session, case)
    if wrong:
        return _render_page(case, typed | {"address": address}, wrong), status
    return redirect(url_for("settings_page.show_settings", token=token, kept="address"), 303)


@pages.post("/t/<token>/settings/second")
def change_second_address(token: str) -> ResponseReturnValue:
    """Ask at a second address whether it is this player's, or (with nothing typed) forget theirs."""
    case = load_ticket(token)
    address = request.form.get("second", "").strip()[:LONGEST_ADDRESS]
    wrong, status = FieldErrors(), 422
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        wrong, status = {"": gettext(request_context.FORM_EXPIRED)}, 400
    elif request.form.get("wish") == "forget":
        addresses.remove_second_address(current_context(), case.game.id, case.ticket.seat)
    else:
        try:
            addresses.request_address_confirmation(
                current_context(), case.game.id, case.ticket.seat, address, now(), second=True
            )
        except Refusal as error:
            wrong["second"] = error.sentence
    if wrong:
        with current_context().reading() as session:
            typed = _form_values(session, case)
        return _render_page(case, typed | {"second": address}, wrong), status
    kept = "1" if request.form.get("wish") == "forget" else "address"
    return redirect(url_for("settings_page.show_settings", token=token, kept=kept), 303)


@pages.post("/t/<token>/settings/again")
def resume_delivery(token: str) -> ResponseReturnValue:
    """The player says that letters can reach their address again."""
    case = load_ticket(token)
    if not request_context.is_csrf_valid(_csrf_subject(case)):
        with current_context().reading() as session:
            typed = _form_values(session, case)
        return _render_page(case, typed, {"": gettext(request_context.FORM_EXPIRED)}), 400
    with open_unit(current_context(), now()) as unit:
        undeliverable.clear_bounce_of_seat(unit, case.game.id, case.ticket.seat)
        unit.commit()
    return redirect(url_for("settings_page.show_settings", token=token, kept="again"), 303)


def _save_preferences(
    session: Session,
    player: int,
    game: str,
    everywhere: Preferences,
    here: Preferences | None,
    moment: datetime,
) -> None:
    """Keep what differs from what was said before. Raises `InvalidPreferences`."""
    if everywhere.check() != load_preferences(session, player):
        store_preferences(session, player, "", everywhere, moment)
    if here is None:
        if has_own_preferences(session, player, game):
            reset_preferences(session, player, game, moment)
    elif here != load_preferences(session, player, game) or not has_own_preferences(session, player, game):
        store_preferences(session, player, game, here, moment)


def _player_of(case: TicketContext) -> int:
    """Who sits there; raises `GameGone` where nobody does who could get letters."""
    if case.seating.player is None:
        raise GameGone
    return case.seating.player


def _csrf_subject(case: TicketContext) -> str:
    return f"settings {case.game.id} {case.ticket.seat}"


# --- the form as it is typed ----------------------------------------------------------------------------


def _form_values(session: Session, case: TicketContext) -> dict[str, str]:
    """What is kept, as the fields of the form hold it."""
    player, game = _player_of(case), case.game.id
    everywhere = load_preferences(session, player)
    return {
        "language": everywhere.language,
        "zone": everywhere.zone,
        "scope": "own" if has_own_preferences(session, player, game) else "all",
        "address": "",
        "second": "",
        **_preference_fields(ALL_GAMES_PREFIX, everywhere),
        **_preference_fields(THIS_GAME_PREFIX, load_preferences(session, player, game)),
    }


def _preference_fields(begin: str, chosen: Preferences) -> dict[str, str]:
    found = {"pace": chosen.pace, "minutes": str(chosen.minutes), "hour": str(chosen.hour)}
    found |= {name: YES if getattr(chosen, name) else NO for name in SWITCH_FIELDS}
    return {begin + name: value for name, value in found.items()}


def _read_preferences(
    typed: Mapping[str, str], begin: str, before: Preferences, wrong: FieldErrors
) -> Preferences:
    """What the fields of one part say; what cannot be read is noted in `wrong`."""
    held = {**_preference_fields(begin, before), **typed}
    pace = next((one for one in Pace if one == held[f"{begin}pace"]), None)
    if pace is None:
        wrong[f"{begin}pace"] = gettext("Please choose one of these.")
        return before
    minutes, hour = _parse_number(held[f"{begin}minutes"]), _parse_number(held[f"{begin}hour"])
    if pace != Pace.GATHERED:  # the field is not asked for then
        minutes = (
            minutes if minutes is not None and SHORTEST_PAUSE <= minutes <= LONGEST_PAUSE else before.minutes
        )
    if minutes is None or not SHORTEST_PAUSE <= minutes <= LONGEST_PAUSE:
        sentence = gettext(
            "Please give a whole number from %(least)s to %(most)s.", least=SHORTEST_PAUSE, most=LONGEST_PAUSE
        )
        wrong[f"{begin}minutes"] = sentence
    if hour is None or not 0 <= hour <= 23:
        wrong[f"{begin}hour"] = gettext("Please choose one of these.")
    for name in SWITCH_FIELDS:
        if held[begin + name] not in (YES, NO):
            wrong[begin + name] = gettext("Please choose one of these.")
    return replace(
        before,
        pace=pace,
        minutes=minutes or 0,
        hour=hour or 0,
        moves=held[f"{begin}moves"] == YES,
        messages=held[f"{begin}messages"] == YES,
        pictures=held[f"{begin}pictures"] == YES,
    )


def _parse_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


# --- the page -------------------------------------------------------------------------------------------


def _render_page(case: TicketContext, typed: Mapping[str, str], wrong: FieldErrors, kept: str = "") -> str:
    token = token_of(case.turn_ticket)
    player = _player_of(case)
    with current_context().reading() as session:
        address = session.get_one(Player, player).address
        stopped = not load_preferences(session, player, case.game.id).letters
        mark, other = find_bounce_mark(session, player), addresses.second_address_of(session, player)
    zone = typed["zone"] if typed["zone"] in zone_names() else UTC_ZONE
    holder = case.history.holder_code(case.ticket.seat)
    return render_template(
        "settings.html",
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        typed=typed,
        wrong=wrong,
        kept=kept,
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        regions=_zones_by_region(zone),
        tick=build_at_once_form(case),
        clock=now().astimezone(ZoneInfo(zone)).strftime("%H:%M"),
        least=SHORTEST_PAUSE,
        most=LONGEST_PAUSE,
        stopped=stopped,
        address=address,
        mark=mark,
        second=other,
        longest_address=LONGEST_ADDRESS,
        nonce=request_context.csrf_token(_csrf_subject(case)),
        action=url_for("settings_page.save_settings", token=token),
        move_action=url_for("settings_page.change_address", token=token),
        second_action=url_for("settings_page.change_second_address", token=token),
        again_action=url_for("settings_page.resume_delivery", token=token),
        stop_link=url_for(
            "unsubscribe_page.show_unsubscribe_page",
            token=seal_unsubscribe(case.game.id, holder, current_context().links.keys),
        ),
        game_link=link_of(case.turn_ticket),
        links_link=url_for("links_page.show_links_page", token=token),
    )


def _zones_by_region(chosen: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The time zones by their part of the world, each with the name that people know; UTC alone first."""
    found: dict[str, list[tuple[str, str]]] = {"": [(UTC_ZONE, UTC_ZONE)]}
    if chosen != UTC_ZONE and chosen.partition("/")[0] not in ZONE_REGIONS:
        found[""].append((chosen, chosen))
    for name in sorted(zone_names()):
        region, _, place = name.partition("/")
        if region in ZONE_REGIONS and place:
            found.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [(gettext(ZONE_REGIONS[region]) if region else "", places) for region, places in found.items()]
