"""The vocabulary of orders in each language, and the splitting of a line of orders into words."""

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
"""Verbs after which a word means a card, even if a place is named like a symbol."""
NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class OrderWords:
    """The words of one language in lower case; of several synonyms, the first is used in output."""

    language: str
    verbs: Mapping[Verb, tuple[str, ...]]
    symbols: Mapping[Symbol, tuple[str, ...]]
    """Names of each symbol, singular and plural."""
    give: str
    """The word before the cards for the loser of a takeover."""
    either: str
    """The word "or"."""
    pairs: Mapping[Verb, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Verbs of two words, which may be apart as in "take Troy back"."""
    joining: frozenset[str] = NO_WORDS
    """Words between two names or two orders, such as "and"."""
    following: frozenset[str] = NO_WORDS
    """Words between two orders only, such as "then"."""
    opening: frozenset[str] = NO_WORDS
    """Words allowed before the first order of a line."""
    never_opened: frozenset[str] = NO_WORDS
    """Words that are verbs unless they follow a word in `opening`; Dutch "dan pas" means "only then"."""
    leading: frozenset[str] = NO_WORDS
    """Prepositions and similar words that cannot end an order."""
    leaving: frozenset[str] = NO_WORDS
    """Prepositions before the start of a march, such as "from"."""
    passing: frozenset[str] = NO_WORDS
    """Words before points on the way of a march, such as "via"."""
    owning: frozenset[str] = NO_WORDS
    """Words between a thing and its owner, such as "of" in "corner C5 of Larissa"."""
    small: frozenset[str] = NO_WORDS
    """Words without meaning in an order."""
    articles: frozenset[str] = NO_WORDS
    own: frozenset[str] = NO_WORDS
    """Possessives of the first person, such as "my"."""
    cards: frozenset[str] = NO_WORDS
    guards: frozenset[str] = NO_WORDS
    points: frozenset[str] = NO_WORDS
    taxes: frozenset[str] = NO_WORDS
    turns: frozenset[str] = NO_WORDS
    beside: Mapping[Verb, frozenset[str]] = field(default_factory=dict)
    """For each verb without arguments, the words that may stand beside it and are ignored.

    With any other word, the line is no order: Dutch "pas" means "pass", but "pas op" means "look out".
    """
    numbered: frozenset[str] = NO_WORDS
    """Words allowed before the number of a choice or corner."""
    dotted: frozenset[str] = NO_WORDS
    """Abbreviations that stand before a number and end in a dot, such as "no."; "no" alone is a negation."""
    lettered: frozenset[str] = NO_WORDS
    """Words allowed before the letter of a choice."""
    thanks: frozenset[tuple[str, ...]] = frozenset()
    """Phrases allowed after an order."""
    common: frozenset[str] = NO_WORDS
    """Everyday words, names and days that would otherwise be taken for an abbreviation or misspelling."""
    places: Mapping[str, str] = field(default_factory=dict)
    """For each place name in this language, the place's name on the board."""
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each kind of phrase in clauses.py, such as "intent", the phrases, such as "i want to"."""

    @property
    def named_words(self) -> Iterator[str]:
        return chain(*self.verbs.values(), *self.symbols.values())

    def name_verb(self, verb: str) -> str:
        """Translate a canonical verb; other words are returned unchanged."""
        return self.verbs[Verb(verb)][0] if verb in self.verbs else verb

    def name_card(self, card: str) -> str:
        """Translate a canonical symbol; other words are returned unchanged."""
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
"""The words of canonical texts in logs, links and API calls."""

Meaning = TypeVar("Meaning")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words of several languages; if a word has several meanings, the first language decides."""

    languages: tuple[OrderWords, ...]
    verbs: Mapping[str, Verb]
    pairs: Mapping[tuple[str, str], Verb]
    """The verb that each pair of words means; the first word of a pair is also a verb by itself."""
    symbols: Mapping[str, Symbol]
    language_of: Mapping[str, OrderWords]
    """For each name of a verb or symbol, the first language that contains it."""
    places: Mapping[str, str]
    """For each place name in any of the languages, the place's name on the board."""
    thanks: frozenset[tuple[str, ...]]
    beside: Mapping[Verb, frozenset[str]]
    give: frozenset[str]
    either: frozenset[str]
    joining: frozenset[str]
    following: frozenset[str]
    opening: frozenset[str]
    never_opened: frozenset[str]
    leading: frozenset[str]
    leaving: frozenset[str]
    passing: frozenset[str]
    owning: frozenset[str]
    small: frozenset[str]
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
    phrases: Mapping[tuple[str, ...], str]
    """For each phrase, such as ("i", "want", "to"), its kind in clauses.py, such as "intent"."""
    pictures: Mapping[str, Symbol]
    """For each emoji, the symbol that it means."""
    pair_starts: frozenset[str] = field(init=False)
    verb_beginnings: Mapping[str, Mapping[str, Verb]] = field(init=False)
    """For each abbreviation, the words that it may stand for, with their verbs."""
    symbol_beginnings: Mapping[str, Mapping[str, Symbol]] = field(init=False)
    """For each abbreviation, the words that it may stand for, with their symbols."""
    letters: str = field(init=False)
    """All letters of the words, for use between the brackets of a regular expression."""

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
        """Return, for each prefix of at least `least` letters, the words that it abbreviates."""
        found: dict[str, dict[str, Meaning]] = {}
        for word, meaning in words.items():
            for end in range(least, len(word)):
                begun = word[:end]
                if begun not in words and begun not in self.common and begun not in self.small:
                    found.setdefault(begun, {})[word] = meaning
        return found

    def _accented_letters(self) -> set[str]:
        words = (*self.verbs, *self.symbols, *self.small, *self.places, *self.opening, *self.numbered)
        said = (word for phrase in self.thanks for word in phrase)
        letters = set("".join((*words, *said, *(second for _, second in self.pairs))))
        found = {letter for letter in letters if letter.isalpha() and not letter.isascii()}
        return found | {letter.upper() for letter in found if len(letter.upper()) == 1}

    def suggest_words(self, word: str, known: Iterable[str], language: OrderWords | None) -> tuple[str, ...]:
        """Return `known` words similar to `word`, all in one language: if possible, in `language`."""
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
        phrases=_first_of(
            (tuple(phrase.split()), kind)
            for own in languages
            for kind in own.phrases
            for phrase in own.phrases[kind]
        ),
    )


