"""What most tests of the post office begin with: an office, a clock that stands, mail that is collected."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from emails.letters import mime
from emails.picture.png import MAX_BYTES, render_png
from server.store.context import Context
from tests.server.desk import Clock, Collector, desk, start_game

SIZE = re.compile(r'width="(\d+)" height="(\d+)"')


@lru_cache(maxsize=64)
def draw_small(svg: str, most: int = MAX_BYTES) -> bytes:
    """A drawing as PNG, an eighth as wide and as high as it says."""
    width, height = (int(one) // 8 for one in SIZE.search(svg).groups())
    return render_png(SIZE.sub(f'width="{width}" height="{height}"', svg, count=1), most)


@pytest.fixture(autouse=True, scope="module")
def small_pictures() -> Iterator[None]:
    """Draw what stands in letters an eighth as wide: how it looks is for the tests of the letters to say."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mime, "cached_png", draw_small)
        yield


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
