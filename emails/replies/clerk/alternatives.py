"""Clauses as they are meant once corrections are made, in each way that "or" allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import product

from emails.replies.clerk.mentions import Mention
from emails.replies.clerk.phrase_book import MeaningKind, MentionedThing

STRONG = frozenset({MeaningKind.VERB, MeaningKind.CARD, MeaningKind.PLACE, MeaningKind.POINT})
"""What an order is made of: no reading may leave it out."""
NAMES = frozenset(
    {
        MeaningKind.CARD,
        MeaningKind.PLACE,
        MeaningKind.POINT,
        MeaningKind.LETTER,
        MeaningKind.NUMBER,
        MeaningKind.CORNER,
    }
)
MOST_VARIANTS = 4
MOST_ALTERNATIVES = 2


class ClauseLink(Enum):
    """How a clause hangs on the one before, where it does not only follow it."""

    ALTERNATIVE = auto()
    """It is meant, or the one before is."""
    CORRECTION = auto()
    """It is meant instead."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Some words that say one thing, or a part of it."""

    mentions: tuple[Mention, ...]
    link: ClauseLink | None = None
    strange: int = 0
    """Words beside them that nobody knows."""

    @property
    def strong(self) -> tuple[Mention, ...]:
        """What of it no reading may leave out."""
        return tuple(one for one in self.mentions if is_strong(one))

    @property
    def has_verb(self) -> bool:
        """Whether it says what is to be done."""
        return any(one.has(MeaningKind.VERB) and not one.has(MeaningKind.FILLER) for one in self.mentions)


def is_strong(mention: Mention) -> bool:
    """Whether a mention must have its part in what is meant."""
    return bool(mention.kinds & STRONG) and MeaningKind.FILLER not in mention.kinds and not mention.guessed


def is_name(mention: Mention) -> bool:
    """Whether a mention names a card, a place, a point or a choice."""
    return bool(mention.kinds & NAMES) and MeaningKind.FILLER not in mention.kinds


def list_variants(clauses: Sequence[Clause]) -> tuple[tuple[Clause, ...], ...]:
    """The clauses as they are meant once corrections are made, in each way that "or" allows."""
    corrected: list[Clause] = []
    for clause in clauses:
        if clause.link is ClauseLink.CORRECTION and corrected:
            corrected = [*_replace(corrected, clause)]
        else:
            corrected.append(clause)
    choices: list[list[list[Clause]]] = []
    for clause in corrected:
        if clause.link is ClauseLink.ALTERNATIVE and choices and len(choices[-1]) <= MOST_ALTERNATIVES:
            before = choices[-1][0]
            choices[-1].append([*_replace(before, clause)])
        else:
            choices.append([[clause]])
    found = [tuple(one for part in parts for one in part) for parts in product(*choices)]
    return tuple(found[:MOST_VARIANTS])


def _replace(before: Sequence[Clause], clause: Clause) -> Iterator[Clause]:
    """Clauses of which the last that says the like says this instead."""
    plain = replace(clause, link=None)
    if clause.has_verb:
        verbs = _verbs_of(clause)
        at = next(
            (n for n in range(len(before) - 1, -1, -1) if verbs & _verbs_of(before[n])), len(before) - 1
        )
        yield from (*before[:at], plain, *before[at + 1 :])
        return
    rest = list(before)
    kinds = {kind for one in clause.mentions if is_name(one) for kind in one.kinds} & NAMES
    for at in range(len(rest) - 1, -1, -1):
        same = [one for one in rest[at].mentions if one.kinds & kinds]
        if same:
            kept = tuple(one for one in rest[at].mentions if one not in same)
            rest[at] = replace(rest[at], mentions=(*kept, *clause.mentions))
            yield from rest
            return
    yield from (*rest, plain)


def _verbs_of(clause: Clause) -> set[MentionedThing]:
    return {
        value
        for one in clause.mentions
        if not one.has(MeaningKind.FILLER)
        for value in one.values(MeaningKind.VERB)
    }
