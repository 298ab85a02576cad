"""How a game stands, for a letter or a page: who has what, and what each province is worth."""

from __future__ import annotations

from dataclasses import dataclass

from emails import palette, wording
from engine.position import View
from engine.provinces import Province, gains, provinces

MOST_FREE = 12
"""Free provinces that are listed, the most valuable first; the picture shows them all."""


@dataclass(frozen=True, slots=True)
class Row:
    """One player."""

    seat: int
    name: str
    colour: str
    initial: str
    """On the guards of the picture."""
    me: bool
    moves: bool
    won: bool
    score: int
    gain: int
    """What a levy would give now."""
    cards: int
    guards: str
    """Where they stand; empty for nowhere."""
    supply: int
    """Guards not on the board."""


def rows(view: View) -> list[Row]:
    """The players in the order of their turns; once the game is over, by their points."""
    table, gained = view.table, gains(view.table)
    found = [
        Row(
            seat=seat,
            name=wording.shown(name),
            colour=palette.SEAT_COLOURS[seat],
            initial=palette.initial(name, seat),
            me=seat == view.me,
            moves=seat == table.seat and not table.over,
            won=seat in (table.winners or ()),
            score=table.scores[seat],
            gain=gained[seat],
            cards=view.hand_sizes[seat],
            guards=wording.places(table, table.guards[seat]) if table.guards[seat] else "",
            supply=table.guards_in_supply(seat),
        )
        for seat, name in enumerate(table.names)
    ]
    return sorted(found, key=lambda row: -row.score) if table.over else found


@dataclass(frozen=True, slots=True)
class Land:
    """One province with symbol spaces."""

    province: Province
    name: str
    """Of its holder; empty for a free one."""
    holder: str
    """The same as the reader is told: "you" for himself."""
    contents: str


def lands(view: View) -> list[Land]:
    """The provinces that are held, each holder's best first, then the best of the free ones."""
    found = [province for province in provinces(view.table) if province.places]
    held = [province for province in found if province.holder is not None]
    free = [province for province in found if province.holder is None]
    held.sort(key=lambda province: (province.holder, -province.value))
    free.sort(key=lambda province: -province.value)
    return [_land(view, province) for province in (*held, *free[:MOST_FREE])]


def _land(view: View, province: Province) -> Land:
    table, holder = view.table, province.holder
    contents = wording.contents(table, province)
    if holder is None:
        return Land(province, "", "", contents)
    return Land(province, wording.shown(table.names[holder]), wording.who(table, holder, view.me), contents)
