"""The loops beside the pages: one that hangs or fails keeps no other waiting, and each stops when asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Condition, Event, Thread
from time import monotonic

import pytest
from sqlmodel import select

from emails.tokens import Ticket
from server import clock as clock_module
from server import loops as loops_module
from server.delivery.transports import Transport
from server.inbox import intake
from server.loops import Loop, Loops
from server.roles import Role
from server.scheduler import SteadyScheduler
from server.store.context import Context
from server.store.models import IncomingMail, OutgoingLetter
from server.store.schedule import write_moment
from server.store.states import MomentName
from tests.server.desk import (
    NOON,
    Clock,
    Collector,
    desk,
    game_row,
    start_game,
    start_timed_game,
    work_until_idle,
)

PATIENCE = 60.0
"""Seconds, on a machine that does a lot besides."""


class SilentRelay(Collector):
    """A relay that takes letters and says nothing until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.released = Event(), Event()

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.asked.set()
        assert self.released.wait(PATIENCE)
        super().send(sender, recipient, raw)


class Watch:
    """Waits until something holds, looking again after each commit."""

    def __init__(self) -> None:
        self._changed = Condition()

    def note(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def until(self, fits: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(fits, PATIENCE)


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path, ALEXANDROS_TICK="0.2")


@contextmanager
def scheduled(loop: Loop) -> Iterator[Loop]:
    """A loop as a job of a scheduler of its own, until it was asked to stop and has."""
    scheduler = SteadyScheduler()
    loop.start(scheduler)
    scheduler.start()
    try:
        yield loop
    finally:
        loop.ask_to_stop()
        loop.join()
        scheduler.shutdown(wait=False)


@contextmanager
def at_work(context: Context, carrier: Transport, now: Callable[[], datetime]) -> Iterator[Watch]:
    loops, watch = Loops.of(context, [carrier], now, lambda: now().timestamp()), Watch()
    loops.start(context)

    def wake() -> None:
        loops.wake()
        watch.note()

    context.wake = wake
    try:
        yield watch
    finally:
        loops.stop()


def write_order(context: Context, game: str, words: str, now: datetime) -> None:
    row = game_row(context, game)
    address = context.links.reply_address(Ticket(game, 0, row.after))
    mail = f"From: anna@example.org\r\nMessage-ID: <{row.after}@example.org>\r\n\r\n{words}\r\n"
    intake.store_mail(context, "anna@example.org", address, mail.encode(), now)


@pytest.mark.breadth
def test_while_a_relay_says_nothing_orders_are_played_and_bots_and_deadlines_go_on(context):
    clock, relay = Clock(), SilentRelay()
    with_house = start_game(context, "Anna", "house")
    late = start_timed_game(context, "Ben", "Cleo", hours=1)
    with at_work(context, relay, clock) as watch:
        assert relay.asked.wait(PATIENCE)
        beat(context, clock() + timedelta(hours=2))
        clock.forward(2)
        write_order(context, with_house, "choose temple\nstay\nend", clock())
        watch.until(lambda: game_row(context, late).turn > 1)
        watch.until(lambda: game_row(context, with_house).seq > 2)
        assert relay.mails == []
        relay.released.set()
        watch.until(lambda: not waiting(context))
    assert relay.mails


def beat(context: Context, at: datetime) -> None:
    """Another server was at work until then."""
    with context.writing() as session:
        write_moment(session, MomentName.HEARTBEAT, at)
        session.commit()


def waiting(context: Context) -> list[int]:
    with context.reading() as session:
        return list(session.exec(select(OutgoingLetter.id).where(OutgoingLetter.state == "waiting")))


def test_done_one_after_the_other_the_same_work_waits_for_the_relay(context):
    """The control: in one thread a mail that came is read when every letter has left."""
    clock, read = Clock(), []
    game = start_game(context, "Anna", "Ben")

    class Looking(Collector):
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            write_order(context, game, "choose temple", clock())
            with context.reading() as session:
                read.extend(session.exec(select(IncomingMail.state)))
            super().send(sender, recipient, raw)

    work_until_idle(context, Looking(), clock())
    assert read[:2] == ["waiting", "waiting"]  # when the first letter left, and when the second did


def test_a_loop_that_fails_is_told_and_tries_again(caplog):
    tried, enough = [], Event()

    def work(_: datetime) -> int:
        tried.append(1)
        if len(tried) == 1:
            raise OSError("the disk is full")
        enough.set()
        return 0

    with scheduled(Loop("mail", work, Clock(), 0.01)):
        assert enough.wait(PATIENCE)
    assert "the loop mail could not finish its work" in caplog.text


def test_a_loop_that_is_told_to_stop_ends_the_piece_in_hand_and_begins_no_more():
    begun, released, done = Event(), Event(), []

    def work(_: datetime) -> int:
        begun.set()
        assert released.wait(PATIENCE)
        done.append(1)
        return 1  # there is always more

    with scheduled(Loop("delivery", work, Clock(), 60)) as loop:
        assert begun.wait(PATIENCE)
        loop.ask_to_stop()
        released.set()
    assert done == [1]
    assert loop.seconds_since_round < PATIENCE


def test_each_piece_of_work_has_a_moment_of_its_own():
    moments, enough, clock = [], Event(), Clock()

    def work(moment: datetime) -> int:
        moments.append(moment)
        clock.forward(1)
        if len(moments) == 3:
            enough.set()
            return 0
        return 1

    with scheduled(Loop("mail", work, clock, 60)):
        assert enough.wait(PATIENCE)
    assert moments == sorted(set(moments))


# --- several lanes --------------------------------------------------------------------------------------


@contextmanager
def lanes_at_work(
    context: Context, relays: list[SilentRelay], clock: Clock
) -> Iterator[tuple[list[Loop], list[int]]]:
    """The lanes of a server that looks by itself in ten minutes, and how often each has looked."""
    loops = Loops.of(context, [Collector(), *relays], clock, lambda: clock().timestamp())
    lanes = [one for one in loops.each if one.name.startswith("delivery")]
    looks = [0] * len(lanes)

    def counted(number: int, work: Callable[[datetime], int]) -> Callable[[datetime], int]:
        def look(moment: datetime) -> int:
            looks[number] += 1
            return work(moment)

        return look

    for number, lane in enumerate(lanes):
        lane._work = counted(number, lane._work)
    loops.start(context)
    try:
        await_lanes(lanes)
        yield lanes, looks
    finally:
        for relay in relays:
            relay.released.set()
        loops.stop()


def await_lanes(lanes: list[Loop], busy: int = 0) -> None:
    """Wait until all but so many of them have looked, and wait."""
    pause, ends = Event(), monotonic() + PATIENCE
    while sum(one.is_waiting and not one._called.is_set() for one in lanes) != len(lanes) - busy:
        assert monotonic() < ends
        pause.wait(0.01)


def test_a_commit_makes_one_lane_look_which_calls_the_next_when_it_has_found_a_letter(tmp_path):
    context, clock, relays = desk(tmp_path, ALEXANDROS_TICK="600"), Clock(), [SilentRelay() for _ in range(4)]
    with lanes_at_work(context, relays, clock) as (lanes, looks):
        before = sum(looks)
        with context.writing() as session:
            context.commit_work(session)
        await_lanes(lanes)
        assert sum(looks) == before + 1
        start_game(context, "Anna", "Ben")
        assert relays[0].asked.wait(PATIENCE)
        assert relays[1].asked.wait(PATIENCE)
        await_lanes(lanes, busy=2)
        start_game(context, "Cleo", "house")
        assert relays[2].asked.wait(PATIENCE), "lanes that hang keep nobody waiting"
        assert not relays[3].asked.is_set()


def test_each_chore_has_a_loop_which_waits_where_the_wall_clock_was_set_ahead(context):
    """What cannot be undone, such as a deletion, waits until the clock is settled; deadlines go on."""
    every, ran, wall, steady = clock_module.CHORES, [], [NOON], [0.0]

    def note(name: str) -> Callable[[Context, datetime], int]:
        def work(_: Context, now: datetime) -> int:
            ran.append((name, now))
            return 0

        work.__name__ = name
        return work

    with pytest.MonkeyPatch.context() as patched:
        chores = [replace(one, work=note(one.name)) for one in every]
        patched.setattr(clock_module, "CHORES", chores)
        loops = Loops.of(context, [Collector()], lambda: wall[0], lambda: steady[0])
    of_clock = loops.of_role(Role.CLOCK)
    assert {"clock", "clock delete_expired", "clock queue_daily_letters"} <= {one.name for one in of_clock}

    def run_all() -> set[str]:
        ran.clear()
        for one in of_clock:
            if one.name.startswith("clock"):
                one._work(wall[0])
        return {name for name, _ in ran}

    assert run_all() == {one.name for one in every}
    wall[0] += timedelta(days=40)
    steady[0] += 1
    assert run_all() == {one.name for one in every if not one.is_final}
    steady[0] += clock_module.SETTLED_AFTER
    wall[0] += timedelta(seconds=clock_module.SETTLED_AFTER)
    assert run_all() == {one.name for one in every}


def test_no_stored_time_moves_while_deadlines_are_compared_with_a_moment(context, monkeypatch):
    wall, moved, overtaken = [NOON], Event(), []

    def look() -> None:
        other._work(wall[0])
        moved.set()

    def compare(_: Context, now: datetime) -> int:
        wall[0] = NOON - timedelta(hours=1)
        thread.start()
        overtaken.append(moved.wait(0.2))
        return 0

    def do_nothing(_: Context, now: datetime) -> int:
        return 0

    chores = [clock_module.Chore(compare, every=None), clock_module.Chore(do_nothing)]
    monkeypatch.setattr(clock_module, "CHORES", chores)
    loops = Loops.of(context, [Collector()], lambda: wall[0], lambda: 0.0)
    at_ticks, other = loops.of_role(Role.CLOCK)[:2]
    thread = Thread(target=look, daemon=True)
    other._work(NOON)
    at_ticks._work(NOON)
    assert moved.wait(PATIENCE)
    assert overtaken == [False]


def test_a_backup_that_takes_a_minute_does_not_count_as_hanging(context, monkeypatch):
    steady = [0.0]
    monkeypatch.setattr(loops_module, "monotonic", lambda: steady[0])
    loops = Loops.of(context, [Collector()], Clock())
    backup = next(one for one in loops.each if one.name == "clock back_up_daily")
    steady[0] = 3600.0 + 60.0  # it runs each hour
    assert not backup.is_stuck
    steady[0] = 3 * 3600.0
    assert backup.is_stuck
