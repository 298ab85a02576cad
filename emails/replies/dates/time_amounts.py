"""A line that asks for more time, whatever amount it names, or for a pause until a day."""

from __future__ import annotations

import re
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import match_words
from emails.replies.dates.date_tokens import LONGEST, clean_words, read_tokens
from emails.wording.requests import Request, RequestKind


def read_amount_line(line: str, lexicon: Lexicon) -> Request | None:
    """What a line asks for with an amount of time or days behind it; None of any other line."""
    found = _pattern_of(lexicon).fullmatch(clean_words(line).rstrip(" ."))
    if found is None or len(line) > LONGEST or not read_tokens(found["time"], lexicon):
        return None
    kind = RequestKind(lexicon.shown[found["asked"]])
    return Request(kind, found["time"] if kind is RequestKind.PAUSE else "")


@lru_cache(maxsize=64)
def _pattern_of(lexicon: Lexicon) -> re.Pattern[str]:
    kinds = (RequestKind.MORE_TIME, RequestKind.PAUSE)
    asked = match_words(tuple(phrase for phrase, kind in lexicon.shown.items() if kind in kinds))
    please = match_words(tuple(lexicon.please))
    return re.compile(rf"(?:(?:{please}) )?(?P<asked>{asked}) (?P<time>.+?)(?: (?:{please}))?")
