"""The turn that a mail means beyond doubt, and proposals: the legal turns that fit its words best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, pairwise

from emails.i18n import gettext, gettext_noop
from emails.names import fold_accents
from emails.replies.clerk.meanings import (
    ClauseContent,
    ClauseMeaning,
    KnownPosition,
    OfferedTurn,
    list_clause_meanings,
    look_out,
    make_offer,
    names_of_choice,
    near_places,
)
from emails.replies.clerk.mentions import (
    LIST_MARK,
    NAMES,
    STRONG,
    Clause,
    Meaning,
    MeaningKind,
    Mention,
    MentionClauses,
    MentionedThing,
    MentionReader,
    is_name,
    is_strong,
    load_lexicon,
)
from emails.replies.grammars import LineKind
from emails.replies.remarks import (
    HESITATION,
    RemarkContext,
    RemarkKind,
    WordClass,
    classify_sentence,
    is_courteous,
    is_doubtful,
    is_of_game,
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
from engine.notation.grammar import find_marches, read_canonical
from engine.notation.orders import Order, Verb, write
from engine.position import Phase, View
from engine.provinces import levy_cards, province_at
from engine.rules import perform


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


AFTER_MARCH: frozenset[str] = frozenset({"draw", "levy", "recall", "takeover"})


def _marches(now: KnownPosition, content: ClauseContent) -> Iterator[Action]:
    table, known = now.position.table, now.known
    if table.phase is Phase.CARD:
        cards = content.cards or frozenset(table.board.symbol_at(place) for place in content.places)
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


WIDTH = 8
"""Beam width: the number of states that are followed at each clause."""
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
SLIP = 0.7
CONTRADICTED, LEFT_OUT = 1.6, 1.1  # factors of a word's cost in a reading that contradicts or ignores it
JOINED, SAME_VERB, SAME_CARD = 0.5, 0.8, 0.8  # for each clause, verb and repeated card beyond one per action
STRANGE = 0.4
OFFERED, LATER_OFFER = (
    0.25,
    0.02,
)  # bonus of the first march or conquest that the letter offers; less for later ones
EARLIER = 0.02


@dataclass(frozen=True, slots=True)
class Reading:
    actions: tuple[Action, ...]
    score: float
    share: float
    left: tuple[Mention, ...]
    guess: float
    """The cost of details that the text does not state."""
    missed: int
    """The number of words of weight that it does not explain."""


@dataclass(frozen=True, slots=True)
class _State:
    now: KnownPosition
    actions: tuple[Action, ...] = ()
    units: tuple[ClauseMeaning, ...] = ()
    score: float = 0.0
    explained: float = 0.0
    left: tuple[Mention, ...] = ()
    guess: float = 0.0
    missed: int = 0


@dataclass(frozen=True, slots=True)
class _Weighed:
    meanings: frozenset[Meaning]
    weight: float
    cost: float
    strong: bool
    explainable: bool
    counts: bool


TELLING: frozenset[MentionedThing] = frozenset({"card", "supply", "display", "both", "again", "corner"})
TOLD = TELLING | {"worth"}
ALONE: frozenset[MentionedThing] = frozenset({"draw", "end", "levy"})
"""Verbs of an order that needs no name."""
COUNTS = MeaningKind.NUMBER, MeaningKind.CORNER


def is_whole(mentions: Sequence[Mention]) -> bool:
    """True if words name something, or have a verb of an order that needs no name."""
    nouns = {value for one in mentions for value in one.values(MeaningKind.NOUN)}
    verbs = {value for one in mentions for value in one.values(MeaningKind.VERB)}
    return any(map(is_name, mentions)) or bool(TOLD & nouns or ALONE & verbs)


class _Block:
    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.mentions = resolve_particles(tuple(one for clause in clauses for one in clause.mentions))
        self.content = ClauseContent.of(self.mentions)
        self.weighed = [
            _Weighed(
                one.meanings.union((MeaningKind.VERB, verb) for verb in one.values(MeaningKind.PARTICLE)),
                _weight(one),
                CONTRADICTED * _cost(one),
                is_strong(one),
                bool(one.kinds & EXPLAINABLE) and not one.has(MeaningKind.FILLER),
                _counts(one),
            )
            for one in self.mentions
        ]
        self.clauses = len(clauses)
        self.vague = not is_whole(self.mentions)
        self.verbs = sum(clause.has_verb for clause in clauses)
        cards = [one.meanings for one in self.mentions if one.has(MeaningKind.CARD) and not one.guessed]
        self.repeated = len(cards) - len(set(cards))

    def weigh(self, unit: ClauseMeaning) -> tuple[float, float, int] | None:
        many = len(unit.actions)
        cost = JOINED * max(0, self.clauses - many) + SAME_VERB * max(0, self.verbs - many)
        cost += SAME_CARD * max(0, self.repeated - many + 1) if self.repeated else 0.0
        gain, explainable, missed = 0.0, False, int(self.vague)
        for one in self.weighed:
            if not unit.facts.isdisjoint(one.meanings):
                gain += one.weight
                explainable = explainable or one.explainable
            elif one.strong:
                return None
            else:
                cost += one.cost
                missed += one.counts
        return (gain, cost, missed) if explainable else None


class ReadingSearch:
    def __init__(self, start: KnownPosition, choices: Mapping[str, tuple[Action, ...]]) -> None:
        turns = (action for actions in choices.values() for action in actions)
        self.advised = list(dict.fromkeys(one for one in turns if isinstance(one, March | Occupy | TakeOver)))
        self.start = replace(start, advised=frozenset(self.advised))
        numbered = enumerate(choices.items(), 1)
        made = (make_offer(start, names_of_choice(mark, at), turn) for at, (mark, turn) in numbered)
        self.offers: list[OfferedTurn] = [one for one in made if one is not None]
        self._units: dict[tuple[tuple[Action, ...], tuple[Mention, ...]], list[ClauseMeaning]] = {}
        self._after: dict[tuple[Action, ...], KnownPosition | None] = {(): self.start}

    def find(
        self,
        clauses: Sequence[Clause],
        denied: Sequence[tuple[Mention, ...]] = (),
        begun: tuple[Action, ...] = (),
    ) -> list[Reading]:
        """Return the readings of clauses, the best first; each goes on from the actions `begun`."""
        start = self.start.after_all(begun)
        if start is None:
            return []
        total = sum(_weight(one) for clause in clauses for one in clause.mentions) or 1.0
        total += STRANGE * sum(clause.strange for clause in clauses)
        rows: list[dict[tuple[Action, ...], _State]] = [{} for _ in range(len(clauses) + 1)]
        rows[0][begun] = _State(start, begun)
        for at, clause in enumerate(clauses):
            best = sorted(rows[at].values(), key=lambda one: -one.score)[:WIDTH]
            skipped = (LEFT_OUT + EARLIER * (len(clauses) - at)) * sum(map(_cost, clause.mentions))
            ends = range(at + 1, min(len(clauses), at + MOST_JOINED) + 1)
            blocks = [(end, _Block(clauses[at:end])) for end in ends]
            for state in best:
                left = (*state.left, *clause.strong)
                missed = state.missed + sum(map(_counts, clause.mentions))
                _keep_best(
                    rows[at + 1], replace(state, score=state.score - skipped, left=left, missed=missed)
                )
                for end, block in blocks:
                    for made in self._read_block(state, block):
                        _keep_best(rows[end], made)
        found = [
            Reading(
                state.actions, state.score, state.explained / total, state.left, state.guess, state.missed
            )
            for state in rows[-1].values()
            if state.actions != begun
            and not any(
                all(not unit.facts.isdisjoint(one.meanings) for one in mentions)
                for unit in state.units
                for mentions in denied
            )
        ]
        return sorted(found, key=lambda one: -one.score)

    def _read_block(self, state: _State, block: _Block) -> Iterator[_State]:
        key = state.actions, block.mentions
        if key not in self._units:
            self._units[key] = list(list_clause_meanings(state.now, block.content))
        for unit in self._units[key]:
            weighed = block.weigh(unit)
            if weighed is None:
                continue
            gain, cost, missed = weighed
            actions = (*state.actions, *unit.actions)
            if actions not in self._after:
                self._after[actions] = state.now.after_all(unit.actions)
            after = self._after[actions]
            if after is not None:
                ranks = [self.advised.index(one) for one in unit.actions if one in self.advised]
                merit = OFFERED - LATER_OFFER * min(ranks) if ranks else 0.0
                score = state.score + gain - cost - unit.guess + merit
                units = (*state.units, unit)
                guess = state.guess + max(0.0, unit.guess)
                missed += state.missed
                yield _State(after, actions, units, score, state.explained + gain, state.left, guess, missed)


EXPLAINABLE = NAMES | {MeaningKind.VERB, MeaningKind.ORDINAL, MeaningKind.NOUN}


def _keep_best(row: dict[tuple[Action, ...], _State], state: _State) -> None:
    known = row.get(state.actions)
    if known is None or known.score < state.score:
        row[state.actions] = state


def _counts(mention: Mention) -> bool:
    """True if a reading that does not explain the word leaves something of weight aside."""
    return mention.kinds.isdisjoint({MeaningKind.FILLER, MeaningKind.SIGN})


def _weight(mention: Mention) -> float:
    if mention.has(MeaningKind.FILLER):
        return 0.3
    most = max((WEIGHTS[kind] for kind, _ in mention.meanings if kind in WEIGHTS), default=0.0)
    return most * SLIP if mention.guessed else most


def _cost(mention: Mention) -> float:
    if mention.has(MeaningKind.FILLER) or mention.has(MeaningKind.SIGN) or mention.has(MeaningKind.PARTICLE):
        return 0.0
    if mention.has(MeaningKind.NOUN):
        return 0.4
    if mention.guessed:
        return 0.8
    return _weight(mention)


def resolve_particles(block: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Add the meaning of a particle such as "back" to the verbs beside it."""
    particles = {value for one in block for value in one.values(MeaningKind.PARTICLE)} & VERBS_OF_PARTICLES
    if not particles:
        return block
    more = frozenset((MeaningKind.VERB, one) for one in particles)
    settled: list[Mention] = []
    for mention in block:
        if TAKING & {*mention.values(MeaningKind.VERB)} and not mention.has(MeaningKind.PARTICLE):
            mention = Mention(mention.text, mention.meanings | more, guessed=mention.guessed)
        settled.append(mention)
    return tuple(settled)


