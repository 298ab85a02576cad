"""What a proposal says to its reader, in the language spoken: a few sentences, and each reading as one."""

from __future__ import annotations

from collections.abc import Sequence

from emails.i18n import gettext
from emails.plans.plan_text import example_condition
from emails.replies.clerk.known_position import look_out
from emails.replies.clerk.turn_proposals import ProposalKind, TurnProposal
from emails.wording import options, phrases
from emails.wording.advice_text import glue_title, title_turns
from emails.wording.options import Option
from emails.wording.questions import OrderQuestion
from engine import action_rules, march_rules
from engine.actions import Action, Levy, March, Occupy, TakeOver
from engine.notation.grammar import read_canonical
from engine.position import View

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
