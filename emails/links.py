"""The links and reply addresses of a letter: each carries a sealed ticket, which is all the proof there is.

A ticket says for whom it is, which position its reader saw, and perhaps what he wants to do. The seal shows
that we wrote it; nothing in it is secret. A ticket is good for that position alone.

    game (5 bytes)  seat (1 byte)  after (1 or more bytes)  words (UTF-8)  seal (12 bytes)

All of it is written in base32 (RFC 4648, section 6) in lower case and without padding, which mail gateways
and people may turn into capitals without harm.
"""

from __future__ import annotations

import hmac
import re
from base64 import b32decode, b32encode
from dataclasses import dataclass, replace
from functools import lru_cache

GAME = re.compile(r"[a-z2-7]{8}")
"""What a game's id looks like: five bytes in base32."""
MOST_SEATS = 256
MOST_AFTER = 2**56
MOST_LETTERS = 2**35
NOBODY, NEW, OPENED, JOIN = 255, "new", "opened", "join"
"""The seat and the words of tickets that are no player's: to a game that is only proposed, to the page of its
organiser, and to where its open seats are taken."""
LONGEST = 2000
"""Characters of a token; browsers, mail clients and proxies carry as much."""
SEAL, SHORT_SEAL = 12, 10
"""Bytes of the seal: HMAC-SHA256, cut (RFC 2104, section 5). The short one is for what plays nothing."""
SIGNING_BYTES = 20
PURPOSE, REPLYING, STOPPING = b"alexandros ticket 1\0", b"alexandros reply 1\0", b"alexandros stop 1\0"
RETURNING, SIGNING = b"alexandros bounce 1\0", b"alexandros signin 1\0"
"""What the secret seals here, so that a seal made for one purpose is none for another."""
SHORTEST = 5 + 1 + 1 + SEAL


class Forged(ValueError):
    """A token that we did not write, or that was damaged on its way; the sentence says so to its bearer."""

    def __init__(self) -> None:
        super().__init__("This link or address is not one of ours, or it was damaged on its way.")


@dataclass(frozen=True, slots=True)
class Ticket:
    """Seat `seat` of `game` saw the position after act number `after` and says `words` (none: just looks)."""

    game: str
    seat: int
    after: int
    words: str = ""


def seal(ticket: Ticket, secret: bytes) -> str:
    """The token of a ticket: at most 42 characters without words, at most `LONGEST` with them.

    Raises `ValueError` for a ticket that no token can carry.
    """
    payload = _position(ticket) + ticket.words.encode()
    token = _in_letters(payload + _seal(payload, secret, PURPOSE, SEAL))
    if len(token) > LONGEST:
        raise ValueError("the words are too long for a link")
    return token


def unseal(token: str, secret: bytes) -> Ticket:
    """The ticket that a token carries, whatever the case of its letters; raises `Forged` for any other."""
    ticket, rest = _unsealed(token, secret, PURPOSE)
    try:
        return replace(ticket, words=rest.decode())
    except UnicodeDecodeError:
        raise Forged from None


def seal_reply(ticket: Ticket, letter: int, secret: bytes) -> str:
    """The token of an address that answers a letter, by its number in the outbox (0: not known).

    At most 50 characters. A ticket's words are left out: what is to be done stands in the mail. Raises
    `ValueError` for what no token can carry.
    """
    if not 0 <= letter < MOST_LETTERS:
        raise ValueError("the number of the letter is out of range")
    payload = _position(ticket) + _written(letter)
    return _in_letters(payload + _seal(payload, secret, REPLYING, SEAL))


def unseal_reply(token: str, secret: bytes) -> tuple[Ticket, int]:
    """The ticket and the letter of such a token; raises `Forged` for any other.

    Letters from before their number stood there have a token as `seal` makes it: of these it is 0.
    """
    try:
        ticket, rest = _unsealed(token, secret, REPLYING)
        return ticket, _read(rest, 0)[0]
    except (Forged, IndexError):
        return unseal(token, secret), 0


