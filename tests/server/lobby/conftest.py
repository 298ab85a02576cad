"""What tests of the lobby begin with: pages that go by the clock of the test, and a table."""

import pytest

from tests.server.desk import Clock, Collector
from tests.server.lobby.table import Table
from tests.server.web.site import Site


@pytest.fixture
def place(context, clock: Clock) -> Site:
    return Site(context, clock)


@pytest.fixture
def table(context, mails: Collector, clock: Clock) -> Table:
    return Table(context, mails, clock)
