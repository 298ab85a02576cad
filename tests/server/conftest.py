"""What most tests of the post office begin with: an office, a clock that stands, mail that is collected."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from emails.letters import renderer
from emails.picture.letter_picture import MAX_BYTES, render_png
from tests.breadth import first
from tests.server.beginnings import begin_game, begin_waiting_game
from tests.server.desk import Clock, Collector, Desk, desk
from tests.server.inbox.returned import ReturnedMail
from tests.server.storage import DATABASES, SQLITE, SYSTEMS, choose
from tests.server.web.site import Site

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
        patch.setattr(renderer, "cached_png", draw_small)
        yield


IN_BREADTH = (
    "store/test_turn_clock.py",
    "delivery/test_outbox_delivery.py",
    "web/kit/test_rate_limit.py",
    "test_roles.py",
)
"""What is tried in breadth on the other system too."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Try what is marked so, and some files in breadth, on each database system."""
    file = metafunc.definition.path.as_posix()
    if "system" in metafunc.fixturenames and metafunc.config.getoption("--database") == SQLITE:
        about_file = metafunc.definition.get_closest_marker("file") is not None
        on_each = metafunc.definition.get_closest_marker("systems") is not None
        if on_each and not about_file:
            metafunc.parametrize("system", SYSTEMS, indirect=True)
        if file.endswith(IN_BREADTH) and not about_file:
            metafunc.parametrize("system", first(1, SYSTEMS), indirect=True)


@pytest.fixture(autouse=True)
def system(request: pytest.FixtureRequest) -> Iterator[str]:
    """The database system on which the offices of a test stand."""
    before = set(DATABASES.names)
    chosen: str = request.config.getoption("--database")
    wanted = getattr(request, "param", chosen)
    if wanted != SQLITE and request.node.get_closest_marker("file") is not None:
        pytest.skip("this is about the file of SQLite")
    choose(wanted)
    yield wanted
    choose(chosen)
    DATABASES.drop_but(before)


@pytest.fixture
def context(tmp_path: Path) -> Desk:
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
def place(context: Desk, clock: Clock) -> Site:
    return Site(context, clock)


@pytest.fixture
def game(context: Desk) -> str:
    """A game of two that has started, whose letters wait to be sent."""
    return begin_waiting_game(context, "Anna", "Ben")


@pytest.fixture
def story(context: Desk, mails: Collector, clock: Clock) -> ReturnedMail:
    """A game of three whose first letters have left, any of which may come back."""
    return ReturnedMail(context, mails, clock, begin_game(context, mails, "Anna", "Ben", "Cleo"))
