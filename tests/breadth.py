"""Which cases the gate tries, and which are left to the proofs in breadth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

BREADTH = pytest.mark.breadth


def first(few: int, cases: Iterable[Any]) -> list[Any]:
    """Cases of a test: the gate tries the first few of them, and `pytest -m breadth` the others."""
    every = list(cases)
    others = (one if isinstance(one, tuple) else (one,) for one in every[few:])
    return [*every[:few], *(pytest.param(*one, marks=BREADTH) for one in others)]


def times(number: int) -> int:
    """So many times as many examples as a test of any examples is given in this run."""
    return number * settings.default.max_examples
