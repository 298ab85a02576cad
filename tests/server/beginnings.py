"""Games as many tests begin with them: begun once in a process, and copied from then on."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from typing import Any

from server.delivery.sending import send_due_letters
from server.store.database import MODELS
from tests.server.desk import NOON, Clock, Collector, Desk
from tests.server.storage import storage


@dataclass(frozen=True)
class Beginning:
    """All that there is once a game has begun."""

    game: str
    database: Any
    mails: tuple[EmailMessage, ...]
    envelopes: tuple[tuple[str, str], ...]
    dice: tuple[Any, ...]
    ended: datetime
    next_cleanup: datetime | None


KEPT: dict[tuple[Any, ...], Beginning] = {}
ANYTHING = "SELECT " + " OR ".join(f'EXISTS (SELECT 1 FROM "{table}")' for table in MODELS.tables)


def begin_once(
    context: Desk,
    mails: Collector,
    begin: Callable[[], str],
    *known_by: str | int,
    clock: Clock | None = None,
) -> str:
    """The game that `begin` makes in a new office with nothing else; its id.

    In later offices with the same settings and dice it is copied: what `begin` does must depend on nothing
    else but what it is known by, and the clock. Where something is stored already nothing is copied.
    """
    clock = clock or Clock()
    if not is_new(context):
        return begin()
    settings = context.settings.model_copy(update={"database": ""})
    store = storage()
    key = (store, begin.__module__, begin.__qualname__, known_by, clock.now, context.rng.getstate(), settings)
    if key not in KEPT:
        game = begin()
        kept = (tuple(deepcopy(mails.mails)), tuple(mails.envelopes))
        KEPT[key] = Beginning(
            game, store.keep(context.database), *kept, context.rng.getstate(), clock.now, context.next_cleanup
        )
        return game
    beginning = KEPT[key]
    store.put_back(context.database, beginning.database)
    context.rng.setstate(beginning.dice)
    clock.now = beginning.ended
    context.next_cleanup = beginning.next_cleanup
    mails.mails[:], mails.envelopes[:] = deepcopy(beginning.mails), beginning.envelopes
    return beginning.game


def begin_game(context: Desk, mails: Collector, *people: str) -> str:
    """A game of these people, whose first letters have left, in a new office with nothing else; its id."""

    def with_first_letters() -> str:
        game = context.start_game(*people)
        send_due_letters(context, mails, NOON)
        return game

    return begin_once(context, mails, with_first_letters, *people)


def begin_waiting_game(context: Desk, *people: str) -> str:
    """A game of these people, whose first letters wait to be sent, in a new office with nothing else."""
    return begin_once(context, Collector(), lambda: context.start_game(*people), *people)


def is_new(context: Desk) -> bool:
    with context.database.connect() as connection:
        return not connection.exec_driver_sql(ANYTHING).scalar_one()
