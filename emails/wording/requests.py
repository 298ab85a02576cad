"""What a player asks for in a mail, each alone on a line: to be shown something, new links, to resign.

The words for it are those of the writer's language and of English (languages/<language>/requests.toml).
Anything else on the line makes it no request, so that prose never is one; and none is a word or the beginning
of a word of an order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from emails.i18n import current_locale
from emails.languages.known import folder_of
from emails.languages.lexicon import Lexicon
from emails.languages.requests import read_requests
from emails.languages.tables import match_words


class RequestKind(StrEnum):
    """What can be asked for."""

    HELP = "help"
    BOARD = "board"
    ALL = "all"
    HAND = "hand"
    HISTORY = "history"
    RULES = "rules"
    SETTINGS = "settings"
    NEW_LINKS = "new links"
    RESIGN = "resign"


REQUESTS_THAT_ACT = frozenset({RequestKind.NEW_LINKS, RequestKind.RESIGN})
"""Those that do something; all others are answered by what they ask to be shown."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that a player asks for."""

    kind: RequestKind
    about: str = ""
    """Of rules: the number of a clause ("5.9") or of a whole part ("5"); empty: the game in two minutes.

    Of the history: the number of the turn with which it is to end; empty: with the last one.
    """


MAX_LINE_LENGTH = 60
"""Characters of a line that may be a request."""


@dataclass(frozen=True, slots=True, eq=False)
class _RequestPatterns:
    """What a line with a request is taken apart by."""

    courtesy: re.Pattern[str]
    """Words with which somebody asks, at its beginning, or thanks at its end."""
    rule: re.Pattern[str]
    history: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _RequestPatterns:
    thanks = match_words(tuple(" ".join(phrase) for phrase in lexicon.orders.thanks))
    single: dict[str, tuple[str, ...]] = {
        kind: tuple(phrase for phrase, asked in lexicon.shown.items() if asked == kind and " " not in phrase)
        for kind in (RequestKind.RULES, RequestKind.HISTORY)
    }
    return _RequestPatterns(
        re.compile(rf"^(?:{match_words(lexicon.please)}),? |,? (?:{thanks})$"),
        re.compile(rf"(?:{match_words(single[RequestKind.RULES])}) ([0-9]{{1,2}}(?:[.,][0-9]{{1,2}})?)"),
        re.compile(rf"(?:{match_words(single[RequestKind.HISTORY])}) ([0-9]{{1,4}})"),
    )


def parse_request(line: str, lexicon: Lexicon) -> Request | None:
    """What a line asks for; None where it is anything else."""
    if len(line) > MAX_LINE_LENGTH:
        return None
    words = " ".join(line.casefold().split())
    if words and not words.strip("? "):
        return Request(RequestKind.HELP)
    patterns = _patterns_of(lexicon)
    asks = words.endswith("?")
    words = words.rstrip(" .!…?")
    words = patterns.courtesy.sub("", words, count=1).rstrip(" .!…")
    if found := patterns.rule.fullmatch(words):
        return Request(RequestKind.RULES, found[1].replace(",", "."))
    if found := patterns.history.fullmatch(words):
        return Request(RequestKind.HISTORY, found[1])
    kind = lexicon.shown.get(words)
    if kind is None or (kind == RequestKind.RESIGN and asks):  # who asks about it does not do it
        return None
    return Request(RequestKind(kind))


def list_phrases(kind: RequestKind, language: str) -> tuple[str, ...]:
    """All that asks for it in a language; the first is what letters name."""
    return read_requests(folder_of(language)).shown[kind]


def request_word(kind: RequestKind) -> str:
    """What asks for it, in the language spoken."""
    return list_phrases(kind, current_locale().language)[0]
