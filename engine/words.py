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
    """What stands between orders of which one is meant."""
    joining: str
    """What stands between names, or between orders."""
    following: str
    """What stands between orders only: one after the other."""
    small: str
    """Words without a meaning of their own."""
    numbered: str
    """What may stand before a number that is an answer, or before one of a corner."""
    thanks: str
    """What may end a line of orders, parted by commas."""
    common: str
    """Everyday words, names and days that are never read as an abbreviation, though words of orders or places
    begin so."""


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
    joining="and plus",
    following="then next",
    small="""a alexander an and at by card cards corner from guard in my of on please plus point taxes the to
    turn via with""",
    numbered="choice corner no number option point",
    thanks="""thanks, thx, ty, thank you, thank you very much, thanks a lot, many thanks, thanks in advance,
    cheers, please, regards, best regards, kind regards, greetings""",
    common="""ah ale all am amp any are arm art as ate baby bad bag bar base bat be bed ben bit boy bus but
    call can car care cel char cop cor cut dad day did disc do dog don dot down ear eat far for gap gas get
    goal got gran had hal ham har harm has hat he hear heat her here hi him his hit hop hot how i if it its
    jar le let lev li lie long lot ma mad man map mar marc mark mat may me mel men mo mom mon music must n
    nap net new nin nine no nor not now o off oh old one opt our out own pa pal pan par para part pat pay per
    peri pet phil plan pro prop pub pure put re rec red rest run said sal sam same san sang sat saw say see
    set she sid sir sit six so sol sold some son spa spar spend still sun sure ta tal tar taxi tea tell temp
    ten tha than that there thin thing this tie time too top tra trap tre tree troll try two up us use wait
    want war was wat water way we well wet who why win won yes you""",
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
    small="""alsjeblieft alstublieft aub belasting belastingen beurt bij de een één en graag het hoek in
    kaart kaarten langs met mijn naar op plus punt stadhouder stadhouders uit van via""",
    numbered="hoek keuze nr nummer optie punt",
    thanks="""alsjeblieft, alstublieft, aub, graag, bedankt, alvast bedankt, dank, dank je, dank je wel,
    dankjewel, bij voorbaat dank, groet, groeten, groetjes, gr, mvg, met vriendelijke groet, met vriendelijke
    groeten""",
    common="""aan aha als arm baas bak bal bang been beet ber beren beter bis blij bol bon bos bot cel daar
    dag dam dame dat der deur di die dit doe doei doen door dus echt eer ei eind er even geen geld ging goed
    gog graan gras haar had hal halen hallo ham hard harm heb heel hem hier hij hoe hoi hoog hou ik is ja je
    jij jou kan keer kin kla klaas kom kon kop kost kwam laat lat leuk lief los ma maar man mar marc mee meer
    mei mel men mens mer mij moe moet mooi mot mus na naam nat ne nee net niet nog nou nu om ook oor ort paar
    pan par part pen per pet plan pot prop pur raar rood sal schat ses sinds sla slim sta staan stad stal
    straks stuk te ter tien toch toe tot tram trap tref trein uur vader vast veel ver vier vind voor vraag
    vrij waar wacht wat water wel wie wij wil zad ze zee zeg zei zo zon zus""",
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


JOINING = frozenset(" ".join(own.joining for own in _all).split())
"""Small words that stand between names, or between orders."""
FOLLOWING = frozenset(" ".join(own.following for own in _all).split())
"""Words after which an order must begin."""
UNDECIDED = frozenset(own.either for own in _all)
"""What stands between orders or names of which one is meant."""
NUMBERED = frozenset(" ".join(own.numbered for own in _all).split())
"""What may stand before a number."""
THANKS = frozenset(tuple(phrase.split()) for own in _all for phrase in own.thanks.split(","))
"""What may stand behind an order."""
COMMON = frozenset(" ".join(own.common for own in _all).split())
"""Words that abbreviate nothing."""
CARD_NOUNS = frozenset("card cards kaart kaarten".split())
"""Small words for a card: what an abbreviation beside a symbol's verb could stand for as well."""
TAX_NOUNS = frozenset("belasting belastingen taxes".split())

Meaning = TypeVar("Meaning")


def beginnings(words: Mapping[str, Meaning], least: int = 1) -> dict[str, dict[str, Meaning]]:
    """For each beginning of a word, of `least` letters or more, the words that begin so; no whole ones."""
    found: dict[str, dict[str, Meaning]] = {}
    for word, meaning in words.items():
        for end in range(least, len(word)):
            if word[:end] not in words and word[:end] not in COMMON and word[:end] not in SMALL:
                found.setdefault(word[:end], {})[word] = meaning
    return found


VERBS_BEGUN = beginnings({word: verb for word, verb in VERBS.items() if word not in SMALL})
"""What could be an abbreviation of a verb, and of which."""
SYMBOLS_BEGUN = beginnings(SYMBOLS_READ)
"""What could be an abbreviation of a symbol, and of which."""


def similar(word: str, known: Iterable[str], language: str = "") -> tuple[str, ...]:
    """The words most like a word that nobody knows, in this language or in that of the first of them."""
    by_fold = {name.casefold(): name for name in known}
    if language:
        own = [fold for fold in by_fold if LANGUAGE_OF.get(fold, language) == language]
        found = get_close_matches(word, own, n=3, cutoff=0.7)
    if not language or not found:
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
