"""Tokens: what links and reply addresses carry, sealed (keys.py), which is all the proof there is.

    token = base32(payload, seal)
    payload of a ticket:  game (5 bytes)  seat (1 byte)  epoch  after (each 1 or more bytes)
                          era (4 bytes, where the seat has its highest bit set)  words (UTF-8)

A ticket says for whom it is, which position its reader saw, and perhaps what they want to do. The seal shows
that we wrote it; nothing in it is secret. What its words say is good for that position alone, and all of it
for the epoch of its seat: once that is raised, no earlier ticket opens anything. The era tells the act from
another of its number: where a backup was restored, or a standby took over that lacked the last acts, games go
on from an earlier act, and a ticket of what is lost must open nothing of what is played instead.

Not itsdangerous, which signs in base64: before the @ of an address there is room for 64 octets (RFC 5321,
section 4.5.3.1.1), and letters are turned into capitals on the way. So it is base32 in lower case without
padding, and its seal is cut.
"""

from __future__ import annotations

import hmac
import re
from base64 import b32decode
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256

from emails.keys import LONGEST_TOKEN, ForgedToken, KeyRing, Purpose, decode_token, encode_base32

GAME_ID = re.compile(r"[a-z2-7]{8}")
"""What a game's id looks like: five bytes in base32."""
MOST_SEATS = 128
ERA_FOLLOWS = 128
"""The bit beside the number of a seat; tickets from before eras have none."""
ERA_BYTES = 4
MOST_EPOCHS = 2**14
MOST_AFTER = 2**28
MOST_LETTERS = 2**35


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

ACCEPT_WORDS, DECLINE_WORDS = "accept", "decline"
"""The words of the tickets that say yes and no to an invitation."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Seat `seat` of `game` saw the position after act number `after` and says `words` (none: just looks)."""

    game: str
    seat: int
    after: int
    words: str = ""
    epoch: int = 0
    """How often the links of the seat were made new when this one was made."""
    era: bytes = b""
    """By which its act is told from another of that number; empty: it is from before eras."""


def seal_ticket(ticket: Ticket, keys: KeyRing) -> str:
    """The token of a ticket: at most 42 characters without words, at most `LONGEST_TOKEN` with them.

    Raises `ValueError` for a ticket that no token can carry.
    """
    purpose = Purpose.ACT if ticket.words else Purpose.SEAT
    token = keys.seal(purpose, _ticket_bytes(ticket) + ticket.words.encode())
    if len(token) > LONGEST_TOKEN:
        raise ValueError("the words are too long for a link")
    return token


def unseal_ticket(token: str, keys: KeyRing) -> Ticket:
    """The ticket that a token carries; raises `OutdatedToken` or `ForgedToken` for any other."""
    for purpose in (Purpose.ACT, Purpose.SEAT):
        try:
            ticket, words = _read_ticket(keys.unseal(purpose, token))
        except ForgedToken:
            continue
        return replace(ticket, words=words.decode())
    _refuse_outdated(token, keys)
    raise ForgedToken


def seal_reply(ticket: Ticket, letter: int, keys: KeyRing) -> str:
    """The token of an address that answers a letter, by its number in the outbox (0: not known).

    At most 56 characters. A ticket's words are left out: what is to be done stands in the mail. Raises
    `ValueError` for what no token can carry.
    """
    if not 0 <= letter < MOST_LETTERS:
        raise ValueError("the number of the letter is out of range")
    return keys.seal(Purpose.REPLY, _ticket_bytes(ticket) + _encode_number(letter))


def unseal_reply(token: str, keys: KeyRing) -> tuple[Ticket, int]:
    """The ticket and the letter of such a token; raises `OutdatedToken` or `ForgedToken` for any other."""
    try:
        ticket, letter = _read_ticket(keys.unseal(Purpose.REPLY, token))
    except ForgedToken:
        _refuse_outdated(token, keys)
        raise
    return ticket, _decode_number(letter, 0)[0]


