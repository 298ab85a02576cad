"""Time that is nobody's: a server that stood still, a wall clock that is set, mails that still wait."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from emails.tokens import Ticket
from server import clock as keeper
from server.clock import LEAST_STANDSTILL, SETTLED_AFTER, ClockWatch
from server.delivery.sending import GIVEN_UP_AFTER
from server.delivery.transports import DeliveryFailed
from server.inbox import dispatch, intake
from server.outbox.outages import end_absence
from server.store.context import Context
from server.store.event_log import require_started
from server.store.models import IncomingMail, OutgoingLetter, Seating
from server.store.schedule import games_due, read_moment, write_moment
from server.store.states import LetterState, MomentName
from server.time_control.turn_time import CATCH_UP
from tests.server.beginnings import begin_once
from tests.server.desk import NOON, Collector, game_row, mover, set_preferences, start_game, work_until_idle
from tests.server.inbox.returned import envelope_of, report
from tests.server.storage import storage

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
DEADLINE = NOON + 48 * HOUR


class TwoClocks:
    """A wall clock that can be set, and one that cannot."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now, self.seconds = now, 1000.0

    def __call__(self) -> float:
        return self.seconds

    def pass_time(self, span: timedelta) -> None:
        self.now += span
        self.seconds += span.total_seconds()

    def set_wall(self, by: timedelta) -> None:
        self.now += by


class BusyRelay(Collector):
    """A relay that takes nothing for now."""

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        raise DeliveryFailed("450 later", final=False)


class House:
    """A server as its loops have it: it looks at its clocks before it keeps time."""

    def __init__(self, context: Context, clocks: TwoClocks) -> None:
        self.context, self.clocks = context, clocks
        self.watch = ClockWatch(context, clocks)

    def round(self, after: timedelta = SECOND) -> int:
        """Look again after a while, for which another server was at work."""
        self.clocks.pass_time(after)
        if after >= LEAST_STANDSTILL:
            beat(self.context, self.clocks.now)
        return self.look()

    def look(self) -> int:
        """Look at the clocks, and keep time."""
        steady = self.watch.look(self.clocks.now)
        return keeper.keep_time(self.context, self.clocks.now, self.watch.is_settled) if steady else 0


@pytest.fixture
def game(context):
    """A game in which Anna has 48 hours from noon on; all letters have left."""

    def with_first_letters() -> str:
        game = start_game(context, "Anna", "Ben", hours=48)
        work_until_idle(context, Collector(), NOON)
        return game

    return begin_once(context, Collector(), with_first_letters)


@pytest.fixture
def house(context):
    return House(context, TwoClocks())


def beat(context: Context, at: datetime) -> None:
    """A server was last at work then."""
    with context.writing() as session:
        write_moment(session, MomentName.HEARTBEAT, at)
        session.commit()


def deadline(context: Context, game: str) -> datetime | None:
    return game_row(context, game).deadline


def write_order(context: Context, game: str, now: datetime, head: str = "") -> None:
    """A mail of whoever is to move comes in, and is not read yet."""
    row, name = game_row(context, game), mover(context, game).lower()
    with context.reading() as session:
        card = require_started(context.history_of(session, row)).position.table.display.kinds()[0]
    address = context.links.reply_address(Ticket(game, row.seat or 0, row.after))
    mail = f"{head}From: {name}@example.org\r\nMessage-ID: <1@example.org>\r\n\r\nchoose {card}\r\n"
    intake.store_mail(context, f"{name}@example.org", address, mail.encode(), now)


# --- down -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("down", [4 * SECOND, 10 * timedelta(minutes=1), 10 * 24 * HOUR])
def test_nobody_loses_the_time_for_which_the_server_was_down(context, game, down):
    last = DEADLINE - 2 * SECOND
    beat(context, last)
    house = House(context, TwoClocks(last + down))
    house.round(timedelta(0))
    assert game_row(context, game).turn == 1
    until = last + down + CATCH_UP
    assert deadline(context, game) == until
    house.round(CATCH_UP - SECOND)
    assert game_row(context, game).turn == 1
    house.round()
    assert game_row(context, game).turn == 2


