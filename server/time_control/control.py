"""The time control of a game: the time for a turn, and a bank of time for all that takes longer.

The time for a turn comes anew with each turn and is never charged. What a turn takes beyond it is taken from
its player's bank, and when that is empty too time is up. A game without a bank has plain hours for a turn.
These are one at least, so the first minutes after a letter has left cost nobody anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from emails.terms import TurnTime

MINUTE = timedelta(minutes=1)
NO_TIME = timedelta(0)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time the players of a game have."""

    grace: timedelta
    """For each turn, never charged; none: as long as one likes."""
    bank: timedelta = NO_TIME
    """For each player, beyond the grace of their turns."""
    refill: timedelta = NO_TIME
    """What a turn that its player ends in time adds to their bank, which is never fuller than at first."""

    @classmethod
    def of(cls, time: TurnTime) -> TimeControl:
        """The control of a time for turns as it is told."""
        return cls(time.minutes * MINUTE, time.bank * MINUTE, time.refill * MINUTE)

    @property
    def is_limited(self) -> bool:
        """Whether there is any clock."""
        return self.grace > NO_TIME

    def bank_after(self, before: timedelta, left: timedelta, *, by_player: bool = True) -> timedelta:
        """The bank after a turn: it held `before` at its beginning, and `left` was left in all at its end.

        It refills when its player has ended the turn in time.
        """
        rest = max(min(before, left), NO_TIME)
        return max(rest, min(rest + self.refill, self.bank)) if by_player and left > NO_TIME else rest
