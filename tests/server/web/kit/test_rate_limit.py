"""Rate limits: so often and no more, and nobody is refused because others come in crowds."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from server.store.context import Context
from server.web.kit import rate_limit
from server.web.kit.rate_limit import RateLimiter
from tests.server.desk import NOON, desk


def test_each_visitor_is_let_through_so_often_within_the_time() -> None:
    gate = RateLimiter(2)
    assert [gate.allow("a", NOON), gate.allow("a", NOON), gate.allow("a", NOON)] == [True, True, False]
    assert gate.allow("b", NOON)
    assert gate.retry_after("a", NOON + timedelta(minutes=59)) == 60
    assert gate.allow("a", NOON + timedelta(hours=1))


def test_a_clock_that_is_put_back_refuses_nobody_for_long() -> None:
    gate = RateLimiter(1)
    assert gate.allow("a", NOON + timedelta(days=10))
    assert gate.allow("a", NOON)


def test_what_is_written_down_is_counted_for_all_processes_and_beyond_a_restart(tmp_path: Path) -> None:
    def allow(server: Context, visitor: str, moment: datetime = NOON) -> bool:
        return rate_limit.allow_stored(server, rate_limit.Limit.JOINS, 2, visitor, moment)

    servers = [desk(tmp_path, number) for number in range(3)]
    assert [allow(server, "a") for server in servers] == [True, True, False]
    assert allow(servers[2], "b")
    assert rate_limit.allow_stored(servers[2], rate_limit.Limit.GAMES, 1, "a", NOON), "each has its own"
    assert not allow(servers[0], "a", NOON + timedelta(minutes=59))
    assert allow(servers[0], "a", NOON + timedelta(hours=1))
    assert allow(servers[0], "a", NOON - timedelta(days=10)), "a clock that is put back refuses nobody"


def test_who_is_refused_writes_nothing(tmp_path: Path) -> None:
    server = desk(tmp_path)
    assert rate_limit.allow_stored(server, rate_limit.Limit.JOINS, 1, "a", NOON)
    with server.writing() as session:
        session.connection()  # nobody else can write until this ends
        assert not rate_limit.allow_stored(server, rate_limit.Limit.JOINS, 1, "a", NOON)


def test_when_the_table_is_full_the_one_who_was_not_here_for_longest_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limit, "MOST_VISITORS", 3)
    gate = RateLimiter(1)
    assert [gate.allow(name, NOON) for name in "abc"] == [True] * 3
    assert not gate.allow("a", NOON), "refused, and here again"
    assert gate.allow("d", NOON), "the table is full, and nobody is refused for that"
    assert [gate.allow(name, NOON) for name in "acd"] == [False] * 3
    assert gate.allow("b", NOON), "forgotten"


def test_a_crowd_leaves_the_table_as_large_as_it_may_be() -> None:
    gate = RateLimiter(20)
    assert all(gate.allow(f"visitor {number}", NOON) for number in range(3 * rate_limit.MOST_VISITORS))
    assert len(gate._passed) == rate_limit.MOST_VISITORS
