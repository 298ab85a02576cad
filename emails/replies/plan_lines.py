"""What a player plans, in a mail: from a line "plan: words" to the end of its paragraph, whatever it holds.

Such a line is never an order, and neither are those that go on with it: no mail plays what it plans.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from emails.languages.lexicon import Lexicon
from emails.languages.toml_tables import match_words
from engine.actions import Unreadable
from engine.board import Board
from engine.plans.syntax import PlanReader
from engine.plans.turn_plans import TurnPlan

LONGEST_TOLD = 400
"""Characters in which a plan is looked for that is told in other words."""


@dataclass(frozen=True, slots=True, eq=False)
class _PlanPatterns:
    """How the lines of a plan begin, in the words of a lexicon."""

    heading: re.Pattern[str]
    going_on: re.Pattern[str]
    """A line that begins another turn of the plan."""


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _PlanPatterns:
    words = lexicon.plans
    begun = match_words(tuple(one for name in ("otherwise", "condition") for one in words.all_of(name)))
    heading = rf"(?:{match_words(words.all_of('heading'))})(?: ?:| ?,? (?:{begun})\b[^:]*:)"
    return _PlanPatterns(re.compile(heading, re.IGNORECASE), re.compile(rf"(?:{begun})\b", re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class PlanLine:
    """What somebody plans, read once; or why it cannot be read."""

    words: str
    """As it was written."""
    plan: TurnPlan | None = None
    refusal: Unreadable | None = None


def is_plan(line: str, lexicon: Lexicon) -> bool:
    """Whether a line begins a plan, readable or not."""
    return _patterns_of(lexicon).heading.match(line) is not None


def continues_plan(line: str, lexicon: Lexicon) -> bool:
    """Whether a line under a plan begins its next turn."""
    return _patterns_of(lexicon).going_on.match(line) is not None


def seems_plan(text: str, lexicon: Lexicon, *, waits: bool) -> bool:
    """Whether somebody seems to plan a turn in other words: they call it so, or a condition stands by orders.

    `waits`: whether they are not to move; what depends on something is planned then.
    """
    words = " ".join(re.findall(r"[\w']+", text[:LONGEST_TOLD].casefold()))
    orders = [one for one in words.split() if one in lexicon.orders.symbols or one in lexicon.orders.verbs]
    conditions = match_words((*lexicon.plans.all_of("condition"), *lexicon.topics.condition))
    heading = match_words(lexicon.plans.all_of("heading"))
    headed = re.match(rf"(?:{heading})\b", words) is not None
    return len(orders) > 1 and (headed or (waits and re.search(rf"\b(?:{conditions})\b", words) is not None))


def parse_plan_line(line: str, board: Board, lexicon: Lexicon) -> PlanLine:
    """What a line plans for which `is_plan` holds."""
    try:
        return PlanLine(line, PlanReader(board, lexicon.orders, lexicon.plans).read(line))
    except Unreadable as refusal:
        return PlanLine(line, refusal=refusal)
