"""A reader's hand in words: their cards with what each could do as things stand, their points and guards.

It is worked out from their view alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from emails.i18n import gettext, ngettext
from emails.wording import phrases
from emails.wording.phrases import capitalize_first, format_list, format_places, safe_name, summarize_places
from emails.wording.place_names import name_place
from engine import action_rules, march_rules, rules
from engine.action_rules import Siege
from engine.actions import Play
from engine.cards import Symbol
from engine.position import Phase, View
from engine.provinces import levy_gains, province_at

MOST_REACHED = 6
"""Provinces that are named as within reach, the most valuable first."""


def describe_hand(view: View) -> Iterator[str]:
    """A sentence for each thing; what cards could do is not told of a game that is over."""
    table, me = view.table, view.my_seat
    if len(view.hand):
        yield gettext("You hold %(cards)s.", cards=phrases.format_cards(view.hand))
    else:
        yield gettext("You hold no card.")
    if not table.over:
        reached = sorted(action_rules.find_sieges(table, me, view.hand), key=lambda one: -one.province.value)
        for card in view.hand.kinds():
            uses = "; ".join(_card_uses(view, me, card, reached))
            yield capitalize_first(
                gettext(
                    "%(cards)s: %(uses)s.",
                    cards=phrases.format_symbol_count(card, view.hand[card]),
                    uses=uses,
                )
            )
        yield from (_reach_sentence(view, siege) for siege in reached[:MOST_REACHED])
        if not reached:
            yield gettext("With your cards and guards you could get no province now.")
    points, gain = phrases.format_points(table.scores[me]), levy_gains(table)[me]
    yield gettext("You have %(points)s, and a levy now would give you %(gain)s.", points=points, gain=gain)
    for guard in table.guards[me]:
        home = province_at(table, guard)
        yield gettext(
            "Your guard on %(place)s stands in a province worth %(value)s, which scores %(gain)s in a levy.",
            place=name_place(table, guard),
            value=home.value,
            gain=home.scores,
        )
    yield ngettext(
        "There is %(number)s guard in your supply.",
        "There are %(number)s guards in your supply.",
        table.guards_in_supply(me),
    )


def _card_uses(view: View, me: int, card: Symbol, reached: Sequence[Siege]) -> Iterator[str]:
    """What one card could do: be played for a march, levy taxes, pay for a province."""
    table = view.table
    if view.my_turn and table.phase is Phase.CARD and Play(card) in rules.card_choices(view):
        spaces = march_rules.targets(table, card, from_display=False)
        where = format_places(
            table, (space for space in spaces if march_rules.reachable_corners(table, space)), "or"
        )
        yield gettext("played for the march it leads to %(places)s", places=where)
    standing = [place for place in table.guards[me] if table.board.symbols[place] is card]
    if standing:
        yield gettext(
            "it can levy taxes, for you have a guard on %(places)s", places=format_places(table, standing)
        )
    else:
        yield gettext("it cannot levy taxes, for no guard of yours stands on its symbol")
    paid = [
        one for one in reached if card in one.removal + action_rules.symbols_on(table, one.province.places)
    ]
    if paid:
        worths = dict.fromkeys(str(one.province.value) for one in paid[:MOST_REACHED])
        yield gettext("it can help to pay for a province worth %(values)s", values=format_list(worths, "or"))


def _reach_sentence(view: View, siege: Siege) -> str:
    """A province that all cards and guards together could get."""
    table, province = view.table, siege.province
    where = summarize_places(table, province.places)
    if province.holder is None:
        return gettext(
            "Within your reach: a free province worth %(value)s (%(places)s).",
            value=province.value,
            places=where,
        )
    return gettext(
        "Within your reach: %(name)s's province worth %(value)s (%(places)s).",
        name=safe_name(table.names[province.holder]),
        value=province.value,
        places=where,
    )
