"""What tests of faults begin with where they need no process of their own."""

from pathlib import Path

import pytest

from server.store.context import Context
from tests.server.desk import desk


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return desk(tmp_path)
