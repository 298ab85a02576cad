"""Tempers: what somebody of the house likes a little too much."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from engine.bots.weights import Weights


class Temper(StrEnum):
    """What somebody of the house likes best."""

    BUILDER = "builder"
    RAIDER = "raider"
    HOARDER = "hoarder"


def tempered(weights: Weights, temper: Temper) -> Weights:
    """The weights of one who likes something a little too much."""
    match temper:
        case Temper.BUILDER:  # large provinces, well closed; leaves others alone
            return replace(
                weights, hold=weights.hold * 1.1, open_symbol=weights.open_symbol * 1.3, leader=0.5
            )
        case Temper.RAIDER:  # what others have is there to be taken
            return replace(weights, rival_card=weights.rival_card * 0.7, surplus=weights.surplus * 1.3)
        case Temper.HOARDER:  # one can never have too many cards
            return replace(weights, card=weights.card * 1.2, fading=min(0.95, weights.fading * 1.08))
