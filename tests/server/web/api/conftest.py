"""A place whose programs may call as often as a test lets them."""

from pathlib import Path

import pytest

from server.web.api import api_routes
from tests.server.web.site import Site, site


@pytest.fixture
def place(tmp_path: Path) -> Site:
    found = site(tmp_path)
    found.app.config[api_routes.API_CALLS_PER_MINUTE] = 100_000
    return found
