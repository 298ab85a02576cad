"""What most tests of the post office begin with: an office of its own, and a clock that stands."""

from pathlib import Path

import pytest

from server.office import Office
from tests.server.desk import Clock, desk


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return desk(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()