TAKING: frozenset[MentionedThing] = frozenset({"take", "draw", "march", "choose"})
VERBS_OF_PARTICLES: frozenset[MentionedThing] = frozenset({"recall", "takeover"})


# --- choices of the letter ------------------------------------------------------------------------------

CHOOSING: frozenset[MentionedThing] = frozenset({"choose"})
NAMING: frozenset[MentionedThing] = frozenset({"option", "one"})


def find_named(search: ReadingSearch, clauses: Sequence[Clause]) -> list[OfferedTurn] | None:
    """Return the offered turns that each naming clause may name; None if no clause names one.

    Clauses that name parts of a turn one after the other, such as "a, then c", name the turn of both.
    """
    naming = [clause.mentions for clause in clauses if _names_choice(clause.mentions)]
    if not naming:
        return None
    found = [one for one in search.offers if all(_may_name(mentions, one) for mentions in naming)]
    if any(map(_names_turn, naming)):
        parts = [one for mentions in naming for one in search.offers if _may_name(mentions, one)]
        if not found and len(parts) == len(naming):
            names, actions = (
                parts[0].names.union(*(one.names for one in parts)),
                [one.actions for one in parts],
            )
            made = make_offer(search.start, names, tuple(chain.from_iterable(actions)))
            found = [] if made is None else [made]
        return found
    return [one for one in found if not any(_list_unexplained(clause, one) for clause in clauses)] or None


