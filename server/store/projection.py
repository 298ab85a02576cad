"""Columns of games that are derived from their acts: status, turn, deadline."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from server.store.context import Context
from server.store.dialects.expressions import hexed, text_of_bytes
from server.store.event_log import ActRow, History, StartedHistory, list_server_facts, replay_acts
from server.store.game_terms import store_terms
from server.store.models import AbsentSeat, Game, OfferedSeat, Resignation, StoredTerms, read_id
from server.store.schedule import AT_ONCE
from server.store.server_facts import ClockPause, GameOpened
from server.store.states import GameStatus
from server.store.stored_availability import unavailable_times_of
from server.store.turn_clock import (
    bank_of,
    leave_halt_uncounted,
    protection_of,
    remind_again,
    run_clock,
    stop_clock,
    time_left,
    whole_time,
)
from server.turn_time import (
    LEAST_SHARE_LEFT,
    UnavailableTimes,
    add_counted,
    always_available,
    count_time,
    within_turn,
)

MOST_AT_ONCE = 500
LEAST_LEFT = timedelta(hours=6)
WORKED_OUT_MOMENTS = ("turn_began_at", "deadline", "ended_at", "watched_at", "due_at")


def project_history(
    game: Game,
    history: History,
    at: datetime,
    unavailable: UnavailableTimes = always_available,
    until: datetime | None = None,
) -> None:
    """Update a game's row to its history, whose last act was at `at`.

    `unavailable`: intervals in which no time counts for the player to move. `until`: the current turn's used
    time is counted up to this moment; None: up to `at`.
    """
    game.seq, game.after, game.due_at = history.seq, history.after, None
    game.watched_at = game.watched_at and at
    if not isinstance(history, StartedHistory):
        game.status = GameStatus.CANCELLED if history.cancelled else GameStatus.OPEN
        game.ended_at = (game.ended_at or at) if history.cancelled else None
        return
    table = history.position.table
    if table.over:
        game.status, game.deadline, game.ended_at = GameStatus.OVER, None, game.ended_at or at
        game.turn_began_at = game.turn_began_at or at
    else:
        game.status, game.due_at = GameStatus.RUNNING, AT_ONCE
        _project_clock(game, history, at, unavailable, until or at)
        paused = history.agreements.pause if history.agreements.is_paused else None
        game.paused_at = None if paused is None else paused.began
    game.turn, game.seat = table.turn, table.seat


def store_absences(session: Session, game: str, history: History) -> None:
    session.execute(delete(AbsentSeat).where(col(AbsentSeat.game) == game))
    for seat, one in history.absences.items():
        if one.kept_at is not None:
            session.add(AbsentSeat(game=game, seat=seat, at=one.kept_at))
    session.execute(delete(OfferedSeat).where(col(OfferedSeat.game) == game))
    if not _is_over(history):
        session.add_all(OfferedSeat(game=game, seat=seat, at=at) for seat, at in history.offers.items())
    session.flush()


def are_seats_unchanged(before: History, after: History) -> bool:
    same = before.absences is after.absences and before.offers is after.offers
    return same and not (after.offers and _is_over(after))


def _is_over(history: History) -> bool:
    return isinstance(history, StartedHistory) and history.position.table.over


def _project_clock(
    game: Game, history: StartedHistory, at: datetime, unavailable: UnavailableTimes, until: datetime
) -> None:
    table = history.position.table
    halted = history.is_time_halted(table.seat) or game.suspended_at is not None
    timed = game.turn_minutes > 0
    if table.turn != game.turn:  # the turn's clock starts when its letter is sent: turn_clock.py
        game.turn_began_at, game.reminded = None if timed else at, 0
        game.deadline = game.time_left = None
        game.bank_left = bank_of(game, history, table.seat)
    elif timed and game.turn_began_at is None and history.after == history.seq:  # the player acted already
        run_clock(game, whole_time(game), at, unavailable)
    elif timed and game.turn_began_at is not None and game.deadline is None and not halted:
        halt = history.last_halt(table.seat)
        left = _time_left_at_halt(game, game.turn_began_at, halt, unavailable)
        if halt is not None:
            leave_halt_uncounted(game, (halt.began, until))
        run_clock(game, max(left, whole_time(game) * LEAST_SHARE_LEFT), until, unavailable)
    _add_time(game, history, at, unavailable)
    _fill_bank(game, history, at, unavailable)
    if history.is_clock_paused(table.seat):
        game.turn_began_at = game.turn_began_at or at
    if halted:
        pause = history.clock_pauses.get(table.seat)
        since = pause.uncounted_from if pause and pause.ended is None else until
        stop_clock(game, min(until, since), unavailable)


def _add_time(game: Game, history: History, at: datetime, unavailable: UnavailableTimes) -> None:
    added = history.agreements.extension
    if added is not None and added.seq == history.seq and game.deadline is not None:
        hours = timedelta(hours=added.hours)
        if added.hours < 0:
            left = time_left(game, at, unavailable) + hours
            run_clock(game, max(left, LEAST_LEFT), at, unavailable)
            return
        game.deadline = add_counted(game.deadline, hours, protection_of(game, unavailable, at))


def _fill_bank(game: Game, history: StartedHistory, at: datetime, unavailable: UnavailableTimes) -> None:
    seconds = bank_of(game, history, history.position.table.seat) - game.bank_left
    if seconds <= 0:
        return
    game.bank_left += seconds
    if game.deadline is not None:
        more = timedelta(seconds=seconds)
        game.deadline = add_counted(game.deadline, more, protection_of(game, unavailable, at))
    elif game.time_left is not None:
        game.time_left += seconds
    remind_again(game, at, unavailable)


def _time_left_at_halt(
    game: Game, began: datetime, halt: ClockPause | None, unavailable: UnavailableTimes
) -> timedelta:
    if game.time_left is not None:
        return timedelta(seconds=game.time_left)
    stopped_at = began if halt is None else max(began, halt.began)
    return whole_time(game) - count_time(began, stopped_at, within_turn(unavailable, began))


def list_game_ids(context: Context, after: str = "", until: str = "") -> Iterator[str]:
    last = after.encode()
    while True:
        with context.reading() as session:
            behind = col(Game.id) > text_of_bytes(last)
            further = select(hexed(Game.id)).where(behind).order_by(col(Game.id)).limit(MOST_AT_ONCE)
            ids = session.exec(further.where(col(Game.id) <= until) if until else further).all()
        if not ids:
            return
        yield from map(read_id, ids)
        last = bytes.fromhex(ids[-1])


def rebuild_games(context: Context) -> Iterator[tuple[str, str | None]]:
    """Recompute the rows of all games, one transaction each; yield the id, and an error message or None.

    A game that fails is left unchanged, and the others are still recomputed.
    """
    for game in list_game_ids(context):
        try:
            with context.writing() as session:
                if not _is_readable(context, game):
                    emptied = dict.fromkeys(WORKED_OUT_MOMENTS)
                    session.execute(update(Game).where(col(Game.id) == game).values(emptied))
                _rebuild_game(context, session, session.get_one(Game, game))
                session.commit()
        except OperationalError:
            raise  # the database is unavailable
        except Exception as error:
            yield game, str(error) or type(error).__name__
        else:
            yield game, None


def rebuild(context: Context) -> int:
    return sum(why is None for _, why in rebuild_games(context))


def _is_readable(context: Context, game: str) -> bool:
    with context.reading() as session:
        try:
            return session.get(Game, game) is not None
        except ValueError:
            return False


def _rebuild_game(context: Context, session: Session, game: Game) -> None:
    before = game.model_copy()
    session.execute(delete(Resignation).where(col(Resignation.game) == game.id))
    session.execute(delete(StoredTerms).where(col(StoredTerms.game) == game.id))
    game.status, game.turn, game.seat = GameStatus.PROPOSED, 0, None
    game.turn_began_at = game.deadline = game.ended_at = game.suspended_at = game.watched_at = None
    game.time_left = None
    last = History()
    for row, history in replay_acts(session, game.id, context.board_of(game), History()):
        project_history(game, history, datetime.fromisoformat(row.at))
        made = _read_terms(game.id, row) if row.seq == 1 else None
        session.add_all([made] if made else [])
        if made is not None and made.watched:
            game.watched_at = datetime.fromisoformat(row.at)
        last = history
    store_absences(session, game.id, last)
    session.add_all(Resignation(game=game.id, seat=seat, at=at) for seat, at in last.resigned.items())
    _keep_unlogged_facts(game, before, last, unavailable_times_of(session, game.id, game.seat))


def _read_terms(game: str, row: ActRow) -> StoredTerms | None:
    opened = [fact for fact in list_server_facts(row) if isinstance(fact, GameOpened)]
    return store_terms(game, row.seat, opened[0].terms) if opened else None


def _keep_unlogged_facts(game: Game, before: Game, history: History, unavailable: UnavailableTimes) -> None:
    """Restore values that no act records: start of the turn, time left, suspension."""
    game.suspended_at = before.suspended_at
    is_same_turn = game.turn == before.turn
    if is_same_turn:
        game.reminded, game.time_left = before.reminded, before.time_left
        game.turn_began_at = before.turn_began_at or game.turn_began_at
    halted = game.suspended_at is not None or (game.seat is not None and history.is_time_halted(game.seat))
    if halted:
        game.deadline = None
    elif (
        is_same_turn
        and game.status == GameStatus.RUNNING
        and game.turn_minutes
        and game.turn_began_at is not None
    ):
        protected = within_turn(unavailable, game.turn_began_at)
        whole = add_counted(game.turn_began_at, whole_time(game), protected)
        game.deadline, game.time_left = before.deadline or whole, None
