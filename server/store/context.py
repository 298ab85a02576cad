"""The context: settings, database, boards and caches that every part of the server shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from random import Random, SystemRandom
from secrets import token_hex
from time import monotonic

from sqlalchemy import Engine, bindparam, event, select
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlmodel import Session

from emails.keys import KeyRing
from emails.tokens import LinkBuilder, Ticket, is_era_of, make_era
from engine.board import Board
from engine.bots.advice import Suggestion
from engine.cards import Bag, Symbol
from engine.seal.hash_chain import ChainLink
from server.configuration.settings import Settings
from server.monitoring.health import Health
from server.monitoring.server_events import EventLog
from server.security_log import SecurityLog
from server.store import models
from server.store.boards import load_boards
from server.store.database import open_database
from server.store.dialects.system_choice import announce, game_key, system_of
from server.store.dialects.systems import WRITING, SharedKeys, is_disk_failure
from server.store.event_log import ACT_COLUMNS, CorruptLog, History, HistoryCache, read_history
from server.thinking.recent_answers import RecentAnswers
from server.thinking.thinking_process import InlineThinker, Thinker

SELECT_MOMENT = select(ACT_COLUMNS.at).where(
    ACT_COLUMNS.game == bindparam("game"), ACT_COLUMNS.seq == bindparam("number")
)


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
    sender: str = field(default_factory=lambda: token_hex(8))
    """As who this process announces to others that there is something to do."""

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
    chains: RecentAnswers[tuple[int, ChainLink]] = field(default_factory=RecentAnswers)
    """Up to which act the logs of games were digested lately, and the chain up to there."""
    damaged_reviews: set[str] = field(default_factory=set)
    """Games whose finished review could not be read when somebody asked for it."""
    next_cleanup: datetime | None = None
    """When it is looked for again what has been kept long enough; None: at the next tick."""

    disk_failed_at: float = -inf
    """When the disk last took nothing of what was to be written, by `monotonic`."""
    shared_keys: SharedKeys | None = None
    """Keys of what is in hand, which several processes share; None where this one need not ask others."""
    _for_writing: Engine = field(init=False)

    def __post_init__(self) -> None:
        self.health = Health(self.events)
        self._for_writing = self.database.execution_options(**{WRITING: True})
        system_of(self.database.url).watch_timeline(self.database, self.forget_games)
        event.listen(self.database, "handle_error", self._note_disk_failure)

    def forget_games(self) -> None:
        """Have nothing at hand of any game, as where the last acts of some may be gone."""
        self.history_cache, self.chains, self.advice = HistoryCache(), RecentAnswers(), RecentAnswers()

    def _note_disk_failure(self, failed: ExceptionContext) -> None:
        if is_disk_failure(failed.original_exception):
            self.disk_failed_at = monotonic()

    def pick_card(self, bag: Bag) -> Symbol:
        """A card picked from a bag."""
        return self.rng.choice(list(bag))

    def reading(self) -> Session:
        """A session that only reads."""
        return Session(self.database, expire_on_commit=False)

    def writing(self, game: str | None = None) -> Session:
        """A session that writes: it waits for its lock at once, so that it cannot fail later.

        `game`: all that it looks up to write it belongs to this game, or has its own key (system_choice.py).
        """
        if game is None:
            return Session(self._for_writing, expire_on_commit=False)
        for_game = self.database.execution_options(**{WRITING: game_key(game)})
        return Session(for_game, expire_on_commit=False)

    def commit_work(self, session: Session) -> None:
        """Commit what leaves something to do, and wake whoever does it, in this process or another."""
        announce(session.connection(), self.sender)
        session.commit()
        self.wake()

    def board_of(self, game: models.Game) -> Board:
        """The board a game is played on. Raises `CorruptLog` where there is none of that name."""
        try:
            return load_boards()[game.board]
        except KeyError:
            raise CorruptLog(f"game {game.id} is played on a board that is not there: {game.board}") from None

    def history_of(self, session: Session, game: models.Game) -> History:
        """A game's committed history, from the cache as far as it is there. Raises `CorruptLog`."""
        known = self.history_cache.get(game.id)
        if known.redactions != game.redactions or known.seq > game.seq:
            known = History(
                redactions=game.redactions
            )  # what was changed, or set back, is read from the start
        if known.seq == game.seq:  # the row of a game is written in the same transaction as its acts
            return known
        history = read_history(session, game.id, self.board_of(game), known)
        if history.seq != known.seq:
            self.history_cache.put(game.id, history)
        return history


@dataclass(frozen=True, slots=True)
class TicketedGame:
    """The game of a ticket, as it stands."""

    row: models.Game
    history: History
    board: Board
    is_set_back: bool
    """Whether the act that the ticket is of is not in the log any more."""


def load_ticketed_game(context: Context, session: Session, ticket: Ticket) -> TicketedGame | None:
    """The game of a ticket; None where there is none, and where somebody else has its seat by now."""
    row = session.get(models.Game, ticket.game)
    if row is None:
        return None
    history = context.history_of(session, row)
    if history.is_of_earlier_player(ticket):
        return None
    return TicketedGame(row, history, context.board_of(row), is_set_back(context, session, ticket))


def make_era_of(context: Context, session: Session, game: str, number: int) -> bytes:
    """The era of an act; empty where there is none of that number."""
    at = find_moment(context, session, game, number)
    return make_era(game, number, at, context.links.keys) if at else b""


def is_set_back(context: Context, session: Session, ticket: Ticket) -> bool:
    """Whether a ticket is of an act that is not in the log any more, though perhaps another of its number."""
    if not ticket.after:
        return False
    at = find_moment(context, session, ticket.game, ticket.after)
    if not at or not ticket.era:
        return not at
    return not is_era_of(ticket.era, ticket.game, ticket.after, at, context.links.keys)


def find_moment(context: Context, session: Session, game: str, number: int) -> str:
    """When an act was, as it says itself; empty where there is none of that number."""
    if not number:
        return ""  # acts are counted from 1
    known = context.history_cache.get(game)
    if known.after == number and known.after_at:
        return known.after_at
    found = session.connection().execute(SELECT_MOMENT, {"game": game, "number": number})
    return found.scalar() or ""


def open_context(settings: Settings, *, making: bool = True) -> Context:
    """The context with its database, made where there is none if `making`. Raises `SchemaMismatch`."""
    links = LinkBuilder(settings.base_url, settings.mail_domain, KeyRing(settings.secrets))
    return Context(settings, open_database(settings.database, making=making), links)
