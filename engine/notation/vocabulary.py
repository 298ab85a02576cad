"""The words of orders, in every language in which they are read and written.

Whoever writes may use any of these languages and mix them: all words are read alike. The canonical text of an
order is English; `spoken` says it in another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from engine.cards import Symbol


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language. Where several are given, parted by blanks, the first is written."""

    verbs: Mapping[str, str]
    """For each action the words that can begin it."""
    pairs: Mapping[str, tuple[str, ...]]
    """For some actions two words that begin it; the second may come later, as in "take Troy back"."""
    symbols: Mapping[Symbol, str]
    """What each symbol is called, one and several."""
    give: str
    """What comes before the cards for the loser of a take-over."""
    either: str
    """What stands between orders or names of which one is meant."""
    joining: str
    """What stands between names, or between orders."""
    following: str
    """What stands between orders only: one after the other."""
    opening: str
    """What may stand before the first order of a line."""
    leading: str
    """Words without a meaning of their own after which something must come: none of them ends an order."""
    leaving: str
    """Those of them before the point where a march begins."""
    passing: str
    """What stands before points that a march only passes."""
    small: str
    """The other words without a meaning of their own."""
    numbered: str
    """What may stand before a number that is an answer, or before one of a corner."""
    thanks: str
    """What may end a line of orders, parted by commas."""
    common: str
    """Everyday words, names and days that are no abbreviation and no slip, though they could be taken for
    one: orders, symbols or places begin so, or a verb would be guessed.

    What does neither has no business here, and a test finds it. Where a board or a language brings new words,
    add the everyday words of all languages that begin them.
    """


ENGLISH = Vocabulary(
    verbs={
        "choose": "choose",
        "play": "play discard",
        "march": "march move go",
        "stay": "stay",
        "draw": "draw",
        "take": "take",
        "occupy": "occupy",
        "takeover": "takeover",
        "levy": "levy tax",
        "recall": "recall",
        "end": "end pass done",
    },
    pairs={"takeover": ("take over",), "recall": ("take back",), "levy": ("levy tax",)},
    symbols={symbol: f"{symbol} {symbol}s" for symbol in Symbol},
    give="give",
    either="or",
    joining="and plus",
    following="then next",
    opening="and then please pls plz",
    leading="a an at by from in my of on the to via with",
    leaving="from",
    passing="via by",
    small="alexander and card cards corner guard please plus point taxes turn",
    numbered="choice corner no number option point",
    thanks="""thanks, thx, ty, thank you, thank you very much, thanks a lot, many thanks, thanks in advance,
    cheers, please, pls, plz, regards, best regards, kind regards, greetings""",
    common="""ale am amp arm art as baby bag be call car cel char cop cor disc do don down gap gas got
    gran hal har harm he her le lev li lie ma mar marc mel mo music n nin nine o one pa par
    para pat pay per peri phil plan pro prop re rec sal san sang say see sid sir sit so sol
    sold spa spar spend ta taxi temp tha top tra trap tre tree wat water""",
)
DUTCH = Vocabulary(
    verbs={
        "choose": "kies",
        "play": "speel",
        "march": "marcheer ga",
        "stay": "blijf",
        "draw": "trek",
        "take": "neem haal pak",
        "occupy": "bezet",
        "takeover": "verover",
        "levy": "hef",
        "recall": "terug",
        "end": "klaar einde stop pas",
    },
    pairs={"takeover": ("neem over",), "recall": ("haal terug", "neem terug", "pak terug", "trek terug")},
    symbols={
        Symbol.TEMPLE: "tempel tempels stadhuis stadhuizen",
        Symbol.AMPHORA: "waterkruik waterkruiken kruik kruiken",
        Symbol.HORSE: "paard paarden",
        Symbol.LYRE: "harp harpen lier lieren",
        Symbol.SOLDIER: "soldaat soldaten",
    },
    give="geef",
    either="of",
    joining="en plus",
    following="dan daarna",
    opening="en dan daarna alsjeblieft alstublieft aub graag",
    leading="bij de het in langs met mijn naar op uit van via",
    leaving="van uit",
    passing="via langs over",
    small="""alsjeblieft alstublieft aub belasting belastingen beurt een één en graag hoek kaart kaarten plus
    punt stadhouder stadhouders""",
    numbered="hoek keuze nr nummer optie punt",
    thanks="""alsjeblieft, alstublieft, aub, graag, bedankt, alvast bedankt, dank, dank je, dank je wel,
    dankjewel, bij voorbaat dank, groet, groeten, groetjes, gr, mvg, met vriendelijke groet, met vriendelijke
    groeten""",
    common="""beet ber beren bis blij dam der di doe doei doen ei eind gog haar kla klaas mer moe moet
    mus ne nee ort paar pur ses sta stad stal te ter tref ver zad""",
)
VOCABULARIES = {"en": ENGLISH, "nl": DUTCH}
"""Each language by its code (BCP 47)."""

CARD_VERBS = frozenset("choose play stay take levy".split())
"""The actions that name a card and no place: there a symbol's name is that, even where a place bears it."""

