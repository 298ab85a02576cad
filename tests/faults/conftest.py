"""What tests of faults begin with where they need no process of their own."""

from collections.abc import Iterator

import pytest

from tests.server.desk import Desk, desk
from tests.server.storage import DATABASES, POSTGRESQL, SQLITE, choose


@pytest.fixture
def context(tmp_path) -> Desk:
    return desk(tmp_path)


@pytest.fixture
def on_postgresql() -> Iterator[None]:
    """Databases are made on PostgreSQL, and gone afterwards."""
    choose(POSTGRESQL)
    yield
    choose(SQLITE)
    DATABASES.drop_but(set())