def _position(ticket: Ticket) -> bytes:
    """For whom a ticket is and which position he saw; raises `ValueError` for what no token can carry."""
    if not 0 <= ticket.seat < MOST_SEATS or not 0 <= ticket.after < MOST_AFTER:
        raise ValueError("the seat or the number of the act is out of range")
    return _game(ticket.game) + bytes([ticket.seat]) + _written(ticket.after)


def _unsealed(token: str, secret: bytes, purpose: bytes) -> tuple[Ticket, bytes]:
    """The ticket of a token without words, and the bytes that follow in it; raises `Forged`."""
    try:
        if len(token) > LONGEST or not token.isascii():
            raise Forged
        data = b32decode(token.upper() + "=" * (-len(token) % 8))
        payload, given = data[:-SEAL], data[-SEAL:]
        if len(data) < SHORTEST or not hmac.compare_digest(given, _seal(payload, secret, purpose, SEAL)):
            raise Forged
        if _in_letters(data) != token.lower():  # the unused bits of the last letter: one ticket has one token
            raise Forged
        after, end = _read(payload, 6)
    except (ValueError, IndexError):  # no base32, cut short
        raise Forged from None
    return Ticket(_in_letters(payload[:5]), payload[5], after), payload[end:]


def unseal_proposal(token: str, secret: bytes) -> str:
    """The proposed game that a token leads to, as `Post.proposal_links` makes it; raises `Forged`."""
    return unseal_nobody(token, NEW, secret)


def seal_nobody(game: str, words: str, secret: bytes) -> str:
    """The token of a ticket that is no player's, for what `words` say: `NEW`, `OPENED` or `JOIN`."""
    return seal(Ticket(game, NOBODY, 0, words), secret)


def unseal_nobody(token: str, words: str, secret: bytes) -> str:
    """The game that such a token leads to; raises `Forged` for any other."""
    ticket = unseal(token, secret)
    if (ticket.seat, ticket.words) != (NOBODY, words):
        raise Forged
    return ticket.game


@lru_cache(maxsize=256)
def _game(game: str) -> bytes:
    """The bytes of a game's id; raises `ValueError` where it is none."""
    if not GAME.fullmatch(game):
        raise ValueError(f"a game's id is 8 characters of a-z and 2-7, not {game!r}")
    return b32decode(game, casefold=True)


def seal_stop(game: str, holder: int, secret: bytes) -> str:
    """The token that stops the letters of a game, in 26 characters: a header must hold it.

    `holder` is a byte for a seat and for who has it: of whoever has it first, the number of the seat.
    """
    payload = _game(game) + bytes([holder])
    return _in_letters(payload + _seal(payload, secret, STOPPING, SHORT_SEAL))


def unseal_stop(token: str, secret: bytes) -> tuple[str, int]:
    """The game and the holder of such a token; raises `Forged` for any other."""
    game, seat = b"", b""
    if re.fullmatch(r"[A-Za-z2-7]{26}", token):
        data = b32decode(token.upper() + "=" * (-len(token) % 8))
        game, seat = data[:5], data[5:6]
    if not seat or not hmac.compare_digest(token.lower(), seal_stop(_in_letters(game), seat[0], secret)):
        raise Forged
    return _in_letters(game), seat[0]


def seal_bounce(letter: int, secret: bytes) -> str:
    """The token of the address to which a letter comes back, by its number in the outbox: 24 letters at most.

    Raises `ValueError` for what no token can carry.
    """
    if not 0 < letter < MOST_LETTERS:
        raise ValueError("the number of the letter is out of range")
    payload = _written(letter)
    return _in_letters(payload + _seal(payload, secret, RETURNING, SHORT_SEAL))


def unseal_bounce(token: str, secret: bytes) -> int:
    """The number of the letter that such a token names; raises `Forged` for any other."""
    letter = 0
    if re.fullmatch(r"[A-Za-z2-7]{18,24}", token):
        try:
            letter, _ = _read(b32decode(token.upper() + "=" * (-len(token) % 8)), 0)
        except (ValueError, IndexError):  # no base32, or cut short
            raise Forged from None
    known = 0 < letter < MOST_LETTERS
    if not known or not hmac.compare_digest(token.lower(), seal_bounce(letter, secret)):
        raise Forged
    return letter


