"""A yes or a no to a vote, in people's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from emails.languages.lexicon import Lexicon
from emails.languages.vocabulary_files import Phrases
from emails.replies.time_requests.clauses import RequestSentence, cut_sentences, has, without


class SaidAnswer(StrEnum):
    """What somebody says who is asked to agree."""

    AGREES = "agrees"
    DECLINES = "declines"
    UNCLEAR = "unclear"
    """They speak of it, and neither agree nor decline for certain."""


def read_vote_answer(lines: Sequence[str], lexicon: Lexicon, names: frozenset[str]) -> SaidAnswer | None:
    """What the lines of a mail say to what they are asked; None where they say nothing to it.

    `names`: the words of the names of all who play, in small letters.
    """
    own = lexicon.votes
    sentences = cut_sentences([line.replace(",", " ") for line in lines]) or []
    agrees = [_consists_of(one, own.agree, lexicon, names) for one in sentences]
    declines = [_consists_of(one, own.decline, lexicon, names) for one in sentences]
    depends = any(has(one.words, own.depends) or one.asks or one.trails for one in sentences)
    if not any(agrees) and not any(declines):
        begins = any(has(one.words, (*own.agree, *own.decline)) for one in sentences[:1])
        return SaidAnswer.UNCLEAR if begins or depends else None
    if any(agrees) == any(declines) or depends:
        return SaidAnswer.UNCLEAR
    others = [one for one, yes in zip(sentences, agrees, strict=True) if not yes]
    if any(declines):
        return SaidAnswer.DECLINES
    turned = any(has(one.words, (*lexicon.topics.negation, *own.doubt)) for one in others)
    return SaidAnswer.UNCLEAR if turned else SaidAnswer.AGREES


def says_by_sign(lines: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether the first line of a mail is a sign that agrees, and nothing else."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return first in lexicon.votes.agree and re.search(r"\w", first) is None


def _consists_of(
    sentence: RequestSentence, phrases: Phrases, lexicon: Lexicon, names: frozenset[str]
) -> bool:
    """Whether a sentence is made of some phrases, courtesies and names alone."""
    left = without(sentence.words, (*phrases, *lexicon.topics.aside, *lexicon.votes.agree_aside))
    return has(sentence.words, phrases) and names.issuperset(re.findall(r"\w[\w']*", left))
