"""Ceilings for the size of the product: only lowered, or raised by the commit that adds a capability."""

from pathlib import Path

import pytest

from tests.paths import TOP
from tests.test_house import FLOORS, sources

MOST_FILES = 312
"""Python files of the product."""
MOST_LINES = {"engine": 8_530, "emails": 22_893, "server": 44_460}
"""Lines of Python by floor."""


def lines_of(file: Path) -> int:
    return (TOP / file).read_text("utf-8").count("\n")


def test_the_product_has_no_more_files() -> None:
    assert len(sources(*FLOORS)) <= MOST_FILES


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_has_no_more_lines(floor: str) -> None:
    assert sum(map(lines_of, sources(floor))) <= MOST_LINES[floor]
