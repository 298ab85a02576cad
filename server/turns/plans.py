"""Stored plans: at most one for each seat, for its next turn.

A plan is not an act: other players cannot see it, and it has no effect before its turn. The plan is played a
few seconds after the turn begins (play.py).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, or_, select, true, update
from sqlmodel import Session

from emails.i18n import gettext, gettext_noop
from emails.languages.lexicon import lexicon_of, plan_words
from emails.languages.supported_languages import ENGLISH
from emails.wording.phrases import explain_refusal
from emails.wording.plan_text import PlanContext
from engine.actions import Unreadable
from engine.board import Board
from engine.notation.parser import spell_out
from engine.plans import (
    LONGEST_PLAN,
    OrderRefused,
    PlanReader,
    TurnPlan,
    check_plan,
    choose_alternative,
    foresee_turn,
    has_next_turn,
    next_turn_of,
    settle_cards,
    write_plan,
)
from engine.position import Phase, view
from server.outbox.queue import RecordedAct
from server.store.event_log import StartedHistory
from server.store.models import Game, StoredPlan, table_of
from server.store.refusals import Refusal, RefusalCode

PLAN_PAUSE = timedelta(seconds=5)
"""Time from the start of a turn until its plan is played."""
PLAN_TABLE = table_of(StoredPlan)
# Core statements, since they run in each act.
DELETE_PLAYED = delete(PLAN_TABLE).where(
    PLAN_TABLE.c.game == bindparam("of"),
    or_(
        bindparam("over", type_=true().type),
        (PLAN_TABLE.c.seat == bindparam("by")) & (PLAN_TABLE.c.turn <= bindparam("played")),
    ),
)
MAKE_DUE = (
    update(PLAN_TABLE)
    .where(
        PLAN_TABLE.c.game == bindparam("of"),
        PLAN_TABLE.c.seat == bindparam("by"),
        PLAN_TABLE.c.turn == bindparam("begun"),
    )
    .values(due_at=bindparam("at"))
)
SELECT_PLAN = select(PLAN_TABLE.c.words, PLAN_TABLE.c.turn, PLAN_TABLE.c.missed).where(
    PLAN_TABLE.c.game == bindparam("of"), PLAN_TABLE.c.seat == bindparam("by")
)
STORED_HEADING = "plan:"
LONGEST_NAMED = 80
NO_NEXT_TURN = gettext_noop("The game ends before your next turn, so there is nothing to plan.")


class PlanRefused(Refusal):
    code = RefusalCode.PLAN


def read_plan(words: str, board: Board, language: str = ENGLISH) -> TurnPlan:
    lexicon = lexicon_of(language)
    return PlanReader(board, lexicon.orders, lexicon.plans).read(words)


def _read_stored_plan(words: str, board: Board) -> TurnPlan | None:
    try:
        return read_plan(words, board) if words.startswith(STORED_HEADING) else None
    except Unreadable:
        return None


def keep_plan(
    session: Session, game: Game, history: StartedHistory, seat: int, plan: TurnPlan, now: datetime
) -> None:
    """Store a seat's plan in place of an earlier one. Does not commit. Raises `PlanRefused`."""
    table, known = history.position.table, view(history.position, seat)
    if seat in history.resigned:
        raise PlanRefused(gettext("You have resigned from this game, and a caretaker plays for you."))
    is_begun = table.seat == seat and table.phase is Phase.CARD
    if not has_next_turn(table, seat):
        raise PlanRefused(gettext(NO_NEXT_TURN))
    settled = settle_cards(plan, foresee_turn(known))
    try:
        check_plan(settled, known)
    except OrderRefused as refused:
        order = spell_out(refused.order, table.board)[:LONGEST_NAMED]
        why = f"“{order}”: {explain_refusal(refused.refusal)}"
        raise PlanRefused(gettext("The plan is not kept. %(why)s", why=why)) from None
    words = f"{STORED_HEADING} {write_plan(settled, table.board, plan_words(ENGLISH))}"
    if len(words) > LONGEST_PLAN:
        raise PlanRefused(gettext("The plan is too long."))
    session.merge(
        StoredPlan(
            game=game.id,
            seat=seat,
            words=words,
            turn=next_turn_of(table, seat),
            missed=False,
            due_at=now + PLAN_PAUSE if is_begun else None,
            changed_at=now,
        )
    )


def withdraw_plan(session: Session, game: str, seat: int) -> bool:
    own = delete(PLAN_TABLE).where(PLAN_TABLE.c.game == game, PLAN_TABLE.c.seat == seat)
    return session.connection().execute(own).rowcount > 0


def load_plan(session: Session, game: Game, history: StartedHistory, seat: int) -> PlanContext | None:
    """Return the plan of a seat, with its effect as far as its player can foresee it."""
    row = session.connection().execute(SELECT_PLAN, {"of": game.id, "by": seat}).first()
    if row is None:
        return None
    plan = _read_stored_plan(row.words, history.position.table.board)
    known = foresee_turn(view(history.position, seat))
    outlook = () if plan is None else choose_alternative(plan, known)
    return PlanContext(row.words, plan, seat, row.turn, row.missed, outlook)


def settle_plans(act: RecordedAct) -> None:
    """Delete the plans for past turns and schedule the plan for a turn that begins."""
    if act.tables is None or not act.may_have_plans:
        return
    before, after = act.tables
    game, connection = act.game.id, act.unit.session.connection()
    for turn in range(before.turn, max(after.turn, before.turn + 1)):  # with turns skipped for vacant seats
        seat = (before.seat + turn - before.turn) % len(before.names)
        connection.execute(DELETE_PLAYED, {"of": game, "by": seat, "played": turn, "over": after.over})
    if after.turn != before.turn:
        due = {"of": game, "by": after.seat, "begun": after.turn, "at": act.unit.now + PLAN_PAUSE}
        connection.execute(MAKE_DUE, due)