def _ticket_bytes(ticket: Ticket) -> bytes:
    """A ticket as bytes: its seat, epoch, act and era. Raises `ValueError` for what no token can carry."""
    if not (
        0 <= ticket.seat < MOST_SEATS and 0 <= ticket.epoch < MOST_EPOCHS and 0 <= ticket.after < MOST_AFTER
    ):
        raise ValueError("the seat, its epoch or the number of the act is out of range")
    if len(ticket.era) not in (0, ERA_BYTES):
        raise ValueError("an era has four bytes, or none")
    seat = _game_bytes(ticket.game) + bytes([ticket.seat | (ERA_FOLLOWS if ticket.era else 0)])
    return seat + _encode_number(ticket.epoch) + _encode_number(ticket.after) + ticket.era


@lru_cache(maxsize=256)
def _game_bytes(game: str) -> bytes:
    """The bytes of a game's id; raises `ValueError` where it is none."""
    if not GAME_ID.fullmatch(game):
        raise ValueError(f"a game's id is 8 characters of a-z and 2-7, not {game!r}")
    return b32decode(game, casefold=True)


def _read_ticket(payload: bytes) -> tuple[Ticket, bytes]:
    """The ticket of a payload without words, and the bytes that follow in it."""
    epoch, end = _decode_number(payload, 6)
    after, end = _decode_number(payload, end)
    era = payload[end : end + ERA_BYTES] if payload[5] & ERA_FOLLOWS else b""
    seat = payload[5] & ~ERA_FOLLOWS
    return Ticket(encode_base32(payload[:5]), seat, after, epoch=epoch, era=era), payload[end + len(era) :]


def make_era(game: str, number: int, at: str, keys: KeyRing) -> bytes:
    """The era of an act, by when it was written: no other act of its number was written in that moment."""
    return keys.digest(Purpose.ERA, _era_data(game, number, at))[:ERA_BYTES]


def is_era_of(era: bytes, game: str, number: int, at: str, keys: KeyRing) -> bool:
    """Whether an era is that of an act, made with any secret of the ring."""
    data = _era_data(game, number, at)
    made = (hmac.digest(key, data, "sha256")[:ERA_BYTES] for key in keys.derive_all(Purpose.ERA))
    return any(hmac.compare_digest(era, one) for one in made)


def _era_data(game: str, number: int, at: str) -> bytes:
    return f"{game} {number} {at}".encode()


class OutdatedToken(ForgedToken):
    """A token of a letter from before tickets could be withdrawn: it says whose it was, and opens nothing."""

    def __init__(self, ticket: Ticket) -> None:
        super().__init__()
        self.ticket = ticket


# --- what belongs to no seat ----------------------------------------------------------------------------


def seal_game(purpose: Purpose, game: str, keys: KeyRing, epoch: int = 0) -> str:
    """The token of a game for what is no player's seat: to be proposed, organised or joined."""
    return keys.seal(purpose, _game_bytes(game) + _encode_number(epoch))


def unseal_game(purpose: Purpose, token: str, keys: KeyRing) -> tuple[str, int]:
    """The game that such a token leads to, and the epoch; raises `OutdatedToken` or `ForgedToken`."""
    try:
        payload = keys.unseal(purpose, token)
    except ForgedToken:
        _refuse_outdated(token, keys)
        raise
    return encode_base32(payload[:5]), _decode_number(payload, 5)[0]


def seal_unsubscribe(game: str, holder: int, keys: KeyRing) -> str:
    """The token that stops the letters of a game, in 26 characters: a header must hold it.

    `holder` is a byte for a seat and the person in it; for the first person it is the number of the seat.
    """
    return keys.seal(Purpose.UNSUBSCRIBE, _game_bytes(game) + bytes([holder]))


