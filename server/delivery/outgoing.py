"""Outgoing mail: sends the letters of the outbox to their readers, each occasion in one letter.

A row of the outbox says who is to be told of what; the letter itself is written when it is sent, so that
drawing it is never inside a request and it shows the position of that moment. Its Message-ID follows from its
row: sending it twice gives the reader one mail. A letter whose occasion has passed is dropped.

When a letter of a game falls due, all that waits for the same seat of that game, due or not, is told in it:
of the due ones that which tells most is sent, and the others are dropped (gathering.py tells which);
should it never leave, they wait again. Whoever wants their letters gathered gets it no sooner than their
pause after the last one, unless it never waits; what they did not ask for waits for room (budgets.py).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser

from sqlalchemy import insert, or_
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError
from sqlmodel import Session, col, select

from emails.links import mask_tokens
from server.accounts import undeliverable
from server.delivery.in_hand import LettersInHand, every
from server.delivery.letter_writer import FinishedLetter, LetterNotWanted, write_letter
from server.delivery.transports import DeliveryFailed, RelayAway, Transport, make_transport
from server.outbox.budgets import (
    OPERATOR,
    Budget,
    busiest_origins,
    due_unasked_letters,
    is_due,
    record_sent,
    room_of_server,
    when_recipient_has_room,
)
from server.outbox.chat import last_unread_number
from server.outbox.gathering import WaitingLetter, choose_leading_letter, covers
from server.outbox.letter_details import decode_content, with_option_numbers
from server.outbox.letter_traits import COMBINABLE_KINDS
from server.outbox.notifications import DropReason, reason_to_drop
from server.outbox.operator_mail import needs_telling, tell_operator
from server.outbox.preferences import DEFAULTS, Preferences
from server.outbox.queue import last_sent_at, load_people, release_told
from server.outbox.situations import load_situation
from server.outbox.unit_of_work import open_unit
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.encrypted_mail import KeptMail, encrypt_mail
from server.store.models import Game, LocalMail, OutgoingLetter, ReadMarker
from server.store.row_care import load_rows, put_off
from server.store.states import LetterState
from server.store.unasked_models import UnaskedLetter

LOG = logging.getLogger(__name__)
CLAIM_LASTS = timedelta(seconds=60)
"""How long a letter belongs to whoever began to send it, and has not said since that they still do."""
CLAIM_RENEWED_AFTER = CLAIM_LASTS / 3
GIVEN_UP_AFTER = timedelta(days=5)
"""How long a letter is tried (RFC 5321, section 4.5.4.1), counted from when it was due first."""
LONGEST_PAUSE = timedelta(minutes=30)
BATCH_SIZE = 50
LETTERS_WAIT = "Letters wait for tomorrow"
LETTERS_WAIT_WORDS = """\
{most} letters to people who have not asked for them have left within 24 hours, and more are due: they wait
until there is room again, the first of each origin before the second of any. All other letters leave.

Who has caused most of them within 24 hours, by how many:

