"""The costs of provinces in sentences, and the check of guard placements.

Here a province can be conquered exactly if engine.provinces accepts that it is occupied or taken over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from emails.i18n import gettext, gettext_noop, ngettext
from emails.wording import options, phrases, standings
from emails.wording.options import MOST_WAYS, Option
from engine.actions import Illegal, Occupy, TakeOver
from engine.board import Space
from engine.cards import EMPTY, Bag
from engine.notation.orders import Verb
from engine.position import Phase, Table, View
from engine.provinces import (
    Province,
    Siege,
    find_siege,
    judge_occupation,
    judge_takeover,
    loser_share,
    province_to_conquer,
    removal_cost,
    symbols_on,
)

MOST_LACKING = 12
"""Highest number of missing cards that are named; with more the province counts as out of reach."""
NOT_YOUR_ACTIONS = gettext_noop("Guards can be placed in your own turn, once Alexander has marched.")
ConquestVerb = Literal[Verb.OCCUPY, Verb.TAKEOVER]


@dataclass(frozen=True, slots=True)
class ProvinceCost:
    sentences: tuple[str, ...] = ()
    ways: tuple[Option, ...] = ()
    """The best ways to place guards; empty if the reader's cards and guards do not suffice (5.6, 5.9)."""


def province_costs(view: View) -> list[tuple[standings.ProvinceStanding, ProvinceCost]]:
    """Return all provinces with symbol spaces, and their costs, in the order of standings.py."""
    return [
        (land, cost_of_province(view, land.province)) for land in standings.province_standings(view, None)
    ]


def cost_of_province(view: View, province: Province) -> ProvinceCost:
    """Return the cost of a province with symbol spaces; empty for the reader's own and after the game."""
    if view.table.over or (view.me is not None and province.holder == view.me):
        return ProvinceCost()
    if view.me is None:
        return ProvinceCost((_general_cost(view.table, province),))
    known = begin_turn_of_reader(view)
    siege = find_siege(known.table, view.me, view.hand, province)
    if siege is None:
        return ProvinceCost((_explain_lacking(known, province),))
    now = view.my_turn and view.table.phase is Phase.ACTIONS
    ways = options.conquest_options(known, siege, settles_gift=now)
    sentences = [_affordable_sentence(siege, now), *_required_guards(known.table, siege)]
    if province.holder is not None and len(view.table.names) > 2:
        loser = phrases.safe_name(view.table.names[province.holder])
        sentences.append(
            gettext("Of the cards you play %(name)s gets half, rounded up; you choose which.", name=loser)
        )
    if len(ways) > MOST_WAYS:
        sentences.append(gettext("There are more ways to place your guards than these:"))
    return ProvinceCost(tuple(sentences), tuple(ways[:MOST_WAYS]))


def begin_turn_of_reader(view: View) -> View:
    """Return the view as if the reader's next turn had begun, to judge costs."""
    if view.my_turn and view.table.phase is Phase.ACTIONS:
        return view
    actions = view.table.edition.actions_per_turn
    changed = view.table.but(seat=view.me, phase=Phase.ACTIONS, actions_left=actions, levied=False)
    return replace(view, table=changed)


def _general_cost(table: Table, province: Province) -> str:
    others = len(province.places) - 1
    if province.holder is None and not others:
        return gettext("It costs one guard and no card.")
    if province.holder is None:
        return ngettext(
            "It costs one guard at least, and a card of its symbol for the other symbol space.",
            "It costs one guard at least, and a card for each of the %(number)s other symbol spaces.",
            others,
        )
    return gettext(
        "Taking it over costs %(cards)s for the guards there, one guard at least, and a card of its symbol "
        "for each other symbol space.",
        cards=phrases.format_cards(removal_cost(table, province)),
    )


def _affordable_sentence(siege: Siege, now: bool) -> str:
    if siege.province.holder is None:
        return (
            gettext("You can occupy it now.")
            if now
            else gettext("You could occupy it with your cards and guards.")
        )
    removal = phrases.format_cards(siege.removal)
    if now:
        return gettext("You can take it over now: removing the guards there costs %(cards)s.", cards=removal)
    return gettext(
        "You could take it over with your cards and guards: removing the guards there costs %(cards)s.",
        cards=removal,
    )


def _required_guards(table: Table, siege: Siege) -> Iterator[str]:
    certain, musts = list[Space](), list[str]()
    for card in siege.needed.kinds():
        number = siege.needed[card]
        bearing = [place for place in siege.province.places if table.board.symbols[place] is card]
        if number == len(bearing):
            certain += bearing
            continue
        among = phrases.format_places(table, bearing, "or")
        some = ngettext("one of %(places)s", "%(number)s of %(places)s", number, places=among)
        musts.append(_format_guards_on(some, number))
    if certain:
        musts.insert(0, _format_guards_on(phrases.format_places(table, sorted(certain)), len(certain)))
    if musts:
        guards = "; ".join(musts)
        yield gettext("Your cards do not pay for all of it: you need %(guards)s.", guards=guards)


def _format_guards_on(places: str, number: int) -> str:
    return ngettext("a guard on %(places)s", "guards on %(places)s", number, places=places)


