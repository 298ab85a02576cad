"""What can be done, in words: the headings, titles and details of choices.

Each is a line of its own, and none can be read as an order: see wording.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from emails.i18n import say, say_many, sentence
from emails.wording import phrases
from emails.wording.phrases import begun, listed, places, say_of, some_places
from engine import acting, marching
from engine.actions import Choose, Draw, End, Levy, Play, Recall, Take
from engine.cards import Bag, Symbol
from engine.lattice import Point, Space
from engine.position import Table, View
from engine.provinces import Province, gains, province_at

# --- the march ------------------------------------------------------------------------------------------

STAY_HEADING = sentence("No march is possible: stay, and the game ends after this turn")


def stay(card: Symbol | None) -> str:
    """Staying where Alexander is (4.9)."""
    if card is None:
        return say("Stay where he is")
    return say("Stay where he is and take %(card)s", card=phrases.the(card))


def card_heading(table: Table, card: Choose | Play, targets: Sequence[Space], *, joker: bool) -> str:
    """What a card does: where it comes from and where it sends Alexander (4.1, 4.3, 4.8)."""
    where = _targets(table, targets)
    if isinstance(card, Play):
        held = phrases.a(card.card)
        return begun(
            say("Discard %(card)s from your hand and march to %(targets)s", card=held, targets=where)
        )
    lying = phrases.the(card.card)
    if joker:
        return begun(say("Take %(card)s as a joker and march to %(targets)s", card=lying, targets=where))
    return begun(say("Take %(card)s and march with it to %(targets)s", card=lying, targets=where))


def _targets(table: Table, targets: Sequence[Space]) -> str:
    """The spaces to one of which Alexander can be sent."""
    if len(targets) <= 3:
        return places(table, targets, "or")
    return say("one of %(number)s symbols", number=len(targets))


def target_heading(table: Table, target: Space) -> str:
    """A target as a heading."""
    borne = table.board.symbols[target]
    assert borne
    return say("To %(place)s (%(symbol)s)", place=table.board.names[target], symbol=phrases.symbol(borne))


def goal(table: Table, targets: Sequence[Space], corner: Point, label: str) -> str:
    """A corner to march to, with its number on the picture where it has one."""
    named = _targets(table, targets)
    if not label:
        return say("%(targets)s, corner %(corner)s", targets=named, corner=corner)
    return say("%(targets)s, corner %(label)s (%(corner)s)", targets=named, corner=corner, label=label)


def by(goal: str, points: Sequence[Point]) -> str:
    """A goal with the points that one of several ways to it passes; as it is where there are none."""
    passed = "-".join(str(point) for point in points)
    return say("%(goal)s, via %(points)s", goal=goal, points=passed) if passed else goal


def several_paths(count: int, least: int) -> str:
    """A corner with more ways than are listed."""
    return say_many(
        "%(count)s ways there, with %(number)s new wall or more: you choose on the page",
        "%(count)s ways there, with %(number)s new walls or more: you choose on the page",
        least,
        count=count,
    )


def outcome(view: View, told: marching.Outcome, hand: Bag) -> str:
    """What a march would do, with the cards the reader would then hold."""
    return "; ".join([_laid(len(told.laid), told.red), *(_split(view, split, hand) for split in told.splits)])


def _laid(laid: int, red: int) -> str:
    if not red:
        return phrases.walls(laid) if laid else say("no new wall")
    if red == laid:
        return say_many(
            "%(number)s red wall: this is then the last turn",
            "%(number)s red walls: this is then the last turn",
            red,
        )
    walls = phrases.walls(laid)
    return say("%(walls)s, %(red)s of them red: this is then the last turn", walls=walls, red=red)


def _split(view: View, split: marching.Split, hand: Bag) -> str:
    """One province that would fall apart: what its holder keeps, what comes free."""
    table, was = view.table, split.before
    free = [part for part in split.apart if part.holder is None]
    if was.holder is None:
        said = say("closes off %(parts)s", parts=_parts(table, free))
    else:
        kept = listed(_kept(part) for part in split.parts if part.holder is not None)
        said = say_of(
            table,
            was.holder,
            view.me,
            sentence("splits your province worth %(value)s: you keep %(kept)s"),
            sentence("splits %(name)s's province worth %(value)s: %(name)s keeps %(kept)s"),
            value=was.value,
            kept=kept,
        )
        if free:
            said = say("%(split)s, free are then %(parts)s", split=said, parts=_parts(table, free))
    able = [part for part in free if part.value and acting.siege(table, table.seat, hand, part)]
    if not able:
        return said
    if len(free) == 1:
        return say("%(split)s: it can be occupied at once", split=said)
    where = places(table, able[0].places)
    return say("%(split)s: %(places)s can be occupied at once", split=said, places=where)


def _parts(table: Table, parts: Sequence[Province]) -> str:
    return listed(_part(table, part) for part in parts)


def _part(table: Table, part: Province) -> str:
    size = len(part.spaces)
    if not part.places:
        return say_many(
            "%(number)s space that nobody can occupy", "%(number)s spaces that nobody can occupy", size
        )
    return say_many(
        "%(number)s space worth %(value)s (%(places)s)",
        "%(number)s spaces worth %(value)s (%(places)s)",
        size,
        value=part.value,
        places=some_places(table, part.places),
    )


def _kept(part: Province) -> str:
    if len(part.guards) == 1:
        return str(part.value)
    return say("%(value)s with %(number)s guards", value=part.value, number=len(part.guards))


# --- the actions ----------------------------------------------------------------------------------------

NOTHING_HEADING = sentence("Put guards where they score nothing")
CARDS_HEADING = sentence("Get a card")
LEVY_HEADING = sentence("Levy taxes: each province with exactly one guard scores")
RECALL_HEADING = sentence("Take a guard back into your supply")
END_HEADING = sentence("Or stop here")
MORE_WAYS = sentence("More ways: open the page")


def taxes(card: Symbol) -> str:
    """A levy beside other things to do; no order, as "levy taxes with a horse" would be."""
    return begun(say("%(card)s for taxes", card=phrases.a(card)))


def comes_back(table: Table, place: Space) -> str:
    """A guard taken back, beside other things to do."""
    return say("The guard on %(place)s comes back", place=table.board.names[place])


def siege_heading(table: Table, siege: acting.Siege) -> str:
    """A province that can be had."""
    province = siege.province
    where = some_places(table, province.places)
    if province.holder is None:
        return say("Occupy a free province worth %(value)s (%(places)s)", value=province.value, places=where)
    return say(
        "Take over %(name)s's province worth %(value)s (%(places)s)",
        name=phrases.shown(table.names[province.holder]),
        value=province.value,
        places=where,
    )


def placement(table: Table, guards: Sequence[Space]) -> str:
    """Where guards would stand."""
    return say_many("Guard on %(places)s", "Guards on %(places)s", len(guards), places=places(table, guards))


def conquest(view: View, siege: acting.Siege, guards: Sequence[Space], paid: Bag, given: Bag) -> str:
    """What getting a province costs and what it would then give."""
    table, value = view.table, siege.province.value
    said = [say("costs %(cards)s", cards=phrases.cards(paid)) if len(paid) else say("costs no card")]
    if siege.province.holder is not None and len(given):
        said.append(gift(table, siege.province.holder, given))
    if len(guards) > 1:
        said.append(say("%(number)s guards in it: scores nothing", number=len(guards)))
    else:
        said.append(
            say("scores %(value)s whenever taxes are levied", value=value) if value else say("worth nothing")
        )
        standing = acting.symbols_on(table, table.guards[table.seat] + tuple(guards))
        if not table.levied and table.actions_left > 1 and value:
            left = view.hand - paid
            able = [card for card in left.kinds() if card in standing]
            said.append(
                say("then %(card)s could levy taxes", card=phrases.a(able[0]))
                if able
                else say("then no card of yours could levy taxes")
            )
    return "; ".join(said)


def gift(table: Table, loser: int, given: Bag) -> str:
    """What the loser of a province would get (5.10)."""
    return say("%(name)s gets %(cards)s", name=phrases.shown(table.names[loser]), cards=phrases.cards(given))


def title(table: Table, action: Draw | Take | Levy | Recall | End) -> str:
    """An action as a button says it."""
    match action:
        case Draw():
            return say("Draw from the supply")
        case Take(card):
            return begun(say("Take %(card)s from the display", card=phrases.the(card)))
        case Levy(card):
            return say("With %(card)s", card=phrases.a(card))
        case Recall(place):
            return say("From %(place)s", place=table.board.names[place])
        case End():
            return say("End your turn")


def detail(view: View, action: Draw | Take | Levy | Recall | End) -> str:
    """What an action would bring about."""
    table = view.table
    match action:
        case Draw():
            return say("an unknown card, one of %(number)s", number=view.supply_size)
        case Take(card):
            return say("you would hold %(cards)s", cards=phrases.several(card, view.hand[card] + 1))
        case Levy():
            gained = enumerate(gains(table))
            return ", ".join(f"{phrases.who(table, seat, view.me)} +{gain}" for seat, gain in gained)
        case Recall(place):
            return _left_behind(province_at(table, place))
        case End():
            return say_many("gives up %(number)s action", "gives up %(number)s actions", table.actions_left)


def _left_behind(province: Province) -> str:
    left = len(province.guards) - 1
    if not left:
        return say("its province, worth %(value)s, is then free", value=province.value)
    if left == 1:
        return say("its province then scores %(value)s whenever taxes are levied", value=province.value)
    return say("%(number)s guards stay in its province", number=left)
