"""Parse lines into orders: exact words of some languages in any case, with small words between them.

Texts that are freer, misspelt or abbreviated are `Unreadable` here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache, partial
from typing import NamedTuple, TypeVar

from engine.actions import NoAction, NotOffered, Unreadable
from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.notation.orders import CARD_VERBS, Order, OrderLine, Verb
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
            return kind(line, _read_choice(choices[mark], board), answer=mark)
        return kind(line, LineReader(line, board, choices, vocabulary).read())
    except Unreadable as refusal:
        return kind(line, refusal=refusal)


def parse_lines(
    lines: Iterable[str], board: Board, vocabulary: Vocabulary = CANONICAL_VOCABULARY
) -> tuple[OrderLine, ...]:
    """Parse lines of a text for which no letter has offered choices."""
    return tuple(parse_line(OrderLine, line, board, NO_CHOICES, vocabulary) for line in lines)


# --- the marks of choices ---------------------------------------------------------------------------------

MARK_LINE = re.compile(r"[\w\s#().,!]{1,60}")
WORD = re.compile(r"[^\W_]+")


def find_mark(line: str, choices: ChoiceMeanings, vocabulary: Vocabulary) -> str | None:
    """Return the mark of a choice if a line contains nothing else but words such as "option" and thanks.

    Returns None for other lines. Raises `NotOffered` for a single letter that is neither a choice nor a word.
    """
    if not choices or not MARK_LINE.fullmatch(line.strip()):
        return None
    words = WORD.findall(line.casefold())
    if len(words) > 1 and words[0] in vocabulary.opening:
        del words[0]
    if len(words) > 1 and words[0] in vocabulary.numbered:
        del words[0]
    mark, thanks = "".join(words[:1]), " ".join(words[1:])
    if thanks and thanks not in vocabulary.thanks:
        return None
    if mark in choices:
        return None if ";" not in choices[mark] and POINT.fullmatch(choices[mark]) else mark
    if len(mark) == 1 and mark.isalpha():
        offered = ", ".join(sorted(choices, key=lambda mark: (len(mark), mark)))
        raise NotOffered(
            "there is no “%(word)s” in that mail; it offers %(offered)s",
            word=mark,
            offered=shorten(offered),
        )
    return None


def _read_choice(words: str, board: Board) -> tuple[Order, ...]:
    return tuple(said for order in words.split("; ") for said in parse(order, board))


POINT = re.compile(r"[A-Z]+[0-9]+")


def shorten(word: str) -> str:
    return word if len(word) <= 30 else word[:29] + "…"


# --- words ------------------------------------------------------------------------------------------------

SIGNS = r"\s,.+&>\u2013\u2192\-"
FIRST_WORD = re.compile(r"\s*([^\W\d_]+(?:['\u2019][^\W\d_]+)*[0-9]*)")
TOKEN = re.compile(rf"([{SIGNS}]*)(#?[0-9]+(?![^\W_])|[^\W\d_]+[0-9]*)")
NUMBERED = re.compile(r"\s*\(?[0-9]+[.):]+\s*[^\W\d_]")
"""Matches the number of an item in a list, as in "2. draw"."""
PATH_SIGNS = frozenset(("-", "\u2013", ">", "\u2192", "->"))


class Token(NamedTuple):
    text: str
    word: str
    gap: str
    """The signs before the word."""
    is_number: bool
    """True for "3" or "#3"; points such as "C3" are words."""


def tokenize(line: str) -> tuple[Sequence[Token], str]:
    """Split a line into words, and the signs behind them."""
    found: list[Token] = []
    at = 0
    while token := TOKEN.match(line, at):
        text, gap = token[2], "".join(token[1].split())
        found.append(Token(text, text.casefold(), gap, text.lstrip("#").isdigit()))
        at = token.end()
    ignored = " \t.,)" if [one.is_number for one in found] == [True] else " \t.,"  # "1)" is an answer
    return found, line[at:].strip(ignored)


@lru_cache(maxsize=64)
def opening_pattern(vocabulary: Vocabulary) -> str:
    """Return a regular expression for the words allowed before the first order of a line."""
    openers = "|".join(map(re.escape, sorted(vocabulary.opening))) or r"(?!)"
    return rf"(?:(?:{openers})[\s,]+)*"


def looks_like_order(text: str, vocabulary: Vocabulary) -> bool:
    """True if a line begins like an order or the mark of a choice."""
    rest = re.sub(opening_pattern(vocabulary), "", text.lstrip(), count=1, flags=re.IGNORECASE)
    first = re.match(r"#?[0-9]|[^\W\d_]+[0-9]*", rest)
    word = "" if first is None else first[0].casefold()
    if word in vocabulary.verbs:
        return True
    if rest != text.lstrip() or not word:
        return False
    if word in vocabulary.numbered | vocabulary.points:
        return any(map(str.isdigit, text))
    return word in vocabulary.symbols or not word[0].isalpha()


def suggest_words(word: str, known: Collection[str]) -> tuple[str, ...]:
    """Return `known` words that are similar to a word or begin with it."""
    by_fold = {name.casefold(): name for name in known}
    begun = [fold for fold in by_fold if len(word) > 1 and fold.startswith(word)]
    similar = get_close_matches(word, by_fold, n=MOST_SUGGESTED, cutoff=0.7)
    return tuple(by_fold[fold] for fold in [*begun, *similar][:MOST_SUGGESTED])


MOST_SUGGESTED = 3


# --- orders -----------------------------------------------------------------------------------------------


class Usage(NamedTuple):
    """The arguments that a verb takes."""

    correction: str
    """The sentence of the refusal if the arguments are wrong."""
    symbols: tuple[int, int] = (0, 0)
    """Lowest and highest number of symbols."""
    places: tuple[int, int] = (0, 0)
    """Lowest and highest number of places."""


USAGES = {
    Verb.CHOOSE: Usage("say choose and one symbol", symbols=(1, 1)),
    Verb.PLAY: Usage("say play and one symbol", symbols=(1, 1)),
    Verb.MARCH: Usage("say march, a place, and the corner or the path", places=(0, 1)),
    Verb.STAY: Usage("say stay and one symbol of the display", symbols=(0, 1)),
    Verb.DRAW: Usage("say draw alone"),
    Verb.TAKE: Usage("say take and one symbol", symbols=(1, 1)),
    Verb.OCCUPY: Usage("say occupy and the places of the guards", places=(1, 4)),
    Verb.TAKEOVER: Usage(
        "say takeover, the places of the guards, give, the cards for the loser",
        symbols=(0, 99),
        places=(1, 4),
    ),
    Verb.LEVY: Usage("say levy and one symbol", symbols=(0, 1)),
    Verb.RECALL: Usage("say recall and the place of the guard", places=(0, 1)),
    Verb.END: Usage("say end alone"),
}


VERBS_OF_CARDS = CARD_VERBS | {Verb.DRAW, Verb.TAKEOVER}
"""Verbs beside which the word "card" may stand."""


class Arguments:
    """The arguments of one order, collected word by word."""

    def __init__(self, verb: Verb) -> None:
        self.verb = verb
        self.symbols: list[Symbol] = []
        self.places: list[Space] = []
        self.points: list[Point] = []
        self.passed: list[Point] = []
        self.origin: Point | None = None
        self.corner: int | None = None
        self.way = ""
        """The preposition before the next names, "via" or "from", as "passing" or "leaving"."""
        self.is_open = False
        """True if nothing follows the preposition yet."""
        self.small: set[str] = set()

    def take_place(self, place: Space) -> None:
        owns = self.way == "leaving" and (self.verb is Verb.RECALL or self.points)  # "C5 van Larissa"
        if self.is_open and not owns:
            raise Unreadable(USAGES[self.verb].correction)
        self.way, self.is_open = "", False
        self.places.append(place)

    def take_point(self, point: Point) -> None:
        self.is_open = False
        if self.way == "passing":
            self.passed.append(point)
        elif self.way and self.origin is None:
            self.origin, self.way = point, ""
        elif self.way:
            raise Unreadable(USAGES[self.verb].correction)
        else:
            self.points.append(point)

    def take_corner(self, number: int) -> None:
        if self.way or self.points or self.corner is not None:
            raise Unreadable(USAGES[self.verb].correction)
        self.corner = number

    def take_small(self, word: str, known: Vocabulary) -> None:
        self.small.add(word)
        if (word in known.passing or word in known.leaving) and USAGES[self.verb].places[1]:
            self.way, self.is_open = "passing" if word in known.passing else "leaving", True
        elif not (self.is_open or word in known.joining):
            self.way = ""

    def build_order(self) -> Order:
        """Return the order; raises `Unreadable` if the verb takes other arguments."""
        usage = USAGES[self.verb]
        counts = (len(self.symbols), usage.symbols), (len(self.places), usage.places)
        wrong = any(not least <= count <= most for count, (least, most) in counts)
        if wrong or (self.goes_somewhere and self.verb is not Verb.MARCH):
            raise Unreadable(usage.correction)
        route = tuple(self.points), tuple(self.passed), self.origin, self.corner
        return Order(self.verb, tuple(self.symbols), tuple(self.places), *route)

    @property
    def goes_somewhere(self) -> bool:
        return bool(self.points or self.passed) or self.corner is not None

    @property
    def is_empty(self) -> bool:
        return not (self.symbols or self.places or self.goes_somewhere)


class LineReader:
    """Reads the orders of a line, one after the other, each from its verb or card to the next verb."""

    def __init__(self, line: str, board: Board, choices: ChoiceMeanings, vocabulary: Vocabulary) -> None:
        self.choices, self.known, self.board = choices, vocabulary, board
        self.names = names_of(board, vocabulary)
        over = len(line) - MAX_LINE_LENGTH
        if over > 0 and over > sum(len(point) + 1 for point in self.names.points):
            raise Unreadable("the line is too long for one action")
        first = FIRST_WORD.match(line)
        opens = first is not None and first[1].casefold() in vocabulary.opening
        if first is not None and not opens and not looks_like_order(line, vocabulary):
            raise self._no_action(first[1])  # at once, since most lines of mails are no orders
        self.tokens, self.tail = tokenize(line)
        if not (self.tokens or self.tail):
            raise Unreadable("the line is empty")
        if NUMBERED.match(line):
            raise Unreadable("leave out the number before the action")
        if "?" in self.tail:
            raise Unreadable("leave out the question mark if you mean it")
        signs = self.tokens and not self.tail.strip("!")
        if not signs or not all(map(self._is_sign_read, range(len(self.tokens)))):
            raise Unreadable("an action has only words, numbers, and the signs “,” “+” and “-”")

    def _is_sign_read(self, at: int) -> bool:
        gap, word = self.tokens[at].gap, self.tokens[at].word
        if at == 0:
            return not gap
        if gap == ".":
            begins = word in self.known.verbs or word in self.known.following or word in self.known.opening
            return begins and not self.tokens[at - 1].is_number  # the number in "march Troy. 2. draw"
        if gap in PATH_SIGNS:
            return all(one.is_number or one.word in self.names.points for one in self.tokens[at - 1 : at + 1])
        return set(gap) <= {",", "+", "&"}

    def read(self) -> tuple[Order, ...]:
        """Return the orders of the line, at least one; raises `Unreadable`."""
        at, last = 0, len(self.tokens) - 1
        while at < last and self.tokens[at].word in self.known.opening:
            at += 1
        is_asked, found = at > 0 and self.tokens[at - 1].word not in self.known.joining, list[Order]()
        while at <= last:
            orders, at = self._read_order(at, is_first=not found)
            found += orders
            while at <= last and self.tokens[at].word in self.known.joining | self.known.following:
                at += 1
                if at > last:
                    raise Unreadable("say what comes after “%(word)s”", word=self.tokens[last].text)
        if found[-1].verb is Verb.END and ("!" in self.tail or (is_asked and len(found) == 1)):
            raise Unreadable(USAGES[Verb.END].correction)  # as in "Stop!", "please stop", Dutch "dan pas"
        return tuple(found)

    def _read_order(self, start: int, is_first: bool) -> tuple[tuple[Order, ...], int]:
        """Return the order that begins at index `start`, and the index behind it."""
        known, word = self.known, self.tokens[start].word
        if is_first and (self.tokens[start].is_number or word in known.points):
            return (self._read_number_alone(self.tokens[start:]),), len(self.tokens)
        card = known.symbols.get(word) if is_first else None
        verb = known.verbs.get(word) if card is None else Verb.MARCH
        if verb is None:
            raise self._no_action(self.tokens[start].text)
        second, end = 0, start + 1
        while end < len(self.tokens):
            other, is_place = self.tokens[end].word, self._takes_place(verb, self.tokens[end])
            if not (second or is_place or self._is_parted(end)) and (word, other) in known.pairs:
                second, verb = end, known.pairs[word, other]
            elif not is_place and (other in known.following or other in known.verbs):
                break
            end += 1
        words = [self.tokens[at] for at in range(start + 1, end) if at != second]
        while words and end < len(self.tokens) and self._is_joining(verb, words[-1]):
            words.pop()
        if card is not None and not words:
            return (Order(None, (card,)),), end
        said = self._read_arguments(verb, words)
        if card is not None and (said.symbols or not said.goes_somewhere):
            raise Unreadable("say the card alone, or the card and the corner")
        if card is None and said.is_empty:
            self._judge_verb_alone(said, start, is_first)
        order = said.build_order()
        return ((order,) if card is None else (Order(None, (card,)), order)), end

    def _read_number_alone(self, words: Sequence[Token]) -> Order:
        """Read a line that is only the number of a corner, perhaps after a word such as "corner"."""
        said = [one for one in words if one.word not in self.known.thanks]
        number = next((one for one in said if one.is_number), None)
        if number is None:
            raise self._no_action(words[0].text)
        if number is not said[-1] or len(said) > 2:
            raise _number_among_words(number)
        return self._read_arguments(Verb.MARCH, said[-1:]).build_order()

    def _no_action(self, word: str) -> NoAction:
        like = partial(suggest_words, word.casefold(), self.known.verbs)
        return NoAction("“%(word)s” is no action", like, word=shorten(word))

    def _is_joining(self, verb: Verb, token: Token) -> bool:
        return token.word in self.known.joining and not self._takes_place(verb, token)

    def _takes_place(self, verb: Verb, token: Token) -> bool:
        return USAGES[verb].places[1] > 0 and token.word in self.names.places

    def _is_parted(self, at: int) -> bool:
        """True if a sign, or a word such as "and", stands before this word."""
        return (
            bool(self.tokens[at].gap) or self.tokens[at - 1].word in self.known.joining | self.known.following
        )

    def _judge_verb_alone(self, said: Arguments, start: int, is_first: bool) -> None:
        """Refuse a verb without arguments if it needs some, or if other words make a sentence of it."""
        known, word, text = self.known, self.tokens[start].word, self.tokens[start].text
        beside = known.beside[said.verb] | known.thanks
        plain = known.articles | known.opening
        undoes = said.verb is Verb.RECALL and word != Verb.RECALL and said.small <= plain  # "take back"
        if said.verb is Verb.MARCH or undoes or not said.small <= beside:
            raise Unreadable(USAGES[said.verb].correction)
        if not (is_first or self._is_parted(start)):
            raise Unreadable(
                "put a comma before “%(word)s” if it is an action of its own", word=shorten(text)
            )

    # --- arguments --------------------------------------------------------------------------------------

    def _read_arguments(self, verb: Verb, words: Sequence[Token]) -> Arguments:
        known, names = self.known, self.names
        said = Arguments(verb)
        gift = self._find_gift(words) if verb is Verb.TAKEOVER else len(words)
        for at, token in enumerate(words):
            word = token.word
            is_card = word in known.symbols and (verb in CARD_VERBS or at > gift)
            if word in names.places and not (is_card or at == gift):
                said.take_place(names.places[word])
            elif word in names.points:
                said.take_point(names.points[word])
            elif word in known.symbols:
                said.symbols.append(known.symbols[word])
            elif token.is_number:
                self._take_number(said, token)
            elif word in known.either:
                raise Unreadable("say which one of them you mean")
            elif self._is_small(said, token, words[at - 1] if at else None):
                said.take_small(word, known)
            else:
                raise self._unknown_word(verb, token)
        last = words[-1] if words else None
        ends = last is not None and last.word in known.leading | known.passing | known.joining
        if last is not None and (said.is_open or (ends and not self._takes_place(verb, last))):
            raise Unreadable("say what comes after “%(word)s”", word=shorten(last.text))
        return said

    def _find_gift(self, words: Sequence[Token]) -> int:
        """Return the index of the word before the cards for the loser of a takeover."""
        for at in range(len(words) - 2, 0, -1):
            rest = [one.word for one in words[at + 1 :]]
            cards = all(one in self.known.symbols or one in self.known.small for one in rest)
            if words[at].word in self.known.give and cards:
                return at
        return len(words)

    def _is_small(self, said: Arguments, token: Token, before: Token | None) -> bool:
        known, word = self.known, token.word
        if word in known.cards and not said.is_empty:  # "take horse and a card" means two cards
            return not token.gap and before is not None and before.word in known.symbols
        if word in known.cards and said.verb not in VERBS_OF_CARDS:
            return False
        is_way = said.verb is Verb.MARCH and word in known.passing
        return word in known.small or word in known.thanks or is_way

    def _take_number(self, said: Arguments, token: Token) -> None:
        mark, shown = token.word.lstrip("#"), shorten(token.text)
        if said.verb is not Verb.MARCH:
            raise _number_among_words(token)
        point = self.names.points.get(self.choices.get(mark, "").casefold())
        if point is not None:
            said.take_point(point)
        elif mark in self.choices or not 1 <= len(mark) <= 2 or mark.startswith("0"):
            raise Unreadable("“%(word)s” stands for nothing here: say it in words", word=shown)
        else:
            said.take_corner(int(mark))

    def _unknown_word(self, verb: Verb, token: Token) -> Unreadable:
        cards = self.known.symbols if verb in CARD_VERBS else ()
        places = self.board.places if USAGES[verb].places[1] else ()
        return Unreadable(
            "“%(word)s” is no place, point or symbol",
            partial(suggest_words, token.word, (*cards, *places, *self.known.verbs)),
            word=shorten(token.text),
        )


def _number_among_words(token: Token) -> Unreadable:
    return Unreadable(
        "“%(word)s” is an answer only on a line of its own: say it in words here", word=shorten(token.text)
    )
