"""Who had the seats of a game when something happened in it: while it goes on a seat may be passed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.position import View


@dataclass(frozen=True, slots=True)
class SeatNames:
    """Who had the seats at one fact of a game."""

    names: tuple[str, ...]
    is_readers: bool = True
    """Whether the reader had theirs already: what was done before was not done by "you"."""

    def name_seats(self, view: View) -> View:
        """What the reader knows, with the names of that time: for telling what happened, and nothing else."""
        table = replace(view.table, names=self.names)
        return replace(view, table=table, me=view.me if self.is_readers else None)


def name_seats_in_turn(view: View, turn_names: Sequence[SeatNames], turn: int) -> View:
    """What the reader knows, with the names of a turn; `turn_names` are those of each, empty: as they are."""
    return turn_names[turn - 1].name_seats(view) if turn_names else view


def names_of_last(names: Sequence[SeatNames], facts: int, later: int = 0) -> Sequence[SeatNames]:
    """The names at the last `facts` facts of a game, after which so many `later` ones came.

    `names` are those at each fact; none where they are empty, for then no seat was passed on.
    """
    end = len(names) - later
    return names[end - facts : end] if facts <= end else ()
