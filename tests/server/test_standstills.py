"""Time that is nobody's: a server that stood still, a wall clock that is set, mails that still wait."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from emails.tokens import Ticket
from server import clock as keeper
from server.clock import LEAST_STANDSTILL, SETTLED_AFTER, ClockWatch
from server.delivery.relay import DeliveryFailed
from server.delivery.sending import GIVEN_UP_AFTER
from server.inbox import dispatch, intake
from server.outbox.outages import end_absence
from server.store.context import Context
from server.store.event_log import require_started
from server.store.models import IncomingMail, OutgoingLetter, Seating
from server.store.schedule import games_due, write_moment
from server.store.states import LetterState, MomentName
from server.time_control.turn_time import CATCH_UP
from tests.server.beginnings import begin_once
from tests.server.desk import (
    NOON,
    Collector,
    changing,
    game_row,
    mover,
    rows_of,
    set_preferences,
    start_game,
    work_until_idle,
)
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
    with changing(context) as session:
        write_moment(session, MomentName.HEARTBEAT, at)


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


def test_of_two_servers_that_start_one_gives_the_time_back(context, game):
    beat(context, NOON + HOUR)
    for _ in range(2):
        House(context, TwoClocks(NOON + 5 * HOUR)).round(timedelta(0))
    assert deadline(context, game) == DEADLINE + 4 * HOUR


def test_a_first_start_gives_nothing(context, game):
    House(context, TwoClocks(DEADLINE)).round(timedelta(0))
    assert game_row(context, game).turn == 2


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
    with changing(context) as session:
        storage().refuse_rows(session, "moment")
    for _ in range(50):
        house.clocks.pass_time(HOUR)
        with pytest.raises(IntegrityError):
            house.look()
    with changing(context) as session:
        storage().take_rows(session, "moment")
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


def test_ten_days_ahead_for_one_tick_and_back_is_as_before(context, game, house):
    set_preferences(context, game, "Ben", pace="daily")
    house.round()
    with changing(context) as session:
        for row in session.exec(select(OutgoingLetter)):
            row.sent_at = NOON + 240 * HOUR  # as if it had left in that tick
    before = moments(context, game)
    house.clocks.set_wall(240 * HOUR)
    house.round()
    house.clocks.set_wall(-240 * HOUR)
    house.round()
    assert moments(context, game) == before
    assert all((sent or NOON) <= house.clocks.now for sent in rows_of(context, OutgoingLetter.sent_at))


def moments(context: Context, game: str) -> object:
    row = game_row(context, game)
    seats = rows_of(context, Seating.daily_at)
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


def away(context: Context, since: datetime) -> None:
    with changing(context) as session:
        write_moment(session, MomentName.RELAY_AWAY, since)


def test_while_the_relay_is_away_what_is_due_is_looked_at_once_a_minute(context, game):
    away(context, DEADLINE - HOUR)
    with_house = start_game(context, "house", "Dirk", now=DEADLINE)
    with changing(context) as session:
        session.exec(select(OutgoingLetter)).first().state = LetterState.WAITING
    later = DEADLINE + 60 * HOUR
    keeper.keep_time(context, later)
    with context.reading() as session:
        assert games_due(session, later) == games_due(session, later, of_house=True) == [with_house]
    keeper.play_bot_turns(context, later)
    assert game_row(context, with_house).turn == 2
    assert game_row(context, game).due_at == later + timedelta(minutes=1)
    with changing(context) as session:
        end_absence(context, session, MomentName.RELAY_AWAY, later + SECOND)
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


def mails_kept(context: Context) -> int:
    return len(rows_of(context, IncomingMail))


def take_two_mails(context: Context, game: str) -> None:
    """The last row of a table stays, so that its number is not given again."""
    for head in ("", "Subject: again\r\n"):
        write_order(context, game, NOON, head)
    work_until_idle(context, Collector(), NOON)


def test_a_letter_that_is_put_off_is_not_given_up_since_the_clock_was_set_ahead(context, house):
    start_game(context, "Anna", "Ben")
    work_until_idle(context, BusyRelay(), NOON)
    work_until_idle(context, BusyRelay(), NOON + HOUR)
    house.round(HOUR)
    house.clocks.set_wall(240 * HOUR)
    house.round()
    work_until_idle(context, BusyRelay(), house.clocks.now + HOUR)
    states = [(row.state, row.tries) for row in rows_of(context, OutgoingLetter)]
    assert set(states) == {(LetterState.WAITING, 3)}


def test_a_letter_that_is_put_off_is_not_given_up_since_the_server_was_down(context, house):
    start_game(context, "Anna", "Ben")
    for after in (0, 1):
        work_until_idle(context, BusyRelay(), NOON + after * HOUR)
    beat(context, NOON + HOUR)
    house.clocks.pass_time(145 * HOUR)
    house.look()
    work_until_idle(context, BusyRelay(), house.clocks.now)
    rows = rows_of(context, OutgoingLetter)
    assert {(row.state, row.tries) for row in rows} == {(LetterState.WAITING, 3)}
    work_until_idle(context, BusyRelay(), house.clocks.now + GIVEN_UP_AFTER)
    assert LetterState.FAILED in set(rows_of(context, OutgoingLetter.state))


def test_one_that_stays_so_is_believed(context, game, house):
    take_two_mails(context, game)
    house.round()
    house.clocks.set_wall(40 * 24 * HOUR)
    house.round()
    house.round(timedelta(seconds=SETTLED_AFTER))
    assert mails_kept(context) == 1


def test_the_control_without_a_watch_a_jump_takes_the_turn(context, game):
    keeper.keep_time(context, NOON + 240 * HOUR)
    assert game_row(context, game).turn == 2


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
