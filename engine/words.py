"""The words of orders, in every language in which they are read and written.

Whoever writes may use any of these languages and mix them: all words are read alike. The canonical text of an
order is English; `spoken` says it in another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

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
    """What stands between orders of which one is meant."""
    small: str
    """Words without a meaning of their own."""


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
    pairs={"takeover": ("take over",), "recall": ("take back",)},
    symbols={symbol: f"{symbol} {symbol}s" for symbol in Symbol},
    give="give",
    either="or",
    small="""a alexander an and at by card cards corner from guard in my of on please point taxes the to turn
    via with""",
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
    small="""alsjeblieft alstublieft aub belasting belastingen beurt bij de een één en graag het hoek in kaart
    kaarten langs met mijn naar op punt stadhouder stadhouders uit van via""",
)
VOCABULARIES = {"en": ENGLISH, "nl": DUTCH}
"""Each language by its code (BCP 47)."""

BY_CARD = frozenset("choose play stay take levy".split())
"""The actions that name a card and no place: there a symbol's name is that, even where a place bears it."""

_all = VOCABULARIES.values()
VERBS = {word: verb for own in _all for verb, words in own.verbs.items() for word in words.split()}
"""Every word that can begin an action, and the action it means."""
PAIRS = {
    (first, second): verb
    for own in _all
    for verb, pairs in own.pairs.items()
    for first, second in map(str.split, pairs)
}
"""Every two words that mean an action together. The first of them is a verb by itself too."""
BEGUN = frozenset(first for first, _ in PAIRS)
"""Words that begin such a pair."""
SYMBOLS_READ = {
    word: symbol for own in _all for symbol, words in own.symbols.items() for word in words.split()
}
"""Every word for a symbol."""
GIVE = frozenset(own.give for own in _all)
SMALL = GIVE.union(*(own.small.split() for own in _all))
"""Words that carry no meaning of their own."""
EITHER = SMALL.intersection(own.either for own in _all)
"""Small words that mean "or" in another language, as "of" does in Dutch: among several they carry one."""
LANGUAGE_OF = {
    word: language
    for language, own in reversed(VOCABULARIES.items())
    for words in (*own.verbs.values(), *own.symbols.values())
    for word in words.split()
}
"""The language of each verb and symbol; a word of several belongs to the first of them."""


def similar(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The words most like a word that nobody knows, in the language of the first of them."""
    by_fold = {name.casefold(): name for name in known}
    found = get_close_matches(word, by_fold, n=3, cutoff=0.7)
    languages = {None, *(LANGUAGE_OF.get(name) for name in found[:1])}
    return tuple(by_fold[name] for name in found if LANGUAGE_OF.get(name) in languages)


# --- what an action is said with --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shape:
    """What an action is said with."""

    usage: str
    """The sentence for whoever says it otherwise."""
    symbols: tuple[int, int] = (0, 0)
    """The least and the most of them."""
    places: tuple[int, int] = (0, 0)
    """The least and the most of them."""
    points: bool = False
    alone: frozenset[str] = frozenset()
    """The small words that may stand beside the verb where nothing is named.

    With others it is a sentence and no order: "Pas op!" means "Look out!".
    """


POLITE = frozenset("a alsjeblieft alstublieft an and aub de een één en graag het please the".split())
MINE = POLITE | {"mijn", "my"}
TAXED = MINE | frozenset("belasting belastingen card kaart met taxes with".split())
SHAPES = {
    "choose": Shape("say choose and one symbol", symbols=(1, 1)),
    "play": Shape("say play and one symbol", symbols=(1, 1)),
    "march": Shape("say march, a place, and the corner or the path", places=(0, 1), points=True),
    "stay": Shape("say stay and one symbol of the display", symbols=(0, 1), alone=POLITE),
    "draw": Shape("say draw alone", alone=POLITE | {"card", "kaart"}),
    "take": Shape("say take and one symbol", symbols=(1, 1)),
    "occupy": Shape("say occupy and the places of the guards", places=(1, 4)),
    "takeover": Shape(
        "say takeover, the places of the guards, give, the cards for the loser",
        symbols=(0, 99),
        places=(1, 4),
    ),
    "levy": Shape("say levy and one symbol", symbols=(0, 1), alone=TAXED),
    "recall": Shape(
        "say recall and the place of the guard", places=(0, 1), alone=MINE | {"guard", "stadhouder"}
    ),
    "end": Shape("say end alone", alone=MINE | frozenset("beurt met of turn van with".split())),
}
"""What each action is said with."""

# --- orders in another language ---------------------------------------------------------------------------

WRITTEN = {
    language: {
        **{verb: words.split()[0] for verb, words in own.verbs.items()},
        **{str(symbol): words.split()[0] for symbol, words in own.symbols.items()},
    }
    for language, own in VOCABULARIES.items()
}
"""For each language how an action or a symbol is written."""
BETWEEN_ORDERS = re.compile(rf"(\s*;\s*| or (?=(?:{'|'.join(ENGLISH.verbs)})\b))")
"""What parts several orders, and several of which one is meant; no place is taken for the "or"."""


def spoken(words: str, language: str) -> str:
    """The canonical text of an action in the words of a language, such as `kies harp` for `choose lyre`.

    Of several actions too, parted by `;` or by "or". Places and points are called the same in every language.
    Where a language has no words of its own, or `words` are nothing canonical, they stay as they are.
    """
    if language == "en" or language not in VOCABULARIES:
        return words
    parts = BETWEEN_ORDERS.split(words)
    parts[::2] = (_translated(part, language) for part in parts[::2])
    parts[1::2] = (f" {VOCABULARIES[language].either} " if "or" in part else part for part in parts[1::2])
    return "".join(parts)


def _translated(words: str, language: str) -> str:
    known = WRITTEN[language]
    verb, *rest = words.split(" ")
    if verb in BY_CARD:
        rest = [known.get(card, card) for card in rest]
    elif verb == "takeover" and len(rest) == 3:
        guards, _, cards = rest
        given = "+".join(known.get(card, card) for card in cards.split("+"))
        rest = [guards, VOCABULARIES[language].give, given]
    return " ".join((known.get(verb, verb), *rest))
