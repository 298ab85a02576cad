"""What a player asks for in a mail, each alone on a line: to be shown something, new links, to resign.

English and Dutch words are always read, whoever writes. Anything else on the line makes it no request, so
that prose never is one; and none is a word or the beginning of a word of an order
(engine/notation/vocabulary.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from emails.i18n import current_locale
from engine.notation.vocabulary import THANKS_PHRASES


class RequestKind(StrEnum):
    """What can be asked for."""

    HELP = "help"
    BOARD = "board"
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


REQUEST_WORDS: Mapping[str, Mapping[RequestKind, str]] = {
    "en": {
        RequestKind.HELP: "help",
        RequestKind.BOARD: "board, the board",
        RequestKind.HAND: "hand, my hand, my cards, cards",
        RequestKind.HISTORY: "history, log",
        RequestKind.RULES: "rules, rule, the rules",
        RequestKind.SETTINGS: "settings, my settings",
        RequestKind.NEW_LINKS: "new links, make my links new, make all my links new",
        RequestKind.RESIGN: "resign, i resign",
    },
    "nl": {
        RequestKind.HELP: "hulp",
        RequestKind.BOARD: "bord, het bord",
        RequestKind.HAND: "kaarten, mijn kaarten, mijn hand",
        RequestKind.HISTORY: "verloop, het verloop, geschiedenis",
        RequestKind.RULES: "regels, regel, de regels",
        RequestKind.SETTINGS: "instellingen, mijn instellingen",
        RequestKind.NEW_LINKS: "nieuwe links, vernieuw mijn links, vernieuw al mijn links",
        RequestKind.RESIGN: "opgeven, ik geef op",
    },
}
"""In each language what asks for it; the first is the one that letters name."""
KIND_OF_PHRASE: Mapping[str, RequestKind] = {
    phrase: kind
    for own in REQUEST_WORDS.values()
    for kind, phrases in own.items()
    for phrase in phrases.split(", ")
}
MAX_LINE_LENGTH = 60
"""Characters of a line that may be a request."""

PLEASE_WORDS = frozenset("please aub a.u.b alsjeblieft alstublieft graag".split())
"""Words with which somebody asks; the thanks of engine/notation/vocabulary.py hold them too."""
_POLITE = "|".join(map(re.escape, sorted(PLEASE_WORDS)))
_THANKS = "|".join(re.escape(" ".join(phrase)) for phrase in sorted(THANKS_PHRASES | {("a.u.b",)}))
_COURTESY = re.compile(rf"^(?:{_POLITE}),? |,? (?:{_THANKS})$")
_RULE_REQUEST = re.compile(r"(?:rules?|regels?) ([0-9]{1,2}(?:[.,][0-9]{1,2})?)")
_HISTORY_REQUEST = re.compile(r"(?:history|log|verloop|geschiedenis) ([0-9]{1,4})")


def parse_request(line: str) -> Request | None:
    """What a line asks for; None where it is anything else."""
    if len(line) > MAX_LINE_LENGTH:
        return None
    words = " ".join(line.casefold().split())
    if words and not words.strip("? "):
        return Request(RequestKind.HELP)
    asks = words.endswith("?")
    words = words.rstrip(" .!…?")
    words = _COURTESY.sub("", words, count=1).rstrip(" .!…")
    if found := _RULE_REQUEST.fullmatch(words):
        return Request(RequestKind.RULES, found[1].replace(",", "."))
    if found := _HISTORY_REQUEST.fullmatch(words):
        return Request(RequestKind.HISTORY, found[1])
    kind = KIND_OF_PHRASE.get(words)
    if kind is None or (kind == RequestKind.RESIGN and asks):  # who asks about it does not do it
        return None
    return Request(kind)


def request_word(kind: RequestKind) -> str:
    """What asks for it, in the language spoken."""
    return REQUEST_WORDS[current_locale().language][kind].split(", ")[0]
