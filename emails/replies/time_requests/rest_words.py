"""Hours of sleep and days off as they are said: "from 11 pm to 7 am", "on weekends"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import time
from functools import lru_cache

from emails.languages.dates import DateRole
from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import match_words
from emails.replies.dates.date_tokens import Token, read_tokens
from emails.replies.time_requests.request_sentences import Remainder, holds

HALF_A_DAY, A_DAY = 12 * 60, 24 * 60
"""Minutes."""
EARLIEST = 9 * 60 + 30
"""Of the hours in the evening at which somebody goes to bed who does not say that they are in the evening."""
SHIFTS = {"past": 30, "half": -30, "quarter": 15, "to": -15}
"""Minutes that the words before an hour move it by."""
DAYTIME = (time(7), time(19))
WEEK = frozenset(range(7))
WEEKEND = 7
TELLING_NO_DAYS = frozenset((DateRole.UNIT, DateRole.DAY, DateRole.FROM, DateRole.LENGTH))
"""What tells no day of the week: a day, today, from now on."""
MOST_DAYS_OFF = 4
"""Of a week that nobody is asked about: who has more of them may have meant something else."""
SATURDAY_AND_SUNDAY = frozenset((5, 6))


# --- hours ----------------------------------------------------------------------------------------------


def read_sleep(words: str, lexicon: Lexicon) -> tuple[time, time] | None:
    """The two times of a sentence from when till when somebody sleeps; None where they are not certain."""
    found = list(_find_times(words, lexicon))
    if len(found) != 2:
        return None
    (begins, told), (ends, _) = found
    if (ends - begins) % A_DAY > HALF_A_DAY and not told and begins <= HALF_A_DAY:
        if begins < EARLIEST:
            return None  # "from 9 to 5": the hours of work rather than those of sleep
        begins += HALF_A_DAY  # "from 11 to 7"
    length = (ends - begins) % A_DAY
    return (_time_of_day(begins), _time_of_day(ends)) if 0 < length <= HALF_A_DAY else None


def read_waking(words: str, lexicon: Lexicon) -> tuple[time, time] | None:
    """When somebody sleeps who tells between which two times they can play; None where that is too long."""
    found = [minutes for minutes, _ in _find_times(words, lexicon)]
    if len(found) != 2:
        return None
    ends, begins = found
    return (_time_of_day(begins), _time_of_day(ends)) if 0 < (ends - begins) % A_DAY <= HALF_A_DAY else None


def holds_times(words: str, lexicon: Lexicon) -> bool:
    """Whether a sentence tells two times of the clock, or more."""
    return len(list(_find_times(words, lexicon))) > 1


def is_night(hours: tuple[time, time]) -> bool:
    """Whether somebody who rests at these hours does so at night."""
    return not (DAYTIME[0] <= hours[0] and hours[0] < hours[1] <= DAYTIME[1])


def take_out_times(words: str, lexicon: Lexicon) -> str:
    """The sentence without its times."""
    return " ".join(_clock_pattern(lexicon).sub(" ", _part_times(words)).split())


def _part_times(words: str) -> str:
    """The sentence with blanks around what stands between two times: "11pm-7am"."""
    return re.sub(r"(?<=[\dhmu])-(?=\d)", " - ", words)


def _find_times(words: str, lexicon: Lexicon) -> Iterator[tuple[int, bool]]:
    """Each time in minutes from midnight, and whether its half of the day is told."""
    for match in _clock_pattern(lexicon).finditer(_part_times(words)):
        hour = int(match["hour"]) if match["hour"].isdigit() else lexicon.numbers[match["hour"]]
        minute = int(match["minute"] or 0)
        if hour > 24 or minute > 59:
            continue
        minutes = hour * 60 + minute + sum(shift for name, shift in SHIFTS.items() if match[name])
        late, early = match["late"] is not None, match["early"] is not None
        if late and hour < 12:
            minutes += HALF_A_DAY
        if early and hour == 12:
            minutes -= HALF_A_DAY
        yield minutes % A_DAY, late or early or hour > 12 or bool(match["minute"] and match["hour"][0] == "0")


def _time_of_day(minutes: int) -> time:
    hour, minute = divmod(minutes % A_DAY, 60)
    return time(hour, minute)


@lru_cache(maxsize=64)
def _clock_pattern(lexicon: Lexicon) -> re.Pattern[str]:
    words = lexicon.time_requests
    told = (word for word, number in lexicon.numbers.items() if 0 < number <= 12 and len(word) > 2)
    numbers = match_words(tuple(told))
    ahead = {"past": words.half_past, "half": words.half_to} | {
        "quarter": words.quarter_past,
        "to": words.quarter_to,
    }
    shifted = "|".join(rf"(?P<{name}>{match_words(phrases)}) " for name, phrases in ahead.items())
    late, early = match_words(words.evening), match_words(words.midday)
    return re.compile(
        rf"(?<![\w'-])(?:{shifted})?"
        rf"(?P<hour>\d{{1,2}}|{numbers})(?:[:.h](?P<minute>\d\d))?(?!\d)"
        r"(?: ?(?:uur|u|h|hrs|o'clock)\b)?"
        rf"(?: ?(?:(?P<late>{late})|(?P<early>{early}))(?!\w))?(?![\w:])"
    )


# --- days of the week -----------------------------------------------------------------------------------


def read_days_off(left: Remainder, words: str, lexicon: Lexicon) -> frozenset[int] | None:
    """The days of the week that a sentence names as free, by their numbers; None where none is certain."""
    time_requests = lexicon.time_requests
    if holds(words, time_requests.none_off):
        return frozenset()
    named: set[int] = set()
    for run in left.dates:
        tokens = read_tokens(run, lexicon)
        if tokens is not None and all(one.kind in TELLING_NO_DAYS and one.value < 2 for one in tokens):
            continue  # "a day off from now on"
        days = None if tokens is None else _days_of(tokens)
        if days is None:
            return None
        named |= days
    if not named:
        return None
    return WEEK - named if holds(words, time_requests.only) else frozenset(named)


def _days_of(tokens: tuple[Token, ...]) -> frozenset[int] | None:
    """Weekdays one after another, or from one to another; None where anything else is told."""
    found: set[int] = set()
    last: int | None = None
    joined: DateRole | str | None = None
    for token in tokens:
        match token.kind:
            case DateRole.WEEKEND:
                found |= SATURDAY_AND_SUNDAY
            case DateRole.EACH if token.value == WEEKEND:
                found |= SATURDAY_AND_SUNDAY
            case DateRole.WEEKDAY | DateRole.EACH:
                if joined is not None and last is not None:
                    found |= {(last + step) % 7 for step in range((token.value - last) % 7 + 1)}
                found.add(token.value)
                last, joined = token.value, None
            case DateRole.UNTIL | DateRole.BEFORE | "dash":
                joined = token.kind
            case DateRole.AND | DateRole.FROM | DateRole.BETWEEN | DateRole.LENGTH:
                pass
            case _:
                return None
    return frozenset(found)
