"""What a letter costs the database: each transaction that writes keeps it from being lost, or doubled."""

from collections import Counter

import pytest
from sqlalchemy import event

from server.delivery.relay import DeliveryLanes
from server.delivery.sending import send_due_letters
from server.store.context import Context
from server.store.dialects.systems import WRITING
from tests.server.desk import NOON, Collector, desk, set_preferences, start_game
from tests.server.storage import SYSTEMS, choose

READING = 2
"""One in which it is looked for and read, and one in which it is written."""
WRITTEN = 3
"""Taken in hand before it is written, kept before it is handed over, and noted afterwards."""


@pytest.fixture(params=SYSTEMS)
def context(request, tmp_path) -> Context:
    choose(request.param)
    return desk(tmp_path)


def count_transactions(context: Context) -> Counter[bool]:
    """Where the transactions are counted that begin from now on, by whether they write."""
    found: Counter[bool] = Counter()

    def note(connection) -> None:
        found[bool(connection.get_execution_options().get(WRITING))] += 1

    event.listen(context.database, "begin", note)
    return found


@pytest.fixture
def lanes(context) -> DeliveryLanes:
    """Those of a process that knows already that the relay is there: its first letter has left."""
    start_game(context, "Dirk", "house")
    found = DeliveryLanes()
    send_due_letters(context, Collector(), NOON, lanes=found)
    return found


@pytest.mark.parametrize("pictures", [True, False])
@pytest.mark.breadth
def test_a_letter_takes_two_transactions_that_read_and_three_that_write(context, lanes, pictures):
    game = start_game(context, "Anna", "Ben")
    for name in ("Anna", "Ben"):
        set_preferences(context, game, name, everywhere=True, pictures=pictures)
    carrier = Collector()
    for letters in (1, 2):
        counted = count_transactions(context)
        assert send_due_letters(context, carrier, NOON, most=1, lanes=lanes) == 1
        assert counted == {False: READING, True: WRITTEN}
        assert len(carrier.mails) == letters


@pytest.mark.breadth
def test_letters_that_are_passed_over_take_no_transaction_of_their_own(context, lanes):
    for other in ("Ben", "Cleo"):
        start_game(context, "Anna", other)
    carrier = Collector()
    assert lanes.take("anna@example.org")
    for _ in range(2):
        counted = count_transactions(context)
        assert send_due_letters(context, carrier, NOON, most=1, lanes=lanes) == 1
        assert counted == {False: READING, True: WRITTEN}
    assert sorted(recipient for _, recipient in carrier.envelopes) == ["ben@example.org", "cleo@example.org"]
    assert send_due_letters(context, carrier, NOON, most=1, lanes=lanes) == 0
