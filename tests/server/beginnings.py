"""Games as many tests begin with them: opened once in a process, and copied from then on."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from server.delivery.outgoing import send_due_letters
from server.store.context import Context
from tests.server.desk import NOON, Collector, start_game


@dataclass(frozen=True)
class Beginning:
    """All that there is once the first letters of a game have left."""

    game: str
    database: bytes
    mails: tuple[EmailMessage, ...]
    envelopes: tuple[tuple[str, str], ...]
    dice: tuple[Any, ...]


KEPT: dict[tuple[Any, ...], Beginning] = {}


def begin_game(context: Context, mails: Collector, *people: str) -> str:
    """A game of these people, whose first letters have left, in a new office with nothing else; its id."""
    file = Path(context.database.url.database or "")
    key = (people, context.rng.getstate(), context.settings.model_copy(update={"database": ""}))
    if key not in KEPT:
        game = start_game(context, *people)
        send_due_letters(context, mails, NOON)
        context.database.dispose()  # all of it is in the one file then
        kept = (tuple(deepcopy(mails.mails)), tuple(mails.envelopes), context.rng.getstate())
        KEPT[key] = Beginning(game, file.read_bytes(), *kept)
        return game
    beginning = KEPT[key]
    context.database.dispose()
    file.write_bytes(beginning.database)
    context.rng.setstate(beginning.dice)
    mails.mails[:], mails.envelopes[:] = deepcopy(beginning.mails), beginning.envelopes
    return beginning.game
