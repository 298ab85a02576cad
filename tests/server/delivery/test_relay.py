"""A relay that goes away and comes back: what waits for it leaves at once, and its absence is noted."""

from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic

import pytest
from sqlalchemy import update
from sqlmodel import select

from server.clock import keep_deadlines
from server.delivery.relay import (
    DeliveryFailed,
    RecipientLocks,
    RelayAway,
    RelayChange,
    RelayRecord,
    note_relay_change,
)
from server.delivery.sending import GIVEN_UP_AFTER, send_due_letters
from server.store.models import Game, OutgoingLetter
from server.store.schedule import read_moment
from server.store.states import Hindrance, MomentName
from tests.server.desk import Collector, changing, game_row, rows_of, start_game

LOST = DeliveryFailed("It broke off.", final=False, lost=True)
AWAY = RelayAway("Nobody answers.")
BUSY = DeliveryFailed("450 later.", final=False)


@dataclass
class Relay(Collector):
    """Does to each letter what it was told to, and takes the others."""

    does: list[Exception] = field(default_factory=list)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        if self.does:
            raise self.does.pop(0)
        super().send(sender, recipient, raw)


def away_since(context):
    with context.reading() as session:
        return read_moment(session, MomentName.RELAY_AWAY)


def rows(context):
    return rows_of(context, OutgoingLetter)


@pytest.fixture
def relay_events(caplog):
    def told():
        found = [dict(one.facts) for one in caplog.records if one.name == "alexandros.events"]
        return [one["state"] for one in found if one["event"] == "relay"]

    return told


def test_letters_whose_conversation_broke_off_leave_as_soon_as_one_is_taken(context, clock, relay_events):
    start_game(context, "Anna", "Ben", hours=48)
    start_game(context, "Cleo", "Dirk", hours=48)
    relay, lanes = Relay(does=[LOST] * 20), RecipientLocks()
    for _ in range(5):
        send_due_letters(context, relay, clock(), locks=lanes)
        clock.now += timedelta(minutes=1)
    assert away_since(context) is not None
    assert not relay.mails
    relay.does.clear()
    due = min(row.due_at for row in rows(context))
    clock.now = max(clock.now, due)
    while send_due_letters(context, relay, clock(), locks=lanes):
        pass
    assert len(relay.mails) == 4
    assert away_since(context) is None
    assert relay_events() == ["away", "back"]


@pytest.mark.parametrize(
    ("reply", "stands_still"),
    [
        ("450 4.2.1 mailbox busy", False),
        ("452 4.2.2 mailbox full", False),
        ("451 4.3.0 queue error", True),
        ("450 later", True),
    ],
)
def test_a_mailbox_that_is_full_stops_no_clock(context, clock, reply, stands_still):
    start_game(context, "Anna", "Ben", hours=48)
    refusal = DeliveryFailed(f"relay.example.org:25 refused the address: {reply}.", final=False)
    relay = Relay(does=[refusal] * 9)
    send_due_letters(context, relay, clock())
    assert not relay.mails
    assert (away_since(context) is not None) is stands_still


def test_a_letter_whose_conversation_broke_off_once_leaves_as_soon_as_another_has(
    context, clock, relay_events
):
    start_game(context, "Anna", "Ben", hours=48)
    relay, lanes = Relay(does=[LOST]), RecipientLocks()
    lanes.relay.note_taken(0)
    send_due_letters(context, relay, clock(), most=1, locks=lanes)
    assert rows(context)[0].due_at == clock() + timedelta(seconds=5)
    send_due_letters(context, relay, clock(), locks=lanes)
    assert [row.state for row in rows(context)] == ["waiting", "sent"]
    send_due_letters(context, relay, clock(), locks=lanes)
    assert [row.state for row in rows(context)] == ["sent", "sent"]
    assert relay_events() == [], "a relay that breaks off once is not away"


def test_a_letter_that_one_reader_cannot_get_now_waits_for_its_own_time(context, clock):
    start_game(context, "Anna", "Ben", hours=48)
    relay, lanes = Relay(does=[BUSY]), RecipientLocks()
    send_due_letters(context, relay, clock(), locks=lanes)
    relay.does = [AWAY]
    start_game(context, "Cleo", "Dirk", hours=48)
    send_due_letters(context, relay, clock(), locks=lanes)
    send_due_letters(context, relay, clock(), locks=lanes)
    assert [row.state for row in rows(context)] == ["waiting", "sent", "sent", "sent"]


@pytest.mark.parametrize(
    ("changes", "hurried"),
    [
        pytest.param({}, True, id="put off for the relay"),
        pytest.param({"hindrance": Hindrance.NONE}, False, id="put off for another reason"),
    ],
)
def test_only_what_was_put_off_for_the_relay_is_hurried_when_it_is_back(context, clock, changes, hurried):
    start_game(context, "Anna", "Ben", hours=48)
    send_due_letters(context, Relay(does=[LOST]), clock(), most=1)
    [letter] = [row for row in rows(context) if row.tries]
    assert (letter.hindrance, letter.why) == (Hindrance.RELAY, "not accepted: It broke off.")
    later = clock() + timedelta(minutes=20)
    with changing(context) as session:
        same = update(OutgoingLetter).where(OutgoingLetter.id == letter.id)
        session.execute(same.values(due_at=later, **changes))
    note_relay_change(context, RelayChange(away=False), clock())
    [found] = [row.due_at for row in rows(context) if row.id == letter.id]
    assert found == (clock() if hurried else later)


