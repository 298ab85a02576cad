"""What tests of the lobby begin with: pages that go by the clock of the test."""

import pytest

from tests.server.desk import Clock
from tests.server.web.site import Site


@pytest.fixture
def place(context, clock: Clock) -> Site:
    return Site(context, clock)
