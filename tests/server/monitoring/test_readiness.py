"""What each failing part looks like from outside: the database, its disk, what waits, loops, the relay."""

import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from server import clock, readiness
from server.admin.reports import describe_backlog, measure_backlog
from server.delivery.relay import DeliveryFailed, RelayAway
from server.delivery.sending import send_due_letters
from server.loops import Loop, Loops
from server.store.database import VERSION_TABLE
from server.store.models import IncomingMail, OutgoingLetter
from server.store.schedule import UNREADABLE, count_at_work, read_moment, set_aside
from server.store.states import EVERY_ROLE, MomentName
from tests.server.desk import NOON, Clock, Collector, FailingRelay, desk, open_desk
from tests.server.storage import POSTGRESQL, choose, storage
from tests.server.test_loops import scheduled
from tests.server.test_poisoned_rows import poison

LATER = NOON + timedelta(hours=2)
PATIENCE = 20.0


def failing(context, now=NOON):
    readiness.add_store_checks(context, lambda: now)
    return context.health.find_failing()


def backlog(context, now=LATER):
    with context.reading() as session:
        return measure_backlog(session, now)


def test_all_is_well_and_something_was_written(context, game):
    assert failing(context) == ()
    with context.reading() as session:
        assert read_moment(session, MomentName.PROBED) == NOON


def test_a_database_that_takes_no_writes(context, game):
    with context.changing() as session:
        storage().refuse_rows(session, "moment")
    assert failing(context) == ("database",)


def test_a_database_of_another_version(context, game):
    with context.changing() as session:
        session.execute(update(VERSION_TABLE).values(version_num="0001"))
    assert failing(context) == ("schema",)


@pytest.mark.file
def test_little_room_on_the_disk(context, game, monkeypatch):
    usage = shutil.disk_usage(Path())
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(total=10**12, free=50 * 2**20))
    assert failing(context) == ("disk",)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(total=10**8, free=50 * 2**20))
    context.health.check_all()
    assert context.health.find_failing() == (), "on a small disk that is much"


def test_a_disk_that_takes_small_rows_alone_is_full_for_a_minute(tmp_path):
    """What the check writes has room still, and what came in just now had none."""
    choose(POSTGRESQL)
    context = open_desk(desk(tmp_path).settings)  # with listeners of its own
    full = "DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$"
    with context.writing() as session, pytest.raises(OperationalError):
        session.connection().exec_driver_sql(full)
    readiness.add_role_checks(context, EVERY_ROLE, Loops.of(context, [Collector()], Clock()), Clock())
    assert failing(context) == ("disk",)
    with context.reading() as session:
        assert set(count_at_work(session, NOON).values()) == {0}, "another process may do better"
    context.disk_failed_at -= readiness.DISK_FAILS_FOR
    context.health.check_all()
    assert context.health.find_failing() == ()


def test_a_letter_that_is_due_and_has_not_left_for_an_hour(context, game):
    assert failing(context, NOON + timedelta(minutes=59)) == ()
    assert failing(context, LATER) == ("letters",)
    send_due_letters(context, Collector(), LATER)
    context.health.check_all()
    assert context.health.find_failing() == ()


def test_letters_that_are_not_due_or_may_not_leave_are_not_late(context, game):
    send_due_letters(context, Collector(), NOON)
    letter = {"message_id": "<x@example.org>", "game": game, "seq": 1, "seat": 0, "kind": "news"}
    letter |= {"recipient": "anna@example.org", "queued_at": NOON, "due_at": LATER}
    with context.changing() as session:
        session.add(OutgoingLetter(**letter))
    assert failing(context, LATER - timedelta(minutes=1)) == ()
    context.type_in("suspend", game)
    assert failing(context, LATER + timedelta(days=1)) == ()
    context.type_in("suspend", "--lift", game)
    assert failing(context, LATER + timedelta(days=1)) == ("letters",)


def test_a_letter_that_the_relay_puts_off_again_and_again_is_late(context, game):
    busy, now = FailingRelay(error=DeliveryFailed("451 come back later", final=False)), NOON
    while now < LATER:
        send_due_letters(context, busy, now)
        now += timedelta(minutes=1)
    assert failing(context, LATER) == ("letters",)
    away, waiting, put_off = describe_backlog(context, LATER)
    assert away == "the relay takes no letters since 2026-03-02 12:00 UTC"
    assert waiting == "2 letters wait, the oldest due one for 2 hours"
    assert put_off == "letters that wait after an error: 1, 2; 451 come back later"


