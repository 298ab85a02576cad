"""What the last letters tell of the relay: whether it takes letters, and if not, whose fault that is.

Where no conversation comes about the relay is away. So it is where two conversations in a row break off,
where it leaves a letter without an answer for long and nothing else is heard of it, and where letters to
three readers in a row are refused with none taken in between: then the fault is our own, as with a sender
that is blocked, and of no reader. While it is away letters wait, and no time runs on turns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from server.mail_addresses import normalise_address

MOST_LOST = 2
"""Conversations in a row that break off before the relay counts as away."""
MOST_READERS_REFUSED = 3
"""Readers in a row whose letters are refused before that is our own fault."""


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


@dataclass(slots=True)
class RelayRecord:
    """What all lanes of a server have seen of the relay. A method gives the change that it makes, if any."""

    _reason: str = ""
    _away_since: float | None = None
    _was_back: bool = False
    """Whether a letter was taken since the start: an absence from before it has ended then."""
    _heard_at: float = field(default_factory=monotonic)
    _lost: int = 0
    _refused: set[str] = field(default_factory=set)
    """The readers of letters that were refused since one was taken."""
    _times: dict[int, int] = field(default_factory=dict)
    """How often each letter was refused for good."""
    _lock: Lock = field(default_factory=Lock)

    @property
    def seconds_away(self) -> float:
        """Seconds for which the relay takes no letters; 0 where it does."""
        with self._lock:
            return 0.0 if self._away_since is None else monotonic() - self._away_since

    @property
    def refuses_all(self) -> bool:
        """Whether letters are refused whoever their reader is."""
        with self._lock:
            return len(self._refused) >= MOST_READERS_REFUSED

    def note_away(self, reason: str) -> RelayChange | None:
        """No conversation comes about."""
        with self._lock:
            return self._go_away(reason)

    def note_lost(self, reason: str) -> RelayChange | None:
        """A conversation has broken off."""
        with self._lock:
            self._lost += 1
            return self._go_away(reason) if self._lost >= MOST_LOST else None

    def note_silent(self, since: float, reason: str) -> RelayChange | None:
        """A letter is in hand since that moment of `monotonic`, and has got no answer yet."""
        with self._lock:
            return self._go_away(reason) if self._heard_at < since else None

    def note_answered(self) -> RelayChange | None:
        """The relay has said something of a reader that tells nothing of others."""
        with self._lock:
            self._lost, self._heard_at = 0, monotonic()
            refuses_all = len(self._refused) >= MOST_READERS_REFUSED
            return None if self._away_since is None or refuses_all else self._come_back()

    def note_refused(self, reader: str, letter: int, reason: str, final: bool) -> RelayChange | None:
        """A letter was refused, for good (`final`) or for now."""
        with self._lock:
            self._lost, self._heard_at = 0, monotonic()
            self._refused.add(normalise_address(reader))
            if final:
                self._times[letter] = self._times.get(letter, 0) + 1
            if len(self._refused) >= MOST_READERS_REFUSED:
                return self._go_away(reason, refuses_all=True)
            return self._come_back() if self._away_since is not None else None

    def note_sender_refused(self, reason: str) -> RelayChange | None:
        """Our own address was refused, and so is every letter."""
        with self._lock:
            self._lost, self._heard_at = 0, monotonic()
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
            known = self._was_back and self._away_since is None and not self._lost
            self._lost, self._heard_at, self._was_back = 0, monotonic(), True
            return None if known else self._come_back()

    def _go_away(self, reason: str, refuses_all: bool = False) -> RelayChange | None:
        first, self._away_since = self._away_since is None, self._away_since or monotonic()
        self._reason = reason
        return RelayChange(True, reason, refuses_all=refuses_all) if first else None

    def _come_back(self) -> RelayChange:
        seconds = 0.0 if self._away_since is None else monotonic() - self._away_since
        change = RelayChange(False, self._reason, seconds)
        self._away_since, self._reason = None, ""
        return change
