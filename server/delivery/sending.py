"""Sending of letters and of mails to the operator, and outcomes of the attempts."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import partial
from hashlib import sha256
from time import monotonic

from sqlalchemy import update
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlmodel import col

from emails.letters.lobby_letters import is_address
from emails.replies.parsed_mail import Mail
from emails.replies.screening import RefusalCause, judge_refusal
from emails.tokens import OWN_HEADER, mask_tokens
from server.accounts import bounces
from server.delivery.claims import (
    CANNOT_BE_WRITTEN,
    CLAIM_LASTS,
    CLAIM_RENEWED_AFTER,
    ClaimedLetter,
    LetterTaken,
    claim_letter,
    discard_prepared_letters,
    find_due_letters,
    is_held,
    is_letter_in_hand,
    keep_prepared_letter,
    note_writing,
    open_prepared_letter,
    put_back,
    renew_claim,
    start_clock_on_send,
)
from server.delivery.composition import FinishedLetter, GameMovedOn, LetterNotWanted, write_letter
from server.delivery.relay import (
    DeliveryFailed,
    RecipientLocks,
    RelayAway,
    RelayChange,
    RelayRecord,
    Transport,
    note_relay_change,
    repeat_every,
)
from server.monitoring import RowFate, WorkTable, reply_code
from server.outbox.queue import (
    SentLetter,
    add_to_detail,
    due_operator_mails,
    open_unit,
    release_merged,
    tell_operator,
)
from server.store.context import Context
from server.store.encrypted import MailLocked, decrypt_bytes
from server.store.models import OperatorMail, OutgoingLetter, ReadMarker, UnsolicitedLetter
from server.store.schedule import SEE_MESSAGES, load_row, put_off, read_moment
from server.store.states import FORWARDED, Hindrance, LetterState, MomentName, OperatorMatter

GIVEN_UP_AFTER = timedelta(days=5)
"""Time after queueing during which a letter is retried (RFC 5321, section 4.5.4.1)."""
FIRST_PAUSE, LONGEST_RETRY_PAUSE = timedelta(minutes=1), timedelta(minutes=30)
FIRST_PAUSE_OF_LOST = timedelta(seconds=5)
LONGEST_PAUSE_OF_OURS = timedelta(minutes=1)  # after the relay refused the server's own address
OPENINGS = {Hindrance.RELAY: "not accepted: ", Hindrance.PERHAPS_TAKEN: "perhaps accepted: "}
MOST_REFUSALS = 3
LETTERS_REFUSED_WORDS = """\
The relay refuses a letter permanently, but not because of an unknown address:

{reason}

The letter is tried {most} times. If other letters are accepted meanwhile, mail to its recipient counts as
returned: the recipient's clock stops, and the other players are informed. If the letters of {readers}
recipients in a row are refused, all letters wait until the relay accepts one, and no time runs on any turn.

`alexandros letters --failed` lists the letters that have not reached their recipients.
"""


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """Result of an attempt to send a letter."""

    state: LetterState
    why: str = ""
    hindrance: Hindrance = Hindrance.NONE
    mail: FinishedLetter | None = None
    reply: str = ""
    pause: timedelta = timedelta(0)
    refused: bool = False
    """True if the relay refused the letter permanently, and not because of an unknown address."""
    bounced: bool = False
    may_be_there: bool = False
    """True if the relay may have the letter without having confirmed it."""
    relay: RelayChange | None = None


def _judge_failure(
    error: DeliveryFailed,
    row: OutgoingLetter,
    begun: FinishedLetter | None,
    record: RelayRecord,
    now: datetime,
) -> DeliveryOutcome:
    why = mask_tokens(str(error))
    if error.lost:
        change = record.note_lost(row.recipient, row.game, why)
    elif error.nobody:
        return DeliveryOutcome(LetterState.FAILED, why, bounced=True, relay=record.note_answered())
    elif error.ours:
        change = record.note_sender_refused(why)
        pause = pause_after(row.tries, FIRST_PAUSE_OF_LOST, LONGEST_PAUSE_OF_OURS)
        return DeliveryOutcome(LetterState.WAITING, why, Hindrance.RELAY, pause=pause, relay=change)
    elif not error.final and judge_refusal(why) == RefusalCause.MAILBOX:
        change = record.note_answered()  # a full or busy mailbox says nothing about the relay
    else:
        change = record.note_refused(row.recipient, row.id or 0, why, error.final)
    is_late = row.tries > 1 and now - row.queued_at >= GIVEN_UP_AFTER
    is_given_up = is_late or record.times_refused(row.id or 0) >= MOST_REFUSALS
    if is_given_up and not (record.seconds_away if error.lost else record.refuses_all):
        return DeliveryOutcome(LetterState.FAILED, why, refused=error.final, bounced=True, relay=change)
    pause, found = pause_after(row.tries), Hindrance.NONE
    if error.doubtful:
        found = Hindrance.PERHAPS_TAKEN
    elif error.lost:
        pause, found = pause_after(row.tries, FIRST_PAUSE_OF_LOST), Hindrance.RELAY
    elif error.final or record.refuses_all:
        found = Hindrance.RELAY
    return DeliveryOutcome(
        LetterState.WAITING,
        why,
        found,
        pause=pause,
        refused=error.final,
        may_be_there=error.doubtful or (error.lost and begun is not None),
        relay=change,
    )


def pause_after(
    tries: int, first: timedelta = FIRST_PAUSE, longest: timedelta = LONGEST_RETRY_PAUSE
) -> timedelta:
    return min(first * (1 << min(max(tries - 1, 0), 10)), longest)


LOG = logging.getLogger(__name__)
KIND = "operator"
OPERATOR_MAIL = 0
"""Letter id under which `RelayRecord` records mails to the operator."""
LEAST_TRIES = 16
"""Minimum attempts before a mail to the operator is given up; failed connections do not count."""
FORWARDED_MAIL = """\
--{boundary}
Content-Type: text/plain; charset=us-ascii

