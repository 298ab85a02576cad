"""An office for the tests of this room, one for all that stand in a file."""

import pytest

from tests.server.desk import Desk, desk


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return desk(tmp_path_factory.mktemp("office"))