def find_chosen(search: ReadingSearch, parts: Sequence[tuple[Mention, ...]]) -> OfferedTurn | None:
    """Return the offered turn that a part of a text names, if all other parts describe it or are filler."""
    parts = [resolve_particles(part) for part in parts if part]
    naming = [part for part in parts if any(map(_is_letter, part)) or _names_choice(part)]
    found = [one for one in search.offers if all(_may_name(part, one) for part in naming)]
    if not naming or len(found) != 1:
        return None
    weighty = sum(any(map(_counts, part)) for part in parts)
    for part in parts:
        signs = _list_signs(part)
        changes = "contrasts" in signs and (weighty > 1 or not all(map(_may_stand_beside, part)))
        if changes or signs & UNSETTLING or not _speaks_of(part, found[0], part in naming):
            return None
    return found[0]


def _speaks_of(part: Sequence[Mention], offer: OfferedTurn, naming: bool) -> bool:
    """True if an offered turn explains all weighty words of a part, and no other word is doubtful."""
    strange = [one.text.casefold() for one in part if not one.meanings and any(map(str.isalpha, one.text))]
    if any(map(is_doubtful, strange)) or (strange and naming) or any(len(word) == 1 for word in strange):
        return False
    if naming:
        beside = (one for pair in pairwise(part) if any(map(_names_alone, pair)) for one in pair)
        if any(is_strong(one) and one.has(MeaningKind.VERB) and not _may_stand_beside(one) for one in beside):
            return False  # "b loses", "drop b"
        part = [one for one in part if not _may_stand_beside(one) and offer.names.isdisjoint(one.meanings)]
        return all(one.kinds & STRONG and not offer.facts.isdisjoint(one.meanings) for one in part)
    if not strange and all(one.kinds <= {MeaningKind.FILLER, MeaningKind.SIGN} for one in part):
        return True
    known = [one for one in part if _counts(one)]
    if not strange and any(one.has(MeaningKind.NOUN, "worth") for one in known):  # "22 points"
        return not any(one.kinds & STRONG for one in known)
    return is_whole(part) and all(not offer.facts.isdisjoint(one.meanings) for one in known)


