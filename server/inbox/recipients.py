"""Which addresses of the house take mail: what seals an address is looked at before any mail to it is stored.

Anybody can make up addresses without end. A mail to one that is none of ours could never be read, so it is
refused at each way in, and whoever sent it hears so at once from their own mail server.
"""

from __future__ import annotations

from datetime import datetime

from emails.keys import ForgedToken, KeyRing, Purpose
from emails.links import is_inbox_address, is_office_address
from emails.tokens import OutdatedToken, unseal_bounce, unseal_game, unseal_reply, unseal_unsubscribe
from server.accounts.address_change import is_known_code
from server.configuration.network import parse_address
from server.outbox.blocks import is_network_blocked
from server.security_log import AttemptChannel, SecurityEvent
from server.store.context import Context

SEALED_NAMES = {
    "play": Purpose.REPLY,
    "stop": Purpose.UNSUBSCRIBE,
    "bounce": Purpose.BOUNCE,
    "confirm": Purpose.CONFIRMATION,
    "new": Purpose.PROPOSAL_REPLY,
    "nieuw": Purpose.PROPOSAL_REPLY,
}
"""What seals an address, by its name before the +."""


def is_deliverable(context: Context, address: str) -> bool:
    """Whether mail to an address is taken: it is of the house, and its token, if it has one, is sealed by us.

    What it opens by now is for whoever reads the mail: letters from before an upgrade deserve an answer too.
    The offices of a domain are there where an operator is.
    """
    if is_office_address(address, context.settings.mail_domain):
        return context.settings.operator is not None
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
                    return is_known_code(session, token)
            case _ if token:
                unseal_request(token, keys)
    except OutdatedToken:
        return True
    except ForgedToken:
        return False
    return True


def unseal_request(token: str, keys: KeyRing) -> tuple[Purpose, str, int]:
    """What the token of an address new+ is for, its game and number; raises `ForgedToken` for any other."""
    for purpose in (Purpose.PROPOSAL_REPLY, Purpose.JOIN, Purpose.CLAIM):
        try:
            return purpose, *unseal_game(purpose, token, keys)
        except OutdatedToken:
            raise
        except ForgedToken:
            continue
    raise ForgedToken


def note_refused_address(context: Context, address: str, now: datetime) -> None:
    """Note for security that mail was to go to an address of ours that none of our keys has sealed."""
    name = address.partition("+")[0].lower()
    if name in SEALED_NAMES and is_inbox_address(address, context.settings.mail_domain):
        context.security.note(
            SecurityEvent.SEAL_REFUSED, "", now, by=AttemptChannel.MAIL, kind=SEALED_NAMES[name]
        )


def is_peer_banned(context: Context, peer: str, address: str, now: datetime) -> bool:
    """Whether a peer is in a banned network; that somebody wants no more letters is taken of anybody."""
    host = parse_address(peer)
    if host is None or address.lower().startswith("stop+"):
        return False
    with context.reading() as session:
        banned = is_network_blocked(session, str(host))
    if banned:
        context.security.note(SecurityEvent.BAN_MET, peer, now, by=AttemptChannel.MAIL)
    return banned
