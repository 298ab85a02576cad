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
