"""What goes into the outbox: a row says who is to be told of what, and from when on.

It is stored with the act that causes it. Its Message-ID follows from game, act, seat and kind, so that one
occasion gives one letter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, bindparam, func, insert, select
from sqlmodel import Session

from emails.letters.mime import message_id
from server.outbox.notifications import NO_LETTERS, SHOWING, Occasion, held, wanted
from server.outbox.preferences import Wants, combined
from server.store.context import Office
from server.store.models import Game, Outgoing, Player, Preference, Seating


@dataclass(frozen=True, slots=True)
class Person:
    """A person on a seat of a game."""

    seat: int
    name: str
    address: str
    accepted: bool
    wants: Wants
    """Of this game."""


# Plain statements: they are a part of each act.
SEATS = Seating.__table__.c  # type: ignore[attr-defined]
PLAYERS = Player.__table__  # type: ignore[attr-defined]
EVERYWHERE = Preference.__table__.alias()  # type: ignore[attr-defined]
HERE = Preference.__table__.alias()  # type: ignore[attr-defined]
PEOPLE = (
    select(SEATS.seat, SEATS.name, PLAYERS.c.address, SEATS.accepted_at, EVERYWHERE.c.said, HERE.c.said)
    .join(PLAYERS, SEATS.player == PLAYERS.c.id)
    .outerjoin(EVERYWHERE, and_(EVERYWHERE.c.player == SEATS.player, EVERYWHERE.c.game == ""))
    .outerjoin(HERE, and_(HERE.c.player == SEATS.player, HERE.c.game == SEATS.game))
    .where(SEATS.game == bindparam("game"))
)
QUEUED = insert(Outgoing).prefix_with("OR IGNORE")
"""A letter that is there already is not queued again."""

OUTGOING = Outgoing.__table__.c  # type: ignore[attr-defined]
SENT = select(func.max(OUTGOING.sent_at)).where(OUTGOING.state == "sent", OUTGOING.kind.in_(SHOWING))


def people(session: Session, game: str) -> dict[int, Person]:
    """The people who play a game, by seat; house seats and empty ones are not among them."""
    found = session.connection().execute(PEOPLE, {"game": game})
    return {
        row[0]: Person(row[0], row[1], row[2], row[3] is not None, combined(row[4], row[5])) for row in found
    }


def queue(office: Office, session: Session, game: Game, occasions: Iterable[Occasion], now: datetime) -> None:
    """Store the letters that their readers want, to be sent once the caller has committed."""
    asked = list(occasions)
    present = people(session, game.id) if asked else {}
    rows = []
    for occasion in asked:
        reader = present.get(occasion.seat)
        if reader is None:
            continue
        if wanted(occasion, reader.wants, game):
            rows.append(_row(office, game, occasion, reader, now))
        elif occasion.kind == "invitation":  # kept, so that it goes out if its reader wants letters again
            rows.append(_row(office, game, occasion, reader, now) | {"state": "dropped", "why": NO_LETTERS})
    if rows:
        session.connection().execute(QUEUED, rows)


def _row(office: Office, game: Game, occasion: Occasion, reader: Person, now: datetime) -> dict[str, object]:
    mail = occasion.mail
    kind = f"{occasion.kind}{occasion.mark}" if mail is None else f"{occasion.kind}{mail.id}"
    seq = game.seq
    if occasion.kind in ("turn", "step") or occasion.kind.startswith("reminder"):
        seq = game.after  # an act of the server's own may have come since
    elif occasion.kind == "digest":  # one a day, whatever happens meanwhile
        seq = 0
    due_at = reader.wants.due(now) if held(occasion.kind, occasion.seat, occasion.detail) else now
    return {
        "message_id": message_id(game.id, seq, occasion.seat, kind, office.settings.mail_domain),
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


def last_sent(session: Session, game: str, seat: int) -> datetime | None:
    """When the last letter that shows the game went to a seat of it."""
    sent = SENT.where(OUTGOING.game == game, OUTGOING.seat == seat)
    found: datetime | None = session.connection().execute(sent).scalar()
    return found
