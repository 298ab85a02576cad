"""What was worked out lately, so that to ask again costs nothing and gives the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


@dataclass(slots=True)
class _Asking:
    """Those who ask for one answer at the same moment."""

    turn: Lock = field(default_factory=Lock)
    number: int = 0


@dataclass(slots=True)
class RecentAnswers(Generic[Answer]):
    """The last answers by what was asked; of more than fit the one that was used longest ago goes."""

    most: int = 500
    _kept: OrderedDict[Hashable, Answer] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _asking: dict[Hashable, _Asking] = field(default_factory=dict)

    def get(self, asked: Hashable) -> Answer | None:
        """The answer, if it is kept."""
        with self._lock:
            if asked in self._kept:
                self._kept.move_to_end(asked)
            return self._kept.get(asked)

    @contextmanager
    def one_at_a_time(self, asked: Hashable) -> Iterator[None]:
        """Let one work an answer out while others who ask for it wait, who then find it kept."""
        with self._lock:
            asking = self._asking.setdefault(asked, _Asking())
            asking.number += 1
        try:
            with asking.turn:
                yield
        finally:
            with self._lock:
                asking.number -= 1
                if not asking.number:
                    del self._asking[asked]

    def put(self, asked: Hashable, answer: Answer) -> None:
        """Keep an answer."""
        with self._lock:
            self._kept[asked] = answer
            self._kept.move_to_end(asked)
            if len(self._kept) > self.most:
                self._kept.popitem(last=False)
