"""The meanings of a clause after the march: cards, taxes, guards that come back, the end of the turn."""

from __future__ import annotations

from collections.abc import Iterator

from emails.replies.clerk.clause_content import NO_CARD, NO_PLACE, ClauseContent, ClauseMeaning
from emails.replies.clerk.known_position import KnownPosition
from emails.replies.clerk.phrase_book import Meaning, MeaningKind
from engine import action_rules
from engine.actions import Draw, End, Levy, Recall, Take
from engine.provinces import levy_gains


def facts_of_action(action: Draw | Take | Levy | Recall | End) -> frozenset[Meaning]:
    """What mentions of an action explain that needs no place chosen in a province."""
    match action:
        case Draw():
            return frozenset(
                {
                    (MeaningKind.VERB, "draw"),
                    (MeaningKind.NOUN, "card"),
                    (MeaningKind.NOUN, "supply"),
                    (MeaningKind.NOUN, "again"),
                }
            )
        case Take(card):
            return frozenset(
                {
                    (MeaningKind.VERB, "take"),
                    (MeaningKind.VERB, "choose"),
                    (MeaningKind.NOUN, "card"),
                    (MeaningKind.NOUN, "display"),
                    (MeaningKind.NUMBER, 1),
                    (MeaningKind.CARD, card),
                }
            )
        case Levy(card):
            return frozenset(
                {
                    (MeaningKind.VERB, "levy"),
                    (MeaningKind.VERB, "play"),
                    (MeaningKind.NOUN, "tax"),
                    (MeaningKind.NOUN, "hand"),
                    (MeaningKind.NOUN, "payment"),
                    (MeaningKind.NOUN, "card"),
                    (MeaningKind.CARD, card),
                }
            )
        case Recall(place):
            return frozenset(
                {
                    (MeaningKind.VERB, "recall"),
                    (MeaningKind.NOUN, "guard"),
                    (MeaningKind.PLACE, place),
                    (MeaningKind.SIGN, "leaving"),
                }
            )
        case End():
            return frozenset({(MeaningKind.VERB, "end"), (MeaningKind.NOUN, "turn")})


def list_action_meanings(now: KnownPosition, asked: ClauseContent) -> Iterator[ClauseMeaning]:
    """What is done in section 5 but for provinces."""
    known, table = now.known, now.position.table
    if asked.wants("draw"):
        for many in range(1, table.actions_left + 1):
            said = many == 1 or many in asked.numbers or "both" in asked.nouns
            if said and known.supply_size >= many:
                found = {
                    *facts_of_action(Draw()),
                    (MeaningKind.NUMBER, many),
                    *([(MeaningKind.NOUN, "both")] if many > 1 else []),
                }
                yield ClauseMeaning((Draw(),) * many, frozenset(found), 0.0)
    kinds = table.display.kinds()
    if asked.wants("take", "choose"):
        for card in kinds:
            guess = 0.0 if card in asked.cards or len(kinds) == 1 else NO_CARD
            yield ClauseMeaning((Take(card),), facts_of_action(Take(card)), guess)
        both = tuple(Take(card) for card in table.display)
        if len(both) == 2 and table.actions_left > 1:
            together: frozenset[Meaning] = frozenset({(MeaningKind.NUMBER, 2), (MeaningKind.NOUN, "both")})
            yield ClauseMeaning(both, together.union(*map(facts_of_action, both)), 0.2)
    if asked.wants("levy") or not asked.nouns.isdisjoint({"tax", "worth"}):
        cards = action_rules.levy_cards(table, table.seat, known.hand)
        gain = levy_gains(table)[table.seat]
        worth: frozenset[Meaning] = frozenset({(MeaningKind.NUMBER, gain), (MeaningKind.NOUN, "worth")})
        for card in cards:
            guess = 0.0 if card in asked.cards else 0.1 if len(cards) == 1 else NO_CARD
            yield ClauseMeaning((Levy(card),), worth.union(facts_of_action(Levy(card))), guess)
    if asked.wants("recall") or "guard" in asked.nouns:
        own = table.guards[table.seat]
        for place in own:
            if not asked.places or place in asked.places:
                guess = 0.0 if asked.places or len(own) == 1 else NO_PLACE
                yield ClauseMeaning((Recall(place),), facts_of_action(Recall(place)), guess)
    if "end" in asked.verbs:
        yield ClauseMeaning((End(),), facts_of_action(End()), 0.0)
