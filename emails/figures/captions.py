"""What the figures of the rules show, in the language spoken, each beside the clause that it belongs to.

Whatever a caption counts is worked out by the engine from what is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from emails.figures import caption_marches as marches
from emails.figures import caption_provinces as provinces
from emails.figures import rule_figures
from emails.figures.plates import Plate
from emails.figures.rule_figures import Words
from emails.i18n import say, sentence
from engine.board import Board

Make = Callable[..., Words]
FIGURES: Sequence[tuple[str, str, str, Make]] = (
    ("4.3", "4.2 4.3", sentence("The closest space for each card"), marches.first),
    ("4.5", "4.1 4.5 4.6", sentence("To the eastern corner"), marches.second),
    ("4.5", "4.5 4.6 5.4 5.5", sentence("To the southern corner"), marches.third),
    ("4.5", "4.3 4.4 4.5", sentence("Three targets, nine corners"), marches.fourth),
    ("4.5", "4.5 4.6 6.1", sentence("Fewest sides, not fewest walls"), marches.fifth),
    ("4.7", "4.2 4.7 6.1", sentence("Along old walls, or through a province"), marches.sixth),
    ("5.6", "5.5 5.6", sentence("A province with six symbols"), provinces.seventh),
    ("5.7", "4.4 4.5 5.5", sentence("A guard with company"), provinces.eighth),
    ("5.7", "5.6 6.1", sentence("Cut in two"), provinces.ninth),
    ("5.7", "4.1 4.2", sentence("A better place for the guard"), provinces.tenth),
    ("5.10", "5.9 5.10", sentence("Taken over"), provinces.eleventh),
    ("5.12", "5.11 5.12", sentence("One pays, everybody scores"), provinces.twelfth),
)
"""Beside which clause each figure stands, which clauses it shows, its title, and who captions it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure."""

    number: int
    title: str
    clause: str
    """The number of the clause beside which it stands."""
    shows: tuple[str, ...]
    """The numbers of all clauses that it shows."""
    plates: tuple[Plate, ...]
    words: Words


def captioned(board: Board) -> tuple[Figure, ...]:
    """All figures in order; `board` is that of the game."""
    drawn = rule_figures.plates(board)
    return tuple(
        Figure(number, say(title), clause, tuple(shows.split()), drawn[number], make(*drawn[number]))
        for number, (clause, shows, title, make) in enumerate(FIGURES, 1)
    )
