"""The server was down, or its relay was: that time is nobody's, and no turn is lost by it."""

from collections import Counter
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from tests.breadth import BREADTH
from tests.faults.rooms import Server
from tests.faults.times import DAY, HOUR, MINUTE, SECOND

STEP = 5 * SECOND
"""How often a server that works step by step looks at the clock."""
GRACE = 10 * MINUTE
"""How long mail servers may need to bring what they could not bring while we were down."""
CLOSE = 20 * SECOND
"""How far a deadline may be from where it was: a heartbeat and a few looks."""
SPANS = [4 * SECOND, *(pytest.param(one, marks=BREADTH) for one in (10 * MINUTE, 10 * DAY))]


def go_down(server: Server, span: timedelta) -> Server:
    server.stop()
    server.times.go_on(span)
    return server.again()


def four_games(folder: Path) -> tuple[Server, dict[str, timedelta]]:
    """Games in which time is nearly up, a reminder is nearly due, or nothing is near; with the time left."""
    server = Server(folder)
    wanted = (2 * SECOND, 24 * HOUR + 2 * SECOND, 6 * HOUR + 2 * SECOND, 40 * HOUR)
    pairs = ("Anna", "Ben"), ("Ben", "Cleo"), ("Cleo", "Dirk"), ("Dirk", "Anna")
    games = [server.start(*pair) for pair in pairs]
    server.work()
    server.work_for(30 * SECOND, STEP)
    for game, left in zip(games, wanted, strict=True):
        server.set_left(game, left)
    server.work()
    return server, {game: server.left(game) for game in games}


def check_nobody_lost(server: Server, before: dict[str, timedelta]) -> None:
    for game, left in before.items():
        assert server.timeouts(game) == 0
        now = server.left(game)
        assert left - CLOSE < now < max(left, GRACE) + CLOSE, f"{left} became {now}"


@pytest.mark.parametrize("span", SPANS, ids=str)
def test_nobody_loses_a_turn_because_the_server_was_down(tmp_path, span, figure):
    server, before = four_games(tmp_path)
    server = go_down(server, span)
    server.work()
    server.work_for(2 * STEP, STEP)
    check_nobody_lost(server, before)
    server.work_for(2 * GRACE, 2 * MINUTE)
    server.work_for(42 * HOUR, 3 * HOUR)
    assert [server.timeouts(game) for game in before] == [1] * 4, "in the end time is up, once"
    figure(f"down for {span}: lost 0 turns")


@pytest.mark.breadth
def test_a_server_that_forgets_how_long_it_was_down_takes_turns(tmp_path):
    """The control: what it knows of itself is deleted while it is down."""
    server, before = four_games(tmp_path)
    server.forget_itself()
    server = go_down(server, 10 * DAY)
    server.work()
    server.work_for(2 * GRACE, 5 * MINUTE)
    with pytest.raises(AssertionError):
        check_nobody_lost(server, before)


@pytest.mark.parametrize("span", SPANS, ids=str)
def test_mails_that_were_written_in_time_are_played_first(tmp_path, span):
    server, before = four_games(tmp_path)
    written = server.times.wall() + SECOND
    server = go_down(server, span)
    with server.running() as watch:
        mails = [server.write(game, server.mover(game), arrived=written) for game in before]
        watch.until(lambda: all(server.is_played(mail) for mail in mails), "the mails")
    assert [server.timeouts(game) for game in before] == [0, 0, 0, 0]


@pytest.mark.parametrize("first", ["clock", "mail"])
def test_a_mail_that_reached_the_border_in_time_is_played_after_the_deadline(tmp_path, first):
    server = Server(tmp_path)
    game = server.start("Anna", "Ben")
    server.work()
    server.set_left(game, SECOND)
    written = server.times.wall()
    server.times.go_on(2 * SECOND)
    mail = server.write(game, server.mover(game), arrived=written)
    server.work(first)
    server.work()
    assert server.is_played(mail)
    assert server.doors(game)[-2:] == ["reply", "clock"], "the caretaker takes the rest of the turn alone"


@pytest.mark.parametrize("forged", [False, True])
def test_a_mail_that_reached_the_border_too_late_is_not(tmp_path, forged):
    """The control; and what stands below the line of the border anybody can have written."""
    server = Server(tmp_path)
    game = server.start("Anna", "Ben")
    server.work()
    server.set_left(game, SECOND)
    written = server.times.wall()
    server.times.go_on(3 * SECOND)
    below = written if forged else None
    mail = server.write(game, server.mover(game), arrived=written + 2 * SECOND, forged=below)
    server.work("clock")
    server.work()
    assert server.timeouts(game) == 1
    assert not server.is_played(mail)


@pytest.mark.parametrize("servers", [2, pytest.param(1, marks=BREADTH)])
def test_each_reminder_and_deadline_happens_once(tmp_path, servers):
    first, before = four_games(tmp_path)
    near, half, eighth, far = before
    first.stop()
    first.times.go_on(10 * MINUTE)
    each = [first.again() for _ in range(servers)]
    work_together(each)
    for minutes in (0, 1, 8, 4, 8, 0):
        first.pass_time(minutes * MINUTE)
        work_together(each)
    assert {game: each[0].timeouts(game) for game in before} == {near: 1, half: 0, eighth: 0, far: 0}
    assert {game: each[0].reminders(game) for game in (half, eighth, far)} == {half: 1, eighth: 2, far: 0}
    assert max(Counter(str(mail["Message-ID"]) for mail in first.relay.mails).values()) == 1


def work_together(servers: list[Server]) -> None:
    barrier, failed = Barrier(len(servers)), []

    def work(server: Server) -> None:
        barrier.wait()
        try:
            server.work()
        except Exception as error:  # it is told below, in the thread of the test
            failed.append(error)

    threads = [Thread(target=work, args=(server,)) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
