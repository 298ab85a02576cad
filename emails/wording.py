"""How things are said in English: persons, cards and places, and the words of everything that can be done.

No line made here can be read as an order (notation.py), even where a mail client takes the marks of a
quotation away: a heading says "Take the lyre and march to Troy", never "take the lyre" alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from emails.palette import plain_name
from engine import acting, marching
from engine.actions import Choose, Draw, End, Levy, Play, Recall, Take
from engine.cards import Bag, Symbol
from engine.lattice import Point, Space
from engine.notation import VERBS
from engine.position import Phase, Table, View
from engine.provinces import Province, gains, province_at

# --- names and lists ------------------------------------------------------------------------------------


TAMED = str.maketrans({";": ",", "<": "(", ">": ")"})
"""Signs that part orders or begin tags: escaped or not, a name has no need of them."""


@lru_cache(maxsize=1024)
def shown(name: str) -> str:
    """A name that a stranger gave, fit for one line of a letter; in quotes where it begins like an order."""
    plain = plain_name(name.translate(TAMED)) or "?"
    first = re.search("[a-z]+", plain.casefold())
    return f"“{plain}”" if first and first.group() in VERBS else plain


def listed(items: Iterable[str], last: str = "and") -> str:
    """Such as "a, b and c"; "nothing" for none."""
    *others, final = list(items) or ["nothing"]
    return f"{', '.join(others)} {last} {final}" if others else final


def counted(number: int, noun: str) -> str:
    """Such as "1 wall" and "2 walls"."""
    return f"{number} {noun if number == 1 else noun + 's'}"


def a(card: str) -> str:
    """A card with its article: "a horse", "an amphora"."""
    return f"an {card}" if card[0] in "aeiou" else f"a {card}"


def cards(bag: Bag) -> str:
    """Such as "2 temples, a horse and a lyre"."""
    return listed(a(card) if bag[card] == 1 else counted(bag[card], str(card)) for card in bag.kinds())


def who(table: Table, seat: int, me: int | None) -> str:
    """The name of a seat, or "you"."""
    return "you" if seat == me else shown(table.names[seat])


def whose(table: Table, seat: int, me: int | None) -> str:
    """The name of a seat as an owner, or "your"."""
    return "your" if seat == me else f"{shown(table.names[seat])}'s"


def places(table: Table, spaces: Iterable[Space], last: str = "and") -> str:
    """The names of symbol spaces."""
    return listed((table.board.names[space] for space in spaces), last)


def some_places(table: Table, spaces: Sequence[Space], last: str = "and") -> str:
    """The names of a few symbol spaces, or how many there are."""
    return places(table, spaces, last) if len(spaces) <= 3 else f"{len(spaces)} places"


def begun(sentence: str) -> str:
    """A sentence with a capital at its start."""
    return sentence[:1].upper() + sentence[1:]


# --- what the game waits for ----------------------------------------------------------------------------


def summary(view: View) -> str:
    """How the game stands for the reader, in one sentence; for the line that a mailbox shows."""
    table = view.table
    if table.winners is not None:
        won = listed(begun(who(table, seat, view.me)) for seat in table.winners)
        return f"The game is over. {won} won with {counted(max(table.scores), 'point')}."
    if not view.my_turn:
        return f"It is {whose(table, table.seat, view.me)} turn; nothing is needed of you."
    begins = "It is your turn" if table.phase is Phase.CARD else "Your turn goes on"
    return f"{begins}: {needed(view)}."


def needed(view: View) -> str:
    """What the reader, whose turn it is, has to do next."""
    table = view.table
    if table.phase is Phase.CARD:
        found = [f"the {card}" for card in table.display]
        if len(view.hand):
            found.append("a card of your hand")
        return f"choose {listed(found, 'or')}, and march"
    if table.phase is Phase.MARCH:
        return f"march with the {table.chosen}"
    return f"you have {counted(table.actions_left, 'action')} left"


# --- the march ------------------------------------------------------------------------------------------

STAY_HEADING = "No march is possible: stay, and the game ends after this turn"


def stay(card: Symbol | None) -> str:
    """Staying where Alexander is (4.9)."""
    return "Stay where he is" if card is None else f"Stay where he is and take the {card}"


def card_heading(table: Table, card: Choose | Play, targets: Sequence[Space], *, joker: bool) -> str:
    """What a card does: where it comes from and where it sends Alexander (4.1, 4.3, 4.8)."""
    whither = some_places(table, targets, "or")
    if isinstance(card, Play):
        return f"Discard {a(card.card)} from your hand and march to {whither}"
    return f"Take the {card.card}{' as a joker' if joker else ''} and march to {whither}"


def target_heading(table: Table, target: Space) -> str:
    """A target as a heading."""
    return f"To {table.board.names[target]} ({table.board.symbols[target]})"


def goal(table: Table, targets: Sequence[Space], corner: Point, label: str) -> str:
    """A corner to march to, with its number on the picture."""
    return f"{some_places(table, targets, 'or')}, corner {corner} ({label})"


def by(path: marching.Path) -> str:
    """Which of several ways to one corner."""
    return f" by {'-'.join(str(point) for point in path[1:-1])}" if len(path) > 2 else ""


def several_paths(count: int, least: int) -> str:
    """A corner with more ways than are listed."""
    return f"{count} ways there, with {counted(least, 'new wall')} or more: you choose on the page"


def outcome(view: View, told: marching.Outcome, hand: Bag) -> str:
    """What a march would do, with the cards the reader would then hold."""
    return "; ".join([_laid(len(told.laid), told.red), *(_split(view, split, hand) for split in told.splits)])


def _laid(laid: int, red: int) -> str:
    if not red:
        return counted(laid, "wall") if laid else "no new wall"
    colour = "red wall" if red == laid else "wall"
    some = "" if red == laid else f", {red} of them red"
    return f"{counted(laid, colour)}{some}: this is then the last turn"


def _split(view: View, split: marching.Split, hand: Bag) -> str:
    """One province that would fall apart: what its holder keeps, what comes free."""
    table, was = view.table, split.before
    free = [part for part in split.parts if part.holder is None]
    if was.holder is None:
        free.remove(max(free, key=lambda part: len(part.spaces)))
        said = "closes off " + listed(_part(table, part) for part in free)
    else:
        kept = listed(_kept(part) for part in split.parts if part.holder is not None)
        keeps = "you keep" if was.holder == view.me else f"{who(table, was.holder, view.me)} keeps"
        said = f"splits {whose(table, was.holder, view.me)} province worth {was.value}: {keeps} {kept}"
        if free:
            said += ", free are then " + listed(_part(table, part) for part in free)
    able = [part for part in free if part.value and acting.siege(table, table.seat, hand, part)]
    if not able:
        return said
    return f"{said}: {'it' if len(free) == 1 else places(table, able[0].places)} can be occupied at once"


def _part(table: Table, part: Province) -> str:
    if not part.places:
        return f"{counted(len(part.spaces), 'space')} that nobody can occupy"
    return f"{counted(len(part.spaces), 'space')} worth {part.value} ({some_places(table, part.places)})"


def _kept(part: Province) -> str:
    return f"{part.value}" if len(part.guards) == 1 else f"{part.value} with {len(part.guards)} guards"


# --- the actions ----------------------------------------------------------------------------------------

NOTHING_HEADING = "Put guards where they score nothing"
CARDS_HEADING = "Get a card"
LEVY_HEADING = "Levy taxes: each province with exactly one guard scores"
RECALL_HEADING = "Take a guard back into your supply"
END_HEADING = "Or stop here"
ACCEPT_HEADING = "Your answer"
ACCEPT = "Yes, I will play"
MORE_WAYS = "More ways: open the page"


def siege_heading(table: Table, siege: acting.Siege) -> str:
    """A province that can be had."""
    province = siege.province
    worth = f"worth {province.value} ({some_places(table, province.places)})"
    if province.holder is None:
        return f"Occupy a free province {worth}"
    return f"Take over {whose(table, province.holder, None)} province {worth}"


def placement(table: Table, guards: Sequence[Space]) -> str:
    """Where guards would stand."""
    return f"{'Guard' if len(guards) == 1 else 'Guards'} on {places(table, guards)}"


def conquest(view: View, siege: acting.Siege, guards: Sequence[Space], paid: Bag, given: Bag) -> str:
    """What getting a province costs and what it would then give."""
    table, value = view.table, siege.province.value
    said = [f"pays {cards(paid)}" if len(paid) else "pays no card"]
    if siege.province.holder is not None and len(given):
        said.append(f"{who(table, siege.province.holder, None)} gets {cards(given)}")
    if len(guards) > 1:
        said.append(f"{len(guards)} guards in it: scores nothing")
    else:
        said.append(f"scores {value} whenever taxes are levied" if value else "worth nothing")
        standing = acting.symbols_on(table, table.guards[table.seat] + tuple(guards))
        if not table.levied and table.actions_left > 1 and value:
            left = view.hand - paid
            able = [f"then {a(card)} could raise taxes" for card in left.kinds() if card in standing]
            said.append(able[0] if able else "then no card of yours could raise taxes")
    return "; ".join(said)


def title(table: Table, action: Draw | Take | Levy | Recall | End) -> str:
    """An action as a button says it."""
    match action:
        case Draw():
            return "Draw from the supply"
        case Take(card):
            return f"Take the {card} from the display"
        case Levy(card):
            return f"With {a(card)}"
        case Recall(place):
            return f"From {table.board.names[place]}"
        case End():
            return "End your turn"


def detail(view: View, action: Draw | Take | Levy | Recall | End) -> str:
    """What an action would bring about."""
    table = view.table
    match action:
        case Draw():
            return f"an unknown card, one of {view.supply_size}"
        case Take(card):
            return f"you would hold {counted(view.hand[card] + 1, str(card))}"
        case Levy():
            return _gained(view)
        case Recall(place):
            return _left_behind(province_at(table, place))
        case End():
            return f"gives up {counted(table.actions_left, 'action')}"


def _gained(view: View) -> str:
    table = view.table
    gained = [(who(table, seat, view.me), gain) for seat, gain in enumerate(gains(table))]
    return ", ".join(f"{name} +{gain}" for name, gain in gained)


def _left_behind(province: Province) -> str:
    left = len(province.guards) - 1
    if not left:
        return f"its province, worth {province.value}, is then free"
    if left == 1:
        return f"its province then scores {province.value} whenever taxes are levied"
    return f"{left} guards stay in its province"


def undone(words: str, why: str) -> str:
    """What a player said that was not done."""
    quoted = f"“{plain_name(words, 60)}”"
    return f"{quoted}: {why}" if why else quoted


# --- times and pictures ---------------------------------------------------------------------------------

DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
MONTHS = "January February March April May June July August September October November December".split()


def moment(time: datetime) -> str:
    """Such as "Thu 14 January 2027, 18:00 UTC"; `time` has a time zone."""
    utc = time.astimezone(UTC)
    return f"{DAYS[utc.weekday()]} {utc.day} {MONTHS[utc.month - 1]} {utc.year}, {utc:%H:%M} UTC"


def span(hours: int) -> str:
    """Such as "36 hours" and "3 days"."""
    if not hours:
        return "less than an hour"
    return counted(hours // 24, "day") if hours % 24 == 0 and hours > 24 else counted(hours, "hour")


def contents(table: Table, province: Province) -> str:
    """The size of a province and what lies in it."""
    size = counted(len(province.spaces), "space")
    if len(province.places) > 6:
        return f"{size}, {len(province.places)} places"
    named = (f"{table.board.names[place]} ({table.board.symbols[place]})" for place in province.places)
    return f"{size}: {listed(named)}"


def alt(view: View, labels: Mapping[Point, str]) -> str:
    """What the picture of the board shows, short enough to be read out."""
    table = view.table
    said = [f"The board. Alexander stands on {table.alexander}; {counted(len(table.walls), 'wall')} on it."]
    for seat, standing in enumerate(table.guards):
        if standing:
            said.append(f"{begun(whose(table, seat, view.me))} guards: {places(table, standing)}.")
    if labels:
        said.append(f"He can march to {listed(f'{point} ({label})' for point, label in labels.items())}.")
    return " ".join(said)
