"""Rates of answering: how often an hour somebody answers, by cell, shrunk towards the mean of all.

The hazards of a model that is constant within each cell. What is counted is compared with what the mean of
all would lead to: in all, then by hour of the day, then by cell; each ratio is drawn towards one by a few
answers of nobody, so that whoever is new is taken to be as all are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.forecast.answer_counts import AGES, CELLS, CELLS_OF_AGE, HOURS, KINDS_OF_DAY, AnswerCounts

IN_ALL, BY_HOUR, BY_CELL = 2.0, 0.2, 0.5
"""Answers of nobody by which a ratio is drawn towards one: of an age, of an hour, of a cell."""
KNOWN_OF_ONE = 3
"""Answers from which on somebody's own counts say something."""
KNOWN_OF_ALL = 20
"""Answers of all from which on their mean does."""
FLAT = 1 / 12
"""Answers an hour of whom nothing is known at all: by them nothing is told, but others are compared."""
LEAST_RATE, GREATEST_RATE = 1e-4, 12.0


@dataclass(frozen=True, slots=True)
class Rates:
    """How often an hour somebody answers."""

    by_cell: tuple[float, ...] = (FLAT,) * CELLS
    answers: int = 0
    """Of their own that are counted."""
    is_known: bool = False
    """Whether there is anything to tell them by."""


def fit_mean(counts: AnswerCounts) -> Rates:
    """The rates of all together."""
    return Rates(_fit_rates(counts, (FLAT,) * CELLS), counts.total, counts.total >= KNOWN_OF_ALL)


def fit_rates(counts: AnswerCounts, mean: Rates) -> Rates:
    """The rates of one player, given those of all."""
    known = mean.is_known or counts.total >= KNOWN_OF_ONE
    return Rates(_fit_rates(counts, mean.by_cell), counts.total, known)


def _fit_rates(counts: AnswerCounts, base: Sequence[float]) -> tuple[float, ...]:
    rates: list[float] = []
    for age in range(AGES):
        cells = range(age * CELLS_OF_AGE, (age + 1) * CELLS_OF_AGE)
        counted = [counts.answers[cell] for cell in cells]
        expected = [counts.quarters[cell] / 4 * base[cell] for cell in cells]
        in_all = _ratio(sum(counted), sum(expected), IN_ALL)
        by_hour = [
            _ratio(_count_around(counted, hour), in_all * _count_around(expected, hour), BY_HOUR)
            for hour in range(HOURS)
        ]
        for number, cell in enumerate(cells):
            so_far = in_all * by_hour[number % HOURS]
            rate = base[cell] * so_far * _ratio(counted[number], so_far * expected[number], BY_CELL)
            rates.append(min(max(rate, LEAST_RATE), GREATEST_RATE))
    return tuple(rates)


def _ratio(counted: float, expected: float, strength: float) -> float:
    return (counted + strength) / (expected + strength)


def _count_around(values: Sequence[float], hour: int) -> float:
    """What is counted in an hour of any day, and half of that in the hours beside it."""
    days = range(0, KINDS_OF_DAY * HOURS, HOURS)
    beside = sum(values[day + (hour + step) % HOURS] for day in days for step in (-1, 1))
    return sum(values[day + hour] for day in days) + beside / 2
