"""Spans of time: joined, taken from each other, measured."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

Span = tuple[datetime, datetime]
"""From a moment, which is not in it, to another, which is."""


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same time as spans in order that do not touch."""
    found: list[Span] = []
    for since, until in sorted(span for span in spans if span[0] < span[1]):
        if found and since <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], until)
        else:
            found.append((since, until))
    return tuple(found)


def clip_spans(spans: Iterable[Span], since: datetime, until: datetime) -> tuple[Span, ...]:
    """What of some spans lies between two moments, in order."""
    return merge_spans((max(begins, since), min(ends, until)) for begins, ends in spans)


def subtract_spans(whole: Iterable[Span], without: Iterable[Span]) -> tuple[Span, ...]:
    """The time of the first spans that is not in the others, in order."""
    found, gone = [], merge_spans(without)
    for since, until in merge_spans(whole):
        at = since
        for begins, ends in gone:
            if ends <= at or begins >= until:
                continue
            found.append((at, begins))
            at = ends
        found.append((at, until))
    return merge_spans(found)


def measure_spans(spans: Iterable[Span]) -> timedelta:
    """How much time some spans are together; what is in several counts once."""
    return sum((until - since for since, until in merge_spans(spans)), timedelta(0))
