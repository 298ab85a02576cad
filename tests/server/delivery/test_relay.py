"""A relay that goes away, refuses or loses letters: what waits, what is sent again, and whose fault it is."""

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Thread
from time import monotonic

import pytest
from sqlalchemy import update
from sqlmodel import select

from server.accounts.addresses import redirect_waiting_letters
from server.admin.reports import describe_backlog
from server.clock import keep_deadlines, tick
from server.delivery import relay
from server.delivery.claims import CLAIM_LASTS
from server.delivery.relay import (
    DeliveryFailed,
    RecipientLocks,
    RelayAway,
    RelayChange,
    RelayRecord,
    note_relay_change,
)
from server.delivery.sending import GIVEN_UP_AFTER, LONGEST_RETRY_PAUSE, MOST_REFUSALS, send_due_letters
from server.outbox.budgets import read_block, store_block
from server.outbox.chat import post, unread_chat
from server.personal_data import forget_address
from server.store.models import BouncingAddress, Game, OperatorMail, OutgoingLetter, Player, PreparedLetter
from server.store.schedule import read_moment
from server.store.states import BlockOrigin, Hindrance, LetterState, MomentName, OperatorMatter
from tests.server.desk import Clock, Collector, desk

LOST = DeliveryFailed("It broke off.", final=False, lost=True)
LOST_AFTER_DOT = DeliveryFailed("It broke off.", final=False, doubtful=True)
AWAY = RelayAway("Nobody answers.")
BUSY = DeliveryFailed("450 later.", final=False)
SPAM = DeliveryFailed("127.0.0.1:25 refused the letter: 554 5.7.1 this is spam.", final=True)
ANNA, BEN = "anna@example.org", "ben@example.org"


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Relay(Collector):
    """Refuses letters to some recipients, does to others what it was told to, and takes the rest."""

    does: list[BaseException] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    error: DeliveryFailed = SPAM
    got: list[tuple[str, bytes]] = field(default_factory=list)
    """Each letter that was handed over, whatever became of it."""
    is_there: bool = True
    probes: int = 0

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.got.append((recipient, raw))
        if recipient in self.refused or "*" in self.refused:
            raise self.error
        if self.does:
            raise self.does.pop(0)
        super().send(sender, recipient, raw)

    def probe(self) -> None:
        self.probes += 1
        if not self.is_there:
            raise AWAY

    def handed_over(self, recipient: str) -> list[bytes]:
        return [raw for one, raw in self.got if one == recipient]


class Office:
    """A server whose letters wait, its clock, and what it knows of its relay."""

    def __init__(self, context, clock):
        self.context, self.clock, self.locks = context, clock, RecipientLocks()

    def send(self, relay, hours=0, **more):
        now = self.clock.forward(hours)
        return send_due_letters(self.context, relay, now, locks=self.locks, **more)

    def send_all(self, relay, hours=0):
        self.clock.forward(hours)
        while self.send(relay):
            pass

    def send_for(self, relay, hours):
        until = self.clock() + timedelta(hours=hours)
        while self.clock() < until:
            self.send(relay)
            waiting = self.context.rows_of(OutgoingLetter.due_at, OutgoingLetter.state == LetterState.WAITING)
            self.clock.now = max(self.clock.now + timedelta(minutes=1), min(waiting, default=until))

    def away_since(self):
        with self.context.reading() as session:
            return read_moment(session, MomentName.RELAY_AWAY)

    def letters(self, recipient=None):
        chosen = [OutgoingLetter.recipient == recipient] if recipient else []
        return self.context.rows_of(OutgoingLetter, *chosen)

    def states(self):
        return sorted(row.state for row in self.letters())

    def marked(self):
        return set(self.context.rows_of(BouncingAddress.address))

    def told_operator(self):
        return self.context.rows_of(OperatorMail.matter)

    def prepared(self):
        return len(self.context.rows_of(PreparedLetter))


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path, ALEXANDROS_OPERATOR="operator@example.org")


@pytest.fixture
def game(context):
    return context.start_game("Anna", "Ben", hours=48)


@pytest.fixture
def office(context, clock: Clock):
    return Office(context, clock)


@pytest.fixture
def relay_events(caplog):
    def told():
        found = [dict(one.facts) for one in caplog.records if one.name == "alexandros.events"]
        return [one["state"] for one in found if one["event"] == "relay"]

    return told


