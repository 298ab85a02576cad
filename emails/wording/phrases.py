"""How things are said in the language that is spoken: persons, numbers, cards, places, refusals and times.

No line made of these can be read as an order (notation.py), even where a mail client takes the marks of a
quotation away: a heading says "Take the lyre and march with it to Troy", never "take the lyre"
alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from html import escape
from itertools import accumulate

from babel.dates import format_datetime

from emails.i18n import say, say_many, sentence, spoken, zone
from emails.picture.palette import SEAT_LOOKS, plain_name
from engine.actions import Ambiguous, Illegal, Refusal, Unreadable
from engine.cards import SYMBOLS, Bag, Symbol
from engine.lattice import Space
from engine.notation.tokens import begins
from engine.notation.vocabulary import SYMBOLS_READ, VERBS
from engine.notation.vocabulary import spoken as written_in
from engine.position import Table

# --- names and lists ------------------------------------------------------------------------------------


TAMED = str.maketrans({";": ",", "<": "(", ">": ")"})
"""Signs that part orders or begin tags: escaped or not, a name has no need of them."""
BEGINNINGS = frozenset((*VERBS, *SYMBOLS_READ, "say", "tell", "zeg", "vertel"))
"""Words with which a line begins that is an order, or is said to other players (chat.py)."""


HEAVIEST = 80
"""Bytes of a name in HTML, which stands in a letter a hundred times: forty letters of most alphabets."""


@lru_cache(maxsize=1024)
def shown(name: str) -> str:
    """A name that a stranger gave, fit for one line of a letter; in quotes where it begins like an order."""
    plain = _light(plain_name(name.translate(TAMED))) or "?"
    first = re.search("[a-z]+", plain.casefold())
    return f"“{plain}”" if begins(plain) or (first and first.group() in BEGINNINGS) else plain


def _light(name: str) -> str:
    """As much of a name as is not too heavy: all of it but for one of many emoji or signs."""
    ends = list(accumulate(len(escape(char).encode()) for char in name))
    if not name or ends[-1] <= HEAVIEST:
        return name
    return plain_name(name, max(1, sum(end <= HEAVIEST - len("…".encode()) for end in ends) + 1))


LISTS = {
    "and": sentence("%(others)s and %(final)s"),
    "or": sentence("%(others)s or %(final)s"),
}


def listed(items: Iterable[str], last: str = "and") -> str:
    """Such as "a, b and c", or with "or" as `last`; "nothing" for none."""
    *others, final = list(items) or [say("nothing")]
    return say(LISTS[last], others=", ".join(others), final=final) if others else final


def begun(words: str) -> str:
    """A sentence with a capital at its start."""
    return words[:1].upper() + words[1:]


def who(table: Table, seat: int, me: int | None) -> str:
    """The name of a seat, or "you": one among others in a list, or alone."""
    return say("you") if seat == me else shown(table.names[seat])


def say_of(table: Table, seat: int, me: int | None, mine: str, theirs: str, **values: object) -> str:
    """A sentence about a seat: `mine` where it is the reader's, else `theirs`, with `%(name)s` in it."""
    if seat == me:
        return say(mine, **values)
    return say(theirs, name=shown(table.names[seat]), **values)


# --- numbers --------------------------------------------------------------------------------------------


def points(number: int) -> str:
    """Such as "1 point" and "2 points"."""
    return say_many("%(number)s point", "%(number)s points", number)


def actions(number: int) -> str:
    """Such as "2 actions"."""
    return say_many("%(number)s action", "%(number)s actions", number)


def walls(number: int) -> str:
    """Such as "2 walls"."""
    return say_many("%(number)s wall", "%(number)s walls", number)


def guards(number: int) -> str:
    """Such as "2 guards"."""
    return say_many("%(number)s guard", "%(number)s guards", number)


def spaces(number: int) -> str:
    """Such as "2 spaces"."""
    return say_many("%(number)s space", "%(number)s spaces", number)


def cards_counted(number: int) -> str:
    """Such as "2 cards"."""
    return say_many("%(number)s card", "%(number)s cards", number)


# --- cards ----------------------------------------------------------------------------------------------

