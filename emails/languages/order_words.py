"""Words of orders, plans and remarks: orders.toml, phrases.toml, places.toml, plans.toml and remarks.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from emails.languages.supported_languages import HERE
from emails.languages.toml_tables import Phrases, TomlTable, Words, expand_phrases, read_file
from engine.cards import Symbol
from engine.notation.clauses import SIGNS
from engine.notation.lexer import OrderWords
from engine.notation.orders import Verb
from engine.plans.syntax import PlanWords


@dataclass(frozen=True, slots=True)
class RemarkGrammar:
    """The grammar of remarks in one language."""

    tables: Mapping[str, Mapping[str, str]]
    """All of it, in small letters."""
    thanks: Phrases
    please: Words
    numbers: Mapping[str, int]


@cache
def read_remark_grammar(folder: Path) -> RemarkGrammar:
    """The grammar of remarks in the language of a folder. Raises `InvalidLanguage`."""
    file, english = read_file(folder / "remarks.toml"), read_file(HERE / "en/remarks.toml")
    file.check_keys(english.content)
    tables: dict[str, Mapping[str, str]] = {}
    single: dict[str, str] = {}
    for name, content in english.content.items():
        if isinstance(content, dict):
            table = file.table(name)
            table.check_keys(content)
            tables[name] = {key: table.text(key).casefold() for key in content}
        else:
            single[name] = file.text(name).casefold()
    courtesies = file.table("courtesies")
    return RemarkGrammar(
        {**tables, "": single},
        courtesies.phrases("thanks"),
        courtesies.words("please"),
        file.table("numbers").numbers(),
    )


Name = TypeVar("Name", Symbol, Verb)

SMALL_WORDS = frozenset(
    """
    joining following opening never_opened leading leaving passing owning small articles own cards guards
    points taxes turns numbered dotted lettered common
""".split()
)
"""The keys of words without a meaning of their own."""


@cache
def read_order_words(folder: Path) -> OrderWords:
    """The words of orders of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "orders.toml")
    file.check_keys(frozenset(("verbs", "pairs", "symbols", "words", "beside")))
    words = file.table("words")
    words.check_keys(SMALL_WORDS | {"give", "either"})
    grammars = read_remark_grammar(folder)
    thanks = (*grammars.thanks, *grammars.please)

    def small(key: str) -> Words:
        return words.words(key)

    found = OrderWords(
        language=folder.name,
        verbs=_read_named(file.table("verbs"), Verb),
        symbols=_read_named(file.table("symbols"), Symbol),
        give=_read_word(words, "give"),
        either=_read_word(words, "either"),
        pairs=_read_pairs(file.table("pairs")),
        joining=small("joining"),
        following=small("following"),
        opening=small("opening"),
        never_opened=small("never_opened"),
        leading=small("leading"),
        leaving=small("leaving"),
        passing=small("passing"),
        owning=small("owning"),
        small=small("small"),
        articles=small("articles"),
        own=small("own"),
        cards=small("cards"),
        guards=small("guards"),
        points=small("points"),
        taxes=small("taxes"),
        turns=small("turns"),
        beside=_read_beside(file.table("beside"), small("articles")),
        numbered=small("numbered"),
        dotted=small("dotted"),
        lettered=small("lettered"),
        thanks=frozenset(tuple(phrase.split()) for phrase in thanks),
        common=small("common"),
        places=_read_places(folder / "places.toml"),
        spoken=_read_spoken(folder / "phrases.toml"),
    )
    _check_meanings(file, found)
    return found


def _read_named(table: TomlTable, names: type[Name]) -> dict[Name, tuple[str, ...]]:
    """For each name the words for it, at least one."""
    table.check_keys(frozenset(names))
    found = {name: table.listed(name) for name in names}
    for name, words in found.items():
        if not words:
            raise table.refuse(name, "is empty")
    return found


def _read_word(table: TomlTable, key: str) -> str:
    word, *more = table.listed(key) or ("",)
    if more or not word:
        raise table.refuse(key, "is to be one word")
    return word


