"""What the list of games says, worked out from the acts: status, whose turn, deadline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import LargeBinary, Text, cast, delete, func, literal, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from server.store.columns import read_id
from server.store.context import Context
from server.store.due_work import AT_ONCE
from server.store.event_log import replay_acts
from server.store.game_terms import stored_terms_from
from server.store.histories import ClockPause, History, StartedHistory
from server.store.models import Game, Resignation, StoredTerms
from server.store.states import GameStatus

MOST_AT_ONCE = 500
"""Ids that are read at one time."""
WORKED_OUT_MOMENTS = ("turn_began_at", "deadline", "ended_at", "watched_at", "due_at")
LEAST_SHARE_LEFT = 1 / 4
"""The part of the time for a turn that is left at least when a clock goes on that was stopped."""


def project_history(game: Game, history: History, at: datetime) -> None:
    """Bring a game's row up to its history, of which the last act was at `at`."""
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
        halt = history.clock_pauses.get(table.seat)
        if table.turn != game.turn:  # its time begins with the letter that tells it: turn_clock.py
            game.turn_began_at, game.deadline, game.reminded = None if game.hours else at, None, 0
        elif game.hours and game.turn_began_at is None and history.after == history.seq:  # its player acted
            game.turn_began_at, game.deadline = at, at + timedelta(hours=game.hours)
        elif game.hours and game.turn_began_at is not None and game.deadline is None:
            _resume_clock(game, game.turn_began_at, halt, at)
        if history.is_clock_paused(table.seat):
            game.turn_began_at, game.deadline = game.turn_began_at or at, None
        if game.suspended_at is not None:
            game.deadline = None
    game.turn, game.seat = table.turn, table.seat


def _resume_clock(game: Game, began: datetime, halt: ClockPause | None, at: datetime) -> None:
    """Give a turn whose clock stood still the time that was left: a quarter of a turn's at least."""
    if halt is None or halt.ended is None or game.suspended_at is not None:
        return  # or the clock goes on when the operator lets the game go on
    whole = timedelta(hours=game.hours)
    gone = max(timedelta(0), halt.began - began)
    left = max(whole - gone, whole * LEAST_SHARE_LEFT)
    game.turn_began_at, game.deadline = at + left - whole, at + left


def list_game_ids(context: Context, after: str = "", until: str = "") -> Iterator[str]:
    """The ids of the games that come after one, up to another and with it, in their order; few at a time.

    One that is no text is that of no game that could be read (`read_id`).
    """
    last = after.encode()
    while True:
        with context.reading() as session:
            behind = col(Game.id) > cast(literal(last, LargeBinary), Text)
            further = select(func.hex(Game.id)).where(behind).order_by(col(Game.id)).limit(MOST_AT_ONCE)
            ids = session.exec(further.where(col(Game.id) <= until) if until else further).all()
        if not ids:
            return
        yield from map(read_id, ids)
        last = bytes.fromhex(ids[-1])


def rebuild_games(context: Context) -> Iterator[tuple[str, str]]:
    """Work every game's row out anew, each in a transaction of its own; its id, and why it cannot be.

    What is wrong with one stops only itself: it stays as it is.
    """
    for game in list_game_ids(context):
        try:
            with context.writing() as session:
                if not _is_readable(context, game):
                    _empty_moments(session, game)
                _rebuild_game(context, session, session.get_one(Game, game))
                session.commit()
        except OperationalError:
            raise  # the database is away
        except Exception as error:
            yield game, str(error)
        else:
            yield game, ""


def rebuild(context: Context) -> int:
    """Work every game's row out anew; of how many that could be done."""
    return sum(not why for _, why in rebuild_games(context))


def _is_readable(context: Context, game: str) -> bool:
    with context.reading() as session:
        try:
            return session.get(Game, game) is not None
        except ValueError:
            return False


def _empty_moments(session: Session, game: str) -> None:
    """Take away the moments of a game that follow from its acts, one of which cannot be read."""
    session.execute(update(Game).where(col(Game.id) == game).values(dict.fromkeys(WORKED_OUT_MOMENTS)))


def _rebuild_game(context: Context, session: Session, game: Game) -> None:
    before = game.model_copy()
    session.execute(delete(Resignation).where(col(Resignation.game) == game.id))
    session.execute(delete(StoredTerms).where(col(StoredTerms.game) == game.id))
    game.status, game.turn, game.seat = GameStatus.PROPOSED, 0, None
    game.turn_began_at = game.deadline = game.ended_at = game.suspended_at = game.watched_at = None
    last = History()
    for row, history in replay_acts(session, game.id, context.board_of(game), History()):
        project_history(game, history, datetime.fromisoformat(row.at))
        made = stored_terms_from(game.id, row.seat, json.loads(row.events)[0]) if row.seq == 1 else None
        session.add_all([made] if made else [])
        if made is not None and made.watched:
            game.watched_at = datetime.fromisoformat(row.at)
        last = history
    session.add_all(Resignation(game=game.id, seat=seat, at=at) for seat, at in last.resigned.items())
    _keep_unlogged_facts(game, before, last)


def _keep_unlogged_facts(game: Game, before: Game, history: History) -> None:
    """Keep what no act tells: when the time of this turn began, its reminders, a halt by the operator."""
    game.suspended_at = before.suspended_at
    if game.turn == before.turn:
        game.reminded = before.reminded
        game.turn_began_at = before.turn_began_at or game.turn_began_at
        paused = game.seat is not None and history.is_clock_paused(game.seat)
        if game.status == GameStatus.RUNNING and game.hours and game.turn_began_at is not None and not paused:
            game.deadline = game.turn_began_at + timedelta(hours=game.hours)
    if game.suspended_at is not None:
        game.deadline = None
