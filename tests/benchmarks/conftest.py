"""Figures are measured over seven rounds and printed at the end of the run; nothing is asserted of them."""

from collections.abc import Callable

import pytest

from tests.benchmarks.measure import ROUNDS
from tests.emails.positions import stored_game
from tests.gallery.samples import SampleGame

FIGURES: list[str] = []


@pytest.fixture
def figure() -> Callable[[str, str, str], None]:
    """Notes one figure: what was measured, the figure with its unit, and the aim or empty."""

    def note(what: str, value: str, aim: str = "") -> None:
        FIGURES.append(f"{what:66} {value:>22}" + (f"   (aim: {aim})" if aim else ""))

    return note


@pytest.fixture(scope="session")
def example_games() -> list[SampleGame]:
    return [stored_game("two-players"), stored_game("three-players")]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section(f"figures: medians of {ROUNDS} rounds")
    for line in FIGURES:
        terminalreporter.write_line(line)
