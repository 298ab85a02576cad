"""What the command costs as a process of its own, and how soon it serves again after it was killed."""

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.measure import ROUNDS
from tests.paths import TOP
from tests.ports import free_port
from tests.server.desk import desk
from tests.server.test_serving import alexandros, served, settings

GAMES = 20


def typed(folder: Path, given: dict[str, str], *words: str) -> str:
    """The median of the milliseconds of processor time of a command, and by the clock."""
    spent, taken = [], []
    for _ in range(ROUNDS):
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        program = [sys.executable, "-c", "from server.cli import main; main()", *words]
        subprocess.run(
            program, cwd=folder, env=given | {"PYTHONPATH": str(TOP)}, capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(time.perf_counter() - begun)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return f"{statistics.median(spent) * 1000:.0f} and {statistics.median(taken) * 1000:.0f} ms"


def test_commands(figure, tmp_path):
    context = desk(tmp_path)
    games = [context.start_game("Anna", "Ben") for _ in range(GAMES)]
    context.database.dispose()
    given = settings(tmp_path, free_port())
    figure("a short command, --help: processor and clock", typed(tmp_path, given, "--help"), "120 ms")
    for what, words in (("games", ["games"]), ("show", ["show", games[0]])):
        figure(
            f"a command of the desk, {what}: processor and clock", typed(tmp_path, given, *words), "500 ms"
        )


def test_serving_again_after_a_kill(figure, tmp_path):
    port = free_port()
    given, url = settings(tmp_path, port), f"http://127.0.0.1:{port}/healthz"
    taken = []
    for _ in range(4):  # the first makes the database
        begun = time.perf_counter()
        with alexandros("serve", folder=tmp_path, environment=given) as process:
            served(process, url)
            taken.append(time.perf_counter() - begun)
            process.kill()
    figure("serving again after kill -9, by the clock", f"{statistics.median(taken[1:]):.1f} s")
