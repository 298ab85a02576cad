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
from emails.wording.texts import say
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
    removal = removal_cost(view.table, province)
    if view.me is None:
        return ProvinceCost((say("costs.for_anyone", province=province, removal=removal),))
    known = begin_turn_of_reader(view)
    siege = find_siege(known.table, view.me, view.hand, province)
    if siege is None:
        return ProvinceCost((_explain_lacking(known, province, removal),))
    now = view.my_turn and view.table.phase is Phase.ACTIONS
    ways = options.conquest_options(known, siege, settles_gift=now)
    affordable = say("costs.affordable", removal=removal, now=now)
    sentences = [affordable, *_required_guards(known.table, siege)]
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


def _explain_lacking(view: View, province: Province, removal: Bag) -> str:
    wanted = symbols_on(view.table, province.places)
    return say(
        "costs.lacking",
        guards=view.table.guards_in_supply(view.table.seat),
        spaces=len(province.places),
        removal=removal,
        lacks=options.missing_cards(removal, view.hand),
        beyond=options.missing_cards(wanted, view.hand - removal),
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
    paid = removal_cost(table, province) + symbols_on(table, province.places) - symbols_on(table, guards)
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
    return say("costs.wrong_gift", name=name, due=due, given=len(given), beyond=beyond)
