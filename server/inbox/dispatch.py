"""Dispatch of stored mail by its address: to games, the lobby, bounces, or the operator."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

from sqlalchemy import CompoundSelect, and_, case, func, union
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.replies.parsed_mail import Mail
from emails.replies.screening import Screening, is_complaint, screen_mail
from emails.tokens import ForgedToken, unseal_unsubscribe
from server.accounts import addresses, unsubscribe
from server.inbox import lobby_mail
from server.inbox.game_mail import process_reply
from server.inbox.received_mail import (
    Closing,
    ReadAgainLater,
    ReceivedMail,
    close_mail,
    find_doubles,
    ignore_mail,
    process_bounce,
    reason_to_ignore,
    says_yes,
)
from server.mail_addresses import is_sender_address, normalise_address
from server.monitoring import AttemptChannel, SecurityEvent
from server.outbox.budgets import HAS_BANS, is_banned
from server.outbox.queue import UnitOfWork, forward_to_operator
from server.store.context import Context
from server.store.dialects import SharedKeys
from server.store.encrypted import SEALED, MailLocked, drop_words, is_sealed, load_incoming_mail
from server.store.event_log import Refusal, StalePosition
from server.store.models import IncomingMail
from server.store.schedule import SEE_MESSAGES, UNREADABLE, put_off, set_aside
from server.store.states import MailState

FORWARDED = "It was forwarded to the operator."
NO_OPERATOR = "There is no operator to forward it to."
TOO_MANY = "Too many mails to the operator are waiting."
NEVER_FORWARDED = frozenset({Screening.OWN, Screening.BOUNCE, Screening.DOUBLE})


def process_office_mail(mail: ReceivedMail) -> None:
    if (why := _reason_not_to_forward(mail)) is not None:
        ignore_mail(mail, why)
        return

    def forward(unit: UnitOfWork) -> Closing:
        taken = forward_to_operator(mail.context, unit.session, mail.parsed, mail.now)
        return (MailState.PLAYED, FORWARDED) if taken else (MailState.IGNORED, TOO_MANY)

    close_mail(mail, forward)


def _reason_not_to_forward(mail: ReceivedMail) -> str | None:
    if mail.context.settings.operator is None:
        return NO_OPERATOR
    with mail.context.reading() as session:
        verdict = screen_mail(mail.parsed, find_doubles(session, mail))
    complains = is_complaint(mail.parsed) and verdict == Screening.BOUNCE
    return verdict.sentence if verdict in NEVER_FORWARDED and not complains else None


LOG = logging.getLogger(__name__)
BATCH_SIZE = 50
HOUR = timedelta(hours=1)
MOST_RANKED = 1000
WRITER = "writer "
READ_AGAIN_AFTER = timedelta(seconds=30)  # a delivery report may come before its letter is stored as sent
CANNOT_BE_READ = f"it could not be read{SEE_MESSAGES}"
BANNED = "The operator has banned its sender or network."

MailProcessor = Callable[[ReceivedMail], None]
"""Processes a mail and stores the outcome."""


def process_waiting_mail(
    context: Context, now: datetime, most: int = BATCH_SIZE, shared: SharedKeys | None = None
) -> int:
    """Process at most `most` waiting mails; return their number.

    The number includes mails postponed to a later time. `shared`: locks between processes, so that the
    mails of one sender are processed in order. A mail is skipped, and not counted, while another process
    handles a mail of the same sender.
    """
    with context.reading() as session:
        due = _list_waiting(session, now)[: most if shared is None else max(most, BATCH_SIZE)]
    done = 0
    for number in due:
        if done == most:
            break
        done += _process_mail(context, number, shared, now)
    return len(due) if shared is None else done


def _list_waiting(session: Session, now: datetime) -> list[int]:
    # Mails to addresses with a genuine token come first. Then each address, or for mail without a token each
    # network or sender, gets its turn, so that a flood of mails delays only itself.
    number, waits = col(IncomingMail.id), col(IncomingMail.state) == MailState.WAITING
    is_due = and_(waits, col(IncomingMail.due_at) <= now)
    due = session.exec(select(number).where(is_due).limit(2)).all()
    if len(due) < 2:
        return [one or 0 for one in due]
    latest = number > select(func.max(number)).scalar_subquery() - MOST_RANKED
    known: CompoundSelect[Any] = union(
        select(number).where(waits), select(number).where(latest, col(IncomingMail.at) > now - HOUR)
    )
    network = col(IncomingMail.network)
    whose = case((SEALED, col(IncomingMail.recipient)), (network != "", network), else_=IncomingMail.sender)
    turn = func.row_number().over(partition_by=whose, order_by=number)
    ranked = select(number, is_due.label("due"), SEALED.label("sealed"), turn.label("turn"))
    found = ranked.where(number.in_(known)).subquery()
    order = found.c.sealed.desc(), found.c.turn, found.c.id
    return list(session.execute(select(found.c.id).where(found.c.due).order_by(*order)).scalars())


def _process_mail(context: Context, number: int, shared: SharedKeys | None, now: datetime) -> bool:
    began = perf_counter()
    found = _load_mail(context, number)
    if found is None:
        return False
    row, parsed, bans = found
    key = "" if shared is None else WRITER + normalise_address(row.sender)
    if shared is not None and not shared.take(key):
        return False
    try:
        name, _, token = parsed.envelope_to.partition("@")[0].partition("+")
        has_own_processor = name.lower() in PROCESSORS and name.lower() != "play"
        is_unsealed = not has_own_processor and is_sender_address(parsed.envelope_to, context.settings)
        name = "play" if is_unsealed else name
        mail = ReceivedMail(context, row, parsed, token, now, is_unsealed=is_unsealed)
        if bans and name.lower() not in ALWAYS_HEARD and _is_banned(mail):
            mail.note_event(SecurityEvent.BAN_MET)
            ignore_mail(mail, BANNED)
        else:
            PROCESSORS.get(name.lower(), _ignore_unknown_address)(mail)
    except OperationalError:
        raise  # the database is unavailable, and the mails wait
    except StalePosition:
        pass  # the game changed meanwhile: the next round processes this mail again
    except ReadAgainLater:
        with context.writing() as session:
            session.get_one(IncomingMail, row.id).due_at = now + READ_AGAIN_AFTER
            session.commit()
    except Exception:
        # An unreadable mail must not delay the others; its bytes stay stored.
        put_off(context, IncomingMail, row, CANNOT_BE_READ, now)
    finally:
        if shared is not None:
            shared.let_go(key)
    if row.state is MailState.IGNORED and not is_sealed(row.recipient):
        with context.writing() as session:  # anyone can send such mails, so their bytes are not stored
            drop_words(session, number)
            session.commit()
    if row.state is not MailState.WAITING:
        context.events.note_mail(number, row.state, perf_counter() - began, now - row.at)
    return True


def _load_mail(context: Context, number: int) -> tuple[IncomingMail, Mail, bool] | None:
    try:
        with context.reading() as session:
            found = session.exec(select(IncomingMail, HAS_BANS).where(IncomingMail.id == number)).first()
            if found is None:
                return None
            row, bans = found
            return row, load_incoming_mail(session, row, context.links.keys), bans
    except OperationalError:
        raise  # the database is unavailable, and the mails wait
    except MailLocked as error:
        LOG.error("mail %s cannot be decrypted: %s", number, error)
        set_aside(context, IncomingMail, number, str(error))
    except Exception:
        set_aside(context, IncomingMail, number, UNREADABLE)
    return None


def _is_banned(mail: ReceivedMail) -> bool:
    named = (address for _, address in mail.parsed.headers.people("from"))
    senders = {mail.parsed.envelope_from.strip("<> "), *named}
    with mail.context.reading() as session:
        return is_banned(session, senders, mail.row.network)


def _ignore_unknown_address(mail: ReceivedMail) -> None:
    ignore_mail(mail, reason_to_ignore(mail, unknown=True) or "")


def _unsubscribe(mail: ReceivedMail) -> None:
    # Mail programs send such a mail when their user presses "unsubscribe", so its text does not matter.
    try:
        game, holder = unseal_unsubscribe(mail.token, mail.context.links.keys)
    except ForgedToken:
        game, holder = "", 0
    why = reason_to_ignore(mail, unknown=not game, by_button=True)

    def stop(unit: UnitOfWork) -> None:
        unsubscribe.unsubscribe_by_header(unit, game, unsubscribe.seat_of_token(mail.context, game, holder))

    _do_or_ignore(mail, why, stop)


def _confirm_address(mail: ReceivedMail) -> None:
    why = reason_to_ignore(mail, unknown=not mail.token)
    if why is None and not mail.parsed.headers.author:
        why = Screening.AUTHOR.reason
    if why is None and not says_yes(mail):
        why = "Its first line contains no yes."
    _do_or_ignore(mail, why, lambda unit: addresses.confirm_address(unit, mail.token))


def _do_or_ignore(mail: ReceivedMail, why: str | None, work: Callable[[UnitOfWork], object]) -> None:
    def do(unit: UnitOfWork) -> Closing:
        work(unit)
        return MailState.PLAYED, ""

    if why is None:
        try:
            close_mail(mail, do)
        except Refusal as error:
            mail.context.events.note_refusal(error.code, AttemptChannel.MAIL)
            why = error.sentence
    if why is not None:
        ignore_mail(mail, why)


PROCESSORS: Mapping[str, MailProcessor] = {
    "play": process_reply,
    "stop": _unsubscribe,
    "confirm": _confirm_address,
    "new": lobby_mail.process_request,
    "nieuw": lobby_mail.process_request,
    "bounce": process_bounce,
    "postmaster": process_office_mail,
    "abuse": process_office_mail,
}
ALWAYS_HEARD = ("stop",)
"""Local parts of addresses at which even mail of banned senders is processed, since it only stops letters."""
