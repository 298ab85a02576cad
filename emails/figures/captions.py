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
from emails.figures.rule_figures import FigureText
from emails.i18n import gettext, gettext_noop
from engine.board import Board

Captioner = Callable[..., FigureText]
FIGURES: Sequence[tuple[str, str, str, Captioner]] = (
    ("4.3", "4.2 4.3", gettext_noop("The closest space for each card"), marches.caption_figure_1),
    ("4.5", "4.1 4.5 4.6", gettext_noop("To the eastern corner"), marches.caption_figure_2),
    ("4.5", "4.5 4.6 5.4 5.5", gettext_noop("To the southern corner"), marches.caption_figure_3),
    ("4.5", "4.3 4.4 4.5", gettext_noop("Three targets, nine corners"), marches.caption_figure_4),
    ("4.5", "4.5 4.6 6.1", gettext_noop("Fewest sides, not fewest walls"), marches.caption_figure_5),
    ("4.7", "4.2 4.7 6.1", gettext_noop("Along old walls, or through a province"), marches.caption_figure_6),
    ("5.6", "5.5 5.6", gettext_noop("A province with six symbols"), provinces.caption_figure_7),
    ("5.7", "4.4 4.5 5.5", gettext_noop("A guard with company"), provinces.caption_figure_8),
    ("5.7", "5.6 6.1", gettext_noop("Cut in two"), provinces.caption_figure_9),
    ("5.7", "4.1 4.2", gettext_noop("A better place for the guard"), provinces.caption_figure_10),
    ("5.10", "5.9 5.10", gettext_noop("Taken over"), provinces.caption_figure_11),
    ("5.12", "5.11 5.12", gettext_noop("One pays, everybody scores"), provinces.caption_figure_12),
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
    words: FigureText


def caption_figures(board: Board) -> tuple[Figure, ...]:
    """All figures in order; `board` is that of the game."""
    drawn = rule_figures.draw_figures(board)
    return tuple(
        Figure(number, gettext(title), clause, tuple(shows.split()), drawn[number], make(*drawn[number]))
        for number, (clause, shows, title, make) in enumerate(FIGURES, 1)
    )
