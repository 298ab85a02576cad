"""The page on which a player says which letters he wants, in which language, and at which address.

Every ticket of his seat leads there, so whoever has his mail can open it; the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from emails.i18n import LANGUAGES, UTC_ZONE, say, sentence, zones
from emails.links import seal_stop
from emails.wording import phrases
from server.accounts import addresses, undeliverable
from server.accounts.paused_clocks import marked
from server.lobby.games import LONGEST_ADDRESS
from server.outbox.preferences import (
    LONGEST,
    PACES,
    SHORTEST,
    NotWanted,
    Wants,
    is_own,
    keep,
    keep_nothing,
    wants,
)
from server.store.models import Player
from server.web.game.ticket_context import Case, find, link_of, token_of
from server.web.kit import request_context
from server.web.kit.errors import Gone
from server.web.kit.request_context import now, office

ALL, OWN = "all-", "own-"
"""How the fields begin that hold for all games, and those that hold for this one."""
SWITCHES = ("moves", "messages", "pictures")
YES, NO = "yes", "no"
REGIONS = {
    "Africa": sentence("Africa"),
    "America": sentence("America"),
    "Antarctica": sentence("Antarctica"),
    "Arctic": sentence("Arctic"),
    "Asia": sentence("Asia"),
    "Atlantic": sentence("Atlantic"),
    "Australia": sentence("Australia"),
    "Europe": sentence("Europe"),
    "Indian": sentence("Indian Ocean"),
    "Pacific": sentence("Pacific"),
}  # what else the time zone database holds are names of old
pages = Blueprint("settings_page", __name__)
Wrong = dict[str, str]
"""What is wrong, by the field beside which it is said; without a field: at the top."""


@pages.get("/t/<token>/settings")
def show(token: str) -> str:
    """The settings as they are."""
    case = find(token)
    with office().reading() as session:
        typed = _as_typed(session, case)
    return _page(case, typed, {}, request.args.get("kept", "")[:10])


@pages.post("/t/<token>/settings")
def change(token: str) -> ResponseReturnValue:
    """Keep what was chosen, all of it or nothing."""
    case = find(token)
    typed = {name: value.strip()[:200] for name, value in request.form.items()}
    if not request_context.is_pressed(_subject(case)):
        with office().reading() as session:
            return _page(case, _as_typed(session, case) | typed, {"": say(request_context.TOO_OLD)}), 400
    player, wrong = _player(case), Wrong()
    with office().writing() as session:
        before = wants(session, player)
        everywhere = _read(typed, ALL, before, wrong)
        everywhere = replace(
            everywhere, language=typed.get("language", before.language), zone=typed.get("zone", before.zone)
        )
        here = _read(typed, OWN, everywhere, wrong) if typed.get("scope") == "own" else None
        try:
            if not wrong:
                _keep(session, player, case.game.id, everywhere, here, now())
        except NotWanted as error:
            wrong[""] = str(error)
        if wrong:
            session.rollback()
            return _page(case, _as_typed(session, case) | typed, wrong), 422
        session.commit()
    office().wake()
    return redirect(url_for("settings_page.show", token=token, kept="1"), 303)


@pages.post("/t/<token>/settings/address")
def move(token: str) -> ResponseReturnValue:
    """Ask at a new address whether it is this player's; nothing changes before it answers."""
    case = find(token)
    address = request.form.get("address", "").strip()[:LONGEST_ADDRESS]
    wrong, status = Wrong(), 422
    if not request_context.is_pressed(_subject(case)):
        wrong, status = {"": say(request_context.TOO_OLD)}, 400
    else:
        try:
            addresses.ask_address(office(), case.game.id, case.ticket.seat, address, now())
        except addresses.NotConfirmed as error:
            wrong["address"] = str(error)
    with office().reading() as session:
        typed = _as_typed(session, case)
    if wrong:
        return _page(case, typed | {"address": address}, wrong), status
    return redirect(url_for("settings_page.show", token=token, kept="address"), 303)


@pages.post("/t/<token>/settings/second")
def second(token: str) -> ResponseReturnValue:
    """Ask at a second address whether it is this player's, or (with nothing typed) forget the one he has."""
    case = find(token)
    address = request.form.get("second", "").strip()[:LONGEST_ADDRESS]
    wrong, status = Wrong(), 422
    if not request_context.is_pressed(_subject(case)):
        wrong, status = {"": say(request_context.TOO_OLD)}, 400
    elif request.form.get("wish") == "forget":
        addresses.forget_second(office(), case.game.id, case.ticket.seat)
    else:
        try:
            addresses.ask_address(office(), case.game.id, case.ticket.seat, address, now(), second=True)
        except addresses.NotConfirmed as error:
            wrong["second"] = str(error)
    if wrong:
        with office().reading() as session:
            typed = _as_typed(session, case)
        return _page(case, typed | {"second": address}, wrong), status
    kept = "1" if request.form.get("wish") == "forget" else "address"
    return redirect(url_for("settings_page.show", token=token, kept=kept), 303)


@pages.post("/t/<token>/settings/again")
def again(token: str) -> ResponseReturnValue:
    """The player says that letters can reach his address again."""
    case = find(token)
    if not request_context.is_pressed(_subject(case)):
        with office().reading() as session:
            typed = _as_typed(session, case)
        return _page(case, typed, {"": say(request_context.TOO_OLD)}), 400
    undeliverable.try_again(office(), case.game.id, case.ticket.seat, now())
    return redirect(url_for("settings_page.show", token=token, kept="again"), 303)


