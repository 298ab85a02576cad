"""What a mail that cannot be read whole may mean: at most three turns to choose from, or why none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from emails.replies.clerk.clause_meanings import near_places
from emails.replies.clerk.known_position import look_out
from emails.replies.clerk.mention_clauses import parse_clauses
from emails.replies.clerk.mentions import MentionReader
from emails.replies.clerk.phrase_book import load_lexicon
from emails.replies.clerk.readings import Objection, read_clauses, write_orders
from emails.replies.remarks.small_talk import is_of_game
from engine.actions import Action
from engine.notation.grammar import read_canonical
from engine.position import View

MOST_READINGS = 3
MARGIN = 2.0
"""How much less than the best a reading may explain that is shown beside it."""
MOST_UNPLACED = 6
LONGEST_TEXT = 1500
"""Characters that are looked at."""
WORDS = re.compile(r"[^\W_]+")


class ProposalKind(StrEnum):
    """What a text seems to be."""

    PROPOSAL = "proposal"
    CONDITION = "condition"
    PLAN = "plan"
    QUESTION = "question"
    RETRACTION = "retraction"
    OFFER = "offer"
    """It has words of orders that make none, and what its letter offers is put to its writer instead."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ProposedTurn:
    """One thing that a text may mean."""

    orders: tuple[str, ...]
    """In canonical English."""
    explained: float
    """How much of the text it explains, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class TurnProposal:
    """What a text is understood to mean."""

    readings: tuple[ProposedTurn, ...]
    """The best first."""
    unplaced: tuple[str, ...]
    """The words that have no part in the first of them, as they are written."""
    kind: ProposalKind
    mark: str = ""
    """The word that shows of what kind it is."""
    objection: Objection | None = None
    """What the rules have against some of it."""


def propose(
    lines: Sequence[str], view: View, choices: Mapping[str, str], languages: Sequence[str] = ()
) -> TurnProposal:
    """What its writer may mean, who is to move; nothing is played by it.

    `choices` are the orders that each letter or number of the letter that is answered stands for.
    """
    start = look_out(view)
    reader = MentionReader(view, load_lexicon(tuple(languages)), choices, near_places(start))
    text = "\n".join(lines)[:LONGEST_TEXT]
    clauses = parse_clauses(reader.read(text))
    offered = _read_choices(choices, view)
    understood = read_clauses(start, clauses, offered)
    found = understood.readings
    shown = [one for one in found if one.score >= found[0].score - MARGIN][:MOST_READINGS]
    turns = tuple(ProposedTurn(write_orders(start, one), round(min(1.0, one.share), 3)) for one in shown)
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
    elif offered and understood.objection is None and any(map(is_of_game, WORDS.findall(text.casefold()))):
        kind = ProposalKind.OFFER
        turns = tuple(ProposedTurn(tuple(choices[one].split("; ")), 0.0) for one in offered)[:MOST_READINGS]
    mark = clauses.retracted or clauses.condition or clauses.plan
    return TurnProposal(turns, tuple(dict.fromkeys(left))[:MOST_UNPLACED], kind, mark, understood.objection)


def _read_choices(choices: Mapping[str, str], view: View) -> dict[str, tuple[Action, ...]]:
    """The actions of each choice that is spelled out whole."""
    found: dict[str, tuple[Action, ...]] = {}
    for mark, words in choices.items():
        try:
            found[mark] = tuple(read_canonical(one, view.table.board) for one in words.split("; "))
        except ValueError:
            continue
    return found