_all = VOCABULARIES.values()
VERBS = {word: verb for own in _all for verb, words in own.verbs.items() for word in words.split()}
"""Every word that can begin an action, and the action it means."""
VERB_PAIRS = {
    (first, second): verb
    for own in _all
    for verb, pairs in own.pairs.items()
    for first, second in map(str.split, pairs)
}
"""Every two words that mean an action together. The first of them is a verb by itself too."""
PAIR_STARTS = frozenset(first for first, _ in VERB_PAIRS)
"""Words that begin such a pair."""
SYMBOL_WORDS = {
    word: symbol for own in _all for symbol, words in own.symbols.items() for word in words.split()
}
"""Every word for a symbol."""
GIVE_WORDS = frozenset(own.give for own in _all)
LEADING_WORDS = frozenset(" ".join(own.leading for own in _all).split())
"""Small words after which something must come."""
SMALL_WORDS = GIVE_WORDS.union(LEADING_WORDS, *(own.small.split() for own in _all))
"""Words that carry no meaning of their own."""
LEAVING_WORDS = frozenset(" ".join(own.leaving for own in _all).split())
"""Words before the point where a march begins."""
PASSING_WORDS = frozenset(" ".join(own.passing for own in _all).split())
"""Words before points that a march only passes."""
LANGUAGE_OF = {
    word: language
    for language, own in reversed(VOCABULARIES.items())
    for words in (*own.verbs.values(), *own.symbols.values())
    for word in words.split()
}
"""The language of each verb and symbol; a word of several belongs to the first of them."""


JOINING_WORDS = frozenset(" ".join(own.joining for own in _all).split())
"""Small words that stand between names, or between orders."""
FOLLOWING_WORDS = frozenset(" ".join(own.following for own in _all).split())
"""Words after which an order must begin."""
OR_WORDS = frozenset(own.either for own in _all)
"""What stands between orders or names of which one is meant; "of" can be English too."""
OPENING_WORDS = frozenset(" ".join(own.opening for own in _all).split())
"""What may stand before the first order of a line."""
NUMBER_NOUNS = frozenset(" ".join(own.numbered for own in _all).split())
"""What may stand before a number."""
THANKS_PHRASES = frozenset(tuple(phrase.split()) for own in _all for phrase in own.thanks.split(","))
"""What may stand behind an order."""
EVERYDAY_WORDS = frozenset(" ".join(own.common for own in _all).split())
"""Words that abbreviate nothing."""
ARTICLES = frozenset("a an de een het the".split())
CARD_NOUNS = frozenset("card cards kaart kaarten".split())
"""Small words for a card: what an abbreviation beside a symbol's verb could stand for as well."""
GUARD_NOUNS = frozenset("guard stadhouder".split())
POINT_NOUNS = frozenset("corner hoek point punt".split())
TAX_NOUNS = frozenset("belasting belastingen taxes".split())

Meaning = TypeVar("Meaning")


def abbreviations_of(words: Mapping[str, Meaning], least: int = 1) -> dict[str, dict[str, Meaning]]:
    """For each beginning of a word, of `least` letters or more, the words that begin so; no whole ones."""
    found: dict[str, dict[str, Meaning]] = {}
    for word, meaning in words.items():
        for end in range(least, len(word)):
            if word[:end] not in words and word[:end] not in EVERYDAY_WORDS and word[:end] not in SMALL_WORDS:
                found.setdefault(word[:end], {})[word] = meaning
    return found


VERB_ABBREVIATIONS = abbreviations_of({word: verb for word, verb in VERBS.items() if word not in SMALL_WORDS})
"""What could be an abbreviation of a verb, and of which."""
SYMBOL_ABBREVIATIONS = abbreviations_of(SYMBOL_WORDS)
"""What could be an abbreviation of a symbol, and of which."""


def suggest_words(word: str, known: Iterable[str], language: str = "") -> tuple[str, ...]:
    """The words most like a word that nobody knows, in this language or in that of the first of them."""
    by_fold = {name.casefold(): name for name in known}
    if language:
        own = [fold for fold in by_fold if LANGUAGE_OF.get(fold, language) == language]
        found = get_close_matches(word, own, n=3, cutoff=0.7)
    if not language or not found:
        found = get_close_matches(word, by_fold, n=3, cutoff=0.7)
    languages = {None, *(LANGUAGE_OF.get(name) for name in found[:1])}
    return tuple(by_fold[name] for name in found if LANGUAGE_OF.get(name) in languages)


# --- orders in another language ---------------------------------------------------------------------------

CANONICAL_WORDS = {
    language: {
        **{verb: words.split()[0] for verb, words in own.verbs.items()},
        **{str(symbol): words.split()[0] for symbol, words in own.symbols.items()},
    }
    for language, own in VOCABULARIES.items()
}
"""For each language how an action or a symbol is written."""
ORDER_SEPARATOR = re.compile(rf"(\s*;\s*| or (?=(?:{'|'.join(ENGLISH.verbs)})\b))")
"""What parts several orders, and several of which one is meant; no place is taken for the "or"."""


def translate_orders(words: str, language: str) -> str:
    """The canonical text of an action in the words of a language, such as `kies harp` for `choose lyre`.

    Of several actions too, parted by `;` or by "or". Places and points are called the same in every language.
    Where a language has no words of its own, or `words` are nothing canonical, they stay as they are.
    """
    if language == "en" or language not in VOCABULARIES:
        return words
    parts = ORDER_SEPARATOR.split(words)
    parts[::2] = (_translated(part, language) for part in parts[::2])
    parts[1::2] = (f" {VOCABULARIES[language].either} " if "or" in part else part for part in parts[1::2])
    return "".join(parts)


def _translated(words: str, language: str) -> str:
    known = CANONICAL_WORDS[language]
    verb, *rest = words.split(" ")
    if verb in CARD_VERBS:
        rest = [known.get(card, card) for card in rest]
    elif verb == "takeover" and len(rest) == 3:
        guards, _, cards = rest
        given = "+".join(known.get(card, card) for card in cards.split("+"))
        rest = [guards, VOCABULARIES[language].give, given]
    return " ".join((known.get(verb, verb), *rest))
