"""A line of orders cut into tokens, by the words of each language."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache, partial
from itertools import chain
from typing import TypeVar

from engine.actions import NoAction, NotOffered, Unreadable
from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.notation.orders import Verb

CARD_VERBS = frozenset((Verb.CHOOSE, Verb.PLAY, Verb.STAY, Verb.TAKE, Verb.LEVY))
"""The actions that name a card and no place: there a symbol's name is that, even where a place bears it."""
NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class OrderWords:
    """The words of one language, in small letters. Where several mean the same the first is written."""

    language: str
    """Its code (BCP 47)."""
    verbs: Mapping[Verb, tuple[str, ...]]
    """For each action the words that can begin it."""
    symbols: Mapping[Symbol, tuple[str, ...]]
    """What each symbol is called, one and several."""
    give: str
    """What comes before the cards for the loser of a take-over."""
    either: str
    """What stands between orders or names of which one is meant."""
    pairs: Mapping[Verb, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """For some actions two words that begin it; the second may come later, as in "take Troy back"."""
    joining: frozenset[str] = NO_WORDS
    """What stands between names, or between orders."""
    following: frozenset[str] = NO_WORDS
    """What stands between orders only: one after the other."""
    opening: frozenset[str] = NO_WORDS
    """What may stand before the first order of a line."""
    never_opened: frozenset[str] = NO_WORDS
    """Verbs that are none behind such a word: the Dutch "dan pas" means "only then"."""
    leading: frozenset[str] = NO_WORDS
    """Words without a meaning of their own after which something must come: none of them ends an order."""
    leaving: frozenset[str] = NO_WORDS
    """Those of them before the point where a march begins."""
    passing: frozenset[str] = NO_WORDS
    """What stands before points that a march only passes."""
    owning: frozenset[str] = NO_WORDS
    """What stands between a thing and whose it is, as in "corner C5 of Larissa"."""
    small: frozenset[str] = NO_WORDS
    """The other words without a meaning of their own."""
    articles: frozenset[str] = NO_WORDS
    own: frozenset[str] = NO_WORDS
    """What says that a thing is the writer's."""
    cards: frozenset[str] = NO_WORDS
    """Small words for a card: what an abbreviation beside a symbol's verb could stand for as well."""
    guards: frozenset[str] = NO_WORDS
    points: frozenset[str] = NO_WORDS
    taxes: frozenset[str] = NO_WORDS
    turns: frozenset[str] = NO_WORDS
    beside: Mapping[Verb, frozenset[str]] = field(default_factory=dict)
    """The small words that may stand beside a verb where nothing is named.

    With others it is a sentence and no order: "Pas op!" means "Look out!".
    """
    numbered: frozenset[str] = NO_WORDS
    """What may stand before a number that is an answer, or before one of a corner."""
    dotted: frozenset[str] = NO_WORDS
    """Those of them that need their dot: "no" negates."""
    lettered: frozenset[str] = NO_WORDS
    """What may stand before a letter that is an answer."""
    thanks: frozenset[tuple[str, ...]] = frozenset()
    """What may stand behind an order."""
    common: frozenset[str] = NO_WORDS
    """Everyday words, names and days that are no abbreviation and no slip, though they could be taken for
    one: orders, symbols or places begin so, or a verb would be guessed.

    What does neither has no business here, and a test finds it. Where a board or a language brings new words,
    add the everyday words of the language that begin them.
    """
    places: Mapping[str, str] = field(default_factory=dict)
    """What the language calls places, and what a board calls them."""
    spoken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The phrases of each kind in which orders are told in sentences; see clauses.py."""

    @property
    def named_words(self) -> Iterator[str]:
        """All its verbs and symbols."""
        return chain(*self.verbs.values(), *self.symbols.values())

    def name_verb(self, verb: str) -> str:
        """A canonical verb as this language writes it; anything else as it is."""
        return self.verbs[Verb(verb)][0] if verb in self.verbs else verb

    def name_card(self, card: str) -> str:
        """A canonical symbol as this language writes it; anything else as it is."""
        return next((words[0] for symbol, words in self.symbols.items() if symbol == card), card)


CANONICAL = OrderWords(
    "",
    verbs={verb: (verb,) for verb in Verb},
    symbols={symbol: (str(symbol),) for symbol in Symbol},
    give="give",
    either="or",
    leading=frozenset(("from", "to", "via")),
    leaving=frozenset(("from",)),
    passing=frozenset(("via",)),
)
"""The words that are written everywhere: in logs, in links, and by programs."""

Meaning = TypeVar("Meaning")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words of some languages together. Where two differ about a word the first of them is followed."""

    languages: tuple[OrderWords, ...]
    verbs: Mapping[str, Verb]
    """Every word that can begin an action, and the action it means."""
    pairs: Mapping[tuple[str, str], Verb]
    """Every two words that mean an action together. The first of them is a verb by itself too."""
    symbols: Mapping[str, Symbol]
    """Every word for a symbol."""
    language_of: Mapping[str, OrderWords]
    """The language of each verb and symbol; a word of several belongs to the first of them."""
    places: Mapping[str, str]
    """What else than on a board places are called, and what a board calls them."""
    thanks: frozenset[tuple[str, ...]]
    beside: Mapping[Verb, frozenset[str]]
    give: frozenset[str]
    either: frozenset[str]
    """What stands between orders or names of which one is meant; "of" can be English too."""
    joining: frozenset[str]
    following: frozenset[str]
    opening: frozenset[str]
    never_opened: frozenset[str]
    leading: frozenset[str]
    leaving: frozenset[str]
    passing: frozenset[str]
    owning: frozenset[str]
    small: frozenset[str]
    """All words that carry no meaning of their own."""
    articles: frozenset[str]
    cards: frozenset[str]
    guards: frozenset[str]
    points: frozenset[str]
    taxes: frozenset[str]
    turns: frozenset[str]
    numbered: frozenset[str]
    dotted: frozenset[str]
    lettered: frozenset[str]
    common: frozenset[str]
    own: frozenset[str]
    spoken: Mapping[tuple[str, ...], str]
    """The phrases in which orders are told in sentences, word by word, and the kind of each."""
    pictures: Mapping[str, Symbol]
    """The pictures that stand for a card, in every language."""
    pair_starts: frozenset[str] = field(init=False)
    """Words that begin a pair."""
    verb_beginnings: Mapping[str, Mapping[str, Verb]] = field(init=False)
    """What could be an abbreviation of a verb, and of which."""
    symbol_beginnings: Mapping[str, Mapping[str, Symbol]] = field(init=False)
    """What could be an abbreviation of a symbol, and of which."""
    letters: str = field(init=False)
    """The letters that its words are written with, as in the brackets of a pattern."""

    def __post_init__(self) -> None:
        verbs = {word: verb for word, verb in self.verbs.items() if word not in self.small}
        derived = {
            "pair_starts": frozenset(first for first, _ in self.pairs),
            "verb_beginnings": self.abbreviations_of(verbs),
            "symbol_beginnings": self.abbreviations_of(self.symbols),
            "letters": "A-Za-z" + "".join(sorted(self._accented_letters())),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def abbreviations_of(
        self, words: Mapping[str, Meaning], least: int = 1
    ) -> Mapping[str, Mapping[str, Meaning]]:
        """For each beginning of a word, of `least` letters or more, the words that begin so."""
        found: dict[str, dict[str, Meaning]] = {}
        for word, meaning in words.items():
            for end in range(least, len(word)):
                begun = word[:end]
                if begun not in words and begun not in self.common and begun not in self.small:
                    found.setdefault(begun, {})[word] = meaning
        return found

    def _accented_letters(self) -> set[str]:
        """Those that English does without, small and capital."""
        words = (*self.verbs, *self.symbols, *self.small, *self.places, *self.opening, *self.numbered)
        said = (word for phrase in self.thanks for word in phrase)
        letters = set("".join((*words, *said, *(second for _, second in self.pairs))))
        found = {letter for letter in letters if letter.isalpha() and not letter.isascii()}
        return found | {letter.upper() for letter in found if len(letter.upper()) == 1}

    def suggest_words(self, word: str, known: Iterable[str], language: OrderWords | None) -> tuple[str, ...]:
        """The words most like a word that nobody knows, in this language or in that of the first of them."""
        by_fold = {name.casefold(): name for name in known}
        found: list[str] = []
        if language is not None:
            own = [fold for fold in by_fold if self.language_of.get(fold, language) is language]
            found = get_close_matches(word, own, n=3, cutoff=0.7)
        if not found:
            found = get_close_matches(word, by_fold, n=3, cutoff=0.7)
        languages = [None, *(self.language_of.get(name) for name in found[:1])]
        return tuple(by_fold[name] for name in found if self.language_of.get(name) in languages)


def compose_vocabulary(
    languages: Sequence[OrderWords], pictures: Mapping[str, Symbol] | None = None
) -> Vocabulary:
    """The words of these languages together."""

    def every(name: str) -> frozenset[str]:
        return NO_WORDS.union(*(getattr(own, name) for own in languages))

    leading = every("leading")
    nouns = ("cards", "guards", "points", "taxes", "turns")
    small = every("small").union(leading, every("joining"), *map(every, nouns))
    give = frozenset(own.give for own in languages)
    return Vocabulary(
        languages=tuple(languages),
        verbs=_first_of((word, verb) for own in languages for verb in own.verbs for word in own.verbs[verb]),
        pairs=_first_of((pair, verb) for own in languages for verb in own.pairs for pair in own.pairs[verb]),
        symbols=_first_of(
            (word, symbol) for own in languages for symbol in own.symbols for word in own.symbols[symbol]
        ),
        language_of=_first_of((word, own) for own in languages for word in own.named_words),
        places=_first_of(pair for own in languages for pair in own.places.items()),
        thanks=frozenset(phrase for own in languages for phrase in own.thanks),
        beside={
            verb: NO_WORDS.union(*(own.beside.get(verb, NO_WORDS) for own in languages)) for verb in Verb
        },
        give=give,
        either=frozenset(own.either for own in languages),
        joining=every("joining"),
        following=every("following"),
        opening=every("opening"),
        never_opened=every("never_opened"),
        leading=leading,
        leaving=every("leaving"),
        passing=every("passing"),
        owning=every("owning"),
        small=small | give,
        articles=every("articles"),
        cards=every("cards"),
        guards=every("guards"),
        points=every("points"),
        taxes=every("taxes"),
        turns=every("turns"),
        numbered=every("numbered"),
        dotted=every("dotted"),
        lettered=every("lettered"),
        common=every("common"),
        own=every("own"),
        pictures=pictures or {},
        spoken=_first_of(
            (tuple(phrase.split()), kind)
            for own in languages
            for kind in own.spoken
            for phrase in own.spoken[kind]
        ),
    )


Key = TypeVar("Key")


def _first_of(pairs: Iterable[tuple[Key, Meaning]]) -> dict[Key, Meaning]:
    """A mapping in which the first meaning of each key stands."""
    found: dict[Key, Meaning] = {}
    for key, meaning in pairs:
        found.setdefault(key, meaning)
    return found


CANONICAL_VOCABULARY = compose_vocabulary([CANONICAL])
"""With which is read what we have written ourselves."""


# --- orders in another language ---------------------------------------------------------------------------

ORDER_SEPARATOR = re.compile(rf"(\s*;\s*| or (?=(?:{'|'.join(Verb)})\b))")
"""What parts several orders, and several of which one is meant; no place is taken for the "or"."""


def translate_orders(words: str, own: OrderWords) -> str:
    """The canonical text of an action in the words of a language, such as `kies harp` for `choose lyre`.

    Of several actions too, parted by `;` or by "or". Places and points are called the same in every language.
    What is nothing canonical stays as it is.
    """
    parts = ORDER_SEPARATOR.split(words)
    parts[::2] = (_translated(part, own) for part in parts[::2])
    parts[1::2] = (f" {own.either} " if "or" in part else part for part in parts[1::2])
    return "".join(parts)


def _translated(words: str, own: OrderWords) -> str:
    verb, *rest = words.split(" ")
    if verb in CARD_VERBS:
        rest = [own.name_card(card) for card in rest]
    elif verb == Verb.TAKEOVER and len(rest) == 3:
        guards, _, cards = rest
        rest = [guards, own.give, "+".join(map(own.name_card, cards.split("+")))]
    return " ".join((own.name_verb(verb), *rest))


ChoiceMeanings = Mapping[str, str]
"""What each mark of a choice stands for in the letter that is answered: orders in canonical English parted by
"; ". The mark is a letter, such as `b`, or in letters of old a number, which can stand for a point too."""
SHORTEST_PLACE = 3
"""Letters of an abbreviated place."""


SIGNS = r"\s,.+&/>\u2013\u2192\-"
TAIL_SIGNS = re.compile(r"[\s.,!]*")
"""Signs that may stand behind the last word."""
AFTER_NUMBER = re.compile(r"\)?[\s.!]*$")
PARTING_SIGNS = frozenset(",+&.")
"""Signs that can part orders."""
QUOTES = {'"': '"', "'": "'", "\u2018": "\u2019", "„": "“”", "«": "»", "»": "«"}
"""Marks round a whole line that are passed over; not “ and ”, which keep names in letters from being orders
(a phone that writes them gets a sentence back, and nothing is done)."""


@dataclass(frozen=True, slots=True, eq=False)
class LinePatterns:
    """What a line is cut by, with the letters and words of a vocabulary."""

    opening: re.Pattern[str]
    """The words that may stand before the first order of a line."""
    before_order: re.Pattern[str]
    """What may stand before an order in a line."""
    token: re.Pattern[str]
    word: re.Pattern[str]
    """A word or a number, and the signs before it."""
    first_token: re.Pattern[str]
    initial: re.Pattern[str]
    """A capital, or a letter with a dot, that stands for a name."""
    letter_answer: re.Pattern[str]
    """What a line is made of that answers with a letter."""
    list_item: re.Pattern[str]
    """How an item of a numbered list begins."""
    marked_line: re.Pattern[str]
    """How a line begins with a sign before its first word."""
    parting: frozenset[str]
    """Words that part orders or names."""
    last_thanks: frozenset[str]
    """The last words of thanks."""
    most_thanks: int
    """Words of the longest thanks."""


@lru_cache(maxsize=64)
def patterns_of(vocabulary: Vocabulary) -> LinePatterns:
    """What a line in the words of a vocabulary is cut by."""
    letters = vocabulary.letters
    token = rf"[{letters}]+[0-9]*"
    openers = "|".join(map(re.escape, sorted(vocabulary.opening))) or r"(?!)"
    opening = re.compile(rf"(?:(?:{openers})[\s,]+)*", re.IGNORECASE)
    return LinePatterns(
        opening=opening,
        before_order=re.compile(rf"[{SIGNS}]*{opening.pattern}"),
        token=re.compile(token),
        word=re.compile(rf"([{SIGNS}]*)({token}|#?[0-9]+(?![^\W_]))"),
        first_token=re.compile(rf"\s*(#?[0-9]|{token})"),
        initial=re.compile(r"\s*(?:[A-Z]\b|\w\.)"),
        letter_answer=re.compile(rf"[{letters}\s().,!]{{1,60}}"),
        list_item=re.compile(rf"\s*[(\[]?#?[0-9]+[\s.):\]]+([{letters}]+)"),
        marked_line=re.compile(rf"[\W_]+([{letters}]+)"),
        parting=vocabulary.joining | vocabulary.following,
        last_thanks=frozenset(phrase[-1] for phrase in vocabulary.thanks),
        most_thanks=max(map(len, vocabulary.thanks), default=0),
    )


@dataclass(frozen=True, slots=True)
class BoardNames:
    """The words for places and points on a board."""

    called: Mapping[Space, str]
    """The places as the board calls them."""
    places: Mapping[str, Space]
    points: Mapping[str, Point]
    begun: Mapping[str, Mapping[str, Space | None]]
    """What can abbreviate a place, and of which; None: a small word begins so too."""


@lru_cache(maxsize=64)
def names_of(board: Board, vocabulary: Vocabulary) -> BoardNames:
    """The words for what is on a board."""
    called = {name: board.places[own] for name, own in vocabulary.places.items() if own in board.places}
    places = called | {name.casefold(): space for name, space in board.places.items()}
    small: dict[str, Space | None] = dict.fromkeys(vocabulary.small)
    begun = vocabulary.abbreviations_of(small | places, SHORTEST_PLACE)
    return BoardNames(
        board.names,
        places,
        {name.casefold(): point for name, point in board.point_names.items()},
        {word: found for word, found in begun.items() if any(found.values())},
    )


@dataclass(frozen=True, slots=True)
class TokenizedLine:
    """The words of a line, at least one."""

    vocabulary: Vocabulary
    """In which it is read."""
    text: str
    words: list[str]
    """As they are written."""
    tokens: list[str]
    """The same in small letters."""
    gaps: list[str]
    """What stands before each of them."""
    tail: str
    """What stands behind the last one."""

    def is_number(self, at: int) -> bool:
        """Whether a word is a number: "3" or "#3"; points such as "C3" are words."""
        return self.tokens[at].lstrip("#").isdigit()

    def is_parted(self, at: int) -> bool:
        """Whether a sign or a word parts a word from the one before."""
        parting = patterns_of(self.vocabulary).parting
        return not PARTING_SIGNS.isdisjoint(self.gaps[at]) or self.tokens[at - 1] in parting

    def suggestions_for(self, word: str, known: Collection[str]) -> Callable[[], tuple[str, ...]]:
        """Looks for the words most like one of its words, in the language of the others."""
        return partial(_suggest_words, word, known, self.text, self.vocabulary)

    def unknown_action(self, at: int) -> Unreadable:
        """The refusal of a word that begins no order."""
        return _unknown_action(self.words[at], self.text, self.vocabulary)

    @property
    def language(self) -> OrderWords | None:
        """The language of the first verb or symbol among its words; None where there is none."""
        return _language_of(self.tokens, self.vocabulary)


def looks_like_order(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a line begins with a word, or what could abbreviate one, with which orders or answers begin."""
    patterns = patterns_of(vocabulary)
    opened = patterns.opening.match(text.lstrip())
    if opened and opened.group():
        first = patterns.first_token.match(text.lstrip(), opened.end())
        word = "" if first is None else first.group(1).casefold()
        return word in vocabulary.verbs and word not in vocabulary.never_opened
    first = patterns.first_token.match(text)
    if first is None:
        return False
    word = first.group(1).casefold()
    if word in vocabulary.verbs or word in vocabulary.symbols or not word[0].isalpha():
        return True
    if word in vocabulary.numbered:
        return any(map(str.isdigit, text))
    if word not in vocabulary.verb_beginnings and word not in vocabulary.symbol_beginnings:
        return False  # one capital, or one letter with a dot, is somebody's initial
    return len(word) > 1 or not patterns.initial.match(text) or any(map(str.isdigit, text))


def tokenize(text: str, places: Collection[str], vocabulary: Vocabulary) -> TokenizedLine:
    """The words of a line without those before its first order, and without thanks at its end.

    Thanks stay where a place is called so. Raises `Unreadable` where the line begins with no word of an
    order, or holds signs that no order has.
    """
    patterns = patterns_of(vocabulary)
    text = _unquoted(text)
    opened = patterns.opening.match(text.lstrip())
    rest = text.lstrip()[opened.end() :] if opened else text
    first = patterns.token.match(rest) or patterns.token.match(text.lstrip())
    if not looks_like_order(text, vocabulary) and first:
        raise _unknown_action(first.group(), text, vocabulary)
    words: list[str] = []
    gaps: list[str] = []
    at = len(text) - len(rest)
    while found := patterns.word.match(text, at):
        gaps.append(found.group(1))
        words.append(found.group(2))
        at = found.end()
    line = TokenizedLine(vocabulary, text, words, [word.casefold() for word in words], gaps, text[at:])
    _judge_signs(line)
    tokens = line.tokens
    while tokens[-1] in patterns.last_thanks and tokens[-1] not in places:
        many = _count_thanks(tokens, vocabulary)
        if not many:
            break
        del words[-many:], tokens[-many:], gaps[-many:]
        line = replace(line, tail="")
    return line


def _unquoted(text: str) -> str:
    bare = text.strip()
    ends = QUOTES.get(bare[:1])
    return bare[1:-1].strip() if ends and len(bare) > 2 and bare[-1] in ends else text


def _judge_signs(line: TokenizedLine) -> None:
    """Only blanks may stand before the first word, and few signs behind the last."""
    patterns, known = patterns_of(line.vocabulary), line.vocabulary
    text, begun = line.text, bool(line.tokens) and not line.gaps[0].strip()
    strange = TAIL_SIGNS.sub("", line.tail, count=1)
    if begun and ("/" in strange[:1] or any("/" in gap for gap in line.gaps)):
        raise Unreadable("say which one of them you mean")
    if begun and (not strange or (line.is_number(-1) and AFTER_NUMBER.match(line.tail))):
        return
    item = patterns.list_item.match(text)
    if item and item.group(1).casefold() in known.verbs:
        raise list_numbering(item.group(1))
    if not re.search(rf"[^{SIGNS}!]", text):
        raise Unreadable("the line is empty")
    if begun and not line.is_number(-1) and not re.search(r"[?\w]", strange):
        raise stray_sign_behind(line.words[-1])
    marked = None if begun else patterns.marked_line.match(text)
    if marked and marked.group(1).casefold() in {*known.verbs, *known.symbols}:
        raise Unreadable("leave out the sign before “%(word)s”", word=shorten(marked.group(1)))
    first, *_ = (strange if begun else text).split()
    raise Unreadable("“%(word)s” is no word of an action", word=shorten(first.strip("“”") or first))


def _count_thanks(tokens: list[str], vocabulary: Vocabulary) -> int:
    """How many words at the end of a line are thanks; none where nothing stands before them."""
    most = min(patterns_of(vocabulary).most_thanks, len(tokens) - 1)
    return next((many for many in range(most, 0, -1) if tuple(tokens[-many:]) in vocabulary.thanks), 0)


def shorten(word: str) -> str:
    """A word as a refusal repeats it."""
    return word if len(word) <= 30 else word[:29] + "…"


def _language_of(tokens: Iterable[str], vocabulary: Vocabulary) -> OrderWords | None:
    known = vocabulary.language_of
    return next((known[word] for word in tokens if word in known), None)


def _suggest_words(word: str, known: Collection[str], text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    if word in vocabulary.common:  # no slip; but where it is no everyday word it could begin a name
        begun = [name for name in known if len(word) > 2 and name.casefold().startswith(word)]
        return tuple(name for name in begun if name[:-1] not in begun)[:3]  # of one and several the first
    tokens = patterns_of(vocabulary).token.findall(text.casefold())
    language = _language_of((other for other in tokens if other != word), vocabulary)
    return vocabulary.suggest_words(word, known, language)


def _unknown_action(word: str, text: str, vocabulary: Vocabulary) -> NoAction:
    fold = word.casefold()
    known = vocabulary.symbols if fold in vocabulary.common else vocabulary.verbs
    return NoAction(
        "“%(word)s” is no action",
        partial(_suggest_words, fold, known, text, vocabulary),
        word=shorten(word),
    )


def missing_comma(word: str) -> Unreadable:
    """The refusal of an action that nothing parts from the one before."""
    return Unreadable("put a comma before “%(word)s” if it is an action of its own", word=shorten(word))


def stray_sign_behind(word: str) -> Unreadable:
    """The refusal of a sign behind the last word."""
    return Unreadable("leave out the sign behind “%(word)s”", word=shorten(word))


# --- letters and numbers --------------------------------------------------------------------------------


def find_letter_answer(text: str, choices: ChoiceMeanings, vocabulary: Vocabulary) -> str | None:
    """The letter of a choice that a line is, beside such words as "option" and thanks; else None.

    Raises `NotOffered` for a letter alone that is no choice of that letter, and no word.
    """
    line = _unquoted(text)
    if not patterns_of(vocabulary).letter_answer.fullmatch(line):
        return None
    words: list[str] = re.findall(rf"[{vocabulary.letters}]+", line.casefold())
    while words and words[0] in vocabulary.opening:
        del words[0]
    if len(words) > 1 and words[0] in vocabulary.lettered:
        del words[0]
    if not words or (len(words) > 1 and tuple(words[1:]) not in vocabulary.thanks):
        return None
    if words[0] in choices:
        return words[0]
    is_word = words[0] in vocabulary.verbs or words[0] in vocabulary.symbols
    if choices and len(words[0]) == 1 and not is_word:
        offered = ", ".join(sorted(choices, key=lambda mark: (len(mark), mark)))
        raise NotOffered(
            "there is no “%(word)s” in that mail; it offers %(offered)s",
            word=words[0],
            offered=shorten(offered),
        )
    return None


def read_corner_number(word: str) -> int:
    """The number of a corner; raises `Unreadable`."""
    digits = word.lstrip("#")
    if not 1 <= len(digits) <= 2 or digits.startswith("0"):
        raise Unreadable("“%(word)s” stands for nothing here: say it in words", word=shorten(word))
    return int(digits)


def number_among_words(word: str) -> Unreadable:
    """The refusal of a number among other words."""
    return Unreadable(
        "“%(word)s” is an answer only on a line of its own: say it in words here", word=shorten(word)
    )


def list_numbering(word: str) -> Unreadable:
    """The refusal of an item of a numbered list."""
    return Unreadable("leave out the number before “%(word)s”", word=shorten(word))
