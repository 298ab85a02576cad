"""Why what a clause says cannot be done: the clause of the rules that stands against it."""

from __future__ import annotations

from collections.abc import Iterator

from emails.replies.clerk.clause_content import ClauseContent
from emails.replies.clerk.known_position import KnownPosition
from engine import action_rules, march_rules
from engine.actions import (
    Action,
    Choose,
    Draw,
    Illegal,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Take,
    TakeOver,
)
from engine.board import Space
from engine.cards import EMPTY, Symbol, any_card
from engine.position import Phase
from engine.provinces import province_at
from engine.rules import perform


def find_objection(now: KnownPosition, asked: ClauseContent) -> Illegal | None:
    """Why none of what these mentions can say is legal; None where nobody knows what they say."""
    if now.over:
        return Illegal("3.1", "your turn is over")
    try:
        for action in _wanted_actions(now, asked):
            perform(now.position, action, any_card)
    except Illegal as illegal:
        return illegal
    return None


def _wanted_actions(now: KnownPosition, asked: ClauseContent) -> Iterator[Action]:
    """What these mentions say as it stands, legal or not."""
    phase = now.position.table.phase
    if phase is Phase.MARCH or (phase is Phase.CARD and not asked.clear & AFTER_MARCH):
        yield from _marches(now, asked)
    if "takeover" in asked.clear or "occupy" in asked.clear or (phase is Phase.ACTIONS and asked.places):
        yield from _conquests(now, asked)
    if "recall" in asked.clear:
        yield from (Recall(place) for place in asked.places)
    if asked.says("levy") or "levy" in asked.clear:
        yield from (Levy(card) for card in asked.cards or _any_levy(now))
    if "take" in asked.clear or not asked.clear:
        yield from (Take(card) for card in asked.cards)
    if "draw" in asked.clear:
        yield Draw()


AFTER_MARCH: frozenset[str] = frozenset({"draw", "levy", "recall", "takeover"})


def _marches(now: KnownPosition, asked: ClauseContent) -> Iterator[Action]:
    table, known = now.position.table, now.known
    if table.phase is Phase.CARD:
        cards = asked.cards or frozenset(table.board.symbol_at(place) for place in asked.places)
        for card in cards:
            if card not in table.display and card not in known.hand:
                yield Choose(card)
            after = now.after(Choose(card)) or now.after(Play(card))
            if after is None:
                yield Play(card) if card in known.hand else Choose(card)
                continue
            for place in asked.places:
                if place not in march_rules.targets_of_chosen(after.position.table):
                    march_rules.judge_march(after.position.table, March(place, (table.alexander,)))
        return
    for place in asked.places:
        yield March(place, (table.alexander,))


def _conquests(now: KnownPosition, asked: ClauseContent) -> Iterator[Action]:
    table = now.position.table
    for place in asked.places:
        guards: tuple[Space, ...] = (place,)
        holder = province_at(table, place).holder
        yield Occupy(guards) if holder is None or holder == table.seat else TakeOver(guards, EMPTY)


def _any_levy(now: KnownPosition) -> frozenset[Symbol]:
    table, known = now.position.table, now.known
    if action_rules.levy_cards(table, table.seat, known.hand):
        return frozenset()
    if table.levied:
        raise Illegal("3.2", "taxes are levied only once a turn")
    raise Illegal("5.11", "no card of yours can levy taxes")
