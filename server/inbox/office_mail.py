"""Mail to the offices that every domain must have, postmaster@ and abuse@ (RFC 2142): the operator gets it.

It is never played and never answered by us. Letters of ours do not come back that way, and returned mail is
about nothing that an office has sent; a report of unwanted mail looks alike (RFC 5965) and is passed on.
"""

from __future__ import annotations

from datetime import datetime

from emails.replies.bounces import is_complaint
from emails.replies.mail import Mail
from emails.replies.screening import ScreeningRow, screen_mail
from server.inbox.reply_outcome import claim_mail, close_silently
from server.inbox.screening_facts import find_doubles
from server.outbox.operator_mail import forward_to_operator
from server.outbox.unit_of_work import open_unit
from server.store.context import Context
from server.store.encrypted_mail import KeptMail
from server.store.models import IncomingMail
from server.store.states import MailState

FORWARDED = "It was passed on to the operator."
NO_OPERATOR = "There is no operator to whom it could be passed on."
TOO_MANY = "Too many mails to the operator wait."
NEVER_FORWARDED = frozenset({ScreeningRow.OWN, ScreeningRow.BOUNCE, ScreeningRow.DOUBLE})
"""The rows of the table of screening of which nothing is passed on."""


def process_office_mail(context: Context, row: IncomingMail, mail: Mail, _: str, now: datetime) -> None:
    """Pass a mail on to the operator, and close its row."""
    why = _reason_to_ignore(context, row, mail)
    if why is not None:
        close_silently(context, row, MailState.IGNORED, why)
        return
    kept = KeptMail(mail.envelope_from, mail.envelope_to, mail.raw)
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row):
            taken = forward_to_operator(context, unit.session, kept, now)
            incoming.state = MailState.PLAYED if taken else MailState.IGNORED
            incoming.why = FORWARDED if taken else TOO_MANY
            unit.commit()


def _reason_to_ignore(context: Context, row: IncomingMail, mail: Mail) -> str | None:
    """Why a mail is not passed on; None where it is."""
    if context.settings.operator is None:
        return NO_OPERATOR
    with context.reading() as session:
        facts = find_doubles(session, row)
    verdict = screen_mail(mail, facts)
    ignored = verdict.row in NEVER_FORWARDED and not (
        is_complaint(mail) and verdict.row == ScreeningRow.BOUNCE
    )
    return verdict.sentence if ignored else None
