"""Figures are measured over seven rounds and printed at the end of the run; nothing is asserted of them."""

from collections.abc import Callable

import pytest

from engine.board import Board
from engine.event_log import check_log
from engine.events import Event
from server.store.context import load_boards
from tests.benchmarks.measure import ROUNDS
from tests.paths import GAMES

FIGURES: list[str] = []


@pytest.fixture
def figure() -> Callable[[str, str, str], None]:
    """Notes one figure: what was measured, the figure with its unit, and the aim or empty."""

    def note(what: str, value: str, aim: str = "") -> None:
        FIGURES.append(f"{what:66} {value:>22}" + (f"   (aim: {aim})" if aim else ""))

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section(f"figures: medians of {ROUNDS} rounds")
    for line in FIGURES:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def board() -> Board:
    return load_boards()["Alexandros"]


@pytest.fixture(scope="session")
def example_games() -> list[list[Event]]:
    """The facts of the example games."""
    logs = [GAMES / "two-players.jsonl", GAMES / "three-players.jsonl"]
    return [[event for event, _ in check_log(log.read_bytes().splitlines(), load_boards())] for log in logs]
