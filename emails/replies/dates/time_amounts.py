"""A line that asks for more time, whatever amount it names, or for a pause until a day."""

from __future__ import annotations

import re
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.request_phrases import read_requests
from emails.languages.supported_languages import folder_of
from emails.languages.toml_tables import match_words
from emails.replies.dates.date_tokens import LONGEST, clean_words, read_tokens
from emails.wording.requests import Request, RequestKind

HOURS_IN_DAY, DAYS_IN_WEEK = 24, 7


def read_amount_line(line: str, lexicon: Lexicon) -> Request | None:
    """What a line asks for with an amount of time behind it; None of any other line."""
    if len(line) > LONGEST or line.rstrip().endswith("?"):
        return None
    words = _polite(lexicon).sub("", clean_words(line)).strip(" .")
    more, pause = _patterns_of(lexicon)
    if more.fullmatch(words):
        return Request(RequestKind.MORE_TIME)
    if (found := pause.fullmatch(words)) and read_tokens(found["days"], lexicon):
        return Request(RequestKind.PAUSE, found["days"])
    return None


@lru_cache(maxsize=64)
def units_of(lexicon: Lexicon) -> dict[str, int]:
    """The hours of each word for a length of time."""
    found: dict[str, int] = {}
    for game in (read_requests(folder_of(one)).game for one in lexicon.languages):
        found |= dict.fromkeys(game.hours, 1)
        found |= dict.fromkeys(game.days, HOURS_IN_DAY)
        found |= dict.fromkeys(game.weeks, HOURS_IN_DAY * DAYS_IN_WEEK)
    return found


@lru_cache(maxsize=64)
def _polite(lexicon: Lexicon) -> re.Pattern[str]:
    please = match_words(tuple(lexicon.please))
    return re.compile(rf"^(?:{please}) | (?:{please})$")


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> tuple[re.Pattern[str], re.Pattern[str]]:
    asked = {
        kind: match_words(tuple(phrase for phrase, one in lexicon.shown.items() if one == kind))
        for kind in (RequestKind.MORE_TIME, RequestKind.PAUSE)
    }
    numbers, units = match_words(tuple(lexicon.numbers)), match_words(tuple(units_of(lexicon)))
    more = rf"(?:{asked[RequestKind.MORE_TIME]}) (?:[0-9]{{1,3}}|{numbers}) ?(?:{units})"
    return re.compile(more), re.compile(rf"(?:{asked[RequestKind.PAUSE]}) (?P<days>.+)")
