"""The reviews of games that are over as they are kept: plain values in JSON, read back with their types.

One that cannot be read counts as none: the log tells of it once, and it is made again once.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import Session, col, select

from engine.actions import Action
from engine.board import Board
from engine.bots.reviews import Review, ReviewedTurn, Verdict
from engine.notation.grammar import read_canonical
from engine.notation.orders import write
from engine.position import Position
from server.store.context import Context
from server.store.dialects.expressions import hexed
from server.store.models import GameReview

LOG = logging.getLogger(__name__)
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _PlainTurn(_Plain):
    turn: Annotated[int, Field(ge=1)]
    seat: Annotated[int, Field(ge=0)]
    played: Annotated[list[str], Field(min_length=1)]
    """Canonical texts of actions."""
    best: list[str]
    cost: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    chances: list[Probability]


class _PlainReview(_Plain):
    chances: list[Probability]
    turns: list[_PlainTurn]


def encode_review(review: Review, board: Board) -> str:
    """The JSON of a review."""
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
    """The review that this is the JSON of. Raises `ValueError`."""
    plain = _PlainReview.model_validate_json(said)
    seats = len(plain.chances)
    if any(len(one.chances) != seats or one.seat >= seats for one in plain.turns):
        raise ValueError("a turn has other seats than the game")
    if [one.turn for one in plain.turns] != list(range(1, len(plain.turns) + 1)):
        raise ValueError("the turns do not follow each other")
    return Review(tuple(plain.chances), tuple(_read_turn(one, board) for one in plain.turns))


def _read_turn(plain: _PlainTurn, board: Board) -> ReviewedTurn:
    played, best = _actions(plain.played, board), _actions(plain.best, board)
    return ReviewedTurn(Verdict(plain.turn, plain.seat, played, best, plain.cost), tuple(plain.chances))


def _actions(texts: list[str], board: Board) -> tuple[Action, ...]:
    return tuple(read_canonical(one, board) for one in texts)


# --- in the database ------------------------------------------------------------------------------------


def read_said(session: Session, game: str) -> bytes | None:
    """What is stored of a review, whole or not, text or none; None where there is none."""
    written = session.exec(select(hexed(GameReview.said)).where(GameReview.game == game)).first()
    return None if written is None else bytes.fromhex(written)


def load_review(context: Context, session: Session, game: str, ended: Position) -> Review | None:
    """The whole review of a game that has ended so; None where there is none, or not yet."""
    try:
        return read_review(session, game, ended)
    except ValueError as wrong:
        _tell_unreadable(game, str(wrong))
        context.damaged_reviews.add(game)
        return None


def read_review(session: Session, game: str, ended: Position) -> Review | None:
    """The same. Raises `ValueError` for one that cannot be read."""
    made = select(GameReview.game).where(GameReview.game == game, col(GameReview.made_at).is_not(None))
    if session.exec(made).first() is None:
        return None
    review = decode_review(read_said(session, game) or b"", ended.table.board)
    if (len(review.chances), len(review.turns)) != (len(ended.hands), ended.table.turn):
        raise ValueError("it is that of another game")
    return review


def list_turns_of(session: Session, game: str, seat: int) -> list[dict[str, object]]:
    """What is kept of the turns of one seat, as it is kept, the review whole or not."""
    try:
        said = read_said(session, game)
        turns = _PlainReview.model_validate_json(said).turns if said else []
    except ValueError:
        return []
    return [one.model_dump() for one in turns if one.seat == seat]


@cache
def _tell_unreadable(game: str, why: str) -> None:
    LOG.error("the review of game %s cannot be read: %s", game, why)


def is_review_awaited(session: Session, game: str) -> bool:
    """Whether the review of a game is still being made."""
    due = select(GameReview.game).where(GameReview.game == game, col(GameReview.due_at).is_not(None))
    return session.exec(due).first() is not None