# --- a relay that goes away -------------------------------------------------------------------------------


def test_letters_whose_conversation_broke_off_leave_as_soon_as_one_is_taken(
    context, game, office, clock, relay_events
):
    context.start_game("Cleo", "Dirk", hours=48)
    relay = Relay(does=[LOST] * 20)
    for _ in range(5):
        office.send(relay)
        clock.now += timedelta(minutes=1)
    assert office.away_since() is not None
    assert not relay.mails
    relay.does.clear()
    clock.now = max(clock.now, min(row.due_at for row in office.letters()))
    office.send_all(relay)
    assert len(relay.mails) == 4
    assert office.away_since() is None
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
def test_a_mailbox_that_is_full_stops_no_clock(game, office, reply, stands_still):
    refusal = DeliveryFailed(f"relay.example.org:25 refused the address: {reply}.", final=False)
    relay = Relay(does=[refusal] * 9)
    office.send(relay)
    assert not relay.mails
    assert (office.away_since() is not None) is stands_still


def test_a_letter_whose_conversation_broke_off_once_leaves_as_soon_as_another_has(
    game, office, clock, relay_events
):
    relay = Relay(does=[LOST])
    office.locks.relay.note_taken(0)
    office.send(relay, most=1)
    assert office.letters()[0].due_at == clock() + timedelta(seconds=5)
    office.send(relay)
    assert [row.state for row in office.letters()] == ["waiting", "sent"]
    office.send(relay)
    assert office.states() == ["sent", "sent"]
    assert relay_events() == [], "a relay that breaks off once is not away"


def test_a_letter_that_one_reader_cannot_get_now_waits_for_its_own_time(context, game, office):
    relay = Relay(does=[BUSY])
    office.send(relay)
    relay.does = [AWAY]
    context.start_game("Cleo", "Dirk", hours=48)
    office.send(relay)
    office.send(relay)
    assert [row.state for row in office.letters()] == ["waiting", "sent", "sent", "sent"]


@pytest.mark.parametrize(
    ("changes", "hurried"),
    [
        pytest.param({}, True, id="put off for the relay"),
        pytest.param({"hindrance": Hindrance.NONE}, False, id="put off for another reason"),
    ],
)
def test_only_what_was_put_off_for_the_relay_is_hurried_when_it_is_back(
    context, game, office, clock, changes, hurried
):
    send_due_letters(context, Relay(does=[LOST]), clock(), most=1)
    [letter] = [row for row in office.letters() if row.tries]
    assert (letter.hindrance, letter.why) == (Hindrance.RELAY, "not accepted: It broke off.")
    later, same = clock() + timedelta(minutes=20), OutgoingLetter.id == letter.id
    with context.changing() as session:
        session.execute(update(OutgoingLetter).where(same).values(due_at=later, **changes))
    note_relay_change(context, RelayChange(away=False), clock())
    assert context.rows_of(OutgoingLetter.due_at, same) == [clock() if hurried else later]


def test_an_absence_is_written_down_once_and_ends_once(context, game, office, clock, relay_events):
    relay, began = Relay(does=[AWAY] * 3), clock()
    for _ in range(3):
        office.send(relay)
        assert office.away_since() == began
        clock.forward(1)
    before = context.game_row(game).deadline
    office.send(relay)
    assert office.away_since() is None
    assert relay_events() == ["away", "back"]
    assert before is None or context.game_row(game).deadline > before, "no time ran meanwhile"


def test_a_relay_that_says_nothing_is_away_until_it_does(context, office, clock):
    record = RelayRecord()
    began = monotonic()
    record.note_taken(1)
    assert record.note_silent(began, "Silence.") is None, "something was heard since"
    change = record.note_silent(monotonic(), "Silence.")
    assert change is not None
    note_relay_change(context, change, clock())
    assert office.away_since() == clock()
    assert not record.note_silent(monotonic(), "Silence.").is_new
    note_relay_change(context, record.note_taken(2), clock())
    assert office.away_since() is None


def test_letters_to_a_reader_who_is_being_written_to_hide_no_others(context, game, office):
    with context.changing() as session:
        for row in session.exec(select(OutgoingLetter)).all():
            session.delete(row)
            if row.recipient == ANNA:
                like = row.model_dump(exclude={"id"})
        session.flush()
        for number in range(120):
            session.add(OutgoingLetter(**like | {"message_id": f"<{number}@play.example.org>"}))
        session.flush()
        session.add(OutgoingLetter(**like | {"recipient": BEN}))
    assert office.locks.take(ANNA)
    assert office.send(Relay(), most=1) == 1


