"""What people write when they give no order is none, in either language, whatever numbers mean."""

from pathlib import Path

import pytest

from engine.actions import Unreadable
from tests.engine.build import alexandros
from tests.spoken import parse

LAND = alexandros()
NUMBERS = {str(number): name for number, name in enumerate(("C5", "C3", "D4", "draw", "occupy Memphis"), 1)}
EVERYDAY = Path(__file__).with_name("everyday_lines.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("numbers", [{}, NUMBERS], ids=["no numbers", "numbers"])
def test_an_everyday_line_is_no_order(numbers: dict[str, str]) -> None:
    assert len(EVERYDAY) > 300
    assert not [line for line in EVERYDAY if is_order(line, numbers)]


def is_order(line: str, numbers: dict[str, str]) -> bool:
    try:
        parse(line, LAND, numbers)
    except Unreadable:
        return False
    return True
