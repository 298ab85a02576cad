"""That something takes a bounded time, whatever else the machine does meanwhile."""

import time
from collections.abc import Callable

TRIES = 4


def quickest(work: Callable[[], object], enough: float = 0.3) -> float:
    """The seconds of processor time that the work takes: the least of a few tries, or one that is enough.

    Two programs on one core slow each other down, so a single measurement says little.
    """
    times: list[float] = []
    while len(times) < TRIES and not (times and times[-1] < enough):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
