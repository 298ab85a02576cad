"""What the judge holds things to be worth, in points; found by letting it play against itself and the greedy.

`python -m tests.arena.tuning` looks for better ones, and says what they gain.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The judge's weights: one for each term of a position's worth."""

    hold: float = 0.9
    """An open space of a province that scores, for each levy still expected."""
    surplus: float = 0.35
    """Of that, what is left while a province has a guard too many."""
    open_symbol: float = 0.12
    """What each empty symbol space within takes from it: Alexander may be sent there."""
    siege: float = 0.5
    """What is taken from it if a rival is sure to have the cards for taking it over."""
    gift: float = 0.75
    """An open space of a free province that a rival is sure to be able to occupy."""
    prospect: float = 0.37
    """An open space of a free province that the seat itself is sure to be able to occupy."""
    card: float = 2.0
    """The first card of a symbol."""
    fading: float = 0.82
    """What each further card of a symbol is worth, against the one before."""
    rival_card: float = 0.6
    """A card in a rival's hand."""
    ready: float = 0.35
    """A point of lead in the next levy, for who has a card to levy with."""
    guard: float = 4.0
    """The first guard in supply; each further one is worth a third of the one before."""
    wall: float = 0.15
    """A wall laid."""
    exposed: float = 0.15
    """An open space of an own province to which a symbol sends Alexander next."""
    levies: float = 2.1
    """Levies expected of a long game."""
    lost_levy: float = 9.0
    """Walls for each levy: how many may be left when the walls run out."""
    game: float = 60.0
    """The game, won or lost for good."""
    threat: float = 20.0
    """A levy with which somebody wins at their next turn."""
    leader: float = 0.7
    """Of what rivals have, the share that counts for the one who is ahead; the others share the rest."""


STEADY = Weights()
"""How Steady judges."""
