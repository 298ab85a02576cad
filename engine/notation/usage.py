"""The usage of each verb: how many symbols and places it takes, and which small words may stand beside it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.notation.vocabulary import GUARD_NOUNS, TAX_NOUNS


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
    alone: frozenset[str] = frozenset()
    """The small words that may stand beside the verb where nothing is named.

    With others it is a sentence and no order: "Pas op!" means "Look out!".
    """


POLITE = frozenset("a alsjeblieft alstublieft an and aub de een één en graag het please the".split())
MINE = POLITE | {"mijn", "my"}
TAXED = MINE | TAX_NOUNS | frozenset("card kaart met with".split())
USAGES = {
    "choose": Usage("say choose and one symbol", symbols=(1, 1)),
    "play": Usage("say play and one symbol", symbols=(1, 1)),
    "march": Usage("say march, a place, and the corner or the path", places=(0, 1), points=True),
    "stay": Usage("say stay and one symbol of the display", symbols=(0, 1), alone=POLITE),
    "draw": Usage("say draw alone", alone=POLITE | {"card", "kaart"}),
    "take": Usage("say take and one symbol", symbols=(1, 1)),
    "occupy": Usage("say occupy and the places of the guards", places=(1, 4)),
    "takeover": Usage(
        "say takeover, the places of the guards, give, the cards for the loser",
        symbols=(0, 99),
        places=(1, 4),
    ),
    "levy": Usage("say levy and one symbol", symbols=(0, 1), alone=TAXED),
    "recall": Usage("say recall and the place of the guard", places=(0, 1), alone=MINE | GUARD_NOUNS),
    "end": Usage("say end alone", alone=MINE | frozenset("beurt met of turn van with".split())),
}
"""What each action is said with."""
