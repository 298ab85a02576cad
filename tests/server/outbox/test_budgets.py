"""The ledger of letters that nobody has asked for: whose turn it is, and when there is room."""

from collections import Counter
from datetime import timedelta

import pytest
from sqlmodel import select

from emails.letters.lobby_letters import GameRequest, Guest
from server.admin.interventions import lift_suspension, suspend_game
from server.delivery import claims
from server.delivery.sending import send_due_letters
from server.lobby.proposals import PROPOSAL_VALID, delete_expired_proposals, propose_on_page
from server.outbox import budgets
from server.outbox.budgets import read_block, store_block
from server.retention import delete_expired
from server.store.game_terms import SeatRequest
from server.store.models import Game, OutgoingLetter, UnsolicitedLetter
from server.store.personal import Kept
from server.store.states import BlockOrigin, LetterState
from tests.server.desk import AWAY, NOON, FailingRelay, desk, kinds

DAY, KEPT_FOR = timedelta(days=1), Kept.UNSOLICITED.period
PLAYER = budgets.player_origin(1)
FLOOD = [
    (f"10.0.{network}.0/24", f"plain{network}-{number}") for network in range(10) for number in range(10)
]


@pytest.fixture
def narrow(tmp_path):
    return desk(tmp_path, ALEXANDROS_UNASKED_PER_DAY="5")


def ask(context, origin, name="Cleo", now=NOON):
    """Somebody asks on the page for a game in the name of somebody."""
    request = GameRequest(Guest(name, f"{name.lower()}@example.org"), houses=("easy",), name="Friday")
    propose_on_page(context, request, budgets.Origin(budgets.OriginKind.NETWORK, origin), now)


def invite(context, name="Cleo", now=NOON, origin=PLAYER):
    seats = [SeatRequest(name, f"{name.lower()}@example.org"), SeatRequest("", None)]
    return context.open_game("Friday", seats, now, origin=origin)


def deliver(context, carrier, now=NOON):
    before = len(carrier.mails)
    while send_due_letters(context, carrier, now):
        pass
    return [to.partition("@")[0] for _, to in carrier.envelopes[before:]]


def days(context, carrier, number, now=NOON):
    return [deliver(context, carrier, now + day * DAY) for day in range(number)]


@pytest.mark.breadth
def test_the_first_letter_of_each_goes_before_the_second_of_any_on_the_next_days_too(narrow, carrier):
    for origin, name in FLOOD:
        ask(narrow, origin, name)
    ask(narrow, "192.0.2.0/24", "Anna")
    left = days(narrow, carrier, 5)
    which = [Counter(name.partition("-")[2] for name in one) for one in left]
    assert "anna" in left[0], "of those who wait for a first one, who has caused fewest comes first"
    assert which == [{"": 1, "0": 4}, {"0": 5}, {"0": 1, "1": 4}, {"1": 5}, {"1": 1, "2": 4}]


def test_what_never_leaves_takes_no_rank(narrow, carrier):
    with narrow.changing() as session:
        store_block(session, read_block("ben@example.org", BlockOrigin.READER, NOON))
        for _ in range(3):
            budgets.record_attempt(session, budgets.player_origin(1), NOON)
    invite(narrow, "Ben")
    for _ in range(2):
        ask(narrow, "198.51.100.0/24", "Dirk")
    invite(narrow, "Cleo")
    with narrow.reading() as session:
        numbers = claims.due_unsolicited_letters(session, 9, NOON)
        due = [session.get_one(OutgoingLetter, number).recipient for number in numbers]
    assert due == ["cleo@example.org", "dirk@example.org", "dirk@example.org"]
    with narrow.changing() as session:
        row = session.exec(
            select(OutgoingLetter).where(OutgoingLetter.recipient == "dirk@example.org")
        ).first()
        row.state = LetterState.FAILED
    assert sorted(deliver(narrow, carrier)) == ["cleo", "dirk"]


