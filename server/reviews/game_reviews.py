"""Reviews of games that are over: the judge looks at each turn, one after the other, beside all else.

What it finds is stored turn by turn, so whoever is stopped goes on where they were. A turn that takes it too
long stays unjudged; where it fails, it tries again later, and a few times at most. What is damaged is begun
anew, for all of a review can be worked out again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlmodel import col, select

from engine.bots.reviews import (
    REVIEW_BREADTHS,
    PlayedTurn,
    Review,
    ReviewedTurn,
    Verdict,
    chances,
    played_turns,
    review_turn,
)
from engine.events import GameEnded, TurnEnded
from engine.evolve import start
from engine.position import Position
from server.monitoring.server_events import RowFate, WorkTable
from server.reviews.final_letters import release_letters
from server.reviews.stored_reviews import decode_review, encode_review, read_said
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.event_log import StartedHistory, list_steps, require_started
from server.store.models import Game, GameReview, is_unreadable, read_id
from server.store.schedule import FIRST_PUT_OFF, MOST_FAILURES
from server.thinking.thinking_process import ThinkerBusy, ThinkerStopped, ThinkingTooLong


def review_finished_games(context: Context, now: datetime) -> int:
    """Judge the next turn of a game that is over; how many were judged: 1, or 0 where none is left."""
    _begin_damaged_anew(context, now)
    game = _find_due(context, now)
    if game is None:
        return 0
    if not context.settings.house_seconds:  # there is no judge any more
        _set_next_look(context, game, None, now)
        return 1
    try:
        _judge_next_turn(context, game, now)
    except OperationalError:
        raise  # the database is away
    except (ThinkerBusy, ThinkerStopped):
        return 0  # it is tried again at the next look, or the next start
    except Exception:
        _put_off(context, game, now)
    return 1


def _begin_damaged_anew(context: Context, now: datetime) -> None:
    """Have reviews made again that were whole and cannot be read: each once, for it may fail no more then."""
    while context.damaged_reviews and context.settings.house_seconds:
        row = col(GameReview.game) == context.damaged_reviews.pop()
        whole = col(GameReview.made_at).is_not(None), col(GameReview.tries) < MOST_FAILURES
        anew = update(GameReview).where(row, *whole)
        with context.writing() as session:
            session.connection().execute(anew.values(said="", made_at=None, due_at=now, tries=MOST_FAILURES))
            session.commit()


def _find_due(context: Context, now: datetime) -> str | None:
    """The game of which the review is due longest; one whose id is no text hides no other."""
    due = select(hexed(GameReview.game)).where(col(GameReview.due_at) <= now)
    with context.reading() as session:
        found = session.exec(due.order_by(col(GameReview.due_at), col(GameReview.game))).all()
    return next((game for game in map(read_id, found) if not is_unreadable(game)), None)


def _judge_next_turn(context: Context, game_id: str, now: datetime) -> None:
    """Judge the first turn that has not been, and store it; where none is left the review is made."""
    with context.reading() as session:
        said = read_said(session, game_id) or b""
        history = require_started(context.history_of(session, session.get_one(Game, game_id)))
    board, turns, judge = history.position.table.board, list_turns(history), _Judge(context)
    found = _read_begun(said, history, turns)
    if found is None:
        found = Review(judge.foresee(start(board, history.deal)), ())
    if len(found.turns) < len(turns):
        further = judge.review(*turns[len(found.turns)])
        found = Review(found.chances, (*found.turns, further))
    is_whole = len(found.turns) == len(turns)
    _store(context, game_id, said, encode_review(found, board), now if is_whole else None)


def _read_begun(
    said: bytes, history: StartedHistory, turns: Sequence[tuple[PlayedTurn, Position]]
) -> Review | None:
    """What was found of a game before; None where that is nothing, or damaged: then it is begun anew."""
    try:
        found = decode_review(said, history.position.table.board)
    except ValueError:
        return None
    played = [turn.actions for turn, _ in turns[: len(found.turns)]]
    is_same = [one.verdict.played for one in found.turns] == played
    return found if is_same and len(found.chances) == len(history.position.hands) else None


def list_turns(history: StartedHistory) -> list[tuple[PlayedTurn, Position]]:
    """Each turn of a game that is over, with the position after it."""
    steps = list_steps(history)
    later = [before for before, _ in steps[1:]] + [history.position]
    ends = [
        after
        for (_, event), after in zip(steps, later, strict=True)
        if isinstance(event, TurnEnded | GameEnded)
    ]
    return list(zip(played_turns(steps), ends, strict=True))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Has the judge think, as long about each thing as a player of the house may about a turn."""

    context: Context

    def review(self, turn: PlayedTurn, after: Position) -> ReviewedTurn:
        """What it thinks of a turn, and of what came of it."""
        seconds = self.context.settings.house_seconds
        try:
            verdict = self.context.thinker.call(review_turn, turn, REVIEW_BREADTHS, seconds=seconds)
        except ThinkingTooLong:
            verdict = Verdict(turn.known.table.turn, turn.known.my_seat, turn.actions, (), 0.0)
        return ReviewedTurn(verdict, self.foresee(after))

    def foresee(self, position: Position) -> tuple[float, ...]:
        """How likely it is that each seat wins."""
        return self.context.thinker.call(chances, position, seconds=self.context.settings.house_seconds)


def _store(context: Context, game: str, before: bytes, said: str, made_at: datetime | None) -> None:
    """Store what was found beyond `before`, unless another server has; once all is, letters leave."""
    same = update(GameReview).where(
        col(GameReview.game) == game, hexed(GameReview.said) == before.hex().upper()
    )
    with context.writing() as session:
        changed = (
            same.values(said=said)
            if made_at is None
            else same.values(said=said, made_at=made_at, due_at=None)
        )
        stored = session.connection().execute(changed).rowcount
        if made_at is not None and stored:
            release_letters(session, game, made_at)
        context.commit_work(session)


def _put_off(context: Context, game: str, now: datetime) -> None:
    """It has failed: it is tried again later, and given up when that happened often enough."""
    row = col(GameReview.game) == game
    with context.writing() as session:
        session.connection().execute(update(GameReview).where(row).values(tries=GameReview.tries + 1))
        tries = session.exec(select(GameReview.tries).where(row)).one()
        session.commit()
    given_up = tries >= MOST_FAILURES
    _set_next_look(context, game, None if given_up else now + FIRST_PUT_OFF * 2 ** (tries - 1), now)
    fate = RowFate.SET_ASIDE if given_up else RowFate.PUT_OFF
    context.events.note_failed_game(game, fate, WorkTable.REVIEW)


def _set_next_look(context: Context, game: str, at: datetime | None, now: datetime) -> None:
    """Look at a review at a moment, or (None) give it up: then no letter waits for it any more."""
    same = update(GameReview).where(col(GameReview.game) == game)
    with context.writing() as session:
        session.connection().execute(same.values(due_at=at))
        if at is None:
            release_letters(session, game, now)
        context.commit_work(session)
