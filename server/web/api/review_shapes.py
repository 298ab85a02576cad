"""What the judge thinks of a game that is over, as programs are told it."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from engine.bots.reviews import Review, ReviewedTurn, foreseen, harvests, played_turns
from engine.notation.canonical_text import write
from engine.position import View
from server.store.histories import StartedHistory, list_steps
from server.web.api.event_shapes import ApiShape, PlaceName, SeatNumber

_Probability = Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]


class ReviewedTurnView(ApiShape):
    """A turn, and what the judge thinks of it by what its player could know."""

    model_config = ConfigDict(title="ReviewedTurn")

    turn: int
    """The number of the turn, from 1."""
    seat: SeatNumber
    played: list[str]
    """The actions done, in canonical text."""
    best: list[str]
    """What the judge would have done, as far as nothing new came up; empty where it has not thought of it."""
    cost: float
    """By how many points it holds that to be better; 0 where it is not."""
    chances: list[_Probability]
    """How likely it held each seat to win after this turn, by all that was true."""


class HarvestView(ApiShape):
    """What one province scored in one levy."""

    model_config = ConfigDict(title="Harvest")

    turn: int
    seat: SeatNumber
    """Who got the points."""
    place: PlaceName
    """Where the guard stood."""
    points: int


class ReviewView(ApiShape):
    """What the judge of the house, by which its own players play, thinks of a game that is over."""

    model_config = ConfigDict(title="Review")

    chances: list[_Probability]
    """How likely it held each seat to win before the first turn."""
    turns: list[ReviewedTurnView]
    harvests: list[HarvestView]
    """Where all points came from."""


def describe_review(review: Review, history: StartedHistory) -> ReviewView:
    """A review in its shape, with what is certain: where the points came from."""
    board = history.position.table.board
    found = [
        HarvestView(turn=one.turn, seat=one.seat, place=board.names[one.place], points=one.value)
        for one in harvests(list_steps(history))
    ]
    played = played_turns(list_steps(history))
    turns = [_describe_turn(one, turn.known) for one, turn in zip(review.turns, played, strict=True)]
    return ReviewView(chances=list(review.chances), turns=turns, harvests=found)


def _describe_turn(one: ReviewedTurn, known: View) -> ReviewedTurnView:
    """A turn in its shape; `known`: what its player knew when it began."""
    verdict, board = one.verdict, known.table.board
    best = verdict.best if verdict.cost else foreseen(known, verdict.best)
    return ReviewedTurnView(
        turn=verdict.turn,
        seat=verdict.seat,
        played=[write(action, board) for action in verdict.played],
        best=[write(action, board) for action in best],
        cost=verdict.cost,
        chances=list(one.chances),
    )