def unseal_unsubscribe(token: str, keys: KeyRing) -> tuple[str, int]:
    """The game and the holder of such a token; raises `ForgedToken` for any other.

    Letters of any age can be stopped: what stops them opens nothing else.
    """
    try:
        payload = keys.unseal(Purpose.UNSUBSCRIBE, token)
    except ForgedToken:
        payload = _unseal_outdated(b"alexandros stop 1\0", 10, token, keys)
    return encode_base32(payload[:5]), payload[5]


def seal_unwanted(digest: str, keys: KeyRing) -> str:
    """The token that ends letters nobody has asked for, by the digest of their address (hexadecimal digits).

    Nothing has to be kept for it, so it is good however old the letter is.
    """
    return keys.seal(Purpose.UNWANTED, bytes.fromhex(digest))


def unseal_unwanted(token: str, keys: KeyRing) -> str:
    """The digest of the address in such a token; raises `ForgedToken` for any other."""
    return keys.unseal(Purpose.UNWANTED, token).hex()


def seal_bounce(letter: int, keys: KeyRing) -> str:
    """The token of the address to which a letter comes back, by its number in the outbox: 24 letters at most.

    Raises `ValueError` for what no token can carry.
    """
    if not 0 < letter < MOST_LETTERS:
        raise ValueError("the number of the letter is out of range")
    return keys.seal(Purpose.BOUNCE, _encode_number(letter))


def unseal_bounce(token: str, keys: KeyRing) -> int:
    """The number of the letter that such a token names, of any age; raises `ForgedToken` for any other."""
    try:
        payload = keys.unseal(Purpose.BOUNCE, token)
    except ForgedToken:
        payload = _unseal_outdated(b"alexandros bounce 1\0", 10, token, keys)
    return _decode_number(payload, 0)[0]


def digest_token(secret: str) -> str:
    """What is stored of a token: whoever reads the database cannot sign in (SHA-256)."""
    return sha256(secret.encode()).hexdigest()


def sign_in_code(mark: str, keys: KeyRing, digest: str = "") -> str:
    """The code of a link that signs a player in, in 32 letters: nobody finds it who knows its mark alone.

    It is the one of which `digest` is stored, though the secret has been replaced since; a new one without.
    """
    return _choose_code(keys.codes(Purpose.SIGN_IN, mark), digest)


CONFIRMATION_MARK_LENGTH = 32


def confirmation_code(mark: str, keys: KeyRing, digest: str = "") -> str:
    """The code of a letter that asks an address something, in 32 letters, as `sign_in_code`.

    A letter that waited when the codes themselves were stored has its code as its mark, which is shorter.
    """
    if len(mark) != CONFIRMATION_MARK_LENGTH:
        return mark
    return _choose_code(keys.codes(Purpose.CONFIRMATION, mark), digest)


def _choose_code(codes: tuple[str, ...], digest: str) -> str:
    """The code that has a digest; the first where none has, for its secret is gone."""
    return next((code for code in codes if hmac.compare_digest(digest_token(code), digest)), codes[0])


# --- letters from before tickets could be withdrawn -----------------------------------------------------


def _refuse_outdated(token: str, keys: KeyRing) -> None:
    """Raise `OutdatedToken` for the token of an old letter, whatever it was for."""
    for label in (b"alexandros ticket 1\0", b"alexandros reply 1\0"):
        try:
            payload = _unseal_outdated(label, 12, token, keys)
        except ForgedToken:
            continue
        after, _ = _decode_number(payload, 6)
        raise OutdatedToken(Ticket(encode_base32(payload[:5]), payload[5], after))


def _unseal_outdated(label: bytes, size: int, token: str, keys: KeyRing) -> bytes:
    """The payload of an old token, whose seal was made with the secret itself; raises `ForgedToken`."""
    data = decode_token(token)
    payload = data[:-size]
    for secret in keys.secrets:
        code = hmac.digest(secret, label + payload, "sha256")[:size]
        if hmac.compare_digest(token.lower(), encode_base32(payload + code)):
            return payload
    raise ForgedToken
