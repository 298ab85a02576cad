"""Requests: single words or phrases on a line of a mail, other than orders, such as "rules" or "resign".

The words are those of the writer's language and of English (languages/<language>/requests.toml). A line with
other words is not a request, so prose cannot be mistaken for one. No request is an order or the beginning of
an order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from emails.i18n import current_locale, gettext_noop
from emails.languages.lexicon import Lexicon, read_requests
from emails.languages.lexicon import RequestKind as RequestKind
from emails.languages.supported_languages import FOLDERS, match_words


class VoteKind(StrEnum):
    MORE_TIME = "more time"
    """Adds 24 hours to the turn."""
    PAUSE = "pause"
    EMPTY_SEAT = "empty seat"


class VoteAnswer(StrEnum):
    YES = "yes"
    NO = "no"
    WAIT = "wait"
    """A vacant seat waits for a substitute."""
    GO_ON = "go on"
    """The turns of a vacant seat are skipped."""
    END = "end"
    """The game ends with the present scores."""


SEAT_ANSWERS = (VoteAnswer.WAIT, VoteAnswer.GO_ON, VoteAnswer.END)
"""The answers to a vote on a vacant seat, numbered from 1."""
REQUESTS_TO_ALL = frozenset({RequestKind.MORE_TIME, RequestKind.PAUSE, RequestKind.RESUME})
REQUESTS_TO_CONFIRM = frozenset({RequestKind.NEW_LINKS, RequestKind.RESIGN})
"""Requests that no later mail can undo, so that they must be confirmed."""
REQUESTS_OF_PRESENCE = frozenset({RequestKind.AWAY, RequestKind.BACK})
REQUESTS_THAT_ACT = (
    REQUESTS_TO_CONFIRM
    | REQUESTS_OF_PRESENCE
    | {RequestKind.REMINDERS, RequestKind.NO_REMINDERS, RequestKind.ZONE}
)
# A letter answers these only with a sentence that they were done.
REQUESTS_SHOWN_DONE = frozenset({RequestKind.NUDGE, RequestKind.NEW_LINKS, RequestKind.BACK})
REQUESTS_WORDED_BY_LETTER = frozenset({RequestKind.NUDGE, RequestKind.RESIGN})
"""Commands whose own sentence a letter replaces by a section."""
NUDGED = gettext_noop(
    "The player to move gets a mail that says you asked. It wakes nobody: at night and on a day off it "
    "waits, for twelve hours at most. You can ask again in a day."
)
"""The confirmation of a nudge; it does not reveal whether the player to move sleeps."""
NOT_IN_QUESTIONS = frozenset({*REQUESTS_THAT_ACT, *REQUESTS_TO_ALL, RequestKind.NUDGE}) - {
    RequestKind.NEW_LINKS
}  # ignored in a line with a question mark


# What a player was before the return: away, replaced by the caretaker, or resigned for good.
WAS_AWAY, WAS_KEPT, STAYS_RESIGNED = "away", "kept", "resigned"


@dataclass(frozen=True, slots=True)
class Request:
    kind: RequestKind
    about: str = ""
    """The argument of the request; its meaning depends on `kind`.

    Rules: the number of a clause ("5.9") or part ("5"); empty: a summary.
    History: the last turn to list; empty: the latest.
    Absence: words that state the days.
    Zone: the name of a time zone; "none": the written name is unknown; empty: no change.
    Nudge: the recipient's name; empty: the player to move.
    Pause: words that state the end; empty: 30 days.
    Back, once performed: what the player was, as one or more words: "away", "kept" (replaced by a
    caretaker), "resigned" (for good).
    Plan: "kept" once the plan is stored.
    """


UNKNOWN_ZONE = "none"
PLAN_KEPT = "kept"
MAX_LINE_LENGTH = 60


@dataclass(frozen=True, slots=True, eq=False)
class _RequestPatterns:
    courtesy: re.Pattern[str]
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
    if kind is None or (asks and RequestKind(kind) in NOT_IN_QUESTIONS):  # questions perform nothing
        return None
    return Request(RequestKind(kind))


def list_phrases(kind: RequestKind, language: str) -> tuple[str, ...]:
    """Return all phrases for a request in a language; letters use the first phrase."""
    return read_requests(FOLDERS[language]).shown[kind]


def request_word(kind: RequestKind) -> str:
    return list_phrases(kind, current_locale().language)[0]
