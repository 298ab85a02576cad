"""A plan read: its alternatives, the guards of each, and its orders.

What is written is never guessed. A plan that cannot be read is refused whole, by a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.actions import Unreadable
from engine.board import Board
from engine.notation.canonical_text import Verb
from engine.notation.lexer import BoardNames, names_of
from engine.notation.orders import Order
from engine.notation.parser import parse
from engine.notation.usage import USAGES
from engine.notation.vocabulary import Vocabulary
from engine.plans.plan_words import PlanPhrases, PlanVocabulary
from engine.plans.turn_plans import (
    MOST_ALTERNATIVES,
    MOST_GUARDS,
    MOST_ORDERS,
    UNCHANGED,
    AlexanderAt,
    Alternative,
    CardMissing,
    CardOpen,
    Guard,
    NobodyAbove,
    PlayerNotAbove,
    ProvinceFree,
    TurnPlan,
)

LONGEST_PLAN = 1000
"""Characters."""
LONGEST_NAMED = 60
"""Of what a sentence repeats."""
MOST_POINTS = 999
MOST_ENDINGS = 12
"""Places at which a condition without a colon is tried to end."""


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """How a plan is taken apart, in some languages."""

    heading: re.Pattern[str]
    """With its colon; or before a condition, which has one."""
    otherwise: re.Pattern[str]
    """Where an alternative begins: behind its word, or at the condition of one that follows a full stop."""
    condition: re.Pattern[str]
    begun: re.Pattern[str]
    """A condition, with its colon or without."""
    always: re.Pattern[str]
    also: re.Pattern[str]
    then: re.Pattern[str]
    then_parted: re.Pattern[str]
    """The same with a sign before it: for a board that calls a place so."""
    ending: re.Pattern[str]
    """Where a condition may end that has no colon."""


@lru_cache(maxsize=64)
def _patterns_of(words: PlanVocabulary) -> _Patterns:
    def any_of(name: str) -> str:
        return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in words.all_of(name)) or "(?!)"

    starts = rf"(?:{any_of('condition')}|{any_of('always')})"
    patterns = (
        rf"\s*(?:{any_of('heading')})(?:\s*:\s*|\s*,?\s(?={starts}\b[^:]*:))",
        rf"(?:^|[.,;]\s*)(?:{any_of('otherwise')})\b\s*[:,]?\s*|\s(?:{any_of('otherwise')})\s*:\s*"
        rf"|[.;]\s*(?={starts}\b[^:]*:)",
        rf"(?:{any_of('condition')})\b\s*(?P<guards>[^:]*):\s*",
        rf"(?:{any_of('condition')})\b",
        rf"(?:{any_of('always')})\b\s*[:,]\s*",
        rf"\s*(?:,|\b(?:{any_of('also')})\b)+\s*",
        rf"(?:^|[\s,])\s*(?:(?:{any_of('also')})\s+)?\b(?:{any_of('then')})\b[,:]?\s+",
        rf"(?:^|,\s*)(?:(?:{any_of('also')})\s+)?\b(?:{any_of('then')})\b[,:]?\s+",
        rf",\s*|\s(?:{any_of('then')})\b[,:]?\s*",
    )
    return _Patterns(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


@dataclass(frozen=True, slots=True)
class PlanReader:
    """Reads plans on a board, in the words of some languages."""

    board: Board
    orders: Vocabulary
    words: PlanVocabulary

    @property
    def _patterns(self) -> _Patterns:
        return _patterns_of(self.words)

    @property
    def _names(self) -> BoardNames:
        return names_of(self.board, self.orders)

    def read(self, text: str) -> TurnPlan:
        """The plan that a text says, with its heading or without. Raises `Unreadable`."""
        text = " ".join(text.split())
        if heading := self._patterns.heading.match(text):
            text = text[heading.end() :]
        if len(text) > LONGEST_PLAN:
            raise Unreadable("the plan is too long: it may have %(most)s characters", most=LONGEST_PLAN)
        parts = [part for part in self._patterns.otherwise.split(text) if part.strip(" .;,")]
        if not parts:
            raise Unreadable("the plan says no turn: write it behind the colon")
        if len(parts) > MOST_ALTERNATIVES:
            raise Unreadable("a plan may have %(most)s turns to choose from", most=MOST_ALTERNATIVES)
        return TurnPlan(tuple(map(self._read_alternative, parts)))

    def _read_alternative(self, text: str) -> Alternative:
        text, patterns = text.strip(" .;,"), self._patterns
        guards: tuple[Guard, ...] = (UNCHANGED,)
        if found := patterns.always.match(text):
            guards = ()
        elif found := patterns.condition.match(text):
            guards = self._read_guards(found["guards"])
        elif found := patterns.begun.match(text):
            return self._read_unparted(text[found.end() :])
        orders = self._read_orders(text[found.end() :] if found else text)
        return Alternative(guards, orders)

    def _read_unparted(self, text: str) -> Alternative:
        """A condition and its turn without a colon, where they can be parted in one way only."""
        found = list[Alternative]()
        for end in [*self._patterns.ending.finditer(text)][:MOST_ENDINGS]:
            try:
                guards = self._read_guards(text[: end.start()])
                found.append(Alternative(guards, self._read_orders(text[end.end() :])))
            except Unreadable:
                continue
        if len(found) != 1:
            raise Unreadable("write a colon between the condition and its turn")
        return found[0]

    # --- guards -----------------------------------------------------------------------------------------

    def _read_guards(self, text: str) -> tuple[Guard, ...]:
        said = [one for one in self._patterns.also.split(text) if one.strip()]
        guards = tuple(dict.fromkeys(map(self._read_guard, said)))
        if not guards:
            raise Unreadable("say what must be so, before the colon")
        if len(guards) > MOST_GUARDS:
            raise Unreadable("one turn may have %(most)s conditions", most=MOST_GUARDS)
        return guards

    def _read_guard(self, text: str) -> Guard:
        said = self._bare_words(text)
        if any(self._bare_words(one) == said for one in self.words.all_of("unchanged")):
            return UNCHANGED
        names = self._names
        for kind in ("card", "missing", "free", "corner", "points"):
            word = self._find_named(said, self.words.all_of(kind))
            if word is None:
                continue
            if kind == "card" and word in self.orders.symbols:
                return CardOpen(self.orders.symbols[word])
            if kind == "missing" and word in self.orders.symbols:
                return CardMissing(self.orders.symbols[word])
            if kind == "free" and word in names.places:
                return ProvinceFree(names.places[word])
            if kind == "corner" and word in names.points:
                return AlexanderAt(names.points[word])
            if kind == "points" and word.isascii() and word.isdigit() and int(word) <= MOST_POINTS:
                return NobodyAbove(int(word))
        if (found := self._find_player(said)) is not None:
            return found
        raise Unreadable(
            "“%(words)s” is no condition that a plan knows. It knows a card in the display, a free province, "
            "the corner on which Alexander stands, the points of players, and that nothing has changed",
            words=text.strip()[:LONGEST_NAMED],
        )

    def _bare_words(self, text: str) -> list[str]:
        found = re.findall(r"[\w*]+", text.casefold())
        return [word for word in found if word not in self.words.small]

    def _find_named(self, said: Sequence[str], phrases: PlanPhrases) -> str | None:
        """What stands in words where one of some phrases has its `*`."""
        for phrase in phrases:
            wanted = self._bare_words(phrase)
            at = wanted.index("*")
            if len(said) == len(wanted) and said[:at] == wanted[:at] and said[at + 1 :] == wanted[at + 1 :]:
                return said[at]
        return None

    def _find_player(self, said: Sequence[str]) -> PlayerNotAbove | None:
        """A player by their name, and a number of points, where words hold one of the phrases for it."""
        below = self.words.all_of("below")
        for phrase in (*self.words.all_of("player"), *below):
            before, middle, after = (self._bare_words(part) for part in phrase.split("*"))
            at = len(said) - len(after) - 1
            until = at - len(middle)
            name = said[len(before) : max(until, 0)]
            others = [*said[: len(before)], *said[max(until, 0) : at], *said[at + 1 :]]
            if not name or others != [*before, *middle, *after]:
                continue
            points = int(said[at]) if said[at].isascii() and said[at].isdigit() else MOST_POINTS + 1
            points -= phrase in below
            if 0 <= points <= MOST_POINTS:
                return PlayerNotAbove(" ".join(name), points)
        return None

    # --- orders -----------------------------------------------------------------------------------------

    def _read_orders(self, text: str) -> tuple[Order, ...]:
        orders: list[Order] = []
        drawn = False
        for words, follows in self._split_orders(text):
            for order in self._parse(words, orders):
                if drawn and not follows:
                    raise Unreadable(
                        "what follows a card that is drawn is done only where you say so: write “%(then)s”"
                        " before “%(words)s”",
                        then=self.words.languages[-1].then[0],
                        words=words[:LONGEST_NAMED],
                    )
                orders.append(order)
                drawn = drawn or order.verb == Verb.DRAW
        if not orders:
            raise Unreadable("the plan says no turn: write it behind the colon")
        if len(orders) > MOST_ORDERS:
            raise Unreadable("a turn has not so many actions")
        return tuple(orders)

    def _split_orders(self, text: str) -> Iterator[tuple[str, bool]]:
        """The pieces of a turn, each with whether it is said to follow the one before."""
        named = any(word in self._names.places for word in self.words.all_of("then"))
        pattern = self._patterns.then_parted if named else self._patterns.then
        for piece in text.split(";"):
            first, *others = pattern.split(piece.strip())
            if words := first.strip(" .,"):
                yield words, False
            yield from ((words, True) for one in others if (words := one.strip(" .,")))

    def _parse(self, words: str, before: Sequence[Order]) -> tuple[Order, ...]:
        """The orders of a piece. An occupation that names no place is that of the march's place."""
        if self.orders.verbs.get(words.casefold()) == Verb.OCCUPY:
            places = next((one.places for one in reversed(before) if one.verb == Verb.MARCH), ())
            if not places:
                raise Unreadable(USAGES[Verb.OCCUPY].correction)
            return (Order(Verb.OCCUPY, places=places),)
        try:
            return tuple(map(_settle_order, parse(words, self.board, {}, self.orders)))
        except Unreadable:
            if "," in words:
                return self._parse_listed(words.split(","), before)
            if (bare := self._parse_bare_occupation(words, before)) is None:
                raise
            return (bare,)

    def _parse_listed(self, pieces: Sequence[str], before: Sequence[Order]) -> tuple[Order, ...]:
        """The orders of a piece whose commas part them."""
        found: tuple[Order, ...] = ()
        for piece in filter(None, map(str.strip, pieces)):
            found += self._parse(piece, (*before, *found))
        return found

    def _parse_bare_occupation(self, words: str, before: Sequence[Order]) -> Order | None:
        """The same for other forms of its verb, which are known by how they are read before a place."""
        places = next((one.places for one in reversed(before) if one.verb == Verb.MARCH), ())
        if not places or len(words.split()) > 1:
            return None
        try:
            said = parse(f"{words} {self.board.names[places[0]]}", self.board, {}, self.orders)
        except Unreadable:
            return None
        is_meant = [one.verb for one in said] == [Verb.OCCUPY] and tuple(said[0].places) == places
        return Order(Verb.OCCUPY, places=places) if is_meant else None


def _settle_order(order: Order) -> Order:
    """An order as it means the same in whatever position. Raises `Unreadable`."""
    if order.corner is not None:
        raise Unreadable("name the corner in a plan, such as C5: its number may mean another one by then")
    if order.holder:
        raise Unreadable("leave out in a plan from whom you take over")
    return replace(order, short=False)
