"""The turn that a mail means beyond doubt, and proposals: the legal turns that fit its words best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise

from emails.i18n import gettext, gettext_noop
from emails.names import fold_accents
from emails.replies.clerk.meanings import (
    ClauseContent,
    ClauseMeaning,
    KnownPosition,
    MeaningFinder,
    facts_of,
    look_out,
)
from emails.replies.clerk.mentions import (
    LIST_MARK,
    STRONG,
    Aside,
    Clause,
    ClauseLink,
    Meaning,
    MeaningKind,
    Mention,
    MentionClauses,
    MentionedThing,
    MentionReader,
    is_name,
    is_strong,
    list_values,
    load_lexicon,
)
from emails.replies.grammars import LineKind
from emails.replies.remarks import (
    CHOICE,
    HESITATION,
    WORD,
    RemarkContext,
    RemarkKind,
    WordClass,
    classify_sentence,
    is_courteous,
    is_doubtful,
    is_of_game,
    may_doubt_choice,
    puts_off,
    remark_words,
    split_sentences,
)
from emails.replies.reply_reader import ARROW, Message
from emails.wording import options, phrases
from emails.wording.advice_text import glue_title, title_turns
from emails.wording.options import Option
from emails.wording.requests import OrderQuestion, example_plan
from engine import march_rules
from engine.actions import Action, Choose, Draw, Illegal, Levy, March, Occupy, Play, Recall, Take, TakeOver
from engine.cards import EMPTY, any_card
from engine.notation.grammar import read_canonical
from engine.notation.orders import Verb, write
from engine.position import Phase, View
from engine.provinces import levy_cards, province_at
from engine.rules import perform

# --- what no rule allows --------------------------------------------------------------------------------


def find_objection(now: KnownPosition, content: ClauseContent) -> Illegal | None:
    if now.over:
        return Illegal("3.1", "your turn is over")
    try:
        for action in _wanted_actions(now, content):
            perform(now.position, action, any_card)
    except Illegal as illegal:
        return illegal
    return None


def _wanted_actions(now: KnownPosition, content: ClauseContent) -> Iterator[Action]:
    phase = now.position.table.phase
    if phase is Phase.MARCH or (phase is Phase.CARD and not content.clear & AFTER_MARCH):
        yield from _marches(now, content)
    table = now.position.table
    if content.clear & {"takeover", "occupy"} or (phase is Phase.ACTIONS and content.places):
        for place in content.places:
            holder = province_at(table, place).holder
            yield Occupy((place,)) if holder in (None, table.seat) else TakeOver((place,), EMPTY)
    if "recall" in content.clear:
        yield from (Recall(place) for place in content.places)
    if "levy" in content.clear:
        if not (content.cards or levy_cards(table, table.seat, now.known.hand)):
            if table.levied:
                raise Illegal("3.2", "taxes are levied only once a turn")
            raise Illegal("5.11", "no card of yours can levy taxes")
        yield from map(Levy, content.cards)
    if "take" in content.clear or not content.clear:
        yield from (Take(card) for card in content.cards)
    if "draw" in content.clear:
        yield Draw()


AFTER_MARCH: frozenset[MentionedThing] = frozenset({"draw", "levy", "recall", "takeover"})


def _marches(now: KnownPosition, content: ClauseContent) -> Iterator[Action]:
    table, known = now.position.table, now.known
    if table.phase is Phase.CARD:
        cards = content.cards or {table.board.symbol_at(place) for place in content.places}
        for card in cards:
            if card not in table.display and card not in known.hand:
                yield Choose(card)
            after = now.after(Choose(card)) or now.after(Play(card))
            if after is None:
                yield Play(card) if card in known.hand else Choose(card)
                continue
            for place in content.places:
                if place not in march_rules.targets_of_chosen(after.position.table):
                    march_rules.judge_march(after.position.table, March(place, (table.alexander,)))
        return
    for place in content.places:
        yield March(place, (table.alexander,))


# --- readings -------------------------------------------------------------------------------------------

WIDTH = 4
"""Beam width: the number of readings that are followed at each clause."""
MOST_JOINED = 4
WEIGHTS: Mapping[MeaningKind, float] = {
    MeaningKind.LETTER: 5.0,
    MeaningKind.PLACE: 4.0,
    MeaningKind.CARD: 3.0,
    MeaningKind.VERB: 3.0,
    MeaningKind.POINT: 3.0,
    MeaningKind.NUMBER: 1.5,
    MeaningKind.ORDINAL: 1.5,
    MeaningKind.PLAYER: 1.0,
    MeaningKind.NOUN: 0.7,
    MeaningKind.SIGN: 0.2,
    MeaningKind.PARTICLE: 0.2,
}
FILLER_WEIGHT = 0.3
JOINED = 0.5
"""Cost of each clause beyond one per action."""
OFFERED, LATER_OFFER = 0.25, 0.02
"""Bonus of the first march or conquest that the letter offers, and how much less each later one has."""
BY_DESCRIPTION, NOT_CERTAIN = 0.2, 1.0
"""Cost of an offered turn that a text describes without naming it, and its guess."""
NAMING_VERBS: frozenset[MentionedThing] = frozenset({"choose", "march", "play", "take"})
"""Verbs that may describe an offered turn as a whole."""
TELLING: frozenset[MentionedThing] = frozenset(
    {"card", "supply", "display", "both", "again", "corner", "worth"}
)
ALONE: frozenset[MentionedThing] = frozenset({"draw", "end", "levy"})
"""Verbs of an order that needs no name."""


@dataclass(frozen=True, slots=True)
class OfferedTurn:
    """A turn that the letter offers."""

    names: frozenset[Meaning]
    """The facts of words that choose the turn as a whole."""
    unit: ClauseMeaning


def make_offer(now: KnownPosition, mark: str, number: int, actions: tuple[Action, ...]) -> OfferedTurn | None:
    count = int(mark) if mark.isdigit() else number
    names: set[Meaning] = {(MeaningKind.VERB, verb) for verb in ("choose", "take", "march")}
    names |= {(MeaningKind.NOUN, "option"), (MeaningKind.NOUN, "one")}
    names |= {(MeaningKind.LETTER, mark), (MeaningKind.ORDINAL, number), (MeaningKind.NUMBER, count)}
    draws = sum(isinstance(one, Draw) for one in actions)
    facts: set[Meaning] = set()
    if draws > 1:
        facts |= {(MeaningKind.NUMBER, draws), (MeaningKind.NOUN, "both")}
    step: KnownPosition | None = now
    for action in actions:
        if step is None:
            return None
        facts |= facts_of(step, action, broad=True)
        step = step.after(action)
    return OfferedTurn(frozenset(names), ClauseMeaning(actions, frozenset(facts)))


@dataclass(frozen=True, slots=True)
class Reading:
    now: KnownPosition
    actions: tuple[Action, ...] = ()
    score: float = 0.0
    explained: float = 0.0
    """The weight of the words that it explains; in the end, its share of that of all words."""
    left: tuple[Mention, ...] = ()
    guess: float = 0.0
    """The cost of details that the text does not state."""
    missed: int = 0
    """The number of words of weight that it does not explain."""
    facts: tuple[frozenset[Meaning], ...] = ()
    named: int = 0
    """The number of turns that the text names by a letter or number."""
    base: tuple[Action, ...] = ()
    """The offered turn that the text changes."""

    @property
    def is_choice(self) -> bool:
        """True if all clauses name or describe offered turns."""
        return 0 < self.named == len(self.facts)


class _Block:
    """Clauses that are read together."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = len(clauses)
        self.mentions = resolve_particles(tuple(one for clause in clauses for one in clause.mentions))
        self.content = ClauseContent(self.mentions)
        names = [_names_choice(clause.mentions) for clause in clauses]
        self.names_choice = any(names)
        self.vague = not is_whole(self.mentions)
        naming = (one for one, clause in zip(names, clauses, strict=True) for _ in clause.mentions)
        weighed = (
            (is_strong(one), _with_particle(one), _weight(one), _cost(one), _counts(one), names)
            for one, names in zip(self.mentions, naming, strict=True)
        )
        self.weighed = sorted(weighed, key=lambda one: not one[0])

    def explain(
        self, facts: frozenset[Meaning], names: frozenset[Meaning] = frozenset()
    ) -> tuple[float, float, int] | None:
        """Return the weight of the words that facts explain, and the cost and the number of the others.

        None if they explain nothing, or not all strong words. `names`: facts of an offered turn's name, which
        explain words beside the letter; then other strong words may be unexplained.
        """
        gain, cost, missed, explains = 0.0, 0.0, 0, False
        for strong, meanings, weight, price, counts, naming in self.weighed:
            if not facts.isdisjoint(meanings) or (naming and not names.isdisjoint(meanings)):
                gain += weight
                explains = explains or weight > FILLER_WEIGHT
            elif strong and not names:
                return None
            else:
                cost += price
                missed += counts
        return (gain, cost, missed) if explains else None

    def explain_by_choice(self, offer: OfferedTurn) -> tuple[float, float, int] | None:
        """Read the words as name and description of an offered turn; None if they name another one."""
        explained = self.explain(offer.unit.facts, offer.names)
        option = any(one.has(MeaningKind.NOUN, "option") for one in self.mentions)
        named = [one for one in self.mentions if _is_letter(one)] or [
            one for one in self.mentions if _is_ordinal(one) or (option and one.has(MeaningKind.NUMBER))
        ]
        marks = {one for one in offer.names if one[0] is not MeaningKind.NOUN}
        return None if any(marks.isdisjoint(one.meanings) for one in named) else explained


