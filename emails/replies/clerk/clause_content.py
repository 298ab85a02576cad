"""The content of a clause: what it names, by kind; and one meaning of it: actions and what they explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emails.replies.clerk.mentions import Mention
from emails.replies.clerk.phrase_book import Meaning, MeaningKind, MentionedThing
from engine.actions import Action
from engine.board import Point, Space
from engine.cards import Symbol

NO_CARD, NO_CORNER, NO_WAY, NO_PLACE, NO_GIFT, OTHER_VERB = 0.4, 0.3, 0.05, 0.8, 0.15, 0.6
"""What it costs to assume what was not said."""


@dataclass(frozen=True, slots=True)
class ClauseMeaning:
    """Actions that belong together, and what mentions they explain."""

    actions: tuple[Action, ...]
    facts: frozenset[Meaning]
    guess: float
    """How much of it was not said."""


@dataclass(frozen=True, slots=True)
class ClauseContent:
    """What a clause names, sorted by kind."""

    mentions: tuple[Mention, ...]
    verbs: frozenset[str]
    cards: frozenset[Symbol]
    places: tuple[Space, ...]
    points: tuple[Point, ...]
    passed: frozenset[Point]
    """Those that are said to be passed only."""
    numbers: frozenset[int]
    corners: frozenset[int]
    players: frozenset[int]
    nouns: frozenset[str]
    gives: bool

    @classmethod
    def of(cls, mentions: Sequence[Mention]) -> ClauseContent:
        """What these mentions name."""

        def all_of(kind: MeaningKind) -> list[MentionedThing]:
            return list(dict.fromkeys(value for one in mentions for value in one.values(kind)))

        return cls(
            tuple(mentions),
            frozenset(map(str, all_of(MeaningKind.VERB))),
            frozenset(one for one in all_of(MeaningKind.CARD) if isinstance(one, Symbol)),
            tuple(one for one in all_of(MeaningKind.PLACE) if isinstance(one, Space)),
            tuple(one for one in all_of(MeaningKind.POINT) if isinstance(one, Point)),
            frozenset(_list_passed(mentions)),
            frozenset(one for one in all_of(MeaningKind.NUMBER) if isinstance(one, int)),
            frozenset(one for one in all_of(MeaningKind.CORNER) if isinstance(one, int)),
            frozenset(one for one in all_of(MeaningKind.PLAYER) if isinstance(one, int)),
            frozenset(map(str, all_of(MeaningKind.NOUN))),
            any(one.has(MeaningKind.SIGN, "giving") for one in mentions),
        )

    @property
    def clear(self) -> frozenset[str]:
        """The verbs that are no small words too."""
        return frozenset(
            str(value)
            for one in self.mentions
            if not one.has(MeaningKind.FILLER)
            for value in one.values(MeaningKind.VERB)
        )

    def says(self, verb: str) -> bool:
        """Whether a word says this and nothing else."""
        return any(
            one.values(MeaningKind.VERB) == [verb] for one in self.mentions if not one.has(MeaningKind.FILLER)
        )

    def wants(self, *verbs: str) -> bool:
        """Whether one of these is said to be done, or nothing is said to be done."""
        return not self.verbs or not self.verbs.isdisjoint(verbs)


def _list_passed(mentions: Sequence[Mention]) -> Iterator[Point]:
    """The points right behind a word such as "via"."""
    passing = False
    for mention in mentions:
        points = [one for one in mention.values(MeaningKind.POINT) if isinstance(one, Point)]
        if mention.has(MeaningKind.SIGN, "passing"):
            passing = True
        elif points and passing:
            yield from points
        else:
            passing = False