This mail was sent to {address} and is forwarded to you unchanged.
Your answer goes to the address of its author, if the mail names one.

--{boundary}
Content-Type: message/rfc822
Content-Disposition: attachment
Content-Transfer-Encoding: {encoding}

"""


def send_operator_mails(
    context: Context, carrier: Transport, now: datetime, most: int = 10, locks: RecipientLocks | None = None
) -> int:
    """Send due mails to the operator: at most `most` of the server's own, and `most` forwarded mails.

    Returns the number of mails tried. Outcomes are recorded in `locks.relay`.
    """
    record = (locks or RecipientLocks()).relay
    with context.reading() as session:
        numbers = due_operator_mails(session, most, now)
    for done, number in enumerate(numbers):
        try:
            if not _send_to_operator(context, carrier, number, record, now):
                return done
        except OperationalError:
            raise  # the database is unavailable
        except Exception:
            with context.writing() as session:
                same = update(OperatorMail).where(col(OperatorMail.id) == number)
                session.execute(same.values(state=LetterState.FAILED))
                session.commit()
            context.events.note_failed_row(WorkTable.OPERATOR, number, RowFate.SET_ASIDE)
    return len(numbers)


def _send_to_operator(
    context: Context, carrier: Transport, number: int, record: RelayRecord, now: datetime
) -> bool:
    """Send a mail to the operator if it is still due; return False if the relay cannot be reached."""
    with context.writing() as session:
        row = session.get(OperatorMail, number)
        if row is None or row.state != LetterState.WAITING or row.due_at > now:
            return True
        row.due_at, row.tries = now + CLAIM_LASTS, row.tries + 1
        session.commit()
    began = monotonic()
    with repeat_every(CLAIM_RENEWED_AFTER, partial(renew_claim, context, row)):
        state, change = _deliver_to_operator(context, carrier, row, record, now)
    with context.writing() as session:
        found = session.get_one(OperatorMail, number)
        found.due_at = now + pause_after(row.tries) if state == LetterState.WAITING else now
        if state is None:
            found.tries = row.tries - 1
        else:
            found.state = state
        session.commit()
    if state is not None:
        context.events.note_operator_mail(number, state, monotonic() - began)
    note_relay_change(context, change, now)
    return state is not None


def _deliver_to_operator(
    context: Context, carrier: Transport, row: OperatorMail, record: RelayRecord, now: datetime
) -> tuple[LetterState | None, RelayChange | None]:
    # The returned state is None if the relay cannot be reached; the mail is unchanged then.
    operator = context.settings.operator
    if operator is None:
        return LetterState.DROPPED, None
    try:
        kept = decrypt_bytes(row.raw, context.links.keys)
        carrier.send("", operator, compose_operator_mail(context, operator, row, kept))
    except MailLocked as error:
        LOG.error("a mail to the operator cannot be decrypted: %s", error)
        return LetterState.FAILED, None
    except RelayAway as error:
        return None, record.note_away(mask_tokens(str(error)))
    except DeliveryFailed as error:
        why = mask_tokens(str(error))
        LOG.warning("a mail to the operator cannot be sent: %s", reply_code(why))
        is_refused = error.nobody or (error.final and row.matter in FORWARDED)
        is_late = row.tries >= LEAST_TRIES and now - row.at >= GIVEN_UP_AFTER
        state = LetterState.FAILED if is_refused or is_late else LetterState.WAITING
        if error.lost:
            return state, record.note_lost(operator, "", why)
        if error.nobody:
            return state, record.note_answered()
        return state, record.note_refused(operator, OPERATOR_MAIL, why, final=False)
    return LetterState.SENT, record.note_taken(OPERATOR_MAIL)


def compose_operator_mail(context: Context, operator: str, row: OperatorMail, kept: Mail) -> bytes:
    """Compose a mail from a text of the server or a mail to forward; equal arguments give equal bytes."""
    settings = context.settings
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = settings.mail_from, operator
    domain = settings.mail_domain if row.matter in FORWARDED else ""
    mail["Subject"] = f"[Alexandros] {row.matter}{domain}"
    mail["Date"] = format_datetime(row.at)
    # ids are reused after a restore, and if the last row was deleted
    mail["Message-ID"] = f"<{KIND}.{row.id}.{int(row.at.timestamp() * 1000)}@{settings.mail_domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    mail[OWN_HEADER] = KIND
    if not kept.envelope_to:
        mail.set_content(kept.raw.decode(), cte="quoted-printable")
        return bytes(mail)
    author = kept.headers.author
    if is_address(author) and author.isascii():
        mail["Reply-To"] = author
    boundary = f"operator-{sha256(kept.raw).hexdigest()[:40]}"
    mail["MIME-Version"] = "1.0"
    mail["Content-Type"] = f'multipart/mixed; boundary="{boundary}"'
    head = b"".join(SMTP.fold_binary(name, value) for name, value in mail.items())
    # Line ends of the forwarded mail are normalised, since a bare CR or LF could end the outer mail early.
    inner = re.sub(rb"\r\n|\r|\n", b"\r\n", kept.raw.replace(b"\0", b""))
    encoding = "7bit" if inner.isascii() else "8bit"
    opening = FORWARDED_MAIL.format(boundary=boundary, address=kept.envelope_to, encoding=encoding)
    parts = opening.replace("\n", "\r\n").encode("ascii", "replace") + inner
    return head + b"\r\n" + parts + f"\r\n--{boundary}--\r\n".encode()


SHORT = timedelta(seconds=5)
CANNOT_BE_SENT = f"it could not be sent{SEE_MESSAGES}"
NO_ANSWER = "The relay has not answered a letter for long."


def send_due_letters(
    context: Context, carrier: Transport, now: datetime, most: int = 50, locks: RecipientLocks | None = None
) -> int:
    """Send due letters, at most `most`; return how many were claimed.

    If the relay cannot be reached, the claims are released, and all letters wait as before.
    """
    locks, done = locks or RecipientLocks(), 0
    for row in _take_letters(context, locks, now):
        try:
            letter = claim_letter(context, row, now)
            if letter is not None:
                locks.wake_lane()
                _send(context, carrier, letter, locks.relay, now)
        except RelayAway as error:
            note_relay_change(context, locks.relay.note_away(mask_tokens(str(error))), now)
            return done
        except OperationalError:
            raise  # the database is unavailable: the claim ends by itself
        except Exception:
            # A letter that cannot be sent must not delay the others.
            put_off(context, OutgoingLetter, row, CANNOT_BE_SENT, now)
        finally:
            locks.let_go(row.recipient)
        done += 1
        if done == most:
            break
    if not done and locks.relay.claim_probe():
        _probe_relay(context, carrier, locks.relay, now)
    return done


def _probe_relay(context: Context, carrier: Transport, record: RelayRecord, now: datetime) -> None:
    try:
        carrier.probe()
    except RelayAway:
        return
    with context.reading() as session:
        is_awaited = is_letter_in_hand(session, context.settings.unasked_per_day, now)
    note_relay_change(context, record.note_reachable(is_awaited), now)


def _take_letters(context: Context, locks: RecipientLocks, now: datetime) -> Iterator[OutgoingLetter]:
    # Letters to locked recipients are skipped. Each transaction ends before the found letter is yielded.
    numbers: Iterator[int] | None = None
    while True:
        with context.reading() as session:
            numbers = numbers or find_due_letters(context, session, now, shared=locks.shared is not None)
            for number in numbers:
                row = load_row(context, session, OutgoingLetter, number)
                is_due = row is not None and row.state == LetterState.WAITING and row.due_at <= now
                if row is not None and is_due and locks.take(row.recipient):
                    break
            else:
                return
        yield row


def _send(
    context: Context, carrier: Transport, letter: ClaimedLetter, record: RelayRecord, now: datetime
) -> None:
    row, found, began = letter.row, letter.prepared, monotonic()
    begun = None if found is None else open_prepared_letter(context, row, found)

    def keep() -> None:
        renew_claim(context, row)
        note_relay_change(context, record.note_silent(began, NO_ANSWER), now + CLAIM_RENEWED_AFTER)

    try:
        with repeat_every(CLAIM_RENEWED_AFTER, keep):
            outcome = _deliver(context, carrier, letter, begun, record, now)
    except RelayAway as error:
        put_back(context, row, mask_tokens(str(error)), now, as_written=begun is not None)
        raise
    except GameMovedOn:
        put_back(context, row, "", now, as_written=False)
        return
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


def _deliver(
    context: Context,
    carrier: Transport,
    letter: ClaimedLetter,
    begun: FinishedLetter | None,
    record: RelayRecord,
    now: datetime,
) -> DeliveryOutcome:
    row = letter.row
    try:
        mail = begun or write_letter(context, row, letter.seq, now)
        if begun is None:
            keep_prepared_letter(context, row, mail, now)
        reply = mask_tokens(carrier.send(mail.sender, row.recipient, mail.raw) or "")
    except LetterNotWanted as error:
        return DeliveryOutcome(error.reason.state, error.reason, error.reason.hindrance)
    except DeliveryFailed as error:
        return _judge_failure(error, row, begun, record, now)
    except (SQLAlchemyError, RelayAway, LetterTaken, GameMovedOn):
        raise  # sent when database or relay is available again, by another lane, or claimed again
    except Exception:
        # A letter that cannot be rendered must not delay the others.
        context.events.note_failed_row(WorkTable.OUTGOING, row.id or 0, RowFate.SET_ASIDE)
        return DeliveryOutcome(LetterState.FAILED, CANNOT_BE_WRITTEN, Hindrance.SET_ASIDE)
    return DeliveryOutcome(LetterState.SENT, mail=mail, reply=reply, relay=record.note_taken(row.id or 0))


def _note_outcome(
    context: Context, row: OutgoingLetter, outcome: DeliveryOutcome, now: datetime
) -> tuple[bool, bool]:
    # Returns whether the letter still exists, and whether the caller must end a stored outage of the relay.
    in_game = None if outcome.bounced or outcome.refused else row.game  # other rows may change too
    with open_unit(context, now, game=in_game) as unit:
        session = unit.session
        stands = outcome.mail is not None and read_moment(session, MomentName.RELAY_AWAY) is not None
        letter = session.get(OutgoingLetter, row.id, populate_existing=True)
        if letter is None or not letter.recipient:
            return False, stands
        if outcome.mail is None and not is_held(letter, row):
            return False, stands  # the lane that has claimed the letter decides
        letter.state, letter.hindrance = outcome.state, outcome.hindrance
        letter.why = OPENINGS.get(outcome.hindrance, "") + outcome.why
        letter.due_at = now + outcome.pause
        if outcome.mail is not None:
            letter.sent_at = now
            note_writing(letter, outcome.mail)  # another program version may have prepared it
            letter.detail = add_to_detail(letter.detail, SentLetter(relay_reply=outcome.reply))
        if not outcome.may_be_there:
            discard_prepared_letters(session, [row.id])
        if outcome.state != LetterState.WAITING:
            start_clock_on_send(session, letter, now)
        if outcome.mail is not None:
            unsolicited = update(UnsolicitedLetter).where(col(UnsolicitedLetter.message_id) == row.message_id)
            session.connection().execute(unsolicited.values(sent_at=now))
            if (message := outcome.mail.heard) > 0:
                marker = session.get(ReadMarker, (row.game, row.seat))
                marker = marker or ReadMarker(game=row.game, seat=row.seat, message=message)
                marker.message = max(marker.message, message)
                session.add(marker)
        elif outcome.state != LetterState.WAITING:
            release_merged(session, letter)
        if outcome.state == LetterState.FAILED:
            LOG.warning("letter %s failed permanently: %s", letter.id, reply_code(outcome.why))
        if outcome.refused:
            words = LETTERS_REFUSED_WORDS.format(
                reason=outcome.why, most=MOST_REFUSALS, readers=bounces.MOST_READERS_REFUSED
            )
            tell_operator(context, session, OperatorMatter.LETTERS_REFUSED, words, now)
        if outcome.bounced:
            bounces.record_bounce(unit, letter, outcome.why, reported=False)
        if outcome.state == LetterState.SENT:
            session.commit()  # all further work can wait for a tick, so no lane is woken
        else:
            unit.commit()
    return True, stands
