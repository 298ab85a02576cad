"""What the last letters tell of the relay: whether it takes letters, and if not, whose fault that is.

Where no conversation comes about the relay is away. So it is where it puts off a letter that was not put off
while it took others, for then that letter may be at fault; where the conversations about letters to two
readers in a row, of two games, break off, for one letter may be at fault itself, and so may what all letters
of a game show; where it leaves a letter without an answer
for long and nothing else is heard of it; and where letters to three readers in a row are refused with none
taken in between: then the fault is our own, as with a sender that is blocked, and of no reader. While it is
away letters wait, and no time runs on turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from server.accounts.bounces import MOST_READERS_REFUSED
from server.mail_addresses import normalise_address

LEAST_LOST = 2
"""Readers in a row, and games, at whose letters conversations break off before the relay counts as away."""
PROBED_AFTER = 60.0
"""Seconds without any try after which it is seen whether a relay that was away is there again."""


@dataclass(frozen=True, slots=True)
class RelayChange:
    """The relay has gone away, or is back."""

    away: bool
    reason: str = ""
    """Why it is away, or was."""
    seconds: float = 0.0
    """For how long it was away; 0 where that is not known, as after a start."""
    refuses_all: bool = False
    """Whether it is away since it refuses the letters of all readers."""
    is_new: bool = True
    """Whether it was not known to be away."""


@dataclass(slots=True)
class RelayRecord:
    """What all lanes of a server have seen of the relay.

    A method gives what there is to write down: each absence that it sees, new or not, and each end of one.
    """

    steady: Callable[[], float] = monotonic
    """Seconds by a clock that nobody sets."""
    _reason: str = ""
    _away_since: float | None = None
    _was_back: bool = False
    """Whether a letter was taken since the start: an absence from before it has ended then."""
    _heard_at: float = field(default_factory=monotonic)
    _tried_at: float = 0.0
    _is_reachable: bool = True
    """Whether the last conversation came about."""
    _lost: set[tuple[str, str]] = field(default_factory=set)
    """The readers and the games of the letters at which it has broken off since the last answer."""
    _refused: set[str] = field(default_factory=set)
    """The readers of letters that were refused since one was taken."""
    _put_off: set[int] = field(default_factory=set)
    """The letters that were refused for now since one was taken."""
    _at_fault: set[int] = field(default_factory=set)
    """The letters that were refused for now while another was taken: they tell nothing of the relay."""
    _times: dict[int, int] = field(default_factory=dict)
    """How often each letter was refused for good."""
    _lock: Lock = field(default_factory=Lock)

    @property
    def seconds_away(self) -> float:
        """Seconds for which the relay takes no letters; 0 where it does."""
        with self._lock:
            return 0.0 if self._away_since is None else self.steady() - self._away_since

    @property
    def refuses_all(self) -> bool:
        """Whether letters are refused whoever their reader is."""
        with self._lock:
            return len(self._refused) >= MOST_READERS_REFUSED

    def note_away(self, reason: str) -> RelayChange | None:
        """No conversation comes about."""
        with self._lock:
            change = self._go_away(reason)
            self._is_reachable = False
            return change

    def note_lost(self, reader: str, game: str, reason: str) -> RelayChange | None:
        """The conversation about a letter of a game, or (empty) of none, has broken off."""
        with self._lock:
            self._tried_at, self._is_reachable = self.steady(), True
            self._lost.add((normalise_address(reader), game))
            fewest = min(len(set(names)) for names in zip(*self._lost, strict=True))
            return self._go_away(reason) if fewest >= LEAST_LOST else None

    def claim_probe(self) -> bool:
        """Whether to see now if the relay is there again: nothing was tried for long, by any lane."""
        with self._lock:
            now = self.steady()
            if self._away_since is None or now - self._tried_at < PROBED_AFTER:
                return False
            self._tried_at = now
            return True

    def note_reachable(self, is_awaited: bool) -> RelayChange | None:
        """A conversation comes about again. If it did before, only a letter that is taken tells more.

        `is_awaited`: whether such a letter waits; where none does, nothing can be told of the relay.
        """
        with self._lock:
            if self._away_since is None or (self._is_reachable and is_awaited):
                return None
            self._lost.clear()
            self._refused.clear()
            self._put_off.clear()
            return self._come_back()

    def note_silent(self, since: float, reason: str) -> RelayChange | None:
        """A letter is in hand since that moment of `monotonic`, and has got no answer yet."""
        with self._lock:
            return self._go_away(reason) if self._heard_at < since else None

    def note_answered(self) -> RelayChange | None:
        """The relay has said something of a reader that tells nothing of others."""
        with self._lock:
            self._note_heard()
            return None if self._away_since is None or self._refuses_some else self._come_back()

    def note_refused(self, reader: str, letter: int, reason: str, final: bool) -> RelayChange | None:
        """A letter was refused, for good (`final`) or for now."""
        with self._lock:
            self._note_heard()
            self._refused.add(normalise_address(reader))
            if final:
                self._times[letter] = self._times.get(letter, 0) + 1
            if len(self._refused) >= MOST_READERS_REFUSED:
                return self._go_away(reason, refuses_all=True)
            if not final and letter not in self._at_fault:
                self._put_off.add(letter)
                return self._go_away(reason)
            return None if self._away_since is None or self._refuses_some else self._come_back()

    def note_sender_refused(self, reason: str) -> RelayChange | None:
        """Our own address was refused, and so is every letter."""
        with self._lock:
            self._note_heard()
            return self._go_away(reason, refuses_all=True)

    def times_refused(self, letter: int) -> int:
        """How often a letter was refused for good while others were taken."""
        with self._lock:
            return self._times.get(letter, 0)

    def note_taken(self, letter: int) -> RelayChange | None:
        """A letter was taken; it is news after a start, a lost conversation, and an absence."""
        with self._lock:
            if len(self._refused) >= MOST_READERS_REFUSED:
                self._times.clear()  # it was no fault of theirs
            self._times.pop(letter, None)
            self._refused.clear()
            self._at_fault = (self._at_fault | self._put_off) - {letter}
            self._put_off.clear()
            known = self._was_back and self._away_since is None and not self._lost
            self._note_heard()
            self._was_back = True
            return None if known else self._come_back()

    @property
    def _refuses_some(self) -> bool:
        """Whether refusals since the last letter that was taken show that the relay is away."""
        return bool(self._put_off) or len(self._refused) >= MOST_READERS_REFUSED

    def _note_heard(self) -> None:
        self._lost.clear()
        self._heard_at = self._tried_at = self.steady()
        self._is_reachable = True

    def _go_away(self, reason: str, refuses_all: bool = False) -> RelayChange:
        is_new, self._tried_at = self._away_since is None, self.steady()
        self._away_since = self._tried_at if self._away_since is None else self._away_since
        self._reason = reason
        return RelayChange(True, reason, refuses_all=refuses_all, is_new=is_new)

    def _come_back(self) -> RelayChange:
        seconds = 0.0 if self._away_since is None else self.steady() - self._away_since
        change = RelayChange(False, self._reason, seconds)
        self._away_since, self._reason = None, ""
        return change
