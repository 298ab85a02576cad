"""The players of the house: each has a name, a strength and a temper."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import StrEnum

from engine.actions import Action
from engine.bots.judge import STEADY, Temper, Weights, tempered
from engine.bots.strengths import plan_steadily, plan_strongly, play_easily
from engine.bots.turns import until_reveal
from engine.position import View


class Strength(StrEnum):
    """How well somebody of the house plays."""

    EASY = "easy"
    STEADY = "steady"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Character:
    """One player of the house."""

    name: str
    strength: Strength
    temper: Temper

    @property
    def weights(self) -> Weights:
        """By what they judge."""
        return tempered(STEADY, self.temper)

    def plan(self, known: View) -> tuple[Action, ...]:
        """What they do next, up to the first card that is revealed."""
        match self.strength:
            case Strength.EASY:
                return (play_easily(known, self.temper),)
            case Strength.STEADY:
                return until_reveal(known, plan_steadily(known, self.weights))
            case Strength.STRONG:
                return until_reveal(known, plan_strongly(known, weights=self.weights))

    def play(self, known: View) -> Action:
        """What they do next."""
        return self.plan(known)[0]


CHARACTERS = {
    one.name: one
    for one in (
        Character("Philip", Strength.EASY, Temper.BUILDER),
        Character("Barsine", Strength.EASY, Temper.HOARDER),
        Character("Perdiccas", Strength.EASY, Temper.RAIDER),
        Character("Roxana", Strength.STEADY, Temper.BUILDER),
        Character("Seleucus", Strength.STEADY, Temper.RAIDER),
        Character("Ptolemy", Strength.STEADY, Temper.HOARDER),
        Character("Darius", Strength.STRONG, Temper.BUILDER),
        Character("Olympias", Strength.STRONG, Temper.RAIDER),
        Character("Porus", Strength.STRONG, Temper.HOARDER),
    )
}
"""All of them by their names; those of one strength in the order in which they sit down."""


BotChoice = Strength | Character
"""Who is to play a seat: anybody of a strength, or one by name."""


def find_bot_choice(word: str) -> BotChoice | None:
    """Whom a word means, such as `strong` or `Roxana`; capitals do not matter."""
    word = word.strip().casefold()
    named = next((one for one in CHARACTERS.values() if one.name.casefold() == word), None)
    return named or next((one for one in Strength if one.value == word), None)


def cast(choices: Iterable[BotChoice], taken: Iterable[str] = ()) -> tuple[Character, ...]:
    """Who plays each seat, no name twice; `taken` are names of others in the game.

    Where a name is taken, or nobody of a strength is left, it is somebody as like in strength as can be.
    """
    asked = tuple(choices)
    gone = {name.casefold() for name in taken}
    found: list[Character | None] = []
    for choice in asked:
        named = choice if isinstance(choice, Character) and choice.name.casefold() not in gone else None
        gone |= {named.name.casefold()} if named else set()
        found.append(named)
    for number, choice in enumerate(asked):
        found[number] = one = found[number] or _somebody_like(choice, gone)
        gone.add(one.name.casefold())
    return tuple(one for one in found if one is not None)


def _somebody_like(choice: BotChoice, gone: Container[str]) -> Character:
    strength = choice.strength if isinstance(choice, Character) else choice
    order = list(Strength)
    free = [one for one in CHARACTERS.values() if one.name.casefold() not in gone]
    if not free:
        raise ValueError("nobody is left")
    return min(free, key=lambda one: abs(order.index(one.strength) - order.index(strength)))