@pytest.mark.parametrize("error", [LOST, LOST_AFTER_DOT])
def test_a_letter_at_which_the_relay_breaks_off_is_given_up_and_is_no_absence(game, office, clock, error):
    relay = Relay(refused={ANNA}, error=error)
    until = clock() + GIVEN_UP_AFTER - timedelta(hours=1)
    while clock() < until:
        office.send(relay)
        clock.forward(5)
    assert office.locks.relay.seconds_away == 0
    assert office.away_since() is None
    assert office.states() == ["sent", "waiting"]
    office.send(relay, 5)
    assert office.states() == ["failed", "sent"]


def test_letters_of_one_game_at_which_the_relay_breaks_off_are_no_absence(context, game, office, clock):
    """What they all show may be at fault; of two games it is not."""
    relay = Relay(does=[LOST] * 9)
    office.send(relay)
    office.send(relay, 1)
    assert (office.locks.relay.seconds_away, office.away_since()) == (0, None)
    context.start_game("Anna", "Cleo", hours=48)
    office.send(relay, 1)
    assert office.away_since() == clock()


def test_days_without_relay_do_not_count_for_a_letter(context, office, clock):
    context.start_game("Anna", "Ben", hours=480)
    relay = Relay(does=[AWAY] * 2)
    office.send(relay)
    office.send(relay, 6 * 24)
    cuts = Relay(refused={ANNA}, error=LOST)
    for _ in range(9):
        office.send(cuts)
        clock.forward(0.5)
    assert len(cuts.handed_over(ANNA)) >= 8
    assert office.states() == ["sent", "waiting"]


def test_letters_that_may_not_leave_wait_for_no_relay(context, game, office, clock):
    send_due_letters(context, Relay(does=[AWAY]), clock())
    keep_deadlines(context, clock())
    assert office.away_since() is not None
    with context.changing() as session:
        session.get_one(Game, game).suspended_at = clock()
    keep_deadlines(context, clock())
    assert office.away_since() is None


def test_a_relay_for_which_no_letter_is_due_is_probed(context, office, clock):
    seconds = [100.0]
    office.locks = RecipientLocks(RelayRecord(steady=lambda: seconds[0]))
    relay = Relay()
    note_relay_change(context, office.locks.relay.note_away("Nobody answers."), clock())
    office.send(relay)
    assert relay.probes == 0
    seconds[0] += 60
    relay.is_there = False
    office.send(relay)
    office.send(relay)
    assert (relay.probes, office.locks.relay.seconds_away) == (1, 60)
    seconds[0] += 60
    relay.is_there = True
    office.send(relay)
    assert (relay.probes, office.locks.relay.seconds_away) == (2, 0)
    assert office.away_since() is None


# --- what it refuses for good -----------------------------------------------------------------------------


def test_our_own_address_refused_marks_nobody_and_is_told_at_once(context, office, clock):
    context.start_game("Anna", "Ben", hours=240)
    relay = Relay(refused={"*"}, error=DeliveryFailed("550 not you.", final=False, ours=True))
    clock.now += GIVEN_UP_AFTER
    office.send_for(relay, hours=0.2)
    assert (office.states(), office.marked()) == (["waiting"] * 2, set())
    assert office.told_operator() == [OperatorMatter.RELAY_AWAY]
    relay.refused.clear()
    office.send(relay)
    assert len(relay.mails) == 2


def address_of_mover(context, game):
    return f"{context.names_of(game)[0].lower()}@example.org"


def test_whoever_gets_nothing_for_five_days_counts_as_one_whom_letters_do_not_reach(context, office, clock):
    game = context.start_game("Anna", "Ben", hours=480)
    mover = address_of_mover(context, game)
    relay = Relay(refused={mover}, error=DeliveryFailed("452 mailbox full.", final=False))
    for _ in range(12):
        office.send(relay)
        assert office.marked() == set()
        clock.now += GIVEN_UP_AFTER / 12
    office.send(relay)
    assert office.marked() == {mover}
    assert context.game_row(game).seat is not None


