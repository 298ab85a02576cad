"""A line that names the time zone of its writer: "zone New York", "tijdzone: Europe/Amsterdam"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache, lru_cache
from zoneinfo import ZoneInfo

from babel import Locale

from emails.i18n import zone_names
from emails.languages.lexicon import Lexicon
from emails.languages.supported_languages import LANGUAGES
from emails.languages.vocabulary_files import match_words
from emails.wording.requests import UNKNOWN_ZONE, Request, RequestKind

MOST_WORDS = 4
"""Words of the name of a city; what is longer is a sentence."""
LONGEST_LINE = 80
LARGE_ZONES = (
    *("Europe/Amsterdam", "Europe/London", "Europe/Athens", "America/New_York", "America/Chicago"),
    *("America/Denver", "America/Los_Angeles", "America/Halifax", "America/Sao_Paulo", "Asia/Dubai"),
    *("Asia/Kolkata", "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo", "Australia/Adelaide"),
    *("Australia/Brisbane", "Australia/Sydney", "Pacific/Auckland", "Africa/Lagos", "Africa/Nairobi"),
)
"""The zones that are guessed first by what a clock shows."""


def read_zone_line(line: str, lexicon: Lexicon) -> Request | None:
    """The zone that a line names, or `UNKNOWN_ZONE` where it names none that exists; None of other lines."""
    if len(line) > LONGEST_LINE or line.rstrip().endswith("?"):
        return None
    words = " ".join(line.casefold().split()).rstrip(" .!")
    found = _beginning_of(lexicon).match(words)
    if found is None:
        return None
    name = words[found.end() :].strip(" \"'“”")
    if not name or len(name.split()) > MOST_WORDS:
        return None
    return Request(RequestKind.ZONE, find_zone(name) or UNKNOWN_ZONE)


def find_zone(name: str) -> str | None:
    """The time zone of a city, or with a name of the database of time zones; None: there is none."""
    return _zones_by_name().get(" ".join(name.casefold().replace("_", " ").split()))


def guess_zone(offset: timedelta, now: datetime) -> str | None:
    """A zone in which clocks are now so far from UTC: the one of a large city, else any; None: nowhere."""
    cities = (name for name in sorted(zone_names()) if "/" in name and not name.startswith("Etc/"))
    every = (*LARGE_ZONES, *cities)
    return next((name for name in every if now.astimezone(ZoneInfo(name)).utcoffset() == offset), None)


@lru_cache(maxsize=64)
def _beginning_of(lexicon: Lexicon) -> re.Pattern[str]:
    asked = tuple(phrase for phrase, kind in lexicon.shown.items() if kind == RequestKind.ZONE)
    return re.compile(rf"(?:{match_words(asked)})(?: ?[:=] ?| )")


@cache
def _zones_by_name() -> Mapping[str, str]:
    """Zones by their names and by those of their cities, in small letters and with blanks."""
    found: dict[str, str] = {}
    zones = sorted(zone_names(), key=lambda name: ("/" not in name, name))
    for zone in zones:
        found[zone.casefold().replace("_", " ")] = zone
    for zone in zones:
        found.setdefault(zone.rpartition("/")[2].casefold().replace("_", " "), zone)
    for language in LANGUAGES:
        for zone, names in Locale.parse(language).time_zones.items():
            if "city" in names and zone in zone_names():
                found.setdefault(names["city"].casefold(), zone)
    return found
