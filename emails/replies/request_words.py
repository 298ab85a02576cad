"""The words and phrases by which people ask for a game by mail, in English and in Dutch."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from engine.editions import EDITIONS, Edition

GO_AHEAD_PHRASES = frozenset(
    " ".join(phrase.split())
    for phrase in """
    go, go ahead, open it, start, start it, invite them, yes invite them,
    begin maar, open het, nodig ze uit, ja nodig ze uit
    """.split(",")
)
"""The lines that open a game beside those of `YES_PHRASES`."""

ENGLISH_WORDS = frozenset(
    """
    a an the i you he she me my mine your our us they them and or with also plus please could would can
    will shall want like start begin open create make set up new game games play playing player players by
    mail email address each per every turn turns move moves for of to at it its this that is are be let
    lets hi hello hey dear there everybody everyone all friend friends invite add so on from between
    against should have has one two three four hour hours day days week weeks time limit rules edition
    language board thanks thank who which some another following people person seat seats then yes ok okay
    now just here his her versus together good morning afternoon evening am brother sister wife husband
    """.split()
)
DUTCH_WORDS = frozenset(
    """
    een het ik jij je hij zij mij mijn jouw jullie ons onze wij ze hen en of met ook graag kun kan kunnen
    wil willen zou zouden wilt alsjeblieft alstublieft aub svg begin beginnen start starten open openen
    maak maken nieuw nieuwe spel spelen speel speelt spelletje potje partij speler spelers per mail
    mailadres adres elke iedere beurt beurten zet zetten voor naar om aan dit dat is zijn wordt worden doe
    doet mee hoi hallo dag beste lieve allemaal iedereen vriend vriendin vrienden nodig uit voeg toe uur
    uren dagen week weken tijd bedenktijd regels editie uitgave taal bord bedankt dank wie die deze
    volgende mensen personen plaats plaatsen dan nu hier tegen samen tussen mag moet hebben heeft ja
    goedemorgen goedemiddag goedenavond spelregels op broer zus vrouw man niet
    """.split()
)
NEUTRAL_WORDS = frozenset("alexandros leo colovini in we er te".split())
PARTICLES = frozenset("de van der den ten ter het von la le di da el al bin 't".split())
"""Small words within names."""
WORDS_AND_NAMES = frozenset("will dan".split())
"""Words that are names where they begin with a capital."""
REMOVING = frozenset("without except remove zonder behalve verwijder".split())
FILLERS = ENGLISH_WORDS | DUTCH_WORDS | NEUTRAL_WORDS | PARTICLES
"""Words that need no answer, beside the names of the editions."""

NUMBER_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
NUMBER_WORDS |= {"een": 1, "één": 1, "twee": 2, "drie": 3, "vier": 4, "vijf": 5, "zes": 6, "zeven": 7}
COUNT = rf"(?P<count>\d{{1,5}}|{'|'.join(NUMBER_WORDS)})"
HOURS_BY_UNIT = {"h": 1, "u": 1, "d": 24, "w": 168, "e": 24}
"""By the first letter of the word."""

TIME_LIMIT = re.compile(
    rf"(?<![\w.,@-]){COUNT}[ -]?(?P<unit>hours?|hrs?|h|uur|uren|u|days?|dag|dagen|weeks?|weken|etmaal)\b",
    re.IGNORECASE,
)
BARE_HOURS = re.compile(
    r"\b(?:hours|uren|uur)(?: (?:per|a|for a|voor een) (?:turn|beurt))? ?[:=] ?(?P<count>\d{1,5})\b", re.I
)
BOT_SEATS = re.compile(
    rf"(?<!my )(?<!our )(?<!your )(?<!mijn )(?<!ons )(?:\b(?P<none>no|without|zonder|geen) )?(?:\b{COUNT} )?"
    r"(?:the |het |de )?\b(?:houses?|huis|huizen|servers?|computers?)\b(?: (?:players?|spelers?))?(?! rules)",
    re.IGNORECASE,
)
LANGUAGE = re.compile(
    r"\b(?:language|taal)[^:=]{0,20}[:=] ?(?P<code>nl|en)\b"
    r"|(?:\b(?:language|taal)[^:=]{0,20}[:=] ?|\bin (?:het )?|^)"
    r"(?P<language>dutch|nederlands|english|engels)\b(?! (?:rules|edition|regels|editie))",
    re.IGNORECASE,
)
GAME_NAME = re.compile(
    r"(?:^|[,;.])\W*(?:(?:the )?name(?: of the game)?|game|(?:de )?naam(?: van het spel)?|spel) ?[:=] ?"
    r"(?P<name>[^,;]+)"
    r"|\b(?:is )?(?:called|named|call it|(?:het )?spel heet|noem het|genaamd|met de naam) "
    r"(?:[\"“](?P<quoted>[^\"“”]+)[\"”]|(?P<called>[^,;.]+?)(?= with | met |[,;.]|$))",
    re.IGNORECASE,
)
OWN_NAME = re.compile(
    r"\b(?:i am|i['’]m|my name is|ik ben|ik heet|mijn naam is) "  # noqa: RUF001
    r"(?P<name>[^\s,;.!@<>()]+(?: [^\s,;.!@<>()]+){0,3})",
    re.IGNORECASE,
)
REMOVAL = re.compile(
    rf"\b(?:{'|'.join(sorted(REMOVING))}) (?P<name>[^,;]+?)(?=[,;.!]?\s*$|[,;]| and | en )", re.IGNORECASE
)
GAME_SETTING = re.compile(
    r"\b(?:name|game|naam|spel|hours?|uren|uur|language|taal)\b[^:=]{0,20}[:=]"
    r"|\b(?:turns?|moves?|beurt(?:en)?|zet(?:ten)?|bedenktijd|rules|edition|(?:spel)?regels|editie|uitgave)\b",
    re.IGNORECASE,
)
"""In a line of other words, what shows that it is about a game and not about its writer's holiday."""
LIST_NUMBER = re.compile(r"^\W*(?:(?:player|speler|seat|plaats) ?)?\d{1,2} ?[.):](?=\s)", re.IGNORECASE)
"""What stands before an item of a list."""
TOKEN = re.compile(r"[^\s<>()\[\],;:\"“”]+")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|'t")  # noqa: RUF001
REPLY_PREFIX = re.compile(r"^(?:(?:re|fwd?|aw|antw|betr|doorst)\s*:\s*)+", re.IGNORECASE)


