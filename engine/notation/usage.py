"""The usage of each verb: how many symbols, places and points it takes."""

from __future__ import annotations

from dataclasses import dataclass

from engine.notation.canonical_text import Verb


@dataclass(frozen=True, slots=True)
class Usage:
    """What an action is said with."""

    correction: str
    """The sentence for whoever says it otherwise."""
    symbols: tuple[int, int] = (0, 0)
    """The least and the most of them."""
    places: tuple[int, int] = (0, 0)
    """The least and the most of them."""
    points: bool = False


USAGES = {
    Verb.CHOOSE: Usage("say choose and one symbol", symbols=(1, 1)),
    Verb.PLAY: Usage("say play and one symbol", symbols=(1, 1)),
    Verb.MARCH: Usage("say march, a place, and the corner or the path", places=(0, 1), points=True),
    Verb.STAY: Usage("say stay and one symbol of the display", symbols=(0, 1)),
    Verb.DRAW: Usage("say draw alone"),
    Verb.TAKE: Usage("say take and one symbol", symbols=(1, 1)),
    Verb.OCCUPY: Usage("say occupy and the places of the guards", places=(1, 4)),
    Verb.TAKEOVER: Usage(
        "say takeover, the places of the guards, give, the cards for the loser",
        symbols=(0, 99),
        places=(1, 4),
    ),
    Verb.LEVY: Usage("say levy and one symbol", symbols=(0, 1)),
    Verb.RECALL: Usage("say recall and the place of the guard", places=(0, 1)),
    Verb.END: Usage("say end alone"),
}
"""What each action is said with."""
