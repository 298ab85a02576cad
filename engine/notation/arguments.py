"""What one action of a line names.

What places are called is read as that place wherever an action names one.
"""

from __future__ import annotations

from engine.actions import Unreadable
from engine.cards import Symbol
from engine.lattice import Space
from engine.notation.canonical_text import Verb
from engine.notation.lexer import (
    ChoiceMeanings,
    list_numbering,
    missing_comma,
    number_among_words,
    read_corner_number,
    shorten,
)
from engine.notation.orders import Order
from engine.notation.segments import Segment
from engine.notation.vocabulary import CARD_VERBS
from engine.notation.waypoints import Waypoints


class ArgumentReader:
    """Reads one action of a line: what is named between the word with which it begins and the next one."""

    def __init__(self, span: Segment, choices: ChoiceMeanings) -> None:
        self.span, self.choices = span, choices
        self.line, self.names, self.verb, self.shape = span.line, span.names, span.verb, span.shape
        self.terms = span.terms
        self.symbols: list[Symbol] = []
        self.places: list[Space] = []
        self.route = Waypoints(span.terms)
        self.small: list[str] = []

    def read(self) -> tuple[Order, ...]:
        """What is said: one action, or a card and the march with it. Raises `Unreadable`."""
        given = self._count_gift_words() if self.verb == Verb.TAKEOVER else 0
        for at in range(self.span.start + 1, self.span.end):
            if at != self.span.second:
                self._take_word(at, self.span.end - at, given)
        self.span.judge_signs()
        last = self.span.end - 1
        if last > max(self.span.start, self.span.second) and self._needs_successor(last):
            raise Unreadable("say what comes after “%(word)s”", word=self.line.words[last])
        if self.span.card is not None and self.span.end == self.span.start + 1:
            return (self.span.card,)
        said = self._build_order()
        self._check_usage(said)
        return (said,) if self.span.card is None else (self.span.card, said)

    # --- what it names ----------------------------------------------------------------------------------

    def _count_gift_words(self) -> int:
        """How many words at its end say what a take-over hands to the loser; 0 where nothing does."""
        tokens, gaps = self.line.tokens, [*self.line.gaps, ""]
        for at in range(self.span.end - 1, self.span.start, -1):
            if tokens[at] in self.terms.give and gaps[at][-1:].isspace() and gaps[at + 1][:1].isspace():
                rest = [tokens[other] for other in range(at + 1, self.span.end) if other != self.span.second]
                cards = all(
                    word in self.terms.symbols
                    or word in self.terms.small
                    or word in self.terms.symbol_beginnings
                    for word in rest
                )
                return self.span.end - at if cards else 0
        return 0

    def _take_word(self, at: int, left: int, given: int) -> None:
        """Take in one word; `left` are the words from it to the end."""
        word, names = self.line.tokens[at], self.names
        if word in self.terms.symbols and (self.verb in CARD_VERBS or left < given):
            self.symbols.append(self.terms.symbols[word])
        elif word in names.places and left != given:
            self._take_place(at, names.places[word])
        elif word in names.points:
            self.route.take_point(names.points[word])
        elif word in self.terms.symbols:
            self.symbols.append(self.terms.symbols[word])
        elif self._means_or(at):
            raise Unreadable("say which one of them you mean")
        elif self._means_another_card(at):
            raise Unreadable("“%(word)s” is no place, point or symbol", word=self.line.words[at])
        elif self._is_small(word):
            self.small.append(word)
            if self.verb == Verb.MARCH:
                self.route.take_word(word)
        elif self.line.is_number(at):
            self._take_number(at)
        elif not self._is_marked_number(at + 1):
            self._take_abbreviation(at, gift=left < given)

    def _is_small(self, word: str) -> bool:
        """Whether a word has no meaning of its own here."""
        return word in self.terms.small or (self.verb == Verb.MARCH and word in self.terms.passing)

    def _means_another_card(self, at: int) -> bool:
        """Whether it is one more card that is not named: "take horse and a card"."""
        if self.line.tokens[at] not in self.terms.cards or not (self.symbols or self.places):
            return False
        first = at
        while self.line.tokens[first - 1] in self.terms.articles:
            first -= 1
        return self.line.tokens[first - 1] in self.terms.joining or "," in self.line.gaps[first]

    def _needs_successor(self, at: int) -> bool:
        """Whether something must come after a word."""
        word = self.line.tokens[at]
        return (
            not self.span.can_name_place(word)
            and self._is_small(word)
            and word in self.terms.leading | self.terms.passing
        )

    def _means_or(self, at: int) -> bool:
        """Whether a word means "or". The English "of" stands between a noun and what that belongs to."""
        tokens = self.line.tokens
        if tokens[at] not in self.terms.either:
            return False
        language = self.terms.language_of.get(self.span.word)
        if language is None or tokens[at] not in language.owning or self.span.card is not None:
            return True
        passed = self.terms.articles | language.own
        whose = next((word for word in tokens[at + 1 : self.span.end] if word not in passed), "")
        nouns = self.terms.points | self.terms.guards
        owned = self.span.is_point(at - 1) or tokens[at - 1] in nouns | {language.name_verb(Verb.END)}
        known = whose in language.turns or whose in self.names.begun or self.span.can_name_place(whose)
        return not (owned and known)

    def _is_marked_number(self, at: int) -> bool:
        """Whether a word is a number with one such as "nr" before it; "no" needs its dot, as it negates."""
        line = self.line
        before = line.tokens[at - 1]
        if at >= self.span.end or not line.is_number(at) or before not in self.terms.numbered:
            return False
        first = not self.route.points + self.route.passed
        return before not in self.terms.dotted or (line.gaps[at][:1] == "." and first)

    def _take_place(self, at: int, place: Space) -> None:
        """Take in a place: to it, not from it or past it, but for a guard that comes back."""
        words = self.line.tokens[self.span.start + 1 : at]
        before = next((word for word in reversed(words) if word not in self.terms.articles), "")
        from_it = before in self.terms.leaving
        past_it = before in self.terms.passing and self.span.second != at - 1
        corner_of = before in self.terms.owning and self.verb == Verb.MARCH and self.span.is_point(at - 2)
        if past_it or (from_it and self.verb != Verb.RECALL and not corner_of):
            raise Unreadable(self.shape.correction)
        self.route.take_place()
        self.places.append(place)

    def _take_number(self, at: int) -> None:
        """Take in a number that stands for a corner."""
        word, after = self.line.tokens[at], at + 1
        if self.verb == Verb.DRAW and not self.terms.cards.isdisjoint(
            self.line.tokens[after : self.span.end]
        ):
            raise Unreadable("say draw once for each card, with a comma between")
        if after == self.span.following < len(self.line.tokens) and self.line.gaps[after].strip(" .") == "":
            if self.verb == Verb.MARCH and not self.line.is_parted(at):
                raise missing_comma(self.line.words[after])
            raise list_numbering(self.line.words[after])
        if self.verb != Verb.MARCH:
            raise number_among_words(word)
        words = self.choices.get(word.lstrip("#"))
        if words is None:
            self.route.take_corner(read_corner_number(word))
            return
        point = self.names.points.get(words.casefold())
        if point is None:
            raise number_among_words(word)
        self.route.take_point(point)

    def _take_abbreviation(self, at: int, *, gift: bool) -> None:
        """Take in an abbreviation of a name."""
        word = self.line.tokens[at]
        found = self.span.expansions_of(word, gift=gift)
        if len({*found.values()}) > 1 or (found and len(word) == 1):  # one letter is that of a choice
            raise self.span.ambiguous_word(found, at)
        if not found:
            cards = self.terms.symbols if self.shape.symbols[1] or not self.shape.places[1] else ()
            places = self.names.called.values() if self.shape.places[1] or not self.shape.symbols[1] else ()
            everyday = word in self.terms.common
            verbs = self.terms.verbs if self.line.is_parted(at) and not everyday else ()
            like = self.line.suggestions_for(word, (*cards, *places, *verbs))
            words = self.line.words
            raise Unreadable("“%(word)s” is no place, point or symbol", like, word=shorten(words[at]))
        (meaning, *_) = found.values()
        if isinstance(meaning, Symbol):
            self.symbols.append(meaning)
        elif meaning is not None:
            self._take_place(at, meaning)

    # --- whether that is an action ----------------------------------------------------------------------

    def _build_order(self) -> Order:
        route = self.route
        route.finish()
        return Order(
            self.verb,
            tuple(self.symbols),
            tuple(self.places),
            tuple(route.points),
            passed=tuple(route.passed),
            origin=route.origin,
            corner=route.corner,
        )

    def _check_usage(self, said: Order) -> None:
        """Whether an action can be said so; raises `Unreadable`."""
        shape, small = self.shape, {*self.small}
        points = bool(said.points + said.passed) or said.corner is not None
        (fewest, most), (least_places, most_places) = shape.symbols, shape.places
        if self.span.card is not None and (said.symbols or not points):
            raise Unreadable("say the card alone, or the card and the corner")
        if (
            not fewest <= len(said.symbols) <= most
            or not least_places <= len(said.places) <= most_places
            or (points and not shape.points)
        ):
            raise Unreadable(shape.correction)
        # "trek een kaart terug" means nothing
        if said.verb == Verb.RECALL and not self.terms.cards.isdisjoint(small):
            raise Unreadable(shape.correction)
        if said.symbols or said.places or points:
            return
        # without a place "take back" means "undo", as the Dutch words do
        undo = (
            said.verb == Verb.RECALL and self.span.word != Verb.RECALL and self.terms.guards.isdisjoint(small)
        )
        beside = self.terms.beside[self.verb]
        if undo or said.verb == Verb.MARCH or len(self.span.word) == 1 or not beside >= small:
            raise Unreadable(shape.correction)
        if self.span.start and not self.line.is_parted(self.span.start):
            raise missing_comma(self.line.words[self.span.start])
