"""Remarks beside orders, classified as yes or no, courtesy, footer, small talk or doubt."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from math import exp

from emails.languages.lexicon import (
    Lexicon,
    OtherLanguage,
    RemarkGrammar,
    read_weights,
    shared_words,
    whole_lexicon,
    words_of,
)
from emails.languages.supported_languages import (
    FOLDERS,
    LANGUAGES,
    Phrases,
    Words,
    join,
)
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
    people: frozenset[str] = frozenset()
    places: Collection[str] = ()
    of_game: bool = True
    part: bool = False
    """True for a part of a sentence with orders, which must be quite plain."""
    lexicon: Lexicon = field(default_factory=whole_lexicon)


class WordClass(StrEnum):
    DOUBTFUL = "doubtful"
    """A word that may withdraw, change, postpone or question the orders, such as "wait"."""
    MATTER = "matter"
    """A word about mails, turns or games, possibly about the orders of the mail."""
    DECIDING = "deciding"
    """A verb that may order or announce something, such as "take" or "I'll"."""
    DEICTIC = "deictic"
    """A word that points at a thing, possibly the orders, such as "this"."""
    STRUCTURE = "structure"
    DAY = "day"
    NUMBER = "number"
    KIN = "kin"
    """A person or animal beside the writer, who may have a say or have written the mail."""
    EVERYDAY = "everyday"
    QUALITY = "quality"


DOUBTS = frozenset({WordClass.DOUBTFUL, WordClass.MATTER, WordClass.DECIDING})


@dataclass(frozen=True, slots=True, eq=False)
class RemarkWords:
    grammar: RemarkGrammar
    classes: Mapping[str, WordClass]
    retracting: Words
    """Words that make any sentence a doubt, such as "cancel"; the other words of doubt are weighed."""
    put_off: re.Pattern[str]
    legal: re.Pattern[str]
    weights: Mapping[str, float]
    """Of the features of remarks: what each adds to the log-odds of a doubt."""
    choice_weights: Mapping[str, float]
    """Of the features of sentences that name a choice."""

    def class_of(self, word: str) -> WordClass | None:
        """Return the class of a word in lower case, even if inflected; None for an unknown word."""
        found = self.classes.get(word)
        return found if found is not None or len(word) > LONGEST_WORD else _class_of_stem(self, word)


@lru_cache(maxsize=10_000)
def _class_of_stem(own: RemarkWords, word: str) -> WordClass | None:
    stems = [word[: -len(end)] for end in own.grammar.endings if word.endswith(end)]
    stems = [stem for stem in stems if len(stem) >= SHORTEST_STEM]
    doubled = [stem[:-1] for stem in stems if stem[-1] == stem[-2]]
    found = {own.classes.get(stem) for stem in (*stems, *(f"{stem}e" for stem in stems), *doubled)}
    return next((one for one in WordClass if one in found and one not in UNINFLECTED), None)


SHORTEST_STEM = 3
LONGEST_WORD = 30
UNINFLECTED = frozenset({WordClass.STRUCTURE, WordClass.DEICTIC, WordClass.NUMBER})


def remark_words() -> tuple[RemarkWords, ...]:
    return _remark_words(tuple(LANGUAGES))


@cache
def _remark_words(codes: tuple[str, ...]) -> tuple[RemarkWords, ...]:
    return tuple(_compose_words(code) for code in codes)


def other_words() -> OtherLanguage:
    return _other_words(tuple(LANGUAGES))


@cache
def _other_words(codes: tuple[str, ...]) -> OtherLanguage:
    others = (words for code, words in shared_words().other_languages.items() if code not in codes)
    return join([OtherLanguage(), *others])


def _compose_words(code: str) -> RemarkWords:
    grammar, folder = words_of(code).remarks, FOLDERS[code]
    classes = _classes(grammar, frozenset((folder / "common.txt").read_text("utf-8").casefold().split()))
    weights = read_weights(folder, "remark_weights.txt"), read_weights(folder, "choice_weights.txt")
    retracting = frozenset[str]().union(*(grammar.doubtful[name] for name in RETRACTING))
    put_off, legal = _pattern(grammar.put_off), _pattern(grammar.legal)
    return RemarkWords(grammar, classes, retracting, put_off, legal, *weights)


RETRACTING = ("halts", "refusals", "regrets", "corrections", "imperatives", "hedges")


def _classes(grammar: RemarkGrammar, common: Words) -> dict[str, WordClass]:
    """Return the class of each word; for a word in several lists the last list counts."""
    numbers = [words for number, words in grammar.numbers.items() if number not in ("0", "1", "more")]
    found: dict[str, WordClass] = {}
    for words, kind in (
        (common, WordClass.EVERYDAY),
        (grammar.kin, WordClass.KIN),
        (grammar.questions | grammar.openers, WordClass.STRUCTURE),
        (grammar.qualities, WordClass.QUALITY),
        (grammar.function | grammar.persons | grammar.interjections, WordClass.STRUCTURE),
        (grammar.days, WordClass.DAY),
        (grammar.numbers["more"], WordClass.EVERYDAY),
        (grammar.deictics, WordClass.DEICTIC),
        (frozenset[str]().union(*numbers), WordClass.NUMBER),
        (grammar.deciding | grammar.intent, WordClass.DECIDING),
        (grammar.matters, WordClass.MATTER),
        (frozenset[str]().union(*grammar.doubtful.values()), WordClass.DOUBTFUL),
    ):
        found.update(dict.fromkeys(words, kind))
    return found


def _pattern(phrases: Phrases) -> re.Pattern[str]:
    """Compile a pattern of phrases in lower case; "a*" is every word that begins with "a"."""
    return re.compile("|".join(rf"\b{re.escape(phrase.rstrip('*'))}" for phrase in phrases))


def may_doubt(word: str) -> bool:
    """True if a word in lower case may express a doubt in any language."""
    if is_foreign_doubt(word):
        return True
    return any(own.class_of(word) in DOUBTS for own in remark_words())


def is_known_word(word: str) -> bool:
    return any(own.class_of(word) is not None for own in remark_words())


def is_foreign_doubt(word: str) -> bool:
    """True for a word of doubt in a language without a folder; a word without blanks may contain one."""
    doubtful = other_words().doubtful
    return word in doubtful or (UNSPACED.search(word) is not None and any(one in word for one in doubtful))


UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Matches letters of languages that join words: Thai, Japanese, Chinese and Korean."""