def test_letters_of_a_game_that_is_halted_are_not_late_though_the_relay_was_away_before(context, game):
    away = FailingRelay(error=RelayAway("nobody answers"))
    send_due_letters(context, away, NOON)
    context.type_in("suspend", game)
    assert backlog(context).oldest_letter == timedelta()
    assert failing(context, LATER) == ()
    other = context.start_game("Cleo", "Dirk")
    send_due_letters(context, away, NOON)
    assert failing(context, LATER) == ("letters",)
    context.type_in("suspend", other)
    context.type_in("suspend", "--lift", game)
    assert backlog(context).oldest_letter == timedelta(hours=2)


def test_a_mail_that_nobody_reads(context, game):
    send_due_letters(context, Collector(), NOON)
    context.write_mail(game, "Anna", "board")
    assert failing(context, LATER) == ("mails",)
    assert list(describe_backlog(context, LATER)) == ["1 mails are unread, the oldest for 2 hours"]


@pytest.mark.parametrize("value", ["'1'", "'some day'", "''"])
@pytest.mark.parametrize(
    ("table", "column"), [("outgoing", "due_at"), ("outgoing", "queued_at"), ("incoming", "at")]
)
def test_a_moment_that_cannot_be_read_hides_no_other(context, game, table, column, value):
    context.write_mail(game, "Anna", "board")
    poison(context, table, column, value, game)
    other = context.start_game("Cleo", "Dirk")
    context.write_mail(other, "Cleo", "board", number=2)
    found = backlog(context)
    assert (found.mails, found.letters, found.running_games) == (2, 4, 2)
    assert found.oldest_letter == found.oldest_mail == timedelta(hours=2)


@pytest.fixture
def loops(context):
    return Loops.of(context, [Collector()], Clock())


def test_a_chore_that_fails_is_told_of_once_and_seen_until_it_is_done(context, loops, monkeypatch, caplog):
    errors = [KeyError("no such row"), KeyError("no such row"), ValueError("no moment"), None]
    done = []

    def fails(*_):
        error = errors.pop(0)
        if error is not None:
            raise error

    monkeypatch.setattr(clock, "CHORES", (clock.Chore(fails), clock.Chore(lambda *_: done.append(1))))
    readiness.add_loop_checks(context, loops)
    found = []
    while errors:
        clock.keep_time(context, NOON, failures=loops.failures)
        context.health.check_all()
        found.append((context.health.find_failing(), caplog.text.count("the chore fails failed")))
    assert found == [(("chores",), 1), (("chores",), 1), (("chores",), 2), ((), 2)]
    assert len(done) == 4


def test_a_relay_that_is_away(context, loops, caplog):
    readiness.add_loop_checks(context, loops)
    loops.recipient_locks.relay.note_away("The relay cannot be reached.")
    assert context.health.find_failing() == ("relay",)
    assert b"alexandros_relay_away_seconds 0.0\n" not in readiness.render_metrics(context, NOON)
    loops.recipient_locks.relay.note_answered()
    context.health.check_all()
    assert context.health.find_failing() == ()


def test_a_loop_that_hangs_is_stuck_and_one_that_fails_too():
    begun, released, failed = Event(), Event(), Event()

    def hang(_):
        begun.set()
        assert released.wait(PATIENCE)
        return 0

    def fail(_):
        failed.set()
        raise RuntimeError("it cannot be done")

    for work, noticed in ((hang, begun), (fail, failed)):
        loop = Loop("mail", work, Clock(), 0.01, takes=0.0)
        assert not loop.is_stuck or loop.seconds_since_round > 0.01
        with scheduled(loop):
            assert noticed.wait(PATIENCE)
            stuck = Event()
            while not stuck.wait(0.01):
                if loop.is_stuck:
                    stuck.set()
            released.set()


@dataclass
class Process:
    """A thinking process, well or not."""

    is_well: bool = True


def test_a_thinking_process_that_ends_again_and_again(context):
    one, other = Process(), Process()
    readiness.add_thinking_check(context, [one, other])
    assert context.health.find_failing() == ()
    other.is_well = False
    context.health.check_all()
    assert context.health.find_failing() == ("thinking",)


def test_the_doctor_says_the_same(context, game):
    send_due_letters(context, Collector(), NOON)
    assert context.type_in("doctor").stdout == "All is well.\n"
    context.start_game("Cleo", "Dirk")
    context.write_mail(game, "Anna", "board")
    context.note_moment(MomentName.RELAY_AWAY)
    number = context.rows_of(OutgoingLetter.id)[-1]
    set_aside(context, OutgoingLetter, number, UNREADABLE)
    set_aside(context, IncomingMail, 1, UNREADABLE)
    assert list(describe_backlog(context, LATER)) == [
        "the relay takes no letters since 2026-03-02 12:00 UTC",
        "1 letters wait, the oldest due one for 2 hours",
        "mails given up after errors: 1",
        f"letters given up after errors: {number}",
    ]
    assert context.type_in("doctor").exit_code == 1
