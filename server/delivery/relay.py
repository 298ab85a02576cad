"""State of the relay, the workers that share it, and what follows from an outage."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Condition, Lock, Thread
from time import monotonic

from sqlalchemy import ColumnElement, and_, update
from sqlmodel import Session, col, select

from server.accounts.bounces import MOST_READERS_REFUSED
from server.mail_addresses import normalise_address
from server.outbox.operator_mail import tell_operator
from server.outbox.outages import TOLD_AFTER, end_absence
from server.store.context import Context
from server.store.dialects.systems import SharedKeys
from server.store.models import OperatorMail, OutgoingLetter
from server.store.schedule import leave_uncounted, read_moment, write_moment
from server.store.states import Hindrance, LetterState, MomentName, OperatorMatter
from server.store.turn_clock import LEAST_ABSENCE

LEAST_LOST = 2
"""Readers, and games, with broken connections from which on the relay counts as away."""
PROBED_AFTER = 60.0
"""Seconds without any attempt after which a relay that was away is probed."""


@dataclass(frozen=True, slots=True)
class RelayChange:
    """The relay has gone away or come back."""

    away: bool
    reason: str = ""
    seconds: float = 0.0
    """How long it was away; 0 if unknown, as after a start."""
    refuses_all: bool = False
    is_new: bool = True


@dataclass(slots=True)
class RelayRecord:
    """What all workers of a process have observed of the relay.

    Its methods return the change to record, if any: each observation that the relay is away, new or not, and
    each end of an absence.
    """

    steady: Callable[[], float] = monotonic
    """Seconds of a clock that is never set."""
    _reason: str = ""
    _away_since: float | None = None
    _was_back: bool = False
    """Whether a letter was accepted since the start, which ends any earlier absence."""
    _heard_at: float = field(default_factory=monotonic)
    _tried_at: float = 0.0
    _is_reachable: bool = True
    _lost: set[tuple[str, str]] = field(default_factory=set)
    """Readers and games of the letters at which the connection broke since the last response."""
    _refused: set[str] = field(default_factory=set)
    """Readers of letters refused since one was accepted."""
    _put_off: set[int] = field(default_factory=set)
    """Letters refused temporarily since one was accepted."""
    _at_fault: set[int] = field(default_factory=set)
    """Letters refused temporarily while others were accepted: they say nothing about the relay."""
    _times: dict[int, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def seconds_away(self) -> float:
        """Seconds for which the relay has accepted no letters; 0 if it is not away."""
        with self._lock:
            return 0.0 if self._away_since is None else self.steady() - self._away_since

    @property
    def refuses_all(self) -> bool:
        with self._lock:
            return len(self._refused) >= MOST_READERS_REFUSED

    def note_away(self, reason: str) -> RelayChange | None:
        with self._lock:
            change = self._go_away(reason)
            self._is_reachable = False
            return change

    def note_lost(self, reader: str, game: str, reason: str) -> RelayChange | None:
        """Record that the connection broke at a letter of a game (empty: of none)."""
        with self._lock:
            self._tried_at, self._is_reachable = self.steady(), True
            self._lost.add((normalise_address(reader), game))
            fewest = min(len(set(names)) for names in zip(*self._lost, strict=True))
            return self._go_away(reason) if fewest >= LEAST_LOST else None

    def claim_probe(self) -> bool:
        """Whether to probe the relay now: it is away, and no worker has tried it for long."""
        with self._lock:
            now = self.steady()
            if self._away_since is None or now - self._tried_at < PROBED_AFTER:
                return False
            self._tried_at = now
            return True

    def note_reachable(self, is_awaited: bool) -> RelayChange | None:
        """Record that a connection succeeded, which ends an absence caused by failing connections.

        Any other absence ends only with an accepted letter, unless none waits (`is_awaited`).
        """
        with self._lock:
            if self._away_since is None or (self._is_reachable and is_awaited):
                return None
            self._lost.clear()
            self._refused.clear()
            self._put_off.clear()
            return self._come_back()

    def note_silent(self, since: float, reason: str) -> RelayChange | None:
        """Record that a letter has been waiting for a response since that moment of `monotonic`."""
        with self._lock:
            return self._go_away(reason) if self._heard_at < since else None

    def note_answered(self) -> RelayChange | None:
        """Record a response about one reader that says nothing about others."""
        with self._lock:
            self._note_heard()
            return None if self._away_since is None or self._refuses_some else self._come_back()

    def note_refused(self, reader: str, letter: int, reason: str, final: bool) -> RelayChange | None:
        """Record that a letter was refused, permanently (`final`) or temporarily."""
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
        with self._lock:
            self._note_heard()
            return self._go_away(reason, refuses_all=True)

    def times_refused(self, letter: int) -> int:
        """Return how often a letter was refused permanently while others were accepted."""
        with self._lock:
            return self._times.get(letter, 0)

    def note_taken(self, letter: int) -> RelayChange | None:
        """Record an accepted letter: a change after a start, a broken connection or an absence."""
        with self._lock:
            if len(self._refused) >= MOST_READERS_REFUSED:
                self._times.clear()  # the relay was at fault, not the letters
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


LOG = logging.getLogger(__name__)
READER = "reader "


def _do_nothing() -> None:
    return None


@dataclass(slots=True)
class DeliveryLanes:
    """Locks of all workers of a process: two never write to one reader, so letters keep their order."""

    relay: RelayRecord = field(default_factory=RelayRecord)
    shared: SharedKeys | None = None
    call_lane: Callable[[], None] = _do_nothing
    """Called by a worker that has claimed a letter, so that another looks for the next."""
    _readers: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def take(self, reader: str) -> bool:
        """Lock a reader for this worker until `let_go`; return False if another worker has them."""
        name = normalise_address(reader)
        with self._lock:
            if name in self._readers:
                return False
            self._readers.add(name)
        try:
            taken = self.shared is None or self.shared.take(READER + name)
        except BaseException:
            self._forget(name)
            raise
        if not taken:
            self._forget(name)
        return taken

    def let_go(self, reader: str) -> None:
        name = normalise_address(reader)
        if self.shared is not None:
            self.shared.let_go(READER + name)
        self._forget(name)

    def _forget(self, name: str) -> None:
        with self._lock:
            self._readers.discard(name)

    @property
    def seconds_away(self) -> float:
        return self.relay.seconds_away


@dataclass(slots=True)
class _Repeated:
    work: Callable[[], None]
    seconds: float
    due: float


class Repeater:
    """Repeats work while blocks are active, all in one thread.

    The thread ends after one pause without work, and starts when there is some.
    """

    def __init__(self) -> None:
        self._tasks: list[_Repeated] = []
        self._changed = Condition()
        self._thread: Thread | None = None

    @contextmanager
    def every(self, seconds: float, work: Callable[[], None]) -> Iterator[None]:
        """Call `work` every `seconds` while the block lasts; a last call may outlive the block."""
        task = _Repeated(work, seconds, monotonic() + seconds)
        with self._changed:
            self._tasks.append(task)
            if self._thread is None:
                self._thread = Thread(target=self._run, args=(seconds,), name="claims", daemon=True)
                self._thread.start()
            else:
                self._changed.notify()  # it may be due first
        try:
            yield
        finally:
            with self._changed:
                self._tasks.remove(task)

    def _run(self, pause: float) -> None:
        while True:
            with self._changed:
                due = min((one.due for one in self._tasks), default=monotonic() + pause)
                self._changed.wait(max(0.0, due - monotonic()))
                if not self._tasks:
                    self._thread = None
                    return
                due_now = [one for one in self._tasks if one.due <= monotonic()]
            for task in due_now:
                self._do_task(task)

    def _do_task(self, task: _Repeated) -> None:
        task.due = monotonic() + task.seconds
        try:
            task.work()
        except Exception:
            LOG.exception("a claim could not be renewed")  # the next attempt may succeed


REPEATER = Repeater()


MOST_REFUSALS = 3
LETTERS_REFUSED_WORDS = """\
The relay refuses a letter for good, and does not say that there is no such address:

