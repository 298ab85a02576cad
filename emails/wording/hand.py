"""What a reader has: his cards with what each could do as things stand, his points, his guards.

It is worked out from his view alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from emails.i18n import say, say_many
from emails.wording import phrases
from emails.wording.phrases import begun, listed, places, shown, some_places
from engine import acting, marching, rules
from engine.acting import Siege
from engine.actions import Play
from engine.cards import Symbol
from engine.position import Phase, View
from engine.provinces import gains, province_at

MOST_REACHED = 6
"""Provinces that are named as within reach, the most valuable first."""


def holdings(view: View) -> Iterator[str]:
    """A sentence for each thing; what cards could do is not told of a game that is over."""
    table, me = view.table, view.me
    assert me is not None
    if len(view.hand):
        yield say("You hold %(cards)s.", cards=phrases.cards(view.hand))
    else:
        yield say("You hold no card.")
    if not table.over:
        reached = sorted(acting.sieges(table, me, view.hand), key=lambda one: -one.province.value)
        for card in view.hand.kinds():
            uses = "; ".join(_uses(view, me, card, reached))
            yield begun(say("%(cards)s: %(uses)s.", cards=phrases.several(card, view.hand[card]), uses=uses))
        yield from (_reach(view, siege) for siege in reached[:MOST_REACHED])
        if not reached:
            yield say("With your cards and guards you could get no province now.")
    points, gain = phrases.points(table.scores[me]), gains(table)[me]
    yield say("You have %(points)s, and a levy now would give you %(gain)s.", points=points, gain=gain)
    for guard in table.guards[me]:
        home = province_at(table, guard)
        yield say(
            "Your guard on %(place)s stands in a province worth %(value)s, which scores %(gain)s in a levy.",
            place=table.board.names[guard],
            value=home.value,
            gain=home.scores,
        )
    yield say_many(
        "There is %(number)s guard in your supply.",
        "There are %(number)s guards in your supply.",
        table.guards_in_supply(me),
    )


def _uses(view: View, me: int, card: Symbol, reached: Sequence[Siege]) -> Iterator[str]:
    """What one card could do: be played for a march, levy taxes, pay for a province."""
    table = view.table
    if view.my_turn and table.phase is Phase.CARD and Play(card) in rules.cards(view):
        spaces = marching.targets(table, card, from_display=False)
        where = places(table, (space for space in spaces if marching.corners_to(table, space)), "or")
        yield say("played for the march it leads to %(places)s", places=where)
    standing = [place for place in table.guards[me] if table.board.symbols[place] is card]
    if standing:
        yield say("it can levy taxes, for you have a guard on %(places)s", places=places(table, standing))
    else:
        yield say("it cannot levy taxes, for no guard of yours stands on its symbol")
    paid = [one for one in reached if card in one.removal + acting.symbols_on(table, one.province.places)]
    if paid:
        worths = dict.fromkeys(str(one.province.value) for one in paid[:MOST_REACHED])
        yield say("it can help to pay for a province worth %(values)s", values=listed(worths, "or"))


def _reach(view: View, siege: Siege) -> str:
    """A province that all cards and guards together could get."""
    table, province = view.table, siege.province
    where = some_places(table, province.places)
    if province.holder is None:
        return say(
            "Within your reach: a free province worth %(value)s (%(places)s).",
            value=province.value,
            places=where,
        )
    return say(
        "Within your reach: %(name)s's province worth %(value)s (%(places)s).",
        name=shown(table.names[province.holder]),
        value=province.value,
        places=where,
    )
