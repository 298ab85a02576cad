"""Requests of players, such as rules or resign, and questions answered by a number or a letter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import count
from string import ascii_lowercase

from emails.i18n import current_locale, gettext_noop
from emails.languages.lexicon import Lexicon, read_requests
from emails.languages.lexicon import RequestKind as RequestKind
from emails.languages.supported_languages import FOLDERS, match_words
from emails.wording import options
from emails.wording.options import Option, OptionGroup
from engine.actions import Ambiguous, TakeOver
from engine.cards import EMPTY
from engine.position import View


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
REQUESTS_TO_CONFIRM = frozenset({RequestKind.NEW_LINKS, RequestKind.RESIGN, RequestKind.NO_LETTERS})
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
    Stopped letters: "everywhere" for those of all games; empty: those of the game.
    Zone: the name of a time zone; "none": the written name is unknown; empty: no change.
    Nudge: the recipient's name; empty: the player to move.
    Pause: words that state the end; empty: 30 days.
    Back, once performed: what the player was, as one or more words: "away", "kept" (replaced by a
    caretaker), "resigned" (for good).
    Plan: "kept" once the plan is stored.
    """


SEVERAL_ABSENCES = ", "  # between the days of two absences in one request
UNKNOWN_ZONE = "none"
PLAN_KEPT = "kept"
EVERYWHERE = "everywhere"
MAX_LINE_LENGTH = 60


@dataclass(frozen=True, slots=True, eq=False)
class _RequestPatterns:
    courtesy: re.Pattern[str]
    rule: re.Pattern[str]
    history: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _RequestPatterns:
    thanks = match_words(lexicon.orders.thanks)
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
    return read_requests(FOLDERS[current_locale().language]).shown[kind][0]


def letter_of(number: int) -> str:
    """Return the letter of the choice with an index from 0: a to z, then aa, ab and so on."""
    rest, last = divmod(number, len(ascii_lowercase))
    return (letter_of(rest - 1) if rest else "") + ascii_lowercase[last]


def orders_by_letter(groups: Sequence[OptionGroup], first: int = 0) -> dict[str, str]:
    """Map letters, from index `first` on, to the orders of choices; omits choices without orders."""
    return dict(zip(map(letter_of, count(first)), _list_orders(groups), strict=False))


def orders_by_number(groups: Sequence[OptionGroup]) -> dict[str, str]:
    """Map numbers from 1 to the orders of choices."""
    return {str(number): words for number, words in enumerate(_list_orders(groups), 1)}


def _list_orders(groups: Sequence[OptionGroup]) -> Iterable[str]:
    return dict.fromkeys(one.words for group in groups for one in group.choices if one.words)


def prefix_titles(groups: Sequence[OptionGroup], orders: Mapping[str, str]) -> tuple[OptionGroup, ...]:
    """Prefix the titles of the choices with the letters or numbers of `orders`."""
    # A no-break space joins label and title: a label alone on a line looks like an answer.
    prefixes = {words: f"{label}.\u00a0" for label, words in orders.items()}
    return tuple(
        OptionGroup(
            group.heading,
            tuple(replace(one, title=prefixes.get(one.words, "") + one.title) for one in group.choices),
        )
        for group in groups
    )


MOST_OPTIONS = 6


@dataclass(frozen=True, slots=True)
class OrderQuestion:
    choices: tuple[Option, ...]
    more: bool
    common: str = ""
    """A fact that holds for all choices, as a sentence without full stop; may be empty."""


def ask_which(refusal: Ambiguous, known: View, before: Sequence[str], rest: Sequence[str]) -> OrderQuestion:
    """Ask which meaning of a refused line is right; `before` and `rest`: orders before and after the line."""
    shown = refusal.candidates[:MOST_OPTIONS]
    takeovers = [one for one in shown if isinstance(one, TakeOver)]
    found, common = [options.describe(known, one) for one in shown], ""
    if len(takeovers) == len(shown) and len({one.guards for one in takeovers}) == 1:
        same = options.describe(known, replace(takeovers[0], given=EMPTY))
        common = f"{same.title}: {same.detail}"
        found = [options.describe_gift(known, one) for one in takeovers]
    meant = tuple(replace(one, words="; ".join((*before, one.words, *rest))) for one in found)
    more = refusal.more or len(shown) < len(refusal.candidates)
    return OrderQuestion(meant, more, common)


def encode_question(question: OrderQuestion) -> dict[str, object]:
    return {
        "choices": [[one.words, one.title, one.detail] for one in question.choices],
        "more": question.more,
        "common": question.common,
    }


def decode_question(kept: Mapping[str, object]) -> OrderQuestion:
    rows = kept["choices"]
    assert isinstance(rows, list)
    found = tuple(Option(str(words), str(title), str(detail)) for words, title, detail in rows)
    return OrderQuestion(found, kept["more"] is True, str(kept["common"]))
