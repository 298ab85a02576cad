"""How a test run behaves: the whole house is spread over the cores, a part of it runs in one process."""

import pytest
from hypothesis import settings

# The same run twice is the same run. To look at more, or for others: pytest -m hypothesis
# --hypothesis-profile=breadth, or anew.
settings.register_profile("same", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("breadth", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("anew", deadline=None, max_examples=100)
settings.load_profile("same")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """No workers when files are named: a benchmark wants the whole machine, a debugger the terminal."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return None if whole else 0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured or counted, as they recorded it under the name "figure"."""
    for report in terminalreporter.stats.get("passed", ()):
        for name, value in report.user_properties:
            if name == "figure":
                terminalreporter.write_line(str(value))
