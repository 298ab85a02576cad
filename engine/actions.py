"""What a player may say, and the three ways in which it can be refused.

The exact spelling of each action is in grammar.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.board import Point, Space
from engine.cards import Bag, Symbol


@dataclass(frozen=True, slots=True)
class Choose:
    """Take this display card for the march (4.1), as a joker where 4.8 says so."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class Play:
    """The special move: discard this hand card for the march (4.1)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class March:
    """March Alexander along `path`, from where the figure stands to a corner of `target` (4.5)."""

    target: Space
    path: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Stay:
    """No legal march exists: stay, taking this display card; None when there is none (4.9)."""

    card: Symbol | None


@dataclass(frozen=True, slots=True)
class Draw:
    """Take a card from the supply (5.1)."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take this display card as an action (5.1, 5.2)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class Occupy:
    """Occupy the free province in which these spaces lie, a guard on each (5.6)."""

    guards: tuple[Space, ...]


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Take over the province in which these spaces lie (5.9), handing `given` to the loser (5.10)."""

    guards: tuple[Space, ...]
    given: Bag


@dataclass(frozen=True, slots=True)
class Levy:
    """Levy taxes with this card (5.11)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class Recall:
    """Take back the own guard that stands here (5.13)."""

    place: Space


@dataclass(frozen=True, slots=True)
class End:
    """End the turn, giving up the actions that are left (3.1)."""


Action = Choose | Play | March | Stay | Draw | Take | Occupy | TakeOver | Levy | Recall | End


SentenceValue = str | int | Point | Space | Symbol | Bag
"""What the sentence of a refusal may name."""


class ActionRefused(Exception):
    """Why something a player said is not done; the text is a sentence for that player.

    The sentence is kept with `%(name)s` where its values belong, so that it can be said in another language.
    """

    def __init__(self, sentence: str, **values: SentenceValue) -> None:
        super().__init__(sentence % values if values else sentence)
        self.sentence = sentence
        self.values = values


class Unreadable(ActionRefused):
    """The words are no action."""

    def __init__(
        self,
        sentence: str,
        guess: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
        **values: SentenceValue,
    ) -> None:
        super().__init__(sentence, **values)
        self._guess = guess

    @property
    def did_you_mean(self) -> tuple[str, ...]:
        """Words that were perhaps meant; looked for when somebody asks, since most lines are no orders."""
        return self._guess() if callable(self._guess) else self._guess


class NoAction(Unreadable):
    """A word that stands where an action begins, and is none."""


class NotOffered(Unreadable):
    """A letter that stands for no choice of the letter that is answered."""


class Ambiguous(ActionRefused):
    """The words fit several actions; `candidates` are some of them, and with `more` there are others."""

    def __init__(
        self, sentence: str, candidates: tuple[Action, ...], more: bool = False, **values: SentenceValue
    ) -> None:
        super().__init__(sentence, **values)
        self.candidates = candidates
        self.more = more


class Illegal(ActionRefused):
    """The action is against the rules; `rule` is the number of the clause."""

    def __init__(self, rule: str, sentence: str, **values: SentenceValue) -> None:
        super().__init__(sentence, **values)
        self.rule = rule

    def __str__(self) -> str:
        return f"{super().__str__()} (rule {self.rule})"
