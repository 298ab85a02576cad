"""A check-up of what is stored: every act judged again by today's rules. It reports and changes nothing.

Games are read one by one, in the order of their ids, and nothing is kept of them: so it can be broken off and
go on behind any of them, and one that cannot be read is named and stops only itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from engine.actions import Illegal
from engine.events import Event, InvalidEvent
from engine.evolve import evolve, start
from engine.log_validation import check
from engine.position import Position
from server.reviews.stored_reviews import read_review
from server.store.context import Context
from server.store.event_log import CorruptLog, read_history
from server.store.histories import History, StartedHistory
from server.store.models import Game, Resignation, Seating
from server.store.projection import list_game_ids
from server.store.row_failures import MOST_FAILURES, SEE_MESSAGES
from server.store.states import GameStatus
from server.store.work_models import AbsentSeat, GameReview, OfferedSeat


@dataclass(frozen=True, slots=True)
class GameFindings:
    """What was found in one game: a sentence for each thing that is not as it should be."""

    game: str
    sentences: tuple[str, ...]


def examine_games(context: Context, after: str = "", until: str = "") -> Iterator[GameFindings]:
    """Look at games, one by one: those whose ids come `after` one, `until` another and with it."""
    for game in list_game_ids(context, after, until):
        try:
            with context.reading() as session:
                yield GameFindings(game, tuple(_examine_game(context, session, game)))
        except OperationalError:
            raise  # the database is away
        except CorruptLog as error:
            yield GameFindings(game, (str(error),))
        except Exception as error:
            yield GameFindings(game, (f"game {game} cannot be read: {error}",))


def examine_stored_acts(context: Context) -> Iterator[str]:
    """A sentence for each thing that is not as it should be; nothing when all is well."""
    for found in examine_games(context):
        yield from found.sentences


def _examine_game(context: Context, session: Session, number: str) -> Iterator[str]:
    game = session.get_one(Game, number)
    history = read_history(session, game.id, context.board_of(game), History(redactions=game.redactions))
    if (history.seq, history.after) != (game.seq, game.after):
        yield f"game {game.id}: the list of games is behind its acts; `alexandros rebuild` mends it"
    try:
        session.exec(select(Seating).where(Seating.game == game.id)).all()
    except ValueError as error:
        yield f"game {game.id}: its seats cannot be read: {error}"
    noted = select(Resignation.seat).where(Resignation.game == game.id)
    if set(session.exec(noted)) != history.resigned.keys():
        yield f"game {game.id}: its acts say that others have resigned; `alexandros rebuild` mends it"
    absent = set(session.exec(select(AbsentSeat.seat).where(AbsentSeat.game == game.id)))
    if absent != {seat for seat in history.absences if history.is_kept(seat)}:
        yield f"game {game.id}: its acts say that others are away; `alexandros rebuild` mends it"
    offered = set(session.exec(select(OfferedSeat.seat).where(OfferedSeat.game == game.id)))
    if offered != set(history.offers) and game.status == GameStatus.RUNNING:
        yield f"game {game.id}: its acts say that other seats are offered; `alexandros rebuild` mends it"
    if isinstance(history, StartedHistory):
        yield from _judge_acts(game, start(context.board_of(game), history.deal), history.events[1:])
        yield from _examine_review(session, game, history.position)


def _examine_review(session: Session, game: Game, ended: Position) -> Iterator[str]:
    """What of its review is not as it should be."""
    given_up = col(GameReview.due_at).is_(None), col(GameReview.made_at).is_(None)
    failed = col(GameReview.game) == game.id, col(GameReview.tries) >= MOST_FAILURES
    if session.exec(select(GameReview.game).where(*failed, *given_up)).first() is not None:
        yield f"game {game.id}: its review was given up, for it has failed too often{SEE_MESSAGES}"
    try:
        read_review(session, game.id, ended)
    except ValueError as error:
        yield f"game {game.id}: its review cannot be read: {error}"


def _judge_acts(game: Game, position: Position, acts: Sequence[tuple[int, Event]]) -> Iterator[str]:
    for seq, event in acts:
        try:
            check(position, event)
        except (Illegal, InvalidEvent) as error:
            yield f"game {game.id}, act {seq}: today's rules differ: {error}"
        position = evolve(position, event)
