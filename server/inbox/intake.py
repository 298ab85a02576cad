"""Intake of mail: accepted recipients, limits, and encrypted storage before any processing."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Protocol

from sqlalchemy import ColumnElement, and_, func, insert
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from emails.replies.parsed_mail import Headers, Mail, make_storable, parse_headers
from emails.replies.screening import LARGEST_MAIL
from emails.tokens import (
    ForgedToken,
    KeyRing,
    OutdatedToken,
    Purpose,
    is_inbox_address,
    is_office_address,
    mask_tokens,
    unseal_bounce,
    unseal_game,
    unseal_reply,
    unseal_unsubscribe,
)
from server.accounts.addresses import load_confirmation
from server.mail_addresses import is_sender_address
from server.monitoring import AttemptChannel, SecurityEvent
from server.network import INTERNAL, is_within, network_of, parse_address
from server.outbox.budgets import is_network_blocked
from server.store.context import Context
from server.store.encrypted import SEALED, encrypt_mail, is_sealed, keep_raw_mail, without_token
from server.store.models import IncomingMail, RawMail
from server.store.states import MailState

SEALED_NAMES = {
    "play": Purpose.REPLY,
    "stop": Purpose.UNSUBSCRIBE,
    "bounce": Purpose.BOUNCE,
    "confirm": Purpose.CONFIRMATION,
    "new": Purpose.PROPOSAL_REPLY,
    "nieuw": Purpose.PROPOSAL_REPLY,
}


def is_deliverable(context: Context, address: str) -> bool:
    """Return whether this server accepts mail to an address. A token in the address must be genuine.

    A token in the format of an early version of this program is accepted too, so that the sender gets an
    answer. The addresses postmaster@ and abuse@ are accepted only if an operator is configured; the sender
    address of letters is accepted, but its mails must be confirmed.
    """
    if is_office_address(address, context.settings.mail_domain):
        return context.settings.operator is not None
    if is_sender_address(address, context.settings):
        return True
    if not is_inbox_address(address, context.settings.mail_domain):
        return False
    name, _, token = address.partition("@")[0].partition("+")
    keys = context.links.keys
    try:
        match name.lower():
            case "play":
                unseal_reply(token, keys)
            case "stop":
                unseal_unsubscribe(token, keys)
            case "bounce":
                unseal_bounce(token, keys)
            case "confirm":
                with context.reading() as session:
                    return load_confirmation(session, token) is not None
            case _ if token:
                unseal_request(token, keys)
    except OutdatedToken:
        return True
    except ForgedToken:
        return False
    return True


def unseal_request(token: str, keys: KeyRing) -> tuple[Purpose, str, int]:
    """Return purpose, game and player of the token in an address new+TOKEN@. Raises `ForgedToken`.

    Only the token for a reply to an offered seat (`Purpose.CLAIM`) names a player; otherwise the player is 0.
    """
    for purpose in (Purpose.PROPOSAL_REPLY, Purpose.JOIN, Purpose.CLAIM):
        try:
            return purpose, *unseal_game(purpose, token, keys)
        except OutdatedToken:
            raise
        except ForgedToken:
            continue
    raise ForgedToken


def note_refused_address(context: Context, address: str, now: datetime) -> None:
    """Log a security event for mail to an address of this server with a token that its keys did not seal."""
    name = address.partition("+")[0].lower()
    if name in SEALED_NAMES and is_inbox_address(address, context.settings.mail_domain):
        context.security.note(
            SecurityEvent.SEAL_REFUSED, "", now, by=AttemptChannel.MAIL, kind=SEALED_NAMES[name]
        )


def is_peer_banned(context: Context, peer: str, address: str, now: datetime) -> bool:
    """Return whether a peer is in a banned network; False for mail to an unsubscribe address (stop+)."""
    host = parse_address(peer)
    if host is None or address.lower().startswith("stop+"):
        return False
    with context.reading() as session:
        banned = is_network_blocked(session, str(host))
    if banned:
        context.security.note(SecurityEvent.BAN_MET, peer, now, by=AttemptChannel.MAIL)
    return banned


MOST_BYTES_KEPT = LARGEST_MAIL + 1
"""Maximum stored bytes of a mail: one more than allowed, so that a cut mail still counts as too large."""
MOST_RECIPIENTS = 5
LONGEST_REQUEST = 64 * 1024
"""Maximum stored bytes of a mail to an address without a token, which anyone can write to."""
HOUR = timedelta(hours=1)
MOST_REQUESTS_OF_NETWORK, MOST_REQUESTS = 60, 1000
"""Maximum mails per hour to addresses without a token: from one network, and in all."""
MOST_LARGE, MOST_TO_SEALED = 10, 300
"""Limits on mails of any size per hour, from one network to one address with a token.

