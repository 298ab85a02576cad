"""Remarks cut into sentences and words, and the signs among them that ask or hesitate."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from emails.languages.programs import read_signs
from emails.replies import quotations

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
END = re.compile(r"(?<=[^\W_])[.!?…;]+(?=[\s)\"”]|$)|[!?…;]+|\s[-–]+\s|\n")  # noqa: RUF001
HESITATION = re.compile(
    rf"\?\s*\?|\(\s*\?+\s*\)|\?\s*!|!\s*\?|[→⇒~]|[-=]>|<-|/\?(?!\w+=)|[{read_signs().hesitation}]"
)
"""Signs that ask, wait or take back, in whatever language; the query of a link is none."""
SMILEY = re.compile(r"(?<![^\W_])[:;=8xX]['\-]?[()DPpOo3*]+(?![^\W_])|<3+|\^_*\^")
TRAILING_DOTS = re.compile(r"(?:\.\s*){2,}$|…\W*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a part of one between signs that end it."""

    text: str
    words: tuple[str, ...]
    """In small letters."""
    capitals: frozenset[str]
    """Those that are written with a capital."""
    asks: bool
    """Whether a question mark stands behind it."""
    trails: bool
    """Whether dots stand behind it."""


def fold_text(text: str) -> str:
    """A text in one form: plain apostrophes, no postscript mark, composed characters."""
    plain = (
        unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("\u2018", "'").replace("`", "'")
    )
    return SMILEY.sub(" ", quotations.POSTSCRIPT.sub("", plain, count=1))


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a text that hold words."""
    plain = fold_text(text)
    found: list[Sentence] = []
    start = 0
    for end in END.finditer(plain):
        found += _sentence(plain[start : end.end()], end.group())
        start = end.end()
    return [*found, *_sentence(plain[start:], "")]


def _sentence(text: str, end: str) -> list[Sentence]:
    written = WORD.findall(text)
    if not written:
        return []
    capitals = frozenset(word.casefold() for word in written if word[0].isupper())
    words = tuple(word.casefold() for word in written)
    return [Sentence(text.strip(), words, capitals, "?" in end, ".." in end or "…" in end)]


def has_hesitant_sign(text: str) -> bool:
    """Whether signs in a text ask, wait or take back, as "(?)" does."""
    return HESITATION.search(text) is not None


def trails_off(text: str) -> bool:
    """Whether a text ends in dots."""
    return TRAILING_DOTS.search(text) is not None