def _list_signs(mentions: Sequence[Mention]) -> frozenset[MentionedThing]:
    return frozenset(value for one in mentions for value in one.values(MeaningKind.SIGN))


def _names_choice(mentions: Sequence[Mention]) -> bool:
    """True if words may name a turn of the letter: "b", "the first one", "the one with Troy"."""
    named = any(map(_is_letter, mentions)) or any(
        NAMING & {*one.values(MeaningKind.NOUN)} for one in mentions
    )
    return named or (any(map(_is_ordinal, mentions)) and all(map(_may_stand_beside, mentions)))


def _is_ordinal(mention: Mention) -> bool:
    return mention.has(MeaningKind.ORDINAL) and not mention.has(MeaningKind.SIGN, "joining")


def _names_alone(mention: Mention) -> bool:
    return _is_letter(mention) or _is_ordinal(mention) or mention.has(MeaningKind.NOUN, "one")


def _may_stand_beside(mention: Mention) -> bool:
    """True if a word may stand beside the number of a choice that is named by its number alone."""
    verbs = frozenset(mention.values(MeaningKind.VERB))
    if any(mention.has(MeaningKind.SIGN, sign) for sign in ("passing", "leaving", "giving", "besides")):
        return False
    named = _is_ordinal(mention) or _is_letter(mention) or mention.has(MeaningKind.NOUN, "option")
    return named or not _counts(mention) or bool(verbs & CHOOSING)


def _is_letter(mention: Mention) -> bool:
    return mention.has(MeaningKind.LETTER) and not mention.has(MeaningKind.FILLER)


def _may_name(mentions: Sequence[Mention], offer: OfferedTurn) -> bool:
    letters = [one for one in mentions if _is_letter(one)]
    option = any(one.has(MeaningKind.NOUN, "option") for one in mentions)
    numbers = [one for one in mentions if _is_ordinal(one) or (option and one.has(MeaningKind.NUMBER))]
    marks = {meaning for meaning in offer.names if meaning[0] is not MeaningKind.NOUN}
    return all(not marks.isdisjoint(one.meanings) for one in letters or numbers)