def test_a_turn_far_from_its_end_gets_what_was_lost_and_no_more(context, game):
    beat(context, NOON + HOUR)
    House(context, TwoClocks(NOON + 5 * HOUR)).round(timedelta(0))
    assert deadline(context, game) == DEADLINE + 4 * HOUR


def test_of_two_servers_that_start_one_gives_the_time_back(context, game):
    beat(context, NOON + HOUR)
    for _ in range(2):
        House(context, TwoClocks(NOON + 5 * HOUR)).round(timedelta(0))
    assert deadline(context, game) == DEADLINE + 4 * HOUR


def test_a_first_start_gives_nothing(context, game):
    House(context, TwoClocks(DEADLINE)).round(timedelta(0))
    assert game_row(context, game).turn == 2


def test_a_heart_beats_every_ten_seconds(context, house):
    seen = set()
    for _ in range(100):
        house.round()
        with context.reading() as session:
            seen.add(read_moment(session, MomentName.HEARTBEAT))
    assert len(seen) == 10


def test_a_relay_that_was_away_before_the_stop_is_not_counted_twice(context, game):
    with context.writing() as session:
        write_moment(session, MomentName.RELAY_AWAY, NOON + HOUR)
        write_moment(session, MomentName.HEARTBEAT, NOON + 2 * HOUR)
        session.commit()
    house = House(context, TwoClocks(NOON + 5 * HOUR))
    house.round(timedelta(0))  # no letter waits, so it is not away any more
    assert deadline(context, game) == DEADLINE + 4 * HOUR


# --- frozen ---------------------------------------------------------------------------------------------


def test_a_server_that_was_frozen_takes_no_turn(context, game, house, caplog):
    house.round()
    house.clocks.pass_time(60 * HOUR)
    house.look()
    assert "event=downtime" in caplog.text
    assert game_row(context, game).turn == 1
    assert deadline(context, game) == DEADLINE + 60 * HOUR
    house.round(48 * HOUR)
    assert game_row(context, game).turn == 2


def test_nor_does_one_whose_database_took_nothing(context, game, house):
    house.round()
    with context.writing() as session:
        storage().refuse_rows(session, "moment")
        session.commit()
    for _ in range(50):
        house.clocks.pass_time(HOUR)
        with pytest.raises(IntegrityError):
            house.look()
    with context.writing() as session:
        storage().take_rows(session, "moment")
        session.commit()
    house.look()
    assert game_row(context, game).turn == 1
    assert deadline(context, game) == DEADLINE + 50 * HOUR


def test_while_another_server_works_one_that_was_frozen_gives_nothing(context, game, house):
    house.round()
    house.round(HOUR)
    assert deadline(context, game) == DEADLINE


def test_a_server_that_was_frozen_while_the_clock_was_set_takes_no_turn(context, game, house):
    house.round()
    house.clocks.pass_time(60 * HOUR)
    house.clocks.set_wall(HOUR)
    house.look()
    house.round()
    assert game_row(context, game).turn == 1
    assert deadline(context, game) == DEADLINE + 61 * HOUR


# --- the wall clock -------------------------------------------------------------------------------------


@pytest.mark.parametrize("back", [60 * SECOND, 600 * SECOND, HOUR, 240 * HOUR])
def test_a_clock_that_is_put_back_takes_and_gives_no_time(context, game, house, caplog, back):
    house.round()
    house.clocks.set_wall(-back)
    house.round()
    assert "clock-jump" in caplog.text
    assert deadline(context, game) == DEADLINE - back
    house.round(47 * HOUR + timedelta(minutes=59))
    assert game_row(context, game).turn == 1
    house.round(timedelta(minutes=1))
    assert game_row(context, game).turn == 2


@pytest.mark.parametrize("ahead", [60 * SECOND, 660 * SECOND, 240 * HOUR])
def test_a_clock_that_is_put_ahead_times_nobody_out(context, game, house, caplog, ahead):
    house.round()
    house.clocks.set_wall(ahead)
    for _ in range(3):
        house.round()
    assert "clock-jump" in caplog.text
    assert game_row(context, game).turn == 1
    assert deadline(context, game) == DEADLINE + ahead
    house.round(48 * HOUR)
    assert game_row(context, game).turn == 2


def test_the_control_without_a_watch_a_jump_takes_the_turn(context, game):
    keeper.keep_time(context, NOON + 240 * HOUR)
    assert game_row(context, game).turn == 2