Key = TypeVar("Key")


def _first_of(pairs: Iterable[tuple[Key, Meaning]]) -> dict[Key, Meaning]:
    found: dict[Key, Meaning] = {}
    for key, meaning in pairs:
        found.setdefault(key, meaning)
    return found


CANONICAL_VOCABULARY = compose_vocabulary([CANONICAL])


# --- orders in another language ---------------------------------------------------------------------------

ORDER_SEPARATOR = re.compile(rf"(\s*;\s*| or (?=(?:{'|'.join(Verb)})\b))")
"""Separates orders (";") or alternatives (" or "); a place with the name "or" is not affected."""


def translate_orders(words: str, own: OrderWords) -> str:
    """Translate canonical orders, such as `choose lyre` to `kies harp`.

    Orders can be joined by `;` or "or". Places, points and unknown words remain unchanged.
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
"""The orders of each choice offered in the answered letter, joined by "; "; the keys are marks such as "b".

If the letter asks which order a mail means, the choices have numbers as marks.
"""
SHORTEST_PLACE = 3


SIGNS = r"\s,.+&/>\u2013\u2192\-"
TAIL_SIGNS = re.compile(r"[\s.,!]*")
AFTER_NUMBER = re.compile(r"\)?[\s.!]*$")
PARTING_SIGNS = frozenset(",+&.")
QUOTES = {'"': '"', "'": "'", "\u2018": "\u2019", "„": "“”", "«": "»", "»": "«"}
"""For each opening quotation mark, the closing marks; such a pair is removed around a whole line.

“ is not an opening mark: letters put player names in “ and ”, and a name must not be read as an order.
"""


@dataclass(frozen=True, slots=True, eq=False)
class LinePatterns:
    opening: re.Pattern[str]
    before_order: re.Pattern[str]
    """Characters and words allowed before an order."""
    token: re.Pattern[str]
    word: re.Pattern[str]
    """A word or number, with the blanks and signs before the word or number."""
    first_token: re.Pattern[str]
    initial: re.Pattern[str]
    letter_answer: re.Pattern[str]
    """A line short and plain enough to be the letter of a choice, perhaps with words such as "option"."""
    list_item: re.Pattern[str]
    """The beginning of a numbered list item."""
    marked_line: re.Pattern[str]
    """The beginning of a line with a bullet or similar mark before its first word."""
    parting: frozenset[str]
    """Words that separate orders or names."""
    last_thanks: frozenset[str]
    most_thanks: int


@lru_cache(maxsize=64)
def patterns_of(vocabulary: Vocabulary) -> LinePatterns:
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
    called: Mapping[Space, str]
    places: Mapping[str, Space]
    points: Mapping[str, Point]
    begun: Mapping[str, Mapping[str, Space | None]]
    """For each abbreviation, the words it shortens, with their places; None for a word such as "guards"."""


@lru_cache(maxsize=64)
def names_of(board: Board, vocabulary: Vocabulary) -> BoardNames:
    """Return the names of a board's places and points in the languages of a vocabulary; cached."""
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
    vocabulary: Vocabulary
    text: str
    words: list[str]
    tokens: list[str]
    gaps: list[str]
    tail: str

    def is_number(self, at: int) -> bool:
        """True for "3" or "#3"; points such as "C3" are words."""
        return self.tokens[at].lstrip("#").isdigit()

    def is_parted(self, at: int) -> bool:
        """True if one of the signs ",+&." or a word such as "and" stands before this word."""
        parting = patterns_of(self.vocabulary).parting
        return not PARTING_SIGNS.isdisjoint(self.gaps[at]) or self.tokens[at - 1] in parting

    def suggestions_for(self, word: str, known: Collection[str]) -> Callable[[], tuple[str, ...]]:
        """Return a function that lists words similar to `word`, preferably in the language of the line."""
        return partial(_suggest_words, word, known, self.text, self.vocabulary)

    @property
    def language(self) -> OrderWords | None:
        return _language_of(self.tokens, self.vocabulary)


