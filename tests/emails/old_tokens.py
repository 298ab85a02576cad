"""Links and addresses as letters had them before tickets could be withdrawn."""

import hmac
from base64 import b32decode, b32encode

from emails.tokens import Ticket


def _token(label: bytes, payload: bytes, secret: bytes) -> str:
    sealed = payload + hmac.digest(secret, label + payload, "sha256")[:12]
    return b32encode(sealed).decode().rstrip("=").lower()


def _payload(ticket: Ticket) -> bytes:
    assert ticket.after < 128
    return b32decode(ticket.game.upper()) + bytes([ticket.seat, ticket.after])


def old_link(ticket: Ticket, secret: bytes) -> str:
    return _token(b"alexandros ticket 1\0", _payload(ticket) + ticket.words.encode(), secret)


def old_reply(ticket: Ticket, letter: int, secret: bytes) -> str:
    assert letter < 128
    return _token(b"alexandros reply 1\0", _payload(ticket) + bytes([letter]), secret)