def _keep(
    session: Session, player: int, game: str, everywhere: Wants, here: Wants | None, moment: datetime
) -> None:
    """Keep what differs from what was said before. Raises `NotWanted`."""
    if everywhere.checked() != wants(session, player):
        keep(session, player, "", everywhere, moment)
    if here is None:
        if is_own(session, player, game):
            keep_nothing(session, player, game, moment)
    elif here != wants(session, player, game) or not is_own(session, player, game):
        keep(session, player, game, here, moment)


def _player(case: Case) -> int:
    """Who sits there; raises `Gone` where nobody does who could get letters."""
    if case.seating.player is None:
        raise Gone
    return case.seating.player


def _subject(case: Case) -> str:
    return f"settings {case.game.id} {case.ticket.seat}"


# --- the form as it is typed ----------------------------------------------------------------------------


def _as_typed(session: Session, case: Case) -> dict[str, str]:
    """What is kept, as the fields of the form hold it."""
    player, game = _player(case), case.game.id
    everywhere = wants(session, player)
    return {
        "language": everywhere.language,
        "zone": everywhere.zone,
        "scope": "own" if is_own(session, player, game) else "all",
        "address": "",
        "second": "",
        **_fields(ALL, everywhere),
        **_fields(OWN, wants(session, player, game)),
    }


def _fields(begin: str, chosen: Wants) -> dict[str, str]:
    found = {"pace": chosen.pace, "minutes": str(chosen.minutes), "hour": str(chosen.hour)}
    found |= {name: YES if getattr(chosen, name) else NO for name in SWITCHES}
    return {begin + name: value for name, value in found.items()}


def _read(typed: Mapping[str, str], begin: str, before: Wants, wrong: Wrong) -> Wants:
    """What the fields of one part say; what cannot be read is noted in `wrong`."""
    held = {**_fields(begin, before), **typed}
    pace = next((one for one in PACES if one == held[f"{begin}pace"]), None)
    if pace is None:
        wrong[f"{begin}pace"] = say("Please choose one of these.")
        return before
    minutes, hour = _number(held[f"{begin}minutes"]), _number(held[f"{begin}hour"])
    if pace != "gathered":  # the field is not asked for then
        minutes = minutes if minutes is not None and SHORTEST <= minutes <= LONGEST else before.minutes
    if minutes is None or not SHORTEST <= minutes <= LONGEST:
        sentence = say("Please give a whole number from %(least)s to %(most)s.", least=SHORTEST, most=LONGEST)
        wrong[f"{begin}minutes"] = sentence
    if hour is None or not 0 <= hour <= 23:
        wrong[f"{begin}hour"] = say("Please choose one of these.")
    for name in SWITCHES:
        if held[begin + name] not in (YES, NO):
            wrong[begin + name] = say("Please choose one of these.")
    return replace(
        before,
        pace=pace,
        minutes=minutes or 0,
        hour=hour or 0,
        moves=held[f"{begin}moves"] == YES,
        messages=held[f"{begin}messages"] == YES,
        pictures=held[f"{begin}pictures"] == YES,
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


# --- the page -------------------------------------------------------------------------------------------


def _page(case: Case, typed: Mapping[str, str], wrong: Wrong, kept: str = "") -> str:
    token = token_of(case.turn_ticket)
    player = _player(case)
    with office().reading() as session:
        address = session.get_one(Player, player).address
        stopped = not wants(session, player, case.game.id).letters
        mark, other = marked(session, player), addresses.second_of(session, player)
    zone = typed["zone"] if typed["zone"] in zones() else UTC_ZONE
    holder = case.history.holder(case.ticket.seat)
    return render_template(
        "settings.html",
        name=phrases.shown(case.game.name),
        reader=phrases.shown(case.seating.name),
        typed=typed,
        wrong=wrong,
        kept=kept,
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        regions=_regions(zone),
        clock=now().astimezone(ZoneInfo(zone)).strftime("%H:%M"),
        least=SHORTEST,
        most=LONGEST,
        stopped=stopped,
        address=address,
        mark=mark,
        second=other,
        longest_address=LONGEST_ADDRESS,
        nonce=request_context.button(_subject(case)),
        action=url_for("settings_page.change", token=token),
        move_action=url_for("settings_page.move", token=token),
        second_action=url_for("settings_page.second", token=token),
        again_action=url_for("settings_page.again", token=token),
        stop_link=url_for("unsubscribe_page.show", token=seal_stop(case.game.id, holder, _secret())),
        game_link=link_of(case.turn_ticket),
    )


def _secret() -> bytes:
    return office().post.secret


def _regions(chosen: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The time zones by their part of the world, each with the name that people know; UTC alone first."""
    found: dict[str, list[tuple[str, str]]] = {"": [(UTC_ZONE, UTC_ZONE)]}
    if chosen != UTC_ZONE and chosen.partition("/")[0] not in REGIONS:
        found[""].append((chosen, chosen))
    for name in sorted(zones()):
        region, _, place = name.partition("/")
        if region in REGIONS and place:
            found.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [(say(REGIONS[region]) if region else "", places) for region, places in found.items()]