class ReadingSearch:
    def __init__(self, start: KnownPosition, choices: Mapping[str, tuple[Action, ...]]) -> None:
        turns = (action for actions in choices.values() for action in actions)
        self.advised = list(dict.fromkeys(one for one in turns if isinstance(one, March | Occupy | TakeOver)))
        self.start, self.finder = start, MeaningFinder(self.advised)
        numbered = enumerate(choices.items(), 1)
        made = (make_offer(start, mark, at, turn) for at, (mark, turn) in numbered)
        self.offers: list[OfferedTurn] = [one for one in made if one is not None]
        self._after: dict[tuple[Action, ...], KnownPosition | None] = {}

    def find(self, clauses: Sequence[Clause], denied: Sequence[tuple[Mention, ...]] = ()) -> list[Reading]:
        """Return the readings of clauses, the best first."""
        rows: list[dict[tuple[Action, ...], Reading]] = [{} for _ in range(len(clauses) + 1)]
        rows[0][()] = Reading(self.start)
        total = sum(_weight(one) for clause in clauses for one in clause.mentions) or 1.0
        for at, clause in enumerate(clauses):
            skipped = sum(map(_cost, clause.mentions))
            missed = sum(map(_counts, clause.mentions))
            blocks = [(end, _Block(clauses[at:end])) for end in range(at + 1, len(clauses) + 1)]
            for state in sorted(rows[at].values(), key=_by_score)[:WIDTH]:
                left = (*state.left, *clause.strong)
                score = state.score - skipped
                _keep_best(rows[at + 1], replace(state, score=score, left=left, missed=state.missed + missed))
                for end, block in blocks:
                    changes = end < len(clauses) and clauses[end].link is ClauseLink.CHANGE
                    for made in self._read(state, block, changes):
                        _keep_best(rows[end], made)
        found: dict[tuple[Action, ...], Reading] = {}
        for one in (*rows[-1].values(), *self._describe(clauses)):
            for whole in self._complete(one):
                if not _denies(whole, denied):
                    _keep_best(found, replace(whole, explained=min(1.0, whole.explained / total)))
        return sorted(found.values(), key=_by_score)

    def _read(self, state: Reading, block: _Block, changes: bool) -> Iterator[Reading]:
        """Read clauses as actions, or as a turn that the letter offers, perhaps to be changed afterwards."""
        units = self.finder.list_meanings(state.now, block.content) if block.clauses <= MOST_JOINED else ()
        for unit in units:
            if (explained := block.explain(unit.facts)) is not None:
                gain, cost, missed = explained
                cost += JOINED * max(0, block.clauses - len(unit.actions)) + unit.guess
                ranks = [self.advised.index(one) for one in unit.actions if one in self.advised]
                cost -= OFFERED - LATER_OFFER * min(ranks) if ranks else 0.0
                yield from self._go_on(state, unit, gain, cost, missed + block.vague)
        for offer in self.offers if block.names_choice else ():
            if (explained := block.explain_by_choice(offer)) is not None:
                actions = offer.unit.actions
                for made in self._go_on(state, offer.unit, *explained):
                    yield replace(made, named=state.named + 1)
                for many in range(len(actions) if changes and not state.actions else 0):
                    begun = ClauseMeaning(actions[:many], offer.names)
                    for made in self._go_on(state, begun, *explained):
                        yield replace(made, named=state.named + 1, base=actions)

    def _go_on(
        self, state: Reading, unit: ClauseMeaning, gain: float, cost: float, missed: int
    ) -> Iterator[Reading]:
        actions = (*state.actions, *unit.actions)
        if actions not in self._after:
            self._after[actions] = state.now.after_all(unit.actions)
        after = self._after[actions]
        if after is not None:
            yield replace(
                state,
                now=after,
                actions=actions,
                score=state.score + gain - cost,
                explained=state.explained + gain,
                guess=state.guess + unit.guess,
                missed=state.missed + missed,
                facts=(*state.facts, unit.facts),
            )

    def _describe(self, clauses: Sequence[Clause]) -> Iterator[Reading]:
        """Yield the only offered turn whose places are named, without other orders: "Sestos please"."""
        block = _Block(clauses)
        if block.vague or block.content.cards or block.content.sure - NAMING_VERBS:
            return
        explained = [(one.unit, block.explain(one.unit.facts | one.names)) for one in self.offers]
        described = [(unit, found) for unit, found in explained if found is not None]
        if len(described) == 1:
            unit, (gain, cost, missed) = described[0]
            unit = replace(unit, guess=NOT_CERTAIN)
            yield from self._go_on(Reading(self.start), unit, gain, cost + BY_DESCRIPTION, missed)

    def _complete(self, state: Reading) -> Iterator[Reading]:
        """Add the rest of the offered turn that a text changes."""
        rest = state.base[len(state.actions) :]
        after = state.now.after_all(rest)
        unchanged = bool(state.base) and state.is_choice
        if state.actions and after is not None and not unchanged:
            yield replace(state, now=after, actions=state.actions + rest)


