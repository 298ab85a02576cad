"""Figures are measured over seven rounds and printed beside those kept; nothing is asserted of them.

`--keep` writes them to figures.json, as those of the last landed commit. The machine's own figure, a loop of
Python, tells how much of a difference is the machine's.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmarks.measure import ROUNDS, seconds
from tests.emails.positions import stored_game
from tests.gallery.samples import SampleGame

KEPT = Path(__file__).with_name("figures.json")
FIGURES: dict[str, tuple[str, str]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep", action="store_true", help="keep the figures in figures.json")


@pytest.fixture
def figure() -> Callable[[str, str, str], None]:
    """Notes one figure: what was measured, the figure with its unit, and the aim or empty."""

    def note(what: str, value: str, aim: str = "") -> None:
        FIGURES[what] = value, aim

    return note


@pytest.fixture(scope="session")
def example_games() -> list[SampleGame]:
    return [stored_game("two-players"), stored_game("three-players")]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    FIGURES["the machine: a loop of Python"] = f"{seconds(lambda: sum(range(1_000_000))) * 1000:.0f} ms", ""
    kept = json.loads(KEPT.read_text("utf-8"))
    terminalreporter.section(f"figures: medians of {ROUNDS} rounds; as kept; aims")
    for what, (value, aim) in FIGURES.items():
        terminalreporter.write_line(f"{what:67} {value:>24} {kept.get(what, ''):>24}  {aim}".rstrip())
    if config.getoption("keep"):
        kept |= {what: value for what, (value, _) in FIGURES.items()}
        KEPT.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", "utf-8")
