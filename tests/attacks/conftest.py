"""What attacks begin with: what tests of the post office do, and worlds to attack."""

import pytest

from tests.attacks.small_world import World, open_world
from tests.attacks.strangers import bare_world
from tests.server.conftest import carrier, clock, context, mails, small_pictures

__all__ = ["carrier", "clock", "context", "mails", "small_pictures"]


@pytest.fixture
def begun(tmp_path) -> tuple[World, str]:
    """A world and its game; files whose attacks begin with other players have their own."""
    return open_world(tmp_path, "Anna", "Ben")


@pytest.fixture
def world(begun) -> World:
    return begun[0]


@pytest.fixture
def game(begun) -> str:
    return begun[1]


@pytest.fixture
def bare(tmp_path) -> World:
    """A world in which nobody plays yet."""
    return bare_world(tmp_path)
