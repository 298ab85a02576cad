"""What most tests of the post office begin with: an office, a clock that stands, mail that is collected."""

from pathlib import Path

import pytest

from server.store.context import Context
from tests.server.desk import Clock, Collector, desk, start_game


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return desk(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def carrier() -> Collector:
    return Collector()


@pytest.fixture
def mails(carrier: Collector) -> Collector:
    """The same, for tests that look at what was sent."""
    return carrier


@pytest.fixture
def game(context: Context) -> str:
    """A game of two that has started, whose letters wait to be sent."""
    return start_game(context, "Anna", "Ben")