def test_ten_days_ahead_for_one_tick_and_back_is_as_before(context, game, house):
    set_preferences(context, game, "Ben", pace="daily")
    house.round()
    with context.writing() as session:
        for row in session.exec(select(OutgoingLetter)):
            row.sent_at = NOON + 240 * HOUR  # as if it had left in that tick
        session.commit()
    before = moments(context, game)
    house.clocks.set_wall(240 * HOUR)
    house.round()
    house.clocks.set_wall(-240 * HOUR)
    house.round()
    assert moments(context, game) == before
    with context.reading() as session:
        assert all(
            (sent or NOON) <= house.clocks.now for sent in session.exec(select(OutgoingLetter.sent_at))
        )


def moments(context: Context, game: str) -> object:
    row = game_row(context, game)
    with context.reading() as session:
        seats = session.exec(select(Seating.daily_at).order_by(Seating.seat)).all()
    return row.turn_began_at, row.deadline, row.due_at, seats


def test_of_two_servers_that_see_a_jump_one_moves_the_times(context, game):
    first, second = House(context, TwoClocks()), House(context, TwoClocks())
    for one in (first, second):
        one.round()
    for one in (first, second):
        one.clocks.set_wall(HOUR)
        one.round()
    assert deadline(context, game) == DEADLINE + HOUR
    for one in (second, first):
        one.clocks.set_wall(-HOUR)
        one.round()
    assert deadline(context, game) == DEADLINE


def test_a_slow_round_is_no_jump(context, game, house):
    house.round()
    house.round(LEAST_STANDSTILL - SECOND)
    assert deadline(context, game) == DEADLINE


# --- the relay ------------------------------------------------------------------------------------------


def away(context: Context, since: datetime) -> None:
    with context.writing() as session:
        write_moment(session, MomentName.RELAY_AWAY, since)
        session.commit()


def test_while_letters_wait_for_the_relay_nobody_is_timed_out(context, game):
    away(context, DEADLINE - HOUR)
    with context.writing() as session:
        session.exec(select(OutgoingLetter)).first().state = LetterState.WAITING
        session.commit()
    keeper.keep_time(context, DEADLINE + HOUR)
    assert game_row(context, game).turn == 1
    with context.writing() as session:
        end_absence(context, session, MomentName.RELAY_AWAY, DEADLINE + 2 * HOUR)
        session.commit()
    keeper.keep_time(context, DEADLINE + 2 * HOUR)
    assert deadline(context, game) == DEADLINE + 3 * HOUR


def test_while_the_relay_is_away_what_is_due_is_looked_at_once_a_minute(context, game):
    away(context, DEADLINE - HOUR)
    with_house = start_game(context, "house", "Dirk", now=DEADLINE)
    with context.writing() as session:
        session.exec(select(OutgoingLetter)).first().state = LetterState.WAITING
        session.commit()
    later = DEADLINE + 60 * HOUR
    keeper.keep_time(context, later)
    with context.reading() as session:
        assert games_due(session, later) == games_due(session, later, of_house=True) == [with_house]
    keeper.play_bot_turns(context, later)
    assert game_row(context, with_house).turn == 2
    assert game_row(context, game).due_at == later + timedelta(minutes=1)
    with context.writing() as session:
        end_absence(context, session, MomentName.RELAY_AWAY, later + SECOND)
        session.commit()
    keeper.keep_time(context, later + HOUR)
    assert game_row(context, game).turn == 1
    keeper.keep_time(context, later + HOUR + SECOND)
    assert game_row(context, game).turn == 2, "its time goes on where it stood"


def test_a_relay_for_which_nothing_waits_holds_no_clock(context, game):
    away(context, DEADLINE - HOUR)
    keeper.keep_time(context, DEADLINE)
    assert deadline(context, game) == DEADLINE + HOUR
    keeper.keep_time(context, DEADLINE + HOUR)
    assert game_row(context, game).turn == 2


# --- mails that wait ------------------------------------------------------------------------------------


