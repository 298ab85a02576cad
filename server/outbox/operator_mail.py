"""Mails to the operator: what the server has to say, and what was written to postmaster@ and abuse@.

They are kept encrypted like all mails, and sent by delivery/sending.py. Neither a fault that
lasts nor a flood fills the operator's mailbox: of each thing they hear once a day, and only so many mails are
passed on.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from server.store.context import Context
from server.store.encrypted_mail import KeptMail, encrypt_mail
from server.store.models import OperatorMail
from server.store.states import FORWARDED, LetterState, OperatorMatter

TOLD_EVERY = timedelta(days=1)
"""How often the operator hears of one thing."""
MOST_FORWARDED_A_DAY = 50
"""Mails to postmaster@ and abuse@ that are passed on within a day; more wait."""
MOST_WAITING = 500
"""Such mails that wait; more are not kept."""
OFFICES = {"postmaster": OperatorMatter.TO_POSTMASTER, "abuse": OperatorMatter.TO_ABUSE}
"""What a mail is about that is passed on, by what its address begins with."""


def tell_operator(
    context: Context, session: Session, matter: OperatorMatter, words: str, now: datetime
) -> bool:
    """Keep a mail to the operator, where there is one who has not heard of this today. The caller commits."""
    if not needs_telling(context, session, matter, now):
        return False
    _store(context, session, matter, KeptMail("", "", words.encode()), now)
    return True


def needs_telling(context: Context, session: Session, matter: OperatorMatter, now: datetime) -> bool:
    """Whether there is an operator, who has not heard of something for a day."""
    told = select(OperatorMail.id).where(OperatorMail.matter == matter, OperatorMail.at > now - TOLD_EVERY)
    return context.settings.operator is not None and session.exec(told).first() is None


def send_desk_link(context: Context, session: Session, words: str, now: datetime) -> None:
    """Keep a mail with a link to the desk, each time that one is asked for. The caller commits."""
    _store(context, session, OperatorMatter.DESK_LINK, KeptMail("", "", words.encode()), now)


def count_desk_links(session: Session, since: datetime) -> int:
    """How many links to the desk were mailed since then."""
    mailed = select(func.count()).select_from(OperatorMail)
    return session.exec(
        mailed.where(OperatorMail.matter == OperatorMatter.DESK_LINK, OperatorMail.at > since)
    ).one()


def forward_to_operator(context: Context, session: Session, mail: KeptMail, now: datetime) -> bool:
    """Keep a mail that was written to an office of ours; False where too many wait. The caller commits."""
    waiting = select(func.count()).select_from(OperatorMail).where(OperatorMail.state == LetterState.WAITING)
    if session.exec(waiting).one() >= MOST_WAITING:
        return False
    _store(context, session, OFFICES[mail.recipient.partition("@")[0].lower()], mail, now)
    return True


def due_operator_mails(session: Session, most: int, now: datetime) -> list[int]:
    """The numbers of the mails to the operator that are to leave, what the server itself says first."""
    forwarded = col(OperatorMail.matter).in_(FORWARDED)
    sent = select(func.count()).select_from(OperatorMail).where(forwarded)
    sent = sent.where(OperatorMail.state == LetterState.SENT, OperatorMail.due_at > now - TOLD_EVERY)
    room = max(0, MOST_FORWARDED_A_DAY - session.exec(sent).one())
    number = col(OperatorMail.id)
    due = select(number).where(OperatorMail.state == LetterState.WAITING, OperatorMail.due_at <= now)
    due = due.order_by(number)
    told = session.exec(due.where(~forwarded).limit(most)).all()
    return [*told, *session.exec(due.where(forwarded).limit(min(room, most)))]


def _store(context: Context, session: Session, matter: OperatorMatter, mail: KeptMail, now: datetime) -> None:
    raw = encrypt_mail(mail, context.links.keys)
    session.add(OperatorMail(matter=matter, raw=raw, at=now, due_at=now))
    session.flush()
