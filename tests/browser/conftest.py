"""What the tests in a real browser begin with: pages that are served, and visitors of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.served import Served, served
from tests.browser.windows import Visitors


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as started:
        yield started


@pytest.fixture
def visitors(browser: Browser, place: Served) -> Iterator[Visitors]:
    come = Visitors(browser, place.address)
    yield come
    come.leave()