def test_no_turn_ends_while_a_mail_waits_that_came_before_its_deadline(context, game):
    write_order(context, game, DEADLINE - SECOND)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert game_row(context, game).turn == 1
    dispatch.process_waiting_mail(context, DEADLINE + HOUR)
    assert game_row(context, game).seq == 3
    keeper.keep_time(context, DEADLINE + HOUR)
    assert game_row(context, game).turn == 2, "its time is over all the same"


def test_a_mail_that_lay_at_the_mail_server_has_come_when_it_came_there(context, game):
    line = "from mail.example.com (unknown [203.0.113.5]) by mx.example.org with ESMTP; "
    head = f"Received: {line}Wed, 4 Mar 2026 11:59:00 +0000\r\n"
    write_order(context, game, DEADLINE + HOUR, head)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert game_row(context, game).turn == 1


def test_a_mail_that_came_after_the_deadline_holds_nothing(context, game):
    write_order(context, game, DEADLINE + SECOND)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert game_row(context, game).turn == 2


def test_sixty_mails_that_must_wait_hide_no_order(context):
    game, mails = start_game(context, "Anna", "Ben"), Collector()
    work_until_idle(context, mails, NOON)
    with context.writing() as session:
        for row in session.exec(select(OutgoingLetter)):
            row.state = LetterState.WAITING  # still being handed over, as its sender has noted it
        session.commit()
    letter = mails.to("Ben")[-1]
    for number in range(60):
        said = f"X-Number: {number}\n{report(mails, letter)}".replace("\n", "\r\n")
        intake.store_mail(context, "", envelope_of(mails, letter), said.encode(), NOON)
    write_order(context, game, NOON)
    pieces = 0
    while dispatch.process_waiting_mail(context, NOON, most=1):
        pieces += 1
    assert pieces == 61
    assert game_row(context, game).seq == 3


def mails_kept(context: Context) -> int:
    with context.reading() as session:
        return len(session.exec(select(IncomingMail)).all())


def take_two_mails(context: Context, game: str) -> None:
    """The last row of a table stays, so that its number is not given again."""
    for head in ("", "Subject: again\r\n"):
        write_order(context, game, NOON, head)
    work_until_idle(context, Collector(), NOON)


def test_a_clock_that_is_ahead_for_a_while_deletes_nothing(context, game, house):
    take_two_mails(context, game)
    house.round()
    house.clocks.set_wall(40 * 24 * HOUR)
    for _ in range(3):
        house.round()
    assert mails_kept(context) == 2
    house.clocks.set_wall(-40 * 24 * HOUR)
    for _ in range(3):
        house.round()
    assert mails_kept(context) == 2


def test_a_letter_that_is_put_off_is_not_given_up_since_the_clock_was_set_ahead(context, house):
    start_game(context, "Anna", "Ben")
    work_until_idle(context, BusyRelay(), NOON)
    work_until_idle(context, BusyRelay(), NOON + HOUR)
    house.round(HOUR)
    house.clocks.set_wall(240 * HOUR)
    house.round()
    work_until_idle(context, BusyRelay(), house.clocks.now + HOUR)
    with context.reading() as session:
        states = [(row.state, row.tries) for row in session.exec(select(OutgoingLetter))]
    assert set(states) == {(LetterState.WAITING, 3)}


def test_a_letter_that_is_put_off_is_not_given_up_since_the_server_was_down(context, house):
    start_game(context, "Anna", "Ben")
    for after in (0, 1):
        work_until_idle(context, BusyRelay(), NOON + after * HOUR)
    beat(context, NOON + HOUR)
    house.clocks.pass_time(145 * HOUR)
    house.look()
    work_until_idle(context, BusyRelay(), house.clocks.now)
    with context.reading() as session:
        rows = session.exec(select(OutgoingLetter)).all()
    assert {(row.state, row.tries) for row in rows} == {(LetterState.WAITING, 3)}
    work_until_idle(context, BusyRelay(), house.clocks.now + GIVEN_UP_AFTER)
    with context.reading() as session:
        assert LetterState.FAILED in set(session.exec(select(OutgoingLetter.state)))


def test_one_that_stays_so_is_believed(context, game, house):
    take_two_mails(context, game)
    house.round()
    house.clocks.set_wall(40 * 24 * HOUR)
    house.round()
    house.round(timedelta(seconds=SETTLED_AFTER))
    assert mails_kept(context) == 1
