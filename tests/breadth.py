"""Which cases of a test run in the gate, which in breadth (`.ci/run`), and which by `pytest -m long`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import settings

BREADTH, LONG = pytest.mark.breadth, pytest.mark.long


def first(few: int, cases: Iterable[Any]) -> list[Any]:
    """Run the first few cases of a test in the gate, and the others in breadth."""
    every = list(cases)
    return [*every[:few], *_marked(BREADTH, every[few:])]


def spread(number: int, cases: Iterable[Any]) -> list[Any]:
    """Run so many cases of a test in breadth, evenly spread over all of them, and the others by `-m long`."""
    every = list(cases)
    step = max(1, len(every) // number)
    return [param for at, one in enumerate(every) for param in _marked(LONG if at % step else BREADTH, [one])]


def by_run(gate: Iterable[Any] = (), breadth: Iterable[Any] = (), long: Iterable[Any] = ()) -> list[Any]:
    """Cases of a test by the run that has them: a few in the gate, some in breadth, many by `-m long`."""
    return [*gate, *_marked(BREADTH, breadth), *_marked(LONG, long)]


def _marked(mark: pytest.MarkDecorator, cases: Iterable[Any]) -> Iterator[Any]:
    for one in cases:
        yield pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=mark)


def times(number: int) -> int:
    """So many times as many examples as a test of any examples is given in this run."""
    return number * settings.default.max_examples
