"""A plan as its player reads it: its words, what of it would be played now, and why something would not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import plan_words
from emails.plans.failure_text import tell_failures
from emails.wording.phrases import explain_refusal
from emails.wording.requests import RequestKind, request_word
from engine.board import Board
from engine.cards import Symbol
from engine.plans.open_marches import leaves_march_open
from engine.plans.plan_choice import PlannedTurn, RejectedAlternative
from engine.plans.plan_words import PlanWords
from engine.plans.plan_writer import write_order, write_orders, write_plan, write_turn
from engine.plans.turn_plans import TurnPlan
from engine.position import Phase, Table

LONGEST_TURN = 70
"""Characters of a turn that a sentence repeats."""


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """A plan that is kept, and what would come of it as the game stands now."""

    plan: TurnPlan
    seat: int
    """Whose it is."""
    turn: int
    """The number of the turn for which it is."""
    missed: bool
    """Whether it was tried and did not fit."""
    outlook: PlannedTurn | tuple[RejectedAlternative, ...]
    """What of it would be played if its turn were now; else why nothing would."""

    def is_due(self, table: Table) -> bool:
        """Whether its turn has begun, and nothing of that is played."""
        return table.turn == self.turn and table.phase is Phase.CARD and not table.over

    def misses(self, table: Table) -> tuple[RejectedAlternative, ...]:
        """Why nothing of it is played in its turn, which has begun; none where something is, or will be."""
        return self.outlook if self.is_due(table) and isinstance(self.outlook, tuple) else ()


def _spoken_plan_words() -> PlanWords:
    return plan_words(current_locale().language)


def plan_heading() -> str:
    """What stands before a plan in a mail, in the language spoken."""
    return f"{_spoken_plan_words().heading[0]}:"


def say_plan(plan: TurnPlan, board: Board) -> str:
    """A plan as it can be written, in the language spoken."""
    words = _spoken_plan_words()
    return f"{words.heading[0]}: {write_plan(plan, board, words)}"


def describe_plan(kept: KeptPlan | None, table: Table) -> Iterator[str]:
    """What is planned and what would come of it, a sentence or two each; and how it is changed by mail."""
    if kept is None:
        yield gettext("You have no plan for your next turn.")
        yield explain_plans(table.board)
        return
    yield from tell_plan(kept, table)
    if kept.misses(table):
        yield gettext("It ends with this turn, which you play yourself; a new plan is for the next.")
        return
    yield gettext(
        "It is tried a few seconds after your turn has come, and only you know of it. “%(word)s” withdraws "
        "it, and a new plan takes its place.",
        word=request_word(RequestKind.NO_PLAN),
    )


def tell_plan(kept: KeptPlan, table: Table) -> Iterator[str]:
    """What is planned and what would come of it, a sentence or two each."""
    board = table.board
    yield gettext("“%(plan)s”", plan=say_plan(kept.plan, board))
    if kept.misses(table):
        yield gettext("Your turn has come, and nothing of it is played:")
        yield from explain_misfits(kept, table)
    elif isinstance(kept.outlook, PlannedTurn) and kept.is_due(table):
        yield gettext("Your turn has come: it is played within seconds.")
    elif isinstance(kept.outlook, PlannedTurn):
        turn = write_turn(kept.outlook, board, _spoken_plan_words())
        yield gettext("If your turn were now this would be played: “%(turn)s”.", turn=turn)
    else:
        yield gettext("If your turn were now nothing of it would be played:")
        yield from explain_misfits(kept, table)
    if not kept.misses(table) and any(leaves_march_open(one, board) for one in kept.plan.alternatives):
        yield gettext(
            "Where it leaves a march open, that with the fewest new walls is played after which the rest can "
            "be done; of equal ones the first by place, corner and path, row by row from the top. Name the "
            "place, the corner or the whole path to choose it yourself."
        )


def explain_misfits(kept: KeptPlan, table: Table) -> Iterator[str]:
    """Why nothing of a plan is played, a sentence for each of its turns."""
    if isinstance(kept.outlook, PlannedTurn):
        return
    for one in kept.outlook:
        said = _say_turn(kept, one.number, table.board)
        yield gettext("“%(turn)s”: %(why)s.", turn=said, why=_explain(one, table, kept.seat))


def _say_turn(kept: KeptPlan, number: int, board: Board) -> str:
    said = write_orders(kept.plan.alternatives[number - 1], board, _spoken_plan_words())
    return said if len(said) <= LONGEST_TURN else f"{said[: LONGEST_TURN - 1]}…"


def _explain(one: RejectedAlternative, table: Table, me: int) -> str:
    if one.failures:
        return tell_failures(one.failures, table, me)
    assert one.refusal is not None
    assert one.order is not None
    why = explain_refusal(one.refusal)
    return gettext(
        "“%(order)s” cannot be done: %(why)s",
        order=write_order(one.order, table.board, _spoken_plan_words()),
        why=why,
    )


def explain_plans(board: Board) -> str:
    """How a plan is written, with an example on a board."""
    return gettext("To plan it, write for example “%(example)s”.", example=example_plan(board))


def example_plan(board: Board) -> str:
    """A plan that could be written on a board, in the language spoken."""
    return _write_example(next(iter(board.names.values())))


def short_example(board: Board) -> str:
    """A plan of one turn that could be written on a board, in the language spoken."""
    words = _spoken_plan_words()
    march = f"{words.orders.name_verb('march')} {next(iter(board.names.values()))}"
    return f"{words.heading[0]}: {words.orders.name_card('horse')}; {march}; {words.orders.name_verb('draw')}"


def example_condition() -> str:
    """How a plan with a condition is written, in the language spoken."""
    return _write_example("Troy")


def _write_example(place: str) -> str:
    words = _spoken_plan_words()
    name_card, name_verb = words.orders.name_card, words.orders.name_verb
    then = f"{name_verb('march')} {place}; {name_verb('draw')}"
    condition = f"{words.condition[0]} {words.open_cards[Symbol.HORSE]}"
    return (
        f"{words.heading[0]}: {condition}: {name_card('horse')}; {then}. "
        f"{words.otherwise[0]}: {name_card('lyre')}; {then}"
    )
