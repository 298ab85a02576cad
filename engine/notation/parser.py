"""Parse lines into orders: exact words of some languages in any case, with small words between them.

Texts that are freer, misspelt or abbreviated are `Unreadable` here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import TypeVar

from engine.actions import NoAction, NotOffered, Unreadable
from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.notation.orders import USAGES, Order, OrderLine, Verb
from engine.notation.vocabulary import CANONICAL_VOCABULARY, Vocabulary, names_of

ChoiceMeanings = Mapping[str, str]
"""The orders of each choice offered in the answered letter, joined by "; "; the keys are marks such as "b".

If the letter asks which order a mail means, the choices have numbers as marks.
"""
NO_CHOICES: ChoiceMeanings = {}
MAX_LINE_LENGTH = 400
"""Maximum length of a line in characters, not counting a path; no legal action comes close."""


def parse(
    line: str,
    board: Board,
    choices: ChoiceMeanings = NO_CHOICES,
    vocabulary: Vocabulary = CANONICAL_VOCABULARY,
) -> tuple[Order, ...]:
    """Parse the actions of a line, at least one; raises `Unreadable`.

    `choices` are the choices of the answered letter. The default `vocabulary` reads canonical lines only.
    """
    parsed = parse_line(OrderLine, line, board, choices, vocabulary)
    if parsed.refusal is not None:
        raise parsed.refusal
    return parsed.orders


Line = TypeVar("Line", bound=OrderLine)


def parse_line(
    kind: type[Line],
    line: str,
    board: Board,
    choices: ChoiceMeanings = NO_CHOICES,
    vocabulary: Vocabulary = CANONICAL_VOCABULARY,
) -> Line:
    """Parse a line to an object of type `kind`; an unreadable line is returned with its refusal."""
    try:
        if mark := find_mark(line, choices, vocabulary):
            orders = (said for order in choices[mark].split("; ") for said in parse(order, board))
            return kind(line, tuple(orders), answer=mark)
        return kind(line, LineReader(line, board, choices, vocabulary).read())
    except Unreadable as refusal:
        return kind(line, refusal=refusal)


def parse_lines(
    lines: Iterable[str], board: Board, vocabulary: Vocabulary = CANONICAL_VOCABULARY
) -> tuple[OrderLine, ...]:
    """Parse lines of a text for which no letter has offered choices."""
    return tuple(parse_line(OrderLine, line, board, NO_CHOICES, vocabulary) for line in lines)


MARK_LINE = re.compile(r"[\w\s#().,!]{1,40}")
WORD = re.compile(r"[^\W_]+")


def find_mark(line: str, choices: ChoiceMeanings, vocabulary: Vocabulary) -> str | None:
    """Return the mark of a choice if a line contains nothing else but thanks.

    Returns None for other lines. Raises `NotOffered` for a single letter that is no choice.
    """
    if not choices or not MARK_LINE.fullmatch(line):
        return None
    mark, *others = WORD.findall(line.casefold()) or ("",)
    if not vocabulary.please.issuperset(others):
        return None
    if mark in choices:
        return mark
    if len(mark) == 1 and mark.isalpha():
        offered = ", ".join(sorted(choices, key=lambda mark: (len(mark), mark)))
        raise NotOffered(
            "there is no “%(word)s” in that mail; it offers %(offered)s",
            word=mark,
            offered=shorten(offered),
        )
    return None


def shorten(word: str) -> str:
    return word if len(word) <= 30 else word[:29] + "…"


Argument = Symbol | Space | Point | int
"""What a word names; an integer is the number of a corner."""

# --- words ------------------------------------------------------------------------------------------------

FIRST_WORD = re.compile(r"#?[0-9]|[^\W\d_]+(?:['\u2019][^\W\d_]+)*[0-9]*")
TOKEN = re.compile(r"#?[0-9]+(?![^\W_])|[^\W\d_]+[0-9]*|[,.+&]")
PATH_SIGN = re.compile(r"(?<=[0-9])\s*(?:->|[-\u2013>\u2192])\s*(?=[^\W\d_]+[0-9])")
"""Matches a sign between two points."""
NUMBER = re.compile(r"#?([1-9][0-9]?)")
"""Matches the number of a corner."""
STRANGE_DOT = re.compile(r"(?:(?<!\S)#?[0-9]+|\.\s*)\.(?=.*\w)")
"""Matches the dot behind the number of an item, such as "2. draw", or the second of several dots."""
SIGNS = frozenset(",.+&")


def looks_like_order(text: str, vocabulary: Vocabulary) -> bool:
    """True if a line begins like an order or the mark of a choice."""
    first = FIRST_WORD.match(text.lstrip())
    word = "" if first is None else first[0].casefold()
    return word in vocabulary.verbs or word in vocabulary.symbols or word[:1].isdigit() or word[:1] == "#"


def suggest_words(word: str, known: Collection[str]) -> tuple[str, ...]:
    """Return `known` words that are similar to a word or begin with it."""
    by_fold = {name.casefold(): name for name in known if " " not in name}
    begun = [fold for fold in by_fold if len(word) > 1 and fold.startswith(word)]
    similar = get_close_matches(word, by_fold, n=MOST_SUGGESTED, cutoff=0.7)
    return tuple(by_fold[fold] for fold in [*begun, *similar][:MOST_SUGGESTED])


MOST_SUGGESTED = 3
LONGEST_VERB = 3
"""Highest number of words of a verb, as in "end my turn"."""


class LineReader:
    """Reads the orders of a line, one after the other, each from its verb or card to the next verb."""

    def __init__(self, line: str, board: Board, choices: ChoiceMeanings, vocabulary: Vocabulary) -> None:
        self.choices, self.known, self.board = choices, vocabulary, board
        self.names = names_of(board, vocabulary)
        over = len(line) - MAX_LINE_LENGTH
        if over > 0 and over > sum(len(point) + 1 for point in self.names.points):
            raise Unreadable("the line is too long for one action")
        first = FIRST_WORD.match(line.lstrip())
        if first is not None and not looks_like_order(line, vocabulary):
            raise self._no_action(first[0])  # at once, since most lines of mails are no orders
        text = PATH_SIGN.sub(" ", line)
        self.tokens = TOKEN.findall(text)
        while len(self.tokens) > 1 and (self.tokens[-1] in (",", ".") or self._is_courtesy(self.tokens[-1])):
            del self.tokens[-1]
        self.words = [token.casefold() for token in self.tokens]
        self.at = 0
        strange = TOKEN.sub("", text.rstrip("!., ")).strip()
        if first is None or strange or STRANGE_DOT.search(text):
            raise Unreadable("an action has only words, numbers, and the signs “,” “+” and “-”")
        self.exclaims = "!" in text

    def _is_courtesy(self, token: str) -> bool:
        return token.casefold() in self.known.please and token.casefold() not in self.names.places

    def read(self) -> tuple[Order, ...]:
        """Return the orders of the line, at least one; raises `Unreadable`."""
        found, first = list[Order](), self.words[0]
        if first in self.known.symbols:
            found.append(Order(None, (self.known.symbols[first],)))
            self.at = 1
        if (found and not self._ends_order(Verb.MARCH, 1)) or (len(self.words) == 1 and NUMBER.match(first)):
            found.append(self._read_arguments(Verb.MARCH))
        while self.at < len(self.words):
            while self.at < len(self.words) - 1 and self._is_between(self.words[self.at]):
                self.at += 1
            begun = self._find_verb(self.at)
            if begun is None:
                raise self._no_action(self.tokens[self.at])
            verb, self.at = begun
            found.append(self._read_arguments(verb))
        if found[-1].verb is Verb.END and self.exclaims:  # "Stop!"
            raise Unreadable(USAGES[Verb.END].correction)
        return tuple(found)

    def _is_between(self, word: str) -> bool:
        return word in SIGNS or word in self.known.joining or word in self.known.following

    def _find_verb(self, at: int) -> tuple[Verb, int] | None:
        """Return the longest verb that begins at an index, and the index behind it."""
        for end in range(min(at + LONGEST_VERB, len(self.words)), at, -1):
            if verb := self.known.verbs.get(" ".join(self.words[at:end])):
                return verb, end
        return None

    def _ends_order(self, verb: Verb, at: int) -> bool:
        """True if the arguments of a verb end before an index."""
        places, begun = self.names.places if max(USAGES[verb].places) else {}, at
        while at < len(self.words) and self.words[at] not in places:
            if self.words[at] == "." or self.words[at] in self.known.following:
                return True
            if not self._is_between(self.words[at]):
                return at > begun and self._find_verb(at) is not None
            at += 1
        return at == len(self.words)

    def _no_action(self, word: str) -> NoAction:
        like = partial(suggest_words, word.casefold(), self.known.verbs)
        return NoAction("“%(word)s” is no action", like, word=shorten(word))

    # --- arguments --------------------------------------------------------------------------------------

    def _read_arguments(self, verb: Verb) -> Order:
        usage, gives = USAGES[verb], False
        named, last = list[Argument](), self.at
        while not self._ends_order(verb, self.at):
            if verb is Verb.TAKEOVER and named and not gives and self._is_gift(self.at):
                gives = True
            elif (argument := self._find_argument(verb, gives)) is not None:
                named.append(argument)
                last = self.at + 1
            self.at += 1
        symbols = tuple(one for one in named if isinstance(one, Symbol))
        places = tuple(one for one in named if isinstance(one, Space))
        points = tuple(one for one in named if isinstance(one, Point))
        corners = [one for one in named if isinstance(one, int)]
        fits = len(symbols) in usage.symbols and len(places) in usage.places
        if verb is Verb.MARCH:
            fits = fits and bool(named) and len(corners) + bool(points) <= 1
        elif points or corners:
            fits = False
        if not fits or last < self.at:  # words behind the last argument make talk of it
            raise Unreadable(usage.correction)
        return Order(verb, symbols, places, points, *corners)

    def _is_gift(self, at: int) -> bool:
        """True for the word before the cards for the loser of a takeover."""
        word, *behind = self.words[at : at + 2]
        return word in self.known.give and not self.known.symbols.keys().isdisjoint(behind)

    def _find_argument(self, verb: Verb, gives: bool) -> Argument | None:
        """Return what the next word names, None for a word between names; raises `Unreadable`."""
        known, names, word = self.known, self.names, self.words[self.at]
        takes_card = gives or USAGES[verb].takes_only_cards
        if word in names.places and not (takes_card and word in known.symbols):
            return names.places[word]
        if word in names.points:
            return names.points[word]
        if word in known.symbols:
            return known.symbols[word]
        number = NUMBER.fullmatch(word)
        if number is not None and number[1] not in self.choices:
            return int(number[1])
        if word in known.small or self._is_between(word):
            return None
        places = self.board.places if max(USAGES[verb].places) else ()
        cards = known.symbols if takes_card else ()
        raise Unreadable(
            "“%(word)s” is no place, point or symbol",
            partial(suggest_words, word, (*cards, *places, *known.verbs)),
            word=shorten(self.tokens[self.at]),
        )
