"""A mail about time as its clauses, in the words of its language, and what it most likely asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from emails.languages.lexicon import Lexicon
from emails.languages.time_words import TopicWords
from emails.replies.dates.absences import DateQuestion
from emails.replies.time_requests.request_sentences import has, negates, part_dates
from emails.replies.time_requests.topic_clauses import TopicClause
from emails.wording.requests import Request


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who writes a mail about time, and where the game stands."""

    own: frozenset[str]
    """The words of their name in small letters."""
    others: frozenset[str]
    """Those of the names of the others."""
    mover: frozenset[str]
    """Those of whoever is to move."""
    today: date
    paused: bool = False

    @property
    def moves(self) -> bool:
        """Whether it is their turn."""
        return bool(self.own & self.mover)


@dataclass(frozen=True, slots=True)
class TopicGuess:
    """What a mail may mean: each meaning one request; or what is to be asked about days away."""

    meanings: tuple[Request, ...] = ()
    """The best first."""
    doubt: DateQuestion | None = None
    told: tuple[TopicClause, ...] = ()
    """The clauses that tell it."""
    plain: bool = False
    """Whether it is done without a question."""


def is_named(name: str, words: Sequence[str], topics: TopicWords) -> bool:
    """Whether a name that is an ordinary word too is the name there: "Ben is", and not "ik ben"."""
    padded = (",", *words, ",")
    for before, one, after in zip(padded, padded[1:], padded[2:], strict=False):
        if one == name:
            opens = before == "," and after not in topics.third
            if not (opens or before in topics.own or after in topics.own):
                return True
    return False


class TopicMail:
    """The clauses of a mail that ask for something themselves, in the words of a lexicon."""

    def __init__(self, clauses: Sequence[TopicClause], lexicon: Lexicon, speaker: Speaker) -> None:
        self.lexicon, self.speaker, self.words = lexicon, speaker, lexicon.topics
        self.all = clauses
        self.clauses = [one for one in clauses if not has(one.words, lexicon.topics.past)]

    def is_own(self, clause: TopicClause) -> bool:
        """Whether it speaks of its writer, or of nobody."""
        own = has(clause.words, self.words.own) or self.names(clause.words) & self.speaker.own
        return bool(own) or not (self.is_others(clause.words))

    def is_others(self, words: str) -> bool:
        """Whether words speak of somebody else."""
        return has(words, self.words.others) or bool(self.names(words) & self.speaker.others)

    def names(self, words: str) -> set[str]:
        """The words of names among words."""
        every = words.split()
        plain = {one.removesuffix("'s").removesuffix("s'") for one in every} | set(every)
        found = plain & (self.speaker.own | self.speaker.others)
        return {one for one in found if one not in self.words.small or is_named(one, every, self.words)}

    def tells_own(self, clause: TopicClause) -> bool:
        """Whether it speaks of its writer by a word."""
        return has(clause.words, self.words.own)

    def negated(self, clause: TopicClause, words: tuple[str, ...], *, behind: bool = True) -> bool:
        """Whether some words are negated there."""
        return negates(clause.words, self.words.negation, words, behind=behind)

    def dates_of(self, words: str) -> tuple[str, ...]:
        """The runs of words that tell dates."""
        return part_dates(words, self.lexicon)[0]
