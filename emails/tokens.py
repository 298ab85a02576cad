"""Tokens: what links and reply addresses carry, sealed, which is all the proof there is.

    token = base32(payload, seal)        the seal: HMAC-SHA256 over purpose and payload, cut (RFC 2104, 5)
    payload of a ticket:  game (5 bytes)  seat (1 byte)  after (1 or more bytes)  words (UTF-8)

A ticket says for whom it is, which position its reader saw, and perhaps what they want to do. The seal shows
that we wrote it; nothing in it is secret. A ticket is good for that position alone.

Not itsdangerous, which signs in base64: before the @ of an address there is room for 64 octets (RFC 5321,
section 4.5.3.1.1), and letters are turned into capitals on the way. So it is base32 in lower case without
padding (RFC 4648, section 6), and its seal is cut. Its form does not change: letters sent years ago carry it.
"""

from __future__ import annotations

import hmac
import re
from base64 import b32decode, b32encode
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

GAME_ID = re.compile(r"[a-z2-7]{8}")
"""What a game's id looks like: five bytes in base32."""
MOST_SEATS = 256
MOST_AFTER = 2**56
MOST_LETTERS = 2**35
NOBODY, NEW_GAME, ORGANISE, JOIN = 255, "new", "opened", "join"
"""The seat and the words of tickets that are no player's: to a game that is only proposed, to the page of its
organiser, and to where its open seats are taken."""
LONGEST_TOKEN = 2000
"""Characters of a token; browsers, mail clients and proxies carry as much."""


class Purpose(Enum):
    """What the secret seals, so that a seal made for one purpose is none for another, and bytes of the seal.

    The short one is for what plays nothing.
    """

    TICKET = b"alexandros ticket 1\0", 12
    REPLY = b"alexandros reply 1\0", 12
    UNSUBSCRIBE = b"alexandros stop 1\0", 10
    BOUNCE = b"alexandros bounce 1\0", 10
    SIGN_IN = b"alexandros signin 1\0", 20


class ForgedToken(ValueError):
    """A token that we did not write, or that was damaged on its way; the sentence says so to its bearer."""

    def __init__(self) -> None:
        super().__init__("This link or address is not one of ours, or it was damaged on its way.")


def seal(purpose: Purpose, payload: bytes, secret: bytes) -> str:
    """The token of a payload."""
    return _to_base32(payload + _compute_seal(purpose, payload, secret))


def unseal(purpose: Purpose, token: str, secret: bytes) -> bytes:
    """The payload of a token, whatever the case of its letters; raises `ForgedToken` for any other."""
    if len(token) > LONGEST_TOKEN or not token.isascii():
        raise ForgedToken
    try:
        data = b32decode(token.upper() + "=" * (-len(token) % 8))
    except ValueError:
        raise ForgedToken from None
    payload = data[: -purpose.value[1]]
    # Whole tokens are compared: the unused bits of the last letter count too, and one payload has one token.
    if not hmac.compare_digest(token.lower(), seal(purpose, payload, secret)):
        raise ForgedToken
    return payload


def _compute_seal(purpose: Purpose, payload: bytes, secret: bytes) -> bytes:
    label, size = purpose.value
    return hmac.digest(secret, label + payload, "sha256")[:size]


def _to_base32(data: bytes) -> str:
    return b32encode(data).decode().rstrip("=").lower()


