"""Small talk: greetings, farewells, and sentences that are harmless by the grammar of their words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from emails.languages.lexicon import whole_lexicon
from emails.replies.remarks.remark_words import (
    DOUBTS,
    RemarkContext,
    RemarkKind,
    RemarkWords,
    Sentence,
    WordClass,
    fold_text,
    has_hesitant_sign,
    match_friendly,
    other_words,
    remark_words,
)

WORD = re.compile(r"\w+(?:'\w+)?")
LONGEST_PHRASE = 5
"""Words."""


def count_greetings(lines: Sequence[str], people: Collection[str]) -> int:
    """How many lines at the beginning are greetings and nothing else."""
    return next((at for at, line in enumerate(lines) if not is_greeting(line, people)), len(lines))


def find_farewells(lines: Sequence[str], people: Collection[str]) -> frozenset[int]:
    """Which lines are farewells and nothing else."""
    return frozenset(at for at, line in enumerate(lines) if is_farewell(line, people))


def is_greeting(line: str, people: Collection[str]) -> bool:
    """Whether a line is a greeting and nothing else, perhaps with names; thanks may begin a mail too."""
    return _begins_with_phrase(line, people, greets=True)


def is_farewell(line: str, people: Collection[str]) -> bool:
    """Whether a line is a farewell and nothing else, perhaps with a name."""
    return _begins_with_phrase(line, people, greets=False)


def has_known_name(line: str, people: Collection[str]) -> bool:
    """Whether a farewell or a signature tells who wrote; thanks alone may stand anywhere."""
    return any(word.casefold() in people for word in WORD.findall(line))


def _begins_with_phrase(line: str, people: Collection[str], greets: bool) -> bool:
    if "?" in line or has_hesitant_sign(line):
        return False
    words = WORD.findall(fold_text(line))[:12]
    for count in range(1, min(len(words), LONGEST_PHRASE) + 1):
        phrase = " ".join(words[:count]).casefold()
        if is_courtesy(phrase, greets) and _may_be_addressee(words[count:], people):
            return True
    return False


def is_courtesy(phrase: str, greets: bool) -> bool:
    """Whether words in small letters are a farewell or thanks, or a greeting where one may stand."""
    others = other_words()
    if phrase in others.farewells or (greets and phrase in others.greetings):
        return True
    return any(
        phrase in own.grammar.farewells
        or phrase in own.grammar.thanks
        or (greets and phrase in own.grammar.greetings)
        for own in remark_words()
    )


def _may_be_addressee(words: Sequence[str], people: Collection[str]) -> bool:
    """Whether these words name somebody: people of the game, everybody, or two words that may be a name."""
    if all(word.casefold() in people or _is_addressee(word.casefold()) for word in words):
        return len(words) < 10
    return len(words) <= 2 and all(map(_may_be_a_name, words))


def _is_addressee(word: str) -> bool:
    return word in other_words().addressees or any(word in own.addressees for own in remark_words())


def _may_be_a_name(word: str) -> bool:
    fold, orders = word.casefold(), whole_lexicon().orders
    if not word.istitle() or fold in orders.verbs or fold in orders.symbols or fold in other_words().doubtful:
        return False
    return not any(own.class_of(fold) is not None or fold in own.grammar.openers for own in remark_words())


LONGEST_SENTENCE = 80
"""Words; nobody writes more, and to judge them takes time."""
SHORTEST_LOOSE = 5
"""Words of a sentence of which some may be unknown."""
SHORTEST_PLAIN = 3
"""Words of a sentence of which one may be unknown."""
SHORTEST_PLAIN_ORDERLY = 4
"""Words of a sentence in which a verb may stand that could be an order."""
UNKNOWN_SHARE = 0.5
SHORTEST_COUNTED = 4
"""Letters of a word behind a number that nobody knows: three umbrellas."""
CONTENTS = (WordClass.EVERYDAY, WordClass.QUALITY)
POINT = re.compile(r"[a-z]{1,2}[1-9][0-9]?")
NUMBER = re.compile(r"\d+(?:st|nd|rd|th|e|de|ste)?")


def classify_sentence(sentence: Sentence, context: RemarkContext) -> RemarkKind:
    """What a sentence is: a courtesy, small talk, unknown or doubtful."""
    words = sentence.words
    if len(words) > LONGEST_SENTENCE:
        return RemarkKind.DOUBTFUL
    if not sentence.asks and is_greeting(sentence.text, context.people):
        return RemarkKind.COURTESY
    if all(word in context.people for word in words):
        return RemarkKind.DOUBTFUL if sentence.asks or sentence.trails else RemarkKind.COURTESY
    languages = _languages_of(words, context)
    if not languages:
        doubts = any(is_doubtful(word) or (context.of_game and is_of_game(word)) for word in words)
        return RemarkKind.DOUBTFUL if doubts else RemarkKind.UNKNOWN
    return max((_judge(sentence, context, own) for own in languages), key=list(RemarkKind).index)


def _languages_of(words: Sequence[str], context: RemarkContext) -> list[RemarkWords]:
    """The languages that know most of these words; none where others know more."""
    named = [word for word in words if word not in context.people]
    counts = [(_count_known(own, named), own) for own in remark_words()]
    most = max(count for count, _ in counts)
    foreign = other_words()
    others = sum(word in foreign.structure or word in foreign.doubtful for word in named)
    if most == 0 or others > most:
        return []
    return [own for count, own in counts if count == most]


def _count_known(own: RemarkWords, words: Sequence[str]) -> int:
    """How many words a language knows, alone or in a friendly phrase."""
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
    """What the words of a sentence are."""

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
    told = first in own.grammar.subjects and (
        first.endswith("s") or (words[1:2] and words[1] in own.grammar.being)
    )
    if told and not tally.qualities:
        return RemarkKind.UNKNOWN  # "it was the cat" tells who wrote
    return _weigh(sentence, first, bool(friendly), tally, own)


def _without_opening(words: Sequence[str], context: RemarkContext, own: RemarkWords) -> Sequence[str]:
    """The words from the first on that is more than a sound or a name."""
    for at, word in enumerate(words):
        if not (word in own.interjections or word in context.people) or match_friendly(words, at, own):
            return words[at:]
    return ()


def _is_doubt(words: Sequence[str], at: int, context: RemarkContext, own: RemarkWords) -> bool:
    """Whether a word makes a sentence doubtful wherever it stands."""
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
    """Whether another language knows a word as doubtful that this one does not know."""
    if word in other_words().doubtful:
        return True
    kinds = {other.class_of(word) for other in remark_words() if other is not own}
    return not kinds.isdisjoint({*DOUBTS, WordClass.NUMBER})


def _count_word(
    words: Sequence[str], at: int, sentence: Sentence, context: RemarkContext, own: RemarkWords, tally: _Tally
) -> None:
    word, kind = words[at], own.class_of(words[at])
    named = word in context.people or (at > 0 and kind is None and word in sentence.capitals)
    known = (
        kind is not None
        or named
        or NUMBER.fullmatch(word)
        or word in own.grammar.openers
        or word in own.grammar.questions
    )
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
    """What a sentence is in which no word is doubtful by itself."""
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
    """Whether so much of a sentence is known that the words that nobody knows may be let be."""
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
    """Whether a word in small letters is one of orders: a verb, a card, a point."""
    return word in whole_lexicon().orders.verbs or is_card_or_point(word)


def is_card_or_point(word: str) -> bool:
    """Whether a word in small letters names a card or a point."""
    return word in whole_lexicon().orders.symbols or POINT.fullmatch(word) is not None


def is_doubtful(word: str) -> bool:
    """Whether a word is doubtful in any language."""
    if word in other_words().doubtful:
        return True
    return any(own.class_of(word) is WordClass.DOUBTFUL for own in remark_words())