def _list_unexplained(clause: Clause, offer: OfferedTurn) -> list[Mention]:
    """Return the words of weight that the offered turn, or one step of it, does not explain."""
    rich = clause.has_verb or any(TELLING & {*one.values(MeaningKind.NOUN)} for one in clause.mentions)
    if _names_choice(clause.mentions):
        rows = [offer.facts | offer.names]
    elif not is_whole(clause.mentions):
        rows = [frozenset[Meaning]()]
    else:
        rows = [*offer.steps] if clause.has_verb else [offer.facts]
    plain = frozenset({MeaningKind.NOUN, MeaningKind.PLAYER, *(() if rich else COUNTS)})
    lists = (
        [
            one
            for one in clause.mentions
            if _counts(one)
            and facts.isdisjoint(one.meanings)
            and not (one.kinds <= plain and TELLING.isdisjoint(one.values(MeaningKind.NOUN)))
        ]
        for facts in rows
    )
    return min(lists, key=len)


def list_choice_readings(search: ReadingSearch, clauses: Sequence[Clause]) -> list[Reading]:
    """Read clauses as an offered turn that they name, or as this turn with one step in place of another."""
    found: list[Reading] = []
    total = sum(_weight(one) for clause in clauses for one in clause.mentions) or 1.0
    for offer in find_named(search, clauses) or ():
        left = [one for clause in clauses for one in _list_unexplained(clause, offer)]
        gain = total - sum(map(_weight, left))
        score = gain - CONTRADICTED * sum(map(_cost, left))
        strong = tuple(filter(is_strong, left))
        found.append(Reading(offer.actions, score, gain / total, strong, 0.0, len(left)))
        spoken = [one for clause in clauses for one in clause.mentions[:-1]]
        contrast = any(one.has(MeaningKind.SIGN, "contrasts") for one in spoken)
        if contrast or any(
            one.kinds & {MeaningKind.CARD, MeaningKind.PLACE, MeaningKind.POINT} for one in left
        ):
            found += _change_turn(search, offer, clauses, gain)
    return found


def _change_turn(
    search: ReadingSearch, offer: OfferedTurn, clauses: Sequence[Clause], gain: float
) -> Iterator[Reading]:
    rest = [replace(clause, mentions=tuple(_without_names(clause, offer))) for clause in clauses]
    rest = [clause for clause in rest if any(map(_counts, clause.mentions))]
    for at in range(len(offer.actions) + 1):
        for one in search.find(rest, begun=offer.actions[:at])[:MOST_CHANGED]:
            turn = (*one.actions, *offer.actions[len(one.actions) :])
            if one.missed == 0 and turn != offer.actions and search.start.after_all(turn) is not None:
                yield replace(one, actions=turn, score=one.score + gain)


def _without_names(clause: Clause, offer: OfferedTurn) -> Iterator[Mention]:
    naming = _names_choice(clause.mentions)
    for one in clause.mentions:
        option = not NAMING.isdisjoint(one.values(MeaningKind.NOUN))
        if not (naming and (option or one.kinds & {MeaningKind.LETTER, MeaningKind.ORDINAL})):
            yield one


MOST_CHANGED = 3

# --- what a text may mean -------------------------------------------------------------------------------

BEGUN_SHARE = 0.35
MOST_MARCHES = 3
LEAST_SHARE = 0.62
LEAST_GUESS, MOST_GUESS, CERTAIN_MARGIN = 0.01, 0.36, 0.15


