"""The actions of a player, and the exceptions that refuse a text or an action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.board import Point, Space
from engine.cards import Bag, Symbol


@dataclass(frozen=True, slots=True)
class Choose:
    """Take this display card for the march (4.1); it may be a joker (4.8)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class Play:
    """Discard this hand card for the march (4.1)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class March:
    """March Alexander along `path`, from his present point to a corner of `target` (4.5)."""

    target: Space
    path: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Stay:
    """Stay because no march is legal, and take the display card `card`; None if there is none (4.9)."""

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
    """Occupy a free province with a guard on each of these spaces (5.6)."""

    guards: tuple[Space, ...]


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Take over a province with guards on these spaces (5.9); the loser gets the cards `given` (5.10)."""

    guards: tuple[Space, ...]
    given: Bag


@dataclass(frozen=True, slots=True)
class Levy:
    """Levy taxes with this card (5.11)."""

    card: Symbol


@dataclass(frozen=True, slots=True)
class Recall:
    """Take back the player's guard on this space (5.13)."""

    place: Space


@dataclass(frozen=True, slots=True)
class End:
    """End the turn without the remaining actions (3.1)."""


Action = Choose | Play | March | Stay | Draw | Take | Occupy | TakeOver | Levy | Recall | End


SentenceValue = str | int | Point | Space | Symbol | Bag
"""A value inserted into the sentence of a refusal."""


class ActionRefused(Exception):
    """The refusal of a player's text or action, with the reason as a sentence.

    `sentence` has `%(name)s` for each of its `values`, so that it can be translated.
    """

    def __init__(self, sentence: str, **values: SentenceValue) -> None:
        super().__init__(sentence % values if values else sentence)
        self.sentence = sentence
        self.values = values


class Unreadable(ActionRefused):
    """A text that is not an action."""

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
        """Known words similar to an unknown one."""
        return self._guess() if callable(self._guess) else self._guess


class NoAction(Unreadable):
    """An unknown word where an action should begin."""


class NotOffered(Unreadable):
    """A choice, such as "b", that the answered letter does not offer."""


class Ambiguous(ActionRefused):
    """A text that fits several actions; `candidates` lists them, but not all of them if `more` is true."""

    def __init__(
        self, sentence: str, candidates: tuple[Action, ...], more: bool = False, **values: SentenceValue
    ) -> None:
        super().__init__(sentence, **values)
        self.candidates = candidates
        self.more = more


class Illegal(ActionRefused):
    """An action against the rule with the number `rule`."""

    def __init__(self, rule: str, sentence: str, **values: SentenceValue) -> None:
        super().__init__(sentence, **values)
        self.rule = rule

    def __str__(self) -> str:
        return f"{super().__str__()} (rule {self.rule})"
