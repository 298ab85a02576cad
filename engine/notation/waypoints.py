"""The points of a march, sorted by the words before them: where it begins, what it passes, where it ends."""

from __future__ import annotations

from engine.actions import Unreadable
from engine.lattice import Point
from engine.notation.canonical_text import Verb
from engine.notation.usage import USAGES
from engine.notation.vocabulary import Vocabulary


class Waypoints:
    """Takes in the words of a march, one after the other.

    "via B4" names a point on the way only, and "via B4-C5" or "via B4 and C5" two of them, until another word
    stands before a point, as in "via B4 to C5". "from A3" names one point, where Alexander should stand.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.points: list[Point] = []
        self.passed: list[Point] = []
        self.origin: Point | None = None
        self.corner: int | None = None
        """The number of the corner where it ends."""
        self.way = ""
        """The word that says what the next points are; empty: they are the path."""
        self.named = False
        """Whether a point has been named after it."""

    def take_word(self, word: str) -> None:
        """Take in a word that is no point."""
        known = self.vocabulary
        silent = word in known.articles or word in known.points or word in known.numbered
        if word in known.joining or (silent and not self.named):
            return
        self.finish()
        if word in known.passing or word in known.leaving:
            self.way = word

    def take_point(self, point: Point) -> None:
        """Take in a point. Raises `Unreadable` where a march would begin twice."""
        if self.way in self.vocabulary.passing:
            self.passed.append(point)
            self.named = True
            return
        if self.way:
            if self.origin is not None:
                raise Unreadable(USAGES[Verb.MARCH].correction)
            self.origin, self.way = point, ""
            return
        self.points.append(point)

    def take_corner(self, number: int) -> None:
        """Take in the number of a corner. Raises `Unreadable` where it is none at which a march ends."""
        if self.way or self.points or self.corner is not None:
            raise Unreadable(USAGES[Verb.MARCH].correction)
        self.corner = number

    def take_place(self) -> None:
        """Take in a place; points behind it are the path."""
        self.way, self.named = "", False

    def finish(self) -> None:
        """Finish the waypoints named so far. Raises `Unreadable` where nothing follows "via"."""
        if self.way and not self.named:
            raise Unreadable("say what comes after “%(word)s”", word=self.way)
        self.way, self.named = "", False
