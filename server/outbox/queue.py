"""What goes into the outbox: a row says who is to be told of what, and from when on.

It is stored with the act that causes it. Its Message-ID is derived from game, act, seat and kind, so
the same notification is never stored twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, bindparam, func, insert, select
from sqlmodel import Session

from emails.letters.mime import make_message_id
from server.outbox.notifications import KINDS_SHOWING_GAME, NO_LETTERS, Notification, is_held_back, is_wanted
from server.outbox.preferences import Preferences, combine_preferences
from server.store.context import Context
from server.store.models import Game, OutgoingLetter, Player, Seating, StoredPreferences


@dataclass(frozen=True, slots=True)
class Person:
    """A person on a seat of a game."""

    seat: int
    name: str
    address: str
    accepted: bool
    preferences: Preferences
    """Of this game."""


# Plain statements: they are a part of each act.
SEATING_COLUMNS = Seating.__table__.c  # type: ignore[attr-defined]
PLAYER_TABLE = Player.__table__  # type: ignore[attr-defined]
SHARED_PREFERENCES = StoredPreferences.__table__.alias()  # type: ignore[attr-defined]
GAME_PREFERENCES = StoredPreferences.__table__.alias()  # type: ignore[attr-defined]
SELECT_PEOPLE = (
    select(
        SEATING_COLUMNS.seat,
        SEATING_COLUMNS.name,
        PLAYER_TABLE.c.address,
        SEATING_COLUMNS.accepted_at,
        SHARED_PREFERENCES.c.said,
        GAME_PREFERENCES.c.said,
    )
    .join(PLAYER_TABLE, SEATING_COLUMNS.player == PLAYER_TABLE.c.id)
    .outerjoin(
        SHARED_PREFERENCES,
        and_(SHARED_PREFERENCES.c.player == SEATING_COLUMNS.player, SHARED_PREFERENCES.c.game == ""),
    )
    .outerjoin(
        GAME_PREFERENCES,
        and_(
            GAME_PREFERENCES.c.player == SEATING_COLUMNS.player,
            GAME_PREFERENCES.c.game == SEATING_COLUMNS.game,
        ),
    )
    .where(SEATING_COLUMNS.game == bindparam("game"))
)
INSERT_LETTERS = insert(OutgoingLetter).prefix_with("OR IGNORE")
"""A letter that is there already is not queued again."""

OUTGOING_COLUMNS = OutgoingLetter.__table__.c  # type: ignore[attr-defined]
SELECT_LAST_SENT = select(func.max(OUTGOING_COLUMNS.sent_at)).where(
    OUTGOING_COLUMNS.state == "sent", OUTGOING_COLUMNS.kind.in_(KINDS_SHOWING_GAME)
)


def load_people(session: Session, game: str) -> dict[int, Person]:
    """The people who play a game, by seat; house seats and empty ones are not among them."""
    found = session.connection().execute(SELECT_PEOPLE, {"game": game})
    return {
        row[0]: Person(row[0], row[1], row[2], row[3] is not None, combine_preferences(row[4], row[5]))
        for row in found
    }


def queue_letters(
    context: Context, session: Session, game: Game, occasions: Iterable[Notification], now: datetime
) -> None:
    """Store the letters that their readers want, to be sent once the caller has committed."""
    asked = list(occasions)
    present = load_people(session, game.id) if asked else {}
    rows = []
    for occasion in asked:
        reader = present.get(occasion.seat)
        if reader is None:
            continue
        if is_wanted(occasion, reader.preferences, game):
            rows.append(_row(context, game, occasion, reader, now))
        elif occasion.kind == "invitation":  # kept, so that it goes out if its reader wants letters again
            rows.append(_row(context, game, occasion, reader, now) | {"state": "dropped", "why": NO_LETTERS})
    if rows:
        session.connection().execute(INSERT_LETTERS, rows)


def _row(
    context: Context, game: Game, occasion: Notification, reader: Person, now: datetime
) -> dict[str, object]:
    mail = occasion.mail
    kind = f"{occasion.kind}{occasion.mark}" if mail is None else f"{occasion.kind}{mail.id}"
    seq = game.seq
    if occasion.kind in ("turn", "step") or occasion.kind.startswith("reminder"):
        seq = game.after  # an act of the server's own may have come since
    elif occasion.kind == "digest":  # one a day, whatever happens meanwhile
        seq = 0
    due_at = (
        reader.preferences.letter_due_at(now)
        if is_held_back(occasion.kind, occasion.seat, occasion.detail)
        else now
    )
    return {
        "message_id": make_message_id(game.id, seq, occasion.seat, kind, context.settings.mail_domain),
        "game": game.id,
        "seq": seq,
        "seat": occasion.seat,
        "kind": occasion.kind,
        "recipient": occasion.recipient or reader.address,
        "detail": json.dumps(occasion.detail),
        "answers": None if mail is None else mail.message_id,
        "state": "waiting",
        "why": "",
        "tries": 0,
        "text": "",
        "queued_at": now,
        "due_at": max(due_at, now + occasion.later),
    }


def last_sent_at(session: Session, game: str, seat: int) -> datetime | None:
    """When the last letter that shows the game went to a seat of it."""
    sent = SELECT_LAST_SENT.where(OUTGOING_COLUMNS.game == game, OUTGOING_COLUMNS.seat == seat)
    found: datetime | None = session.connection().execute(sent).scalar()
    return found