{reason}

It is tried {most} times. If others are taken meanwhile, its reader counts as one from whom letters come back:
their clock stands still, and the other players are told. If the letters of {readers} readers in a row are
refused, all wait until the relay takes one, and no time runs on any turn.

`alexandros letters --failed` lists the letters that have not reached their readers.
"""
RELAY_REFUSES_WORDS = """\
The relay refuses the letters of all readers, the last one with these words:

{reason}

They wait until it takes one, and no time runs on any turn. The server tries it again and again.
"""
RELAY_WAS_AWAY_WORDS = """\
From {since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC the relay took no letters:

{reason}

It takes them again. No time ran on any turn.
"""


def note_relay_change(context: Context, change: RelayChange | None, now: datetime) -> None:
    """Store that the relay has gone away or come back, and inform the operator. None: no change."""
    if change is None:
        return
    if change.away:
        _note_away(context, change, now)
    else:
        _note_back(context, change, now)


def _note_away(context: Context, change: RelayChange, now: datetime) -> None:
    if change.is_new:
        context.events.note_relay_away(change.reason)
    with context.reading() as session:
        is_known = read_moment(session, MomentName.RELAY_AWAY) is not None
    if is_known and not (change.is_new and change.refuses_all):
        return
    with context.writing() as session:
        if read_moment(session, MomentName.RELAY_AWAY) is None:
            write_moment(session, MomentName.RELAY_AWAY, now)
        if change.refuses_all:
            words = RELAY_REFUSES_WORDS.format(reason=change.reason)
            tell_operator(context, session, OperatorMatter.RELAY_AWAY, words, now)
        session.commit()


def _note_back(context: Context, change: RelayChange, now: datetime) -> None:
    with context.reading() as session:
        since = read_moment(session, MomentName.RELAY_AWAY)
        which = _waits_for_relay(now, ended=since is not None)
        waiting = session.exec(select(OutgoingLetter.id).where(which).limit(1)).first()
    if since is not None or waiting is not None:
        with context.writing() as session:
            end_absence(context, session, MomentName.RELAY_AWAY, now)
            if since is not None and now - since >= LEAST_ABSENCE:
                leave_uncounted(session, (since, now))
            session.execute(update(OutgoingLetter).where(which).values(due_at=now))
            operator = update(OperatorMail).where(col(OperatorMail.state) == LetterState.WAITING)
            session.execute(operator.where(col(OperatorMail.due_at) > now).values(due_at=now))
            if since is not None and now - since >= TOLD_AFTER:
                reason = change.reason or "Why is not known any more."
                words = RELAY_WAS_AWAY_WORDS.format(since=since, until=now, reason=reason)
                tell_operator(context, session, OperatorMatter.RELAY_AWAY, words, now)
            context.commit_work(session)
    if since is not None or change.seconds:
        context.events.note_relay_back(change.seconds or (now - (since or now)).total_seconds())


def tell_of_refusal(context: Context, session: Session, reason: str, now: datetime) -> None:
    words = LETTERS_REFUSED_WORDS.format(reason=reason, most=MOST_REFUSALS, readers=MOST_READERS_REFUSED)
    tell_operator(context, session, OperatorMatter.LETTERS_REFUSED, words, now)


def _waits_for_relay(now: datetime, *, ended: bool) -> ColumnElement[bool]:
    """Condition: letters put off because of the relay; fewer after one broken connection (not `ended`)."""
    put_off = (Hindrance.RELAY, Hindrance.PERHAPS_TAKEN) if ended else (Hindrance.RELAY,)
    return and_(
        col(OutgoingLetter.state) == LetterState.WAITING,
        col(OutgoingLetter.due_at) > now,
        col(OutgoingLetter.hindrance).in_(put_off),
    )
