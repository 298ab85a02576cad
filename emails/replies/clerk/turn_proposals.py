"""Proposals for a mail that cannot be read whole: at most three turns to choose from, or why none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from emails.i18n import gettext
from emails.plans.plan_text import example_condition
from emails.replies.clerk.clauses import parse_clauses
from emails.replies.clerk.meanings import look_out, near_places
from emails.replies.clerk.mentions import MentionReader, load_lexicon
from emails.replies.clerk.readings import Objection, read_clauses, write_orders
from emails.replies.remarks.small_talk import is_of_game
from emails.wording import options, phrases
from emails.wording.advice_text import glue_title, title_turns
from emails.wording.options import Option
from emails.wording.questions import OrderQuestion
from engine import action_rules, march_rules
from engine.actions import Action, Levy, March, Occupy, TakeOver
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


MOST_CLAUSES = 2
"""Clauses of what an action would do that are told: what is read at a glance."""


def ask_which_turn(proposal: TurnProposal, view: View) -> OrderQuestion | None:
    """The question which of its readings is meant; None where it has none."""
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
    """What a turn would do, as far as nothing hidden is needed for it."""
    now = look_out(view)
    for action in turn:
        table, known = now.position.table, now.known
        match action:
            case March(path=path):
                detail = options.march_detail(known, march_rules.outcome_of(table, path), known.hand)
                return "; ".join(detail.split("; ")[:MOST_CLAUSES])
            case Occupy(guards) | TakeOver(guards):
                siege = action_rules.find_siege(
                    table, table.seat, known.hand, action_rules.province_to_conquer(table, table.seat, guards)
                )
                if siege is not None:
                    return gettext("costs %(cards)s", cards=phrases.format_cards(siege.price(table, guards)))
            case Levy():
                return options.action_detail(known, action)
            case _:
                pass
        after = now.after(action)
        if after is None:
            break
        now = after
    return ""


def explain_proposal(proposal: TurnProposal) -> str:
    """What was not understood, and what can be written instead: a sentence or two."""
    return " ".join(
        filter(None, (_verdict(proposal), _objection(proposal) or _advice(proposal), _unplaced(proposal)))
    )


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


def _objection(proposal: TurnProposal) -> str:
    """What the rules have against some of it."""
    found = proposal.objection
    if found is None:
        return ""
    return gettext("“%(line)s”: %(why)s", line=found.words, why=phrases.explain_refusal(found.illegal)) + "."


def _advice(proposal: TurnProposal) -> str:
    if proposal.kind is ProposalKind.CONDITION:
        return gettext(
            "What depends on something (“%(word)s”) is planned, such as “%(plan)s”; or write what you want "
            "now, and the rest once you know.",
            word=proposal.mark,
            plan=example_condition(),
        )
    if proposal.kind is ProposalKind.PLAN:
        return gettext(
            "What is put off (“%(word)s”) is planned, such as “%(plan)s”: it is played when your turn comes.",
            word=proposal.mark,
            plan=example_condition(),
        )
    if proposal.readings:
        return ""
    if proposal.kind is ProposalKind.QUESTION:
        return gettext("To ask the others, begin with “say:”; “?” alone tells what can be written.")
    return gettext(
        "Reply with a letter, or with orders such as “%(order)s”; what you say to the others begins with "
        "“say:”.",
        order=gettext("choose horse; march Troy; draw"),
    )


def _unplaced(proposal: TurnProposal) -> str:
    if not proposal.unplaced or not proposal.readings or proposal.kind is ProposalKind.OFFER:
        return ""
    words = phrases.format_list(f"“{word}”" for word in proposal.unplaced)
    return gettext("Left aside: %(words)s.", words=words)