def read_clauses(
    start: KnownPosition, clauses: MentionClauses, choices: Mapping[str, tuple[Action, ...]]
) -> Understanding:
    """Return what a text may mean; if "or" joins alternatives, the best reading of each comes first."""
    search = ReadingSearch(start, choices)
    rows: list[list[Reading]] = []
    for variant in clauses.variants:
        row = [*search.find(variant, clauses.denied), *list_choice_readings(search, variant)]
        row.sort(key=lambda one: -one.score)
        rows.append(row)
    good = [[one for one in row if one.share >= LEAST_SHARE] for row in rows]
    if any(good):
        merged = sorted((row[0] for row in good if row), key=lambda one: -one.score)
        merged += sorted((one for row in good for one in row[1:]), key=lambda one: -one.score)
        once: dict[tuple[Action, ...], Reading] = {}
        for one in merged:
            once.setdefault(one.actions, one)
        found = list(once.values())
        return Understanding(_march_on(start, search, found), _object(start, clauses, found[0]))
    begun = next((row[0] for row in rows if row and row[0].share >= BEGUN_SHARE), None)
    objection = _object(start, clauses, begun)
    if begun is None or objection is None:
        return Understanding([], objection)
    after = start.after_all(begun.actions)
    marching_on = after is not None and after.position.table.phase is Phase.MARCH
    return Understanding([] if marching_on else [begun], objection)


@dataclass(frozen=True, slots=True)
class Objection:
    words: str
    illegal: Illegal


@dataclass(frozen=True, slots=True)
class Understanding:
    readings: list[Reading]
    objection: Objection | None


def _object(start: KnownPosition, clauses: MentionClauses, reading: Reading | None) -> Objection | None:
    now = start if reading is None else start.after_all(reading.actions)
    if now is None or not clauses.variants:
        return None
    left = None if reading is None else reading.left
    for clause in clauses.variants[0]:
        if clause.strong and (left is None or any(one in left for one in clause.strong)):
            illegal = find_objection(now, ClauseContent.of(resolve_particles(clause.mentions)))
            if illegal is not None:
                return Objection(" ".join(one.text for one in clause.mentions), illegal)
    return None


def _march_on(start: KnownPosition, search: ReadingSearch, found: list[Reading]) -> list[Reading]:
    after = start.after_all(found[0].actions)
    if after is None or after.position.table.phase is not Phase.MARCH:
        return found
    table = after.position.table
    marches = find_marches(table, march_rules.targets_of_chosen(table), Order(Verb.MARCH))
    first = [one for one in search.advised if one in marches]
    ways = list(dict.fromkeys((*first, *marches)))[:MOST_MARCHES]
    return [replace(found[0], actions=(*found[0].actions, march)) for march in ways] + found


def write_orders(start: KnownPosition, actions: Sequence[Action]) -> tuple[str, ...]:
    return tuple(write(action, start.position.table.board) for action in actions)


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


def read_text(lines: Sequence[str], reader: MentionReader) -> ReadText:
    """Read lines without the sentences, and parts of sentences, that are harmless talk."""
    names, board = reader.view.table.names, reader.board
    people = frozenset(word for name in names for word in name.casefold().split())
    context = RemarkContext(people, [fold_accents(name) for name in board.places])
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
        if kind.is_harmless and not _names_turn(reader.read(sentence.text)):
            continue
        pieces = PIECE.split(sentence.text)
        for piece, sign in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
            mentions = reader.read(piece)
            talk = _is_talk(piece, mentions, context)
            label = sign == ":" and _may_quote(mentions, talk) and not is_courteous(piece, ())
            introduces = label or (sign == "," and _addresses(mentions, reader.view.my_seat))
            if not talk:
                parts.append(
                    tuple(one for one in mentions if one.meanings or any(map(str.isalpha, one.text)))
                )
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
    reports = not _list_signs(mentions).isdisjoint({"past", "others", "they"})
    return strange or reports or any(one.has(MeaningKind.NOUN, "option") for one in mentions)


def _addresses(mentions: Sequence[Mention], seat: int) -> bool:
    """True if words are only the name of another player, to whom the following orders may be addressed."""
    players = [value for one in mentions for value in one.values(MeaningKind.PLAYER)]
    return len(mentions) == 1 and players not in ([], [seat])


PLAIN = {MeaningKind.FILLER, MeaningKind.VERB, MeaningKind.SIGN}


