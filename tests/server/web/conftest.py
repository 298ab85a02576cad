"""What most tests of the pages begin with: a site, and a game of two that has started there."""

from pathlib import Path

import pytest

from tests.server.beginnings import begin_waiting_game
from tests.server.web.site import Site, site


@pytest.fixture
def place(tmp_path: Path) -> Site:
    return site(tmp_path)


@pytest.fixture
def game(place: Site) -> str:
    return begin_waiting_game(place.context, "Anna", "Ben")
