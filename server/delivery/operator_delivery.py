"""Mails to the operator leave: written here, and handed to the same transport as letters.

What was written to postmaster@ or abuse@ goes along unchanged, as a mail within the mail. Nothing of it
stands in our own headers but the address to which the operator's answer goes. Whoever sends one again, after
a fall or a loss, sends the same bytes. It is tried as long as a letter (outcomes.py).
"""

from __future__ import annotations

import logging
import re
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import partial
from hashlib import sha256
from time import monotonic

from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlmodel import col

from emails.letter_markers import OWN_HEADER
from emails.letters.proposal_letter import is_address
from emails.links import mask_tokens
from emails.replies.headers import parse_headers
from server.delivery.claims import CLAIM_LASTS, CLAIM_RENEWED_AFTER
from server.delivery.delivery_lanes import REPEATER, DeliveryLanes
from server.delivery.outcomes import GIVEN_UP_AFTER, pause_after
from server.delivery.relay_record import RelayChange, RelayRecord
from server.delivery.relay_watch import note_relay_change
from server.delivery.transports import DeliveryFailed, RelayAway, Transport
from server.monitoring.server_events import RowFate, WorkTable, reply_code
from server.outbox.operator_mail import due_operator_mails
from server.store.context import Context
from server.store.encrypted_mail import KeptMail, MailLocked, decrypt_bytes
from server.store.states import LetterState, OperatorMatter
from server.store.unasked_models import OperatorMail

LOG = logging.getLogger(__name__)
KIND = "operator"
OPERATOR_MAIL = 0
"""What the record of the relay has as the number of a letter."""
LEAST_TRIES = 16
"""How often a mail is tried at least before it is given up: days without a relay count no tries."""
SUBJECTS = {
    OperatorMatter.RELAY_AWAY: "The relay takes no letters",
    OperatorMatter.LETTERS_REFUSED: "Letters are refused",
    OperatorMatter.LETTERS_WAIT: "Letters wait for tomorrow",
    OperatorMatter.DESK_LINK: "A link to the desk",
    OperatorMatter.TO_POSTMASTER: "Mail to postmaster@{domain}",
    OperatorMatter.TO_ABUSE: "Mail to abuse@{domain}",
}
"""What the subject of a mail says, by what it is about."""
PASSED_ON = (
    "This was written to {address}, and is passed on to you as it came.\r\n"
    "Your answer goes to the address that it names as its writer's, if it names one.\r\n"
)


def send_operator_mails(
    context: Context,
    carrier: Transport,
    now: datetime,
    most: int = 10,
    lanes: DeliveryLanes | None = None,
) -> int:
    """Send the mails to the operator that are due, at most so many of each sort; how many were in hand.

    What becomes of them tells of the relay too (relay_record.py), as of letters to players.
    """
    record = (lanes or DeliveryLanes()).relay
    with context.reading() as session:
        numbers = due_operator_mails(session, most, now)
    done = 0
    for number in numbers:
        try:
            is_there = _send(context, carrier, number, record, now)
        except OperationalError:
            raise  # the database is away
        except Exception:
            _set_aside(context, number)
            is_there = True
        if not is_there:
            break
        done += 1
    return done


def _send(context: Context, carrier: Transport, number: int, record: RelayRecord, now: datetime) -> bool:
    """Send one mail, where no other server does; whether the relay could be spoken with."""
    row = _claim(context, number, now)
    if row is None:
        return True
    began = monotonic()
    with REPEATER.every(CLAIM_RENEWED_AFTER.total_seconds(), partial(_renew_claim, context, row)):
        state, change = _deliver(context, carrier, row, record, now)
    _note_state(context, row, state, now)
    if state is not None:
        context.events.note_operator_mail(number, state, monotonic() - began)
    note_relay_change(context, change, now)
    return state is not None


def _claim(context: Context, number: int, now: datetime) -> OperatorMail | None:
    """Take a mail in hand; None where another server has taken it."""
    with context.writing() as session:
        found = session.get(OperatorMail, number)
        if found is None or found.state != LetterState.WAITING or found.due_at > now:
            return None
        found.due_at, found.tries = now + CLAIM_LASTS, found.tries + 1
        session.commit()
    return found


def _renew_claim(context: Context, row: OperatorMail) -> None:
    """Keep a mail whose sending takes long."""
    with context.writing() as session:
        found = session.get(OperatorMail, row.id)
        if found is not None and (found.state, found.tries) == (LetterState.WAITING, row.tries):
            found.due_at += CLAIM_RENEWED_AFTER
            session.commit()