At the first limit, further mails of more than 64 KiB are refused; at the second limit, all further mails.
"""
# mails per hour to addresses with a token: from one network, from all networks
MOST_TO_ALL_SEALED, MOST_SEALED = 3000, 4000
MOST_SEALED_BYTES_OF_NETWORK, MOST_SEALED_BYTES = 100_000_000, 400_000_000
MOST_COUNTED = 5000
"""Number of latest mails that are examined to count the mails of the last hour."""

LONGEST_ADDRESS = 320
LONGEST_ON_THE_WAY = timedelta(days=10)  # maximum delay of a mail after our own mail server received it

RECIPIENT_HEADERS = ("x-original-to", "delivered-to", "envelope-to", "to")
"""Headers that name the recipient, most trusted first."""

GREETING = re.compile(r"\bhelo=\S+", re.IGNORECASE)
"""HELO name that a peer claimed, which some servers write beside the peer's address."""
RELAY_ADDRESS = re.compile(r"\[(?:IPv6:)?([0-9A-F:.]+)\]", re.IGNORECASE)


class IntakeLimitReached(Exception):
    """A limit of recent mails is reached: this mail is not stored, and can be sent again later."""


class StoreMail(Protocol):
    """Stores a mail before returning. Raises `IntakeLimitReached`."""

    def __call__(self, sender: str, recipient: str, raw: bytes, network: str = "") -> None:
        """Store the mail `raw`; `sender` is empty if there is none, `network` if it is unknown."""


def store_mail(
    context: Context, sender: str, recipient: str, raw: bytes, now: datetime, network: str = ""
) -> None:
    """Store a mail as received. Raises `IntakeLimitReached`.

    A mail that is sent again to the same recipient is stored once. `network`: network of the sending peer;
    empty if the peer is one of our own mail servers, which recorded the network in a header.
    """
    digest = hashlib.sha256(recipient.lower().encode("utf-8", "replace") + b"\0" + raw).hexdigest()
    head = parse_headers(raw)
    envelope = (make_storable(address[:LONGEST_ADDRESS]) for address in (sender, recipient))
    mail = Mail(b"", *envelope)
    origin, arrived = (network, None) if network else find_origin(head, now)
    kept_as = without_token(mail.envelope_to)
    with context.reading() as session:
        full = _is_full(session, origin, kept_as, len(raw), now)
    if full:
        context.security.note(SecurityEvent.LIMIT_REACHED, origin, now, by=AttemptChannel.MAIL)
        raise IntakeLimitReached
    row = {
        "digest": digest,
        "at": now,
        "sender": mask_tokens(mail.envelope_from),
        "recipient": kept_as,
        "raw": encrypt_mail(mail, context.links.keys),
        "network": origin,
        "arrived_at": arrived,
        "message_id": make_storable(head.first("message-id")[:300]) or None,
        "state": MailState.WAITING,
        "due_at": now,
        "tries": 0,
        "why": "",
    }
    with context.writing() as session:
        try:
            most = MOST_BYTES_KEPT if is_sealed(kept_as) else LONGEST_REQUEST
            number = keep_raw_mail(session, raw[:most], context.links.keys)
            session.execute(insert(IncomingMail).values(**row, raw_mail=number))
            context.commit_work(session)
        except IntegrityError:
            session.rollback()
            if session.exec(select(IncomingMail.id).where(IncomingMail.digest == digest)).first() is None:
                raise  # the shared bytes were deleted just now, with another mail
            return  # the mail is stored already
    context.events.metrics.mails_taken.inc()