def test_unknown_addresses_are_no_fault_of_the_relay(context, office):
    context.start_game("Anna", "Ben", "Cleo", "Dirk")
    office.send(Relay(refused={"*"}, error=DeliveryFailed("550 5.1.1 unknown.", final=True, nobody=True)))
    assert office.locks.relay.seconds_away == 0
    assert len(office.marked()) == 4
    assert office.told_operator() == []


def test_the_doctor_tells_what_was_refused_for_good(context, office, clock):
    game = context.start_game("Anna", "Ben", hours=240)
    office.send_for(Relay(refused={ANNA}), hours=1)
    (told,) = [one for one in describe_backlog(context, clock()) if "refused for good" in one]
    assert told == f"1 letter was refused for good within a week, the last of game {game}: {SPAM}"
    assert not [one for one in describe_backlog(context, clock() + timedelta(days=8)) if "for good" in one]


@pytest.mark.breadth
def test_after_such_a_time_a_refusal_counts_anew(context, office):
    context.start_game("Anna", "Ben", "Cleo", hours=240)
    relay = Relay(refused={"*"})
    office.send_for(relay, hours=3)
    relay.refused = {ANNA}
    office.send_all(relay, 0.5)
    assert len(relay.mails) == 2
    assert office.marked() == set(), "once since then"
    office.send_for(relay, hours=3)
    assert office.marked() == {ANNA}


def test_a_reader_whose_letters_alone_are_refused_counts_as_one_whom_they_do_not_reach(
    context, game, office, caplog
):
    mover = address_of_mover(context, game)
    relay = Relay(refused={mover})
    office.send(relay)
    assert office.marked() == set(), "it is not known yet whose fault it is"
    assert office.told_operator() == [OperatorMatter.LETTERS_REFUSED], "the operator hears of it at once"
    office.send_for(relay, hours=1)
    assert office.marked() == {mover}
    assert len(relay.handed_over(mover)) == MOST_REFUSALS
    assert context.game_row(game).deadline is None, "no time runs"
    letter = context.rows_of(OutgoingLetter, OutgoingLetter.kind == "your_turn")[0]
    assert (letter.state, str(SPAM) in letter.why) == ("failed", True)
    with context.reading() as session:
        told, _ = unread_chat(session, game, 1)
    name = context.names_of(game)[0]
    assert [f"Mail to {name} comes back" in one.words for one in told] == [True]
    lines = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert any("failed permanently" in line and "554 5.7.1" in line for line in lines)


@pytest.mark.breadth
def test_where_the_letters_of_three_readers_are_refused_all_wait_and_nobody_is_marked(context, office):
    game = context.start_game("Anna", "Ben", "Cleo", "Dirk", hours=240)
    relay = Relay(refused={"*"})
    office.send_for(relay, hours=5)
    assert (office.marked(), office.states()) == (set(), ["waiting"] * 4)
    assert office.locks.relay.seconds_away > 0
    assert set(office.told_operator()) == {OperatorMatter.LETTERS_REFUSED, OperatorMatter.RELAY_AWAY}
    assert office.away_since() is not None
    relay.refused.clear()
    office.send_all(relay, 0.5)
    assert office.states() == ["sent"] * 4
    assert len(relay.mails) == 4
    assert office.locks.relay.seconds_away == 0
    assert office.marked() == set()
    assert context.game_row(game).status == "running"


# --- what is sent again is the same letter ----------------------------------------------------------------


@pytest.fixture
def killed(context, game, clock):
    """A relay that has a letter whose sender was killed then, a while ago."""
    relay = Relay(does=[Killed()])
    with pytest.raises(Killed):
        send_due_letters(context, relay, clock())
    clock.now += CLAIM_LASTS
    return relay


def test_after_a_kill_the_same_bytes_are_sent_though_the_game_went_on(context, game, office, killed, clock):
    reader = killed.got[0][0]
    seat = context.names_of(game).index(reader.partition("@")[0].title())
    with context.changing() as session:
        post(context, session, session.get_one(Game, game), 1 - seat, None, "well played", clock())
    while send_due_letters(context, killed, clock.forward(1)):
        pass
    first, again = killed.handed_over(reader)
    assert again == first
    with context.reading() as session:
        unheard, _ = unread_chat(session, game, seat)
    assert [one.words for one in unheard] == ["well played"], "the next letter tells what has come since"
    assert office.prepared() == 0


