"""Remarks cut into sentences and words, each word by its grammar, and the kinds of remarks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from emails.languages.lexicon import Lexicon, whole_lexicon
from emails.languages.mail_words import RemarkGrammar, read_other_languages, read_remarks, read_signs
from emails.languages.supported_languages import LANGUAGES, folder_of
from emails.languages.vocabulary_files import Phrases
from emails.replies import quotations


class RemarkKind(StrEnum):
    """What a remark is."""

    COURTESY = "courtesy"
    """A greeting, thanks, a farewell, names, a label of what follows."""
    FOOTER = "footer"
    """A device line, a legal footer, a line of a signature."""
    PLAIN = "plain"
    UNKNOWN = "unknown"
    """It holds nothing doubtful, and too little of it is known."""
    DOUBTFUL = "doubtful"

    @property
    def is_harmless(self) -> bool:
        """Whether it leaves the orders beside it alone."""
        return self not in (RemarkKind.UNKNOWN, RemarkKind.DOUBTFUL)


@dataclass(frozen=True, slots=True)
class RemarkContext:
    """Who makes remarks beside orders, and where."""

    people: Collection[str] = ()
    """The names of the players, word by word in small letters."""
    places: Collection[str] = ()
    """The names of the places of the board in small letters."""
    of_game: bool = True
    """Whether orders stand beside it: then words of the game are doubtful, and those that nobody knows."""
    lexicon: Lexicon = field(default_factory=whole_lexicon)
    """The words in which those orders are read."""


class WordClass(StrEnum):
    """What a word is in a sentence."""

    DOUBTFUL = "doubtful"
    """It may take back, change, put off or ask."""
    MATTER = "matter"
    """It speaks of mails, of turns or of games, and that may be these orders."""
    DECIDING = "deciding"
    """Plain in a sentence of its own, and doubtful where it may speak of what is ordered."""
    STRUCTURE = "structure"
    DEICTIC = "deictic"
    """It points at something, and that may be the orders."""
    DAY = "day"
    NUMBER = "number"
    EVERYDAY = "everyday"
    QUALITY = "quality"
    """It says how something is."""


DOUBTS = frozenset({WordClass.DOUBTFUL, WordClass.MATTER, WordClass.DECIDING})
_Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemarkWords:
    """The words of remarks of one language, arranged for reading."""

    grammar: RemarkGrammar
    classes: Mapping[str, WordClass]
    put_off: re.Pattern[str]
    """Phrases that postpone a decision."""
    legal: re.Pattern[str]
    """Phrases of the legal footers of companies."""
    interjections: frozenset[str]
    """Interjections and "please"."""
    addressees: frozenset[str]
    friendly: frozenset[_Phrase]
    """Phrases that sound doubtful but are not."""
    open_friendly: Mapping[str, Sequence[_Phrase]]
    """Friendly phrases with a "*", by their first words, the longest first."""
    friendly_lengths: Mapping[str, Sequence[int]]
    """The lengths of the friendly phrases without a "*", by their first words, the longest first."""
    known: dict[str, WordClass | None] = field(default_factory=dict, compare=False)
    """What was found of words so far."""

    def class_of(self, word: str) -> WordClass | None:
        """What a word in small letters is, inflected or not; None: nobody knows."""
        found = self.classes.get(word)
        if found is not None or len(word) > LONGEST_WORD:
            return found
        if word not in self.known:
            if len(self.known) > MOST_KEPT:
                self.known.clear()
            self.known[word] = self._class_of_stem(word)
        return self.known[word]

    def _class_of_stem(self, word: str) -> WordClass | None:
        stems = [word[: -len(end)] for end in self.grammar.endings if word.endswith(end)]
        stems = [stem for stem in stems if len(stem) >= SHORTEST_STEM]
        doubled = [stem[:-1] for stem in stems if stem[-1] == stem[-2]]
        found = {self.classes.get(stem) for stem in (*stems, *(f"{stem}e" for stem in stems), *doubled)}
        return next((one for one in WordClass if one in found and one not in UNINFLECTED), None)


SHORTEST_STEM = 3
LONGEST_WORD = 30
MOST_KEPT = 5000
UNINFLECTED = frozenset({WordClass.STRUCTURE, WordClass.DEICTIC, WordClass.NUMBER})


@dataclass(frozen=True, slots=True)
class OtherWords:
    """The words by which sentences in languages are known that have no folder."""

    doubtful: frozenset[str]
    structure: frozenset[str]
    greetings: frozenset[str]
    farewells: frozenset[str]
    addressees: frozenset[str]


def remark_words() -> tuple[RemarkWords, ...]:
    """The words of all languages that have a folder."""
    return _remark_words(tuple(LANGUAGES))


@cache
def _remark_words(codes: tuple[str, ...]) -> tuple[RemarkWords, ...]:
    return tuple(_compose_words(read_remarks(folder_of(code))) for code in codes)


def other_words() -> OtherWords:
    """Return the words of all languages without a folder."""
    return _other_words(tuple(LANGUAGES))


@cache
def _other_words(codes: tuple[str, ...]) -> OtherWords:
    others = [words for code, words in read_other_languages().items() if code not in codes]
    none = frozenset[str]()
    return OtherWords(
        doubtful=none.union(*(own.doubtful for own in others)),
        structure=none.union(*(own.structure for own in others)),
        greetings=none.union(*(own.greetings for own in others)),
        farewells=none.union(*(own.farewells for own in others)),
        addressees=none.union(*(own.addressees for own in others)),
    )


def _compose_words(grammar: RemarkGrammar) -> RemarkWords:
    courteous = (phrase for phrase in grammar.farewells | grammar.thanks if " " in phrase)
    friendly = {tuple(phrase.split()) for phrase in (*grammar.friendly, *courteous)}
    opened: dict[str, list[_Phrase]] = {}
    lengths: dict[str, set[int]] = {}
    for phrase in sorted(friendly, key=len, reverse=True):
        if "*" in phrase:
            opened.setdefault(phrase[0], []).append(phrase)
        else:
            lengths.setdefault(phrase[0], set()).add(len(phrase))
    return RemarkWords(
        grammar=grammar,
        classes=_classes(grammar),
        put_off=_pattern(grammar.put_off),
        legal=_pattern(grammar.legal),
        interjections=grammar.interjections | grammar.please,
        addressees=frozenset(" ".join(grammar.addressees).split()),
        friendly=frozenset(friendly),
        open_friendly=opened,
        friendly_lengths={word: sorted(found, reverse=True) for word, found in lengths.items()},
    )


def _classes(grammar: RemarkGrammar) -> dict[str, WordClass]:
    """Return the class of each word; of a word in several lists the last one counts."""
    numbers = [words for number, words in grammar.numbers.items() if number not in ("0", "1", "more")]
    found: dict[str, WordClass] = {}
    for words, kind in (
        (grammar.qualities, WordClass.QUALITY),
        (grammar.everyday, WordClass.EVERYDAY),
        (grammar.function, WordClass.STRUCTURE),
        (grammar.persons, WordClass.STRUCTURE),
        (grammar.interjections, WordClass.STRUCTURE),
        (grammar.intent, WordClass.STRUCTURE),
        (grammar.days, WordClass.DAY),
        (grammar.numbers["more"], WordClass.EVERYDAY),
        (grammar.deictics, WordClass.DEICTIC),
        (frozenset[str]().union(*numbers), WordClass.NUMBER),
        (grammar.deciding, WordClass.DECIDING),
        (grammar.matters, WordClass.MATTER),
        (frozenset[str]().union(*grammar.doubtful.values()), WordClass.DOUBTFUL),
    ):
        found.update(dict.fromkeys(words, kind))
    return found


# --- phrases --------------------------------------------------------------------------------------------


def _pattern(phrases: Phrases) -> re.Pattern[str]:
    """Compile a pattern of phrases in small letters; "a*" is every word that begins so."""
    return re.compile("|".join(rf"\b{re.escape(phrase.rstrip('*'))}" for phrase in phrases))


def match_friendly(words: Sequence[str], at: int, own: RemarkWords) -> int:
    """How many words from one on are a friendly phrase; 0: none. "*" is a word that is not doubtful."""
    for length in own.friendly_lengths.get(words[at], ()):
        if tuple(words[at : at + length]) in own.friendly:
            return length
    for phrase in own.open_friendly.get(words[at], ()):
        here = words[at : at + len(phrase)]
        if len(here) == len(phrase) and all(
            one == word or (one == "*" and not may_doubt(word))
            for one, word in zip(phrase, here, strict=True)
        ):
            return len(phrase)
    return 0


def may_doubt(word: str) -> bool:
    """Whether a word in small letters is more than small talk in any language."""
    if word in other_words().doubtful:
        return True
    return any(own.class_of(word) in DOUBTS for own in remark_words())


WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
END = re.compile(r"(?<=[^\W_])[.!?…;]+(?=[\s)\"”]|$)|[!?…;]+|\s[-–]+\s|\n")  # noqa: RUF001
HESITATION = re.compile(
    rf"\?\s*\?|\(\s*\?+\s*\)|\?\s*!|!\s*\?|[→⇒~]|[-=]>|<-|/\?(?!\w+=)|[{read_signs().hesitation}]"
)
"""Signs that ask, wait or take back, in whatever language; the query of a link is none."""
SMILEY = re.compile(r"(?<![^\W_])[:;=8xX]['\-]?[()DPpOo3*]+(?![^\W_])|<3+|\^_*\^")
TRAILING_DOTS = re.compile(r"(?:\.\s*){2,}$|…\W*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a part of one between signs that end it."""

    text: str
    words: tuple[str, ...]
    """In small letters."""
    capitals: frozenset[str]
    """Those that are written with a capital."""
    asks: bool
    """Whether a question mark stands behind it."""
    trails: bool
    """Whether dots stand behind it."""


def fold_text(text: str) -> str:
    """A text in one form: plain apostrophes, no postscript mark, composed characters."""
    plain = (
        unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("\u2018", "'").replace("`", "'")
    )
    return SMILEY.sub(" ", quotations.POSTSCRIPT.sub("", plain, count=1))


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a text that hold words."""
    plain = fold_text(text)
    found: list[Sentence] = []
    start = 0
    for end in END.finditer(plain):
        found += _sentence(plain[start : end.end()], end.group())
        start = end.end()
    return [*found, *_sentence(plain[start:], "")]


def _sentence(text: str, end: str) -> list[Sentence]:
    written = WORD.findall(text)
    if not written:
        return []
    capitals = frozenset(word.casefold() for word in written if word[0].isupper())
    words = tuple(word.casefold() for word in written)
    return [Sentence(text.strip(), words, capitals, "?" in end, ".." in end or "…" in end)]


def has_hesitant_sign(text: str) -> bool:
    """Whether signs in a text ask, wait or take back, as "(?)" does."""
    return HESITATION.search(text) is not None


def trails_off(text: str) -> bool:
    """Whether a text ends in dots."""
    return TRAILING_DOTS.search(text) is not None
