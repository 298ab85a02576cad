"""An office for the tests of this room, one for all that stand in a file."""

import pytest

from server.store.context import Context
from tests.server.desk import desk


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    return desk(tmp_path_factory.mktemp("office"))