def looks_like_order(text: str, vocabulary: Vocabulary) -> bool:
    """True if a line begins like an order or the mark of a choice; abbreviations count."""
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
        return False  # a single capital, or a letter with a dot, is an initial
    return len(word) > 1 or not patterns.initial.match(text) or any(map(str.isdigit, text))


def tokenize(text: str, places: Collection[str], vocabulary: Vocabulary) -> TokenizedLine:
    """Split a line into words, without opening words at its start and without thanks at its end.

    Thanks that are also a place name remain. Raises `Unreadable` if the line does not begin like an order or
    contains characters that no order contains.
    """
    patterns = patterns_of(vocabulary)
    text = _unquoted(text)
    opened = patterns.opening.match(text.lstrip())
    rest = text.lstrip()[opened.end() :] if opened else text
    first = patterns.token.match(rest) or patterns.token.match(text.lstrip())
    if not looks_like_order(text, vocabulary) and first:
        raise unknown_action(first.group(), text, vocabulary)
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
    """Check the characters before the first word and after the last; raises `Unreadable`."""
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
    """Return the number of words at the end that are thanks; 0 if the line has no other words."""
    most = min(patterns_of(vocabulary).most_thanks, len(tokens) - 1)
    return next((many for many in range(most, 0, -1) if tuple(tokens[-many:]) in vocabulary.thanks), 0)


def shorten(word: str) -> str:
    return word if len(word) <= 30 else word[:29] + "…"


def _language_of(tokens: Iterable[str], vocabulary: Vocabulary) -> OrderWords | None:
    known = vocabulary.language_of
    return next((known[word] for word in tokens if word in known), None)


def _suggest_words(word: str, known: Collection[str], text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    if word in vocabulary.common:  # not a misspelling, but it may begin a name
        begun = [name for name in known if len(word) > 2 and name.casefold().startswith(word)]
        return tuple(name for name in begun if name[:-1] not in begun)[:3]  # the singular only
    tokens = patterns_of(vocabulary).token.findall(text.casefold())
    language = _language_of((other for other in tokens if other != word), vocabulary)
    return vocabulary.suggest_words(word, known, language)


def unknown_action(word: str, text: str, vocabulary: Vocabulary) -> NoAction:
    fold = word.casefold()
    known = vocabulary.symbols if fold in vocabulary.common else vocabulary.verbs
    return NoAction(
        "“%(word)s” is no action",
        partial(_suggest_words, fold, known, text, vocabulary),
        word=shorten(word),
    )


def missing_comma(word: str) -> Unreadable:
    return Unreadable("put a comma before “%(word)s” if it is an action of its own", word=shorten(word))


def stray_sign_behind(word: str) -> Unreadable:
    return Unreadable("leave out the sign behind “%(word)s”", word=shorten(word))


# --- letters and numbers --------------------------------------------------------------------------------


def find_letter_answer(text: str, choices: ChoiceMeanings, vocabulary: Vocabulary) -> str | None:
    """Return the letter of a choice if a line contains nothing else but words such as "option" and thanks.

    Returns None for other lines. Raises `NotOffered` for a single letter that is neither a choice nor a word.
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
    """Parse the number of a corner; raises `Unreadable`."""
    digits = word.lstrip("#")
    if not 1 <= len(digits) <= 2 or digits.startswith("0"):
        raise Unreadable("“%(word)s” stands for nothing here: say it in words", word=shorten(word))
    return int(digits)


def number_among_words(word: str) -> Unreadable:
    return Unreadable(
        "“%(word)s” is an answer only on a line of its own: say it in words here", word=shorten(word)
    )


def list_numbering(word: str) -> Unreadable:
    return Unreadable("leave out the number before “%(word)s”", word=shorten(word))
