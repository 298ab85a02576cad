"""Counts of answers: how often a player has answered, and how long turns waited, by the hour of their day.

A cell is one local hour of workdays or of weekends, apart for the first hour in which a turn waits, in which
whoever looks at their mail just then answers. Of a single answer nothing can be told from them but in which
hours the turn has waited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

HOURS = 24
KINDS_OF_DAY = 2
"""Workdays and weekends."""
AGES = 2
"""A turn that waits for less than an hour, and one that waits for longer."""
CELLS_OF_AGE = KINDS_OF_DAY * HOURS
CELLS = AGES * CELLS_OF_AGE
FRESH = timedelta(hours=1)
QUARTER = timedelta(minutes=15)
LONGEST_COUNTED = timedelta(days=28)
"""Of one turn: what is beyond tells nothing new."""
MOST_ANSWERS = 200
"""From so many on all counts are halved, so that newer habits count for more than older ones."""
NOTHING = (0,) * CELLS


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """How often somebody answered, and for how long turns of theirs waited, by cell."""

    answers: tuple[int, ...] = NOTHING
    quarters: tuple[int, ...] = NOTHING
    """Quarters of an hour for which turns have waited."""

    @property
    def total(self) -> int:
        """How many answers are counted."""
        return sum(self.answers)


def write_counts(counts: Sequence[int]) -> str:
    """Counts by cell as they are stored."""
    return " ".join(map(str, counts))


def read_counts(answers: str, quarters: str) -> AnswerCounts:
    """Stored counts; none where they cannot be read."""
    read = [tuple(map(int, text.split())) if _is_list(text) else () for text in (answers, quarters)]
    return AnswerCounts(*read) if all(len(one) == CELLS for one in read) else AnswerCounts()


def _is_list(text: str) -> bool:
    """Whether a text is numbers with blanks between them."""
    return all(one.isascii() and one.isdigit() and len(one) < 10 for one in text.split())


def find_cell(local: datetime, is_fresh: bool) -> int:
    """The cell of a moment, given by the clock of whoever is waited for."""
    is_weekend = local.weekday() >= 5
    return (not is_fresh) * CELLS_OF_AGE + is_weekend * HOURS + local.hour


def count_wait(
    counts: AnswerCounts, since: datetime, until: datetime, zone: ZoneInfo, *, is_answered: bool
) -> AnswerCounts:
    """The counts with one more turn that waited, and was answered at its end or not at all."""
    answers, quarters = list(counts.answers), list(counts.quarters)
    pieces = list(cut_wait(since, max(since, until), zone))
    for cell, length in pieces:
        quarters[cell] += max(1, round(length / QUARTER))
    if is_answered and until - since <= LONGEST_COUNTED:
        answers[pieces[-1][0]] += 1
    if sum(answers) > MOST_ANSWERS:
        answers, quarters = [round(one / 2) for one in answers], [round(one / 2) for one in quarters]
    return AnswerCounts(tuple(answers), tuple(quarters))


def cut_wait(since: datetime, until: datetime, zone: ZoneInfo) -> Iterator[tuple[int, timedelta]]:
    """A wait cut at the hours of a clock: cells and how long it was in each; one piece at least."""
    at, fresh_until = since.astimezone(UTC), since.astimezone(UTC) + FRESH
    end = min(until.astimezone(UTC), at + LONGEST_COUNTED)
    while True:
        local, is_fresh = at.astimezone(zone), at < fresh_until
        in_hour = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        stop = min(at + timedelta(hours=1) - in_hour, end)
        stop = min(stop, fresh_until) if is_fresh else stop
        yield find_cell(local, is_fresh), stop - at
        if stop >= end:
            return
        at = stop


def add_counts(several: Sequence[AnswerCounts]) -> AnswerCounts:
    """The counts of all together."""
    if not several:
        return AnswerCounts()
    answers = map(sum, zip(*(one.answers for one in several), strict=True))
    quarters = map(sum, zip(*(one.quarters for one in several), strict=True))
    return AnswerCounts(tuple(answers), tuple(quarters))


def count_by_hour(counts: AnswerCounts) -> dict[str, dict[str, list[int]]]:
    """Counts as their player is given them: by kind of day and by hour, however long a turn had waited."""
    found = {}
    for kind, first in (("workdays", 0), ("weekends", HOURS)):
        hours = range(first, first + HOURS)
        found[kind] = {
            "answers_by_hour": [counts.answers[n] + counts.answers[CELLS_OF_AGE + n] for n in hours],
            "quarters_waited_by_hour": [
                counts.quarters[n] + counts.quarters[CELLS_OF_AGE + n] for n in hours
            ],
        }
    return found
