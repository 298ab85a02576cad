"""The words of plans: those of each language, and of several in which somebody writes.

No language stands here. A phrase of a guard has `*` where its card, place, point or number stands; one about
a player's points has two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.cards import Symbol
from engine.notation.vocabulary import OrderWords

PlanPhrases = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PlanWords:
    """The words of one language. Where several mean the same the first is written."""

    orders: OrderWords
    """Those of its orders."""
    heading: PlanPhrases
    """What a plan begins with, before a colon."""
    condition: PlanPhrases
    """Before guards."""
    otherwise: PlanPhrases
    """Before the next alternative."""
    also: PlanPhrases
    """Between two guards."""
    then: PlanPhrases
    """Before what follows a card that is drawn."""
    always: PlanPhrases
    """Instead of guards: in any case."""
    unchanged: PlanPhrases
    """That nothing has changed in what the turn touches."""
    card: PlanPhrases
    """That the display holds a card; `open_cards` says it of each."""
    missing: PlanPhrases
    """That the display holds no such card."""
    free: PlanPhrases
    """That a province is free."""
    corner: PlanPhrases
    """That Alexander stands at a corner."""
    points: PlanPhrases
    """That nobody has more points than so many."""
    player: PlanPhrases
    """That one player has no more: a name, and a number."""
    below: PlanPhrases
    """That one player has fewer: the same."""
    small: frozenset[str]
    """Words that say nothing in a guard, beside articles."""
    open_cards: Mapping[Symbol, str]
    """How it is written that a card is in the display."""


@dataclass(frozen=True)
class PlanVocabulary:
    """The words of some languages together."""

    languages: tuple[PlanWords, ...]

    def all_of(self, name: str) -> PlanPhrases:
        """The phrases of a kind in all of them, each once, the longest first."""
        found = dict.fromkeys(one for own in self.languages for one in getattr(own, name))
        return tuple(sorted(found, key=lambda one: -len(one)))

    @cached_property
    def small(self) -> frozenset[str]:
        """The words that say nothing in a guard."""
        articles = (own.orders.articles for own in self.languages)
        return frozenset[str]().union(*articles, *(own.small for own in self.languages))


def compose_plan_words(languages: Sequence[PlanWords]) -> PlanVocabulary:
    """The words of these languages together."""
    return PlanVocabulary(tuple(languages))
