"""Greetings and farewells in many languages: what stands around orders, and makes none of them unreadable."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from emails.languages.lexicon import whole_lexicon
from emails.replies.remarks.remark_words import other_words, remark_words
from emails.replies.remarks.sentences import fold_text, has_hesitant_sign

WORD = re.compile(r"\w+(?:'\w+)?")
LONGEST_PHRASE = 5
"""Words."""


def count_greetings(lines: Sequence[str], people: Collection[str]) -> int:
    """How many lines at the beginning are greetings and nothing else."""
    return next((at for at, line in enumerate(lines) if not is_greeting(line, people)), len(lines))


def find_farewells(lines: Sequence[str], people: Collection[str]) -> frozenset[int]:
    """Which lines are farewells and nothing else."""
    return frozenset(at for at, line in enumerate(lines) if is_farewell(line, people))


def is_greeting(line: str, people: Collection[str]) -> bool:
    """Whether a line is a greeting and nothing else, perhaps with names; thanks may begin a mail too."""
    return _begins_with_phrase(line, people, greets=True)


def is_farewell(line: str, people: Collection[str]) -> bool:
    """Whether a line is a farewell and nothing else, perhaps with a name."""
    return _begins_with_phrase(line, people, greets=False)


def has_known_name(line: str, people: Collection[str]) -> bool:
    """Whether a farewell or a signature tells who wrote; thanks alone may stand anywhere."""
    return any(word.casefold() in people for word in WORD.findall(line))


def _begins_with_phrase(line: str, people: Collection[str], greets: bool) -> bool:
    if "?" in line or has_hesitant_sign(line):
        return False
    words = WORD.findall(fold_text(line))[:12]
    for count in range(1, min(len(words), LONGEST_PHRASE) + 1):
        phrase = " ".join(words[:count]).casefold()
        if is_courtesy(phrase, greets) and _may_be_addressee(words[count:], people):
            return True
    return False


def is_courtesy(phrase: str, greets: bool) -> bool:
    """Whether words in small letters are a farewell or thanks, or a greeting where one may stand."""
    others = other_words()
    if phrase in others.farewells or (greets and phrase in others.greetings):
        return True
    return any(
        phrase in own.farewells or phrase in own.thanks or (greets and phrase in own.greetings)
        for own in remark_words()
    )


def _may_be_addressee(words: Sequence[str], people: Collection[str]) -> bool:
    """Whether these words name somebody: people of the game, everybody, or two words that may be a name."""
    if all(word.casefold() in people or _is_addressee(word.casefold()) for word in words):
        return len(words) < 10
    return len(words) <= 2 and all(map(_may_be_a_name, words))


def _is_addressee(word: str) -> bool:
    return word in other_words().addressees or any(word in own.addressees for own in remark_words())


def _may_be_a_name(word: str) -> bool:
    fold, orders = word.casefold(), whole_lexicon().orders
    if not word.istitle() or fold in orders.verbs or fold in orders.symbols or fold in other_words().doubtful:
        return False
    return not any(own.class_of(fold) is not None or fold in own.openers for own in remark_words())
