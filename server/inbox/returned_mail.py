"""Bounces and spam complaints: identification of the concerned letters, and consequences.

Each letter has a separate envelope sender (emails/tokens.py), so the address of a bounce identifies the
letter. Some servers write to the Reply-To address instead, which identifies a seat. Such a report counts
only if it names the recipient and the Message-ID of one letter to this seat: other players of the game could
guess the Message-ID alone. Bounces are never answered.
"""

from __future__ import annotations

import logging
import re
from datetime import timedelta

from sqlmodel import Session, select

from emails.replies.screening import (
    BounceReport,
    DeliveryStatus,
    MailFacts,
    ScreeningFate,
    is_complaint,
    parse_bounce,
    screen_mail,
)
from emails.tokens import ForgedToken, unseal_bounce, unseal_reply
from server.accounts import bounces
from server.accounts.unsubscribe import unsubscribe_by_header
from server.inbox.received_mail import Closing, ReceivedMail, close_mail, find_doubles, ignore_mail
from server.inbox.screening import GameMail
from server.mail_addresses import is_same_mailbox
from server.outbox.preferences import find_letter_player
from server.outbox.queue import UnitOfWork, open_unit
from server.store.models import IncomingMail, OutgoingLetter
from server.store.states import LetterState, MailState

OWN_ADDRESS = re.compile(r"(?P<name>bounce|play)\+(?P<token>[a-z2-7]{1,58})@", re.IGNORECASE)
NOT_READ = "It is no delivery report, or names no letter."
NOT_OURS = "It concerns no letter of this server to that address."
ALREADY_KNOWN = "The return of that letter is already recorded."
UNWANTED = "Its recipient reported it as unwanted, and gets no more letters of that game."
NEVER_SENT = "That letter was never sent."
DELAYED = "The letter is delayed, and is tried again."
ARRIVED = "The letter has arrived."

LONGEST_IN_HAND = timedelta(hours=1)  # A report may come before the sending of its letter is recorded.


class ReadAgainLater(Exception):
    """The mail cannot be processed yet, and must be processed again later."""


# The module logs each mail that it cannot parse, and anyone can send such mails.
logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)


def process_bounce(mail: ReceivedMail) -> None:
    """Process a mail to bounce@. Raises `ReadAgainLater` while the reported letter is still being sent.

    Mail that is no report is ignored, such as holiday notices, which often go to the envelope sender.
    """
    with mail.context.reading() as session:
        own = find_doubles(session, mail.row).own
    verdict = screen_mail(mail.parsed, MailFacts(own=own))
    if own:
        ignore_mail(mail, verdict.sentence)
    elif is_complaint(mail.parsed):
        close_mail(mail, lambda unit: _stop_unwanted_letters(unit, mail))
    else:
        record_report(mail, parse_bounce(mail.parsed, verdict.fate == ScreeningFate.RETURNED))


def _stop_unwanted_letters(unit: UnitOfWork, mail: ReceivedMail) -> Closing:
    unsaid = BounceReport("", DeliveryStatus.DELIVERED, "", "", "")  # the address identifies the letter
    letter = _find_bounced_letter(unit.session, mail, unsaid)
    player = None if letter is None else find_letter_player(unit.session, letter)
    if letter and player and player.address.lower() == letter.recipient.lower():
        unsubscribe_by_header(unit, letter.game, letter.seat)
        return MailState.PLAYED, UNWANTED
    return MailState.IGNORED, NOT_OURS


def record_report(mail: ReceivedMail, found: BounceReport | None) -> None:
    """Record a delivery report; ignore other mail. Raises `ReadAgainLater` as `process_bounce`."""
    if found is None:
        ignore_mail(mail, NOT_READ)
        return

    def record(unit: UnitOfWork) -> Closing:
        letter = _find_bounced_letter(unit.session, mail, found)
        if letter is None:
            return MailState.IGNORED, NOT_OURS
        return MailState.PLAYED, _record_outcome(unit, letter, mail.row, found)

    close_mail(mail, record)


def _record_outcome(unit: UnitOfWork, letter: OutgoingLetter, row: IncomingMail, found: BounceReport) -> str:
    if found.fate == DeliveryStatus.DELAYED:
        return DELAYED
    if letter.state == LetterState.FAILED:
        return ALREADY_KNOWN
    if not letter.tries:
        return NEVER_SENT
    if letter.state == LetterState.WAITING and unit.now < row.at + LONGEST_IN_HAND:
        raise ReadAgainLater
    if found.fate == DeliveryStatus.DELIVERED:
        bounces.record_delivery(unit, letter)
        return ARRIVED
    return bounces.record_bounce(unit, letter, found.reason, reported=True)


def _find_bounced_letter(session: Session, mail: ReceivedMail, found: BounceReport) -> OutgoingLetter | None:
    secret = mail.context.links.keys
    for address in (mail.parsed.envelope_to, found.reply_to):
        named = OWN_ADDRESS.match(address)
        try:
            if named and named["name"].lower() == "bounce":
                return session.get(OutgoingLetter, unseal_bounce(named["token"], secret))
            if named:
                ticket, _ = unseal_reply(named["token"], secret)
                chosen = select(OutgoingLetter).where(OutgoingLetter.message_id == found.message_id)
                letter = session.exec(chosen.where(OutgoingLetter.game == ticket.game)).first()
                if letter is not None and letter.seat == ticket.seat:
                    return letter if is_same_mailbox(letter.recipient, found.address) else None
        except ForgedToken:
            continue
    return None


def clear_bounces(mail: GameMail) -> None:
    senders = {mail.parsed.headers.author}
    with open_unit(mail.context, mail.now) as unit:
        bounces.clear_bounces_of_senders(unit, mail.game.id, mail.seat, senders)
        unit.commit()
