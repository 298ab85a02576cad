"""A plan in words for its player: its text, when it is played, what prevents it, and what it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from emails.i18n import current_locale, gettext, gettext_noop
from emails.languages.lexicon import plan_words
from emails.wording import phrases
from emails.wording.requests import RequestKind, request_word
from engine.actions import March
from engine.board import Board
from engine.cards import Symbol
from engine.notation.orders import Verb, spell_out, write
from engine.plans import (
    Alternative,
    CardOpen,
    Condition,
    OrderRefused,
    PlannedTurn,
    PlanWords,
    ProvinceFree,
    RejectedAlternative,
    TurnPlan,
    write_order,
    write_orders,
    write_plan,
    write_turn,
)
from engine.position import Phase, Table
from engine.provinces import province_at

LONGEST_TURN = 70
PLAN_OUTDATED = gettext_noop(
    "This plan is from before plans were read as they are now, so it is not played. Please write it anew."
)


@dataclass(frozen=True, slots=True)
class PlanContext:
    """A stored plan, and its effect in the current position."""

    words: str
    plan: TurnPlan | None
    """None if the words are in an old version of the plan language."""
    seat: int
    turn: int
    missed: bool
    outlook: PlannedTurn | tuple[RejectedAlternative, ...]
    """The turn that the plan would play now; if none is possible, why each of its alternatives is not."""

    def is_due(self, table: Table) -> bool:
        """True if the turn of the plan has begun and the plan has not been played."""
        return table.turn == self.turn and table.phase is Phase.CARD and not table.over

    def is_missed(self, table: Table) -> bool:
        """True if the turn of the plan has begun and no alternative is possible."""
        return self.is_due(table) and not isinstance(self.outlook, PlannedTurn)


def own_plan_words() -> PlanWords:
    """Return the words for plans in the current language."""
    return plan_words(current_locale().language)


def format_plan(plan: TurnPlan, board: Board) -> str:
    """Format a plan in the current language so that it can be parsed again."""
    words = own_plan_words()
    return f"{words.heading[0]}: {write_plan(plan, board, words)}"


def describe_plan(kept: PlanContext | None, table: Table) -> Iterator[str]:
    if kept is None:
        yield gettext("You have no plan for your next turn.")
        yield gettext("To plan it, write for example “%(example)s”.", example=example_plan(table.board))
        return
    yield from describe_planned(kept, table)
    if kept.is_missed(table):
        yield gettext("It ends with this turn, which you play yourself; a new plan is for the next.")
        return
    yield gettext(
        "Only you know of it. “%(word)s” withdraws it, and a new plan takes its place.",
        word=request_word(RequestKind.NO_PLAN),
    )


def describe_planned(kept: PlanContext, table: Table) -> Iterator[str]:
    """Describe a plan, the time of play and the obstacles, in paragraphs of one or two sentences."""
    if kept.plan is None:
        yield gettext("“%(plan)s”", plan=kept.words)
        yield gettext(PLAN_OUTDATED)
        return
    yield gettext("“%(plan)s”", plan=format_plan(kept.plan, table.board))
    if kept.is_missed(table):
        yield gettext("Your turn has come, and nothing of it is played:")
        yield from explain_misfits(kept, table)
        return
    if kept.is_due(table):
        yield gettext("Your turn has come: it is played within seconds.")
    else:
        yield _describe_when(kept.plan, table)
    if not isinstance(kept.outlook, PlannedTurn):
        yield gettext("As the game stands now nothing of it would be played:")
        yield from explain_misfits(kept, table)
        return
    turn = write_turn(kept.outlook, table.board, own_plan_words())
    yield gettext("As the game stands now this would be played: “%(turn)s”.", turn=turn)
    if _chooses_path(kept.outlook, kept.plan, table.board):
        yield gettext("Of several shortest paths the one that encloses most for you is taken.")


def _chooses_path(turn: PlannedTurn, plan: TurnPlan, board: Board) -> bool:
    """Return whether the server chose the path of a march, because the plan leaves it open."""
    said = [spell_out(order, board) for order in plan.alternatives[turn.number - 1].orders]
    return any(isinstance(action, March) and write(action, board) not in said for action in turn.actions)


def _describe_when(plan: TurnPlan, table: Table) -> str:
    if len(plan.alternatives) > 1:
        return gettext(
            "A few seconds after your turn has come the first of its turns that is possible then is played."
        )
    if reasons := list(dict.fromkeys(_list_obstacles(plan.alternatives[0], table))):
        return gettext(
            "It is played a few seconds after your turn has come, unless %(reasons)s.",
            reasons=phrases.format_list(reasons, "or"),
        )
    return gettext("It is played a few seconds after your turn has come.")


def _list_obstacles(one: Alternative, table: Table) -> Iterator[str]:
    for condition in one.conditions:
        match condition:
            case CardOpen(card):
                yield gettext("no %(card)s is in the display", card=phrases.symbol_name(card))
            case ProvinceFree(place):
                yield gettext("the province of %(place)s is not free", place=phrases.name_place(table, place))
            case _:
                assert_never(condition)
    for order in one.orders:
        if order.verb == Verb.CHOOSE:
            yield gettext("no %(card)s is in the display", card=phrases.symbol_name(order.symbols[0]))
        elif order.verb == Verb.MARCH and order.places:
            yield gettext(
                "the card does not lead to %(place)s", place=phrases.name_place(table, order.places[0])
            )
        elif order.verb not in (Verb.PLAY, Verb.STAY, Verb.MARCH, Verb.DRAW, Verb.END):
            words = write_order(order, table.board, own_plan_words())
            yield gettext("“%(order)s” cannot be done then", order=words)


def explain_misfits(kept: PlanContext, table: Table) -> Iterator[str]:
    if kept.plan is None:
        yield gettext(PLAN_OUTDATED)
    elif not isinstance(kept.outlook, PlannedTurn):
        for one in kept.outlook:
            said = write_orders(kept.plan.alternatives[one.number - 1].orders, table.board, own_plan_words())
            said = said if len(said) <= LONGEST_TURN else f"{said[: LONGEST_TURN - 1]}…"
            yield gettext("“%(turn)s”: %(why)s.", turn=said, why=_explain(one.reason, table, kept.seat))


def _explain(reason: Condition | OrderRefused, table: Table, me: int) -> str:
    match reason:
        case CardOpen(card):
            return gettext("%(card)s is not in the display", card=phrases.the_card(card))
        case ProvinceFree(place):
            holder = province_at(table, place).holder
            assert holder is not None
            named = phrases.name_place(table, place)
            if holder == me:
                return gettext("you hold the province of %(place)s", place=named)
            name = phrases.safe_name(table.names[holder])
            return gettext("%(name)s holds the province of %(place)s", name=name, place=named)
        case OrderRefused():
            return gettext(
                "“%(order)s” cannot be done: %(why)s",
                order=write_order(reason.order, table.board, own_plan_words()),
                why=phrases.explain_refusal(reason.refusal),
            )
        case _:
            assert_never(reason)


def short_example(board: Board) -> str:
    """Return an example of a plan of a single turn, in the current language."""
    words = own_plan_words()
    march = f"{words.orders.name_verb('march')} {next(iter(board.names.values()))}"
    return f"{words.heading[0]}: {words.orders.name_card('horse')}; {march}; {words.orders.name_verb('draw')}"


def example_plan(board: Board | None = None) -> str:
    """Return an example of a plan with conditions in the current language, on this board or the usual one."""
    words, place = own_plan_words(), "Troy" if board is None else next(iter(board.names.values()))
    name_card, name_verb = words.orders.name_card, words.orders.name_verb
    then = f"{name_verb('march')} {place}; {name_verb('draw')}"
    condition = f"{words.condition[0]} {words.open_cards[Symbol.HORSE]}"
    return (
        f"{words.heading[0]}: {condition}: {name_card('horse')}; {then}. "
        f"{words.otherwise[0]}: {name_card('lyre')}; {then}"
    )