RULES_WORDS = "rules|edition|regels|editie|uitgave"


@cache
def edition_pattern(edition: Edition) -> re.Pattern[str]:
    """By what people ask for an edition: one of its names, "English rules" or "rules: English"."""
    names = "|".join(
        re.escape(name).replace(r"\ ", "[ -]?")
        for name in sorted(edition_names(edition), key=len, reverse=True)
    )
    found = [rf"\b(?:{names})(?: (?:{RULES_WORDS}))?\b"]
    if edition.adjectives:
        found.append(rf"\b(?:{'|'.join(edition.adjectives)}) (?:{RULES_WORDS}|spelregels)\b")
    if short := (*edition.adjectives, *edition.codes):
        found.append(rf"\b(?:{RULES_WORDS}) ?[:=] ?(?:{'|'.join(short)})\b")
    return re.compile("|".join(found), re.IGNORECASE)


def edition_names(edition: Edition) -> tuple[str, ...]:
    """What an edition is called in words, in small letters."""
    return (edition.name.replace("-", " ").casefold(), *edition.synonyms)


def is_filler(word: str) -> bool:
    """Whether a word in small letters needs no answer where nothing else of its line is left over."""
    named = (name for edition in EDITIONS.values() for name in edition_names(edition))
    return word in FILLERS or any(word in name.split() for name in named)


def guess_language(lines: Iterable[str]) -> str:
    """The language of most of the words that are of one language alone; empty where that is not clear."""
    words = {word for line in lines for word in WORD.findall(line.casefold())}
    dutch, english = len(words & DUTCH_WORDS - ENGLISH_WORDS), len(words & ENGLISH_WORDS - DUTCH_WORDS)
    return "" if dutch == english else "nl" if dutch > english else "en"
