"""What a player of the sample game had planned, and what does not fit any more."""

from __future__ import annotations

from dataclasses import replace

from emails.languages.lexicon import lexicon_of
from emails.languages.supported_languages import ENGLISH
from emails.letters.contexts import GameLetterContext
from emails.plans.plan_text import KeptPlan
from engine.plans.rehearsal import choose_alternative
from engine.plans.syntax import PlanReader

PLANNED = "if the display has a horse: horse; march Troy; occupy Troy. otherwise: lyre; march Susa; draw"
"""What she had planned."""


def with_missed_plan(made: GameLetterContext) -> GameLetterContext:
    """She had hoped for a horse, or for a lyre that leads to Susa."""
    board = made.view.table.board
    lexicon = lexicon_of(ENGLISH)
    plan = PlanReader(board, lexicon.orders, lexicon.plans).read(PLANNED)
    outlook = choose_alternative(plan, made.view)
    return replace(made, plan=KeptPlan(PLANNED, plan, made.view.my_seat, made.view.table.turn, True, outlook))
