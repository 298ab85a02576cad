"""A year on the server itself: nobody is timed out in time that is not theirs, and nobody waits in vain."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from server.store.models import Game, StoredTerms
from tests.server.time_control.served_people import Table
from tests.server.time_control.served_year import ServedYear

HOUR = timedelta(hours=1)
SIZES = [
    pytest.param(24, 3, 16, 96 * HOUR, marks=pytest.mark.breadth, id="24"),
    pytest.param(128, 6, 120, 48 * HOUR, marks=pytest.mark.long, id="128"),
]
"""Players, the turns of each, how often the server is down, and how often all turns are looked at."""


@pytest.mark.parametrize(("players", "turns", "stops", "look_every"), SIZES)
def test_on_the_server_nobody_is_timed_out_in_time_that_is_not_theirs(
    tmp_path, record_property, players, turns, stops, look_every
):
    year = ServedYear(tmp_path, players, turns=turns, stops=stops, look_every=look_every)
    year.play()
    told = f"{year.turns} turns, {year.timed_out} timed out, {year.looks} looks at what is left"
    told += f", {year.exceeded} timed out away for longer than their game allows"
    record_property("figure", f"{players} players: {told}")
    assert not year.wrong
    assert year.turns >= turns * players
    assert year.timed_out > year.turns / 8
    if players >= 100:  # in a smaller year there may be none
        assert year.kept
        assert year.exceeded


def small_year(folder: Path, **changed: bool) -> list[str]:
    """What was wrong in a year of one player in each zone."""
    year = ServedYear(folder, 24, turns=6, stops=24, look_every=96 * HOUR, **changed)
    year.play()
    return year.wrong


def faulty_year(folder: Path, kind: type[ServedYear], players: int = 4) -> list[str]:
    """What was seen to be wrong in two games, or more, on a server that fails."""
    year = kind(folder, players, turns=3, stops=6, look_every=96 * HOUR)
    year.play()
    return year.wrong


class ForgetfulYear(ServedYear):
    """The clock forgets what it has done: a deadline that is past stands again, once a game."""

    def _work(self) -> None:
        super()._work()
        with self._server.context.writing() as session:
            for game in session.exec(select(Game).where(col(Game.deadline).is_not(None))):
                table = self._by_game[game.id]
                if len(table.dealt) == 1 and not table.is_left:
                    game.deadline = game.due_at = next(iter(table.dealt))
            session.commit()


class GenerousYear(ServedYear):
    """Turns get an hour now and then, and no act says why."""

    def _work(self) -> None:
        super()._work()
        with self._server.context.writing() as session:
            for game in session.exec(select(Game).where(col(Game.deadline) > self._now + HOUR)):
                game.deadline = (game.deadline or self._now) + HOUR
            session.commit()


class OtherTermsYear(ServedYear):
    """The server goes by another allowance of days than the games were opened with."""

    allowed: int | None = None

    def _open(self, table: Table) -> None:
        super()._open(table)
        with self._server.context.writing() as session:
            for terms in session.exec(select(StoredTerms).where(StoredTerms.game == table.game)):
                terms.vacation_days = self.allowed
            session.commit()


class BoundlessYear(OtherTermsYear):
    """It lets time stand for any number of days, and the games for none."""

    allowances = (0,)


class StingyYear(OtherTermsYear):
    """It lets time stand on no day at all."""

    allowed = 0


class IdleYear(ServedYear):
    """Nobody looks at deadlines."""

    hands = ("delivery 1",)


@pytest.mark.long
def test_the_control_a_server_that_forgets_its_heartbeat_counts_time_in_which_it_was_down(tmp_path):
    assert "too early" in small_year(tmp_path, knows_heartbeat=False)


@pytest.mark.long
def test_the_control_a_server_that_ignores_its_mailbox_ends_turns_whose_answers_lie_there(tmp_path):
    wrong = small_year(tmp_path, knows_mailbox=False)
    assert "though its player had answered in time" in wrong
    assert "in time that is nobody's" in wrong


@pytest.mark.long
def test_the_control_a_server_that_is_not_told_when_they_sleep_takes_turns_meanwhile(tmp_path):
    assert {"too early", "in protected time"} <= set(small_year(tmp_path, knows_availability=False))


@pytest.mark.breadth
def test_the_control_a_clock_that_forgets_what_it_has_done_deals_twice_with_a_deadline(tmp_path):
    assert "a deadline was dealt with twice" in faulty_year(tmp_path, ForgetfulYear)


@pytest.mark.breadth
def test_the_control_time_that_grows_without_an_act_is_seen(tmp_path):
    assert any(one.startswith("time has grown") for one in faulty_year(tmp_path, GenerousYear))


@pytest.mark.breadth
def test_the_control_a_server_that_lets_time_stand_for_longer_than_a_game_allows_is_seen(tmp_path):
    assert "later than its bound" in faulty_year(tmp_path, BoundlessYear, 8)


@pytest.mark.breadth
def test_the_control_a_server_that_lets_time_run_on_days_that_a_game_allows_is_seen(tmp_path):
    assert {"too early", "in protected time"} <= set(faulty_year(tmp_path, StingyYear, 16))


@pytest.mark.breadth
def test_the_control_a_deadline_that_passes_without_anything_done_is_seen(tmp_path):
    assert "its time is up, and the clock does nothing" in faulty_year(tmp_path, IdleYear)
