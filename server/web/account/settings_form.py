"""The fields of the settings form: what is kept, and what was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from emails.i18n import UTC_ZONE, gettext, gettext_noop, zone_names
from emails.letters.preferences_text import Pace
from server.outbox.preferences import (
    LONGEST_PAUSE,
    SHORTEST_PAUSE,
    Preferences,
    has_own_preferences,
    load_preferences,
)

ALL_GAMES_PREFIX, THIS_GAME_PREFIX = "all-", "own-"
"""How the fields begin that hold for all games, and those that hold for this one."""
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
}  # what else the time zone database holds are names of old
FieldErrors = dict[str, str]
"""What is wrong, by the field beside which it is said; without a field: at the top."""


def form_values(session: Session, player: int, game: str) -> dict[str, str]:
    """What is kept, as the fields of the form hold it."""
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
    """What the fields of one part say; what cannot be read is noted in `wrong`."""
    held = {**_preference_fields(begin, before), **typed}
    said = {name: held[begin + name] for name in ("pace", "minutes", "hour", *SWITCH_FIELDS)}
    switches = dict.fromkeys(SWITCH_FIELDS, (YES, NO))
    choices = {**switches, "pace": tuple(Pace), "hour": tuple(map(str, range(24)))}
    unknown = [name for name, known in choices.items() if said[name] not in known]
    wrong |= {begin + name: gettext("Please choose one of these.") for name in unknown}
    minutes = int(said["minutes"]) if re.fullmatch("[0-9]{1,5}", said["minutes"]) else 0
    if not SHORTEST_PAUSE <= minutes <= LONGEST_PAUSE:
        if said["pace"] == Pace.GATHERED:  # else the field is not asked for
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
    """The time zones by their part of the world, each with the name that people know; UTC alone first."""
    found: dict[str, list[tuple[str, str]]] = {"": [(UTC_ZONE, UTC_ZONE)]}
    if chosen != UTC_ZONE and chosen.partition("/")[0] not in ZONE_REGIONS:
        found[""].append((chosen, chosen))
    for name in sorted(zone_names()):
        region, _, place = name.partition("/")
        if region in ZONE_REGIONS and place:
            found.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [(gettext(ZONE_REGIONS[region]) if region else "", places) for region, places in found.items()]