def test_a_letter_that_the_relay_may_have_is_not_dropped_when_its_turn_is_over(context, game, office, clock):
    send_due_letters(context, Collector(), clock())
    row = context.game_row(game)
    tick(context, clock.forward(30))  # the reminder
    relay = Relay(does=[Killed()])
    with pytest.raises(Killed):
        send_due_letters(context, relay, clock())
    clock.now += CLAIM_LASTS
    reader = relay.got[0][0]
    (reminder,) = [one for one in office.letters(reader) if one.kind == "reminder"]
    card = context.position_of(game).table.display.kinds()[0]
    context.play(game, row.seat, row.after, [f"choose {card}"], "link", clock())
    send_due_letters(context, relay, clock())
    first, again = relay.handed_over(reader)[:2]
    assert again == first
    assert context.rows_of(OutgoingLetter.state, OutgoingLetter.id == reminder.id) == ["sent"]


def test_a_connection_lost_after_the_last_dot_keeps_the_letter_as_it_is(context, game, office, clock):
    relay = Relay(does=[LOST_AFTER_DOT, LOST_AFTER_DOT, LOST, LOST, AWAY])
    for _ in range(4):
        send_due_letters(context, relay, clock())
        clock.now += LONGEST_RETRY_PAUSE
    for reader in (ANNA, BEN):
        assert len(relay.handed_over(reader)) >= 3
        assert len(set(relay.handed_over(reader))) == 1
    assert office.prepared() == 0


@pytest.mark.parametrize("answer", [LOST, BUSY, AWAY])
def test_a_letter_that_nobody_can_have_is_written_anew(context, game, office, clock, answer):
    relay = Relay(does=[answer, answer])
    send_due_letters(context, relay, clock())
    assert office.prepared() == 0
    clock.now += LONGEST_RETRY_PAUSE
    while send_due_letters(context, relay, clock()):
        pass
    first, again = relay.handed_over(relay.got[0][0])
    assert b"12:00:00" in first
    assert b"12:30:00" in again


def test_what_the_relay_refuses_is_written_anew_though_it_was_in_doubt_before(context, game, clock):
    relay = Relay(does=[LOST_AFTER_DOT, LOST_AFTER_DOT, BUSY, BUSY])
    for _ in range(3):
        send_due_letters(context, relay, clock())
        clock.now += LONGEST_RETRY_PAUSE
    first, again, anew = relay.handed_over(ANNA)
    assert first == again != anew


def test_another_address_gets_a_letter_of_its_own(context, office, killed, clock):
    with context.changing() as session:
        player = session.exec(select(Player).where(Player.address == killed.got[0][0])).one()
        player.address = "new@example.org"
        session.flush()
        redirect_waiting_letters(session, player)
    while send_due_letters(context, killed, clock()):
        pass
    (sent,) = killed.handed_over("new@example.org")
    assert b"To: new@example.org" in sent
    assert office.prepared() == 0


def test_nothing_is_sent_to_whom_the_operator_has_banned_meanwhile(context, office, killed, clock):
    reader = killed.got[0][0]
    with context.changing() as session:
        store_block(session, read_block(reader, BlockOrigin.OPERATOR, clock()))
    send_due_letters(context, killed, clock())
    assert len(killed.handed_over(reader)) == 1
    assert office.prepared() == 0


def test_whoever_is_forgotten_stands_in_no_letter_that_was_begun(context, office, killed, clock):
    reader = killed.got[0][0]
    forget_address(context, BEN if reader == ANNA else ANNA, clock())
    assert office.prepared() == 0
    send_due_letters(context, killed, clock())
    assert killed.handed_over(reader)[1] != killed.handed_over(reader)[0]


def test_a_claim_is_renewed_at_its_interval_however_long_a_renewal_takes(monkeypatch):
    waited, now = [], [100.0]

    class Ending:
        def wait(self, seconds):
            waited.append(seconds)
            now[0] += seconds
            return len(waited) == 4

        def set(self):
            pass

    def renew():
        now[0] += 3

    threads = []
    monkeypatch.setattr(relay, "Event", Ending)
    monkeypatch.setattr(relay, "monotonic", lambda: now[0])
    monkeypatch.setattr(relay, "Thread", lambda **given: threads.append(Thread(**given)) or threads[-1])
    with relay.repeat_every(timedelta(seconds=20), renew):
        threads[0].join()
    assert waited == [20, 17, 17, 17]