def _denies(reading: Reading, denied: Sequence[tuple[Mention, ...]]) -> bool:
    return any(
        all(not facts.isdisjoint(one.meanings) for one in mentions)
        for facts in reading.facts
        for mentions in denied
    )


def _keep_best(row: dict[tuple[Action, ...], Reading], state: Reading) -> None:
    known = row.get(state.actions)
    if known is None or known.score < state.score:
        row[state.actions] = state


def is_whole(mentions: Sequence[Mention]) -> bool:
    """True if words name something, or have a verb of an order that needs no name."""
    nouns, verbs = list_values(mentions, MeaningKind.NOUN), list_values(mentions, MeaningKind.VERB)
    return any(map(is_name, mentions)) or bool(TELLING & nouns or ALONE & verbs)


def _counts(mention: Mention) -> bool:
    """True if a reading that does not explain the word leaves something of weight aside."""
    return mention.kinds.isdisjoint({MeaningKind.FILLER, MeaningKind.SIGN})


def _weight(mention: Mention) -> float:
    if mention.has(MeaningKind.FILLER):
        return FILLER_WEIGHT
    return max((WEIGHTS[kind] for kind, _ in mention.meanings if kind in WEIGHTS), default=0.0)


def _cost(mention: Mention) -> float:
    if not _counts(mention) or mention.has(MeaningKind.PARTICLE):
        return 0.0
    return 0.4 if mention.has(MeaningKind.NOUN) else _weight(mention)


