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
from itertools import chain
from time import monotonic

from sqlalchemy import and_, exists, or_
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlmodel import Session, col, select

from emails.links import mask_tokens
from server.accounts import undeliverable
from server.delivery.claims import (
    CANNOT_BE_WRITTEN,
    CLAIM_RENEWED_AFTER,
    claim_letter,
    put_back,
    renew_claim,
)
from server.delivery.delivery_lanes import REPEATER, DeliveryLanes
from server.delivery.letter_writer import LetterNotWanted, write_letter
from server.delivery.outcomes import DeliveryAttempt, DeliveryOutcome, judge_failure
from server.delivery.prepared_letters import (
    ClaimedLetter,
    LetterTaken,
    discard_prepared_letters,
    is_held,
    keep_prepared_letter,
    open_prepared_letter,
)
from server.delivery.relay_record import RelayChange, RelayRecord
from server.delivery.relay_watch import note_relay_change, tell_of_refusal
from server.delivery.transports import DeliveryFailed, RelayAway, Transport
from server.delivery.turn_letters import begin_clock_told_by
from server.monitoring.server_events import RowFate, WorkTable, reply_code
from server.outbox.budgets import (
    OPERATOR,
    Budget,
    busiest_origins,
    due_unasked_letters,
    is_due,
    is_letter_in_hand,
    record_sent,
    room_of_server,
)
from server.outbox.operator_mail import needs_telling, tell_operator
from server.outbox.queue import release_told
from server.outbox.sent_letters import SentLetter, add_to_detail
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.security_log import SecurityEvent
from server.store.columns import UnknownMember
from server.store.context import Context
from server.store.models import OutgoingLetter, ReadMarker
from server.store.row_failures import LEFT_TO_NEWER_FOR, SEE_MESSAGES, leave_to_newer, load_rows, put_off
from server.store.server_moments import read_moment
from server.store.states import Hindrance, LetterState, MomentName, OperatorMatter
from server.store.unasked_models import UnaskedLetter

LOG = logging.getLogger(__name__)
BATCH_SIZE = 50
SHORT = timedelta(seconds=5)
"""A letter that takes no longer left at the moment at which it was begun."""
LETTERS_WAIT_WORDS = """\
{most} letters to people who have not asked for them have left within 24 hours, and more are due: they wait
until there is room again, the first of each origin before the second of any. All other letters leave.

Who has caused most of them within 24 hours, by how many:

{origins}
A network is banned with `alexandros ban NETWORK`; ALEXANDROS_UNASKED_PER_DAY says how many may leave.
"""
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
        except UnknownMember as error:
            leave_to_newer(context, OutgoingLetter, row.id or 0, error, now)
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
        asked, unasked = _due_asked_letters(session, now), _due_unasked_letters(context, session, now)
        numbers = chain(sorted([*asked, *unasked]), _due_letters_behind(context, asked, now))
        taken = _take_first(context, session, lanes, numbers, now)
    while taken is not None:
        yield taken
        with context.reading() as session:
            taken = _take_first(context, session, lanes, numbers, now)


def _take_first(
    context: Context, session: Session, lanes: DeliveryLanes, numbers: Iterator[int], now: datetime
) -> OutgoingLetter | None:
    """The first letter of these numbers to whose reader nobody writes just now; then this lane does."""
    for row in load_rows(context, OutgoingLetter, numbers, now, session):
        if row.state == LetterState.WAITING and row.due_at <= now and lanes.take(row.recipient):
            return row
    return None


def _due_unasked_letters(context: Context, session: Session, now: datetime) -> list[int]:
    """The numbers of the first due letters that nobody asked for, and for which there is room today."""
    due = due_unasked_letters(session, BATCH_SIZE + 1, now)
    if not due:
        return []  # as nearly always: nobody asks how much room there is
    room = room_of_server(session, context.settings.unasked_per_day, now)
    if len(due) > room:
        _tell_that_letters_wait(context, now)
    return [number for number in due[: min(BATCH_SIZE, room)] if number is not None]


