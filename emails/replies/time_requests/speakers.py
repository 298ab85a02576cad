"""Who writes a mail about time, and where the game stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who writes, and where the game stands."""

    own: frozenset[str]
    """The words of their name in small letters."""
    others: frozenset[str]
    """Those of the names of the others."""
    mover: frozenset[str]
    """Those of whoever is to move."""
    today: date
    paused: bool = False

    @property
    def moves(self) -> bool:
        """Whether it is their turn."""
        return bool(self.own & self.mover)