def test_the_week_of_a_proposal_begins_when_its_letter_leaves(tmp_path, carrier):
    context = desk(tmp_path, ALEXANDROS_UNASKED_PER_DAY="1")
    ask(context, "10.0.1.0/24", "Anna")
    ask(context, "10.0.2.0/24", "Ben")
    deliver(context, carrier)
    later = NOON + PROPOSAL_VALID
    assert delete_expired_proposals(context, later - timedelta(minutes=1)) == 0
    assert delete_expired_proposals(context, later) == 1
    assert delete_expired_proposals(context, later + 30 * DAY) == 0, "a letter that waits has not begun it"
    assert deliver(context, carrier, later) == ["ben"]
    assert delete_expired_proposals(context, later + PROPOSAL_VALID - timedelta(minutes=1)) == 0
    assert delete_expired_proposals(context, later + PROPOSAL_VALID) == 1
    assert context.rows_of(Game) == []


def test_a_proposal_whose_letter_never_leaves_is_deleted_after_a_week(context):
    ask(context, "10.0.1.0/24", "Anna")
    with context.changing() as session:
        session.exec(select(OutgoingLetter)).one().state = LetterState.FAILED
    assert delete_expired_proposals(context, NOON + PROPOSAL_VALID - timedelta(minutes=1)) == 0
    assert delete_expired_proposals(context, NOON + PROPOSAL_VALID) == 1


@pytest.mark.breadth
def test_letters_that_waited_for_a_relay_leave_three_a_day(context, carrier):
    for day in range(4):
        for _ in range(3):
            invite(context, now=NOON + day * DAY)
        send_due_letters(context, FailingRelay(error=AWAY), NOON + day * DAY)
    invite(context, "Ben", now=NOON + 3 * DAY)
    later = NOON + 4 * DAY
    assert sorted(deliver(context, carrier, later)) == ["ben", *["cleo"] * 3]
    assert deliver(context, carrier, later + DAY - timedelta(minutes=1)) == []
    assert [len(one) for one in days(context, carrier, 5, later + DAY)] == [3, 3, 1, 0, 0]
    assert len(carrier.to("cleo")) == 10


def test_letters_of_a_game_that_was_halted_leave_when_there_is_room(context, carrier):
    games = [invite(context, now=NOON + number // 3 * DAY) for number in range(6)]
    for game in games:
        context.committed(NOON, suspend_game, game)
    assert deliver(context, carrier, NOON + 2 * DAY) == []
    for game in games:
        context.committed(NOON + 2 * DAY, lift_suspension, game)
    assert [len(one) for one in days(context, carrier, 3, NOON + 2 * DAY)] == [3, 3, 0]


def test_what_the_operator_asks_for_leaves_at_once(context, carrier):
    for _ in range(5):
        invite(context, origin=budgets.OPERATOR)
    assert deliver(context, carrier) == ["cleo"] * 5
    assert set(kinds(carrier.mails)) == {"invitation"}


def test_the_ledger_keeps_a_row_as_long_as_its_letter_waits(context, carrier):
    game = invite(context)
    context.committed(NOON, suspend_game, game)
    later = NOON + 2 * KEPT_FOR
    delete_expired(context, later)
    assert len(context.rows_of(UnsolicitedLetter)) == 1
    context.committed(later, lift_suspension, game)
    assert deliver(context, carrier, later) == ["cleo"]
    for ago, rows in ((KEPT_FOR - timedelta(minutes=1), 1), (KEPT_FOR, 0)):
        context.next_cleanup = None
        delete_expired(context, later + ago)
        assert len(context.rows_of(UnsolicitedLetter)) == rows


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (budgets.OPERATOR, "operator"),
        (budgets.UNKNOWN, ""),
        (budgets.player_origin(7), "player 7"),
        (budgets.mail_origin("192.0.2.0/24", "cleo@example.org"), "mail 192.0.2.0/24"),
        (budgets.mail_origin("", "cleo@mail.example.org"), "domain example.org"),
        (budgets.mail_origin("", ""), "domain "),
        (budgets.sign_in_origin("192.0.2.0/24"), "sign-in 192.0.2.0/24"),
        (budgets.Origin(budgets.OriginKind.NETWORK, "192.0.2.0/24"), "192.0.2.0/24"),
        (budgets.Origin(budgets.OriginKind.NETWORK, "no network"), "no network"),
    ],
)
def test_the_ledger_has_each_origin_as_a_text(origin, text):
    assert origin.text == text
