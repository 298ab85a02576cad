"""One action among the words of a line: where it begins and ends, and what it names.

What places are called is read as that place wherever an action names one. A whole word always wins over
abbreviations, and an abbreviation is read where all it can stand for means the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.actions import Unreadable
from engine.cards import Symbol
from engine.lattice import Point, Space
from engine.lines import PARTING_WORDS, Line, Names, Numbers, in_words, language_of, listed, meant, short
from engine.words import (
    BEGUN,
    BY_CARD,
    CARD_NOUNS,
    EITHER,
    FOLLOWING,
    GIVE,
    JOINING,
    LANGUAGE_OF,
    NUMBERED,
    PAIRS,
    SHAPES,
    SMALL,
    SYMBOLS_BEGUN,
    SYMBOLS_READ,
    TAX_NOUNS,
    UNDECIDED,
    VERBS,
    VERBS_BEGUN,
)

BARE = ""
"""The verb of a symbol that is said alone; `notation.steps` finds what it can mean."""
FIRST_STEPS = frozenset("choose play march stay take".split())
"""The actions with which a turn can begin."""


@dataclass(frozen=True, slots=True)
class Said:
    """The words of one action, sorted by kind."""

    verb: str
    """The word with which its canonical text begins, or `BARE`."""
    symbols: tuple[Symbol, ...] = ()
    places: tuple[Space, ...] = ()
    points: tuple[Point, ...] = ()
    short: bool = False
    """Whether a bare symbol was abbreviated."""


class Phrase:
    """Reads one action of a line, from the word with which it begins to that of the next."""

    def __init__(self, line: Line, names: Names, numbers: Numbers, start: int) -> None:
        self.line, self.names, self.numbers, self.start = line, names, numbers, start
        self.word = line.tokens[start]
        self.symbols: list[Symbol] = []
        self.places: list[Space] = []
        self.points: list[Point] = []
        self.small: list[str] = []
        self.card: Said | None = None
        """A symbol that stands where a verb does: alone, or before the march with it."""
        self.second = self._second() if self.word in BEGUN else 0
        """Where the second word of a pair stands, such as the "back" of "take Troy back"; 0: nowhere."""
        self.verb = PAIRS[self.word, line.tokens[self.second]] if self.second else self._verb()
        self.shape = SHAPES[self.verb]
        self.end = self._end()
        self.following = self._following()
        """Where the next action begins."""

    def read(self) -> tuple[Said, ...]:
        """What is said: one action, or a card and the march with it. Raises `Unreadable`."""
        given = self._given() if self.verb == "takeover" else 0
        for at in range(self.start + 1, self.end):
            if at != self.second:
                self._sort(at, self.end - at, given)
        if self.card is not None and self.end == self.start + 1:
            return (self.card,)
        said = Said(self.verb, tuple(self.symbols), tuple(self.places), tuple(self.points))
        self._judge(said)
        return (said,) if self.card is None else (self.card, said)

    # --- where it begins and ends -----------------------------------------------------------------------

    def _second(self) -> int:
        """Where the second word of a pair stands, with no sign or "and" before it."""
        for at, word in enumerate(self.line.tokens[self.start + 1 :], self.start + 1):
            if (self.word, word) in PAIRS and not self.line.parted(at):
                return at
            if word not in self.names.places and (word in VERBS or word in FOLLOWING):
                return 0
        return 0

    def _verb(self) -> str:
        word, start = self.word, self.start
        if word in VERBS:
            return VERBS[word]
        verbs = VERBS_BEGUN.get(word, {})
        symbols = {} if start else SYMBOLS_BEGUN.get(word, {})
        one_card = len({*symbols.values()}) == 1
        if not start and word in SYMBOLS_READ:
            self.card = Said(BARE, (SYMBOLS_READ[word],))
        elif one_card and len(word) != 2 and FIRST_STEPS.isdisjoint(verbs.values()):
            self.card = Said(BARE, (*{*symbols.values()},), short=True)
        elif len({*verbs.values(), *symbols.values()}) > 1:
            raise self._several({**verbs, **symbols})
        elif not verbs and not symbols:
            raise Unreadable("“%(word)s” is no action", self.line.like(word, VERBS), word=short(word))
        elif symbols or "end" in verbs.values():  # two letters alone are a cry, and no end is taken back
            raise Unreadable("“%(word)s” is too short: write the whole word", (*verbs, *symbols), word=word)
        return "march" if self.card is not None else next(iter(verbs.values()))

    def _end(self) -> int:
        at = max(self.start, self.second) + 1
        while at < len(self.line.tokens) and not self._stops(at):
            at += 1
        return at

    def _stops(self, at: int) -> bool:
        """Whether another action begins with a word, or has to begin after it."""
        word = self.line.tokens[at]
        if self._names_place(word):
            return False
        if word in VERBS or word in FOLLOWING:
            return True
        if word not in VERBS_BEGUN or word in SMALL or not self.line.parted(at) or self.line.gaps[at] == "+":
            return False
        if named := self._abbreviated(word, gift=False):
            raise self._several({**VERBS_BEGUN[word], **named}, word)
        return True

    def _names_place(self, word: str) -> bool:
        return self.shape.places[1] > 0 and word in self.names.places

    def _following(self) -> int:
        """Where the next action begins; what parts it from this one is taken off."""
        tokens, following = self.line.tokens, self.end
        while following < len(tokens) and tokens[following] in PARTING_WORDS:
            following += 1
        joined = following > self.end
        while tokens[self.end - 1] in JOINING and not self._names_place(tokens[self.end - 1]):
            self.end, joined = self.end - 1, True
        if joined and following == len(tokens):
            raise Unreadable("say what comes after “%(word)s”", word=tokens[-1])
        return following

    # --- what it names ----------------------------------------------------------------------------------

    def _given(self) -> int:
        """How many words at its end say what a take-over hands to the loser; 0 where nothing does."""
        tokens, gaps = self.line.tokens, [*self.line.gaps, ""]
        for at in range(self.end - 1, self.start, -1):
            if tokens[at] in GIVE and gaps[at][-1:].isspace() and gaps[at + 1][:1].isspace():
                rest = [tokens[other] for other in range(at + 1, self.end) if other != self.second]
                cards = all(word in SYMBOLS_READ or word in SMALL or word in SYMBOLS_BEGUN for word in rest)
                return self.end - at if cards else 0
        return 0

    def _sort(self, at: int, left: int, given: int) -> None:
        """Take in one word; `left` are the words from it to the end."""
        word, names = self.line.tokens[at], self.names
        if word in SYMBOLS_READ and (self.verb in BY_CARD or left < given):
            self.symbols.append(SYMBOLS_READ[word])
        elif word in names.places and left != given:
            self.places.append(names.places[word])
        elif word in names.points:
            self.points.append(names.points[word])
        elif word in SYMBOLS_READ:
            self.symbols.append(SYMBOLS_READ[word])
        elif word in SMALL:
            self.small.append(word)
        elif word in UNDECIDED:
            raise Unreadable("say which one of them you mean")
        elif self.line.is_number(at):
            self._take_number(at)
        elif word not in NUMBERED or left == 1 or not self.line.is_number(at + 1):
            self._take_short(at, gift=left < given)

    def _take_number(self, at: int) -> None:
        """Take in a number that stands for a corner."""
        word, after = self.line.tokens[at], at + 1
        if after == self.following < len(self.line.tokens) and self.line.gaps[after].strip(" .") == "":
            raise listed(self.line.tokens[after])
        point = self.names.points.get(meant(word, self.numbers).casefold())
        if point is None or self.verb != "march":
            raise in_words(word)
        self.points.append(point)

    def _take_short(self, at: int, *, gift: bool) -> None:
        """Take in an abbreviation of a name."""
        word = self.line.tokens[at]
        found = self._abbreviated(word, gift=gift)
        if len({*found.values()}) > 1:
            raise self._several(found, word)
        if not found:
            cards = SYMBOLS_READ if self.shape.symbols[1] or not self.shape.places[1] else ()
            places = self.names.called.values() if self.shape.places[1] or not self.shape.symbols[1] else ()
            like = self.line.like(word, (*cards, *places, *(VERBS if self.line.parted(at) else ())))
            raise Unreadable("“%(word)s” is no place, point or symbol", like, word=short(word))
        (meaning, *_) = found.values()
        if isinstance(meaning, Symbol):
            self.symbols.append(meaning)
        elif meaning is not None:
            self.places.append(meaning)

    def _abbreviated(self, word: str, *, gift: bool) -> dict[str, Symbol | Space | None]:
        """What a word can abbreviate where a name can stand, each with its meaning; None: not a name."""
        found: dict[str, Symbol | Space | None] = {}
        if self.shape.symbols[1] and word in SYMBOLS_BEGUN:
            found |= SYMBOLS_BEGUN[word]
            nouns = CARD_NOUNS | TAX_NOUNS if self.verb == "levy" else CARD_NOUNS
            found |= dict.fromkeys(noun for noun in nouns if noun.startswith(word))
        if self.shape.places[1] and not gift:
            found |= self.names.begun.get(word, {})
        return found

    def _several(self, meanings: Mapping[str, object], word: str = "") -> Unreadable:
        """The refusal of an abbreviation, with one word for each meaning, in the language of the line."""
        language = language_of(self.line.tokens)
        own = [whole for whole in meanings if LANGUAGE_OF.get(whole) == language]
        chosen: dict[object, str] = {}
        for whole in (*own, *meanings):
            meaning = meanings[whole]
            chosen.setdefault(meaning, self.names.called[meaning] if isinstance(meaning, Space) else whole)
        guesses = (*chosen.values(),)[:6]
        return Unreadable("“%(word)s” can mean several things", guesses, word=word or self.word)

    # --- whether that is an action ----------------------------------------------------------------------

    def _judge(self, said: Said) -> None:
        """Whether an action can be said so; raises `Unreadable`."""
        shape, small = self.shape, self.small
        kinds = (len(said.symbols), len(said.places), len(said.points))
        many, total = max(kinds), sum(kinds)
        (fewest, most), (least_places, most_places) = shape.symbols, shape.places
        dutch = total > 1 and LANGUAGE_OF.get(self.word) == "nl"
        if not EITHER.isdisjoint(small) and (
            many > 1 or dutch or self.card is not None or self._or_follows()
        ):
            raise Unreadable("say which one of them you mean")
        if self.card is not None and (said.symbols or not said.points):
            raise Unreadable("say the card alone, or the card and the corner")
        if (
            not fewest <= kinds[0] <= most
            or not least_places <= kinds[1] <= most_places
            or (said.points and not shape.points)
        ):
            raise Unreadable(shape.usage)
        if said.verb == "recall" and not CARD_NOUNS.isdisjoint(small):  # "trek een kaart terug" means nothing
            raise Unreadable(shape.usage)
        if many:
            return
        if said.verb == "march" or len(self.word) == 1 or not shape.alone.issuperset(small):
            raise Unreadable(shape.usage)
        if self.start and not self.line.parted(self.start):
            raise Unreadable("put a comma before “%(word)s” if it is an action of its own", word=self.word)

    def _or_follows(self) -> bool:
        """Whether a word that can mean "or" stands before a corner or another action: there it means that."""
        tokens = self.line.tokens
        return any(
            tokens[at - 1] in EITHER
            and (tokens[at] in self.names.points or self.line.is_number(at) or at == self.end)
            for at in range(self.start + 1, min(self.end + 1, len(tokens)))
        )
