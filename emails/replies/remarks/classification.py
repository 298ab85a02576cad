"""The classification of what stands beside orders: a yes or no, a footer, small talk, or a doubt."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from emails.languages.lexicon import Lexicon
from emails.languages.mail_words import read_signs
from emails.replies import quotations
from emails.replies.remarks.remark_words import (
    RemarkContext,
    RemarkKind,
    Sentence,
    WordClass,
    fold_text,
    has_hesitant_sign,
    match_friendly,
    may_doubt,
    remark_words,
    split_sentences,
)
from emails.replies.remarks.small_talk import (
    classify_sentence,
    is_card_or_point,
    is_doubtful,
    is_greeting,
    is_of_game,
)

LONGEST_PHRASE = 8
"""Words of a phrase that says yes or no, or stands behind one."""


def says_no(line: str, lexicon: Lexicon) -> bool:
    """Whether a line says no, and then at most why or that somebody is sorry."""
    return "?" not in line and _goes_on(line, lexicon.answers.no, lexicon.answers.excuses)


def excuses(line: str, lexicon: Lexicon) -> bool:
    """Whether a line beside a no says why, or that somebody is sorry, and nothing else."""
    return "?" not in line and _goes_on(line, lexicon.answers.excuses, ())


def says_yes(line: str, lexicon: Lexicon, own: Collection[str] = ()) -> bool:
    """Whether a line says yes and nothing else. `own`: other words that say so to what was asked."""
    plain = normalise_line(line)
    return "?" not in line and (plain in lexicon.answers.yes or plain in own)


def agrees(line: str, lexicon: Lexicon, own: Collection[str]) -> bool:
    """Whether a line says yes to an invitation, and then at most what does not change it."""
    yes = (*lexicon.answers.yes, *own)
    return "?" not in line and _goes_on(line, yes, lexicon.answers.agreeable)


def _goes_on(line: str, first: Collection[str], others: Collection[str]) -> bool:
    """Whether a line is one of some phrases, and then any of these and of others."""
    words = normalise_line(line).split()
    at, known = 0, {*first}
    while at < len(words):
        ends = range(min(len(words), at + LONGEST_PHRASE), at, -1)
        end = next((end for end in ends if " ".join(words[at:end]) in known), 0)
        if not end:
            return False
        at, known = end, {*first, *others}
    return at > 0


def begins_with_yes(line: str, lexicon: Lexicon) -> bool:
    """Whether a line begins as one that says yes, whatever follows."""
    return normalise_line(line).partition(" ")[0] in lexicon.answers.leaning


def normalise_line(line: str) -> str:
    """A line in small letters, its signs left out."""
    return " ".join("".join(char if char.isalnum() else " " for char in line.casefold()).split())


LONGEST_DEVICE_LINE = 16
"""Words."""
SHORTEST_LEGAL_LINE = 25
"""Characters."""
CONTACT = re.compile(
    r"(?:https?://|www\.|mailto:)\S+|\S+@\S+\.\w+|\S+\.(?:com|org|net|nl|de|be|eu|fr|uk|example)\b\S*"
    r"|\+?\d[\d\s()/.-]{6,}\d|(?<!['\u2019\w])(?:tel|fax|mob|t|m|e|w|p)\s?[.:]",
    re.IGNORECASE,
)
"""By what a line of a signature says how its writer is reached."""
ATTACHMENT = re.compile(r"\W*[\w.-]{1,40}\.(?:png|jpe?g|gif|svg|pdf|html?|txt|ics|vcf|asc)\W*", re.IGNORECASE)
"""The name of a file, as programs write it where they leave it out."""
LETTERHEAD_JOINERS = frozenset(
    "of the and for at van de der den het en voor bij von und für et du la le y".split()
)
MOST_LETTERHEAD_WORDS = 9
MOST_PHONE_WORDS = 5
"""In a line by which a telephone signs in a language that has no folder here."""
SENSITIVITY_CODE = re.compile(r"[a-z]?\d")
"""A level of secrecy, as companies number them."""
LONGEST_ACRONYM = 3


def is_device_line(line: str) -> bool:
    """Whether a mail program or a machine has put this line there."""
    words = re.findall(r"\w+", line.casefold())
    if len(words) > LONGEST_DEVICE_LINE:
        return False
    signs = read_signs()
    stems = (*signs.devices, *signs.phones) if len(words) <= MOST_PHONE_WORDS else signs.devices
    return quotations.own_line_pattern().match(line) is not None or any(
        word.startswith(stem) for word in words for stem in stems
    )


def words_of_device_line(line: str) -> str:
    """What a device line says beside the words by which it is known."""
    return CONTACT.sub(" ", quotations.own_line_pattern().sub(" ", line, count=1))


def is_attachment(line: str) -> bool:
    """Whether a line is the name of a file and nothing else."""
    return ATTACHMENT.fullmatch(line) is not None


def is_sensitivity_label(line: str) -> bool:
    """Whether a line is the label of a level of secrecy: "Sensitivity: Internal"."""
    key, colon, level = line.casefold().partition(":")
    words = re.findall(r"[^\W_]+", level)
    return bool(colon and words) and any(
        key.strip(" [(*") in own.grammar.sensitivity
        and all(word in own.grammar.levels or SENSITIVITY_CODE.fullmatch(word) for word in words)
        for own in remark_words()
    )


def is_legal_line(line: str) -> bool:
    """Whether a line stands in what companies put under their mails."""
    folded = line.casefold()
    if len(line) < SHORTEST_LEGAL_LINE or not any(own.legal.search(folded) for own in remark_words()):
        return False
    words = set(re.findall(r"\w+", folded))
    return not any(
        words & own.grammar.persons for own in remark_words()
    )  # who speaks of themselves says more


def without_contacts(line: str) -> str:
    """A line without addresses and numbers by which its writer is reached."""
    return CONTACT.sub(" ", line)


def is_contact_line(line: str) -> bool:
    """Whether a line says how its writer is reached, and nothing else that is a sentence."""
    rest = without_contacts(line)
    return rest != line and is_letterhead(rest)


def is_letterhead(line: str) -> bool:
    """Whether a line looks as names, titles, companies and towns do: each word with a capital."""
    words = re.findall(r"[^\W_]+", line)
    loud = any(word.isupper() and len(word) > LONGEST_ACRONYM for word in words)
    if loud or len(words) > MOST_LETTERHEAD_WORDS:
        return False
    return all(word[0].isupper() or word.isdigit() or word in LETTERHEAD_JOINERS for word in words)


SAYING = (WordClass.STRUCTURE, WordClass.DEICTIC, WordClass.NUMBER)
MOST_SENTENCES = 60
"""Beside orders; nobody writes more, and to judge one takes time."""
LONE_SIGN = re.compile(r"[?/]|\.\s*\.|…")


def find_doubt(pieces: Iterable[str], context: RemarkContext, signed: bool = False) -> str | None:
    """The first piece that is not known to be harmless, as it is written; None where all are.

    `signed`: they stand below a name or the mark of a signature.
    """
    left = MOST_SENTENCES
    for piece in pieces:
        left -= len(split_sentences(piece)) or 1
        kind = classify(piece, context, signed)
        if left < 0 or not (kind.is_harmless or (kind is RemarkKind.UNKNOWN and not context.of_game)):
            return piece
    return None


def says_more(line: str) -> bool:
    """Whether some word of a line doubts, whatever else stands there."""
    words = [word for sentence in split_sentences(line) for word in sentence.words]
    return any(
        word in own.grammar.openers or own.class_of(word) is WordClass.DOUBTFUL
        for word in words
        for own in remark_words()
    )


def classify(piece: str, context: RemarkContext, signed: bool = False) -> RemarkKind:
    """What a line or a few joined ones are; signs that hesitate doubt, wherever they stand."""
    if has_hesitant_sign(piece):
        return RemarkKind.DOUBTFUL
    legal = is_legal_line(piece) and not any(map(is_card_or_point, re.findall(r"\w+", piece.casefold())))
    if legal or is_attachment(piece) or is_sensitivity_label(piece):
        return RemarkKind.FOOTER
    if _is_label(piece) or is_greeting(piece, context.people):
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
    """Whether a machine put a line there, or it is one of a signature, though its words are not all known."""
    if is_device_line(piece):
        return not _has_doubt(split_sentences(words_of_device_line(piece)))
    named = re.sub(r"[^\W_]+", lambda found: "" if found[0].casefold() in context.people else found[0], piece)
    sentences = split_sentences(without_contacts(named))
    words = [word for one in sentences for word in one.words if not word.isdigit()]
    if any(one.asks or one.trails for one in sentences):
        return False
    if any(is_of_game(word) or is_doubtful(word) for word in words):
        return False
    if is_contact_line(named):
        return True
    if len(words) == 1 and (
        words[0] in context.places or any(own.class_of(words[0]) for own in remark_words())
    ):
        return False  # "Tomorrow", and no town
    return signed and bool(words) and is_letterhead(named) and not any(map(_is_said, words))


def _is_said(word: str) -> bool:
    """Whether a word makes a sentence of a line in which each begins with a capital."""
    if word in LETTERHEAD_JOINERS:
        return False
    return may_doubt(word) or any(own.class_of(word) in SAYING for own in remark_words())


def _has_doubt(sentences: Sequence[Sentence]) -> bool:
    """Whether a device line holds more than the words of one."""
    for sentence in sentences:
        at = 0
        while at < len(sentence.words):
            count = max(match_friendly(sentence.words, at, own) for own in remark_words())
            word = sentence.words[at]
            if not count and (is_of_game(word) or is_doubtful(word)):
                return True
            at += count or 1
    return any(sentence.asks or sentence.trails for sentence in sentences)
