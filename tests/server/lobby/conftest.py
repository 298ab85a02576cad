"""What tests of the lobby begin with: a table."""

import pytest

from tests.server.desk import Clock, Collector
from tests.server.lobby.table import Table


@pytest.fixture
def table(context, mails: Collector, clock: Clock) -> Table:
    return Table(context, mails, clock)