def _is_strange(mentions: Sequence[Mention]) -> bool:
    """True if most words of a part are in no lexicon, or none of them is about orders."""
    words = [one for one in mentions if not one.sign and any(map(str.isalnum, one.text))]
    strange = sum(not one.meanings and not _is_harmless_word(one.text) for one in words)
    plain = strange == 0 and all(one.kinds & {MeaningKind.FILLER, MeaningKind.SIGN} for one in words)
    return 2 * strange > len(words) or not (plain or any(map(_tells, words)))


def _tells(mention: Mention) -> bool:
    return is_strong(mention) or mention.has(MeaningKind.NOUN) or _names_choice([mention])


def _is_harmless_word(word: str) -> bool:
    kinds = {own.class_of(word.casefold()) for own in remark_words()} - {None}
    return bool(kinds) and kinds <= HARMLESS and not is_doubtful(word.casefold())


HARMLESS = frozenset({WordClass.STRUCTURE, WordClass.DEICTIC, WordClass.EVERYDAY, WordClass.QUALITY})
PAUSE, STOP = (Mention(sign, frozenset(), sign=sign) for sign in ",.")


def _names_turn(mentions: Sequence[Mention]) -> bool:
    """True if words name an offered turn by its letter, or by its number such as "the first one"."""
    nouns = {value for one in mentions for value in one.values(MeaningKind.NOUN)}
    numbered = any(one.has(MeaningKind.NUMBER) for one in mentions) and "option" in nouns
    ordinal = any(map(_is_ordinal, mentions)) and bool(NAMING & nouns)
    return any(map(_is_letter, mentions)) or numbered or ordinal


OF_GAME: frozenset[MentionedThing] = TOLD - {"both", "again"} | {"tax"}


def _is_talk(piece: str, mentions: Sequence[Mention], context: RemarkContext) -> bool:
    signs = _list_signs(mentions)
    nouns = {value for one in mentions for value in one.values(MeaningKind.NOUN)}
    if "remainder" in signs and signs & PUT_OFF and not any(map(is_strong, mentions)):
        return True  # what is not ordered yet may come later
    turning = TURNING - {"corrections"} if any(one.has(MeaningKind.PLAYER) for one in mentions) else TURNING
    named = any(one.kinds & STRONG - {MeaningKind.VERB} for one in mentions) or _names_turn(mentions)
    if named or signs & turning or nouns & OF_GAME:
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


def propose(
    lines: Sequence[str], view: View, choices: Mapping[str, str], languages: Sequence[str] = ()
) -> TurnProposal:
    """Propose meanings of a text; nothing is played.

    `view`: the view of the player to move. `choices`: the orders of each choice in the letter that the text
    answers.
    """
    start = look_out(view)
    reader = MentionReader(view, load_lexicon(tuple(languages)), choices, near_places(start))
    clauses = MentionClauses().parse(read_text(lines, reader).mentions)
    offered = _read_choices(choices, view)
    understood = read_clauses(start, clauses, offered)
    found = understood.readings
    shown = [one for one in found if one.score >= found[0].score - MARGIN][:MOST_READINGS]
    turns = tuple(
        ProposedTurn(write_orders(start, one.actions), round(min(1.0, one.share), 3)) for one in shown
    )
    left = [*clauses.unknown, *(one.text for one in (shown[0].left if shown else ()))]
    kind = ProposalKind.NOTHING
    if clauses.retracted:
        kind = ProposalKind.RETRACTION
    elif clauses.condition:
        kind = ProposalKind.CONDITION
    elif clauses.plan:
        kind = ProposalKind.PLAN
    elif clauses.question and not turns:
        kind = ProposalKind.QUESTION
    elif turns:
        kind = ProposalKind.PROPOSAL
    elif (
        offered
        and understood.objection is None
        and any(map(is_of_game, WORDS.findall(" ".join(lines).casefold())))
    ):
        kind = ProposalKind.OFFER
        turns = tuple(ProposedTurn(tuple(choices[one].split("; ")), 0.0) for one in offered)[:MOST_READINGS]
    mark = clauses.retracted or clauses.condition or clauses.plan
    return TurnProposal(turns, tuple(dict.fromkeys(left))[:MOST_UNPLACED], kind, mark, understood.objection)


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
    start, known = look_out(view), load_lexicon(tuple(languages))
    reader = MentionReader(view, known, choices, near_places(start), guesses=False)
    text = read_text(lines, reader)
    search = ReadingSearch(start, _read_choices(choices, view))
    chosen = None if text.is_open else find_chosen(search, text.parts)
    if chosen is not None:
        return write_orders(start, chosen.actions)
    clauses = MentionClauses().parse(text.mentions)
    unclear = clauses.retracted or clauses.condition or clauses.plan or clauses.question or clauses.doubted
    retracts = any(one.has(MeaningKind.SIGN, "retractions") for one in text.mentions)
    strange = text.is_open or text.is_strange or clauses.unknown
    if strange or unclear or retracts or len(clauses.variants) != 1:
        return ()
    variant = clauses.variants[0]
    named = find_named(search, variant)
    if named is not None:
        joined = [one for one in named if one not in search.offers]  # "a, then c"
        plain = all(_may_stand_beside(one) for clause in variant for one in clause.mentions)
        return write_orders(start, joined[0].actions) if joined and plain and not clauses.denied else ()
    found = [one for one in search.find(variant, clauses.denied) if one.missed == 0]
    turns = [
        one.actions for one in search.offers if any(isinstance(act, March | TakeOver) for act in one.actions)
    ]
    whole = [one for one in found if one.guess < (MOST_GUESS if one.actions in turns else LEAST_GUESS)]
    if not whole or any(one.score > whole[0].score - CERTAIN_MARGIN for one in whole[1:]):
        return ()
    orders = write_orders(start, whole[0].actions)
    return () if orders == (Verb.END,) else orders


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


