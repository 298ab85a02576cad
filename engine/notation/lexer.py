"""The vocabulary of orders in each language, and the splitting of a line of orders into words."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordSets:
    """Words in lower case that are neither verbs nor names, of one language or several."""

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
    numbered: frozenset[str] = NO_WORDS
    """Words allowed before the number of a choice or corner."""
    dotted: frozenset[str] = NO_WORDS
    """Abbreviations that stand before a number and end in a dot, such as "no."; "no" alone is a negation."""
    lettered: frozenset[str] = NO_WORDS
    """Words allowed before the letter of a choice."""
    common: frozenset[str] = NO_WORDS
    """Everyday words, names and days that would otherwise be taken for an abbreviation or misspelling."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OrderWords(WordSets):
    """The words of one language; of several synonyms, the first is used in output."""

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
    beside: Mapping[Verb, frozenset[str]] = field(default_factory=dict)
    """For each verb without arguments, the words that may stand beside it and are ignored.

    With any other word, the line is no order: Dutch "pas" means "pass", but "pas op" means "look out".
    """
    thanks: frozenset[tuple[str, ...]] = frozenset()
    """Phrases allowed after an order."""
    places: Mapping[str, str] = field(default_factory=dict)
    """For each place name in this language, the place's name on the board."""

    def name_verb(self, verb: str) -> str:
        """Translate a canonical verb; other words are returned unchanged."""
        return self.verbs[Verb(verb)][0] if verb in self.verbs else verb

    def name_card(self, card: str) -> str:
        """Translate a canonical symbol; other words are returned unchanged."""
        return next((words[0] for symbol, words in self.symbols.items() if symbol == card), card)


