"""The postman: takes letters from the outbox to their readers, each occasion in one letter.

A row of the outbox says who is to be told of what; the letter itself is written when it is sent, so that
drawing it is never inside a request and it shows the position of that moment. Its Message-ID follows from its
row: sending it twice gives the reader one mail. A letter whose occasion has passed is dropped.

When a letter of a game falls due, all that waits for the same seat of that game, due or not, is told in it:
of the due ones that which tells most is sent, and the others are dropped (notifications.py tells which);
should it never leave, they wait again. Whoever wants his letters gathered gets it no sooner than his pause
after the last one, unless it never waits.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser

from sqlalchemy import insert, or_, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlmodel import Session, col, select

from server.accounts import undeliverable
from server.delivery.letter_writer import Mail, write
from server.delivery.transports import Carrier, NotCarried, carrier_for
from server.outbox.chat import highest_unheard
from server.outbox.notifications import TOGETHER, dropped, held, leading, tells, told_in
from server.outbox.preferences import DEFAULTS, Wants
from server.outbox.queue import last_sent, people
from server.store.context import Office
from server.store.models import Game, Heard, Kept, Outgoing

LOG = logging.getLogger(__name__)
CLAIM = timedelta(minutes=5)
"""How long a letter belongs to whoever began to send it."""
MOST_TRIES = 16
"""With the pauses between them about three days."""
LONGEST_PAUSE = timedelta(hours=6)


def deliver(office: Office, carrier: Carrier, now: datetime, most: int = 50) -> int:
    """Send the letters that are due, at most so many; the number taken in hand."""
    with office.reading() as session:
        chosen = select(Outgoing).where(Outgoing.state == "waiting", col(Outgoing.due_at) <= now)
        rows = list(session.exec(chosen.order_by(col(Outgoing.id)).limit(most)))
    for row in rows:
        letter = _take(office, row, now)
        if letter is not None:
            _send(office, carrier, letter, now)
    return len(rows)


def _take(office: Office, row: Outgoing, now: datetime) -> Outgoing | None:
    """Take a due letter in hand, or the one that tells it with others; None where nothing is to be sent.

    That is so where another server has taken it: a session that writes sees what all others have written.
    """
    with office.writing() as session:
        waiting = _waiting(session, row, now)
        game = session.get_one(Game, row.game)
        reader = people(session, game.id).get(row.seat)
        wants = DEFAULTS if reader is None else reader.wants
        unheard = highest_unheard(session, game.id, row.seat)
        needed = []
        for one in waiting:
            reason = dropped(session, game, one, wants, unheard)
            if reason:
                one.state, one.why = "dropped", reason
                _untell(session, one)
            else:
                needed.append(one)
        due = [one for one in needed if one.due_at <= now]
        until = _pause_ends(session, due, wants) if row.kind in TOGETHER else None
        if until is not None and until > now:
            for one in due:
                one.due_at = until
            due = []
        letter = leading(due) if due else None
        if letter is not None:
            letter.due_at, letter.tries = now + CLAIM, letter.tries + 1
            for one in needed:  # now, so that whoever sends the letter again after a fall sends the same one
                if tells(letter, one):
                    one.state, one.why = "dropped", told_in(letter)
        session.commit()
    return letter


def _untell(session: Session, letter: Outgoing) -> None:
    """A letter does not leave: what it would have told waits again."""
    told = update(Outgoing).where(col(Outgoing.game) == letter.game, col(Outgoing.why) == told_in(letter))
    session.execute(told.values(state="waiting", why=""))


def _waiting(session: Session, row: Outgoing, now: datetime) -> list[Outgoing]:
    """The letter itself if it still waits, and those that wait for the same seat and may be told in it.

    What was tried and is not due is in the hands of another server, or has to wait for a relay.
    """
    chosen = select(Outgoing).where(Outgoing.state == "waiting")
    if row.kind not in TOGETHER:
        return list(session.exec(chosen.where(Outgoing.id == row.id, col(Outgoing.due_at) <= now)))
    together = chosen.where(Outgoing.game == row.game, Outgoing.seat == row.seat).where(
        col(Outgoing.kind).in_(TOGETHER), or_(col(Outgoing.due_at) <= now, col(Outgoing.tries) == 0)
    )
    return list(session.exec(together.order_by(col(Outgoing.id))))


def _pause_ends(session: Session, due: list[Outgoing], wants: Wants) -> datetime | None:
    """Until when letters are gathered; None where one is among them that does not wait."""
    if not wants.pause or not due or any(not held(one.kind, one.seat, json.loads(one.detail)) for one in due):
        return None
    last = last_sent(session, due[0].game, due[0].seat)
    return None if last is None else last + wants.pause


def _send(office: Office, carrier: Carrier, row: Outgoing, now: datetime) -> None:
    state, why, due_at, nobody = "sent", "", now, False
    mail: Mail | str = ""
    try:
        mail = write(office, row, now)
        if isinstance(mail, str):
            state, why = "dropped", mail
        else:
            carrier.carry(mail.sender, row.recipient, mail.raw)
    except NotCarried as error:
        why, nobody = str(error), error.nobody
        state = "failed" if error.final or row.tries >= MOST_TRIES else "waiting"
        due_at = now + min(timedelta(minutes=2 ** (row.tries - 1)), LONGEST_PAUSE)
    except SQLAlchemyError:
        raise  # the letter stays claimed, and is sent when the database is there again
    except Exception:
        # One letter that cannot be written must not keep back all the others.
        LOG.exception("letter %s cannot be written", row.message_id)
        state, why = "failed", "it could not be written: see the server's own messages"
    with office.writing() as session:
        values: dict[str, object] = {"state": state, "why": why, "due_at": due_at}
        if state == "sent" and isinstance(mail, Mail):
            detail = json.dumps({**json.loads(row.detail), "numbers": dict(mail.numbers)})
            values |= {"sent_at": now, "text": mail.text, "detail": detail}
            _note_heard(session, row, mail.heard)
        session.execute(update(Outgoing).where(col(Outgoing.id) == row.id).values(**values))
        if state in ("dropped", "failed"):
            _untell(session, row)
        if nobody:
            letter = session.get_one(Outgoing, row.id, populate_existing=True)
            undeliverable.came_back(office, session, letter, why, now)
        session.commit()


def _note_heard(session: Session, row: Outgoing, message: int) -> None:
    """Note up to which message a seat has been told."""
    heard = session.get(Heard, (row.game, row.seat))
    if heard is None:
        if message:
            session.add(Heard(game=row.game, seat=row.seat, message=message))
    else:
        heard.message = max(heard.message, message)


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