def _is_full(session: Session, network: str, recipient: str, size: int, now: datetime) -> bool:
    # Apart from public addresses, so that a flood of these stops no player's mail.
    last = session.exec(select(func.max(IncomingMail.id))).one() or 0
    is_recent = and_(col(IncomingMail.id) > last - MOST_COUNTED, col(IncomingMail.at) > now - HOUR)
    from_network = col(IncomingMail.network) == network

    def count(*conditions: ColumnElement[bool]) -> tuple[int, int]:
        stored = func.coalesce(func.sum(func.length(RawMail.raw)), 0)
        query = select(func.count(), stored).select_from(IncomingMail).join(RawMail, isouter=True)
        return session.exec(query.where(is_recent, *conditions)).one()

    if not is_sealed(recipient):
        if count(~SEALED)[0] >= MOST_REQUESTS:
            return True
        return network != "" and count(~SEALED, from_network)[0] >= MOST_REQUESTS_OF_NETWORK
    most = MOST_TO_SEALED if size <= LONGEST_REQUEST else MOST_LARGE
    if count(from_network, col(IncomingMail.recipient) == recipient)[0] >= most:
        return True
    mails, stored = count(SEALED)
    if mails >= MOST_SEALED or stored >= MOST_SEALED_BYTES:
        return True
    mails, stored = count(SEALED, from_network)
    return network != "" and (mails >= MOST_TO_ALL_SEALED or stored >= MOST_SEALED_BYTES_OF_NETWORK)


def find_recipients(raw: bytes, given: str, domain: str, sender: str) -> list[str]:
    """Return the addresses of this server to which a mail is sent: `given`, or else those in its headers.

    Other addresses in the headers, such as the mailbox's own, are ignored. `sender`: the sender address of
    letters. It may be the mailbox's own, so in headers it counts only at `domain`, and after all others.
    """
    sender = sender.lower()
    if given:
        return [given] if given.lower() == sender or _is_own_address(given, domain) else []
    head = parse_headers(raw)
    named = [[address for _, address in head.people(name)] for name in RECIPIENT_HEADERS]
    own = ([one for one in addresses if _is_own_address(one, domain)] for addresses in named)
    found = next(filter(None, own), [])[:MOST_RECIPIENTS]
    is_sender_named = any(one.lower() == sender for addresses in named for one in addresses)
    return found or ([sender] if is_sender_named and _is_at(sender, domain) else [])


def is_addressed_to(raw: bytes, domain: str) -> bool:
    """Return whether the recipient headers of a mail contain an address at `domain`."""
    named = parse_headers(raw).people(*RECIPIENT_HEADERS)
    return any(_is_at(address, domain) for _, address in named)


def _is_at(address: str, domain: str) -> bool:
    return address.lower().endswith(f"@{domain.lower()}")


def _is_own_address(address: str, domain: str) -> bool:
    return is_inbox_address(address, domain) or is_office_address(address, domain)


def find_envelope_sender(raw: bytes, given: str | None) -> str:
    """Return the sender of a mail: `given`, or else the address in Return-Path or From."""
    if given is not None:
        return given
    return next((address for _, address in parse_headers(raw).people("return-path", "from")), "")


def find_origin(head: Headers, now: datetime) -> tuple[str, datetime | None]:
    """Return from which network and when our mail server received a mail, by the Received headers.

    The network is empty if it is unknown, and the time None. The time is limited to the last ten days,
    whatever the header contains.
    """
    network, arrived = "", None
    for line in (" ".join(value.split()) for name, value in head.written if name == "received"):
        with suppress(TypeError, ValueError, OverflowError):
            said = parsedate_to_datetime(line.rpartition(";")[2].strip())
            arrived = said.replace(tzinfo=said.tzinfo or UTC).astimezone(UTC)
        origin, _, rest = line.partition(" by ")
        if not origin.lower().startswith("from ") or " with lmtp" in rest.lower():
            continue  # a transfer within one machine
        named = RELAY_ADDRESS.findall(GREETING.sub("", origin))
        peer = parse_address(named[-1]) if named else None
        if peer is None or not is_within(peer, INTERNAL):
            network = "" if peer is None else network_of(str(peer))
            break  # the server that received the mail from outside; lines below may be forged
    return network, None if arrived is None else min(max(arrived, now - LONGEST_ON_THE_WAY), now)
