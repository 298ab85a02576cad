"""Rate limits: so often and no more, and nobody is refused because others come in crowds."""

from datetime import datetime, timedelta

from server.store.context import Context
from server.store.models import Visit
from server.web.kit import visitors
from server.web.kit.visitors import RateQuotas
from tests.server.desk import NOON, desk


def take(server: Context, shares: RateQuotas, moment: datetime = NOON, visitor="a", most: int = 48) -> bool:
    return visitors.allow_share(server, shares, visitors.LimitedAction.API, most, visitor, moment)


def rows(server: Context) -> int:
    return len(server.rows_of(Visit))


def test_each_visitor_is_let_through_so_often_within_the_time_by_shares_of_several_times(tmp_path):
    server, shares = desk(tmp_path), RateQuotas()
    assert [take(server, shares) for _ in range(49)] == [True] * 48 + [False]
    assert rows(server) == visitors.SHARES, "and no row for each time"
    assert take(server, shares, visitor="b")
    assert not take(server, shares, NOON + timedelta(minutes=59))
    assert take(server, shares, NOON + timedelta(hours=1))
    assert rows(server) == 2, "what counts no longer goes with the next share"


def test_what_one_process_has_in_hand_another_has_not(tmp_path):
    servers = [(desk(tmp_path, number), RateQuotas()) for number in range(4)]
    assert sum(take(*servers[number % 4]) for number in range(100)) == 48


def test_a_limit_that_is_less_than_the_shares_is_counted_one_by_one(tmp_path):
    servers = [(desk(tmp_path, number), RateQuotas()) for number in range(4)]
    assert sum(take(*servers[number % 4], most=5) for number in range(12)) == 5


def test_a_share_ends_with_its_time_and_a_clock_that_is_put_back_refuses_nobody_for_long(tmp_path):
    server, shares = desk(tmp_path), RateQuotas()
    assert take(server, shares, NOON + timedelta(days=10), most=2)
    assert take(server, shares, most=1)
    assert not take(server, shares, most=1)


def test_what_is_written_down_is_counted_for_all_processes_and_beyond_a_restart(tmp_path):
    def allow(server: Context, visitor, moment: datetime = NOON) -> bool:
        return visitors.allow_stored(server, visitors.LimitedAction.JOINS, 2, visitor, moment)

    servers = [desk(tmp_path, number) for number in range(3)]
    assert [allow(server, "a") for server in servers] == [True, True, False]
    assert allow(servers[2], "b")
    assert visitors.allow_stored(servers[2], visitors.LimitedAction.GAMES, 1, "a", NOON), "each has its own"
    assert not allow(servers[0], "a", NOON + timedelta(minutes=59))
    assert allow(servers[0], "a", NOON + timedelta(hours=1))
    assert allow(servers[0], "a", NOON - timedelta(days=10)), "a clock that is put back refuses nobody"


def test_who_is_refused_writes_nothing(tmp_path):
    server = desk(tmp_path)
    assert visitors.allow_stored(server, visitors.LimitedAction.JOINS, 1, "a", NOON)
    with server.writing() as session:
        session.connection()  # nobody else can write until this ends
        assert not visitors.allow_stored(server, visitors.LimitedAction.JOINS, 1, "a", NOON)


def test_a_crowd_leaves_the_table_as_large_as_it_may_be(monkeypatch):
    monkeypatch.setattr(visitors, "MOST_VISITORS", 3)
    shares, hour = RateQuotas(), timedelta(hours=1)
    for name in "abcd":
        shares.put((visitors.LimitedAction.API, name), 2, NOON)
    used = [shares.use((visitors.LimitedAction.API, name), NOON, hour) for name in "abcd"]
    assert used == [False, True, True, True]
