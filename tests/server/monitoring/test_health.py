"""What is well and what fails: checks by part, one log line for each change, and words for whoever asks."""

import re
from threading import Event, Thread

import pytest

from server import monitoring as health
from server.monitoring import EventLog, Health, HealthPart, HealthWatch
from tests.paths import TOP

PATIENCE = 20.0
"""Seconds, on a machine that does a lot besides."""


class Switch:
    """A check that says what it is told to say, and how often it was asked."""

    def __init__(self) -> None:
        self.well: bool | Exception = True
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        if isinstance(self.well, Exception):
            raise self.well
        return self.well


@pytest.fixture
def found() -> Health:
    return Health(EventLog())


def told(caplog):
    return [(str(one.facts["part"]), str(one.facts["state"])) for one in caplog.records]


def test_a_change_is_one_line_and_what_stays_so_is_none(found, caplog, monkeypatch):
    monkeypatch.setattr(health, "WELL_LOGGED_AFTER", 0.0)
    disk, relay = Switch(), Switch()
    found.add({HealthPart.DISK: disk, HealthPart.RELAY: relay})
    for well in (True, False, False, True, True):
        disk.well = well
        found.check_all()
    assert told(caplog) == [("disk", "failing"), ("disk", "well")]
    value = found.events.metrics.registry.get_sample_value
    assert value("alexandros_health_changes_total", {"part": "disk"}) == 1


def test_a_check_that_raises_fails_and_the_line_says_why(found, caplog):
    disk, relay = Switch(), Switch()
    disk.well = OSError(28, "No space left on device")
    relay.well = False
    found.add({HealthPart.DISK: disk, HealthPart.RELAY: relay})
    assert found.find_failing() == (HealthPart.DISK, HealthPart.RELAY)
    assert told(caplog) == [("disk", "failing"), ("relay", "failing")]
    assert [one.exc_info and str(one.exc_info[1]) for one in caplog.records] == [
        "[Errno 28] No space left on device",
        None,
    ]


def test_asking_often_costs_nothing(found, monkeypatch):
    disk = Switch()
    found.add({HealthPart.DISK: disk})
    for _ in range(100):
        found.find_failing()
    assert disk.asked == 1
    monkeypatch.setattr(health, "CACHED_FOR", 0.0)
    found.find_failing()
    assert disk.asked == 2, "what was found is good for a while only"


def test_where_a_thread_looks_nobody_who_asks_does(found, monkeypatch):
    disk = Switch()
    found.add({HealthPart.DISK: disk})
    watch = HealthWatch(found, pause=1000)
    watch.start()
    monkeypatch.setattr(health, "CACHED_FOR", 0.0)
    for _ in range(10):
        assert found.find_failing() == ()
    watch.ask_to_stop()
    watch.join()
    assert disk.asked == 1


def test_the_thread_notes_what_nobody_has_asked_for(found, caplog):
    disk, again = Switch(), Event()

    def check() -> bool:
        well = disk()
        if disk.asked > 2:
            again.set()
        disk.well = False
        return well

    found.add({HealthPart.DISK: check})
    watch = HealthWatch(found, pause=0.01)
    watch.start()
    assert again.wait(PATIENCE)
    watch.ask_to_stop()
    watch.join(PATIENCE)
    assert told(caplog) == [("disk", "failing")]


def test_a_database_that_says_nothing_fails_though_no_check_ends(found, monkeypatch):
    hangs, asked, released = False, Event(), Event()

    def check() -> bool:
        if hangs:
            asked.set()
            assert released.wait(PATIENCE)
        return True

    found.add({HealthPart.MAILS: check})
    found.check_all()
    found.is_watched = hangs = True
    thread = Thread(target=found.check_all)
    thread.start()
    assert asked.wait(PATIENCE)
    assert found.find_failing() == ()
    monkeypatch.setattr(health, "CHECKS_TAKE", -health.CHECKED_EVERY)
    assert found.find_failing() == (HealthPart.DATABASE,)
    released.set()
    thread.join(PATIENCE)


def test_a_part_that_fails_by_turns_is_told_of_once(found, caplog):
    disk = Switch()
    found.add({HealthPart.DISK: disk})
    for disk.well in (False, True) * 5:
        found.check_all()
        assert found.find_failing() == (() if disk.well else (HealthPart.DISK,)), (
            "whoever asks hears what is so now"
        )
    assert told(caplog) == [("disk", "failing")]


def test_the_guide_explains_each_word():
    guide = (TOP / "config/watching.md").read_text("utf-8").split("## What to watch\n")[1].split("\n## ")[0]
    explained = set(re.findall(r"`([\w-]+)`", guide))
    assert {part for part in HealthPart if part != HealthPart.LOOP} <= explained
