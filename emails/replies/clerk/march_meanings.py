"""The meanings of a clause before and in a march: a card, a march, or both."""

from __future__ import annotations

from collections.abc import Iterator

from emails.replies.clerk.clause_content import NO_CARD, NO_CORNER, NO_WAY, ClauseContent, ClauseMeaning
from emails.replies.clerk.known_position import KnownPosition
from emails.replies.clerk.phrase_book import Meaning, MeaningKind
from engine import march_rules
from engine.actions import Choose, March, Play, Stay
from engine.board import Point
from engine.notation import parser
from engine.notation.grammar import list_goal_corners
from engine.notation.orders import Order, Verb
from engine.position import Table
from engine.rules import card_choices

MOST_WAYS = 4
"""Marches to one corner that are thought of."""


def list_card_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """A card to march with, alone or with the march."""
    known = now.known
    names_march = bool(asked.places or asked.points or "corner" in asked.nouns)
    names_march = names_march or (bool(asked.cards) and "march" in asked.verbs)
    choices = list(card_choices(known))
    for action in choices:
        guess = 0.0 if asked.cards else NO_CARD if len(choices) > 1 else 0.1
        facts = facts_of_card(action)
        if isinstance(action, Stay):
            yield ClauseMeaning((action,), facts, guess)
            continue
        if isinstance(action, Play) and action.card in known.table.display and "hand" not in asked.nouns:
            guess += 0.25
        if asked.cards and action.card not in asked.cards and not asked.places:
            continue
        if asked.cards:
            yield ClauseMeaning((action,), facts, guess)
        if names_march or asked.corners:
            after = now.after(action)
            if after is not None:
                for march in list_march_meanings(after, asked):
                    yield ClauseMeaning((action, *march.actions), facts | march.facts, guess + march.guess)


def facts_of_card(action: Choose | Play | Stay) -> frozenset[Meaning]:
    """What the choice of a card explains."""
    found: set[Meaning] = {(MeaningKind.NOUN, "card")}
    if action.card is not None:
        found.add((MeaningKind.CARD, action.card))
    match action:
        case Choose():
            found |= {(MeaningKind.VERB, "choose"), (MeaningKind.NOUN, "display")}
        case Play():
            found |= {(MeaningKind.VERB, "play"), (MeaningKind.NOUN, "hand")}
        case Stay():
            found |= {(MeaningKind.VERB, "stay"), (MeaningKind.NOUN, "display")}
    return frozenset(found)


def list_march_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """The marches with the chosen card."""
    table = now.position.table
    targets = march_rules.targets_of_chosen(table)
    wanted = tuple(space for space in targets if not asked.places or space in asked.places)
    if not wanted:
        return
    corners = list_goal_corners(table, targets)
    numbered = {point: number for number, point in enumerate(corners, 1)}
    points = tuple(dict.fromkeys(point for point in asked.points if point != table.alexander))
    ends = [point for point in points if point in numbered and point not in asked.passed]
    ends += [corner for corner in corners if numbered[corner] in asked.corners and corner not in ends]
    if not ends and not asked.places:
        ends = [point for point in points if point in numbered]
    named = points or asked.places or asked.cards or "corner" in asked.nouns
    if not (named or asked.says("march")):
        return
    said_end = bool(ends)
    for end in ends or corners:
        said = Order(Verb.MARCH, passed=tuple(point for point in points if point != end), points=(end,))
        for rank, march in enumerate(parser.find_marches(table, wanted, said)[:MOST_WAYS]):
            guess = NO_WAY * rank + (0.0 if said_end else NO_CORNER)
            if not asked.places and not said_end:
                guess += 0.3
            yield ClauseMeaning((march,), facts_of_march(table, march, numbered), guess)


def facts_of_march(table: Table, march: March, numbered: dict[Point, int]) -> frozenset[Meaning]:
    """What a march explains, with the numbers of the corners to which its card leads."""
    end = march.path[-1]
    found: set[Meaning] = {
        (MeaningKind.VERB, "march"),
        (MeaningKind.PLACE, march.target),
        (MeaningKind.CARD, table.board.symbol_at(march.target)),
        (MeaningKind.NOUN, "corner"),
        (MeaningKind.NOUN, "alexander"),
        (MeaningKind.SIGN, "passing"),
        (MeaningKind.SIGN, "leaving"),
        *((MeaningKind.POINT, point) for point in march.path),
    }
    if end in numbered:
        found.add((MeaningKind.CORNER, numbered[end]))
    return frozenset(found)
