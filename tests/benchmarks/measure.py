"""How a figure is measured."""

import statistics
import time
from collections.abc import Callable

ROUNDS = 7


def seconds(work: Callable[[], object]) -> float:
    """The median time of one run of `work`, after one that is not counted."""
    work()
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def spent(work: Callable[[], object], times: int = 1) -> float:
    """The milliseconds of processor time that one run of `work` takes."""
    begun = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begun) / times * 1000
