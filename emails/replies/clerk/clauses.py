"""Clauses of a text: what each mentions, in each way that corrections and "or" allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import product

from emails.replies.clerk.mentions import ENDS, MeaningKind, Mention, MentionedThing

STRONG = frozenset({MeaningKind.VERB, MeaningKind.CARD, MeaningKind.PLACE, MeaningKind.POINT})
"""What an order is made of: no reading may leave it out."""
NAMES = frozenset(
    {
        MeaningKind.CARD,
        MeaningKind.PLACE,
        MeaningKind.POINT,
        MeaningKind.LETTER,
        MeaningKind.NUMBER,
        MeaningKind.CORNER,
    }
)
MOST_VARIANTS = 4
MOST_ALTERNATIVES = 2


class ClauseLink(Enum):
    """How a clause hangs on the one before, where it does not only follow it."""

    ALTERNATIVE = auto()
    """It is meant, or the one before is."""
    CORRECTION = auto()
    """It is meant instead."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Some words that say one thing, or a part of it."""

    mentions: tuple[Mention, ...]
    link: ClauseLink | None = None
    strange: int = 0
    """Words beside them that nobody knows."""

    @property
    def strong(self) -> tuple[Mention, ...]:
        """What of it no reading may leave out."""
        return tuple(one for one in self.mentions if is_strong(one))

    @property
    def has_verb(self) -> bool:
        """Whether it says what is to be done."""
        return any(one.has(MeaningKind.VERB) and not one.has(MeaningKind.FILLER) for one in self.mentions)


def is_strong(mention: Mention) -> bool:
    """Whether a mention must have its part in what is meant."""
    return bool(mention.kinds & STRONG) and MeaningKind.FILLER not in mention.kinds and not mention.guessed


def is_name(mention: Mention) -> bool:
    """Whether a mention names a card, a place, a point or a choice."""
    return bool(mention.kinds & NAMES) and MeaningKind.FILLER not in mention.kinds


def list_variants(clauses: Sequence[Clause]) -> tuple[tuple[Clause, ...], ...]:
    """The clauses as they are meant once corrections are made, in each way that "or" allows."""
    corrected: list[Clause] = []
    for clause in clauses:
        if clause.link is ClauseLink.CORRECTION and corrected:
            corrected = [*_replace(corrected, clause)]
        else:
            corrected.append(clause)
    choices: list[list[list[Clause]]] = []
    for clause in corrected:
        if clause.link is ClauseLink.ALTERNATIVE and choices and len(choices[-1]) <= MOST_ALTERNATIVES:
            before = choices[-1][0]
            choices[-1].append([*_replace(before, clause)])
        else:
            choices.append([[clause]])
    found = [tuple(one for part in parts for one in part) for parts in product(*choices)]
    return tuple(found[:MOST_VARIANTS])


def _replace(before: Sequence[Clause], clause: Clause) -> Iterator[Clause]:
    """Clauses of which the last that says the like says this instead."""
    plain = replace(clause, link=None)
    if clause.has_verb:
        verbs = _verbs_of(clause)
        at = next(
            (n for n in range(len(before) - 1, -1, -1) if verbs & _verbs_of(before[n])), len(before) - 1
        )
        yield from (*before[:at], plain, *before[at + 1 :])
        return
    rest = list(before)
    kinds = {kind for one in clause.mentions if is_name(one) for kind in one.kinds} & NAMES
    for at in range(len(rest) - 1, -1, -1):
        same = [one for one in rest[at].mentions if one.kinds & kinds]
        if same:
            kept = tuple(one for one in rest[at].mentions if one not in same)
            rest[at] = replace(rest[at], mentions=(*kept, *clause.mentions))
            yield from rest
            return
    yield from (*rest, plain)


def _verbs_of(clause: Clause) -> set[MentionedThing]:
    return {
        value
        for one in clause.mentions
        if not one.has(MeaningKind.FILLER)
        for value in one.values(MeaningKind.VERB)
    }


MOST_CLAUSES = 14
"""Clauses of a text that are looked at."""


class Aside(Enum):
    """Why words up to the end of a sentence, or of a part of it, ask for nothing."""

    QUESTION = auto()
    CONDITION = auto()
    """What they say depends on something, or something depends on it."""
    PLAN = auto()
    """They put off what they say."""
    OTHERS = auto()
    """They speak of other players."""