def _read_pairs(table: TomlTable) -> dict[Verb, tuple[tuple[str, str], ...]]:
    table.check_keys(frozenset(Verb), needed=False)
    found: dict[Verb, tuple[tuple[str, str], ...]] = {}
    for verb in table.content:
        pairs = [tuple(pair.casefold().split()) for pair in table.patterns(verb)]
        if any(len(pair) != 2 for pair in pairs):
            raise table.refuse(verb, "is to be pairs of two words each")
        found[Verb(verb)] = tuple((first, second) for first, second in pairs)
    return found


def _read_beside(table: TomlTable, articles: Words) -> dict[Verb, Words]:
    table.check_keys(frozenset(Verb), needed=False)
    return {Verb(verb): table.words(verb) | articles for verb in table.content}


def _read_places(file: Path) -> Mapping[str, str]:
    table = read_file(file)
    table.check_keys(frozenset(("places",)))
    places = table.table("places")
    found: dict[str, str] = {}
    for place in places.content:
        for name in places.listed(place):
            if not name.isalpha():
                raise places.refuse(place, f"holds “{name}”, which is to be letters alone")
            found[name] = place
    return found


def _read_spoken(file: Path) -> Mapping[str, tuple[str, ...]]:
    """The phrases of each kind; none where a language does without."""
    if not file.exists():
        return {}
    whole = read_file(file)
    whole.check_keys(frozenset(SPOKEN))
    found: dict[str, tuple[str, ...]] = {}
    for name, prefix in SPOKEN.items():
        table = whole.table(name)
        for key in table.content:
            kind = f"{prefix}{key}"
            if not prefix and key not in SIGNS:
                raise table.refuse(key, f"is not known here; known are {', '.join(sorted(SIGNS))}")
            found[kind] = table.raw_phrases(key)
    return found


SPOKEN = {"verbs": "", "parts": "", "numbers": "number ", "ordinals": "ordinal "}
"""The tables of phrases.toml, and what is put before their keys."""


def _check_meanings(file: TomlTable, found: OrderWords) -> None:
    """Refuse a word that means two things, and a pair that begins with no verb."""
    named: dict[str, str] = {}
    for table, name, word in _meanings(found):
        if word in named and named[word] != name:
            raise file.table(table).refuse(name, f"holds “{word}”, which means {named[word]} too")
        named[word] = name
    for verb, pairs in found.pairs.items():
        for first, _ in pairs:
            if named.get(first) not in found.verbs:
                raise file.table("pairs").refuse(verb, f"begins with “{first}”, which is no verb")


def _meanings(found: OrderWords) -> Iterator[tuple[str, str, str]]:
    """The words that mean something, each with its table and what it means; then small words as such."""
    for verb, words in found.verbs.items():
        yield from (("verbs", verb, word) for word in words)
    for symbol, words in found.symbols.items():
        yield from (("symbols", symbol, word) for word in words)
    for name in ("leading", "small", "cards", "guards", "points", "taxes", "turns", "joining"):
        yield from (("words", "a small word", word) for word in sorted(getattr(found, name)))


LISTS = ("heading", "condition", "otherwise", "also", "then", "card", "free")
NAMING = {"card", "free"}
"""The lists whose phrases name something."""


@cache
def read_plan_words(folder: Path) -> PlanWords:
    """The words of plans of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "plans.toml")
    file.check_keys(frozenset((*LISTS, "small", "open_cards")))
    cards = file.table("open_cards")
    cards.check_keys(frozenset(map(str, Symbol)))
    found = {name: tuple(dict.fromkeys(expand_phrases(file.text(name)))) for name in LISTS}
    for name, phrases in found.items():
        _check_phrases(file, name, phrases)
    return PlanWords(
        orders=read_order_words(folder),
        small=file.words("small"),
        open_cards={symbol: cards.name_of(symbol) for symbol in Symbol},
        **found,
    )


def _check_phrases(file: TomlTable, name: str, phrases: tuple[str, ...]) -> None:
    if not phrases:
        raise file.refuse(name, "is empty")
    for phrase in phrases:
        if phrase.split().count("*") != (name in NAMING):
            raise file.refuse(name, f"holds “{phrase}”, which is to have one * if it names something")
