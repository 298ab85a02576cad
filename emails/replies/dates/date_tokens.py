"""Words about dates as tokens: each phrase and number with what it means in a date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.time_words import DateRole

LONGEST = 120
"""Characters in which dates are looked for."""
DASHES = re.compile(r"[\u2010-\u2015\u2212\u2192]|->|\.\.+")


class TokenKind(StrEnum):
    """The kind of a token that is no phrase."""

    NUMBER = "number"
    ORDINAL = "ordinal"
    """The number of a day, marked as such."""
    ISO = "iso"
    """Year, month and day."""
    PAIR = "pair"
    """Two numbers with a sign between, and perhaps a year."""
    DASH = "dash"


@dataclass(frozen=True, slots=True)
class Token:
    """One phrase, number or sign."""

    kind: DateRole | TokenKind
    value: int = 0
    numbers: tuple[int, ...] = ()
    """Of a date in numbers: as they stand there."""
    between: str = ""
    """The sign between them."""


def read_tokens(words: str, lexicon: Lexicon) -> tuple[Token, ...] | None:
    """The tokens of some words, without those that change no date; None where one is not known."""
    words, found, at = clean_words(words), list[Token](), 0
    pattern = _pattern_of(lexicon)
    while at < len(words):
        match = pattern.match(words, at)
        if match is None:
            return None
        at = match.end()
        token = _token_of(match, lexicon)
        if token is not None and token.kind is not DateRole.SKIPPED:
            found.append(token)
    return tuple(found)


def clean_words(words: str) -> str:
    """The same in small letters, with plain dashes and single blanks, without the signs of sentences.

    Quotation marks and stars stay: what stands in them in a letter of ours is an example.
    """
    words = DASHES.sub(" - ", words[:LONGEST].casefold().replace("\u2019", "'"))
    words = re.sub(r"[,:;!]|(?<=\w)\.(?=\s|$)(?<!\b\w\.\w\.)", " ", words)
    return " ".join(words.split())


def holds_dates(words: str, lexicon: Lexicon) -> bool:
    """Whether some of the words tell a date, whatever the others are."""
    found = _pattern_of(lexicon).finditer(clean_words(words))
    told = {None if token is None else token.kind for token in (_token_of(one, lexicon) for one in found)}
    return bool(told & {TokenKind.ISO, TokenKind.PAIR, TokenKind.ORDINAL, *TELLING_ROLES})


TELLING_ROLES = frozenset(
    (
        *(DateRole.WEEKDAY, DateRole.EACH, DateRole.WEEKEND, DateRole.MONTH),
        *(DateRole.DAY, DateRole.FEAST, DateRole.EASTER, DateRole.UNIT),
    )
)
"""What tells that words are about dates."""


@lru_cache(maxsize=64)
def _pattern_of(lexicon: Lexicon) -> re.Pattern[str]:
    """What matches one token, at the beginning of a word."""
    known = {*lexicon.dates.words, *(word for word, number in lexicon.numbers.items() if number)}
    phrases = "|".join(re.escape(one) for one in sorted(known, key=lambda one: (-len(one), one)))
    endings = "|".join(map(re.escape, sorted(lexicon.dates.endings, key=lambda one: (-len(one), one))))
    return re.compile(
        rf"(?<!\w)(?:(?P<phrase>{phrases})(?!\w)"
        r"|(?P<iso>\d{4}-\d{1,2}-\d{1,2})(?!\d)"
        r"|(?P<pair>\d{1,2}(?P<sign>[-/.])\d{1,2}(?:(?P=sign)(?:\d{4}|\d{2}))?)(?!\d)\.?"
        rf"|(?P<ordinal>\d{{1,2}})(?:{endings})(?!\w)"
        r"|(?P<number>\d{1,4})(?!\d)\.?)"
        r"\s*|(?P<dash>[-/])\s*|\s+"
    )


def _token_of(match: re.Match[str], lexicon: Lexicon) -> Token | None:
    """The token of a match; None for blanks."""
    if phrase := match["phrase"]:
        word = lexicon.dates.words.get(phrase)
        return (
            Token(TokenKind.NUMBER, lexicon.numbers[phrase]) if word is None else Token(word.role, word.value)
        )
    if match["dash"]:
        return Token(TokenKind.DASH)
    if written := match["iso"] or match["pair"]:
        numbers = tuple(map(int, re.findall(r"\d+", written)))
        return Token(TokenKind.ISO if match["iso"] else TokenKind.PAIR, 0, numbers, match["sign"] or "")
    if match["ordinal"]:
        return Token(TokenKind.ORDINAL, int(match["ordinal"]))
    return Token(TokenKind.NUMBER, int(match["number"])) if match["number"] else None
