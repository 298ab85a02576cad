"""Ceilings for the size of the product: only lowered, or raised by the commit that adds a capability."""

from pathlib import Path

import pytest

from tests.paths import TOP
from tests.profile_mail import Walk, measure_roads
from tests.test_house import FLOORS, sources

MOST_FILES = 195
MOST_LINES = {
    "engine": 6_306,
    "emails": 17_745,
    "server": 37_250,
}

ROADS = {"reply": (73, 657, 82), "click": (66, 559, 72), "deadline": (65, 536, 77)}
"""Files, functions and value types on each road of `tests/profile_mail.py`."""


@pytest.fixture(scope="module")
def roads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Walk]:
    measure_roads(tmp_path_factory.mktemp("first"))
    return measure_roads(tmp_path_factory.mktemp("second")).whole


def lines_of(file: Path) -> int:
    return (TOP / file).read_text("utf-8").count("\n")


def test_the_product_has_no_more_files() -> None:
    assert len(sources(*FLOORS)) <= MOST_FILES


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_has_no_more_lines(floor: str) -> None:
    assert sum(map(lines_of, sources(floor))) <= MOST_LINES[floor]


@pytest.mark.parametrize("name", ROADS)
def test_a_road_has_no_more_files_functions_and_value_types(name: str, roads: dict[str, Walk]) -> None:
    walk = roads[name]
    found = len(walk.files), len(walk.calls), len(walk.values)
    assert all(count <= most for count, most in zip(found, ROADS[name], strict=True)), found
