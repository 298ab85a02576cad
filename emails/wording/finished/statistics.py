"""What a whole game was like: the points after each turn, the longest march, the best levy.

All of it is public, so it is worked out from what a spectator hears, and gives nothing away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.board import Point
from engine.cards import Symbol
from engine.events import (
    AlexanderMarched,
    GameClosed,
    GameEnded,
    GameStarted,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.position import GameStartedVeiled, VisibleEvent


@dataclass(frozen=True, slots=True)
class LongestMarch:
    """The march of the most sides; of several as long, the first."""

    seat: int
    turn: int
    """Counted from 1."""
    path: tuple[Point, ...]
    sides: int
    """How many sides it walked."""
    walls: int
    """How many walls it laid, black and red."""


@dataclass(frozen=True, slots=True)
class BestLevy:
    """The levy that brought whoever levied it the most points; of several as good, the first."""

    seat: int
    turn: int
    """Counted from 1."""
    card: Symbol
    gain: int
    """Points of that seat, at least 1."""


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """The course of a game; turns are counted from 1."""

    scores: tuple[tuple[int, ...], ...]
    """The points of each seat after turn 1, turn 2 and so on, the last turn of a game that is over too."""
    longest: LongestMarch | None = None
    """None where nobody marched."""
    best: BestLevy | None = None
    """None where no levy brought its player a point."""


def compile_statistics(told: Sequence[VisibleEvent]) -> GameStatistics:
    """The course of a game, from all that happened in it, of which the first deals the cards.

    Raises `ValueError` where the first fact is another.
    """
    first = told[0] if told else None
    if not isinstance(first, GameStarted | GameStartedVeiled):
        raise ValueError("a record is made from the whole game, from its start on")
    now = (0,) * len(first.seats)
    scores: list[tuple[int, ...]] = []
    longest: LongestMarch | None = None
    best: BestLevy | None = None
    for fact in told:
        turn = len(scores) + 1
        match fact:
            case AlexanderMarched(seat, path=path, walls=walls):
                if longest is None or len(path) - 1 > longest.sides:
                    longest = LongestMarch(seat, turn, path, len(path) - 1, len(walls))
            case TaxesLevied(seat, card, gains):
                now = tuple(score + gain for score, gain in zip(now, gains, strict=True))
                if gains[seat] > (best.gain if best else 0):
                    best = BestLevy(seat, turn, card, gains[seat])
            case TurnEnded() | TurnSkipped() | GameEnded() | GameClosed():
                scores.append(now)
            case _:
                pass
    return GameStatistics(tuple(scores), longest, best)
