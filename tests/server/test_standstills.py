"""Time that is nobody's: a server that stood still, a wall clock that is set, mails that still wait."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from server import clock as keeper
from server.clock import LEAST_STANDSTILL, SETTLED_AFTER, ClockWatch
from server.delivery.relay import DeliveryFailed
from server.delivery.sending import GIVEN_UP_AFTER
from server.inbox import dispatch
from server.outbox.outages import end_absence
from server.store.models import IncomingMail, OutgoingLetter, Seating
from server.store.schedule import games_due
from server.store.states import LetterState, MomentName
from server.time_control.turn_time import CATCH_UP
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Collector, Desk, FailingRelay
from tests.server.storage import storage

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
DEADLINE = NOON + 48 * HOUR
BUSY = FailingRelay(error=DeliveryFailed("450 later", final=False))


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


class House:
    """A server as its loops have it: it looks at its clocks before it keeps time."""

    def __init__(self, context: Desk, now: datetime = NOON) -> None:
        self.context, self.clocks = context, TwoClocks(now)
        self.watch = ClockWatch(context, self.clocks)

    def round(self, after: timedelta = SECOND) -> int:
        """Look again after a while, for which another server was at work."""
        self.clocks.pass_time(after)
        if after >= LEAST_STANDSTILL:
            self.context.note_moment(MomentName.HEARTBEAT, self.clocks.now)
        return self.look()

    def look(self) -> int:
        steady = self.watch.look(self.clocks.now)
        return keeper.keep_time(self.context, self.clocks.now, self.watch.is_settled) if steady else 0


@pytest.fixture
def game(context):
    """A game in which Anna has 48 hours from noon on; all letters have left."""
    return begin_game(context, Collector(), "Anna", "Ben")


@pytest.fixture
def house(context):
    return House(context)


def stands(context: Desk, game: str) -> tuple[int, datetime | None]:
    """The turn of a game, and its deadline."""
    row = context.game_row(game)
    return row.turn, row.deadline


def write_order(context: Desk, game: str, now: datetime, head: str = "") -> None:
    context.write_mail(game, context.mover(game), context.turn_words(game)[0], now, head=head)


@pytest.mark.parametrize("down", [4 * SECOND, 10 * MINUTE, 10 * 24 * HOUR])
def test_nobody_loses_the_time_for_which_the_server_was_down(context, game, down):
    last = DEADLINE - 2 * SECOND
    context.note_moment(MomentName.HEARTBEAT, last)
    house = House(context, last + down)
    house.look()
    assert stands(context, game) == (1, last + down + CATCH_UP)
    house.round(CATCH_UP - SECOND)
    assert context.game_row(game).turn == 1
    house.round()
    assert context.game_row(game).turn == 2


def test_of_two_servers_that_start_one_gives_the_time_back(context, game):
    context.note_moment(MomentName.HEARTBEAT, NOON + HOUR)
    for _ in range(2):
        House(context, NOON + 5 * HOUR).look()
    assert stands(context, game) == (1, DEADLINE + 4 * HOUR)


def test_a_first_start_gives_nothing(context, game):
    House(context, DEADLINE).look()
    assert context.game_row(game).turn == 2


NONE = timedelta(0)
STANDSTILLS = {
    "frozen": (60 * HOUR, NONE),
    "frozen, the clock put ahead meanwhile": (60 * HOUR, HOUR),
    **{f"put back by {back}": (NONE, -back) for back in (MINUTE, 10 * MINUTE, HOUR, 240 * HOUR)},
    **{f"put ahead by {ahead}": (NONE, ahead) for ahead in (MINUTE, 11 * MINUTE, 240 * HOUR)},
}
"""For how long a server was frozen, and by how much its wall clock was set."""


@pytest.mark.parametrize(("frozen", "jump"), STANDSTILLS.values(), ids=STANDSTILLS)
def test_a_server_that_was_frozen_or_whose_clock_was_set_takes_and_gives_no_time(
    context, game, house, caplog, frozen, jump
):
    house.round()
    house.clocks.pass_time(frozen)
    house.clocks.set_wall(jump)
    house.look()
    for _ in range(3):
        house.round()
    assert ("clock-jump" if jump else "event=downtime") in caplog.text
    assert stands(context, game) == (1, DEADLINE + frozen + jump)
    house.round(48 * HOUR - MINUTE)
    assert context.game_row(game).turn == 1
    house.round(MINUTE)
    assert context.game_row(game).turn == 2


def test_a_server_whose_database_took_nothing_takes_no_turn(context, game, house):
    house.round()
    with context.changing() as session:
        storage().refuse_rows(session, "moment")
    for _ in range(50):
        house.clocks.pass_time(HOUR)
        with pytest.raises(IntegrityError):
            house.look()
    with context.changing() as session:
        storage().take_rows(session, "moment")
    house.look()
    assert stands(context, game) == (1, DEADLINE + 50 * HOUR)


@pytest.mark.parametrize(
    "after", [HOUR, LEAST_STANDSTILL - SECOND], ids=["another server works", "a slow round"]
)
def test_where_a_server_was_at_work_one_that_looks_late_gives_nothing(context, game, house, after):
    house.round()
    house.round(after)
    assert stands(context, game) == (1, DEADLINE)


def test_ten_days_ahead_for_one_tick_and_back_is_as_before(context, game, house):
    context.set_preferences(game, "Ben", pace="daily")
    house.round()
    with context.changing() as session:
        session.execute(update(OutgoingLetter).values(sent_at=NOON + 240 * HOUR))  # as if in that tick
    before = moments(context, game)
    for ahead in (240 * HOUR, -240 * HOUR):
        house.clocks.set_wall(ahead)
        house.round()
    assert moments(context, game) == before
    assert all((sent or NOON) <= house.clocks.now for sent in context.rows_of(OutgoingLetter.sent_at))


def moments(context: Desk, game: str) -> object:
    row = context.game_row(game)
    return row.turn_began_at, row.deadline, row.due_at, context.rows_of(Seating.daily_at)


def test_of_two_servers_that_see_a_jump_one_moves_the_times(context, game):
    first, second = House(context), House(context)
    for one in (first, second):
        one.round()
    for jump, order, deadline in (
        (HOUR, (first, second), DEADLINE + HOUR),
        (-HOUR, (second, first), DEADLINE),
    ):
        for one in order:
            one.clocks.set_wall(jump)
            one.round()
        assert stands(context, game) == (1, deadline)


def test_the_control_without_a_watch_a_jump_takes_the_turn(context, game):
    keeper.keep_time(context, NOON + 240 * HOUR)
    assert context.game_row(game).turn == 2


# --- letters and mails that wait ------------------------------------------------------------------------


def leave_waiting(context: Desk) -> None:
    with context.changing() as session:
        session.get_one(OutgoingLetter, 1).state = LetterState.WAITING


def end_outage(context: Desk, now: datetime) -> None:
    with context.changing() as session:
        end_absence(context, session, MomentName.RELAY_AWAY, now)


def test_while_the_relay_is_away_what_is_due_is_looked_at_once_a_minute(context, game):
    context.note_moment(MomentName.RELAY_AWAY, DEADLINE - HOUR)
    with_house = context.start_game("house", "Dirk", now=DEADLINE)
    leave_waiting(context)
    later = DEADLINE + 60 * HOUR
    keeper.keep_time(context, later)
    with context.reading() as session:
        assert games_due(session, later) == games_due(session, later, of_house=True) == [with_house]
    keeper.play_bot_turns(context, later)
    assert context.game_row(with_house).turn == 2
    assert context.game_row(game).due_at == later + MINUTE
    end_outage(context, later + SECOND)
    keeper.keep_time(context, later + HOUR)
    assert context.game_row(game).turn == 1
    keeper.keep_time(context, later + HOUR + SECOND)
    assert context.game_row(game).turn == 2, "its time goes on where it stood"


def test_a_relay_for_which_nothing_waits_holds_no_clock(context, game):
    context.note_moment(MomentName.RELAY_AWAY, DEADLINE - HOUR)
    keeper.keep_time(context, DEADLINE)
    assert stands(context, game) == (1, DEADLINE + HOUR)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 2


def test_while_letters_wait_for_the_relay_nobody_is_timed_out(context, game):
    context.note_moment(MomentName.RELAY_AWAY, DEADLINE - HOUR)
    leave_waiting(context)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 1
    end_outage(context, DEADLINE + 2 * HOUR)
    keeper.keep_time(context, DEADLINE + 2 * HOUR)
    assert stands(context, game) == (1, DEADLINE + 3 * HOUR)


def put_off_twice(context: Desk) -> None:
    """Let the letters of a new game be put off at noon and an hour later."""
    context.start_game("Anna", "Ben")
    for hours in (0, 1):
        context.work_until_idle(BUSY, NOON + hours * HOUR)


def states_of_letters(context: Desk) -> set[tuple[str, int]]:
    return {(row.state, row.tries) for row in context.rows_of(OutgoingLetter)}


def test_a_letter_that_is_put_off_is_not_given_up_since_the_clock_was_set_ahead(context, house):
    put_off_twice(context)
    house.round(HOUR)
    house.clocks.set_wall(240 * HOUR)
    house.round()
    context.work_until_idle(BUSY, house.clocks.now + HOUR)
    assert states_of_letters(context) == {(LetterState.WAITING, 3)}


def test_a_letter_that_is_put_off_is_not_given_up_since_the_server_was_down(context, house):
    put_off_twice(context)
    context.note_moment(MomentName.HEARTBEAT, NOON + HOUR)
    house.clocks.pass_time(145 * HOUR)
    house.look()
    context.work_until_idle(BUSY, house.clocks.now)
    assert states_of_letters(context) == {(LetterState.WAITING, 3)}
    context.work_until_idle(BUSY, house.clocks.now + GIVEN_UP_AFTER)
    assert LetterState.FAILED in set(context.rows_of(OutgoingLetter.state))


def take_two_mails(context: Desk, game: str) -> None:
    """The last row of a table stays, so that its number is not given again."""
    for head in ("", "Subject: again\r\n"):
        write_order(context, game, NOON, head)
    context.work_until_idle(Collector(), NOON)


def test_a_clock_that_stays_ahead_is_believed(context, game, house):
    take_two_mails(context, game)
    house.round()
    house.clocks.set_wall(40 * 24 * HOUR)
    house.round()
    house.round(timedelta(seconds=SETTLED_AFTER))
    assert len(context.rows_of(IncomingMail)) == 1


def test_a_clock_that_is_ahead_for_a_while_deletes_nothing(context, game, house):
    take_two_mails(context, game)
    house.round()
    for ahead in (40 * 24 * HOUR, -40 * 24 * HOUR):
        house.clocks.set_wall(ahead)
        for _ in range(3):
            house.round()
        assert len(context.rows_of(IncomingMail)) == 2


def test_no_turn_ends_while_a_mail_waits_that_came_before_its_deadline(context, game):
    write_order(context, game, DEADLINE - SECOND)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 1
    dispatch.process_waiting_mail(context, DEADLINE + HOUR)
    assert context.game_row(game).seq == 3
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 2, "its time is over all the same"


def test_a_mail_that_lay_at_the_mail_server_has_come_when_it_came_there(context, game):
    line = "from mail.example.com (unknown [203.0.113.5]) by mx.example.org with ESMTP; "
    head = f"Received: {line}Wed, 4 Mar 2026 11:59:00 +0000\r\n"
    write_order(context, game, DEADLINE + HOUR, head)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 1