def resolve_particles(block: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Add the meaning of a particle such as "back" to the verbs beside it."""
    particles = list_values(block, MeaningKind.PARTICLE) & VERBS_OF_PARTICLES
    more = frozenset((MeaningKind.VERB, one) for one in particles)
    return tuple(
        replace(one, meanings=one.meanings | more)
        if TAKING & {*one.values(MeaningKind.VERB)} and not one.has(MeaningKind.PARTICLE)
        else one
        for one in block
    )


def _with_particle(mention: Mention) -> frozenset[Meaning]:
    return mention.meanings.union((MeaningKind.VERB, verb) for verb in mention.values(MeaningKind.PARTICLE))


TAKING: frozenset[MentionedThing] = frozenset({"take", "draw", "march", "choose"})
VERBS_OF_PARTICLES: frozenset[MentionedThing] = frozenset({"recall", "takeover"})


# --- choices of the letter ------------------------------------------------------------------------------

NAMING: frozenset[MentionedThing] = frozenset({"option", "one"})


def _names_choice(mentions: Sequence[Mention]) -> bool:
    """True if words may name a turn of the letter: "b", "the first one", "the one with Troy"."""
    named = any(map(_is_letter, mentions)) or not NAMING.isdisjoint(list_values(mentions, MeaningKind.NOUN))
    return named or (any(map(_is_ordinal, mentions)) and all(map(_may_stand_beside, mentions)))


def _is_ordinal(mention: Mention) -> bool:
    return mention.has(MeaningKind.ORDINAL) and not mention.has(MeaningKind.SIGN, "joining")


def _acts_on_choice(mentions: Sequence[Mention]) -> bool:
    """True if a verb other than of choosing stands beside a letter, as in "b loses" or "drop b"."""
    beside = (one for pair in pairwise(mentions) if any(map(_names_alone, pair)) for one in pair)
    return any(is_strong(one) and one.has(MeaningKind.VERB) and not _may_stand_beside(one) for one in beside)


def _names_alone(mention: Mention) -> bool:
    return _is_letter(mention) or _is_ordinal(mention) or mention.has(MeaningKind.NOUN, "one")


def _may_stand_beside(mention: Mention) -> bool:
    """True if a word may stand beside the number of a choice that is named by its number alone."""
    if any(mention.has(MeaningKind.SIGN, sign) for sign in ("passing", "leaving", "giving", "besides")):
        return False
    named = _is_ordinal(mention) or _is_letter(mention)
    named = named or not NAMING.isdisjoint(mention.values(MeaningKind.NOUN))
    return named or not _counts(mention) or mention.has(MeaningKind.VERB, "choose")


def _is_letter(mention: Mention) -> bool:
    return mention.has(MeaningKind.LETTER) and not mention.has(MeaningKind.FILLER)


def _list_names(mentions: Sequence[Mention]) -> list[Mention]:
    """List the mentions of offered turns by a letter, or by a number such as "the first one"."""
    numbered = not NAMING.isdisjoint(list_values(mentions, MeaningKind.NOUN))
    return [
        one
        for one in mentions
        if _is_letter(one) or (numbered and (_is_ordinal(one) or one.has(MeaningKind.NUMBER)))
    ]


# --- the text without harmless talk ---------------------------------------------------------------------

PIECE = re.compile(r"([,;:()]|\s[-\u2013]+\s|\u2014)")
TURNING = frozenset({"plans", "conditions", "only_if", "corrections", "retractions"})
PUT_OFF = TURNING | {"hedges", "negations"}
UNSETTLING: frozenset[MentionedThing] = PUT_OFF | {"either", "questions", "past", "loose", "others", "they"}
"""Signs in a text that may mention a choice without choosing it."""


@dataclass(frozen=True, slots=True)
class ReadText:
    parts: tuple[tuple[Mention, ...], ...]
    """The words between punctuation marks, without harmless talk."""
    mentions: tuple[Mention, ...]
    is_open: bool
    """True if a sentence with orders asks something, trails off, takes orders back or may quote a person."""
    is_strange: bool
    """True if a part contains words without a known meaning."""


def _make_context(reader: MentionReader) -> RemarkContext:
    names, board = reader.view.table.names, reader.board
    people = frozenset(word for name in names for word in name.casefold().split())
    return RemarkContext(people, [fold_accents(name) for name in board.places])


def read_text(lines: Sequence[str], reader: MentionReader) -> ReadText:
    """Read lines without the sentences, and parts of sentences, that are harmless talk."""
    context = _make_context(reader)
    text = LIST_MARK.sub("\n", ARROW.sub(", ", "\n".join(lines)[:LONGEST_TEXT]))
    found: list[Mention] = []
    parts: list[tuple[Mention, ...]] = []
    asks = trails = strange = False
    before: tuple[str, ...] = ()
    for sentence in split_sentences(text):
        kept: list[Mention] = []
        quoted = False  # after words such as "Ben," or "My brother says:"
        kind = classify_sentence(sentence, context)
        asks |= kind is RemarkKind.PLAIN and sentence.words == before  # "Back! Back!"
        before = sentence.words
        if kind.is_harmless and not _is_about_turn(reader.read(sentence.text)):
            continue
        pieces = PIECE.split(sentence.text)
        for piece, sign in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
            mentions = reader.read(piece)
            talk = _is_talk(piece, mentions, context)
            label = sign == ":" and _may_quote(mentions, talk) and not is_courteous(piece, ())
            introduces = label or (sign == "," and _addresses(mentions, reader.view.my_seat))
            if not talk:
                parts.append(tuple(one for one in mentions if one.meanings or one.is_unknown))
                kept += mentions
                asks = asks or quoted
                strange = strange or _is_strange(mentions)
            elif kept:
                kept.append(PAUSE)
            kept += reader.read(sign)
            quoted = quoted or introduces
        if any(one.meanings or not one.sign for one in kept):
            strange = strange or not any(map(_tells, kept))
            first = next((one for one in kept if one.meanings), PAUSE)
            asks |= sentence.asks or puts_off(sentence)
            trails = sentence.trails or (trails and not first.has(MeaningKind.SIGN, "corrections"))
            found += [*kept, STOP]
    return ReadText(tuple(parts), tuple(found), asks or trails, strange)


def _may_quote(mentions: Sequence[Mention], talk: bool) -> bool:
    """True if what follows these words and a colon may be another's, as in "My brother says:"."""
    strange = talk and any(one.kinds.isdisjoint(PLAIN) for one in mentions)
    reports = not list_values(mentions, MeaningKind.SIGN).isdisjoint({"past", "others", "they"})
    return strange or reports or any(one.has(MeaningKind.NOUN, "option") for one in mentions)


def _addresses(mentions: Sequence[Mention], seat: int) -> bool:
    """True if words are only the name of another player, to whom the following orders may be addressed."""
    players = list_values(mentions, MeaningKind.PLAYER)
    return len(mentions) == 1 and bool(players - {seat})


PLAIN = {MeaningKind.FILLER, MeaningKind.VERB, MeaningKind.SIGN}


def _is_strange(mentions: Sequence[Mention]) -> bool:
    """True if most words of a part are in no lexicon, or none of them is about orders."""
    words = [one for one in mentions if not one.sign and one.is_word]
    strange = sum(not one.meanings and not _is_harmless_word(one.text) for one in words)
    plain = strange == 0 and all(one.kinds & {MeaningKind.FILLER, MeaningKind.SIGN} for one in words)
    return 2 * strange > len(words) or not (plain or any(map(_tells, words)))


def _tells(mention: Mention) -> bool:
    return is_strong(mention) or mention.has(MeaningKind.NOUN) or _names_choice([mention])


def _is_harmless_word(word: str) -> bool:
    kinds = {own.class_of(word.casefold()) for own in remark_words()} - {None}
    return bool(kinds) and kinds <= HARMLESS and not is_doubtful(word.casefold())


HARMLESS = frozenset({WordClass.STRUCTURE, WordClass.DEICTIC, WordClass.EVERYDAY, WordClass.QUALITY})
PAUSE, STOP = (Mention(sign, sign=sign) for sign in ",.")


def _is_about_turn(mentions: Sequence[Mention]) -> bool:
    """True for words that name a turn, or of which each is known and some are about the game."""
    words = [one for one in mentions if not one.sign]
    return bool(_list_names(mentions)) or (
        any(map(_tells, words)) and not any(one.is_unknown for one in words)
    )


def _is_talk(piece: str, mentions: Sequence[Mention], context: RemarkContext) -> bool:
    signs = list_values(mentions, MeaningKind.SIGN)
    if "remainder" in signs and signs & PUT_OFF and not any(map(is_strong, mentions)):
        return True  # what is not ordered yet may come later
    turning = TURNING - {"corrections"} if any(one.has(MeaningKind.PLAYER) for one in mentions) else TURNING
    named = any(map(_tells, mentions)) or _list_names(mentions)
    if named or signs & turning:
        return False
    sentences = split_sentences(piece)
    words = {word for one in sentences for word in one.words}
    days = any(own.class_of(word) is WordClass.DAY for word in words for own in remark_words())
    if not words or days:
        return False
    context = replace(context, part=True)
    return all(classify_sentence(one, context).is_harmless for one in sentences)


# --- proposals ------------------------------------------------------------------------------------------

MOST_READINGS = 3
MARGIN = 2.0
"""Difference in score up to which a reading is shown beside the best."""
LEAST_SHARE, BEGUN_SHARE = 0.62, 0.35
"""Least share of the weight of words that a proposed reading explains, and one that no rule allows."""
LEAST_GUESS, MOST_GUESS, CERTAIN_MARGIN = 0.01, 0.36, 0.15
MOST_UNPLACED = 6
LONGEST_TEXT = 1500
WORDS = re.compile(r"[^\W_]+")


class ProposalKind(StrEnum):
    PROPOSAL = "proposal"
    CONDITION = "condition"
    PLAN = "plan"
    QUESTION = "question"
    RETRACTION = "retraction"
    OFFER = "offer"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ProposedTurn:
    orders: tuple[str, ...]
    explained: float


@dataclass(frozen=True, slots=True)
class TurnProposal:
    readings: tuple[ProposedTurn, ...]
    unplaced: tuple[str, ...]
    kind: ProposalKind
    mark: str = ""
    objection: Objection | None = None


@dataclass(frozen=True)
class Analysis:
    """What a text may mean in a position."""

    lines: tuple[str, ...]
    reader: MentionReader
    search: ReadingSearch

    @cached_property
    def text(self) -> ReadText:
        return read_text(self.lines, self.reader)

    @cached_property
    def clauses(self) -> MentionClauses:
        return MentionClauses().parse(self.text.mentions)

    @cached_property
    def readings(self) -> tuple[list[Reading], ...]:
        """The readings of each variant, the best first."""
        variants, denied = self.clauses.variants, self.clauses.denied
        return tuple(self.search.find(variant, denied) for variant in variants)


@lru_cache(maxsize=16)
def _analyse(
    lines: tuple[str, ...], view: View, choices: tuple[tuple[str, str], ...], languages: tuple[str, ...]
) -> Analysis:
    reader = MentionReader(view, load_lexicon(languages), dict(choices))
    return Analysis(lines, reader, ReadingSearch(look_out(view), _read_choices(dict(choices), view)))


def _find_proposals(analysis: Analysis) -> tuple[list[Reading], Objection | None]:
    """Return the readings to propose; if "or" joins alternatives, the best reading of each comes first."""
    rows = analysis.readings
    good = [[one for one in row if one.named or one.explained >= LEAST_SHARE] for row in rows]
    first, others = [row[0] for row in good if row], [one for row in good for one in row[1:]]
    found = [*sorted(first, key=_by_score), *sorted(others, key=_by_score)]
    begun = next((row[0] for row in rows if row and row[0].explained >= BEGUN_SHARE), None)
    objection = _object(analysis, found[0] if found else begun)
    if not found and objection and begun and begun.now.position.table.phase is not Phase.MARCH:
        found = [begun]
    once = {one.actions: one for one in reversed(found) if one.score >= found[0].score - MARGIN}
    return [*reversed(once.values())][:MOST_READINGS], objection


def _by_score(reading: Reading) -> float:
    return -reading.score


@dataclass(frozen=True, slots=True)
class Objection:
    words: str
    illegal: Illegal


def _object(analysis: Analysis, reading: Reading | None) -> Objection | None:
    now = analysis.search.start if reading is None else reading.now
    for clause in analysis.clauses.variants[0] if analysis.clauses.variants else ():
        if clause.strong and (reading is None or any(one in reading.left for one in clause.strong)):
            illegal = find_objection(now, ClauseContent(resolve_particles(clause.mentions)))
            if illegal is not None:
                return Objection(" ".join(one.text for one in clause.mentions), illegal)
    return None


def write_orders(start: KnownPosition, actions: Sequence[Action]) -> tuple[str, ...]:
    return tuple(write(action, start.position.table.board) for action in actions)


def propose(
    lines: Sequence[str], view: View, choices: Mapping[str, str], languages: Sequence[str] = ()
) -> TurnProposal:
    """Propose meanings of a text; nothing is played.

    `view`: the view of the player to move. `choices`: the orders of each choice in the letter that the text
    answers.
    """
    analysis = _analyse(tuple(lines), view, tuple(choices.items()), tuple(languages))
    clauses, search = analysis.clauses, analysis.search
    found, objection = _find_proposals(analysis)
    turns = [ProposedTurn(write_orders(search.start, one.actions), round(one.explained, 3)) for one in found]
    left = (*clauses.unknown, *(one.text for one in (found[0].left if found else ())))
    aside = next((one for one in clauses.asides if one is not Aside.QUESTION or not found), None)
    kind, mark = ProposalKind.PROPOSAL if found else ProposalKind.NOTHING, ""
    if clauses.retracted:
        kind, mark = ProposalKind.RETRACTION, clauses.retracted
    elif aside is not None:
        kind, mark = ProposalKind[aside.name], clauses.asides[aside]
    elif not (found or objection) and any(map(is_of_game, WORDS.findall(" ".join(lines).casefold()))):
        offers = search.offers[:MOST_READINGS]
        kind = ProposalKind.OFFER if offers else kind
        turns = [ProposedTurn(write_orders(search.start, one.unit.actions), 0.0) for one in offers]
    return TurnProposal(tuple(turns), tuple(dict.fromkeys(left))[:MOST_UNPLACED], kind, mark, objection)


def find_certain_turn(
    message: Message, view: View, choices: Mapping[str, str], languages: Sequence[str]
) -> tuple[str, ...]:
    """Return the orders that a mail means beyond doubt; empty if any of its words may mean something else.

    Each sentence is harmless talk, or one reading alone explains each of its words. A mail with a request or
    a plan, or one whose own text may be cut, has no such orders.
    """
    lines = [line.words for line in message.found if line.kind is not LineKind.CHAT]
    lines += message.rest
    beside = message.cut or message.requests or message.plans or (message.doubtful and message.doubt is None)
    signs = any(HESITATION.search(ARROW.sub(" ", line)) for line in lines)
    if not view.my_turn or beside or signs or len(lines) > MOST_LINES:
        return ()
    analysis = _analyse(tuple(lines), view, tuple(choices.items()), tuple(languages))
    chosen = find_chosen_turn(lines, analysis.reader, analysis.search.offers)
    if chosen is not None:
        return write_orders(analysis.search.start, chosen.unit.actions)
    text, clauses, offers = analysis.text, analysis.clauses, analysis.search.offers
    retracts = any(one.has(MeaningKind.SIGN, "retractions") for one in text.mentions)
    if text.is_open or clauses.asides or retracts or len(analysis.readings) != 1:
        return ()
    offered = {
        one.unit.actions
        for one in offers
        if any(isinstance(act, March | TakeOver) for act in one.unit.actions)
    }
    whole = [one for one in analysis.readings[0] if one.missed == 0]
    fitting = [one for one in whole if one.actions in offered]
    most = MOST_GUESS if len(fitting) == 1 else LEAST_GUESS
    whole = [one for one in whole if one.guess < (most if one in fitting else LEAST_GUESS)]
    whole = [one for one in whole if one.is_choice] or whole
    if not whole or any(one.score > whole[0].score - CERTAIN_MARGIN for one in whole[1:]):
        return ()
    strange = text.is_strange or clauses.unknown or clauses.doubted
    if not _only_chooses(text) if whole[0].is_choice else strange or whole[0].named:
        return ()
    orders = write_orders(analysis.search.start, whole[0].actions)
    return () if orders == (Verb.END,) and not whole[0].named else orders


def find_chosen_turn(
    lines: Sequence[str], reader: MentionReader, offers: Sequence[OfferedTurn]
) -> OfferedTurn | None:
    """Return the offered turn that a text chooses by its letter or number, whatever else it says of it.

    None if it names no turn or several, a card or a place of another turn, or may doubt its choice.
    """
    sentences = split_sentences(LIST_MARK.sub("\n", "\n".join(lines)[:LONGEST_TEXT]))
    read = [(sentence, reader.read(sentence.text)) for sentence in sentences]
    named = {one for _, mentions in read for one in _list_names(mentions)}
    chosen = [one for one in offers if named and all(one.names & name.meanings for name in named)]
    if len(chosen) != 1:
        return None
    facts, context = (
        chosen[0].unit.facts.union(chosen[0].names, {(MeaningKind.VERB, "play")}),
        _make_context(reader),
    )
    for sentence, mentions in read:
        if named.isdisjoint(mentions) and classify_sentence(sentence, context).is_harmless:
            continue
        strange = any(is_strong(one) and facts.isdisjoint(_with_particle(one)) for one in mentions)
        words = " ".join(CHOICE if one in named else one.text.casefold() for one in mentions)
        masked = replace(sentence, words=tuple(WORD.findall(words)))
        if strange or sentence.asks or puts_off(sentence) or may_doubt_choice(masked, context):
            return None
    return chosen[0]


DESCRIBING = STRONG | {MeaningKind.NUMBER}


def _only_chooses(text: ReadText) -> bool:
    """True if a text that names turns of the letter otherwise only describes them."""
    signs = list_values(text.mentions, MeaningKind.SIGN)
    plain = all(_may_stand_beside(one) for part in text.parts for one in part)
    if signs & UNSETTLING or ("contrasts" in signs and not plain):
        return False
    for part in text.parts:
        words = [one for one in part if not (one.is_unknown and _is_harmless_word(one.text))]
        if _names_choice(part):
            beside = all(_may_stand_beside(one) or one.kinds & DESCRIBING for one in part)
            told = beside and not _acts_on_choice(part)
        else:
            told = is_whole(words) or not any(map(_counts, words))
        if not told or any(one.is_unknown for one in words):
            return False
    return True


MOST_LINES = 30


def _read_choices(choices: Mapping[str, str], view: View) -> dict[str, tuple[Action, ...]]:
    found: dict[str, tuple[Action, ...]] = {}
    for mark, words in choices.items():
        try:
            found[mark] = tuple(read_canonical(one, view.table.board) for one in words.split("; "))
        except ValueError:
            continue
    return found


MOST_CLAUSES = 2


def ask_which_turn(proposal: TurnProposal, view: View) -> OrderQuestion | None:
    board = view.table.board
    turns = [[read_canonical(words, board) for words in one.orders] for one in proposal.readings]
    if not turns:
        return None
    found = tuple(
        Option("; ".join(one.orders), glue_title(title), _describe_turn(view, turn))
        for one, title, turn in zip(proposal.readings, title_turns(view, turns), turns, strict=True)
    )
    return OrderQuestion(found, more=False)


def _describe_turn(view: View, turn: Sequence[Action]) -> str:
    """Describe the first action of a turn that has a price or a gain, up to the first hidden card."""
    now: KnownPosition | None = look_out(view)
    for action in turn:
        assert now is not None
        if isinstance(action, March | Occupy | TakeOver | Levy):
            detail = options.describe(now.known, action).detail
            return "; ".join(detail.split("; ")[:MOST_CLAUSES])
        now = now.after(action)
        if now is None:
            break
    return ""


READ_IN_PART = gettext_noop("Not all of your mail could be read for certain.")
NOT_FOR_NOW = gettext_noop("Nothing in your mail could be read as an order for now.")
NO_ORDER = gettext_noop("No order was found in your mail.")
VERDICTS = {
    ProposalKind.OFFER: gettext_noop("No order was found in your mail, so here are turns to choose from."),
    ProposalKind.RETRACTION: gettext_noop("Your mail seems to take back what it says."),
    ProposalKind.QUESTION: gettext_noop("Your mail seems to ask something, and only orders are read here."),
    ProposalKind.CONDITION: NOT_FOR_NOW,
    ProposalKind.PLAN: NOT_FOR_NOW,
}
HOW_TO_REPLY = gettext_noop(
    "Reply with a letter, or with orders such as “%(order)s”; what you say to the others begins with “say:”."
)
ADVICE = {
    ProposalKind.CONDITION: gettext_noop(
        "What depends on something (“%(word)s”) is planned, such as “%(plan)s”; or write what you want now, "
        "and the rest once you know."
    ),
    ProposalKind.PLAN: gettext_noop(
        "What is put off (“%(word)s”) is planned, such as “%(plan)s”: it is played when your turn comes."
    ),
    ProposalKind.QUESTION: gettext_noop(
        "To ask the others, begin with “say:”; “?” alone tells what can be written."
    ),
}


def explain_proposal(proposal: TurnProposal) -> str:
    found, kind = proposal.objection, proposal.kind
    read = bool(proposal.readings) and kind is not ProposalKind.OFFER
    verdict = READ_IN_PART if read else VERDICTS.get(kind, NO_ORDER)
    sentences = [gettext(verdict)]
    if found is not None:
        why = phrases.explain_refusal(found.illegal)
        sentences = sentences if read or kind in VERDICTS else []
        sentences.append(gettext("“%(line)s”: %(why)s", line=found.words, why=why) + ".")
    elif kind in ADVICE or not proposal.readings:
        order = gettext("choose horse; march Troy; draw")
        advice = ADVICE.get(kind, HOW_TO_REPLY)
        sentences.append(gettext(advice, word=proposal.mark, plan=example_plan(), order=order))
    if proposal.unplaced and read:
        words = phrases.format_list(f"“{word}”" for word in proposal.unplaced)
        sentences.append(gettext("Left aside: %(words)s.", words=words))
    return " ".join(sentences)
