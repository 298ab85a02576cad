"""How a test run behaves: the whole house is spread over the cores, a part of it runs in one process."""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.breadth import BREADTH, LONG

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The same run twice is the same run. To look at more, or for others: pytest -m hypothesis
# --hypothesis-profile=breadth, or anew.
settings.register_profile("same", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("breadth", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("anew", deadline=None, max_examples=100)
settings.load_profile("same")

TESTS = Path(__file__).parent
OUTSIDE = "attacks", "bots", "days", "faults", "newcomers"
"""Folders that judge from outside, by another hand than the one that built: they run after the gate."""
AFTER_GATE = {
    f"server/{name}"
    for name in "accounts admin delivery inbox lobby monitoring outbox privacy reviews web".split()
    + "test_sent_before.py test_serving.py test_set_back.py".split()
}
"""Folders and files that the gate leaves to breadth; a run that names them runs their tests."""
LEFT_TO_LONG = """
attacks: budgets_of_letters controls crossings database_at_rest flood floods_of_connections forged_bounce
attacks: forged_visitor forgotten hostile_organiser spammer
bots: fairness house_under_fire odd_positions review_served sentences
browser: layout recap turn
days: road
deployment: filters fresh_debian postfix postgresql wheel
faults: clocks cut_network disk_full downtime failover kills left_alone relays several_machines thinking
faults: poisons power_cuts relay_away trickling two_machines weekend
newcomers: conversations drafts_are_private drafts_at_random notes_of_organisers replies_by_letter
newcomers: whole_turns
post: a_game mailbox
emails/letters: sections
engine: random_plans
server: loops query_plans races serving set_back told_time
server/delivery: outbox_delivery relay
server/inbox: answer_addresses answers_about_days
server/lobby: vanishing
server/time_control: served_year walks year
server/web/api: schema
"""
"""Folders and their files whose cases in breadth take minutes altogether: `pytest -m long` runs those."""
GATE = "not breadth and not long"

# What is compiled is kept, whatever the shell says: else each process of many compiles everything anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

HANGS_AFTER, LONG_HANGS_AFTER, WATCHED_ANEW_AFTER = 1200.0, 10_800.0, 60.0
"""Seconds: a test that hangs, or one marked `long`, ends its process and says where."""


def hangs_after(item: pytest.Item) -> float:
    """Seconds after which a test is taken for one that hangs."""
    return HANGS_AFTER if item.get_closest_marker("long") is None else LONG_HANGS_AFTER


class Watch:
    """Ends a process whose tests do not go on; set anew now and then, which takes as long as a small test."""

    def __init__(self, said_to: int) -> None:
        self.said_to, self.set_at, self.bound = said_to, -WATCHED_ANEW_AFTER, 0.0

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        bound = hangs_after(item)
        if bound != self.bound or time.monotonic() - self.set_at >= WATCHED_ANEW_AFTER:
            self.set_at, self.bound = time.monotonic(), bound
            faulthandler.dump_traceback_later(bound, exit=True, file=self.said_to)

    def pytest_unconfigure(self) -> None:
        faulthandler.cancel_dump_traceback_later()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the tests of the server be run on another database system."""
    parser.addoption("--database", choices=["sqlite", "postgresql"], default="sqlite")


def pytest_configure(config: pytest.Config) -> None:
    """Watch each process that runs tests; what it says goes past what catches the output of tests."""
    config.pluginmanager.register(Watch(os.dup(sys.stderr.fileno())))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """No workers when files are named: a benchmark wants the whole machine, a debugger the terminal."""
    return None if is_whole(config) else 0


def is_whole(config: pytest.Config) -> bool:
    """Whether the command line names no files, so that all tests are meant."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Load no file for the gate whose tests are all left to later runs."""
    if is_whole(config) and config.option.markexpr == GATE and collection_path.is_relative_to(TESTS):
        return collection_path.relative_to(TESTS).as_posix() in {*OUTSIDE, *AFTER_GATE} or None
    return None


def pytest_collection(session: pytest.Session) -> None:
    """Let each of several processes compile a share of the tests, which the others then find."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    files = [one.relative_to(TESTS.parent) for one in sorted(TESTS.rglob("test_*.py"))]
    left_out = {*OUTSIDE, *session.config.getini("norecursedirs")}
    loaded = [one for one in files if left_out.isdisjoint(one.parts)]
    for file in loaded[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # whoever collects it says so
            import_module(".".join(file.with_suffix("").parts))


def files_left_to_long() -> set[str]:
    """Paths below the folder of tests, as `LEFT_TO_LONG` lists them."""
    lines = (line.split(":") for line in LEFT_TO_LONG.split("\n") if line)
    return {f"{folder}/test_{name}.py" for folder, names in lines for name in names.split()}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what judges from outside or comes after the gate as breadth, and slow cases of that as long.

    What takes longest in one piece comes first: at the end the other cores would wait for it.
    """
    slow = files_left_to_long()
    for item in items:
        file = item.path.relative_to(TESTS)
        if file.parts[0] in OUTSIDE:
            item.add_marker(BREADTH)
        if item.get_closest_marker("breadth") is not None and file.as_posix() in slow:
            item.add_marker(LONG)
        elif is_whole(config) and AFTER_GATE & {"/".join(file.parts[:2]), file.as_posix()}:
            item.add_marker(BREADTH)  # the other cases of a slow file, too
    items.sort(key=lambda item: item.get_closest_marker("early") is None)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over modules and collected tests, and look at what stays less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(700, 10, 100)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured or counted, as they recorded it under the name "figure"."""
    for report in terminalreporter.stats.get("passed", ()):
        for name, value in report.user_properties:
            if name == "figure":
                terminalreporter.write_line(str(value))


FOLDERS = count(1)


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this test alone: pytest looks for a free name among all others, and links to the last."""
    folder = tmp_path_factory.getbasetemp() / str(next(FOLDERS))
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Record what a test has measured or counted, to be printed at the end."""
    return partial(record_property, "figure")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium a process: two would not bear each other. What drives it is loaded where it is needed."""
    with import_module("tests.browser.windows").chromium() as started:
        yield started