def _explain_lacking(view: View, province: Province) -> str:
    table, me = view.table, view.table.seat
    most = table.guards_in_supply(me)
    if not most:
        return gettext("You have no guard left for it; you can take one back.")
    removal = removal_cost(table, province) if province.holder is not None else EMPTY
    if not view.hand.covers(removal):
        return gettext(
            "You cannot pay for it: removing the guards there costs %(cards)s, "
            "and your hand lacks %(lacking)s.",
            cards=phrases.format_cards(removal),
            lacking=phrases.format_cards(options.missing_cards(removal, view.hand)),
        )
    beyond = options.missing_cards(symbols_on(table, province.places), view.hand - removal)
    if len(beyond) > MOST_LACKING:
        spaces = len(province.places)
        return gettext(
            "You cannot pay for it: each of its %(number)s symbol spaces needs a card or a guard.",
            number=spaces,
        )
    lacking = phrases.format_cards(beyond)
    if not len(removal):
        return ngettext(
            "You cannot pay for it: your hand lacks %(lacking)s, and you have only %(number)s guard instead.",
            "You cannot pay for it: your hand lacks %(lacking)s, "
            "and you have only %(number)s guards instead.",
            most,
            lacking=lacking,
        )
    return ngettext(
        "You cannot pay for it: after %(cards)s for the guards there your hand lacks %(lacking)s, and "
        "you have only %(number)s guard instead.",
        "You cannot pay for it: after %(cards)s for the guards there your hand lacks %(lacking)s, and "
        "you have only %(number)s guards instead.",
        most,
        cards=phrases.format_cards(removal),
        lacking=lacking,
    )


@dataclass(frozen=True, slots=True)
class PlacementCheck:
    """The cost and gain of a placement of guards, or its faults."""

    fits: bool
    sentences: tuple[str, ...]
    most: Bag = EMPTY  # cards paid, of which the former holder of the province gets a share
    given: Bag = EMPTY  # the former holder's share: the chosen cards, or a valid default


def check_placement(
    view: View, verb: ConquestVerb, guards: tuple[Space, ...], chosen: Bag | None
) -> PlacementCheck:
    """Check the guards for a conquest. `chosen`: cards that the loser gets; None: not chosen yet."""
    if not view.my_turn or view.table.phase is not Phase.ACTIONS:
        return PlacementCheck(False, (gettext(NOT_YOUR_ACTIONS),))
    table = view.table
    if not guards:
        left = table.guards_in_supply(table.seat)
        sentence = ngettext(
            "Choose where your guard is to stand.",
            "Choose where your guards are to stand; you have %(number)s.",
            left,
        )
        return PlacementCheck(False, (sentence,), given=chosen or EMPTY)
    try:
        province = province_to_conquer(table, table.seat, guards)
    except Illegal as illegal:
        return PlacementCheck(False, (_refusal_sentence(illegal),), given=chosen or EMPTY)
    removal = removal_cost(table, province) if province.holder is not None else EMPTY
    paid = removal + symbols_on(table, province.places) - symbols_on(table, guards)
    due = loser_share(table, paid) if verb is Verb.TAKEOVER else 0
    given = next(paid.handfuls(due), EMPTY) if chosen is None else chosen
    try:
        if verb is Verb.OCCUPY:
            judge_occupation(table, table.seat, view.hand, Occupy(guards))
        else:
            judge_takeover(table, table.seat, view.hand, TakeOver(guards, given))
    except Illegal as illegal:
        costs = [gettext("It costs %(cards)s.", cards=phrases.format_cards(paid))] if len(paid) else []
        why = (
            _explain_wrong_gift(table, province, paid, given)
            if illegal.rule == "5.10"
            else _refusal_sentence(illegal)
        )
        return PlacementCheck(False, (*costs, why), paid, given)
    return PlacementCheck(True, tuple(_describe_purchase(view, province, guards, paid, given)), paid, given)


def _refusal_sentence(illegal: Illegal) -> str:
    return phrases.capitalize_first(gettext("%(why)s.", why=phrases.explain_refusal(illegal)))


def _describe_purchase(
    view: View, province: Province, guards: tuple[Space, ...], paid: Bag, given: Bag
) -> Iterator[str]:
    siege = find_siege(view.table, view.table.seat, view.hand, province)
    assert siege is not None
    outcome = options.conquest_detail(view, siege, guards, paid, given)
    yield phrases.capitalize_first(gettext("%(outcome)s.", outcome=outcome))
    left = view.hand - paid
    if len(left):
        yield gettext("You keep %(cards)s.", cards=phrases.format_cards(left))
    else:
        yield gettext("Your hand is then empty.")


def _explain_wrong_gift(table: Table, province: Province, paid: Bag, given: Bag) -> str:
    assert province.holder is not None
    name = phrases.safe_name(table.names[province.holder])
    due, beyond = loser_share(table, paid), options.missing_cards(given, paid)
    if not due:
        return gettext("Between two players nobody gets cards: all are discarded.")
    if len(beyond):
        extra = phrases.format_cards(beyond)
        return gettext(
            "%(name)s can only get cards that you play: take back %(cards)s.", name=name, cards=extra
        )
    if len(given) < due:
        return ngettext(
            "%(name)s gets %(due)s of these cards: choose %(number)s more.",
            "%(name)s gets %(due)s of these cards: choose %(number)s more.",
            due - len(given),
            name=name,
            due=due,
        )
    return ngettext(
        "%(name)s gets only %(due)s of these cards: take back %(number)s.",
        "%(name)s gets only %(due)s of these cards: take back %(number)s.",
        len(given) - due,
        name=name,
        due=due,
    )
