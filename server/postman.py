"""The outbox: letters are stored with the act that causes them and sent after it is committed.

A row says who is to be told of what; the letter itself is written when it is sent, so that drawing it is
never inside a request and it shows the position of that moment. Its Message-ID follows from game, act, seat
and kind: sending it twice gives the reader one mail. A letter whose occasion has passed is dropped.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser

from sqlalchemy import bindparam, insert, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlmodel import Session, col, select

from emails.compose import message_id
from server.carriers import Carrier, NotCarried, carrier_for
from server.office import Office
from server.tables import Game, Incoming, Kept, Outgoing, Player, Seating
from server.writing import write

LOG = logging.getLogger(__name__)
CLAIM = timedelta(minutes=5)
"""How long a letter belongs to whoever began to send it."""
MOST_TRIES = 16
"""With the pauses between them about three days."""
LONGEST_PAUSE = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class Occasion:
    """Something that one seat is to be told."""

    seat: int
    kind: str
    detail: Mapping[str, object] = field(default_factory=dict)
    mail: Incoming | None = None
    """The mail it answers."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person on a seat of a game."""

    seat: int
    name: str
    address: str
    accepted: bool


PEOPLE = (
    select(Seating.seat, Seating.name, Player.address, Seating.accepted_at)
    .join(Player, col(Seating.player) == col(Player.id))
    .where(col(Seating.game) == bindparam("game"))
)
QUEUED = insert(Outgoing).prefix_with("OR IGNORE")
"""A letter that is there already is not queued again."""


def people(session: Session, game: str) -> dict[int, Person]:
    """The people who play a game, by seat; house seats and empty ones are not among them."""
    found = session.connection().execute(PEOPLE, {"game": game})
    return {row[0]: Person(row[0], row[1], row[2], row[3] is not None) for row in found}


def queue(office: Office, session: Session, game: Game, occasions: Iterable[Occasion], now: datetime) -> None:
    """Store letters to be sent once the caller has committed."""
    present = people(session, game.id)
    rows = []
    for occasion in occasions:
        if occasion.seat not in present:
            continue
        mail = occasion.mail
        kind = occasion.kind if mail is None else f"{occasion.kind}{mail.id}"
        seq = game.after if occasion.kind.startswith("reminder") else game.seq
        rows.append(
            {
                "message_id": message_id(game.id, seq, occasion.seat, kind, office.settings.mail_domain),
                "game": game.id,
                "seq": seq,
                "seat": occasion.seat,
                "kind": occasion.kind,
                "recipient": present[occasion.seat].address,
                "detail": json.dumps(occasion.detail),
                "answers": None if mail is None else mail.message_id,
                "state": "waiting",
                "why": "",
                "tries": 0,
                "text": "",
                "queued_at": now,
                "due_at": now,
            }
        )
    if rows:
        session.connection().execute(QUEUED, rows)


def deliver(office: Office, carrier: Carrier, now: datetime, most: int = 50) -> int:
    """Send the letters that are due, at most so many; the number taken in hand."""
    with office.reading() as session:
        chosen = select(Outgoing).where(Outgoing.state == "waiting", col(Outgoing.due_at) <= now)
        rows = list(session.exec(chosen.order_by(col(Outgoing.id)).limit(most)))
    for row in rows:
        if _claim(office, row, now):
            _send(office, carrier, row, now)
    return len(rows)


def _claim(office: Office, row: Outgoing, now: datetime) -> bool:
    """Take a letter in hand, unless another server has: one of two updates finds the row as it was."""
    with office.writing() as session:
        mine = (
            update(Outgoing)
            .where(col(Outgoing.id) == row.id, col(Outgoing.state) == "waiting")
            .where(col(Outgoing.due_at) == row.due_at)
            .values(due_at=now + CLAIM, tries=row.tries + 1)
        )
        claimed = session.connection().execute(mine).rowcount == 1
        session.commit()
    return claimed


def _send(office: Office, carrier: Carrier, row: Outgoing, now: datetime) -> None:
    state, why, due_at, text = "sent", "", row.due_at, ""
    try:
        mail = write(office, row, now)
        if isinstance(mail, str):
            state, why = "dropped", mail
        else:
            carrier.carry(mail.sender, row.recipient, mail.raw)
            text = mail.text
    except NotCarried as error:
        why = str(error)
        state = "failed" if error.final or row.tries + 1 >= MOST_TRIES else "waiting"
        due_at = now + min(timedelta(minutes=2**row.tries), LONGEST_PAUSE)
    except SQLAlchemyError:
        raise  # the letter stays claimed, and is sent when the database is there again
    except Exception:
        # One letter that cannot be written must not keep back all the others.
        LOG.exception("letter %s cannot be written", row.message_id)
        state, why = "failed", "it could not be written: see the server's own messages"
    with office.writing() as session:
        values: dict[str, object] = {"state": state, "why": why, "due_at": due_at}
        if state == "sent":
            values |= {"sent_at": now, "text": text}
        session.execute(update(Outgoing).where(col(Outgoing.id) == row.id).values(**values))
        session.commit()


def carrier(office: Office, now: Callable[[], datetime]) -> Carrier:
    """Who takes letters away: the relay of the settings, or the built-in mailbox."""
    return carrier_for(office.settings.mail_out, lambda _, to, raw: _keep(office, to, raw, now()))


def _keep(office: Office, recipient: str, raw: bytes, now: datetime) -> None:
    """Put a mail into the built-in mailbox; a second copy of it is dropped."""
    found = BytesHeaderParser().parsebytes(raw)
    with office.writing() as session:
        row = {"recipient": recipient, "message_id": str(found["Message-ID"]), "at": now, "raw": raw}
        try:
            session.execute(insert(Kept).values(**row))
            session.commit()
        except IntegrityError:
            session.rollback()