def _due_letters_behind(context: Context, asked: list[int], now: datetime) -> Iterator[int]:
    """The numbers of all due letters behind these that no budget bounds, read in pieces."""
    while len(asked) == BATCH_SIZE:
        with context.reading() as session:
            asked = _due_asked_letters(session, now, asked[-1])
        yield from sorted(asked)


def _due_asked_letters(session: Session, now: datetime, after: int | None = None) -> list[int]:
    """The numbers of the first due letters, or those behind one, of the letters that no budget bounds.

    When they fell due is compared and not read: one that is damaged must not stop the others.
    """
    due_at, number = col(OutgoingLetter.due_at), col(OutgoingLetter.id)
    unasked = exists().where(
        col(UnaskedLetter.message_id) == OutgoingLetter.message_id, col(UnaskedLetter.sent_at).is_(None)
    )
    chosen = select(OutgoingLetter.id).where(is_due(now), ~unasked).order_by(due_at, number)
    if after is not None:
        last = select(OutgoingLetter.due_at).where(OutgoingLetter.id == after).scalar_subquery()
        chosen = chosen.where(or_(due_at > last, and_(due_at == last, number > after)))
    return [found for found in session.exec(chosen.limit(BATCH_SIZE)) if found is not None]


def _tell_that_letters_wait(context: Context, now: datetime) -> None:
    """Let the operator know that more letters are due than the server sends to people who did not ask."""
    context.security.note(SecurityEvent.LIMIT_REACHED, OPERATOR.text, now, limit=Budget.SERVER)
    with context.reading() as session:
        if not needs_telling(context, session, OperatorMatter.LETTERS_WAIT, now):
            return
        origins = busiest_origins(session, now)
    listed = "".join(f"  {count:5}  {origin.text or 'unknown'}\n" for origin, count in origins)
    words = LETTERS_WAIT_WORDS.format(most=context.settings.unasked_per_day, origins=listed)
    with context.writing() as session:
        tell_operator(context, session, OperatorMatter.LETTERS_WAIT, words, now)
        session.commit()


def _send(
    context: Context, carrier: Transport, letter: ClaimedLetter, record: RelayRecord, now: datetime
) -> None:
    """Write and send a letter, and note what became of it.

    Raises `RelayAway`, or `UnknownMember` where it tells what this program does not know; then it waits as
    before.
    """
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
    except UnknownMember:
        put_back(context, row, "", now + LEFT_TO_NEWER_FOR, as_written=attempt.begun is not None)
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
        carrier.send(mail.sender, row.recipient, mail.raw)
    except LetterNotWanted as error:
        return DeliveryOutcome(error.reason.state, error.reason, error.reason.hindrance)
    except DeliveryFailed as error:
        return judge_failure(error, attempt)
    except (SQLAlchemyError, RelayAway, LetterTaken, UnknownMember):
        raise  # it is sent when the database, or the relay, is there again, or by who has it or knows more
    except Exception:
        # One letter that cannot be written must not keep back all the others.
        context.events.note_failed_row(WorkTable.OUTGOING, row.id or 0, RowFate.SET_ASIDE)
        return DeliveryOutcome(LetterState.FAILED, CANNOT_BE_WRITTEN, Hindrance.SET_ASIDE)
    return DeliveryOutcome(LetterState.SENT, mail=mail, relay=attempt.record.note_taken(row.id or 0))


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
            letter.sent_at, letter.text = now, outcome.mail.text
            known = SentLetter(outcome.mail.choices, outcome.mail.subject)
            letter.detail = add_to_detail(letter.detail, known)
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
        undeliverable.record_bounce(unit, letter, outcome.why, reported=False)


def _advance_read_marker(session: Session, row: OutgoingLetter, message: int) -> None:
    """Note up to which message a seat has been told; 0 where the letter had none."""
    if not message:
        return
    heard = session.get(ReadMarker, (row.game, row.seat))
    if heard is None:
        session.add(ReadMarker(game=row.game, seat=row.seat, message=message))
    else:
        heard.message = max(heard.message, message)
