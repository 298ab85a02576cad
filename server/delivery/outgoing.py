"""Outgoing mail: sends the letters of the outbox to their readers, each occasion in one letter.

A row of the outbox says who is to be told of what; the letter itself is written when it is sent, so that
drawing it is never inside a request and it shows the position of that moment. Its Message-ID follows from its
row: sending it twice gives the reader one mail. A letter whose occasion has passed is dropped.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import exists
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlmodel import Session, col, select

from emails.links import mask_tokens
from server.accounts import undeliverable
from server.delivery.claims import CANNOT_BE_WRITTEN, CLAIM_RENEWED_AFTER, claim_letter, put_back, renew_claim
from server.delivery.in_hand import LettersInHand, every
from server.delivery.letter_writer import FinishedLetter, LetterNotWanted, write_letter
from server.delivery.prepared import (
    discard_prepared_letters,
    keep_prepared_letter,
    open_prepared_letter,
)
from server.delivery.transports import DeliveryFailed, RelayAway, Transport
from server.outbox.budgets import (
    OPERATOR,
    Budget,
    busiest_origins,
    due_unasked_letters,
    is_due,
    record_sent,
    room_of_server,
)
from server.outbox.letter_details import with_option_numbers
from server.outbox.operator_mail import needs_telling, tell_operator
from server.outbox.queue import release_told
from server.outbox.unit_of_work import open_unit
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.models import OutgoingLetter, ReadMarker
from server.store.row_care import load_rows, put_off
from server.store.states import LetterState
from server.store.unasked_models import UnaskedLetter

LOG = logging.getLogger(__name__)
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
            letter = claim_letter(context, row, now)
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
    unasked = exists().where(
        col(UnaskedLetter.message_id) == OutgoingLetter.message_id, col(UnaskedLetter.sent_at).is_(None)
    )
    chosen = select(OutgoingLetter.id).where(is_due(now), ~unasked)
    longest_due = col(OutgoingLetter.due_at), col(OutgoingLetter.id)
    due = list(session.exec(chosen.order_by(*longest_due).limit(most)))
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
    may_be_there: bool = False
    """Whether the relay may have it, though it did not say so."""


def _send(context: Context, carrier: Transport, row: OutgoingLetter, now: datetime) -> None:
    """Write and send a letter, and note what became of it. Raises `RelayAway`; then it waits as before."""
    begun = open_prepared_letter(context, row)
    try:
        with every(CLAIM_RENEWED_AFTER.total_seconds(), lambda: renew_claim(context, row)):
            outcome = _deliver(context, carrier, row, begun, now)
    except RelayAway as error:
        put_back(context, row, mask_tokens(str(error)), now, as_written=begun is not None)
        raise
    with open_unit(context, now) as unit:
        session = unit.session
        letter = session.get(OutgoingLetter, row.id, populate_existing=True)
        if letter is None or not letter.recipient:
            return  # its reader was forgotten meanwhile
        letter.state, letter.why, letter.due_at = outcome.state, outcome.why, outcome.due_at or now
        if not outcome.may_be_there:
            discard_prepared_letters(session, [row.id])
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


def _deliver(
    context: Context, carrier: Transport, row: OutgoingLetter, begun: FinishedLetter | None, now: datetime
) -> DeliveryOutcome:
    """Hand a letter over, as it was begun or written now."""
    try:
        mail = begun or write_letter(context, row, now)
        if begun is None:
            keep_prepared_letter(context, row, mail, now)
        carrier.send(mail.sender, row.recipient, mail.raw)
    except LetterNotWanted as error:
        return DeliveryOutcome(error.reason.state, error.reason)
    except DeliveryFailed as error:
        why = mask_tokens(str(error))  # mail servers repeat the sender of the envelope
        if error.final or (row.tries > 1 and now - row.queued_at >= GIVEN_UP_AFTER):
            return DeliveryOutcome(LetterState.FAILED, why, nobody=error.nobody)
        pause = min(timedelta(minutes=2 ** min(row.tries - 1, 10)), LONGEST_PAUSE)
        unknown = error.doubtful or (error.lost and begun is not None)
        return DeliveryOutcome(
            LetterState.WAITING, why, due_at=now + pause, nobody=error.nobody, may_be_there=unknown
        )
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
