"""The context: settings, database, boards and caches, which all parts of the server share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from math import inf
from random import Random, SystemRandom
from secrets import token_hex
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import Engine, event
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlmodel import Session

from emails.tokens import KeyRing, LinkBuilder, Ticket, make_act_tags
from engine.board import Board
from engine.cards import Bag, Symbol
from engine.event_log import ChainLink
from engine.position import Table
from server.monitoring import EventLog, Health, SecurityLog
from server.settings import Settings
from server.store import load_boards, models
from server.store.database import open_database
from server.store.dialects import WRITING, DatabaseSystem, SharedKeys, is_disk_failure, system_of
from server.store.event_log import CorruptLog, History, load_act_time, read_history
from server.thinker import InlineThinker, Thinker

if TYPE_CHECKING:
    from engine.bots.advice import Suggestion

MOST_HISTORIES = 200
SHARED_READING: ContextVar[Session | None] = ContextVar("shared reading", default=None)


def utc_now() -> datetime:
    return datetime.now(UTC)


CachedValue = TypeVar("CachedValue")


@dataclass(slots=True)
class _Waiting:
    """Threads that wait for the answer to one question."""

    turn: Lock = field(default_factory=Lock)
    number: int = 0


@dataclass(slots=True)
class RecentlyUsed(Generic[CachedValue]):
    """A cache of the most recently used values."""

    most: int = 500
    _cached: OrderedDict[Hashable, CachedValue] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _waiting: dict[Hashable, _Waiting] = field(default_factory=dict)

    def get(self, key: Hashable) -> CachedValue | None:
        with self._lock:
            if key in self._cached:
                self._cached.move_to_end(key)
            return self._cached.get(key)

    @contextmanager
    def one_at_a_time(self, key: Hashable) -> Iterator[None]:
        with self._lock:
            waiting = self._waiting.setdefault(key, _Waiting())
            waiting.number += 1
        try:
            with waiting.turn:
                yield
        finally:
            with self._lock:
                waiting.number -= 1
                if not waiting.number:
                    del self._waiting[key]

    def put(self, key: Hashable, value: CachedValue) -> None:
        with self._lock:
            self._cached[key] = value
            self._cached.move_to_end(key)
            if len(self._cached) > self.most:
                self._cached.popitem(last=False)


@dataclass(slots=True)
class Context:
    settings: Settings
    database: Engine
    links: LinkBuilder
    rng: Random = field(default_factory=SystemRandom)
    """Random numbers of the operating system, which cannot be predicted."""
    history_cache: RecentlyUsed[History] = field(default_factory=partial(RecentlyUsed, MOST_HISTORIES))
    wake: Callable[[], None] = lambda: None
    sender: str = field(default_factory=lambda: token_hex(8))

    security: SecurityLog = field(default_factory=SecurityLog)
    events: EventLog = field(default_factory=EventLog)
    health: Health = field(init=False)
    system: DatabaseSystem = field(init=False)
    thinker: Thinker = field(default_factory=InlineThinker)
    adviser: Thinker = field(default_factory=InlineThinker)
    advice: RecentlyUsed[tuple[Suggestion, ...]] = field(default_factory=RecentlyUsed)
    chains: RecentlyUsed[tuple[int, ChainLink]] = field(default_factory=RecentlyUsed)
    tables: RecentlyUsed[Table] = field(default_factory=RecentlyUsed)
    """Tables at the start of players' turns, by game, redactions and number of events."""
    damaged_reviews: set[str] = field(default_factory=set)
    next_cleanup: datetime | None = None
    """Time of the next clean-up; None: at the next tick."""

    disk_failed_at: float = -inf
    shared_keys: SharedKeys | None = None
    """Locks for work in progress, shared by processes; None if one process does all work."""
    _for_writing: Engine = field(init=False)

    def __post_init__(self) -> None:
        self.health = Health(self.events)
        self.system = system_of(self.database.url)
        self._for_writing = self.database.execution_options(**{WRITING: True})
        self.system.watch_timeline(self.database, self.forget_games)
        event.listen(self.database, "handle_error", self._note_disk_failure)

    def forget_games(self) -> None:
        self.history_cache, self.tables = RecentlyUsed(MOST_HISTORIES), RecentlyUsed()
        self.chains, self.advice = RecentlyUsed(), RecentlyUsed()

    def _note_disk_failure(self, failed: ExceptionContext) -> None:
        if is_disk_failure(failed.original_exception):
            self.disk_failed_at = monotonic()

    def pick_card(self, bag: Bag) -> Symbol:
        return self.rng.choice(list(bag))

    def reading(self) -> AbstractContextManager[Session]:
        """Open a session for reading, or in a block of `share_reading` use the session of this block."""
        shared = SHARED_READING.get()
        if shared is not None and shared.bind is self.database:
            return nullcontext(shared)
        return Session(self.database, expire_on_commit=False)

    @contextmanager
    def share_reading(self) -> Iterator[None]:
        """Let all reading in the block use one session: it reads each row once, all as of one moment.

        The block must not read what it has written.
        """
        with Session(self.database, expire_on_commit=False) as session:
            before = SHARED_READING.set(session)
            try:
                yield
            finally:
                SHARED_READING.reset(before)

    def writing(self, game: str | None = None) -> Session:
        """Open a writing session, which waits for its lock only when its transaction begins.

        `game`: lock only this game; None: all. With a game, the session may update only rows of this game.
        For other rows, it must first call `system.lock`.
        """
        if game is None:
            return Session(self._for_writing, expire_on_commit=False)
        for_game = self.database.execution_options(**{WRITING: f"game {game}"})
        return Session(for_game, expire_on_commit=False)

    def commit_work(self, session: Session) -> None:
        """Commit a session that creates work, and wake the jobs for it, here and in other processes."""
        self.system.announce(session.connection(), self.sender)
        session.commit()
        self.wake()

    def board_of(self, game: models.Game) -> Board:
        try:
            return load_boards()[game.board]
        except KeyError:
            raise CorruptLog(f"game {game.id} is played on a missing board: {game.board}") from None

    def history_of(self, session: Session, game: models.Game) -> History:
        """Return a game's committed history, reading only acts that are not cached. Raises `CorruptLog`."""
        known = self.history_cache.get(game.id) or History()
        if known.redactions != game.redactions or known.seq > game.seq:
            known = History(redactions=game.redactions)  # redacted or set back since: read from the start
            self.tables = RecentlyUsed()
        if known.seq == game.seq:  # the row of a game is written in the same transaction as its acts
            return known
        history = read_history(session, game.id, self.board_of(game), known)
        if history.seq != known.seq:
            self.history_cache.put(game.id, history)
        return history


def act_tag_of(context: Context, session: Session, game: str, number: int) -> bytes:
    at = find_moment(context, session, game, number)
    return make_act_tags(game, number, at, context.links.keys)[0] if at else b""


def is_set_back(context: Context, session: Session, ticket: Ticket) -> bool:
    if not ticket.after:
        return False
    at = find_moment(context, session, ticket.game, ticket.after)
    if not at or not ticket.act_tag:
        return not at
    return ticket.act_tag not in make_act_tags(ticket.game, ticket.after, at, context.links.keys)


def find_moment(context: Context, session: Session, game: str, number: int) -> str:
    """Return an act's timestamp as stored; empty if no act has this number."""
    if not number:
        return ""  # acts are counted from 1
    known = context.history_cache.get(game)
    if known is not None and known.after == number and known.after_at:
        return known.after_at
    return load_act_time(session, game, number)


def open_context(settings: Settings, *, making: bool = True) -> Context:
    """Open the database and return the context.

    `making`: create a missing database. Raises `SchemaMismatch`.
    """
    links = LinkBuilder(settings.base_url, settings.mail_domain, KeyRing(settings.secrets))
    return Context(settings, open_database(settings.database, making=making), links)
