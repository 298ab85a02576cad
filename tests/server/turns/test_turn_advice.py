"""Good turns for a letter: there in time or told at sight, and none where nobody may have any."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.bots.advice import suggest_turns, suggest_turns_at_sight
from engine.position import view
from server.store.models import Game
from server.thinking.thinker import (
    InlineThinker,
    RecentAnswers,
    ThinkerBusy,
    ThinkerLost,
    ThinkingFailed,
    ThinkingTooLong,
)
from server.turns.turn_advice import SUGGESTIONS, suggest
from tests.server.desk import game_row, let_advise


class LateAdviser:
    """One who has never thought of anything in time."""

    def __init__(self, failed: ThinkingFailed) -> None:
        self.failed = failed

    def call(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Any:
        raise self.failed


def suggested(context, game, seat=None):
    row = game_row(context, game)
    with context.reading() as session:
        history = context.history_of(session, session.get_one(Game, game))
        return suggest(context, session, row, history, row.seat if seat is None else seat), history


@pytest.mark.parametrize("failed", [ThinkingTooLong(), ThinkerBusy(), ThinkerLost()])
def test_what_is_not_there_in_time_is_told_at_sight_and_stays_so_for_this_position(context, game, failed):
    let_advise(context, game)
    context.adviser = LateAdviser(failed)
    found, history = suggested(context, game)
    known = view(history.position, history.position.table.seat)
    assert found == suggest_turns_at_sight(known, SUGGESTIONS) != ()
    context.adviser = InlineThinker()
    assert suggested(context, game)[0] == found
    context.advice = RecentAnswers()
    assert suggested(context, game)[0] == suggest_turns(known, SUGGESTIONS)
    context.adviser = LateAdviser(failed)
    assert suggested(context, game)[0] == suggest_turns(known, SUGGESTIONS)


def test_nothing_is_suggested_where_no_advice_is_given_or_others_are_to_move(context, game):
    assert suggested(context, game)[0] == ()
    let_advise(context, game)
    assert suggested(context, game, 1 - game_row(context, game).seat)[0] == ()
