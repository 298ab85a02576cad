"""What the relay refuses for good: told to the game and to the operator, and whose fault it is."""

import logging
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from sqlmodel import select

from emails.letters.kinds import LetterKind
from server.admin.backlog import describe_backlog
from server.delivery.relay import DeliveryFailed, RecipientLocks
from server.delivery.sending import GIVEN_UP_AFTER, MOST_REFUSALS, send_due_letters
from server.outbox.chat import unread_chat
from server.store.models import BouncingAddress, Game, OperatorMail, OutgoingLetter
from server.store.schedule import read_moment
from server.store.states import LetterState, MomentName, OperatorMatter
from tests.server.desk import Collector, desk, game_row, names_of, rows_of, start_game

OPERATOR = "operator@example.org"
SPAM = "127.0.0.1:25 refused the letter: 554 5.7.1 this is spam."


@dataclass
class Choosy(Collector):
    """A relay that refuses the letters of some readers."""

    refused: set[str] = field(default_factory=set)
    error: DeliveryFailed = field(default_factory=lambda: DeliveryFailed(SPAM, final=True))
    asked: list[str] = field(default_factory=list)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.asked.append(recipient)
        if recipient in self.refused or "*" in self.refused:
            raise self.error
        super().send(sender, recipient, raw)


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path, ALEXANDROS_OPERATOR=OPERATOR)


def address(name: str) -> str:
    return f"{name.lower()}@example.org"


def marked(context) -> set[str]:
    return set(rows_of(context, BouncingAddress.address))


def told_operator(context) -> list[str]:
    return rows_of(context, OperatorMail.matter)


def states(context) -> set[str]:
    return {row.state for row in rows_of(context, OutgoingLetter)}


def try_for(context, relay, clock, lanes, hours: float) -> None:
    until = clock() + timedelta(hours=hours)
    while clock() < until:
        send_due_letters(context, relay, clock(), locks=lanes)
        waiting = rows_of(context, OutgoingLetter.due_at, OutgoingLetter.state == LetterState.WAITING)
        clock.now = max(clock.now + timedelta(minutes=1), min(waiting, default=until))


def test_our_own_address_refused_marks_nobody_and_is_told_at_once(context, clock):
    start_game(context, "Anna", "Ben", hours=240)
    relay, lanes = (
        Choosy(refused={"*"}, error=DeliveryFailed("550 not you.", final=False, ours=True)),
        RecipientLocks(),
    )
    clock.now += GIVEN_UP_AFTER
    try_for(context, relay, clock, lanes, hours=0.2)
    assert (states(context), marked(context)) == ({"waiting"}, set())
    assert told_operator(context) == [OperatorMatter.RELAY_AWAY]
    relay.refused.clear()
    send_due_letters(context, relay, clock(), locks=lanes)
    assert len(relay.mails) == 2


def test_whoever_gets_nothing_for_five_days_counts_as_one_whom_letters_do_not_reach(context, clock):
    game = start_game(context, "Anna", "Ben", hours=480)
    mover = names_of(context, game)[0]
    relay = Choosy(refused={address(mover)}, error=DeliveryFailed("452 mailbox full.", final=False))
    lanes = RecipientLocks()
    for _ in range(12):
        send_due_letters(context, relay, clock(), locks=lanes)
        assert marked(context) == set()
        clock.now += GIVEN_UP_AFTER / 12
    send_due_letters(context, relay, clock(), locks=lanes)
    assert marked(context) == {address(mover)}
    with context.reading() as session:
        assert session.get_one(Game, game).seat is not None


def test_unknown_addresses_are_no_fault_of_the_relay(context, clock):
    start_game(context, "Anna", "Ben", "Cleo", "Dirk")
    relay = Choosy(refused={"*"}, error=DeliveryFailed("550 5.1.1 unknown.", final=True, nobody=True))
    lanes = RecipientLocks()
    send_due_letters(context, relay, clock(), locks=lanes)
    assert lanes.seconds_away == 0
    assert len(marked(context)) == 4
    assert told_operator(context) == []


def test_the_doctor_tells_what_was_refused_for_good(context, clock):
    game = start_game(context, "Anna", "Ben", hours=240)
    relay, lanes = Choosy(refused={address("Anna")}), RecipientLocks()
    try_for(context, relay, clock, lanes, hours=1)
    (told,) = [one for one in describe_backlog(context, clock()) if "refused for good" in one]
    assert told == f"1 letter was refused for good within a week, the last of game {game}: {SPAM}"
    assert not [one for one in describe_backlog(context, clock() + timedelta(days=8)) if "for good" in one]


@pytest.mark.breadth
def test_after_such_a_time_a_refusal_counts_anew(context, clock):
    start_game(context, "Anna", "Ben", "Cleo", hours=240)
    relay, lanes = Choosy(refused={"*"}), RecipientLocks()
    try_for(context, relay, clock, lanes, hours=3)
    relay.refused = {address("Anna")}
    clock.now += timedelta(minutes=30)
    while send_due_letters(context, relay, clock(), locks=lanes):
        pass
    assert len(relay.mails) == 2
    assert marked(context) == set(), "once since then"
    try_for(context, relay, clock, lanes, hours=3)
    assert marked(context) == {address("Anna")}


def test_a_reader_whose_letters_alone_are_refused_counts_as_one_whom_they_do_not_reach(
    context, clock, caplog
):
    game = start_game(context, "Anna", "Ben", hours=48)
    mover, other = names_of(context, game)
    relay, lanes = Choosy(refused={address(mover)}), RecipientLocks()
    send_due_letters(context, relay, clock(), locks=lanes)
    assert marked(context) == set(), "it is not known yet whose fault it is"
    assert told_operator(context) == [OperatorMatter.LETTERS_REFUSED], "the operator hears of it at once"
    try_for(context, relay, clock, lanes, hours=1)
    assert marked(context) == {address(mover)}
    assert relay.asked.count(address(mover)) == MOST_REFUSALS
    assert game_row(context, game).deadline is None, "no time runs"
    with context.reading() as session:
        letter = session.exec(
            select(OutgoingLetter).where(OutgoingLetter.kind == LetterKind.YOUR_TURN)
        ).first()
        assert (letter.state, SPAM in letter.why) == ("failed", True)
        seat = names_of(context, game).index(other)
        told, _ = unread_chat(session, game, seat)
    assert [f"Mail to {mover} comes back" in one.words for one in told] == [True]
    lines = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    assert any("failed permanently" in line and "554 5.7.1" in line for line in lines)


@pytest.mark.breadth
def test_where_the_letters_of_three_readers_are_refused_all_wait_and_nobody_is_marked(context, clock):
    game = start_game(context, "Anna", "Ben", "Cleo", "Dirk", hours=240)
    relay, lanes = Choosy(refused={"*"}), RecipientLocks()
    try_for(context, relay, clock, lanes, hours=5)
    assert marked(context) == set()
    assert states(context) == {"waiting"}
    assert lanes.seconds_away > 0
    assert set(told_operator(context)) == {OperatorMatter.LETTERS_REFUSED, OperatorMatter.RELAY_AWAY}
    with context.reading() as session:
        assert read_moment(session, MomentName.RELAY_AWAY) is not None
    relay.refused.clear()
    clock.now += timedelta(minutes=30)
    while send_due_letters(context, relay, clock(), locks=lanes):
        pass
    assert states(context) == {"sent"}
    assert len(relay.mails) == 4
    assert lanes.seconds_away == 0
    assert marked(context) == set()
    assert game_row(context, game).status == "running"
