"""The wall clock is set while the server runs: nothing stands still for it, and nobody loses a turn by it."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from threading import Event, Thread

import pytest

from tests.breadth import BREADTH, first
from tests.faults.rooms import TICK, Server, tells_of_jump
from tests.faults.times import DAY, HOUR, MINUTE, PATIENCE, SECOND, Times, Watch

ENOUGH = 5.0
"""Seconds in which a busy machine does what is due; who waits for the wall clock needs a minute and more."""
CLOSE = 2 * SECOND
"""How far a deadline may be from where it was: a few looks at the clock."""


@dataclass(frozen=True)
class Jumps:
    """How somebody sets the clock, one step after another, with a look of the server at it between them."""

    name: str
    steps: tuple[timedelta, ...]

    @property
    def is_undone(self) -> bool:
        """Whether it shows in the end what it would have shown."""
        return not sum(self.steps, timedelta())


BACK_AN_HOUR = Jumps("back an hour", (-HOUR,))
TEN_DAYS_AND_BACK = Jumps("ahead ten days and back", (10 * DAY, -10 * DAY))
OTHERS = (
    Jumps("back a minute", (-MINUTE,)),
    Jumps("back ten minutes", (-10 * MINUTE,)),
    Jumps("ahead ten minutes", (10 * MINUTE,)),
    Jumps("ahead ten minutes and back", (10 * MINUTE, -10 * MINUTE)),
    Jumps("ahead ten days", (10 * DAY,)),
    Jumps("back ten days", (-10 * DAY,)),
)
ALL = first(1, [TEN_DAYS_AND_BACK, BACK_AN_HOUR, *OTHERS])


def name_of(jumps: object) -> str | None:
    return jumps.name if isinstance(jumps, Jumps) else None


def set_clock(server: Server, watch: Watch, jumps: Jumps) -> None:
    for step in jumps.steps:
        server.times.set_by(step)
        watch.until(partial(server.has_looked, server.looks() + 2), "a look at the clock")


def check_goes_on(server: Server, watch: Watch, game: str, with_house: str) -> float:
    """An order by mail is played, a house turn too, and letters leave; the longest that any of it took."""
    mail = server.write(game, server.mover(game))
    turns, letters = server.bot_turns(with_house), len(server.relay.mails)
    took = [watch.until(lambda: server.is_played(mail), "the order by mail")]
    server.take_turn(with_house)
    took.append(watch.until(lambda: server.bot_turns(with_house) > turns, "the turn of the house"))
    took.append(watch.until(lambda: len(server.relay.mails) > letters, "a letter"))
    assert max(took) < ENOUGH
    return max(took)


def check_time_left(server: Server, game: str, before: timedelta, jumps: Jumps) -> None:
    """The mover has the time that they had; a little more where the clock was set ahead."""
    left = server.left(game)
    assert left > before - CLOSE, f"{before} became {left}"
    most = before if jumps.is_undone else max(before, 10 * MINUTE)
    assert left < most + CLOSE, f"{before} became {left}"


@pytest.mark.parametrize("jumps", ALL, ids=name_of)
def test_the_clock_is_set_and_all_goes_on(tmp_path, caplog, figure, jumps):
    server = Server(tmp_path, Times(running=True))
    game, with_house = server.start("Anna", "Ben"), server.start("Anna", "house")
    long, short = server.start("Cleo", "Dirk", hours=48), server.start("Dirk", "Cleo", hours=1)
    with server.running() as watch:
        watch.until(lambda: not server.waiting_letters(), "the first letters")
        server.set_left(short, MINUTE)
        before, at = {one: server.left(one) for one in (long, short)}, server.times.steady()
        set_clock(server, watch, jumps)
        stood = check_goes_on(server, watch, game, with_house)
        for one, left in before.items():
            check_time_left(server, one, left - timedelta(seconds=server.times.steady() - at), jumps)
            assert server.timeouts(one) == 0
        server.set_left(short, SECOND)
        took = watch.until(lambda: server.timeouts(short) or server.look_in_time(short), "the deadline")
        assert took < 1 + ENOUGH
    assert tells_of_jump(caplog.text)
    figure(f"{jumps.name}: lost 0 turns, stood still for others {stood:.1f} s")


@pytest.mark.breadth
@pytest.mark.parametrize("jumps", [TEN_DAYS_AND_BACK], ids=name_of)
def test_a_server_that_cannot_tell_a_jump_from_time_that_passes_gets_deadlines_wrong(tmp_path, jumps):
    """The control: its steady clock is set with the other one."""
    server = Server(tmp_path, Times(running=True, blind=True))
    game = server.start("Anna", "Ben")
    with server.running() as watch:
        watch.until(lambda: not server.waiting_letters(), "the first letters")
        before = server.left(game)
        set_clock(server, watch, jumps)
        with pytest.raises(AssertionError):
            check_time_left(server, game, before, jumps)


@pytest.mark.breadth
def test_a_loop_that_waits_for_a_time_of_day_stands_still():
    """The control: what waits for the wall clock is found by the same measure."""
    times, watch, done, ended = Times(running=True), Watch(), [], Event()

    def work() -> None:
        due = times.wall() + TICK * SECOND
        while not ended.wait(0.02):
            if times.wall() >= due:
                done.append(due)
                watch.note()
                due += TICK * SECOND

    thread = Thread(target=work)
    thread.start()
    try:
        watch.until(lambda: done)
        times.set_by(-MINUTE)
        count = len(done)
        with pytest.raises(AssertionError):
            watch.until(lambda: len(done) > count + 1, patience=1)
    finally:
        ended.set()
        thread.join(PATIENCE)


@pytest.mark.parametrize("looks", [pytest.param(1, marks=BREADTH), 12])
def test_ten_days_ahead_for_a_minute_delete_nothing(tmp_path, looks):
    server = Server(tmp_path)
    game = server.start("Anna", "Ben", hours=480)
    server.write(game, "Anna", "there is nothing that can be read in this")
    server.propose("Cleo", "Dirk")
    server.sign_in("Anna")
    server.work_for(MINUTE, 5 * SECOND)
    before = server.counts()
    for step in TEN_DAYS_AND_BACK.steps:
        server.times.set_by(step)
        server.work()
        server.work_for(looks * 5 * SECOND, 5 * SECOND)
    server.work_for(MINUTE, 5 * SECOND)
    after = server.counts()
    assert {name: before[name] - after[name] for name in before if after[name] < before[name]} == {}


@pytest.mark.parametrize(
    "back", [10 * MINUTE, *(pytest.param(one, marks=BREADTH) for one in (MINUTE, 5 * MINUTE))], ids=str
)
def test_the_buttons_of_a_page_opened_before_work_after_the_clock_was_put_back(tmp_path, back):
    server = Server(tmp_path)
    game = server.start("Anna", "Ben")
    server.work()
    turn = server.open_turn_page(game, f"choose {server.card(game)}")
    settings = server.open_settings_page(game)
    server.times.set_by(-back)
    server.work()
    sequence = server.sequence(game)
    turn.press()
    assert (turn.status, server.sequence(game)) == (200, sequence + 1), turn.text
    settings.send("//form[@method='post']")
    assert settings.status == 200, settings.text


def test_a_button_from_long_after_now_does_nothing(tmp_path):
    """The control: a page that says it was opened in a year is not believed."""
    server = Server(tmp_path)
    game = server.start("Anna", "Ben")
    page = server.open_turn_page(game, f"choose {server.card(game)}")
    server.times.set_by(-365 * DAY)
    sequence = server.sequence(game)
    page.press()
    assert (page.status, server.sequence(game)) == (400, sequence)
