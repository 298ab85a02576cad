"""Mails to the operator: messages of the server, and mail to postmaster@ and abuse@.

They are stored encrypted like all mail, and sent by delivery/sending.py. Neither a lasting fault nor a flood
fills the operator's mailbox: each matter is reported once a day, and few mails are forwarded.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from emails.replies.parsed_mail import Mail
from server.store.context import Context
from server.store.encrypted import encrypt_mail
from server.store.models import OperatorMail, count_rows
from server.store.states import FORWARDED, LetterState, OperatorMatter

TOLD_EVERY = timedelta(days=1)
MOST_FORWARDED_A_DAY = 50
"""Maximum mails to postmaster@ and abuse@ that are forwarded within a day; further mails wait."""
MOST_WAITING = 500
"""Maximum waiting mails; above it, mails to postmaster@ and abuse@ are not stored."""
OFFICES = {"postmaster": OperatorMatter.TO_POSTMASTER, "abuse": OperatorMatter.TO_ABUSE}


def tell_operator(
    context: Context, session: Session, matter: OperatorMatter, words: str, now: datetime
) -> bool:
    """Queue a mail to the operator unless the matter was reported today; return whether queued. No commit."""
    if not needs_telling(context, session, matter, now):
        return False
    _store(context, session, matter, Mail(words.encode()), now)
    return True


def needs_telling(context: Context, session: Session, matter: OperatorMatter, now: datetime) -> bool:
    told = select(OperatorMail.id).where(OperatorMail.matter == matter, OperatorMail.at > now - TOLD_EVERY)
    return context.settings.operator is not None and session.exec(told).first() is None


def send_desk_link(context: Context, session: Session, words: str, now: datetime) -> None:
    _store(context, session, OperatorMatter.DESK_LINK, Mail(words.encode()), now)


def count_desk_links(session: Session, since: datetime) -> int:
    is_link = OperatorMail.matter == OperatorMatter.DESK_LINK
    return count_rows(session, OperatorMail, is_link, OperatorMail.at > since)


def forward_to_operator(context: Context, session: Session, mail: Mail, now: datetime) -> bool:
    """Queue a mail to postmaster@ or abuse@; return False if too many wait. Does not commit."""
    if count_rows(session, OperatorMail, OperatorMail.state == LetterState.WAITING) >= MOST_WAITING:
        return False
    _store(context, session, OFFICES[mail.envelope_to.partition("@")[0].lower()], mail, now)
    return True


def due_operator_mails(session: Session, most: int, now: datetime) -> list[int]:
    """Return the ids of the due mails to the operator, the server's own mails first."""
    forwarded = col(OperatorMail.matter).in_(FORWARDED)
    sent = OperatorMail.state == LetterState.SENT, OperatorMail.due_at > now - TOLD_EVERY
    room = max(0, MOST_FORWARDED_A_DAY - count_rows(session, OperatorMail, forwarded, *sent))
    number = col(OperatorMail.id)
    due = select(number).where(OperatorMail.state == LetterState.WAITING, OperatorMail.due_at <= now)
    due = due.order_by(number)
    told = session.exec(due.where(~forwarded).limit(most)).all()
    return [*told, *session.exec(due.where(forwarded).limit(min(room, most)))]


def _store(context: Context, session: Session, matter: OperatorMatter, mail: Mail, now: datetime) -> None:
    raw = encrypt_mail(mail, context.links.keys)
    session.add(OperatorMail(matter=matter, raw=raw, at=now, due_at=now))
    session.flush()
