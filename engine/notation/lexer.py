"""A line of orders cut into tokens, before any of them is interpreted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from engine.actions import Unreadable
from engine.board import Board
from engine.lattice import Point, Space
from engine.notation.vocabulary import (
    EVERYDAY_WORDS,
    FOLLOWING_WORDS,
    JOINING_WORDS,
    LANGUAGE_OF,
    NUMBER_NOUNS,
    OPENING_WORDS,
    SMALL_WORDS,
    SYMBOL_ABBREVIATIONS,
    SYMBOL_WORDS,
    THANKS_PHRASES,
    VERB_ABBREVIATIONS,
    VERBS,
    abbreviations_of,
    suggest_words,
)

NumberMeanings = Mapping[str, str]
"""What each number stands for in the letter that is answered: the name of a point, as `C5`, or orders in
canonical English parted by "; "."""
SHORTEST_PLACE = 3
"""Letters of an abbreviated place."""


SIGNS = r"\s,.+&/>\u2013\u2192\-"
TOKEN = re.compile(r"[A-Za-zÉé]+[0-9]*")
OPENING_PATTERN = re.compile(rf"(?:(?:{'|'.join(sorted(OPENING_WORDS))})[\s,]+)*", re.IGNORECASE)
"""The words that may stand before the first order of a line."""
BEFORE_ORDER = re.compile(rf"[{SIGNS}]*{OPENING_PATTERN.pattern}")
"""What may stand before an order in a line."""
WORD = re.compile(rf"([{SIGNS}]*)({TOKEN.pattern}|#?[0-9]+(?![^\W_]))")
FIRST_TOKEN = re.compile(r"\s*(#?[0-9]|[A-Za-zÉé]+[0-9]*)")
INITIAL_LETTER = re.compile(r"\s*(?:[A-Z]\b|\w\.)")
TAIL_SIGNS = re.compile(r"[\s.,!]*")
"""Signs that may stand behind the last word."""
AFTER_NUMBER = re.compile(r"\)?[\s.!]*$")
LIST_ITEM = re.compile(r"\s*[(\[]?#?[0-9]+[\s.):\]]+([A-Za-zÉé]+)")
"""How an item of a numbered list begins."""
MARKED_LINE = re.compile(r"[\W_]+([A-Za-zÉé]+)")
"""How a line begins with a sign before its first word."""
PARTING_SIGNS = frozenset(",+&.")
"""Signs that can part orders."""
PARTING_WORDS = JOINING_WORDS | FOLLOWING_WORDS
"""Words that part orders or names."""
LAST_THANKS_WORDS = frozenset(phrase[-1] for phrase in THANKS_PHRASES)
"""The last words of thanks."""
QUOTES = {'"': '"', "'": "'", "\u2018": "\u2019", "„": "“”", "«": "»", "»": "«"}
"""Marks round a whole line that are passed over; not “ and ”, which keep names in letters from being orders
(a phone that writes them gets a sentence back, and nothing is done)."""


@dataclass(frozen=True, slots=True)
class BoardNames:
    """The words for places and points on a board."""

    called: Mapping[Space, str]
    """The places as the board calls them."""
    places: Mapping[str, Space]
    points: Mapping[str, Point]
    begun: Mapping[str, Mapping[str, Space | None]]
    """What can abbreviate a place, and of which; None: a small word begins so too."""


@lru_cache(maxsize=16)
def names_of(board: Board) -> BoardNames:
    """The words for what is on a board."""
    places = {name.casefold(): space for name, space in board.places.items()}
    small: dict[str, Space | None] = dict.fromkeys(SMALL_WORDS)
    begun = abbreviations_of(small | places, SHORTEST_PLACE)
    return BoardNames(
        board.names,
        places,
        {name.casefold(): point for name, point in board.point_names.items()},
        {word: found for word, found in begun.items() if any(found.values())},
    )


@dataclass(frozen=True, slots=True)
class TokenizedLine:
    """The words of a line, at least one."""

    text: str
    words: list[str]
    """As they are written."""
    tokens: list[str]
    """The same in small letters."""
    gaps: list[str]
    """What stands before each of them."""
    tail: str
    """What stands behind the last one."""

    def is_number(self, at: int) -> bool:
        """Whether a word is a number: "3" or "#3"; points such as "C3" are words."""
        return self.tokens[at].lstrip("#").isdigit()

    def is_parted(self, at: int) -> bool:
        """Whether a sign or a word parts a word from the one before."""
        return not PARTING_SIGNS.isdisjoint(self.gaps[at]) or self.tokens[at - 1] in PARTING_WORDS

    def suggestions_for(self, word: str, known: Collection[str]) -> Callable[[], tuple[str, ...]]:
        """Looks for the words most like one of its words, in the language of the others."""
        return partial(_suggest_words, word, known, self.text)

    def unknown_action(self, at: int) -> Unreadable:
        """The refusal of a word that begins no order."""
        return _unknown_action(self.words[at], self.text)


def looks_like_order(text: str) -> bool:
    """Whether a line begins with a word, or what could abbreviate one, with which orders or answers begin."""
    opened = OPENING_PATTERN.match(text.lstrip())
    if opened and opened.group():
        first = FIRST_TOKEN.match(text.lstrip(), opened.end())
        return first is not None and first.group(1).casefold() in VERBS and not _only_then(first.group(1))
    first = FIRST_TOKEN.match(text)
    if first is None:
        return False
    word = first.group(1).casefold()
    if word in VERBS or word in SYMBOL_WORDS or not word[0].isalpha():
        return True
    if word in NUMBER_NOUNS:
        return any(map(str.isdigit, text))
    if word not in VERB_ABBREVIATIONS and word not in SYMBOL_ABBREVIATIONS:
        return False  # one capital, or one letter with a dot, is somebody's initial
    return len(word) > 1 or not INITIAL_LETTER.match(text) or any(map(str.isdigit, text))


def _only_then(word: str) -> bool:
    """Whether a verb behind an opening word is none: "dan pas" means "only then"."""
    return word.casefold() == "pas"


def tokenize(text: str, places: Collection[str]) -> TokenizedLine:
    """The words of a line without those before its first order, and without thanks at its end.

    Thanks stay where a place is called so. Raises `Unreadable` where the line begins with no word of an
    order, or holds signs that no order has.
    """
    text = _unquoted(text)
    opened = OPENING_PATTERN.match(text.lstrip())
    rest = text.lstrip()[opened.end() :] if opened else text
    first = TOKEN.match(rest) or TOKEN.match(text.lstrip())
    if not looks_like_order(text) and first:
        raise _unknown_action(first.group(), text)
    words: list[str] = []
    gaps: list[str] = []
    at = len(text) - len(rest)
    while found := WORD.match(text, at):
        gaps.append(found.group(1))
        words.append(found.group(2))
        at = found.end()
    line = TokenizedLine(text, words, [word.casefold() for word in words], gaps, text[at:])
    _judge_signs(line)
    tokens = line.tokens
    while tokens[-1] in LAST_THANKS_WORDS and (many := _count_thanks(tokens)) and tokens[-1] not in places:
        del words[-many:], tokens[-many:], gaps[-many:]
        line = replace(line, tail="")
    return line


def _unquoted(text: str) -> str:
    bare = text.strip()
    ends = QUOTES.get(bare[:1])
    return bare[1:-1].strip() if ends and len(bare) > 2 and bare[-1] in ends else text


def _judge_signs(line: TokenizedLine) -> None:
    """Only blanks may stand before the first word, and few signs behind the last."""
    text, begun = line.text, bool(line.tokens) and not line.gaps[0].strip()
    strange = TAIL_SIGNS.sub("", line.tail, count=1)
    if begun and ("/" in strange[:1] or any("/" in gap for gap in line.gaps)):
        raise Unreadable("say which one of them you mean")
    if begun and (not strange or (line.is_number(-1) and AFTER_NUMBER.match(line.tail))):
        return
    item = LIST_ITEM.match(text)
    if item and item.group(1).casefold() in VERBS:
        raise list_numbering(item.group(1))
    if not re.search(rf"[^{SIGNS}!]", text):
        raise Unreadable("the line is empty")
    if begun and not line.is_number(-1) and not re.search(r"[?\w]", strange):
        raise stray_sign_behind(line.words[-1])
    marked = None if begun else MARKED_LINE.match(text)
    if marked and (marked.group(1).casefold() in VERBS or marked.group(1).casefold() in SYMBOL_WORDS):
        raise Unreadable("leave out the sign before “%(word)s”", word=shorten(marked.group(1)))
    first, *_ = (strange if begun else text).split()
    raise Unreadable("“%(word)s” is no word of an action", word=shorten(first.strip("“”") or first))


def _count_thanks(tokens: list[str]) -> int:
    """How many words at the end of a line are thanks; none where nothing stands before them."""
    return next(
        (many for many in (4, 3, 2, 1) if tuple(tokens[-many:]) in THANKS_PHRASES and tokens[:-many]), 0
    )


def shorten(word: str) -> str:
    """A word as a refusal repeats it."""
    return word if len(word) <= 30 else word[:29] + "…"


def language_of(tokens: Iterable[str]) -> str:
    """The language of the first verb or symbol among these words; empty where there is none."""
    return next((LANGUAGE_OF[word] for word in tokens if word in LANGUAGE_OF), "")


def _suggest_words(word: str, known: Collection[str], text: str) -> tuple[str, ...]:
    if word in EVERYDAY_WORDS:  # no slip; but where it is no everyday word it could begin a name
        begun = [name for name in known if len(word) > 2 and name.casefold().startswith(word)]
        return tuple(name for name in begun if name[:-1] not in begun)[:3]  # of one and several the first
    others = (other for other in TOKEN.findall(text.casefold()) if other != word)
    return suggest_words(word, known, language_of(others))


def _unknown_action(word: str, text: str) -> Unreadable:
    fold = word.casefold()
    known = SYMBOL_WORDS if fold in EVERYDAY_WORDS else VERBS
    return Unreadable(
        "“%(word)s” is no action", partial(_suggest_words, fold, known, text), word=shorten(word)
    )


def missing_comma(word: str) -> Unreadable:
    """The refusal of an action that nothing parts from the one before."""
    return Unreadable("put a comma before “%(word)s” if it is an action of its own", word=shorten(word))


def stray_sign_behind(word: str) -> Unreadable:
    """The refusal of a sign behind the last word."""
    return Unreadable("leave out the sign behind “%(word)s”", word=shorten(word))


# --- numbers --------------------------------------------------------------------------------------------


def look_up_number(word: str, numbers: NumberMeanings) -> str:
    """What a number stands for; raises `Unreadable`."""
    found = numbers.get(word.lstrip("#"))
    if found is None:
        raise Unreadable("“%(word)s” stands for nothing here: say it in words", word=shorten(word))
    return found


def number_among_words(word: str) -> Unreadable:
    """The refusal of a number among other words."""
    return Unreadable(
        "“%(word)s” is an answer only on a line of its own: say it in words here", word=shorten(word)
    )


def list_numbering(word: str) -> Unreadable:
    """The refusal of an item of a numbered list."""
    return Unreadable("leave out the number before “%(word)s”", word=shorten(word))
