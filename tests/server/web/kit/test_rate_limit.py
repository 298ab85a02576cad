"""Rate limits: so often and no more, and nobody is refused because others come in crowds."""

from datetime import timedelta

import pytest

from server.web.kit import rate_limit
from server.web.kit.rate_limit import RateLimiter
from tests.server.desk import NOON


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
