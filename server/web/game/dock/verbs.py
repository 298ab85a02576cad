"""What can be done after the march, as the large buttons of the dock: each with its price and its gain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from emails.i18n import gettext, ngettext
from emails.wording import option_text, phrases
from emails.wording.options import guard_placements
from engine import action_rules
from engine.actions import Draw, End, Levy, Occupy, Recall, Take, TakeOver
from engine.cards import EMPTY, Bag
from engine.lattice import Space
from engine.notation.canonical_text import write
from engine.position import View
from engine.provinces import levy_gains, province_at

MOST_PLACEMENTS = 6
"""Ways to place guards in one province that are compared and offered."""
MOST_GIFTS = 8
"""Ways to share the cards that are played with the loser of a province that are offered."""


class VerbKind(StrEnum):
    """Which button; a style sheet knows it by this name."""

    DRAW = "draw"
    OCCUPY = "occupy"
    LEVY = "levy"
    RECALL = "recall"
    END = "end"


@dataclass(frozen=True, slots=True)
class VerbAction:
    """One action to do."""

    words: str
    title: str
    detail: str = ""
    gifts: tuple[TakeoverGift, ...] = ()
    """What its loser could get instead."""


@dataclass(frozen=True, slots=True)
class TakeoverGift:
    """A takeover that hands over these cards (5.10)."""

    words: str
    cards: str


@dataclass(frozen=True, slots=True)
class DockVerb:
    """A button of the dock."""

    kind: VerbKind
    name: str
    place: str = ""
    """Where its guards would stand."""
    price: str = ""
    gain: str = ""
    words: str = ""
    """What it does; empty where that cannot be done, or where one of `others` is to be chosen."""
    plays: bool = False
    """Whether it plays the turn so far: it reveals a card, or the turn ends with it."""
    why: str = ""
    """Why it cannot be done."""
    others: tuple[VerbAction, ...] = ()
    """What else of its kind can be done."""


def list_verbs(view: View, following: str) -> tuple[DockVerb, ...]:
    """The buttons of the action phase, always the same in the same order; `following`: who is next."""
    found = (_draw(view), _occupy(view), _levy(view), _recall(view), end_turn(view, following))
    if view.table.actions_left > 1:
        return found
    return tuple(replace(verb, plays=True) for verb in found)


def list_placements(view: View, siege: action_rules.Siege) -> list[VerbAction]:
    """The first ways to get a province, the best first."""
    return [_describe(view, siege, guards) for guards in _ranked_placements(view, siege)]


def _ranked_placements(view: View, siege: action_rules.Siege) -> list[tuple[Space, ...]]:
    found = islice(guard_placements(view, siege), MOST_PLACEMENTS)
    return sorted(found, key=lambda guards: -_rate(view, siege, guards))


def _rate(view: View, siege: action_rules.Siege, guards: tuple[Space, ...]) -> float:
    """A rough measure of what a way to get a province is worth, in points: as Steady most often chooses."""
    price = siege.price(view.table, guards)
    kinds = len((view.hand - price).kinds())
    gained = _scoring_value(siege, guards) + 2 * (siege.province.holder is not None)
    return gained - len(price) + 0.3 * kinds - 3 * (len(guards) - 1)


def _scoring_value(siege: action_rules.Siege, guards: tuple[Space, ...]) -> int:
    return siege.province.value if len(guards) == 1 else 0


def _describe(view: View, siege: action_rules.Siege, guards: tuple[Space, ...]) -> VerbAction:
    table, paid = view.table, siege.price(view.table, guards)
    title, loser = option_text.placement_title(table, guards), siege.province.holder
    if loser is None:
        detail = option_text.conquest_detail(view, siege, guards, paid, EMPTY)
        return VerbAction(write(Occupy(guards), table.board), title, detail)
    given, *others = _rank_gifts(view, loser, paid)
    detail = option_text.conquest_detail(view, siege, guards, paid, given)
    gifts = tuple(
        TakeoverGift(write(TakeOver(guards, other), table.board), phrases.format_cards(other))
        for other in others
    )
    return VerbAction(write(TakeOver(guards, given), table.board), title, detail, gifts)


def _rank_gifts(view: View, loser: int, paid: Bag) -> list[Bag]:
    """The first ways to share what is played, those first with which the loser can levy least."""
    table = view.table
    standing = action_rules.symbols_on(table, table.guards[loser])

    def rate(given: Bag) -> tuple[int, int]:
        return sum(given[card] for card in standing.kinds()), len(given.kinds())

    return sorted(paid.handfuls(action_rules.loser_share(table, paid)), key=rate)[:MOST_GIFTS]


def _draw(view: View) -> DockVerb:
    name = gettext("Draw")
    if not view.supply_size:
        return DockVerb(VerbKind.DRAW, name, why=gettext("No card is left in the supply."))
    words = write(Draw(), view.table.board)
    return DockVerb(VerbKind.DRAW, name, gain=gettext("+1 card"), words=words, plays=True)


def _occupy(view: View) -> DockVerb:
    table, name = view.table, gettext("Occupy")
    found = [
        (siege, _ranked_placements(view, siege)[0])
        for siege in action_rules.find_sieges(table, view.my_seat, view.hand)
    ]
    if not found:
        why = (
            gettext("Your cards and guards pay for no province.")
            if table.guards_in_supply(view.my_seat)
            else gettext("You have no guard left; you can take one back.")
        )
        return DockVerb(VerbKind.OCCUPY, name, why=why)
    found.sort(key=lambda one: -_rate(view, *one))
    steps = tuple(_describe(view, *one) for one in found)
    siege, guards = found[0]
    value = _scoring_value(siege, guards)
    if siege.province.holder is not None:
        name = gettext("Take over")
    cards = len(siege.price(table, guards))
    return DockVerb(
        VerbKind.OCCUPY,
        name,
        phrases.format_places(table, guards),
        ngettext("%(number)s card", "%(number)s cards", cards) if cards else gettext("no card"),
        gettext("+%(value)s a levy", value=value) if value else gettext("scores 0"),
        steps[0].words,
        others=steps[1:],
    )


def _levy(view: View) -> DockVerb:
    table, name = view.table, gettext("Levy")
    if table.levied:
        return DockVerb(VerbKind.LEVY, name, why=gettext("Taxes were levied in this turn already."))
    if not table.guards[view.my_seat]:
        return DockVerb(VerbKind.LEVY, name, why=gettext("You have no guard on the board."))
    cards = action_rules.levy_cards(table, view.my_seat, view.hand)
    if not cards:
        return DockVerb(
            VerbKind.LEVY, name, why=gettext("No card of yours has the symbol of a guard of yours.")
        )
    first, *others = sorted(cards, key=lambda card: -view.hand[card])
    gains = levy_gains(table)
    return DockVerb(
        VerbKind.LEVY,
        name,
        price=phrases.a_card(first),
        gain=gettext("you +%(value)s", value=gains[view.my_seat]),
        words=write(Levy(first), table.board),
        others=tuple(_describe_step(view, Levy(card)) for card in others),
    )


def _recall(view: View) -> DockVerb:
    table, name = view.table, gettext("Recall")
    standing = table.guards[view.my_seat]
    if not standing:
        return DockVerb(VerbKind.RECALL, name, why=gettext("You have no guard on the board."))
    steps = tuple(_describe_step(view, Recall(place)) for place in standing)
    if len(steps) > 1:
        return DockVerb(VerbKind.RECALL, name, gain=gettext("+1 guard"), others=steps)
    (place,) = standing
    price = gettext("-%(value)s a levy", value=province_at(table, place).scores)
    return DockVerb(VerbKind.RECALL, name, price=price, gain=gettext("+1 guard"), words=steps[0].words)


def _describe_step(view: View, action: Levy | Recall) -> VerbAction:
    table = view.table
    title = option_text.action_title(table, action)
    return VerbAction(write(action, table.board), title, option_text.action_detail(view, action))


def end_turn(view: View, following: str) -> DockVerb:
    """The end of the turn; `following`: who is next."""
    table = view.table
    left = table.actions_left
    if table.last_turn or table.has_winning_score:
        gain = gettext("the game is over")
    else:
        gain = gettext("%(name)s is next", name=phrases.safe_name(following))
    price = gettext("%(number)s unused", number=left) if left else ""
    words = write(End(), table.board)
    return DockVerb(VerbKind.END, gettext("End"), price=price, gain=gain, words=words, plays=True)


def list_takes(view: View) -> dict[str, str]:
    """For each symbol on display the words that take it."""
    return {card: write(Take(card), view.table.board) for card in view.table.display.kinds()}


def list_levies(view: View) -> dict[str, str]:
    """For each card of the hand with which taxes can be levied the words that do so."""
    cards = action_rules.levy_cards(view.table, view.my_seat, view.hand)
    return {card: write(Levy(card), view.table.board) for card in cards}
