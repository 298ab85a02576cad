"""Outgoing mail: sends the letters of the outbox to their readers, each occasion in one letter.

A row of the outbox says who is to be told of what; the letter itself is written when it is sent, so that
drawing it is never inside a request and it shows the position of that moment. Its Message-ID follows from its
row: sending it twice gives the reader one mail. A letter whose occasion has passed is dropped.

When a letter of a game falls due, all that waits for the same seat of that game, due or not, is told in it:
of the due ones that which tells most is sent, and the others are dropped (notifications.py tells which);
should it never leave, they wait again. Whoever wants their letters gathered gets it no sooner than their
pause after the last one, unless it never waits.
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
from server.delivery.letter_writer import FinishedLetter, write_letter
from server.delivery.transports import DeliveryFailed, Transport, make_transport
from server.outbox.chat import last_unread_number
from server.outbox.notifications import (
    COMBINABLE_KINDS,
    choose_leading_letter,
    covers,
    is_held_back,
    reason_covered_by,
    reason_to_drop,
)
from server.outbox.preferences import DEFAULTS, Preferences
from server.outbox.queue import last_sent_at, load_people
from server.store.context import Context
from server.store.models import Game, LocalMail, OutgoingLetter, ReadMarker

LOG = logging.getLogger(__name__)
CLAIM_LASTS = timedelta(minutes=5)
"""How long a letter belongs to whoever began to send it."""
MOST_TRIES = 16
"""With the pauses between them about three days."""
LONGEST_PAUSE = timedelta(hours=6)


def send_due_letters(context: Context, carrier: Transport, now: datetime, most: int = 50) -> int:
    """Send the letters that are due, at most so many; the number taken in hand."""
    with context.reading() as session:
        chosen = select(OutgoingLetter).where(
            OutgoingLetter.state == "waiting", col(OutgoingLetter.due_at) <= now
        )
        rows = list(session.exec(chosen.order_by(col(OutgoingLetter.id)).limit(most)))
    for row in rows:
        letter = _claim_letter(context, row, now)
        if letter is not None:
            _send(context, carrier, letter, now)
    return len(rows)


def _claim_letter(context: Context, row: OutgoingLetter, now: datetime) -> OutgoingLetter | None:
    """Take a due letter in hand, or the one that tells it with others; None where nothing is to be sent.

    That is so where another server has taken it: a session that writes sees what all others have written.
    """
    with context.writing() as session:
        waiting = _load_waiting(session, row, now)
        game = session.get_one(Game, row.game)
        reader = load_people(session, game.id).get(row.seat)
        wants = DEFAULTS if reader is None else reader.preferences
        unheard = last_unread_number(session, game.id, row.seat)
        needed = []
        for one in waiting:
            reason = reason_to_drop(session, game, one, wants, unheard)
            if reason:
                one.state, one.why = "dropped", reason
                _release_told(session, one)
            else:
                needed.append(one)
        due = [one for one in needed if one.due_at <= now]
        until = _pause_ends(session, due, wants) if row.kind in COMBINABLE_KINDS else None
        if until is not None and until > now:
            for one in due:
                one.due_at = until
            due = []
        letter = choose_leading_letter(due) if due else None
        if letter is not None:
            letter.due_at, letter.tries = now + CLAIM_LASTS, letter.tries + 1
            for one in needed:  # now, so that whoever sends the letter again after a fall sends the same one
                if covers(letter, one):
                    one.state, one.why = "dropped", reason_covered_by(letter)
        session.commit()
    return letter


def _release_told(session: Session, letter: OutgoingLetter) -> None:
    """A letter does not leave: what it would have told waits again."""
    told = update(OutgoingLetter).where(
        col(OutgoingLetter.game) == letter.game, col(OutgoingLetter.why) == reason_covered_by(letter)
    )
    session.execute(told.values(state="waiting", why=""))


def _load_waiting(session: Session, row: OutgoingLetter, now: datetime) -> list[OutgoingLetter]:
    """The letter itself if it still waits, and those that wait for the same seat and may be told in it.

    What was tried and is not due is in the hands of another server, or has to wait for a relay.
    """
    chosen = select(OutgoingLetter).where(OutgoingLetter.state == "waiting")
    if row.kind not in COMBINABLE_KINDS:
        return list(
            session.exec(chosen.where(OutgoingLetter.id == row.id, col(OutgoingLetter.due_at) <= now))
        )
    together = chosen.where(OutgoingLetter.game == row.game, OutgoingLetter.seat == row.seat).where(
        col(OutgoingLetter.kind).in_(COMBINABLE_KINDS),
        or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) == 0),
    )
    return list(session.exec(together.order_by(col(OutgoingLetter.id))))


def _pause_ends(session: Session, due: list[OutgoingLetter], wants: Preferences) -> datetime | None:
    """Until when letters are gathered; None where one is among them that does not wait."""
    if (
        not wants.pause
        or not due
        or any(not is_held_back(one.kind, one.seat, json.loads(one.detail)) for one in due)
    ):
        return None
    last = last_sent_at(session, due[0].game, due[0].seat)
    return None if last is None else last + wants.pause


def _send(context: Context, carrier: Transport, row: OutgoingLetter, now: datetime) -> None:
    state, why, due_at, nobody = "sent", "", now, False
    mail: FinishedLetter | str = ""
    try:
        mail = write_letter(context, row, now)
        if isinstance(mail, str):
            state, why = "dropped", mail
        else:
            carrier.send(mail.sender, row.recipient, mail.raw)
    except DeliveryFailed as error:
        why, nobody = str(error), error.nobody
        state = "failed" if error.final or row.tries >= MOST_TRIES else "waiting"
        due_at = now + min(timedelta(minutes=2 ** (row.tries - 1)), LONGEST_PAUSE)
    except SQLAlchemyError:
        raise  # the letter stays claimed, and is sent when the database is there again
    except Exception:
        # One letter that cannot be written must not keep back all the others.
        LOG.exception("letter %s cannot be written", row.message_id)
        state, why = "failed", "it could not be written: see the server's own messages"
    with context.writing() as session:
        values: dict[str, object] = {"state": state, "why": why, "due_at": due_at}
        if state == "sent" and isinstance(mail, FinishedLetter):
            detail = json.dumps({**json.loads(row.detail), "numbers": dict(mail.numbers)})
            values |= {"sent_at": now, "text": mail.text, "detail": detail}
            _advance_read_marker(session, row, mail.heard)
        session.execute(update(OutgoingLetter).where(col(OutgoingLetter.id) == row.id).values(**values))
        if state in ("dropped", "failed"):
            _release_told(session, row)
        if nobody:
            letter = session.get_one(OutgoingLetter, row.id, populate_existing=True)
            undeliverable.record_bounce(context, session, letter, why, now)
        session.commit()


def _advance_read_marker(session: Session, row: OutgoingLetter, message: int) -> None:
    """Note up to which message a seat has been told."""
    heard = session.get(ReadMarker, (row.game, row.seat))
    if heard is None:
        if message:
            session.add(ReadMarker(game=row.game, seat=row.seat, message=message))
    else:
        heard.message = max(heard.message, message)


def choose_transport(context: Context, now: Callable[[], datetime]) -> Transport:
    """Who takes letters away: the relay of the settings, or the built-in mailbox."""
    return make_transport(
        context.settings.mail_out, lambda _, to, raw: _store_local_mail(context, to, raw, now())
    )


def _store_local_mail(context: Context, recipient: str, raw: bytes, now: datetime) -> None:
    """Put a mail into the built-in mailbox; a second copy of it is dropped."""
    found = BytesHeaderParser().parsebytes(raw)
    with context.writing() as session:
        row = {"recipient": recipient, "message_id": str(found["Message-ID"]), "at": now, "raw": raw}
        try:
            session.execute(insert(LocalMail).values(**row))
            session.commit()
        except IntegrityError:
            session.rollback()