def _encode_number(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first, each but the last with the eighth bit set."""
    groups = []
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def _decode_number(data: bytes, at: int) -> tuple[int, int]:
    """The number written from `at` on, and where it ends."""
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
    return number | data[at] << shift, at + 1


# --- tickets, and the addresses that answer letters -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ticket:
    """Seat `seat` of `game` saw the position after act number `after` and says `words` (none: just looks)."""

    game: str
    seat: int
    after: int
    words: str = ""


def seal_ticket(ticket: Ticket, secret: bytes) -> str:
    """The token of a ticket: at most 42 characters without words, at most `LONGEST_TOKEN` with them.

    Raises `ValueError` for a ticket that no token can carry.
    """
    token = seal(Purpose.TICKET, _ticket_bytes(ticket) + ticket.words.encode(), secret)
    if len(token) > LONGEST_TOKEN:
        raise ValueError("the words are too long for a link")
    return token


def unseal_ticket(token: str, secret: bytes) -> Ticket:
    """The ticket that a token carries; raises `ForgedToken` for any other."""
    ticket, words = _read_ticket(unseal(Purpose.TICKET, token, secret))
    return replace(ticket, words=words.decode())


def seal_reply(ticket: Ticket, letter: int, secret: bytes) -> str:
    """The token of an address that answers a letter, by its number in the outbox (0: not known).

    At most 50 characters. A ticket's words are left out: what is to be done stands in the mail. Raises
    `ValueError` for what no token can carry.
    """
    if not 0 <= letter < MOST_LETTERS:
        raise ValueError("the number of the letter is out of range")
    return seal(Purpose.REPLY, _ticket_bytes(ticket) + _encode_number(letter), secret)


def unseal_reply(token: str, secret: bytes) -> tuple[Ticket, int]:
    """The ticket and the letter of such a token; raises `ForgedToken` for any other.

    Letters from before their number stood there have the token of a ticket: of these it is 0.
    """
    try:
        ticket, letter = _read_ticket(unseal(Purpose.REPLY, token, secret))
    except ForgedToken:
        return unseal_ticket(token, secret), 0
    return ticket, _decode_number(letter, 0)[0]


def _ticket_bytes(ticket: Ticket) -> bytes:
    """For whom a ticket is and which position they saw; raises `ValueError` for what no token can carry."""
    if not 0 <= ticket.seat < MOST_SEATS or not 0 <= ticket.after < MOST_AFTER:
        raise ValueError("the seat or the number of the act is out of range")
    return _game_bytes(ticket.game) + bytes([ticket.seat]) + _encode_number(ticket.after)


@lru_cache(maxsize=256)
def _game_bytes(game: str) -> bytes:
    """The bytes of a game's id; raises `ValueError` where it is none."""
    if not GAME_ID.fullmatch(game):
        raise ValueError(f"a game's id is 8 characters of a-z and 2-7, not {game!r}")
    return b32decode(game, casefold=True)


def _read_ticket(payload: bytes) -> tuple[Ticket, bytes]:
    """The ticket of a payload without words, and the bytes that follow in it."""
    after, end = _decode_number(payload, 6)
    return Ticket(_to_base32(payload[:5]), payload[5], after), payload[end:]


def seal_seatless(game: str, words: str, secret: bytes) -> str:
    """The token of a ticket that is no player's, for what `words` say: `NEW_GAME`, `ORGANISE` or `JOIN`."""
    return seal_ticket(Ticket(game, NOBODY, 0, words), secret)


def unseal_seatless(token: str, words: str, secret: bytes) -> str:
    """The game that such a token leads to; raises `ForgedToken` for any other."""
    ticket = unseal_ticket(token, secret)
    if (ticket.seat, ticket.words) != (NOBODY, words):
        raise ForgedToken
    return ticket.game


# --- what plays nothing ---------------------------------------------------------------------------------


def seal_unsubscribe(game: str, holder: int, secret: bytes) -> str:
    """The token that stops the letters of a game, in 26 characters: a header must hold it.

    `holder` is a byte for a seat and the person in it; for the first person it is the number of the seat.
    """
    return seal(Purpose.UNSUBSCRIBE, _game_bytes(game) + bytes([holder]), secret)


def unseal_unsubscribe(token: str, secret: bytes) -> tuple[str, int]:
    """The game and the holder of such a token; raises `ForgedToken` for any other."""
    payload = unseal(Purpose.UNSUBSCRIBE, token, secret)
    return _to_base32(payload[:5]), payload[5]


def seal_bounce(letter: int, secret: bytes) -> str:
    """The token of the address to which a letter comes back, by its number in the outbox: 24 letters at most.

    Raises `ValueError` for what no token can carry.
    """
    if not 0 < letter < MOST_LETTERS:
        raise ValueError("the number of the letter is out of range")
    return seal(Purpose.BOUNCE, _encode_number(letter), secret)


def unseal_bounce(token: str, secret: bytes) -> int:
    """The number of the letter that such a token names; raises `ForgedToken` for any other."""
    return _decode_number(unseal(Purpose.BOUNCE, token, secret), 0)[0]


def sign_in_code(mark: str, secret: bytes) -> str:
    """The code of a link that signs a player in, in 32 letters: nobody finds it who knows its mark alone."""
    return _to_base32(_compute_seal(Purpose.SIGN_IN, mark.encode(), secret))


# --- where they stand -----------------------------------------------------------------------------------