ALONE: Mapping[Symbol, str] = {
    Symbol.TEMPLE: sentence("temple"),
    Symbol.AMPHORA: sentence("amphora"),
    Symbol.HORSE: sentence("horse"),
    Symbol.LYRE: sentence("lyre"),
    Symbol.SOLDIER: sentence("soldier"),
}
WITH_A: Mapping[Symbol, str] = {
    Symbol.TEMPLE: sentence("a temple"),
    Symbol.AMPHORA: sentence("an amphora"),
    Symbol.HORSE: sentence("a horse"),
    Symbol.LYRE: sentence("a lyre"),
    Symbol.SOLDIER: sentence("a soldier"),
}
WITH_THE: Mapping[Symbol, str] = {
    Symbol.TEMPLE: sentence("the temple"),
    Symbol.AMPHORA: sentence("the amphora"),
    Symbol.HORSE: sentence("the horse"),
    Symbol.LYRE: sentence("the lyre"),
    Symbol.SOLDIER: sentence("the soldier"),
}


def symbol(card: Symbol) -> str:
    """What a card shows, or a space bears: "horse"."""
    return say(ALONE[card])


def a(card: Symbol) -> str:
    """A card with its article: "a horse", "an amphora"."""
    return say(WITH_A[card])


def the(card: Symbol) -> str:
    """A card of which there is one: "the horse"."""
    return say(WITH_THE[card])


def several(card: Symbol, number: int) -> str:
    """So many cards of a kind: "2 horses"."""
    match card:
        case Symbol.TEMPLE:
            return say_many("%(number)s temple", "%(number)s temples", number)
        case Symbol.AMPHORA:
            return say_many("%(number)s amphora", "%(number)s amphoras", number)
        case Symbol.HORSE:
            return say_many("%(number)s horse", "%(number)s horses", number)
        case Symbol.LYRE:
            return say_many("%(number)s lyre", "%(number)s lyres", number)
        case Symbol.SOLDIER:
            return say_many("%(number)s soldier", "%(number)s soldiers", number)


def cards(bag: Bag) -> str:
    """Such as "2 temples, a horse and a lyre"."""
    return listed(a(card) if bag[card] == 1 else several(card, bag[card]) for card in bag.kinds())


def symbol_letters() -> str:
    """The letters by which the drawing of the board shows symbols: "t a h l s"."""
    return " ".join(symbol(card)[0] for card in SYMBOLS)


# --- places and seats -----------------------------------------------------------------------------------


def places(table: Table, spaces: Iterable[Space], last: str = "and") -> str:
    """The names of symbol spaces."""
    return listed((table.board.names[space] for space in spaces), last)


def some_places(table: Table, spaces: Sequence[Space]) -> str:
    """The names of a few symbol spaces, or how many there are."""
    if len(spaces) <= 3:
        return places(table, spaces)
    return say_many("%(number)s symbol", "%(number)s symbols", len(spaces))


def look(seat: int) -> str:
    """The colour and the shape of a seat's guards: "blue circle"."""
    return say(SEAT_LOOKS[seat])


# --- refusals -------------------------------------------------------------------------------------------


def refusal(refused: Refusal) -> str:
    """Why something is not done, in the language spoken, as a sentence without its capital and its stop."""
    values = {name: _named(value) for name, value in refused.values.items()}
    if isinstance(refused, Ambiguous):  # it names orders
        values = {name: written_in(value, spoken().language) for name, value in values.items()}
    why = say(refused.sentence, **values)
    if isinstance(refused, Illegal):
        return say("%(why)s (rule %(rule)s)", why=why, rule=refused.rule)
    if isinstance(refused, Unreadable) and refused.did_you_mean:
        return say("%(why)s; did you mean %(words)s?", why=why, words=listed(refused.did_you_mean, "or"))
    return why


def _named(value: object) -> str:
    if isinstance(value, Symbol):
        return symbol(value)
    return cards(value) if isinstance(value, Bag) else str(value)


def undone(words: str, why: str) -> str:
    """What a player said that was not done."""
    quoted = f"“{plain_name(words, 60)}”"
    return f"{quoted}: {why}" if why else quoted


# --- times ----------------------------------------------------------------------------------------------


def moment(time: datetime) -> str:
    """Such as "Thu 14 January 2027, 18:00 UTC", by the reader's clock; `time` has a time zone."""
    local = time.astimezone(zone())
    name = local.tzname() or ""
    clock = name if name[:1].isalpha() else f"UTC{name}"
    return f"{format_datetime(local, 'EEE d MMMM y, HH:mm', locale=spoken().language)} {clock}"


def span(hours: int) -> str:
    """Such as "36 hours" and "3 days"."""
    if not hours:
        return say("less than an hour")
    if hours % 24 == 0 and hours > 24:
        return say_many("%(number)s day", "%(number)s days", hours // 24)
    return say_many("%(number)s hour", "%(number)s hours", hours)
