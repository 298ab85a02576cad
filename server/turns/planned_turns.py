"""Plans whose turn has come: tried after a pause, and played as one act if they fit.

The pause begins with the turn and is as long whether there is a plan or not. What comes of a plan follows
from the position and the plan alone, so that the letter of the turn, which leaves before the pause is over,
knows it: it waits where the plan will be played, and says why where nothing fits. The time of the turn begins
when that letter would have left, so that nobody else can see that it waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import update
from sqlmodel import Session, col, select

from emails.i18n import use_locale
from emails.letters.kinds import LetterKind
from emails.plans.plan_text import KeptPlan
from engine.board import Board
from engine.notation.canonical_text import write
from engine.notation.orders import OrderLine
from engine.notation.parser import parse_lines, spell_out
from engine.plans.rehearsal import PlannedTurn
from engine.plans.turn_plans import TurnPlan
from server.outbox.letter_kinds import WaitingLetter, covers
from server.outbox.preferences import DEFAULTS
from server.outbox.queue import UnitOfWork, load_people, open_unit
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.event_log import History, StartedHistory, require_started
from server.store.models import Act, Game, StoredPlan, is_unreadable, read_id
from server.store.refusals import check_not_suspended
from server.store.schedule import work_at_game
from server.store.states import Channel, GameStatus
from server.turns.dry_run import LinesRefused
from server.turns.plans import keep_plan, load_plan, withdraw_plan
from server.turns.play import RunningGame, load_running_game, play

MOST_AT_ONCE = 20
"""Plans that are tried in one round."""
LETTER_FOLLOWS = timedelta(seconds=2)
"""After the moment at which a plan is due its letter looks again whether it is played."""
LETTER_WAITS = timedelta(minutes=1)
"""How long a letter waits at most for a plan that is due."""


def play_due_plans(context: Context, now: datetime) -> int:
    """Try the plans that are due; how many."""
    with context.reading() as session:
        due = _list_due(session, now)
    return sum(work_at_game(context, game, now, partial(_try_plan, context, seat, now)) for game, seat in due)


def _list_due(session: Session, now: datetime) -> list[tuple[str, int]]:
    """The games and seats whose plans are due, the longest due first."""
    due = select(hexed(StoredPlan.game), StoredPlan.seat).join(Game, col(Game.id) == StoredPlan.game)
    due = due.where(col(StoredPlan.due_at) <= now, Game.status == GameStatus.RUNNING)
    due = due.where(col(Game.suspended_at).is_(None)).order_by(col(StoredPlan.due_at)).limit(MOST_AT_ONCE)
    found = ((read_id(game), seat) for game, seat in session.exec(due))
    return [(game, seat) for game, seat in found if not is_unreadable(game)]


def _try_plan(context: Context, seat: int, now: datetime, game_id: str) -> int:
    """Play a plan that is due, or note that it does not fit; it is worked out before anybody must wait."""
    with context.reading() as session:
        row = session.get_one(Game, game_id)
        history = require_started(context.history_of(session, row))
        kept = load_plan(session, row, history, seat)
        reader = load_people(session, game_id).get(seat)
    with (
        use_locale((DEFAULTS if reader is None else reader.preferences).locale),
        open_unit(context, now, game=game_id) as unit,
    ):
        game = load_running_game(context, unit.session, game_id, history.after)
        if not _claim(unit, game_id, seat, now):
            return 0
        _play_or_miss(unit, game, seat, kept)
        unit.commit()
    return 1


def _play_or_miss(unit: UnitOfWork, game: RunningGame, seat: int, kept: KeptPlan | None) -> None:
    """Play a plan that fits, or note that it does not."""
    table = game.history.position.table
    is_due = kept is not None and table.seat == seat and kept.is_due(table)
    if kept is not None and is_due and isinstance(kept.outlook, PlannedTurn):
        try:
            play(unit, game, seat, write_lines(kept.outlook, table.board), Channel.PLAN)
            return
        except LinesRefused:
            pass  # as of a player who has resigned
    own = update(StoredPlan).where(col(StoredPlan.game) == game.row.id, col(StoredPlan.seat) == seat)
    unit.session.connection().execute(own.values(missed=True))


def write_lines(turn: PlannedTurn, board: Board) -> Sequence[OrderLine]:
    """What is played of a plan, as lines of orders."""
    actions = (write(action, board) for action in turn.actions)
    return parse_lines([*actions, *(spell_out(order, board) for order in turn.beyond)], board)


def _claim(unit: UnitOfWork, game: str, seat: int, now: datetime) -> bool:
    """Take a due plan in hand: of several servers, or of one that was killed, one plays it."""
    own = update(StoredPlan).where(col(StoredPlan.game) == game, col(StoredPlan.seat) == seat)
    own = own.where(col(StoredPlan.due_at) <= now)
    return unit.session.connection().execute(own.values(due_at=None)).rowcount == 1


# --- the plan of a seat, for its player --------------------------------------------------------------------


def find_plan(context: Context, session: Session, game: Game, seat: int) -> KeptPlan | None:
    """The plan of a seat of a game that has begun."""
    return load_plan(session, game, require_started(context.history_of(session, game)), seat)


def change_plan(context: Context, game_id: str, seat: int, plan: TurnPlan | None, now: datetime) -> None:
    """Keep a plan of a seat, or withdraw what there is. Raises `PlanRefused` and `GameSuspended`."""
    with open_unit(context, now, game=game_id) as unit:
        game = unit.session.get_one(Game, game_id)
        check_not_suspended(game)
        if plan is None:
            withdraw_plan(unit.session, game.id, seat)
        else:
            keep_plan(unit.session, game, require_started(unit.history_of(game)), seat, plan, now)
        unit.commit()


def list_planned_acts(session: Session, game: str, history: History, seat: int | None) -> frozenset[int]:
    """The acts that were played by a plan, as far as a seat (None: somebody who looks on) may know it.

    While the game goes on only whoever had the plan knows; at its end the log tells everybody.
    """
    if not isinstance(history, StartedHistory):
        return frozenset()
    planned = select(Act.seq).where(Act.game == game, Act.door == Channel.PLAN)
    if not history.position.table.over:
        if seat is None:
            return frozenset()
        planned = planned.where(Act.seat == seat, col(Act.seq) >= history.player_since(seat))
    return frozenset(session.exec(planned))


# --- the letter of the turn -----------------------------------------------------------------------------


def hold_for_plan(
    context: Context, session: Session, letters: Sequence[WaitingLetter], now: datetime
) -> WaitingLetter | None:
    """Let the letter of a turn wait with what it tells, if a plan will be played; the letter. No commit."""
    told = next((one for one in letters if one.row.kind == LetterKind.YOUR_TURN), None)
    if told is None or told.row.due_at > now:
        return None
    plan = session.get(StoredPlan, (told.row.game, told.row.seat))
    if plan is None or plan.due_at is None or now >= plan.due_at + LETTER_WAITS:
        return None
    kept = find_plan(context, session, session.get_one(Game, told.row.game), told.row.seat)
    if kept is None or not isinstance(kept.outlook, PlannedTurn):
        return None
    for one in letters:
        if one is told or (one.row.due_at <= now and covers(told, one)):
            one.row.due_at = max(plan.due_at, now) + LETTER_FOLLOWS
    return told