def signing_code(mark: str, secret: bytes) -> str:
    """The code of a link that signs a player in, in 32 letters: nobody finds it who knows its mark alone."""
    return _in_letters(_seal(mark.encode(), secret, SIGNING, SIGNING_BYTES))


def _seal(payload: bytes, secret: bytes, purpose: bytes, size: int) -> bytes:
    return hmac.digest(secret, purpose + payload, "sha256")[:size]


def _in_letters(data: bytes) -> str:
    return b32encode(data).decode().rstrip("=").lower()


def _written(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first, each but the last with the eighth bit set."""
    groups = []
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def _read(data: bytes, at: int) -> tuple[int, int]:
    """The number written from `at` on, and where it ends; raises `IndexError` where it is cut short."""
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
    return number | data[at] << shift, at + 1


DOOR = re.compile(r"(?:(?:play|stop|confirm|bounce)\+|(?:new|nieuw)(?:\+|@))", re.IGNORECASE)
"""How the addresses begin at which the house takes mail; all others of its domain may be people's."""


def is_door(address: str, domain: str) -> bool:
    """Whether the house takes mail at an address; `domain` is its own."""
    return DOOR.match(address) is not None and address.lower().endswith("@" + domain.lower())


@dataclass(frozen=True, slots=True)
class Post:
    """Where our pages and our mailbox are, and the secret that seals tickets."""

    base_url: str
    """Such as https://play.example.org, without a slash at its end."""
    domain: str
    """What follows the @ of our addresses."""
    secret: bytes

    def link(self, ticket: Ticket) -> str:
        """The page on which this ticket's words can be looked at and then done."""
        return f"{self.base_url}/t/{seal(ticket, self.secret)}"

    def reply_address(self, ticket: Ticket, letter: int = 0) -> str:
        """The address to which the reader of a letter, by its number in the outbox, answers.

        The part before the @ has at most 55 characters; 64 are allowed (RFC 5321, section 4.5.3.1.1).
        """
        return f"play+{seal_reply(ticket, letter, self.secret)}@{self.domain}"

    def bounce_address(self, letter: int) -> str:
        """The address to which a letter comes back that cannot be delivered, by its number in the outbox.

        The part before the @ has at most 31 characters; 64 are allowed.
        """
        return f"bounce+{seal_bounce(letter, self.secret)}@{self.domain}"

    def settings(self, ticket: Ticket) -> str:
        """The page on which a player says which letters he wants."""
        return f"{self.link(replace(ticket, words=''))}/settings"

    def stop_links(self, game: str, seat: int) -> tuple[str, str]:
        """The page that stops the letters of a game, and the mail that does.

        Each is short enough for a header that nobody folds: 70 characters, if `base_url` has 40 at most.
        """
        token = seal_stop(game, seat, self.secret)
        return f"{self.base_url}/u/{token}", f"mailto:stop+{token}@{self.domain}"

    def confirm_links(self, code: str) -> tuple[str, str]:
        """The page that confirms a new address, and the address to which an answer confirms it."""
        return f"{self.base_url}/c/{code}", f"confirm+{code}@{self.domain}"

    def signing_link(self, mark: str) -> str:
        """The page that signs a player in; what `mark` stands for, only server/signing.py knows."""
        return f"{self.base_url}/s/{signing_code(mark, self.secret)}"

    def join_link(self, game: str) -> str:
        """The page on which an open seat of a game can be taken."""
        return f"{self.base_url}/j/{seal_nobody(game, JOIN, self.secret)}"

    def organiser_link(self, game: str) -> str:
        """The page of a game for whoever has opened it."""
        return f"{self.base_url}/new/{seal_nobody(game, OPENED, self.secret)}"

    def another_game(self) -> tuple[str, str]:
        """The page on which anybody opens a game, and the address at which one is asked for by mail."""
        return f"{self.base_url}/new", f"new@{self.domain}"

    def proposal_links(self, game: str) -> tuple[str, str]:
        """The page that confirms a proposed game, and the address to which an answer does or changes it."""
        token = seal_nobody(game, NEW, self.secret)
        return f"{self.base_url}/n/{token}", f"new+{token}@{self.domain}"
