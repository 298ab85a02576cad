"""What can be done, in words: the headings, titles and details of choices.

Each is a line of its own, and none can be read as an order: see phrases.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from emails.i18n import gettext, gettext_noop, ngettext
from emails.wording import phrases
from emails.wording.phrases import (
    capitalize_first,
    format_list,
    format_places,
    gettext_for_seat,
    summarize_places,
)
from emails.wording.place_names import name_place
from engine import action_rules, march_rules
from engine.actions import Choose, Draw, End, Levy, Play, Recall, Take
from engine.board import Point, Space
from engine.cards import Bag, Symbol
from engine.position import Table, View
from engine.provinces import Province, levy_gains, province_at

# --- the march ------------------------------------------------------------------------------------------

STAY_HEADING = gettext_noop("No march is possible: stay, and the game ends after this turn")


def stay_title(card: Symbol | None) -> str:
    """Staying where Alexander is (4.9)."""
    if card is None:
        return gettext("Stay where he is")
    return gettext("Stay where he is and take %(card)s", card=phrases.the_card(card))


def card_heading(table: Table, card: Choose | Play, targets: Sequence[Space], *, joker: bool) -> str:
    """What a card does: where it comes from and where it sends Alexander (4.1, 4.3, 4.8)."""
    where = _targets_phrase(table, targets)
    if isinstance(card, Play):
        held = phrases.a_card(card.card)
        return capitalize_first(
            gettext("Discard %(card)s from your hand and march to %(targets)s", card=held, targets=where)
        )
    lying = phrases.the_card(card.card)
    if joker:
        return capitalize_first(
            gettext("Take %(card)s as a joker and march to %(targets)s", card=lying, targets=where)
        )
    return capitalize_first(
        gettext("Take %(card)s and march with it to %(targets)s", card=lying, targets=where)
    )


def _targets_phrase(table: Table, targets: Sequence[Space]) -> str:
    """The spaces to one of which Alexander can be sent."""
    if len(targets) <= 3:
        return format_places(table, targets, "or")
    return gettext("one of %(number)s symbols", number=len(targets))


def target_heading(table: Table, target: Space) -> str:
    """A target as a heading."""
    borne = table.board.symbols[target]
    assert borne
    return gettext(
        "To %(place)s (%(symbol)s)",
        place=name_place(table, target),
        symbol=phrases.symbol_name(borne),
    )


def corner_title(table: Table, targets: Sequence[Space], corner: Point, label: str) -> str:
    """A corner to march to, with its number on the picture where it has one."""
    named = _targets_phrase(table, targets)
    if not label:
        return gettext("%(targets)s, corner %(corner)s", targets=named, corner=corner)
    return gettext("%(targets)s, corner %(label)s (%(corner)s)", targets=named, corner=corner, label=label)


def add_waypoints(goal: str, points: Sequence[Point]) -> str:
    """A goal with the points that one of several ways to it passes; as it is where there are none."""
    passed = "-".join(str(point) for point in points)
    return gettext("%(goal)s, via %(points)s", goal=goal, points=passed) if passed else goal


def path_count_detail(count: int, least: int) -> str:
    """A corner with more ways than are listed."""
    return ngettext(
        "%(count)s ways there, with %(number)s new wall or more: you are asked which",
        "%(count)s ways there, with %(number)s new walls or more: you are asked which",
        least,
        count=count,
    )


def march_detail(view: View, told: march_rules.MarchOutcome, hand: Bag) -> str:
    """What a march would do, with the cards the reader would then hold."""
    return "; ".join(
        [
            _laid_walls_phrase(len(told.laid), told.red),
            *(_split_phrase(view, split, hand) for split in told.splits),
        ]
    )


def _laid_walls_phrase(laid: int, red: int) -> str:
    if not red:
        return phrases.format_walls(laid) if laid else gettext("no new wall")
    if red == laid:
        return ngettext(
            "%(number)s red wall: this is then the last turn",
            "%(number)s red walls: this is then the last turn",
            red,
        )
    walls = phrases.format_walls(laid)
    return gettext("%(walls)s, %(red)s of them red: this is then the last turn", walls=walls, red=red)


def _split_phrase(view: View, split: march_rules.ProvinceSplit, hand: Bag) -> str:
    """One province that would fall apart: what its holder keeps, what comes free."""
    table, was = view.table, split.before
    free = [part for part in split.cut_off if part.holder is None]
    if was.holder is None:
        phrase = gettext("closes off %(parts)s", parts=_parts_phrase(table, free))
    else:
        kept = format_list(_kept_phrase(part) for part in split.parts if part.holder is not None)
        phrase = gettext_for_seat(
            table,
            was.holder,
            view.me,
            gettext_noop("splits your province worth %(value)s: you keep %(kept)s"),
            gettext_noop("splits %(name)s's province worth %(value)s: %(name)s keeps %(kept)s"),
            value=was.value,
            kept=kept,
        )
        if free:
            phrase = gettext(
                "%(split)s, free are then %(parts)s", split=phrase, parts=_parts_phrase(table, free)
            )
    return _add_prospect(view, phrase, free, hand)


def _add_prospect(view: View, phrase: str, free: Sequence[Province], hand: Bag) -> str:
    """A split, and what of it the reader could occupy: where it scores, or else with how many guards."""
    sieges = [
        siege
        for part in free
        if part.value and (siege := action_rules.find_siege(view.table, view.table.seat, hand, part))
    ]
    if not sieges:
        return phrase
    best = next((siege for siege in sieges if siege.can_score), sieges[0])
    where = format_places(view.table, best.province.places)
    if best.can_score:
        if len(free) == 1:
            return gettext("%(split)s: it can be occupied at once", split=phrase)
        return gettext("%(split)s: %(places)s can be occupied at once", split=phrase, places=where)
    guards = phrases.format_guards(best.fewest_guards)
    if len(free) == 1:
        return ngettext(
            "%(split)s: it takes %(guards)s, and scores nothing until one is taken back",
            "%(split)s: it takes %(guards)s, and scores nothing until %(number)s are taken back",
            best.fewest_guards - 1,
            split=phrase,
            guards=guards,
        )
    return ngettext(
        "%(split)s: %(places)s takes %(guards)s, and scores nothing until one is taken back",
        "%(split)s: %(places)s takes %(guards)s, and scores nothing until %(number)s are taken back",
        best.fewest_guards - 1,
        split=phrase,
        places=where,
        guards=guards,
    )


def _parts_phrase(table: Table, parts: Sequence[Province]) -> str:
    return format_list(_part_phrase(table, part) for part in parts)


def _part_phrase(table: Table, part: Province) -> str:
    size = len(part.spaces)
    if not part.places:
        return ngettext(
            "%(number)s space that nobody can occupy", "%(number)s spaces that nobody can occupy", size
        )
    return ngettext(
        "%(number)s space worth %(value)s (%(places)s)",
        "%(number)s spaces worth %(value)s (%(places)s)",
        size,
        value=part.value,
        places=summarize_places(table, part.places),
    )


def _kept_phrase(part: Province) -> str:
    if len(part.guards) == 1:
        return str(part.value)
    return gettext("%(value)s with %(number)s guards", value=part.value, number=len(part.guards))


# --- the actions ----------------------------------------------------------------------------------------

SCORELESS_HEADING = gettext_noop("Put guards where they score nothing")
CARDS_HEADING = gettext_noop("Get a card")
LEVY_HEADING = gettext_noop("Levy taxes: each province with exactly one guard scores")
RECALL_HEADING = gettext_noop("Take a guard back into your supply")
END_HEADING = gettext_noop("Or stop here")
MORE_WAYS_TITLE = gettext_noop("More ways: name the places for the guards yourself")


def levy_title(card: Symbol) -> str:
    """A levy beside other things to do; no order, as "levy taxes with a horse" would be."""
    return capitalize_first(gettext("%(card)s for a levy", card=phrases.a_card(card)))


def recall_title(table: Table, place: Space) -> str:
    """A guard taken back, beside other things to do."""
    return gettext("The guard on %(place)s comes back", place=name_place(table, place))


def siege_heading(table: Table, siege: action_rules.Siege) -> str:
    """A province that can be had."""
    province = siege.province
    where = summarize_places(table, province.places)
    if province.holder is None:
        return gettext(
            "Occupy a free province worth %(value)s (%(places)s)", value=province.value, places=where
        )
    return gettext(
        "Take over %(name)s's province worth %(value)s (%(places)s)",
        name=phrases.safe_name(table.names[province.holder]),
        value=province.value,
        places=where,
    )


def placement_title(table: Table, guards: Sequence[Space]) -> str:
    """Where guards would stand."""
    return ngettext(
        "Guard on %(places)s", "Guards on %(places)s", len(guards), places=format_places(table, guards)
    )


def conquest_detail(
    view: View, siege: action_rules.Siege, guards: Sequence[Space], paid: Bag, given: Bag
) -> str:
    """What getting a province costs and what it would then give."""
    table, value = view.table, siege.province.value
    costs = gettext("costs %(cards)s", cards=phrases.format_cards(paid))
    details = [costs if len(paid) else gettext("costs no card")]
    if siege.province.holder is not None and len(given):
        details.append(gift_detail(table, siege.province.holder, given))
    if len(guards) > 1:
        details.append(gettext("%(number)s guards in it: scores nothing", number=len(guards)))
    else:
        details.append(
            gettext("scores %(value)s whenever taxes are levied", value=value)
            if value
            else gettext("worth nothing")
        )
        standing = action_rules.symbols_on(table, table.guards[table.seat] + tuple(guards))
        if not table.levied and table.actions_left > 1 and value:
            left = view.hand - paid
            able = [card for card in left.kinds() if card in standing]
            details.append(
                gettext("then %(card)s could levy taxes", card=phrases.a_card(able[0]))
                if able
                else gettext("then no card of yours could levy taxes")
            )
    return "; ".join(details)


def gift_detail(table: Table, loser: int, given: Bag) -> str:
    """What the loser of a province would get (5.10)."""
    return gettext(
        "%(name)s gets %(cards)s",
        name=phrases.safe_name(table.names[loser]),
        cards=phrases.format_cards(given),
    )


def action_title(table: Table, action: Draw | Take | Levy | Recall | End) -> str:
    """An action as a button says it."""
    match action:
        case Draw():
            return gettext("Draw from the supply")
        case Take(card):
            return capitalize_first(gettext("Take %(card)s from the display", card=phrases.the_card(card)))
        case Levy(card):
            return gettext("With %(card)s", card=phrases.a_card(card))
        case Recall(place):
            return gettext("From %(place)s", place=name_place(table, place))
        case End():
            return gettext("End your turn")


def action_detail(view: View, action: Draw | Take | Levy | Recall | End) -> str:
    """What an action would bring about."""
    table = view.table
    match action:
        case Draw():
            return gettext("an unknown card, one of %(number)s", number=view.supply_size)
        case Take(card):
            return gettext(
                "you would hold %(cards)s", cards=phrases.format_symbol_count(card, view.hand[card] + 1)
            )
        case Levy():
            gained = enumerate(levy_gains(table))
            return ", ".join(f"{phrases.name_or_you(table, seat, view.me)} +{gain}" for seat, gain in gained)
        case Recall(place):
            return _recall_detail(province_at(table, place))
        case End():
            return ngettext(
                "%(number)s action is left unused", "%(number)s actions are left unused", table.actions_left
            )


def _recall_detail(province: Province) -> str:
    left = len(province.guards) - 1
    if not left:
        return gettext("its province, worth %(value)s, is then free", value=province.value)
    if left == 1:
        return gettext("its province then scores %(value)s whenever taxes are levied", value=province.value)
    return gettext("%(number)s guards stay in its province", number=left)
