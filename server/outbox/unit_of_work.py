"""A unit of work: one transaction that writes acts, the letters they cause and whatever goes along with them.

All of it is stored or nothing. Whoever opens one commits it; what they add to it goes along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import TypeVar

from sqlmodel import Session

from emails.i18n import gettext
from server.outbox.budgets import UNKNOWN, Budget, BudgetSpent, Origin
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.dialects.system_choice import announce
from server.store.histories import History
from server.store.models import Game
from server.store.refusals import Refusal, RefusalCode, StalePosition
from server.store.states import Channel


@dataclass(slots=True)
class UnitOfWork:
    """A transaction and the moment of all that is written in it."""

    context: Context
    session: Session
    now: datetime
    origin: Origin = UNKNOWN
    """Who causes what is done, as budgets.py counts the letters that nobody has asked for."""
    _histories: dict[str, History] = field(default_factory=dict)
    _letters: list[tuple[Game, Iterable[Notification]]] = field(default_factory=list)
    _afterwards: list[Callable[[], None]] = field(default_factory=list)
    _began: float = field(default_factory=perf_counter)

    def history_of(self, game: Game) -> History:
        """A game's history with the acts of this unit, which the context does not know before the commit."""
        kept = self._histories.get(game.id)
        return self.context.history_of(self.session, game) if kept is None else kept

    def keep_history(self, game: str, history: History) -> None:
        """Keep a history at hand once it is committed."""
        self._histories[game] = history

    def note_act(self, game: str, number: int, seat: int | None, channel: Channel) -> None:
        """Let the log tell of an act once it is committed."""

        def tell() -> None:
            self.context.events.note_act(game, number, seat, channel, perf_counter() - self._began)

        self.after_commit(tell)

    def after_commit(self, work: Callable[[], None]) -> None:
        """Do something that must not be done of what is undone."""
        self._afterwards.append(work)

    def tell(self, game: Game, notifications: Iterable[Notification]) -> None:
        """Queue letters, after those that are queued before the commit: answers and chat come first."""
        self._letters.append((game, notifications))

    def queue(self, game: Game, notifications: Iterable[Notification]) -> None:
        """Queue letters now, as answers and chat are, which come before what `tell` is given."""
        queue_letters(self.context, self.session, game, notifications, self.now, self.origin)

    def commit(self) -> None:
        """Store it all, and wake whoever has to go on."""
        for game, notifications in self._letters:
            self.queue(game, notifications)
        announce(self.session.connection(), self.context.sender)
        self.session.commit()
        for name, history in self._histories.items():
            self.context.history_cache.put(name, history)
        self.context.wake()
        for work in self._afterwards:
            work()


class OthersActed(Refusal):
    """Others were quicker again and again."""

    code = RefusalCode.STALE


Result = TypeVar("Result")
MOST_TRIES = 5
"""Several may act in a game in one moment; each has one try more than there are others."""


@contextmanager
def open_unit(
    context: Context, now: datetime, origin: Origin = UNKNOWN, game: str | None = None
) -> Iterator[UnitOfWork]:
    """A unit of work, of one `game` alone or of anything; what is not committed at its end is undone."""
    with context.writing(game) as session:
        try:
            yield UnitOfWork(context, session, now, origin)
        except BudgetSpent:
            context.security.note(SecurityEvent.LIMIT_REACHED, origin.text, now, limit=Budget.ORIGIN)
            raise


def do_with_retries(
    context: Context, now: datetime, work: Callable[[UnitOfWork], Result], origin: Origin = UNKNOWN
) -> Result:
    """Do something in a unit of work of its own, anew where somebody was quicker; what came of it. Commits.

    Raises what `work` does, and `OthersActed`.
    """
    for _ in range(MOST_TRIES):
        try:
            with open_unit(context, now, origin) as unit:
                done = work(unit)
                unit.commit()
        except StalePosition:
            continue
        return done
    raise OthersActed(gettext("Others acted at this moment. Please press once more."))
