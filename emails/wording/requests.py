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

from emails.i18n import current_locale, gettext_noop
from emails.languages.lexicon import Lexicon
from emails.languages.supported_languages import folder_of
from emails.languages.vocabularies import read_requests
from emails.languages.vocabulary_files import match_words


class RequestKind(StrEnum):
    """What can be asked for."""

    HELP = "help"
    BOARD = "board"
    ALL = "all"
    HAND = "hand"
    HISTORY = "history"
    RULES = "rules"
    SETTINGS = "settings"
    WHEN = "when"
    PLAN = "plan"
    NO_PLAN = "no plan"
    AWAY = "away"
    BACK = "back"
    NUDGE = "nudge"
    REST = "sleep"
    """Where hours of sleep and days off are set."""
    REMINDERS = "reminders"
    """Reminders come again."""
    NO_REMINDERS = "no reminders"
    ZONE = "zone"
    NEW_LINKS = "new links"
    RESIGN = "resign"
    MORE_TIME = "more time"
    PAUSE = "pause"
    RESUME = "resume"


class VoteKind(StrEnum):
    """What the players of a game vote on."""

    MORE_TIME = "more time"
    """24 more hours for the turn."""
    PAUSE = "pause"
    """No time runs on any turn."""
    EMPTY_SEAT = "empty seat"
    """What becomes of a seat that nobody plays."""


class VoteAnswer(StrEnum):
    """What a player can answer."""

    YES = "yes"
    NO = "no"
    WAIT = "wait"
    """Of an empty seat: it waits for a substitute."""
    GO_ON = "go on"
    """Its turns are skipped."""
    END = "end"
    """The game ends as it stands."""


SEAT_ANSWERS = (VoteAnswer.WAIT, VoteAnswer.GO_ON, VoteAnswer.END)
"""The answers to a vote on an empty seat: the first has number 1."""
REQUESTS_TO_ALL = frozenset({RequestKind.MORE_TIME, RequestKind.PAUSE, RequestKind.RESUME})
"""Those that concern the time of the whole game."""
REQUESTS_ASKED_BACK = frozenset({RequestKind.NEW_LINKS, RequestKind.RESIGN})
"""Those that no later mail takes back."""
REQUESTS_OF_PRESENCE = frozenset({RequestKind.AWAY, RequestKind.BACK})
"""Those by which somebody's clock stands and goes on, and a seat that was kept is theirs again."""
REQUESTS_THAT_ACT = (
    REQUESTS_ASKED_BACK
    | REQUESTS_OF_PRESENCE
    | {RequestKind.REMINDERS, RequestKind.NO_REMINDERS, RequestKind.ZONE}
)
"""Those that do something beside the game."""
REQUESTS_TOLD_AS_DONE = frozenset({RequestKind.NUDGE, RequestKind.NEW_LINKS, RequestKind.BACK})
"""Those of which a letter shows no more than that they are done, and so nothing where they are not."""
NUDGED = gettext_noop(
    "Whoever is to move gets a mail that says you asked. It wakes nobody: at night and on a day off it "
    "waits, for twelve hours at most. You can ask again in a day."
)
"""What is told of a nudge, alike whether its reader sleeps: that is nobody else's business."""
SAID_AND_NOT_ASKED = frozenset({*REQUESTS_THAT_ACT, *REQUESTS_TO_ALL, RequestKind.NUDGE}) - {
    RequestKind.NEW_LINKS
}
"""Those that a line with a question mark does not ask for."""


WAS_AWAY, WAS_KEPT, STAYS_RESIGNED = "away", "kept", "resigned"
"""What is noted of somebody who said that they are back: they had a vacation, a caretaker played their seat,
or they have given it up and cannot come back."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that a player asks for."""

    kind: RequestKind
    about: str = ""
    """Of rules: the number of a clause ("5.9") or of a whole part ("5"); empty: the game in two minutes.

    Of the history: the number of the turn with which it is to end; empty: with the last one. Of days away:
    the words that tell them. Of a zone: its name, or UNKNOWN_ZONE; empty: as it is. Of a nudge: the name of
    who is to get it; empty: of whoever is to move. Of a pause: the words that tell until when; empty: for 30
    days. Of a return that is done: what its writer was, of `WAS_AWAY`, `WAS_KEPT`, `STAYS_RESIGNED`. Of a
    plan that is kept by the same mail: PLAN_KEPT.
    """


UNKNOWN_ZONE = "none"
PLAN_KEPT = "kept"
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
    if kind is None or (asks and RequestKind(kind) in SAID_AND_NOT_ASKED):  # who asks about it does not do it
        return None
    return Request(RequestKind(kind))


def list_phrases(kind: RequestKind, language: str) -> tuple[str, ...]:
    """All that asks for it in a language; the first is what letters name."""
    return read_requests(folder_of(language)).shown[kind]


def request_word(kind: RequestKind) -> str:
    """What asks for it, in the language spoken."""
    return list_phrases(kind, current_locale().language)[0]
