"""A line that says which reminders of a turn its writer wants: "reminders: half, 3 hours before"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import match_words
from emails.wording.requests import NO_REMINDERS, Request, RequestKind
from emails.wording.times.reminder_times import ReminderTime, join_reminders, order_reminders

LONGEST_LINE = 120
"""Characters of a line that may say so."""


@dataclass(frozen=True, slots=True, eq=False)
class _ReminderPatterns:
    """What such a line is taken apart by."""

    none: re.Pattern[str]
    ahead: re.Pattern[str]
    between: re.Pattern[str]
    beside: re.Pattern[str]
    times: Mapping[str, ReminderTime]


def read_reminder_line(line: str, lexicon: Lexicon) -> Request | None:
    """Which reminders a line asks for; None of any other line, and where one of them is not certain."""
    if len(line) > LONGEST_LINE or line.rstrip().endswith("?"):
        return None
    patterns = _patterns_of(lexicon)
    words = " ".join(line.casefold().replace("\u2019", "'").split()).rstrip(" .!")
    if patterns.none.fullmatch(re.sub(r"[:,=] ?", " ", words).strip()):
        return Request(RequestKind.REMINDERS, NO_REMINDERS)
    found = patterns.ahead.match(words)
    if found is None:
        return None
    said = [patterns.beside.sub(" ", one).split() for one in patterns.between.split(words[found.end() :])]
    wanted = [patterns.times.get(" ".join(one)) for one in said if one]
    chosen = [one for one in wanted if one is not None]
    if not chosen or len(chosen) < len(wanted):
        return None
    return Request(RequestKind.REMINDERS, join_reminders(order_reminders(chosen)))


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _ReminderPatterns:
    own = lexicon.reminders
    asked = (phrase for phrase, kind in lexicon.shown.items() if kind == RequestKind.REMINDERS)
    times = {
        ReminderTime.HALF: own.half,
        ReminderTime.QUARTER: own.quarter,
        ReminderTime.EIGHTH: own.eighth,
        ReminderTime.DAY: own.day,
        ReminderTime.HOURS: own.hours,
    }
    return _ReminderPatterns(
        re.compile(match_words(own.none)),
        re.compile(rf"(?:{match_words((*asked, *own.ahead))})(?: ?[:=] ?| )"),
        re.compile(rf" ?[,;+&] ?| (?:{match_words(own.between)}) "),
        re.compile(rf"(?<!\S)(?:{match_words(own.beside)})(?!\S)"),
        {phrase: time for time, phrases in times.items() for phrase in phrases},
    )