def explain_proposal(proposal: TurnProposal) -> str:
    found, kind = proposal.objection, proposal.kind
    sentences = [_verdict(proposal)]
    if found is not None:
        why = phrases.explain_refusal(found.illegal)
        sentences.append(gettext("“%(line)s”: %(why)s", line=found.words, why=why) + ".")
    elif kind is ProposalKind.CONDITION:
        advice = gettext_noop(
            "What depends on something (“%(word)s”) is planned, such as “%(plan)s”; or write what you want "
            "now, and the rest once you know."
        )
        sentences.append(gettext(advice, word=proposal.mark, plan=example_plan()))
    elif kind is ProposalKind.PLAN:
        advice = gettext_noop(
            "What is put off (“%(word)s”) is planned, such as “%(plan)s”: it is played when your turn comes."
        )
        sentences.append(gettext(advice, word=proposal.mark, plan=example_plan()))
    elif kind is ProposalKind.QUESTION and not proposal.readings:
        sentences.append(
            gettext("To ask the others, begin with “say:”; “?” alone tells what can be written.")
        )
    elif not proposal.readings:
        advice = gettext_noop(
            "Reply with a letter, or with orders such as “%(order)s”; what you say to the others begins with "
            "“say:”."
        )
        sentences.append(gettext(advice, order=gettext("choose horse; march Troy; draw")))
    if proposal.unplaced and proposal.readings and kind is not ProposalKind.OFFER:
        words = phrases.format_list(f"“{word}”" for word in proposal.unplaced)
        sentences.append(gettext("Left aside: %(words)s.", words=words))
    return " ".join(filter(None, sentences))


def _verdict(proposal: TurnProposal) -> str:
    if proposal.kind is ProposalKind.OFFER:
        return gettext("No order was found in your mail, so here are turns to choose from.")
    if proposal.readings:
        return gettext("Not all of your mail could be read for certain.")
    match proposal.kind:
        case ProposalKind.RETRACTION:
            return gettext("Your mail seems to take back what it says.")
        case ProposalKind.QUESTION:
            return gettext("Your mail seems to ask something, and only orders are read here.")
        case ProposalKind.CONDITION | ProposalKind.PLAN:
            return gettext("Nothing in your mail could be read as an order for now.")
        case _ if proposal.objection is not None:
            return ""
        case _:
            return gettext("No order was found in your mail.")
