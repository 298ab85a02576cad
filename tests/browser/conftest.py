"""What the tests in a real browser begin with: pages that are served, visitors of them, and a game."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.served import Served, game_under_way, served
from tests.browser.windows import Visitors


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    """Pages that are served, with the settings that a test gives as its parameter."""
    with served(tmp_path, **getattr(request, "param", {})) as started:
        yield started


@pytest.fixture
def visitors(browser: Browser, place: Served) -> Iterator[Visitors]:
    come = Visitors(browser, place.address)
    yield come
    come.leave()


@pytest.fixture
def window(visitors: Visitors) -> Page:
    """The empty window of a visitor at a desk."""
    return visitors.visitor()


@pytest.fixture
def game(place: Served) -> str:
    """A game of which twelve turns are played; Anna is to move."""
    return game_under_way(place, 12)


@pytest.fixture
def ticket(place: Served, game: str) -> str:
    return place.link(game)
