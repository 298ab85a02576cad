"""Remarks beside orders, classified as yes or no, courtesy, footer, small talk or doubt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from emails.languages.lexicon import (
    Lexicon,
    OtherLanguage,
    RemarkGrammar,
    read_remarks,
    read_signs,
    whole_lexicon,
)
from emails.languages.supported_languages import FOLDERS, HERE, LANGUAGES, Phrases, join_fields, read_file
from emails.replies import quotations


class RemarkKind(StrEnum):
    """The kind of a remark, the most harmless first."""

    COURTESY = "courtesy"
    """A greeting, thanks, a farewell, names, or a label such as "my orders:"."""
    FOOTER = "footer"
    """A line about the device ("Sent from my iPhone"), a legal footer, or a line of a signature."""
    PLAIN = "plain"
    UNKNOWN = "unknown"
    """A remark without doubtful words, but with too many unknown words."""
    DOUBTFUL = "doubtful"

    @property
    def is_harmless(self) -> bool:
        return self not in (RemarkKind.UNKNOWN, RemarkKind.DOUBTFUL)


@dataclass(frozen=True, slots=True)
class RemarkContext:
    people: Collection[str] = ()
    places: Collection[str] = ()
    of_game: bool = True
    lexicon: Lexicon = field(default_factory=whole_lexicon)


class WordClass(StrEnum):
    DOUBTFUL = "doubtful"
    """A word that may withdraw, change, postpone or question the orders, such as "wait"."""
    MATTER = "matter"
    """A word about mails, turns or games, possibly about the orders of the mail."""
    DECIDING = "deciding"
    STRUCTURE = "structure"
    DEICTIC = "deictic"
    """A word that points at a thing, possibly the orders, such as "this"."""
    DAY = "day"
    NUMBER = "number"
    EVERYDAY = "everyday"
    QUALITY = "quality"


DOUBTS = frozenset({WordClass.DOUBTFUL, WordClass.MATTER, WordClass.DECIDING})
_Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemarkWords:
    grammar: RemarkGrammar
    classes: Mapping[str, WordClass]
    put_off: re.Pattern[str]
    legal: re.Pattern[str]
    interjections: frozenset[str]
    addressees: frozenset[str]
    friendly: frozenset[_Phrase]
    """Phrases that contain doubtful words but are harmless."""
    open_friendly: Mapping[str, Sequence[_Phrase]]
    """The friendly phrases with "*" (any harmless word), by first word, the longest phrase first."""
    friendly_lengths: Mapping[str, Sequence[int]]  # word counts of the phrases without "*", by first word
    known: dict[str, WordClass | None] = field(default_factory=dict, compare=False)

    def class_of(self, word: str) -> WordClass | None:
        """Return the class of a word in lower case, even if inflected; None for an unknown word."""
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


def remark_words() -> tuple[RemarkWords, ...]:
    return _remark_words(tuple(LANGUAGES))


@cache
def _remark_words(codes: tuple[str, ...]) -> tuple[RemarkWords, ...]:
    return tuple(_compose_words(read_remarks(FOLDERS[code])) for code in codes)


def other_words() -> OtherLanguage:
    return _other_words(tuple(LANGUAGES))


@cache
def _other_words(codes: tuple[str, ...]) -> OtherLanguage:
    languages = read_file(dict[str, OtherLanguage], HERE / "other_languages.toml")
    others = (words for code, words in languages.items() if code not in codes)
    return join_fields((OtherLanguage(), *others))


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
    """Return the class of each word; for a word in several lists the last list counts."""
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
    """Compile a pattern of phrases in lower case; "a*" is every word that begins with "a"."""
    return re.compile("|".join(rf"\b{re.escape(phrase.rstrip('*'))}" for phrase in phrases))


def match_friendly(words: Sequence[str], at: int, own: RemarkWords) -> int:
    """Return the number of words from `at` on that form a friendly phrase, or 0; "*" is any harmless word."""
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
    """True if a word in lower case may express a doubt in any language."""
    if is_foreign_doubt(word):
        return True
    return any(own.class_of(word) in DOUBTS for own in remark_words())


def is_foreign_doubt(word: str) -> bool:
    """True for a word of doubt in a language without a folder; a word without blanks may contain one."""
    doubtful = other_words().doubtful
    return word in doubtful or (UNSPACED.search(word) is not None and any(one in word for one in doubtful))


UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Matches letters of languages that join words: Thai, Japanese, Chinese and Korean."""


WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
END = re.compile(r"((?<=[^\W_])[.!?…;]+(?=[\s)\"”]|$)|[!?…;]+|\s[-–]+\s|\n)")  # noqa: RUF001
HESITATION = re.compile(
    rf"\?\s*\?|\(\s*\?+\s*\)|\?\s*!|!\s*\?|[→⇒~]|[-=]>|<-|/\?(?!\w+=)|[{read_signs().hesitation}]"
)
"""Signs that ask, hesitate or withdraw, in any language; excludes the query of a link."""
SMILEY = re.compile(r"(?<![^\W_])[:;=8xX]['\-]?[()DPpOo3*]+(?![^\W_])|<3+|\^_*\^")
TRAILING_DOTS = re.compile(r"(?:\.\s*){2,}$|…\W*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a part of one between punctuation marks."""

    text: str
    words: tuple[str, ...]
    capitals: frozenset[str]
    asks: bool
    trails: bool


APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"))


def cut_at(ends: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Split a text at its sentence ends (a pattern with one group); yield each sentence and its end."""
    pieces = ends.split(text)
    return zip(pieces[::2], [*pieces[1::2], ""], strict=True)


def fold_text(text: str) -> str:
    """Normalise apostrophes; remove a postscript mark and smileys."""
    plain = text.translate(APOSTROPHES)
    return SMILEY.sub(" ", quotations.POSTSCRIPT.sub("", plain, count=1))


def split_sentences(text: str) -> list[Sentence]:
    found: list[Sentence] = []
    for part, end in cut_at(END, fold_text(text)):
        if written := WORD.findall(part):
            capitals = frozenset(word.casefold() for word in written if word[0].isupper())
            words = tuple(map(str.casefold, written))
            found.append(
                Sentence((part + end).strip(), words, capitals, "?" in end, ".." in end or "…" in end)
            )
    return found


_PLAIN_WORD = re.compile(r"\w+(?:'\w+)?")
LONGEST_GREETING = 5


def is_courteous(line: str, people: Collection[str], *, greets: bool = True) -> bool:
    """True if a line is only a farewell, thanks or (if `greets`) a greeting, perhaps with names."""
    if "?" in line or HESITATION.search(line):
        return False
    others, own = other_words(), [one.grammar for one in remark_words()]
    known = [others.farewells, *(one.farewells for one in own), *(one.thanks for one in own)]
    known += [others.greetings, *(one.greetings for one in own)] if greets else []
    words = _PLAIN_WORD.findall(fold_text(line))[:12]
    for count in range(1, min(len(words), LONGEST_GREETING) + 1):
        phrase = " ".join(words[:count]).casefold()
        if any(phrase in some for some in known) and _may_be_addressee(words[count:], people):
            return True
    return False


def is_friendly_sign(line: str) -> bool:
    """True if a line has no words, and pictures such as a thumb or a heart, none of which hesitates."""
    pictures = any(unicodedata.category(char) == "So" for char in line)
    return pictures and not WORD.search(line) and not HESITATION.search(line) and "?" not in line


def has_known_name(line: str, people: Collection[str]) -> bool:
    return any(word.casefold() in people for word in _PLAIN_WORD.findall(line))


def _may_be_addressee(words: Sequence[str], people: Collection[str]) -> bool:
    addressees = other_words().addressees.union(*(own.addressees for own in remark_words()))
    if all(word in people or word in addressees for word in map(str.casefold, words)):
        return len(words) < 10
    return len(words) <= 2 and all(map(_may_be_a_name, words))


def _may_be_a_name(word: str) -> bool:
    fold, orders = word.casefold(), whole_lexicon().orders
    if not word.istitle() or fold in orders.verbs or fold in orders.symbols or fold in other_words().doubtful:
        return False
    return not any(own.class_of(fold) is not None or fold in own.grammar.openers for own in remark_words())


MOST_FAREWELL_WORDS = 4
STRANGE_SIGN = re.compile(r"[\d=<>@/\\]")
LABELLED = re.compile(r"\w+(?: \w+)?:")


def is_signature(line: str, context: RemarkContext) -> bool:
    """True if a line consists of known names, or of a first name and an unknown surname."""
    words = re.findall(r"\w+", line)
    if not 0 < len(words) <= MOST_FAREWELL_WORDS:
        return False
    others = [word for word in words if word.casefold() not in context.people]
    if not others:
        return True
    surname = [word for word in others if word not in LETTERHEAD_JOINERS]
    return (
        words[0].casefold() in context.people
        and bool(surname)
        and all(_may_be_a_name(word) and word.casefold() not in context.places for word in surname)
        and not re.search(r"[^\w\s.,'-]", line)
    )


def is_farewell(lines: Sequence[str], context: RemarkContext) -> bool:
    """True if lines may be a short farewell in a language that is not read."""
    written = fold_text(" ".join(lines))
    words = [word for word in WORD.findall(written) if word.casefold() not in context.people]
    strange = STRANGE_SIGN.search(written) or HESITATION.search(written)
    return 0 < len(words) <= MOST_FAREWELL_WORDS and not strange and _is_unknown_language(written, context)


def _is_unknown_language(text: str, context: RemarkContext) -> bool:
    """True for words of a language that is not read, without a word of doubt, a card or a place."""
    if "?" in text or TRAILING_DOTS.search(text) or LABELLED.match(text):
        return False
    words = [word for word in map(str.casefold, WORD.findall(fold_text(text))) if word not in context.people]
    if all(len(word) == 1 for word in words) or _languages_of(words, context):
        return False
    return not any(may_doubt(word) or is_of_game(word) or word in context.places for word in words)


LONGEST_SENTENCE = 80
"""Maximum number of words in a sentence; longer sentences are doubtful, because judging them takes long."""
SHORTEST_LOOSE = 5
"""Minimum number of words in a sentence in which several words may be unknown."""
SHORTEST_PLAIN = 3
SHORTEST_PLAIN_ORDERLY = 4  # with a verb that could be an order
UNKNOWN_SHARE = 0.5
SHORTEST_COUNTED = 4  # letters of an unknown word that makes a number harmless: "three umbrellas"
CONTENTS = (WordClass.EVERYDAY, WordClass.QUALITY)
POINT = re.compile(r"[a-z]{1,2}[1-9][0-9]?")
NUMBER = re.compile(r"\d+(?:st|nd|rd|th|e|de|ste)?")


def classify_sentence(sentence: Sentence, context: RemarkContext) -> RemarkKind:
    words = sentence.words
    if len(words) > LONGEST_SENTENCE:
        return RemarkKind.DOUBTFUL
    if not sentence.asks and is_courteous(sentence.text, context.people):
        return RemarkKind.COURTESY
    if all(word in context.people for word in words):
        return RemarkKind.DOUBTFUL if sentence.asks or sentence.trails else RemarkKind.COURTESY
    languages = _languages_of(words, context)
    if not languages:
        doubts = any(is_doubtful(word) or (context.of_game and is_of_game(word)) for word in words)
        return RemarkKind.DOUBTFUL if doubts else RemarkKind.UNKNOWN
    return max((_judge(sentence, context, own) for own in languages), key=list(RemarkKind).index)


def _languages_of(words: Sequence[str], context: RemarkContext) -> list[RemarkWords]:
    named = [word for word in words if word not in context.people]
    counts = [(_count_known(own, named), own) for own in remark_words()]
    most = max(count for count, _ in counts)
    foreign = other_words()
    others = sum(word in foreign.structure or word in foreign.doubtful for word in named)
    if most == 0 or others > most:
        return []
    return [own for count, own in counts if count == most]


def _count_known(own: RemarkWords, words: Sequence[str]) -> int:
    count = at = 0
    while at < len(words):
        friendly = match_friendly(words, at, own)
        count += friendly or _is_known(own, words[at])
        at += friendly or 1
    return count


def _is_known(own: RemarkWords, word: str) -> bool:
    return own.class_of(word) is not None or word in own.grammar.openers or word in own.grammar.questions


@dataclass(slots=True)
class _Tally:
    total: int = 0
    known: int = 0
    content: int = 0
    qualities: int = 0
    unknown: int = 0
    structure: int = 0
    deciding: int = 0
    pointing: bool = False
    intent: bool = False
    speaker: bool = False


def _judge(sentence: Sentence, context: RemarkContext, own: RemarkWords) -> RemarkKind:
    words = _without_opening(sentence.words, context, own)
    if not words:
        return RemarkKind.DOUBTFUL if sentence.asks or sentence.trails else RemarkKind.COURTESY
    first = words[0]
    friendly = match_friendly(words, 0, own)
    if (first in own.grammar.openers and not friendly) or own.put_off.search(" ".join(words)):
        return RemarkKind.DOUBTFUL
    tally = _Tally(total=len(words))
    at = 0
    while at < len(words):
        count = match_friendly(words, at, own)
        if count:
            tally.content += 1
            tally.qualities += 1
            tally.known += count
            at += count
            continue
        if _is_doubt(words, at, context, own):
            return RemarkKind.DOUBTFUL
        _count_word(words, at, sentence, context, own, tally)
        at += 1
    if not context.of_game:
        return RemarkKind.DOUBTFUL if sentence.asks else RemarkKind.PLAIN
    identifies = first in own.grammar.subjects and (
        first.endswith("s") or (words[1:2] and words[1] in own.grammar.being)
    )
    if identifies and not tally.qualities:
        return RemarkKind.UNKNOWN  # "it was the cat" says who wrote the mail
    return _weigh(sentence, first, bool(friendly), tally, own)


def _without_opening(words: Sequence[str], context: RemarkContext, own: RemarkWords) -> Sequence[str]:
    for at, word in enumerate(words):
        if not (word in own.interjections or word in context.people) or match_friendly(words, at, own):
            return words[at:]
    return ()


def _is_doubt(words: Sequence[str], at: int, context: RemarkContext, own: RemarkWords) -> bool:
    word = words[at]
    kind = own.class_of(word)
    if not context.of_game:
        return kind is WordClass.DOUBTFUL
    if kind in (WordClass.DOUBTFUL, WordClass.MATTER) or word in context.places or POINT.fullmatch(word):
        return True
    if kind is WordClass.EVERYDAY and word in other_words().doubtful:
        return True
    if kind is WordClass.NUMBER or NUMBER.fullmatch(word):
        after = own.class_of(words[at + 1]) if at + 1 < len(words) else None
        counted = at + 1 < len(words) and after is None and len(words[at + 1]) >= SHORTEST_COUNTED
        return not (counted or after in (*CONTENTS, WordClass.DAY))
    if kind is WordClass.DECIDING:
        return False
    orders = whole_lexicon().orders
    if word in orders.symbols or (word in orders.verbs and kind is None):
        return True
    return kind is None and (_is_foreign_doubt(word, own) or (len(word) == 1 and word not in context.people))


def _is_foreign_doubt(word: str, own: RemarkWords) -> bool:
    if word in other_words().doubtful:
        return True
    kinds = {other.class_of(word) for other in remark_words() if other is not own}
    return not kinds.isdisjoint({*DOUBTS, WordClass.NUMBER})


def _count_word(
    words: Sequence[str], at: int, sentence: Sentence, context: RemarkContext, own: RemarkWords, tally: _Tally
) -> None:
    word, kind = words[at], own.class_of(words[at])
    named = word in context.people or (at > 0 and kind is None and word in sentence.capitals)
    known = named or NUMBER.fullmatch(word) or _is_known(own, word)
    tally.known += bool(known)
    tally.unknown += not known
    tally.content += kind in CONTENTS
    tally.qualities += kind is WordClass.QUALITY
    tally.structure += kind in (WordClass.STRUCTURE, WordClass.DEICTIC)
    tally.deciding += kind is WordClass.DECIDING
    tally.pointing |= kind is WordClass.DEICTIC
    tally.intent |= word in own.grammar.intent
    tally.speaker |= word in own.grammar.persons


def _weigh(sentence: Sentence, first: str, friendly: bool, tally: _Tally, own: RemarkWords) -> RemarkKind:
    short = tally.total < SHORTEST_LOOSE
    whole = tally.unknown == 0
    if sentence.asks or (first in own.grammar.questions and not friendly and not whole):
        plain = whole and tally.content and not (tally.pointing or tally.speaker or tally.deciding)
        return RemarkKind.PLAIN if plain and first in own.grammar.questions else RemarkKind.DOUBTFUL
    if tally.deciding and (
        not whole
        or tally.pointing
        or tally.total < SHORTEST_PLAIN_ORDERLY
        or (own.class_of(first) is WordClass.DECIDING and first not in own.grammar.wishes)
    ):
        return RemarkKind.DOUBTFUL
    if tally.intent and (tally.pointing or short or not whole):
        return RemarkKind.DOUBTFUL
    if sentence.trails and (short or not whole):
        return RemarkKind.DOUBTFUL
    if whole:
        return RemarkKind.PLAIN if tally.content else RemarkKind.UNKNOWN
    return RemarkKind.PLAIN if _is_loosely_known(first, friendly, tally, own) else RemarkKind.UNKNOWN


def _is_loosely_known(first: str, friendly: bool, tally: _Tally, own: RemarkWords) -> bool:
    if tally.unknown > UNKNOWN_SHARE * tally.total or not (tally.structure or friendly):
        return False
    if first in own.grammar.subjects:
        return tally.qualities > 0 and tally.unknown == 1
    if tally.pointing and tally.total < SHORTEST_LOOSE:
        return False
    if own.class_of(first) is None and not friendly:  # it may be an imperative
        return tally.total >= SHORTEST_LOOSE and tally.content > 0
    return tally.total >= SHORTEST_PLAIN or friendly


def is_of_game(word: str) -> bool:
    return word in whole_lexicon().orders.verbs or is_card_or_point(word)


def is_card_or_point(word: str) -> bool:
    return word in whole_lexicon().orders.symbols or POINT.fullmatch(word) is not None


def is_doubtful(word: str) -> bool:
    if is_foreign_doubt(word):
        return True
    return any(own.class_of(word) is WordClass.DOUBTFUL for own in remark_words())


LONGEST_ANSWER = 8


def says_yes(line: str, lexicon: Lexicon, own: Collection[str] = ()) -> bool:
    """True if a line is only a yes; `own`: further phrases that mean yes to the question."""
    plain = normalise_line(line)
    return "?" not in line and (plain in lexicon.answers.yes or plain in own)


def goes_on(line: str, first: Collection[str], others: Collection[str] = ()) -> bool:
    """True if a line begins with one of the `first` phrases and continues only with these and `others`."""
    words = normalise_line(line).split()
    at, known = 0, {*first}
    while at < len(words):
        ends = range(min(len(words), at + LONGEST_ANSWER), at, -1)
        end = next((end for end in ends if " ".join(words[at:end]) in known), 0)
        if not end:
            return False
        at, known = end, {*first, *others}
    return at > 0 and "?" not in line


def begins_with_yes(line: str, lexicon: Lexicon) -> bool:
    return normalise_line(line).partition(" ")[0] in lexicon.answers.leaning


def normalise_line(line: str) -> str:
    """Return the words of a line in lower case without punctuation."""
    return " ".join("".join(char if char.isalnum() else " " for char in line.casefold()).split())


LONGEST_DEVICE_LINE = 16
SHORTEST_LEGAL_LINE = 25
CONTACT = re.compile(
    r"(?:https?://|www\.|mailto:)\S+|\S+@\S+\.\w+|\S+\.(?:com|org|net|nl|de|be|eu|fr|uk|example)\b\S*"
    r"|\+?\d[\d\s()/.-]{6,}\d|(?<!['\u2019\w])(?:tel|fax|mob|t|m|e|w|p)\s?[.:]",
    re.IGNORECASE,
)
ATTACHMENT = re.compile(r"\W*[\w.-]{1,40}\.(?:png|jpe?g|gif|svg|pdf|html?|txt|ics|vcf|asc)\W*", re.IGNORECASE)
LETTERHEAD_JOINERS = frozenset(
    "of the and for at van de der den het en voor bij von und für et du la le y".split()
)
MOST_LETTERHEAD_WORDS = 9
MOST_PHONE_WORDS = 5
SENSITIVITY_CODE = re.compile(r"[a-z]?\d")
LONGEST_ACRONYM = 3


def is_device_line(line: str) -> bool:
    words = re.findall(r"\w+", line.casefold())
    if len(words) > LONGEST_DEVICE_LINE:
        return False
    signs = read_signs()
    stems = (*signs.devices, *signs.phones) if len(words) <= MOST_PHONE_WORDS else signs.devices
    return quotations.own_line_pattern().match(line) is not None or any(
        word.startswith(stem) for word in words for stem in stems
    )


def is_sensitivity_label(line: str) -> bool:
    key, colon, level = line.casefold().partition(":")
    words = re.findall(r"[^\W_]+", level)
    return bool(colon and words) and any(
        key.strip(" [(*") in own.grammar.sensitivity
        and all(word in own.grammar.levels or SENSITIVITY_CODE.fullmatch(word) for word in words)
        for own in remark_words()
    )


def is_legal_line(line: str, signed: bool = False) -> bool:
    """True for a line of a legal footer; if `signed`, in a language without a folder too."""
    folded = line.casefold()
    if len(line) < SHORTEST_LEGAL_LINE:
        return False
    words = set(re.findall(r"\w+", folded))
    if signed and any(word.startswith(tuple(other_words().legal)) for word in words):
        return True
    if not any(own.legal.search(folded) for own in remark_words()):
        return False
    # A line in the first person is not a footer.
    return not any(words & own.grammar.persons for own in remark_words())


def is_letterhead(line: str) -> bool:
    words = re.findall(r"[^\W_]+", line)
    loud = any(word.isupper() and len(word) > LONGEST_ACRONYM for word in words)
    if loud or len(words) > MOST_LETTERHEAD_WORDS:
        return False
    return all(word[0].isupper() or word.isdigit() or word in LETTERHEAD_JOINERS for word in words)


SAYING = (WordClass.STRUCTURE, WordClass.DEICTIC, WordClass.NUMBER)
MOST_SENTENCES = 60
LONE_SIGN = re.compile(r"[?/]|\.\s*\.|…")


def find_doubt(
    pieces: Iterable[str], context: RemarkContext, signed: bool = False, parted: bool = False
) -> str | None:
    """Return the first piece that is not harmless; None if all are harmless.

    `signed`: the pieces are below a name or a signature mark; `parted`: they are below a separator.
    """
    left = MOST_SENTENCES
    for piece in pieces:
        left -= len(split_sentences(piece)) or 1
        kind = classify(piece, context, signed)
        passed = not context.of_game or (parted and _is_unknown_language(piece, context))
        if left < 0 or not (kind.is_harmless or (kind is RemarkKind.UNKNOWN and passed)):
            return piece
    return None


def says_more(line: str) -> bool:
    words = [word for sentence in split_sentences(line) for word in sentence.words]
    return any(
        word in own.grammar.openers or own.class_of(word) is WordClass.DOUBTFUL
        for word in words
        for own in remark_words()
    )


def classify(piece: str, context: RemarkContext, signed: bool = False) -> RemarkKind:
    if HESITATION.search(piece):
        return RemarkKind.DOUBTFUL
    words = re.findall(r"\w+", piece.casefold())
    legal = is_legal_line(piece, signed) and not any(map(is_card_or_point, words))
    if legal or ATTACHMENT.fullmatch(piece) or is_sensitivity_label(piece):
        return RemarkKind.FOOTER
    if _is_label(piece) or is_courteous(piece, context.people):
        return RemarkKind.COURTESY
    sentences = split_sentences(piece)
    kinds = [classify_sentence(one, context) for one in sentences]
    if not sentences:
        return RemarkKind.DOUBTFUL if LONE_SIGN.search(piece) else RemarkKind.PLAIN
    worst = max(kinds, key=list(RemarkKind).index)
    return RemarkKind.FOOTER if not worst.is_harmless and _is_footer(piece, context, signed) else worst


def _is_label(piece: str) -> bool:
    if piece.strip()[-1:] not in (":", "]", "}"):
        return False
    plain = normalise_line(fold_text(piece))
    return any(plain in own.grammar.labels for own in remark_words())


def _is_footer(piece: str, context: RemarkContext, signed: bool) -> bool:
    if is_device_line(piece):
        rest = CONTACT.sub(" ", quotations.own_line_pattern().sub(" ", piece, count=1))
        return not _has_doubt(split_sentences(rest))
    named = re.sub(r"[^\W_]+", lambda found: "" if found[0].casefold() in context.people else found[0], piece)
    without_contacts = CONTACT.sub(" ", named)
    sentences = split_sentences(without_contacts)
    words = [word for one in sentences for word in one.words if not word.isdigit()]
    if any(one.asks or one.trails for one in sentences):
        return False
    if any(is_of_game(word) or is_doubtful(word) for word in words):
        return False
    if without_contacts != named and is_letterhead(without_contacts):
        return True
    if len(words) == 1 and (
        words[0] in context.places or any(own.class_of(words[0]) for own in remark_words())
    ):
        return False  # "Tomorrow" is not a town
    return signed and bool(words) and is_letterhead(named) and not any(map(_makes_sentence, words))


def _makes_sentence(word: str) -> bool:
    if word in LETTERHEAD_JOINERS:
        return False
    return may_doubt(word) or any(own.class_of(word) in SAYING for own in remark_words())


def _has_doubt(sentences: Sequence[Sentence]) -> bool:
    for sentence in sentences:
        at = 0
        while at < len(sentence.words):
            count = max(match_friendly(sentence.words, at, own) for own in remark_words())
            word = sentence.words[at]
            if not count and (is_of_game(word) or is_doubtful(word)):
                return True
            at += count or 1
    return any(sentence.asks or sentence.trails for sentence in sentences)
