"""The meanings of a clause about provinces: which is occupied or taken over, and where guards go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, islice

from emails.replies.clerk.clause_content import NO_GIFT, NO_PLACE, OTHER_VERB, ClauseContent, ClauseMeaning
from emails.replies.clerk.known_position import KnownPosition
from emails.replies.clerk.phrase_book import Meaning, MeaningKind
from engine import action_rules
from engine.actions import Occupy, TakeOver
from engine.board import Space
from engine.cards import Bag
from engine.position import Table

MOST_GIFTS = 4
"""Ways to give cards to a loser that are thought of."""
MOST_LARGER = 3
"""Ways to place guards with more of them than are named."""
MOST_PLACEMENTS = 400


def list_conquest_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """The provinces that can be had and that the mentions may mean."""
    table, known = now.position.table, now.known
    if not (asked.wants("occupy", "takeover") or asked.places):
        return
    placing = not asked.clear.isdisjoint({"occupy", "takeover"}) and "guard" in asked.nouns
    if not (asked.places or asked.players or placing or asked.says("occupy") or asked.says("takeover")):
        return
    sieges = list(action_rules.find_sieges(table, table.seat, known.hand))
    for siege in sieges:
        holder = siege.province.holder
        named = tuple(sorted(set(asked.places) & set(siege.province.places)))
        if asked.places and not named:
            continue
        if not asked.places and asked.players and holder not in asked.players:
            continue
        base = 0.0 if asked.places else 0.3 if len(sieges) == 1 else NO_PLACE
        if "payment" in asked.nouns:  # the first that is named is where the guard goes
            named = tuple(place for place in asked.places if place in named)[:1]
        for guards, guess in _placements(table, siege, named):
            yield from _list_ways(table, siege, guards, base + guess, asked)


def _placements(
    table: Table, siege: action_rules.Siege, named: tuple[Space, ...]
) -> Iterator[tuple[tuple[Space, ...], float]]:
    """Where guards may stand, those first where they are said to, with what had to be assumed."""
    possible = list(islice(siege.guard_places(table), MOST_PLACEMENTS))
    if named and named in possible:
        yield named, 0.0
    larger = [guards for guards in possible if set(guards) > set(named)]
    larger.sort(key=len)
    if named not in possible or not named:
        for rank, guards in enumerate(larger[:MOST_LARGER]):
            yield guards, (0.4 if named else 0.0) + 0.1 * rank
    for many in range(len(named) - 1, 0, -1):
        for guards in combinations(named, many):
            if guards in possible:
                yield guards, 0.3
    if named:
        others = [guards for guards in possible if not set(guards) & set(named)]
        for guards in sorted(others, key=len)[:1]:
            yield guards, NO_PLACE


def _list_ways(
    table: Table, siege: action_rules.Siege, guards: tuple[Space, ...], guess: float, asked: ClauseContent
) -> Iterator[ClauseMeaning]:
    """The ways to get a province with these guards."""
    paid, holder = siege.price(table, guards), siege.province.holder
    facts: set[Meaning] = {
        (MeaningKind.NOUN, "guard"),
        (MeaningKind.NOUN, "province"),
        (MeaningKind.NOUN, "payment"),
        (MeaningKind.NOUN, "card"),
        (MeaningKind.NUMBER, len(guards)),
        (MeaningKind.NUMBER, siege.province.value),
        *((MeaningKind.NUMBER, count) for count in paid.counts if count > 1),
        (MeaningKind.NOUN, "worth"),
        *((MeaningKind.PLACE, place) for place in guards),
        *((MeaningKind.CARD, card) for card in paid.kinds()),
        *((MeaningKind.CARD, table.board.symbol_at(place)) for place in guards),
    }
    if "province" in asked.nouns or "payment" in asked.nouns:
        facts |= {(MeaningKind.PLACE, place) for place in siege.province.places}
    if holder is None:
        yield ClauseMeaning((Occupy(guards),), frozenset({*facts, (MeaningKind.VERB, "occupy")}), guess)
        return
    facts |= {
        (MeaningKind.VERB, "takeover"),
        (MeaningKind.PLAYER, holder),
        (MeaningKind.SIGN, "leaving"),
        (MeaningKind.SIGN, "giving"),
    }
    other = OTHER_VERB if asked.verbs and "takeover" not in asked.verbs else 0.0
    facts |= {(MeaningKind.VERB, "occupy")}
    found = paid.handfuls(action_rules.loser_share(table, paid))
    for rank, given in enumerate(islice(_rank_gifts(found, asked), MOST_GIFTS)):
        told = NO_GIFT * rank if asked.gives or rank else 0.0
        yield ClauseMeaning((TakeOver(guards, given),), frozenset(facts), guess + other + told)


def _rank_gifts(found: Iterable[Bag], asked: ClauseContent) -> Iterator[Bag]:
    """Gifts, those first that hold the cards that are named."""
    gifts = list(islice(found, 60))
    if asked.gives:
        gifts.sort(key=lambda gift: [-sum(card in gift for card in asked.cards), -_count_named(gift, asked)])
    return iter(gifts)


def _count_named(gift: Bag, asked: ClauseContent) -> int:
    """How many of its cards are named."""
    return sum(gift[card] for card in asked.cards)
