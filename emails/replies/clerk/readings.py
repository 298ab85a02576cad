"""Readings: legal continuations of a turn that agree with a text, ranked by how much of it they explain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from emails.replies.clerk.alternatives import Clause
from emails.replies.clerk.clause_content import ClauseContent
from emails.replies.clerk.known_position import KnownPosition
from emails.replies.clerk.mention_clauses import MentionClauses
from emails.replies.clerk.objections import find_objection
from emails.replies.clerk.phrase_book import MeaningKind
from emails.replies.clerk.reading_search import Reading, ReadingSearch, settle_particles
from engine import march_rules
from engine.actions import Action, Illegal
from engine.notation import parser
from engine.notation.orders import Order, Verb, write
from engine.position import Phase

BEGUN_SHARE = 0.35
"""Of the weight of a text, what a reading must explain where the rules have something against the rest."""
MOST_MARCHES = 3
"""Marches that stand with a card that is said alone."""
GOOD_SHARE, MOVED, MOST_MOVED = 0.95, 0.5, 6
"""Below which share a march is looked for that is told late, what that costs, and among how many clauses."""
LEAST_SHARE = 0.62
"""The same of any other reading."""


def read_clauses(
    start: KnownPosition, clauses: MentionClauses, choices: Mapping[str, tuple[Action, ...]]
) -> Understanding:
    """What a text means: where it says "or", the best reading of each way first."""
    search = ReadingSearch(start, choices)
    rows: list[list[Reading]] = []
    for variant in clauses.variants:
        row = search.find(variant, clauses.denied)
        if not row or row[0].share < LEAST_SHARE or (row[0].left and row[0].share < GOOD_SHARE):
            moved = (one for order in _reorder(variant, start) for one in search.find(order, clauses.denied))
            row += [replace(one, score=one.score - MOVED) for one in moved]
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
    """Why some words of a text cannot be done."""

    words: str
    illegal: Illegal


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a text means."""

    readings: list[Reading]
    """The best first."""
    objection: Objection | None
    """What stands against the rest of it."""


def _object(start: KnownPosition, clauses: MentionClauses, reading: Reading | None) -> Objection | None:
    """What the rules have against the first clause that a reading leaves out."""
    now = start if reading is None else start.after_all(reading.actions)
    if now is None or not clauses.variants:
        return None
    left = None if reading is None else reading.left
    for clause in clauses.variants[0]:
        if clause.strong and (left is None or any(one in left for one in clause.strong)):
            illegal = find_objection(now, ClauseContent.of(settle_particles(clause.mentions)))
            if illegal is not None:
                return Objection(" ".join(one.text for one in clause.mentions), illegal)
    return None


def _march_on(start: KnownPosition, search: ReadingSearch, found: list[Reading]) -> list[Reading]:
    """The same; where only a card is chosen its first marches stand with it, as its writer must say one."""
    after = start.after_all(found[0].actions)
    if after is None or after.position.table.phase is not Phase.MARCH:
        return found
    table = after.position.table
    marches = parser.find_marches(table, march_rules.targets_of_chosen(table), Order(Verb.MARCH))
    first = [one for one in search.offered if one in marches]
    ways = list(dict.fromkeys((*first, *marches)))[:MOST_MARCHES]
    return [replace(found[0], actions=(*found[0].actions, march)) for march in ways] + found


def _reorder(variant: Sequence[Clause], start: KnownPosition) -> Iterator[tuple[Clause, ...]]:
    """The same with a clause at the front that may say the march, which was told late."""
    if start.position.table.phase is Phase.ACTIONS:
        return
    for at in range(1, min(len(variant), MOST_MOVED)):
        if any(one.has(MeaningKind.PLACE) or one.has(MeaningKind.POINT) for one in variant[at].mentions):
            yield (variant[at], *variant[:at], *variant[at + 1 :])
            if at + 1 < len(variant):
                yield (*variant[at : at + 2], *variant[:at], *variant[at + 2 :])
    if len(variant) == 2:
        yield variant[1], variant[0]


def write_orders(start: KnownPosition, reading: Reading) -> tuple[str, ...]:
    """A reading as orders in canonical English."""
    return tuple(write(action, start.position.table.board) for action in reading.actions)
