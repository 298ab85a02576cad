"""A game that allows so many days of vacation a year: on those alone the clock of its players stands."""

from datetime import UTC, date, datetime, timedelta

import pytest

from server.accounts.vacations import take_vacation
from server.clock import tick
from server.store.game_terms import SeatRequest
from server.store.models import Seating
from server.store.server_facts import GameTerms
from tests.server.desk import NOON, begin_time, game_row, open_game

DAY = timedelta(days=1)
AWAY = date(2026, 3, 2), date(2026, 3, 29)
"""From the day on which the turn begins."""


@pytest.mark.parametrize(
    ("allowed", "runs_from"),
    [
        (None, datetime(2026, 3, 31, tzinfo=UTC)),
        (5, datetime(2026, 3, 7, tzinfo=UTC)),
        (1, datetime(2026, 3, 3, tzinfo=UTC)),
        (0, NOON),
    ],
)
def test_the_clock_runs_from_the_day_after_those_that_the_game_allows(context, allowed, runs_from):
    game = new_game(context, allowed)
    go_away(context, game, *AWAY)
    ends = runs_from + DAY
    assert game_row(context, game).deadline == ends
    tick(context, ends - timedelta(seconds=1))
    assert game_row(context, game).turn == 1
    tick(context, ends)
    assert game_row(context, game).turn == 2


def test_days_of_a_vacation_that_is_over_are_used_up(context):
    game = new_game(context, 5)
    go_away(context, game, *AWAY[:1] * 2)
    assert game_row(context, game).deadline == datetime(2026, 3, 4, tzinfo=UTC)
    go_away(context, game, date(2026, 3, 3), AWAY[1])
    assert game_row(context, game).deadline == datetime(2026, 3, 8, tzinfo=UTC)


def new_game(context, allowed):
    """One of a day a turn, whose first turn has just begun."""
    seats = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben")]
    terms = GameTerms(vacation_days=allowed)
    game = open_game(context, "Friday", seats, NOON, hours=24, at_once=True, terms=terms)
    begin_time(context, game, NOON)
    return game


def go_away(context, game, first, last):
    """Let whoever is to move tell at once that they are away."""
    with context.writing() as session:
        player = session.get_one(Seating, (game, game_row(context, game).seat)).player
        take_vacation(session, player, first, last, NOON)
        session.commit()
