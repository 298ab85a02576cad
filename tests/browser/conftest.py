"""What the tests in a real browser begin with: pages that are served, and one Chromium a process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.served import Served, served
from tests.browser.windows import Visitors, chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as started:
        yield started


@pytest.fixture
def visitors(browser: Browser, place: Served) -> Iterator[Visitors]:
    come = Visitors(browser, place.address)
    yield come
    come.leave()