def _set_aside(context: Context, number: int) -> None:
    """Work no more at a mail that cannot be read or written."""
    with context.writing() as session:
        same = update(OperatorMail).where(col(OperatorMail.id) == number)
        session.execute(same.values(state=LetterState.FAILED))
        session.commit()
    context.events.note_failed_row(WorkTable.OPERATOR, number, RowFate.SET_ASIDE)


def _deliver(
    context: Context, carrier: Transport, row: OperatorMail, record: RelayRecord, now: datetime
) -> tuple[LetterState | None, RelayChange | None]:
    """Try to send a mail; what becomes of it (None: nothing, for no relay is there), and what that shows."""
    operator = context.settings.operator
    if operator is None:
        return LetterState.DROPPED, None
    try:
        kept = decrypt_bytes(row.raw, context.links.keys)
        carrier.send("", operator, compose_operator_mail(context, operator, row, kept))
    except MailLocked as error:
        LOG.error("a mail to the operator cannot be opened: %s", error)
        return LetterState.FAILED, None
    except RelayAway as error:
        return None, record.note_away(mask_tokens(str(error)))
    except DeliveryFailed as error:
        why = mask_tokens(str(error))
        LOG.warning("a mail to the operator does not leave: %s", reply_code(why))
        is_refused = error.nobody or (error.final and row.matter.is_passed_on)
        is_late = row.tries >= LEAST_TRIES and now - row.at >= GIVEN_UP_AFTER
        state = LetterState.FAILED if is_refused or is_late else LetterState.WAITING
        if error.lost:
            return state, record.note_lost(operator, "", why)
        if error.nobody:
            return state, record.note_answered()
        return state, record.note_refused(operator, OPERATOR_MAIL, why, final=False)
    return LetterState.SENT, record.note_taken(OPERATOR_MAIL)


def _note_state(context: Context, row: OperatorMail, state: LetterState | None, now: datetime) -> None:
    with context.writing() as session:
        found = session.get_one(OperatorMail, row.id)
        found.due_at = now + pause_after(row.tries) if state == LetterState.WAITING else now
        if state is None:
            found.tries = row.tries - 1
        else:
            found.state = state
        session.commit()


def compose_operator_mail(context: Context, operator: str, row: OperatorMail, kept: KeptMail) -> bytes:
    """The mail as it leaves, with lines ended by CR LF; each time the same."""
    settings = context.settings
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = settings.mail_from, operator
    mail["Subject"] = f"[Alexandros] {SUBJECTS[row.matter].format(domain=settings.mail_domain)}"
    mail["Date"] = format_datetime(row.at)
    # its number may be given again: after a restore, or where it is deleted and was the last
    mail["Message-ID"] = f"<{KIND}.{row.id}.{int(row.at.timestamp() * 1000)}@{settings.mail_domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    mail[OWN_HEADER] = KIND
    if not kept.recipient:
        mail.set_content(kept.raw.decode(), cte="quoted-printable")
        return bytes(mail)
    author = parse_headers(kept.raw).author
    if is_address(author) and author.isascii():
        mail["Reply-To"] = author
    boundary = f"operator-{sha256(kept.raw).hexdigest()[:40]}"
    mail["MIME-Version"] = "1.0"
    mail["Content-Type"] = f'multipart/mixed; boundary="{boundary}"'
    head = b"".join(SMTP.fold_binary(name, value) for name, value in mail.items())
    return head + b"\r\n" + _forwarded_parts(boundary, PASSED_ON.format(address=kept.recipient), kept.raw)


def _forwarded_parts(boundary: str, words: str, raw: bytes) -> bytes:
    """Our words, and below them a mail as it came, but for its line ends: a bare one could end ours early."""
    inner = re.sub(rb"\r\n|\r|\n", b"\r\n", raw.replace(b"\0", b""))
    encoding = b"7bit" if inner.isascii() else b"8bit"
    line = b"--" + boundary.encode()
    return b"\r\n".join(
        (
            line,
            b"Content-Type: text/plain; charset=us-ascii\r\n",
            words.encode("ascii", "replace"),
            line,
            b"Content-Type: message/rfc822",
            b"Content-Disposition: attachment",
            b"Content-Transfer-Encoding: " + encoding + b"\r\n",
            inner,
            line + b"--\r\n",
        )
    )
