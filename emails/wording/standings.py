"""How a game stands, for a letter or a page: what it waits for, who has what, what each province is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emails.i18n import say, say_many, sentence
from emails.picture import palette
from emails.wording import phrases
from engine.lattice import Point
from engine.position import Phase, Table, View
from engine.provinces import Province, gains, provinces

# --- in a sentence --------------------------------------------------------------------------------------


def summary(view: View) -> str:
    """How the game stands for the reader, in one sentence; for the line that a mailbox shows."""
    table = view.table
    if table.winners is not None:
        won = phrases.listed(phrases.who(table, seat, view.me) for seat in table.winners)
        return say_many(
            "The game is over. %(winners)s won with %(points)s.",
            "The game is over. %(winners)s won with %(points)s.",
            len(table.winners),
            winners=phrases.begun(won),
            points=phrases.points(max(table.scores)),
        )
    if not view.my_turn:
        mover = phrases.shown(table.names[table.seat])
        return say("It is %(name)s's turn; there is nothing for you to do now.", name=mover)
    if table.phase is Phase.CARD:
        return say("It is your turn: %(needed)s.", needed=needed(view))
    return say("Your turn goes on: %(needed)s.", needed=needed(view))


def needed(view: View) -> str:
    """What the reader, whose turn it is, has to do next."""
    table = view.table
    if table.phase is Phase.CARD:
        found = [phrases.the(card) for card in table.display.kinds()]
        if len(view.hand):
            found.append(say("a card from your hand"))
        return say("choose %(cards)s, and march", cards=phrases.listed(found, "or"))
    if table.phase is Phase.MARCH and table.chosen:
        return say("march with %(card)s", card=phrases.the(table.chosen))
    return say_many("you have %(number)s action left", "you have %(number)s actions left", table.actions_left)


def alt(view: View, labels: Mapping[Point, str]) -> str:
    """What the picture of the board shows, short enough to be read out."""
    table = view.table
    said = [
        say_many(
            "The board. Alexander stands on %(point)s; %(number)s wall on it.",
            "The board. Alexander stands on %(point)s; %(number)s walls on it.",
            len(table.walls),
            point=table.alexander,
        )
    ]
    for seat, standing in enumerate(table.guards):
        if standing:
            yours, theirs = sentence("Your guards: %(places)s."), sentence("%(name)s's guards: %(places)s.")
            where = phrases.places(table, standing)
            said.append(phrases.begun(phrases.say_of(table, seat, view.me, yours, theirs, places=where)))
    if labels:
        corners = phrases.listed(f"{label} ({point})" for point, label in labels.items())
        said.append(say("He can march to corner %(corners)s.", corners=corners))
    return " ".join(said)


# --- in tables ------------------------------------------------------------------------------------------

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
            name=phrases.shown(name),
            colour=palette.SEAT_COLOURS[seat],
            initial=palette.initial(name, seat),
            me=seat == view.me,
            moves=seat == table.seat and not table.over,
            won=seat in (table.winners or ()),
            score=table.scores[seat],
            gain=gained[seat],
            cards=view.hand_sizes[seat],
            guards=phrases.places(table, table.guards[seat]) if table.guards[seat] else "",
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


def lands(view: View, most_free: int | None = MOST_FREE) -> list[Land]:
    """The provinces that are held, each holder's best first, then the best of the free ones (None: all)."""
    found = [province for province in provinces(view.table) if province.places]
    held = [province for province in found if province.holder is not None]
    free = [province for province in found if province.holder is None]
    held.sort(key=lambda province: (province.holder, -province.value))
    free.sort(key=lambda province: -province.value)
    return [_land(view, province) for province in (*held, *free[:most_free])]


def _land(view: View, province: Province) -> Land:
    table, holder = view.table, province.holder
    contents = _contents(table, province)
    if holder is None:
        return Land(province, "", "", contents)
    return Land(province, phrases.shown(table.names[holder]), phrases.who(table, holder, view.me), contents)


def _contents(table: Table, province: Province) -> str:
    """The size of a province and what lies in it."""
    size, borne = phrases.spaces(len(province.spaces)), len(province.places)
    if borne > 6:
        return say("%(spaces)s, %(number)s with a symbol", spaces=size, number=borne)
    named = []
    for place in province.places:
        symbol = table.board.symbols[place]
        assert symbol
        named.append(f"{table.board.names[place]} ({phrases.symbol(symbol)})")
    return f"{size}: {phrases.listed(named)}"
