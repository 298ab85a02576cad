"""*Steady* looks at whole turns and does the one that the judge holds best."""

from __future__ import annotations

from engine.bots.turns import Turn, best_turns
from engine.bots.weights import STEADY, Weights
from engine.position import View


def plan_steadily(known: View, weights: Weights = STEADY) -> Turn:
    """The best turn from here."""
    return best_turns(known, weights)[0]
