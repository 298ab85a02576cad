"""Reviews of finished games: judged turn by turn in the background, stored as JSON, awaited by letters.

Verdicts are stored turn by turn, so that a restarted server continues where it stopped. A turn that takes too
long stays unjudged; a turn that fails is retried later, a few times at most. An unreadable review is made
again. Letters about the end of a game wait for its review, for a limited time.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.letters import game_letters
from engine.actions import Action
from engine.board import Board
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
from engine.notation.grammar import read_canonical
from engine.notation.orders import write
from engine.position import Position, Table
from server.monitoring import RowFate, WorkTable
from server.outbox.notifications import Notification
from server.store.context import Context
from server.store.dialects import hexed
from server.store.event_log import StartedHistory, list_steps, require_started
from server.store.models import Game, GameReview, OutgoingLetter, is_unreadable, read_id
from server.store.schedule import FIRST_PUT_OFF, MOST_FAILURES, log_once
from server.store.states import LetterState
from server.thinker import ThinkerBusy, ThinkerStopped, ThinkingTooLong

LOG = logging.getLogger(__name__)

# --- as JSON --------------------------------------------------------------------------------------------

Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _PlainTurn(_Plain):
    turn: Annotated[int, Field(ge=1)]
    seat: Annotated[int, Field(ge=0)]
    played: Annotated[list[str], Field(min_length=1)]
    best: list[str]
    cost: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    chances: list[Probability]


class _PlainReview(_Plain):
    chances: list[Probability]
    turns: list[_PlainTurn]


def encode_review(review: Review, board: Board) -> str:
    return _PlainReview(
        chances=_rounded(review.chances), turns=[_plain_turn(one, board) for one in review.turns]
    ).model_dump_json()


def _plain_turn(one: ReviewedTurn, board: Board) -> _PlainTurn:
    verdict = one.verdict
    return _PlainTurn(
        turn=verdict.turn,
        seat=verdict.seat,
        played=[write(action, board) for action in verdict.played],
        best=[write(action, board) for action in verdict.best],
        cost=round(verdict.cost, 2),
        chances=_rounded(one.chances),
    )


def _rounded(chances: tuple[float, ...]) -> list[float]:
    return [round(one, 4) for one in chances]


def decode_review(said: str | bytes, board: Board) -> Review:
    plain = _PlainReview.model_validate_json(said)
    seats = len(plain.chances)
    if any(len(one.chances) != seats or one.seat >= seats for one in plain.turns):
        raise ValueError("the seats of a turn differ from the seats of the game")
    if [one.turn for one in plain.turns] != list(range(1, len(plain.turns) + 1)):
        raise ValueError("the turns are not numbered consecutively")
    return Review(tuple(plain.chances), tuple(_read_turn(one, board) for one in plain.turns))


def _read_turn(plain: _PlainTurn, board: Board) -> ReviewedTurn:
    played, best = _actions(plain.played, board), _actions(plain.best, board)
    return ReviewedTurn(Verdict(plain.turn, plain.seat, played, best, plain.cost), tuple(plain.chances))


def _actions(texts: list[str], board: Board) -> tuple[Action, ...]:
    return tuple(read_canonical(one, board) for one in texts)


# --- in the database ------------------------------------------------------------------------------------


def _read_said(session: Session, game: str) -> bytes | None:
    written = session.exec(select(hexed(GameReview.said)).where(GameReview.game == game)).first()
    return None if written is None else bytes.fromhex(written)


def load_review(context: Context, session: Session, game: str, ended: Position) -> Review | None:
    """Return the finished review of a game with final position `ended`; None if there is none yet.

    An unreadable review is logged once, and queued once to be made again.
    """
    try:
        return read_review(session, game, ended)
    except ValueError as wrong:
        log_once("the review of game %s cannot be read: %s", game, str(wrong))
        context.damaged_reviews.add(game)
        return None


def read_review(session: Session, game: str, ended: Position) -> Review | None:
    """Return a finished review like `load_review`, but raise `ValueError` if it is unreadable."""
    made = select(GameReview.game).where(GameReview.game == game, col(GameReview.made_at).is_not(None))
    if session.exec(made).first() is None:
        return None
    review = decode_review(_read_said(session, game) or b"", ended.table.board)
    if (len(review.chances), len(review.turns)) != (len(ended.hands), ended.table.turn):
        raise ValueError("the review belongs to another game")
    return review


def list_turns_of(session: Session, game: str, seat: int) -> list[dict[str, object]]:
    """Return the stored verdicts on the turns of a seat, even of an unfinished review."""
    try:
        said = _read_said(session, game)
        turns = _PlainReview.model_validate_json(said).turns if said else []
    except ValueError:
        return []
    return [one.model_dump() for one in turns if one.seat == seat]


def is_review_awaited(session: Session, game: str) -> bool:
    due = select(GameReview.game).where(GameReview.game == game, col(GameReview.due_at).is_not(None))
    return session.exec(due).first() is not None


# --- letters that wait for it ---------------------------------------------------------------------------

REVIEW_TAKES = timedelta(seconds=60)


def letters_of_end(context: Context, table: Table) -> Iterator[Notification]:
    """Return the letters about the end of a game; they wait for its review."""
    later = REVIEW_TAKES if context.settings.house_seconds else timedelta(0)
    for seat in range(len(table.names)):
        yield Notification(seat, game_letters.GameOver(), later=later)


def _release_letters(session: Session, game: str, now: datetime) -> None:
    due = col(OutgoingLetter.due_at)
    soon = col(OutgoingLetter.game) == game, due > now, due <= now + REVIEW_TAKES
    untried = col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.tries) == 0
    session.connection().execute(update(OutgoingLetter).where(*soon, *untried).values(due_at=now))


# --- the work -------------------------------------------------------------------------------------------


def review_finished_games(context: Context, now: datetime) -> int:
    """Judge one turn of a finished game; return 1, or 0 if no turn can be judged now."""
    _restart_damaged(context, now)
    game = _find_due(context, now)
    if game is None:
        return 0
    if not context.settings.house_seconds:  # reviews were disabled meanwhile
        _set_next_look(context, game, None, now)
        return 1
    try:
        _judge_next_turn(context, game, now)
    except OperationalError:
        raise  # the database is unavailable
    except (ThinkerBusy, ThinkerStopped):
        return 0  # tried again at the next look, or after the next start
    except Exception:
        _put_off(context, game, now)
    return 1


def _restart_damaged(context: Context, now: datetime) -> None:
    """Queue unreadable reviews to be made once more; after another failure they are given up."""
    while context.damaged_reviews and context.settings.house_seconds:
        row = col(GameReview.game) == context.damaged_reviews.pop()
        whole = col(GameReview.made_at).is_not(None), col(GameReview.tries) < MOST_FAILURES
        anew = update(GameReview).where(row, *whole)
        with context.writing() as session:
            session.connection().execute(anew.values(said="", made_at=None, due_at=now, tries=MOST_FAILURES))
            session.commit()


def _find_due(context: Context, now: datetime) -> str | None:
    due = select(hexed(GameReview.game)).where(col(GameReview.due_at) <= now)
    with context.reading() as session:
        found = session.exec(due.order_by(col(GameReview.due_at), col(GameReview.game))).all()
    return next((game for game in map(read_id, found) if not is_unreadable(game)), None)


def _judge_next_turn(context: Context, game_id: str, now: datetime) -> None:
    with context.reading() as session:
        said = _read_said(session, game_id) or b""
        history = require_started(context.history_of(session, session.get_one(Game, game_id)))
    board, turns = history.position.table.board, list_turns(history)
    call, seconds = context.thinker.call, context.settings.house_seconds
    found = _read_begun(said, history, turns)
    if found is None:
        found = Review(call(chances, start(board, history.deal), seconds=seconds), ())
    if len(found.turns) < len(turns):
        turn, after = turns[len(found.turns)]
        try:
            verdict = call(review_turn, turn, REVIEW_BREADTHS, seconds=seconds)
        except ThinkingTooLong:
            verdict = Verdict(turn.known.table.turn, turn.known.my_seat, turn.actions, (), 0.0)
        further = ReviewedTurn(verdict, call(chances, after, seconds=seconds))
        found = Review(found.chances, (*found.turns, further))
    is_whole = len(found.turns) == len(turns)
    _store(context, game_id, said, encode_review(found, board), now if is_whole else None)


def _read_begun(
    said: bytes, history: StartedHistory, turns: Sequence[tuple[PlayedTurn, Position]]
) -> Review | None:
    """Return the stored part of a review; None if there is none, or it does not fit the game."""
    try:
        found = decode_review(said, history.position.table.board)
    except ValueError:
        return None
    played = [turn.actions for turn, _ in turns[: len(found.turns)]]
    is_same = [one.verdict.played for one in found.turns] == played
    return found if is_same and len(found.chances) == len(history.position.hands) else None


def list_turns(history: StartedHistory) -> list[tuple[PlayedTurn, Position]]:
    """Return each turn of a finished game with the position after it."""
    steps = list_steps(history)
    later = [before for before, _ in steps[1:]] + [history.position]
    ends = [
        after
        for (_, event), after in zip(steps, later, strict=True)
        if isinstance(event, TurnEnded | GameEnded)
    ]
    return list(zip(played_turns(steps), ends, strict=True))


def _store(context: Context, game: str, before: bytes, said: str, made_at: datetime | None) -> None:
    same = update(GameReview).where(
        col(GameReview.game) == game, hexed(GameReview.said) == before.hex().upper()
    )
    values = {"said": said} if made_at is None else {"said": said, "made_at": made_at, "due_at": None}
    with context.writing() as session:
        stored = session.connection().execute(same.values(values)).rowcount
        if made_at is not None and stored:
            _release_letters(session, game, made_at)
        context.commit_work(session)


def _put_off(context: Context, game: str, now: datetime) -> None:
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
    """Set the time at which a review is due; None gives the review up, and releases the waiting letters."""
    same = update(GameReview).where(col(GameReview.game) == game)
    with context.writing() as session:
        session.connection().execute(same.values(due_at=at))
        if at is None:
            _release_letters(session, game, now)
        context.commit_work(session)