def test_an_absence_is_written_down_once_and_ends_once(context, clock, relay_events):
    start_game(context, "Anna", "Ben", hours=48)
    relay, lanes, began = Relay(does=[AWAY] * 3), RecipientLocks(), clock()
    for _ in range(3):
        send_due_letters(context, relay, clock(), locks=lanes)
        assert away_since(context) == began
        clock.forward(1)
    before = game_row(context, lanes and rows(context)[0].game).deadline
    send_due_letters(context, relay, clock(), locks=lanes)
    assert away_since(context) is None
    assert relay_events() == ["away", "back"]
    after = game_row(context, rows(context)[0].game).deadline
    assert before is None or after > before, "no time ran meanwhile"


def test_a_relay_that_says_nothing_is_away_until_it_does(context, clock):
    record = RelayRecord()
    began = monotonic()
    record.note_taken(1)
    assert record.note_silent(began, "Silence.") is None, "something was heard since"
    change = record.note_silent(monotonic(), "Silence.")
    assert change is not None
    note_relay_change(context, change, clock())
    assert away_since(context) == clock()
    assert not record.note_silent(monotonic(), "Silence.").is_new
    note_relay_change(context, record.note_taken(2), clock())
    assert away_since(context) is None


def test_letters_to_a_reader_who_is_being_written_to_hide_no_others(context, clock):
    start_game(context, "Anna", "Ben", hours=48)
    with changing(context) as session:
        for row in session.exec(select(OutgoingLetter)).all():
            session.delete(row)
            if row.recipient == "anna@example.org":
                like = row.model_dump(exclude={"id"})
        session.flush()
        for number in range(120):
            session.add(OutgoingLetter(**like | {"message_id": f"<{number}@play.example.org>"}))
        session.flush()
        session.add(OutgoingLetter(**like | {"recipient": "ben@example.org"}))
    lanes, relay = RecipientLocks(), Relay()
    assert lanes.take("anna@example.org")
    assert send_due_letters(context, relay, clock(), most=1, locks=lanes) == 1


@dataclass
class CutsOne(Collector):
    """A relay that breaks off at each letter to Anna."""

    error: DeliveryFailed = LOST
    cut: int = 0

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        if recipient == "anna@example.org":
            self.cut += 1
            raise self.error
        super().send(sender, recipient, raw)


@pytest.mark.parametrize("error", [LOST, DeliveryFailed("It broke off.", final=False, doubtful=True)])
def test_a_letter_at_which_the_relay_breaks_off_is_given_up_and_is_no_absence(context, clock, error):
    start_game(context, "Anna", "Ben", hours=48)
    relay, lanes = CutsOne(error=error), RecipientLocks()
    until = clock() + GIVEN_UP_AFTER - timedelta(hours=1)
    while clock() < until:
        send_due_letters(context, relay, clock(), locks=lanes)
        clock.forward(5)
    assert lanes.seconds_away == 0
    assert away_since(context) is None
    assert sorted(row.state for row in rows(context)) == ["sent", "waiting"]
    send_due_letters(context, relay, clock.forward(5), locks=lanes)
    assert sorted(row.state for row in rows(context)) == ["failed", "sent"]


def test_letters_of_one_game_at_which_the_relay_breaks_off_are_no_absence(context, clock):
    """What they all show may be at fault; of two games it is not."""
    start_game(context, "Anna", "Ben", hours=48)
    relay, lanes = Relay(does=[LOST] * 9), RecipientLocks()
    for _ in range(2):
        send_due_letters(context, relay, clock(), locks=lanes)
        clock.forward(1)
    assert (lanes.seconds_away, away_since(context)) == (0, None)
    start_game(context, "Anna", "Cleo", hours=48)
    send_due_letters(context, relay, clock(), locks=lanes)
    assert away_since(context) == clock()


def test_days_without_relay_do_not_count_for_a_letter(context, clock):
    start_game(context, "Anna", "Ben", hours=480)
    relay, lanes = Relay(does=[AWAY] * 2), RecipientLocks()
    send_due_letters(context, relay, clock(), locks=lanes)
    send_due_letters(context, relay, clock.forward(6 * 24), locks=lanes)
    cuts = CutsOne()
    for _ in range(9):
        send_due_letters(context, cuts, clock(), locks=lanes)
        clock.forward(0.5)
    assert cuts.cut >= 8
    assert sorted(row.state for row in rows(context)) == ["sent", "waiting"]


def test_letters_that_may_not_leave_wait_for_no_relay(context, clock):
    game = start_game(context, "Anna", "Ben", hours=48)
    send_due_letters(context, Relay(does=[AWAY]), clock())
    keep_deadlines(context, clock())
    assert away_since(context) is not None
    with changing(context) as session:
        session.get_one(Game, game).suspended_at = clock()
    keep_deadlines(context, clock())
    assert away_since(context) is None


class Probed(Relay):
    """A relay that is asked whether it is there."""

    probes = 0
    is_there = True

    def probe(self) -> None:
        self.probes += 1
        if not self.is_there:
            raise AWAY


def test_a_relay_for_which_no_letter_is_due_is_probed(context, clock):
    seconds = [100.0]
    lanes = RecipientLocks(RelayRecord(steady=lambda: seconds[0]))
    relay = Probed()
    note_relay_change(context, lanes.relay.note_away("Nobody answers."), clock())
    send_due_letters(context, relay, clock(), locks=lanes)
    assert relay.probes == 0
    seconds[0] += 60
    relay.is_there = False
    send_due_letters(context, relay, clock(), locks=lanes)
    send_due_letters(context, relay, clock(), locks=lanes)
    assert (relay.probes, lanes.seconds_away) == (1, 60)
    seconds[0] += 60
    relay.is_there = True
    send_due_letters(context, relay, clock(), locks=lanes)
    assert (relay.probes, lanes.seconds_away) == (2, 0)
    assert away_since(context) is None