{origins}
A network is banned with `alexandros ban NETWORK`; ALEXANDROS_UNASKED_PER_DAY says how many may leave.
"""
CANNOT_BE_WRITTEN = "it could not be written: see the server's own messages"
CANNOT_BE_SENT = "it could not be sent: see the server's own messages"


def send_due_letters(
    context: Context,
    carrier: Transport,
    now: datetime,
    most: int = 50,
    in_hand: LettersInHand | None = None,
) -> int:
    """Send the letters that are due, at most so many; the number taken in hand.

    Where the relay cannot be spoken with nothing is taken in hand, and all letters wait as they did.
    """
    lanes = in_hand or LettersInHand()
    with context.reading() as session:
        due, held_back = _due_letters(context, session, now, BATCH_SIZE)
    if held_back:
        _tell_that_letters_wait(context, now)
    done = 0
    for row in load_rows(context, OutgoingLetter, due):
        if done == most:
            break
        if not lanes.take(row.recipient):
            continue
        try:
            letter = _claim_letter(context, row, now)
            if letter is not None:
                _send(context, carrier, letter, now)
                lanes.note_back()
        except RelayAway as error:
            lanes.note_away(mask_tokens(str(error)))
            return done
        except OperationalError:
            raise  # the database is away: a letter in hand stays so for a while
        except Exception:
            # One letter that cannot be sent, whatever the reason, must not keep back all the others.
            LOG.exception("letter %s is put off", row.message_id)
            put_off(context, OutgoingLetter, row, CANNOT_BE_SENT, now)
        finally:
            lanes.let_go(row.recipient)
        done += 1
    return done


def _due_letters(context: Context, session: Session, now: datetime, most: int) -> tuple[list[int], bool]:
    """The numbers of the letters that are due and may leave; whether unasked ones wait for room."""
    unasked = select(UnaskedLetter.message_id).where(col(UnaskedLetter.sent_at).is_(None))
    chosen = select(OutgoingLetter.id).where(is_due(now), col(OutgoingLetter.message_id).not_in(unasked))
    due = list(session.exec(chosen.order_by(col(OutgoingLetter.id)).limit(most)))
    room = room_of_server(session, context.settings.unasked_per_day, now)
    asked_of_nobody = due_unasked_letters(session, min(most, room) + 1, now)
    due += asked_of_nobody[: min(most, room)]
    return sorted(number for number in due if number is not None), len(asked_of_nobody) > room


def _tell_that_letters_wait(context: Context, now: datetime) -> None:
    """Let the operator know that more letters are due than the server sends to people who did not ask."""
    context.security.note(SecurityEvent.LIMIT_REACHED, OPERATOR, now, limit=Budget.SERVER)
    with context.reading() as session:
        if not needs_telling(context, session, LETTERS_WAIT, now):
            return
        origins = busiest_origins(session, now)
    listed = "".join(f"  {count:5}  {origin or 'unknown'}\n" for origin, count in origins)
    words = LETTERS_WAIT_WORDS.format(most=context.settings.unasked_per_day, origins=listed)
    with context.writing() as session:
        tell_operator(context, session, LETTERS_WAIT, words, now)
        session.commit()


def _claim_letter(context: Context, row: OutgoingLetter, now: datetime) -> OutgoingLetter | None:
    """Take a due letter in hand, or the one that tells it with others; None where nothing is to be sent.

    That is so where another server has taken it: a session that writes sees what all others have written.
    """
    with context.writing() as session:
        reader = load_people(session, row.game).get(row.seat)
        preferences = DEFAULTS if reader is None else reader.preferences
        needed = _drop_unwanted(context, session, _load_waiting(session, row, now), preferences, now)
        due = [one for one in needed if one.row.due_at <= now]
        until = _pause_ends(session, due, preferences) or when_recipient_has_room(session, row.message_id)
        if until is not None and until > now:
            for one in due:
                one.row.due_at = until
            due = []
        letter = choose_leading_letter(due) if due else None
        if letter is not None:
            letter.row.due_at, letter.row.tries = now + CLAIM_LASTS, letter.row.tries + 1
            for one in needed:  # now, so that whoever sends the letter again after a fall sends the same one
                if covers(letter, one):
                    one.row.state, one.row.why = LetterState.DROPPED, DropReason.TOLD_ELSEWHERE
                    one.row.told_by = letter.row.id
        session.commit()
    return None if letter is None else letter.row


def _drop_unwanted(
    context: Context, session: Session, waiting: list[OutgoingLetter], preferences: Preferences, now: datetime
) -> list[WaitingLetter]:
    """Those of the letters to one seat that are still wanted; the others are not sent any more."""
    found = []
    for row in waiting:
        try:
            content = decode_content(row.kind, row.detail)
        except ValueError:
            LOG.exception("the details of letter %s cannot be read", row.message_id)
            row.state, row.why = LetterState.FAILED, CANNOT_BE_WRITTEN
            release_told(session, row)
            continue
        game = session.get_one(Game, row.game)
        unheard = last_unread_number(session, row.game, row.seat)
        situation = load_situation(context, session, game, row, content, unheard, now)
        reason = reason_to_drop(row.kind, preferences, situation)
        if reason is None:
            found.append(WaitingLetter(row, content))
        else:
            row.state, row.why = reason.state, reason
            release_told(session, row)
    return found


def _load_waiting(session: Session, row: OutgoingLetter, now: datetime) -> list[OutgoingLetter]:
    """The letter itself if it still waits, and those that wait for the same seat and may be told in it.

    What was tried and is not due is in the hands of another server, or has to wait for a relay.
    """
    chosen = select(OutgoingLetter).where(OutgoingLetter.state == LetterState.WAITING)
    if row.kind not in COMBINABLE_KINDS:
        alone = chosen.where(OutgoingLetter.id == row.id, col(OutgoingLetter.due_at) <= now)
        return list(session.exec(alone))
    together = chosen.where(OutgoingLetter.game == row.game, OutgoingLetter.seat == row.seat).where(
        col(OutgoingLetter.kind).in_(COMBINABLE_KINDS),
        or_(col(OutgoingLetter.due_at) <= now, col(OutgoingLetter.tries) == 0),
    )
    return list(session.exec(together.order_by(col(OutgoingLetter.id))))


def _pause_ends(session: Session, due: list[WaitingLetter], preferences: Preferences) -> datetime | None:
    """Until when letters are gathered; None where one is among them that does not wait."""
    gathered = all(one.is_held_back and one.row.kind in COMBINABLE_KINDS for one in due)
    if not preferences.pause or not due or not gathered:
        return None
    last = last_sent_at(session, due[0].row.game, due[0].row.seat)
    return None if last is None else last + preferences.pause


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """What has become of a letter."""

    state: LetterState
    why: str = ""
    mail: FinishedLetter | None = None
    """What was sent."""
    due_at: datetime | None = None
    """When it is tried again."""
    nobody: bool = False
    """Whether the mail server says that there is no such address."""


def _send(context: Context, carrier: Transport, row: OutgoingLetter, now: datetime) -> None:
    """Write and send a letter, and note what became of it. Raises `RelayAway`; then it waits as before."""
    try:
        with every(CLAIM_RENEWED_AFTER.total_seconds(), lambda: renew_claim(context, row)):
            outcome = _deliver(context, carrier, row, now)
    except RelayAway as error:
        _put_back(context, row, mask_tokens(str(error)), now)
        raise
    with open_unit(context, now) as unit:
        session = unit.session
        letter = session.get(OutgoingLetter, row.id, populate_existing=True)
        if letter is None or not letter.recipient:
            return  # its reader was forgotten meanwhile
        letter.state, letter.why, letter.due_at = outcome.state, outcome.why, outcome.due_at or now
        if outcome.mail is not None:
            letter.sent_at, letter.text = now, outcome.mail.text
            record_sent(session, letter.message_id, now)
            letter.detail = with_option_numbers(letter.detail, outcome.mail.numbers)
            _advance_read_marker(session, row, outcome.mail.heard)
        elif outcome.state != LetterState.WAITING:
            release_told(session, row)
        if outcome.nobody:
            undeliverable.record_bounce(unit, letter, outcome.why, reported=False)
        unit.commit()


def renew_claim(context: Context, row: OutgoingLetter) -> None:
    """Keep a letter whose sending takes long."""
    row.due_at += CLAIM_RENEWED_AFTER
    with context.writing() as session:
        session.get_one(OutgoingLetter, row.id).due_at = row.due_at
        session.commit()


def _put_back(context: Context, row: OutgoingLetter, why: str, now: datetime) -> None:
    """A letter that nobody was asked to take waits as if it had not been tried."""
    with context.writing() as session:
        letter = session.get_one(OutgoingLetter, row.id)
        letter.tries, letter.due_at, letter.why = row.tries - 1, now, why
        session.commit()


def _deliver(context: Context, carrier: Transport, row: OutgoingLetter, now: datetime) -> DeliveryOutcome:
    try:
        mail = write_letter(context, row, now)
        carrier.send(mail.sender, row.recipient, mail.raw)
    except LetterNotWanted as error:
        return DeliveryOutcome(error.reason.state, error.reason)
    except DeliveryFailed as error:
        why = mask_tokens(str(error))  # mail servers repeat the sender of the envelope
        if error.final or (row.tries > 1 and now - row.queued_at >= GIVEN_UP_AFTER):
            return DeliveryOutcome(LetterState.FAILED, why, nobody=error.nobody)
        pause = min(timedelta(minutes=2 ** min(row.tries - 1, 10)), LONGEST_PAUSE)
        return DeliveryOutcome(LetterState.WAITING, why, due_at=now + pause, nobody=error.nobody)
    except (SQLAlchemyError, RelayAway):
        raise  # the letter is sent when the database, or the relay, is there again
    except Exception:
        # One letter that cannot be written must not keep back all the others.
        LOG.exception("letter %s cannot be written", row.message_id)
        return DeliveryOutcome(LetterState.FAILED, CANNOT_BE_WRITTEN)
    return DeliveryOutcome(LetterState.SENT, mail=mail)


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
        row = {
            "recipient": recipient,
            "message_id": str(found["Message-ID"]),
            "at": now,
            "raw": encrypt_mail(KeptMail("", recipient, raw), context.links.keys),
        }
        try:
            session.execute(insert(LocalMail).values(**row))
            session.commit()
        except IntegrityError:
            session.rollback()
