"""Answers that take equally long, whether a letter was queued or not: their time tells nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

EVEN_ANSWER_SECONDS = 0.1
"""Seconds that it takes to be told that a letter is on its way, whether one is or not."""


@contextmanager
def constant_time() -> Iterator[None]:
    """Let what is done here take as long as it ever does; a refusal comes at once, for it tells nothing."""
    begun = monotonic()
    yield
    sleep(max(0, begun + EVEN_ANSWER_SECONDS - monotonic()))
