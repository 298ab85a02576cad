"""The meanings of a clause in a position: legal actions, and turns that the letter offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emails.replies.clerk.action_meanings import facts_of_action, list_action_meanings
from emails.replies.clerk.clause_content import ClauseContent, ClauseMeaning
from emails.replies.clerk.conquest_meanings import list_conquest_meanings
from emails.replies.clerk.known_position import KnownPosition
from emails.replies.clerk.march_meanings import (
    facts_of_card,
    facts_of_march,
    list_card_meanings,
    list_march_meanings,
)
from emails.replies.clerk.phrase_book import Meaning, MeaningKind
from engine import action_rules, march_rules
from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.board import Space
from engine.notation.grammar import list_goal_corners
from engine.position import Phase
from engine.provinces import province_at
from engine.rules import card_choices

CHOSEN = 0.6
"""How much better it is that a turn of the letter is meant by its letter."""


@dataclass(frozen=True, slots=True)
class OfferedTurn:
    """A whole turn that a letter offers, with all that mentions of it can explain."""

    mark: str
    actions: tuple[Action, ...]
    facts: frozenset[Meaning]


def make_offer(now: KnownPosition, mark: str, actions: tuple[Action, ...]) -> OfferedTurn | None:
    """A turn that is offered; None where it cannot be done."""
    facts: set[Meaning] = set()
    step: KnownPosition | None = now
    for action in actions:
        assert step is not None
        table = step.position.table
        match action:
            case Choose() | Play() | Stay():
                facts |= facts_of_card(action)
            case March():
                corners = list_goal_corners(table, march_rules.targets_of_chosen(table))
                facts |= facts_of_march(table, action, {point: at for at, point in enumerate(corners, 1)})
            case Draw() | Take() | Levy() | Recall() | End():
                facts |= facts_of_action(action)
            case Occupy(guards) | TakeOver(guards, _):
                facts |= {
                    (MeaningKind.VERB, "occupy"),
                    (MeaningKind.VERB, "takeover"),
                    (MeaningKind.NOUN, "guard"),
                    (MeaningKind.NOUN, "province"),
                }
                facts |= {(MeaningKind.PLACE, place) for place in guards}
                holder = province_at(table, guards[0]).holder
                if holder is not None:
                    facts.add((MeaningKind.PLAYER, holder))
        step = step.after(action)
        if step is None:
            return None
    facts.add((MeaningKind.NUMBER, sum(isinstance(action, Draw) for action in actions)))
    return OfferedTurn(mark, actions, frozenset(facts))


def list_clause_meanings(
    now: KnownPosition, asked: ClauseContent, choices: Sequence[OfferedTurn]
) -> Iterator[ClauseMeaning]:
    """What these mentions can mean."""
    if now.over:
        if "end" in asked.verbs:
            yield ClauseMeaning((), facts_of_action(End()), 0.0)
        return
    yield from _choices(asked, choices)
    match now.position.table.phase:
        case Phase.CARD:
            yield from list_card_meanings(now, asked)
        case Phase.MARCH:
            yield from list_march_meanings(now, asked)
        case Phase.ACTIONS:
            yield from list_action_meanings(now, asked)
            yield from list_conquest_meanings(now, asked)
        case _:
            return


def _choices(asked: ClauseContent, choices: Sequence[OfferedTurn]) -> Iterator[ClauseMeaning]:
    """The turns that the letter offers, by their letters, and by their numbers in order."""
    lettered = any(one.has(MeaningKind.LETTER) for one in asked.mentions)
    counted = any(one.has(MeaningKind.NUMBER) or one.has(MeaningKind.ORDINAL) for one in asked.mentions)
    alone = not (asked.cards or asked.places or asked.points) and any(
        one.has(MeaningKind.ORDINAL) for one in asked.mentions
    )
    if not lettered and not (counted and (alone or "option" in asked.nouns or "one" in asked.nouns)):
        return
    for number, choice in enumerate(choices, 1):
        mark = choice.mark
        facts = {
            *choice.facts,
            (MeaningKind.LETTER, mark),
            (MeaningKind.ORDINAL, number),
            (MeaningKind.NOUN, "option"),
            (MeaningKind.VERB, "choose"),
            (MeaningKind.VERB, "play"),
            (MeaningKind.VERB, "take"),
            (MeaningKind.NUMBER, int(mark) if mark.isdigit() else number),
        }
        yield ClauseMeaning(choice.actions, frozenset(facts), -CHOSEN)


def near_places(now: KnownPosition) -> frozenset[Space]:
    """The places that an action of this turn can name."""
    table, known = now.position.table, now.known
    found: set[Space] = set()
    if table.phase is Phase.CARD:
        for action in card_choices(known):
            if isinstance(action, Choose | Play):
                found.update(march_rules.targets(table, action.card, from_display=isinstance(action, Choose)))
    elif table.phase is Phase.MARCH:
        found.update(march_rules.targets_of_chosen(table))
    for siege in action_rules.find_sieges(table, table.seat, known.hand):
        found.update(siege.province.places)
    found.update(table.guards[table.seat])
    return frozenset(found)
