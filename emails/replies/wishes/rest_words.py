"""Hours of sleep and days off as they are said: "from 11 pm to 7 am", "on weekends"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import time
from functools import lru_cache

from emails.languages.dates import DateRole
from emails.languages.lexicon import Lexicon
from emails.languages.tables import match_words
from emails.replies.dates.tokens import Token, read_tokens
from emails.replies.wishes.wish_sentences import Remainder, holds

HALF_A_DAY, A_DAY = 12 * 60, 24 * 60
"""Minutes."""
EARLIEST = 9 * 60 + 30
"""Of the hours in the evening at which somebody goes to bed who does not say that they are in the evening."""
DAYTIME = (time(7), time(19))
WEEK = frozenset(range(7))
WEEKEND = 7
SATURDAY_AND_SUNDAY = frozenset((5, 6))


# --- hours ----------------------------------------------------------------------------------------------


def read_sleep(words: str, lexicon: Lexicon) -> tuple[time, time] | None:
    """The two times of a sentence from when till when somebody sleeps; None where they are not certain."""
    found = list(_times(words, lexicon))
    if len(found) != 2:
        return None
    (begins, told), (ends, _) = found
    if (ends - begins) % A_DAY > HALF_A_DAY and not told and begins <= HALF_A_DAY:
        if begins < EARLIEST:
            return None  # "from 9 to 5": the hours of work rather than those of sleep
        begins += HALF_A_DAY  # "from 11 to 7"
    length = (ends - begins) % A_DAY
    return (_time(begins), _time(ends)) if 0 < length <= HALF_A_DAY else None


def is_night(hours: tuple[time, time]) -> bool:
    """Whether somebody who rests at these hours does so at night."""
    return not (DAYTIME[0] <= hours[0] and hours[0] < hours[1] <= DAYTIME[1])


def take_out_times(words: str, lexicon: Lexicon) -> str:
    """The sentence without its times."""
    return " ".join(_clock_pattern(lexicon).sub(" ", words).split())


def _times(words: str, lexicon: Lexicon) -> Iterator[tuple[int, bool]]:
    """Each time in minutes from midnight, and whether its half of the day is told."""
    for match in _clock_pattern(lexicon).finditer(words):
        hour = int(match["hour"]) if match["hour"].isdigit() else lexicon.numbers[match["hour"]]
        minute = int(match["minute"] or 0)
        if hour > 24 or minute > 59:
            continue
        minutes = hour * 60 + minute + (30 if match["past"] else 0) - (30 if match["half"] else 0)
        late, early = match["late"] is not None, match["early"] is not None
        if late and hour < 12:
            minutes += HALF_A_DAY
        if early and hour == 12:
            minutes -= HALF_A_DAY
        yield minutes % A_DAY, late or early or hour > 12 or bool(match["minute"] and match["hour"][0] == "0")


def _time(minutes: int) -> time:
    hour, minute = divmod(minutes % A_DAY, 60)
    return time(hour, minute)


@lru_cache(maxsize=64)
def _clock_pattern(lexicon: Lexicon) -> re.Pattern[str]:
    words = lexicon.wishes
    told = (word for word, number in lexicon.numbers.items() if 0 < number <= 12 and len(word) > 2)
    numbers, halves = match_words(tuple(told)), (match_words(words.half_past), match_words(words.half_to))
    late, early = match_words(words.evening), match_words(words.midday)
    return re.compile(
        rf"(?<![\w'-])(?:(?P<past>{halves[0]}) |(?P<half>{halves[1]}) )?"
        rf"(?P<hour>\d{{1,2}}|{numbers})(?:[:.h](?P<minute>\d\d))?(?!\d)"
        r"(?: ?(?:uur|u|h|hrs|o'clock)\b)?"
        rf"(?: ?(?:(?P<late>{late})|(?P<early>{early}))(?!\w))?(?![\w:])"
    )


# --- days of the week -----------------------------------------------------------------------------------


def read_days_off(left: Remainder, words: str, lexicon: Lexicon) -> frozenset[int] | None:
    """The days of the week that a sentence names as free, by their numbers; None where none is certain."""
    wishes = lexicon.wishes
    if holds(words, wishes.none_off):
        return frozenset()
    named: set[int] = set()
    for run in left.dates:
        tokens = read_tokens(run, lexicon)
        days = None if tokens is None else _days_of(tokens)
        if days is None:
            return None
        named |= days
    if not named:
        return None
    return WEEK - named if holds(words, wishes.only) else frozenset(named)


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
            case DateRole.AND | DateRole.FROM | DateRole.BETWEEN:
                pass
            case _:
                return None
    return frozenset(found)
