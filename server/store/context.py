"""The context: what every part of the server needs to do its work, wired once.

Everything takes the context and the time (`now`), so tests bring their own dice and clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random, SystemRandom

from sqlalchemy import Engine
from sqlmodel import Session

from emails.keys import KeyRing
from emails.links import LinkBuilder
from engine.board import Board
from engine.bots.advice import Suggestion
from engine.cards import Bag, Symbol
from server.forecast.rates import Rates
from server.monitoring.events import EventLog
from server.monitoring.health import Health
from server.security_log import SecurityLog
from server.settings import Settings
from server.store import models
from server.store.boards import load_boards
from server.store.database import open_database
from server.store.event_log import CorruptLog, read_history
from server.store.histories import History, HistoryCache
from server.thinking.recent_answers import RecentAnswers
from server.thinking.thinker import InlineThinker, Thinker


def utc_now() -> datetime:
    """The moment it is."""
    return datetime.now(UTC)


def _do_nothing() -> None:
    return None


@dataclass(slots=True)
class Context:
    """Settings, database, dice, and the histories kept at hand."""

    settings: Settings
    database: Engine
    links: LinkBuilder
    rng: Random = field(default_factory=SystemRandom)
    """Live dice: the operating system's randomness, which nobody can foretell."""
    history_cache: HistoryCache = field(default_factory=HistoryCache)
    wake: Callable[[], None] = _do_nothing
    """Called after a commit that leaves something to do: a letter to send, a house seat to play."""

    security: SecurityLog = field(default_factory=SecurityLog)
    """Where it is noted what matters for security."""
    events: EventLog = field(default_factory=EventLog)
    """Where it is noted what happens, and counted."""
    health: Health = field(init=False)
    """What is checked, and what fails."""
    thinker: Thinker = field(default_factory=InlineThinker)
    """Where players of the house think, and finished games are looked through."""
    adviser: Thinker = field(default_factory=InlineThinker)
    """The same for whoever waits for a page, so that advice does not wait behind a turn of the house."""
    advice: RecentAnswers[tuple[Suggestion, ...]] = field(default_factory=RecentAnswers)
    """What was advised lately, by game, act and seat."""
    mean_rates: tuple[datetime, Rates] | None = None
    """How soon all players answer, and since when that is known; None: nobody has asked."""
    damaged_reviews: set[str] = field(default_factory=set)
    """Games whose finished review could not be read when somebody asked for it."""
    next_cleanup: datetime | None = None
    """When it is looked for again what has been kept long enough; None: at the next tick."""

    _for_writing: Engine = field(init=False)

    def __post_init__(self) -> None:
        self.health = Health(self.events)
        self._for_writing = self.database.execution_options(writing=True)

    def pick_card(self, bag: Bag) -> Symbol:
        """A card picked from a bag."""
        return self.rng.choice(list(bag))

    def reading(self) -> Session:
        """A session that only reads."""
        return Session(self.database, expire_on_commit=False)

    def writing(self) -> Session:
        """A session that writes: on SQLite it waits for the lock at once, so that it cannot fail later."""
        return Session(self._for_writing, expire_on_commit=False)

    def board_of(self, game: models.Game) -> Board:
        """The board a game is played on. Raises `CorruptLog` where there is none of that name."""
        try:
            return load_boards()[game.board]
        except KeyError:
            raise CorruptLog(f"game {game.id} is played on a board that is not there: {game.board}") from None

    def history_of(self, session: Session, game: models.Game) -> History:
        """A game's committed history, from the cache as far as it is there. Raises `CorruptLog`."""
        known = self.history_cache.get(game.id)
        if known.redactions != game.redactions:  # what another process has changed is read from the start
            known = History(redactions=game.redactions)
        if known.seq == game.seq:  # the row of a game is written in the same transaction as its acts
            return known
        history = read_history(session, game.id, self.board_of(game), known)
        if history.seq != known.seq:
            self.history_cache.put(game.id, history)
        return history


def open_context(settings: Settings) -> Context:
    """The context with its database. Raises `SchemaMismatch`."""
    links = LinkBuilder(settings.base_url, settings.mail_domain, KeyRing(settings.secrets))
    return Context(settings, open_database(settings.database), links)