CANONICAL = OrderWords(
    language="",
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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Vocabulary(WordSets):
    """The words of several languages; if a word has several meanings, the first language decides.

    `small` includes all words of `leading`, `joining`, `give`, and the nouns.
    """

    languages: tuple[OrderWords, ...]
    verbs: Mapping[str, Verb]
    pairs: Mapping[tuple[str, str], Verb]
    """The verb that each pair of words means; the first word of a pair is also a verb by itself."""
    pair_starts: frozenset[str]
    symbols: Mapping[str, Symbol]
    language_of: Mapping[str, OrderWords]
    """For each name of a verb or symbol, the first language that contains it."""
    places: Mapping[str, str]
    """For each place name in any of the languages, the place's name on the board."""
    thanks: frozenset[tuple[str, ...]]
    beside: Mapping[Verb, frozenset[str]]
    give: frozenset[str]
    either: frozenset[str]
    small_in_march: frozenset[str]
    parting: frozenset[str]
    """Words that separate orders or names."""
    verb_beginnings: Mapping[str, Mapping[str, Verb]]
    """For each abbreviation, the words that it may stand for, with their verbs."""
    symbol_beginnings: Mapping[str, Mapping[str, Symbol]]
    """For each abbreviation, the words that it may stand for, with their symbols."""
    letters: str
    """All letters of the words, for use between the brackets of a regular expression."""

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


def compose_vocabulary(languages: Sequence[OrderWords]) -> Vocabulary:
    sets = {
        one.name: NO_WORDS.union(*(getattr(own, one.name) for own in languages)) for one in fields(WordSets)
    }
    give = frozenset(own.give for own in languages)
    nouns = ("leading", "joining", "cards", "guards", "points", "taxes", "turns")
    sets["small"] = sets["small"].union(give, *map(sets.__getitem__, nouns))
    verbs = _first_of((word, verb) for own in languages for verb in own.verbs for word in own.verbs[verb])
    symbols = _first_of((word, one) for own in languages for one in own.symbols for word in own.symbols[one])
    pairs = _first_of((pair, verb) for own in languages for verb in own.pairs for pair in own.pairs[verb])
    places = _first_of(pair for own in languages for pair in own.places.items())
    thanks = frozenset(phrase for own in languages for phrase in own.thanks)
    words = (*verbs, *symbols, *places, *chain(*thanks), *(second for _, second in pairs))
    small = (*sets["small"], *sets["opening"], *sets["numbered"])
    excluded = sets["common"] | sets["small"]
    unambiguous = {word: verb for word, verb in verbs.items() if word not in sets["small"]}
    return Vocabulary(
        languages=tuple(languages),
        verbs=verbs,
        pairs=pairs,
        pair_starts=frozenset(first for first, _ in pairs),
        symbols=symbols,
        language_of=_first_of(
            (word, own) for own in languages for word in chain(*own.verbs.values(), *own.symbols.values())
        ),
        places=places,
        thanks=thanks,
        beside={
            verb: NO_WORDS.union(*(own.beside.get(verb, NO_WORDS) for own in languages)) for verb in Verb
        },
        give=give,
        either=frozenset(own.either for own in languages),
        small_in_march=sets["small"] | sets["passing"],
        parting=sets["joining"] | sets["following"],
        verb_beginnings=_abbreviations_of(unambiguous, excluded),
        symbol_beginnings=_abbreviations_of(symbols, excluded),
        letters=_letters_of((*words, *small)),
        **sets,
    )


def _abbreviations_of(
    words: Mapping[str, Meaning], excluded: Container[str], least: int = 1
) -> Mapping[str, Mapping[str, Meaning]]:
    """Return, for each prefix of at least `least` letters, the words that it abbreviates."""
    found: dict[str, dict[str, Meaning]] = {}
    for word, meaning in words.items():
        for end in range(least, len(word)):
            begun = word[:end]
            if begun not in words and begun not in excluded:
                found.setdefault(begun, {})[word] = meaning
    return found


def _letters_of(words: Iterable[str]) -> str:
    accented = {letter for letter in "".join(words) if letter.isalpha() and not letter.isascii()}
    accented |= {letter.upper() for letter in accented if len(letter.upper()) == 1}
    return "A-Za-z" + "".join(sorted(accented))


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
    return " ".join((own.name_card(own.name_verb(verb)), *rest))


ChoiceMeanings = Mapping[str, str]
"""The orders of each choice offered in the answered letter, joined by "; "; the keys are marks such as "b".

If the letter asks which order a mail means, the choices have numbers as marks.
"""
SHORTEST_PLACE = 3


SIGNS = r"\s,.+&/>\u2013\u2192\-"
TAIL_SIGNS = re.compile(r"[\s.,!]*")
AFTER_NUMBER = re.compile(r"\)?[\s.!]*$")
INITIAL = re.compile(r"\s*(?:[A-Z]\b|\w\.)")
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
    letter_answer: re.Pattern[str]
    """A line short and plain enough to be the letter of a choice, perhaps with words such as "option"."""
    list_item: re.Pattern[str]
    """The beginning of a numbered list item."""
    marked_line: re.Pattern[str]
    """The beginning of a line with a bullet or similar mark before its first word."""


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
        letter_answer=re.compile(rf"[{letters}\s().,!]{{1,60}}"),
        list_item=re.compile(rf"\s*[(\[]?#?[0-9]+[\s.):\]]+([{letters}]+)"),
        marked_line=re.compile(rf"[\W_]+([{letters}]+)"),
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
    begun = _abbreviations_of(small | places, vocabulary.common | vocabulary.small, SHORTEST_PLACE)
    return BoardNames(
        board.names,
        places,
        {name.casefold(): point for name, point in board.point_names.items()},
        {word: found for word, found in begun.items() if any(found.values())},
    )


@dataclass(frozen=True, slots=True)
class TokenizedLine:
    names: BoardNames
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
        parting = self.vocabulary.parting
        return not PARTING_SIGNS.isdisjoint(self.gaps[at]) or self.tokens[at - 1] in parting


def looks_like_order(text: str, vocabulary: Vocabulary) -> bool:
    """True if a line begins like an order or the mark of a choice; abbreviations count."""
    patterns, text = patterns_of(vocabulary), text.lstrip()
    rest = patterns.opening.sub("", text, count=1)
    first = patterns.first_token.match(rest)
    word = "" if first is None else first.group(1).casefold()
    if rest != text:
        return word in vocabulary.verbs and word not in vocabulary.never_opened
    if not word:
        return False
    if word in vocabulary.verbs or word in vocabulary.symbols or not word[0].isalpha():
        return True
    if word in vocabulary.numbered:
        return any(map(str.isdigit, text))
    if word not in vocabulary.verb_beginnings and word not in vocabulary.symbol_beginnings:
        return False  # a single capital, or a letter with a dot, is an initial
    return len(word) > 1 or not INITIAL.match(text) or any(map(str.isdigit, text))


def tokenize(text: str, names: BoardNames, vocabulary: Vocabulary) -> TokenizedLine:
    """Split a line into words, without opening words at its start and without thanks at its end.

    Thanks that are also a place name remain. Raises `Unreadable` if the line does not begin like an order or
    contains characters that no order contains.
    """
    patterns = patterns_of(vocabulary)
    text = _unquoted(text)
    rest = patterns.opening.sub("", text.lstrip(), count=1)
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
    tokens = [word.casefold() for word in words]
    line = TokenizedLine(names, vocabulary, text, words, tokens, gaps, text[at:])
    _judge_signs(line)
    while tokens[-1] not in names.places:
        counts = range(len(tokens) - 1, 0, -1)
        thanks = next((count for count in counts if tuple(tokens[-count:]) in vocabulary.thanks), 0)
        if not thanks:
            break
        del words[-thanks:], tokens[-thanks:], gaps[-thanks:]
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


def shorten(word: str) -> str:
    return word if len(word) <= 30 else word[:29] + "…"


def language_of(tokens: Iterable[str], vocabulary: Vocabulary) -> OrderWords | None:
    known = vocabulary.language_of
    return next((known[word] for word in tokens if word in known), None)


def suggest_words(word: str, known: Collection[str], text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    if word in vocabulary.common:  # not a misspelling, but it may begin a name
        begun = [name for name in known if len(word) > 2 and name.casefold().startswith(word)]
        return tuple(name for name in begun if name[:-1] not in begun)[:3]  # the singular only
    tokens = patterns_of(vocabulary).token.findall(text.casefold())
    language = language_of((other for other in tokens if other != word), vocabulary)
    return vocabulary.suggest_words(word, known, language)


def unknown_action(word: str, text: str, vocabulary: Vocabulary) -> NoAction:
    fold = word.casefold()
    known = vocabulary.symbols if fold in vocabulary.common else vocabulary.verbs
    return NoAction(
        "“%(word)s” is no action",
        partial(suggest_words, fold, known, text, vocabulary),
        word=shorten(word),
    )


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