WORD = re.compile(r"(?:(?<!\w)'(?=[kmnrst]\s))?[^\W_]+(?:'[^\W_]+)*")  # begins as the Dutch 't and 'n do
END = re.compile(r"((?<=[^\W_])[.!?…;]+(?=[\s)\"”]|$)|[!?…;]+|\s[-–]+\s|\n)")  # noqa: RUF001
HESITATION = re.compile(
    rf"^\s*\?|\?\s*\?|\(\s*\?+\s*\)|\?\s*!|!\s*\?|[→⇒~]|[-=]>|<-|/\?(?!\w+=)|[{shared_words().signs.hesitation}]"
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
    named = " ".join(phrase for own in remark_words() for phrase in own.grammar.addressees).split()
    addressees = other_words().addressees.union(named)
    if all(word in people or word in addressees for word in map(str.casefold, words)):
        return len(words) < 10
    return len(words) <= 2 and all(map(_may_be_a_name, words))


def _may_be_a_name(word: str, joined: bool = False) -> bool:
    fold, orders = word.casefold(), whole_lexicon().orders
    if not word.istitle() or fold in orders.verbs or fold in orders.symbols or fold in other_words().doubtful:
        return False
    return not (may_doubt(fold) if joined else any(own.class_of(fold) for own in remark_words()))


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
    joined = len(surname) < len(others)  # such as "van der Meer", where the surname may be a word
    return (
        words[0].casefold() in context.people
        and bool(surname)
        and all(_may_be_a_name(word, joined) and word.casefold() not in context.places for word in surname)
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
    if any(own.put_off.search(" ".join(words)) for own in remark_words()):
        return False
    return not any(may_doubt(word) or is_of_game(word) or word in context.places for word in words)


LONGEST_SENTENCE = 80
"""Maximum number of words in a sentence; longer sentences are doubtful, because judging them takes long."""
POINT = re.compile(r"[a-z]{1,2}[1-9][0-9]?")
NUMBER = re.compile(r"\d+(?:st|nd|rd|th|e|de|ste)?")


def classify_sentence(sentence: Sentence, context: RemarkContext) -> RemarkKind:
    words = sentence.words
    if len(words) > LONGEST_SENTENCE:
        return RemarkKind.DOUBTFUL
    if not sentence.asks and is_courteous(sentence.text, context.people):
        return RemarkKind.COURTESY
    if sentence.text.endswith(":"):
        return RemarkKind.DOUBTFUL  # "As soon as Ben has 30 points:"
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
    return sum(own.class_of(word) is not None for word in words)


def _judge(sentence: Sentence, context: RemarkContext, own: RemarkWords) -> RemarkKind:
    words = sentence.words
    if puts_off(sentence) or words[0] in own.grammar.openers:
        return RemarkKind.DOUBTFUL
    if not context.of_game:
        doubts = sentence.asks or any(own.class_of(word) is WordClass.DOUBTFUL for word in words)
        return RemarkKind.DOUBTFUL if doubts else RemarkKind.PLAIN
    if (own.grammar.interjections | own.grammar.please | context.people).issuperset(words):
        return RemarkKind.DOUBTFUL if sentence.asks or sentence.trails else RemarkKind.COURTESY
    if not own.retracting.isdisjoint(words) or _may_order(sentence, context, own):
        return RemarkKind.DOUBTFUL
    limit = MOST_DOUBT_OF_FEW if len(words) < FEWEST_WORDS else MOST_DOUBT
    limit = MOST_DOUBT_OF_PART if context.part else limit
    clauses = (sentence, *_list_conditions(sentence, own))
    doubted = any(weigh_doubt([clause], context, own) >= limit for clause in clauses)
    return RemarkKind.DOUBTFUL if doubted else RemarkKind.PLAIN


def _list_conditions(sentence: Sentence, own: RemarkWords) -> Iterator[Sentence]:
    """Yield the clauses that a remark may hide, from "if" or "but" to the end of the sentence."""
    joining = own.grammar.openers | own.grammar.doubtful["conditionals"]
    for at, word in enumerate(sentence.words):
        if 0 < at < len(sentence.words) - 1 and word in joining:
            yield replace(sentence, words=sentence.words[at:])


MOST_DOUBT, MOST_DOUBT_OF_FEW, MOST_DOUBT_OF_PART = 0.22, 0.12, 0.03
"""Highest probability of a doubt of a plain sentence, one of few words, and a part of one with orders."""
FEWEST_WORDS = 4
"""Number of words from which a question, a number or a verb of orders may belong to a remark."""
CODE = re.compile(r"[=<>/\\|{}]")


def _may_order(sentence: Sentence, context: RemarkContext, own: RemarkWords) -> bool:
    """True for a sentence that may be an order or cannot be judged.

    It has a card, place, point, letter or sign of code, a doubt in another language, mostly unknown words, a
    verb of orders at the beginning, or few words with such a verb, a number or a question mark.
    """
    words, verbs = sentence.words, whole_lexicon().orders.verbs
    strange = [word for word in words if own.class_of(word) is None and word not in context.people]
    few = len(words) < FEWEST_WORDS
    if CODE.search(sentence.text) or any(word in context.places or is_card_or_point(word) for word in words):
        return True
    doubts = (word for word in words if word not in own.classes and is_foreign_doubt(word))
    if any(doubts) or any(len(word) == 1 or is_doubtful(word) for word in strange):
        return True
    parts = [WORD.findall(part.casefold()) for part in sentence.text.split(":")]
    short = [word for part in parts if len(part) < FEWEST_WORDS for word in part]
    kinds = {word: own.class_of(word) for word in short}
    numbers = any(kind is WordClass.NUMBER or NUMBER.fullmatch(word) for word, kind in kinds.items())
    ordering = any(word in verbs and kind is not WordClass.MATTER for word, kind in kinds.items())
    return (
        (few and sentence.asks) or numbers or ordering or words[0] in verbs or 2 * len(strange) > len(words)
    )


STEM = 5  # letters
LONGEST_COUNT = 3
CHOICE = "\N{DOUBLE-STRUCK CAPITAL C}"
"""A word that stands for the letter or the number of a choice."""


def weigh_doubt(sentences: Sequence[Sentence], context: RemarkContext, own: RemarkWords) -> float:
    """Estimate the probability that sentences beside orders take back, change or postpone these."""
    return weigh(list_features(sentences, context, own), own.weights)


MOST_DOUBT_OF_CHOICE, MOST_DOUBT_OF_SHORT_CHOICE = 0.2, 0.03
"""Highest probability of a doubt in a sentence that names a choice, and in one of few words."""
FEWEST_WORDS_OF_CHOICE = 6


def may_doubt_choice(sentence: Sentence, context: RemarkContext) -> bool:
    """True if a sentence beside or around the name of a choice (`CHOICE`) may not choose it."""
    words = sentence.words
    if set(words) == {CHOICE}:
        return False
    languages = _languages_of(words, context) or remark_words()
    if any(map(is_foreign_doubt, words)) or any(words[0] in own.grammar.questions for own in languages):
        return True
    if CHOICE not in words:
        return any(weigh_doubt([sentence], context, own) >= MOST_DOUBT for own in languages)
    few = len(words) < FEWEST_WORDS_OF_CHOICE
    limit = MOST_DOUBT_OF_SHORT_CHOICE if few else MOST_DOUBT_OF_CHOICE
    features = ((list_features([sentence], context, own), own.choice_weights) for own in languages)
    return any(weigh(found, weights) >= limit for found, weights in features)


def weigh(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return a probability by logistic regression; features without a weight do not count."""
    return 1 / (1 + exp(-sum(weights.get(one, 0.0) * value for one, value in features.items())))


def list_features(
    sentences: Sequence[Sentence], context: RemarkContext, own: RemarkWords
) -> dict[str, float]:
    """List words, pairs of words, first letters of words, and the numbers and shares of each word class."""
    found = {"": 1.0, "#": sum(len(one.words) for one in sentences) / 10}
    for sentence in sentences:
        end = "?" if sentence.asks else "…" if sentence.trails else "."
        words = ["^", *(_fold_word(word, context) for word in sentence.words), end]
        found |= dict.fromkeys(words, 1.0)
        found |= dict.fromkeys(map(" ".join, pairwise(words)), 1.0)
        found |= dict.fromkeys((f"{word[:STEM]}-" for word in words if len(word) > STEM), 1.0)
        for kind, count in Counter(_describe_words(sentence, context, own)).items():
            number, share = f"#{kind}", f"%{kind}"
            found[number] = max(found.get(number, 0.0), min(count, LONGEST_COUNT) / 1.5)
            found[share] = max(found.get(share, 0.0), 3 * count / len(sentence.words))
    return found


def _fold_word(word: str, context: RemarkContext) -> str:
    return "<name>" if word in context.people else re.sub(r"\d+", "0", word)


def _describe_words(sentence: Sentence, context: RemarkContext, own: RemarkWords) -> Iterator[str]:
    grammar = own.grammar
    named = {"person": grammar.persons, "question": grammar.questions, "intent": grammar.intent}
    for at, word in enumerate(sentence.words):
        if word in context.people:
            yield "name"
        elif word == CHOICE:
            yield "choice"
        elif is_of_game(word):
            yield "game"
        elif kinds := [kind for kind, words in named.items() if word in words]:
            yield kinds[0]
        else:
            capital = at > 0 and word in sentence.capitals
            yield own.class_of(word) or ("capital" if capital else "unknown")


def is_of_game(word: str) -> bool:
    return word in whole_lexicon().orders.verbs or is_card_or_point(word)


def is_card_or_point(word: str) -> bool:
    return word in whole_lexicon().orders.symbols or POINT.fullmatch(word) is not None


def puts_off(sentence: Sentence) -> bool:
    """True if a sentence has a phrase that takes back or postpones, such as "not so fast"."""
    words = " ".join(sentence.words)
    return any(own.put_off.search(words) for own in remark_words())


def is_doubtful(word: str) -> bool:
    if is_foreign_doubt(word):
        return True
    return any(own.class_of(word) is WordClass.DOUBTFUL for own in remark_words())


LONGEST_ANSWER = 8


def says_yes(line: str, lexicon: Lexicon, own: Collection[str] = ()) -> bool:
    """True if a line is only a yes; `own`: further phrases that mean yes to the question."""
    plain = normalise_line(line)
    return "?" not in line and (plain in lexicon.answers["yes"] or plain in own)


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
    return normalise_line(line).partition(" ")[0] in lexicon.answers["leaning"]


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
    signs = shared_words().signs
    stems = (*signs.devices, *signs.phones) if len(words) <= MOST_PHONE_WORDS else signs.devices
    return quotations.program_patterns().own_line.match(line) is not None or any(
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
    if worst is RemarkKind.PLAIN and len(kinds) > 1:
        worst = _judge_together(sentences, context)
    return RemarkKind.FOOTER if not worst.is_harmless and _is_footer(piece, context, signed) else worst


def _judge_together(sentences: Sequence[Sentence], context: RemarkContext) -> RemarkKind:
    """Judge sentences of a line, each of which is plain, as one remark."""
    words = [word for one in sentences for word in one.words]
    repeated = len({one.words for one in sentences}) == 1  # "Back! Back! Back!"
    languages = _languages_of(words, context)
    if repeated or any(weigh_doubt(sentences, context, own) >= MOST_DOUBT for own in languages):
        return RemarkKind.DOUBTFUL
    return RemarkKind.PLAIN


def _is_label(piece: str) -> bool:
    if piece.strip()[-1:] not in (":", "]", "}"):
        return False
    plain = normalise_line(fold_text(piece))
    return any(plain in own.grammar.labels for own in remark_words())


def _is_footer(piece: str, context: RemarkContext, signed: bool) -> bool:
    if is_device_line(piece):
        rest = CONTACT.sub(" ", quotations.program_patterns().own_line.sub(" ", piece, count=1))
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
        if any(is_of_game(word) or is_doubtful(word) for word in sentence.words):
            return True
    return any(sentence.asks or sentence.trails for sentence in sentences)
