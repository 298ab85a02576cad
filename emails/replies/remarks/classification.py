"""What stands beside orders: known to be harmless, or to be asked about.

The promise is that nothing is played that its writer did not mean, and nobody can list all the ways of taking
an order back. So the list is turned round: words beside orders leave them alone only where every sentence is
known to be harmless. A courtesy, a name, what machines and companies put below, and small talk are: sentences
of words that are known, in one language, with none among them that negates, hedges, puts off, asks or speaks
of the game. Where a sentence points at something ("that", "it") or is short, all of it must be known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from emails.replies.remarks import footers
from emails.replies.remarks.affirmations import normalise_line
from emails.replies.remarks.greetings import is_greeting
from emails.replies.remarks.remark_kinds import RemarkContext, RemarkKind
from emails.replies.remarks.remark_words import WordClass, match_friendly, may_doubt, remark_words
from emails.replies.remarks.sentences import Sentence, fold_text, has_hesitant_sign, split_sentences
from emails.replies.remarks.small_talk import (
    classify_sentence,
    is_card_or_point,
    is_doubtful,
    is_of_game,
)

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
        word in own.openers or own.class_of(word) is WordClass.DOUBTFUL
        for word in words
        for own in remark_words()
    )


def classify(piece: str, context: RemarkContext, signed: bool = False) -> RemarkKind:
    """What a line or a few joined ones are; signs that hesitate doubt, wherever they stand."""
    if has_hesitant_sign(piece):
        return RemarkKind.DOUBTFUL
    legal = footers.is_legal_line(piece) and not any(
        map(is_card_or_point, re.findall(r"\w+", piece.casefold()))
    )
    if legal or footers.is_attachment(piece) or footers.is_sensitivity_label(piece):
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
    return any(plain in own.labels for own in remark_words())


def _is_footer(piece: str, context: RemarkContext, signed: bool) -> bool:
    """Whether a machine put a line there, or it is one of a signature, though its words are not all known."""
    if footers.is_device_line(piece):
        return not _has_doubt(split_sentences(footers.words_of_device_line(piece)))
    named = re.sub(r"[^\W_]+", lambda found: "" if found[0].casefold() in context.people else found[0], piece)
    sentences = split_sentences(footers.without_contacts(named))
    words = [word for one in sentences for word in one.words if not word.isdigit()]
    if any(one.asks or one.trails for one in sentences):
        return False
    if any(is_of_game(word) or is_doubtful(word) for word in words):
        return False
    if footers.is_contact_line(named):
        return True
    if len(words) == 1 and (
        words[0] in context.places or any(own.class_of(words[0]) for own in remark_words())
    ):
        return False  # "Tomorrow", and no town
    return signed and bool(words) and footers.is_letterhead(named) and not any(map(_is_said, words))


def _is_said(word: str) -> bool:
    """Whether a word makes a sentence of a line in which each begins with a capital."""
    if word in footers.LETTERHEAD_JOINERS:
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
