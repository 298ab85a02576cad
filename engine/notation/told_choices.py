"""Choices of a letter as people name them in a sentence: "let's do b", "the second choice", "a, then c"."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.notation.lexer import BoardNames, ChoiceMeanings
from engine.notation.speech import hear_line
from engine.notation.vocabulary import Vocabulary

GOING = r"[qctm]?"
CHOICE = re.compile(rf"(?:Y[,.:\-]*)*(?:{GOING}k?\(?L\)?k?=?|Ok)[.,]*")
CHOICES = re.compile(rf"{GOING}k?L(?:,?[&^],?k?L)+[.,]*")


def find_told_choices(
    line: str, choices: ChoiceMeanings, names: BoardNames, vocabulary: Vocabulary
) -> tuple[str, ...]:
    """The marks of the choices that a line answers with, in order; none where it does not."""
    letters = _letters_of(tuple(choices))
    heard = hear_line(line, names, vocabulary, letters) if letters and len(line) <= LONGEST_ANSWER else None
    if heard is None or not (CHOICE.fullmatch(heard.signs) or CHOICES.fullmatch(heard.signs)):
        return ()
    marks = tuple(str(mark) for mark in heard.named("L", 0, len(heard.signs)))
    for number in heard.named("O", 0, len(heard.signs)):
        mark = chr(ord("a") + int(str(number)) - 1)
        marks = (mark,) if mark in letters else ()
    return marks


LONGEST_ANSWER = 80
"""Characters."""


@lru_cache(maxsize=64)
def _letters_of(marks: tuple[str, ...]) -> frozenset[str]:
    return frozenset(mark for mark in marks if len(mark) == 1 and mark.isalpha())
