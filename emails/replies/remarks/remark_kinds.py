"""What a remark can be, and where it is judged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from emails.languages.lexicon import Lexicon, whole_lexicon


class RemarkKind(StrEnum):
    """What a remark is."""

    COURTESY = "courtesy"
    """A greeting, thanks, a farewell, names, a label of what follows."""
    FOOTER = "footer"
    """A device line, a legal footer, a line of a signature."""
    PLAIN = "plain"
    UNKNOWN = "unknown"
    """It holds nothing doubtful, and too little of it is known."""
    DOUBTFUL = "doubtful"

    @property
    def is_harmless(self) -> bool:
        """Whether it leaves the orders beside it alone."""
        return self not in (RemarkKind.UNKNOWN, RemarkKind.DOUBTFUL)


@dataclass(frozen=True, slots=True)
class RemarkContext:
    """Who makes remarks beside orders, and where."""

    people: Collection[str] = ()
    """The names of the players, word by word in small letters."""
    places: Collection[str] = ()
    """The names of the places of the board in small letters."""
    of_game: bool = True
    """Whether orders stand beside it: then words of the game are doubtful, and those that nobody knows."""
    lexicon: Lexicon = field(default_factory=whole_lexicon)
    """The words in which those orders are read."""
