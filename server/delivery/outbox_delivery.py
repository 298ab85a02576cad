"""Outgoing mail: sends the letters of the outbox to their readers, each occasion in one letter.

A row of the outbox says who is to be told of what; the letter itself is written when it is sent, so that
drawing it is never inside a request and it shows the position of that moment. Its Message-ID follows from its
row, and its bytes are kept for as long as a relay may have it (prepared_letters.py): sending it twice
gives the reader one mail. A letter whose occasion has passed is dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from time import monotonic

from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlmodel import Session

from emails.links import mask_tokens
from server.accounts import bounces
from server.delivery.claims import (
    CANNOT_BE_WRITTEN,
    CLAIM_RENEWED_AFTER,
    claim_letter,
    put_back,
    renew_claim,
)
from server.delivery.delivery_lanes import REPEATER, DeliveryLanes
from server.delivery.due_letters import find_due_letters
from server.delivery.letter_writer import LetterNotWanted, write_letter
from server.delivery.outcomes import DeliveryAttempt, DeliveryOutcome, judge_failure
from server.delivery.prepared_letters import (
    ClaimedLetter,
    LetterTaken,
    discard_prepared_letters,
    is_held,
    keep_prepared_letter,
    note_writing,
    open_prepared_letter,
)
from server.delivery.relay_record import RelayChange, RelayRecord
from server.delivery.relay_watch import note_relay_change, tell_of_refusal
from server.delivery.transports import DeliveryFailed, RelayAway, Transport
from server.delivery.turn_letters import begin_clock_told_by
from server.monitoring.server_events import RowFate, WorkTable, reply_code
from server.outbox.budgets import (
    is_letter_in_hand,
    record_sent,
)
from server.outbox.queue import release_told
from server.outbox.sent_letters import SentLetter, add_to_detail
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.context import Context
from server.store.models import OutgoingLetter, ReadMarker
from server.store.row_failures import SEE_MESSAGES, load_row, put_off
from server.store.server_moments import read_moment
from server.store.states import Hindrance, LetterState, MomentName

LOG = logging.getLogger(__name__)
SHORT = timedelta(seconds=5)
"""A letter that takes no longer left at the moment at which it was begun."""
CANNOT_BE_SENT = f"it could not be sent{SEE_MESSAGES}"
NO_ANSWER = "A letter has waited long for its answer."


def send_due_letters(
    context: Context,
    carrier: Transport,
    now: datetime,
    most: int = 50,
    lanes: DeliveryLanes | None = None,
) -> int:
    """Send the letters that are due, at most so many; the number taken in hand.

    Where the relay cannot be spoken with nothing is taken in hand, and all letters wait as they did.
    """
    lanes, done = lanes or DeliveryLanes(), 0
    for row in _take_letters(context, lanes, now):
        try:
            letter = claim_letter(context, row, now)
            if letter is not None:
                lanes.call_lane()
                _send(context, carrier, letter, lanes.relay, now)
        except RelayAway as error:
            note_relay_change(context, lanes.relay.note_away(mask_tokens(str(error))), now)
            return done
        except OperationalError:
            raise  # the database is away: a letter in hand stays so for a while
        except Exception:
            # One letter that cannot be sent, whatever the reason, must not keep back all the others.
            put_off(context, OutgoingLetter, row, CANNOT_BE_SENT, now)
        finally:
            lanes.let_go(row.recipient)
        done += 1
        if done == most:
            break
    if not done and lanes.relay.claim_probe():
        _probe_relay(context, carrier, lanes.relay, now)
    return done


def _probe_relay(context: Context, carrier: Transport, record: RelayRecord, now: datetime) -> None:
    """See whether a relay is there again for which no letter is due, or none that may leave."""
    try:
        carrier.probe()
    except RelayAway:
        return
    with context.reading() as session:
        is_awaited = is_letter_in_hand(session, context.settings.unasked_per_day, now)
    note_relay_change(context, record.note_reachable(is_awaited), now)


def _take_letters(context: Context, lanes: DeliveryLanes, now: datetime) -> Iterator[OutgoingLetter]:
    """The letters that are due and may leave, what is due longest first, each with its reader's lane taken.

    Those whose reader is being written to are passed over, and hide none that stand behind them: what is
    looked for and what is passed over is read in one transaction, which ends before a letter is handed on.
    """
    with context.reading() as session:
        numbers = find_due_letters(context, session, now, shared=lanes.shared is not None)
        taken = _take_first(context, session, lanes, numbers, now)
    while taken is not None:
        yield taken
        with context.reading() as session:
            taken = _take_first(context, session, lanes, numbers, now)


def _take_first(
    context: Context, session: Session, lanes: DeliveryLanes, numbers: Iterator[int], now: datetime
) -> OutgoingLetter | None:
    """The first letter of these numbers to whose reader nobody writes just now; then this lane does."""
    for number in numbers:
        row = load_row(context, session, OutgoingLetter, number)
        if row is None or row.state != LetterState.WAITING or row.due_at > now:
            continue
        if lanes.take(row.recipient):
            return row
    return None


def _send(
    context: Context, carrier: Transport, letter: ClaimedLetter, record: RelayRecord, now: datetime
) -> None:
    """Write and send a letter, and note what became of it. Raises `RelayAway`; then it waits as before."""
    row, began = letter.row, monotonic()
    attempt = DeliveryAttempt(row, open_prepared_letter(context, letter), record, now)

    def keep() -> None:
        renew_claim(context, row)
        note_relay_change(context, record.note_silent(began, NO_ANSWER), now + CLAIM_RENEWED_AFTER)

    try:
        with REPEATER.every(CLAIM_RENEWED_AFTER.total_seconds(), keep):
            outcome = _deliver(context, carrier, attempt)
    except RelayAway as error:
        put_back(context, row, mask_tokens(str(error)), now, as_written=attempt.begun is not None)
        raise
    except LetterTaken:
        return
    took = timedelta(seconds=monotonic() - began)
    ended = now + took if took > SHORT else now
    is_there, stands = _note_outcome(context, row, outcome, ended)
    if is_there:
        waited = ended - row.queued_at
        context.events.note_letter(
            row.id or 0, row.game, row.kind, outcome.state, took.total_seconds(), waited
        )
    note_relay_change(context, outcome.relay or (RelayChange(away=False) if stands else None), ended)


def _deliver(context: Context, carrier: Transport, attempt: DeliveryAttempt) -> DeliveryOutcome:
    """Hand a letter over, as it was begun or written now."""
    row, now = attempt.row, attempt.now
    try:
        mail = attempt.begun or write_letter(context, row, now)
        if attempt.begun is None:
            keep_prepared_letter(context, row, mail, now)
        reply = mask_tokens(carrier.send(mail.sender, row.recipient, mail.raw) or "")
    except LetterNotWanted as error:
        return DeliveryOutcome(error.reason.state, error.reason, error.reason.hindrance)
    except DeliveryFailed as error:
        return judge_failure(error, attempt)
    except (SQLAlchemyError, RelayAway, LetterTaken):
        raise  # it is sent when the database, or the relay, is there again, or by who has it
    except Exception:
        # One letter that cannot be written must not keep back all the others.
        context.events.note_failed_row(WorkTable.OUTGOING, row.id or 0, RowFate.SET_ASIDE)
        return DeliveryOutcome(LetterState.FAILED, CANNOT_BE_WRITTEN, Hindrance.SET_ASIDE)
    taken = attempt.record.note_taken(row.id or 0)
    return DeliveryOutcome(LetterState.SENT, mail=mail, reply=reply, relay=taken)


def _note_outcome(
    context: Context, row: OutgoingLetter, outcome: DeliveryOutcome, now: datetime
) -> tuple[bool, bool]:
    """Note what became of a letter.

    Whether it is there still, for its reader may have been forgotten; and whether an absence of the relay is
    written down that has ended, since it has left.
    """
    in_game = None if outcome.bounced or outcome.refused else row.game  # else people are told of it
    with open_unit(context, now, game=in_game) as unit:
        session = unit.session
        stands = outcome.mail is not None and read_moment(session, MomentName.RELAY_AWAY) is not None
        letter = session.get(OutgoingLetter, row.id, populate_existing=True)
        if letter is None or not letter.recipient:
            return False, stands
        if outcome.mail is None and not is_held(letter, row):
            return False, stands  # who has it now says what becomes of it
        letter.state, letter.why, letter.hindrance = outcome.state, outcome.told, outcome.hindrance
        letter.due_at = now + outcome.pause
        if outcome.mail is not None:
            letter.sent_at = now
            note_writing(letter, outcome.mail)  # as another version of this program may have prepared it
            letter.detail = add_to_detail(letter.detail, SentLetter(relay_reply=outcome.reply))
        if not outcome.may_be_there:
            discard_prepared_letters(session, [row.id])
        if outcome.state != LetterState.WAITING:
            begin_clock_told_by(session, letter, now)
        if outcome.mail is not None:
            record_sent(session, letter.message_id, now)
            _advance_read_marker(session, row, outcome.mail.heard)
        elif outcome.state != LetterState.WAITING:
            release_told(session, letter)
        _tell_of_failure(unit, letter, outcome)
        if outcome.state == LetterState.SENT:
            session.commit()  # nothing is left to do that cannot wait for a tick, so that nobody is woken
        else:
            unit.commit()
    return True, stands


def _tell_of_failure(unit: UnitOfWork, letter: OutgoingLetter, outcome: DeliveryOutcome) -> None:
    """Tell the others and the operator of a letter that is refused, or has failed for good."""
    if outcome.state == LetterState.FAILED:
        LOG.warning("letter %s has failed for good: %s", letter.id, reply_code(outcome.why))
    if outcome.refused:
        tell_of_refusal(unit.context, unit.session, outcome.why, unit.now)
    if outcome.bounced:
        bounces.record_bounce(unit, letter, outcome.why, reported=False)


def _advance_read_marker(session: Session, row: OutgoingLetter, message: int) -> None:
    """Note up to which message a seat has been told; 0 where the letter had none."""
    if not message:
        return
    heard = session.get(ReadMarker, (row.game, row.seat))
    if heard is None:
        session.add(ReadMarker(game=row.game, seat=row.seat, message=message))
    else:
        heard.message = max(heard.message, message)