@dataclass(frozen=True, slots=True)
class MentionClauses:
    """What a text says, clause by clause."""

    variants: tuple[tuple[Clause, ...], ...]
    """What it asks for; several where it says "or"."""
    denied: tuple[tuple[Mention, ...], ...] = ()
    """What is not to be done."""
    unknown: tuple[str, ...] = ()
    """Words that nobody knows."""
    condition: str = ""
    """The word by which some of it depends on something."""
    plan: str = ""
    """The words by which some of it is put off."""
    question: bool = False
    """Whether some of it is asked."""
    retracted: str = ""
    """The words by which all of it is taken back."""


@dataclass(slots=True)
class _Parser:
    """Walks over the mentions of a text."""

    clauses: list[Clause] = field(default_factory=list)
    denied: list[tuple[Mention, ...]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    condition: str = ""
    plan: str = ""
    question: bool = False
    retracted: str = ""
    now: list[Mention] = field(default_factory=list)
    link: ClauseLink | None = None
    """How the clause that is being read hangs on the one before."""
    strange: int = 0
    negated: bool = False
    """Whether what comes is denied."""
    aside: Aside | None = None
    """Why what comes asks for nothing."""
    skipping: bool = False
    """Whether the next name only tells where something is."""
    since: int = 0
    """The first clause since the last sign within the sentence."""
    depends: bool = False
    """Whether something depends on what the sentence says, and nothing yet that stands behind it."""
    begun: int = 0
    """The first clause of the sentence."""
    _last_sign: str = ""
    _halting: bool = False

    def parse(self, mentions: Sequence[Mention]) -> MentionClauses:
        """All that a text says."""
        for sentence in _split_sentences(mentions):
            self._parse_sentence(sentence)
        if self.link is ClauseLink.CORRECTION:
            self.retracted = self.retracted or self._last_sign
        variants = () if self.retracted else list_variants(self.clauses[:MOST_CLAUSES])
        return MentionClauses(
            variants,
            tuple(self.denied),
            tuple(self.unknown),
            self.condition,
            self.plan,
            self.question,
            self.retracted,
        )

    def _parse_sentence(self, sentence: Sequence[Mention]) -> None:
        asked = self._is_question(sentence)
        self.aside, self.negated = Aside.QUESTION if asked else None, False
        self.since = self.begun = begun = len(self.clauses)
        for at, mention in enumerate(sentence):
            following = sentence[at + 1] if at + 1 < len(sentence) else None
            self._take_mention(mention, following)
        self._close()
        if self.depends:  # then it is what stands before
            del self.clauses[begun:]
            self.depends = False
        if len(self.clauses) > begun and self.strange:  # words at its end
            self.clauses[-1] = replace(self.clauses[-1], strange=self.clauses[-1].strange + self.strange)
        elif len(self.clauses) == begun and self.strange:  # it says nothing of the game
            del self.unknown[-self.strange :]
        self.strange = 0
        if self.link is ClauseLink.CORRECTION and not self._halting:
            self.link = None

    def _is_question(self, sentence: Sequence[Mention]) -> bool:
        if any(one.has(MeaningKind.SIGN, "requests") for one in sentence):
            return False
        first = next((one for one in sentence if one.meanings and one.kinds != {MeaningKind.FILLER}), None)
        return any(one.text == "?" for one in sentence) or (
            first is not None
            and first.has(MeaningKind.SIGN, "questions")
            and not first.has(MeaningKind.FILLER)
        )

    def _take_mention(self, mention: Mention, following: Mention | None) -> None:
        if mention.sign:
            self._close()
            self.negated = False
            self.since = len(self.clauses)
            if self.aside is Aside.OTHERS:
                self.aside = None
            return
        if not mention.meanings:
            if any(map(str.isalpha, mention.text)):
                self.unknown.append(mention.text)
                self.strange += 1
            return
        signs = {str(value) for value in mention.values(MeaningKind.SIGN)}
        if signs and not self._take_signs(mention, signs, following):
            return
        if mention.kinds == {MeaningKind.FILLER}:
            return
        if self.skipping and is_name(mention):
            self.skipping = False
            self.unknown.append(mention.text)
            return
        if self._begins_clause(mention, following):
            self._close()
        self.now.append(mention)

    def _take_signs(self, mention: Mention, signs: set[str], following: Mention | None) -> bool:
        """Take in what a sign does; whether it is a part of its clause too."""
        ends = following is None or bool(following.sign)
        if "negations" in signs and not ("corrections" in signs and ends):
            self._close()
            self.negated = True
            return False
        if "retractions" in signs:
            self._close()
            self.clauses.clear()
            self.retracted = mention.text
            self._last_sign = mention.text
            return False
        if "corrections" in signs:
            if self.clauses or self.now:
                self._close()
                self.link, self._last_sign = ClauseLink.CORRECTION, mention.text
                self._halting = "halts" in signs
            return False
        if signs & {"only_if", "conditions"}:
            if "only_if" in signs:
                self.since = self.begun
            if self.now or "only_if" in signs:
                self._drop_since()
            self.depends = True
            self.aside, self.condition = Aside.CONDITION, mention.text
            return False
        if "plans" in signs:
            self._drop_since()
            self.aside, self.plan = Aside.PLAN, mention.text
            return False
        if "either" in signs:
            self._close()
            self.link = ClauseLink.ALTERNATIVE
            return False
        if "joining" in signs and not (mention.has(MeaningKind.ORDINAL) and not self.now):
            self._close()
            self.since = len(self.clauses)
            return mention.has(MeaningKind.NOUN) or mention.has(MeaningKind.VERB)
        if "others" in signs and not self.now and self.aside is None:
            self.aside = Aside.OTHERS
            return False
        if "besides" in signs:
            self.skipping = True
            return False
        return bool(signs & {"giving", "passing", "leaving"}) or mention.kinds != {MeaningKind.SIGN}

    def _drop_since(self) -> None:
        """Leave out what the sentence said since its last comma."""
        self.now.clear()
        del self.clauses[self.since :]

    def _begins_clause(self, mention: Mention, following: Mention | None) -> bool:
        """Whether a new clause begins with a verb, or with the same thing again."""
        if mention in self.now and (mention.has(MeaningKind.VERB) or mention.has(MeaningKind.CARD)):
            return True
        if (
            not mention.has(MeaningKind.VERB)
            or mention.has(MeaningKind.FILLER)
            or not self.now
            or mention.has(MeaningKind.NOUN)
        ):
            return False
        verbs = [one for one in self.now if one.has(MeaningKind.VERB) and not one.has(MeaningKind.FILLER)]
        named = any(is_name(one) for one in self.now)
        if not verbs and (following is None or following.sign or following.has(MeaningKind.SIGN, "joining")):
            return False  # "the soldier take"
        if verbs and not named:
            return all(
                set(one.values(MeaningKind.VERB)).isdisjoint(mention.values(MeaningKind.VERB))
                for one in verbs
            )
        return named or bool(verbs)

    def _close(self) -> None:
        """End the clause that is being read."""
        found, link = tuple(self.now), self.link
        self.now.clear()
        if not found or all(one.kinds <= {MeaningKind.FILLER, MeaningKind.SIGN} for one in found):
            return
        if self.aside is not None:
            self.question |= self.aside is Aside.QUESTION and any(map(is_strong, found))
            self.depends = self.depends and not any(map(is_strong, found))
            return
        if self.negated:
            if strong := tuple(one for one in found if is_strong(one) or is_name(one)):
                self.denied.append(strong)
            return
        if link is None and self.clauses and _is_path(found) and self._goes_on():
            last = self.clauses[-1]
            self.clauses[-1] = replace(last, mentions=(*last.mentions, *found))
            return
        self.clauses.append(Clause(found, link, self.strange))
        self.link, self.retracted, self.strange = None, "", 0

    def _goes_on(self) -> bool:
        """Whether the last clause may be a path, or end with a part of one."""
        last = self.clauses[-1].mentions[-1]
        return len(self.clauses) > self.begun and last.has(MeaningKind.POINT)


def _is_path(mentions: Sequence[Mention]) -> bool:
    return all(one.has(MeaningKind.POINT) or one.has(MeaningKind.SIGN, "passing") for one in mentions)


def parse_clauses(mentions: Sequence[Mention]) -> MentionClauses:
    """What a text says, clause by clause."""
    return _Parser().parse(mentions)


def _split_sentences(mentions: Sequence[Mention]) -> Iterator[list[Mention]]:
    sentence: list[Mention] = []
    for mention in mentions:
        sentence.append(mention)
        if mention.sign in ENDS and mention.sign:
            yield sentence
            sentence = []
    if sentence:
        yield sentence
