"""Sealed tokens, the links and reply addresses that carry them, and the header of our own letters."""

from __future__ import annotations

import hmac
import re
from base64 import b32decode
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import Final

import idna

from emails.keys import LONGEST_TOKEN, ForgedToken, KeyRing, Purpose, decode_token, encode_base32

OWN_HEADER: Final = "X-Alexandros"
"""Every letter of ours carries a header of this name, whatever its value; a mail with it is never played."""


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


INBOX_ADDRESS = re.compile(r"(?:(?:play|stop|confirm|bounce)\+|(?:new|nieuw)(?:\+|@))", re.IGNORECASE)
"""How the addresses begin at which the house takes mail; all others of its domain may be people's."""

OFFICE_ADDRESS = re.compile(r"(?:postmaster|abuse)@", re.IGNORECASE)
"""How those begin that every domain must have (RFC 2142); the operator gets what is written there."""

TOKEN = re.compile(
    r"(/(?:[cjnstux]|new)/|\b(?:play|stop|confirm|bounce|new|nieuw)(?:\+|%2b))[a-z2-7]{12,}", re.IGNORECASE
)
"""A token, and what stands before it in a link or an address; less than so much of one opens nothing."""
MASK = "..."
"""In the signs of which all words are read: an ellipsis would become three dots in an answer alone."""


def mask_tokens(text: str) -> str:
    """The text with a sign in the place of each token; what was masked before stays as it is."""
    return TOKEN.sub(rf"\1{MASK}", text)


@lru_cache(maxsize=1000)
def normalise_domain(domain: str) -> str:
    """A domain in the letters of the net (RFC 5891), in lower case and without a dot at its end."""
    domain = domain.strip().rstrip(".").lower()
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        return domain


def is_inbox_address(address: str, domain: str) -> bool:
    """Whether the house takes mail at an address; `domain` is its own."""
    return INBOX_ADDRESS.match(address) is not None and address.lower().endswith("@" + domain.lower())


def is_office_address(address: str, domain: str) -> bool:
    """Whether an address is that of an office of the domain."""
    return OFFICE_ADDRESS.match(address) is not None and address.lower().endswith("@" + domain.lower())


@dataclass(frozen=True, slots=True)
class LinkBuilder:
    """Where our pages and our mailbox are, the keys that seal, and the epoch of the seat for which it is."""

    base_url: str
    """Such as https://play.example.org, without a slash at its end."""
    domain: str
    """What follows the @ of our addresses."""
    keys: KeyRing
    epoch: int = 0
    """Of the reader's seat: each ticket of a letter is its reader's."""
    eras: tuple[tuple[int, bytes], ...] = ()
    """The eras of the acts that its tickets may name."""
    unwanted: str = ""
    """The page that ends such letters, where their reader has confirmed nothing; empty for anybody else."""

    def complete(self, ticket: Ticket) -> Ticket:
        """The ticket with the epoch of its reader's seat, and the era of its act."""
        era = ticket.era or next((era for number, era in self.eras if number == ticket.after), b"")
        return replace(ticket, epoch=self.epoch, era=era)

    def ticket_link(self, ticket: Ticket) -> str:
        """The page on which this ticket's words can be looked at and then done."""
        return f"{self.base_url}/t/{seal_ticket(self.complete(ticket), self.keys)}"

    def look_link(self, ticket: Ticket) -> str:
        """The same page, where nothing is done before its button is pressed, whatever is chosen there."""
        return f"{self.ticket_link(ticket)}?look=1"

    def reply_address(self, ticket: Ticket, letter: int = 0) -> str:
        """The address to which the reader of a letter, by its number in the outbox, answers.

        The part before the @ has at most 61 characters; 64 are allowed (RFC 5321, section 4.5.3.1.1).
        """
        return f"play+{seal_reply(self.complete(ticket), letter, self.keys)}@{self.domain}"

    def bounce_address(self, letter: int) -> str:
        """The address to which a letter comes back that cannot be delivered, by its number in the outbox.

        The part before the @ has at most 31 characters; 64 are allowed.
        """
        return f"bounce+{seal_bounce(letter, self.keys)}@{self.domain}"

    def settings_link(self, ticket: Ticket) -> str:
        """The page on which a player says which letters they want."""
        return f"{self.ticket_link(replace(ticket, words=''))}/settings"

    def plan_link(self, ticket: Ticket) -> str:
        """The page on which a player plans their next turn."""
        return f"{self.ticket_link(replace(ticket, words=''))}/plan"

    def agreements_link(self, ticket: Ticket) -> str:
        """The page on which those who play ask each other for something, and agree."""
        return f"{self.ticket_link(replace(ticket, words=''))}/agreements"

    def away_link(self, ticket: Ticket) -> str:
        """The page on which a player says when they are away."""
        return f"{self.ticket_link(replace(ticket, words=''))}/away"

    def unsubscribe_links(self, game: str, seat: int) -> tuple[str, str]:
        """The page that stops the letters of a game, and the mail that does.

        Each is short enough for a header that nobody folds: 70 characters, if `base_url` has 40 at most.
        """
        token = seal_unsubscribe(game, seat, self.keys)
        return f"{self.base_url}/u/{token}", f"mailto:stop+{token}@{self.domain}"

    def unwanted_link(self, digest: str) -> str:
        """The page that ends letters which the reader of an address has not asked for, by its digest."""
        return f"{self.base_url}/x/{seal_unwanted(digest, self.keys)}"

    def confirm_links(self, mark: str, digest: str = "") -> tuple[str, str]:
        """The page that confirms an address, and the address to which an answer confirms it.

        What `mark` and `digest` stand for, only server/accounts/address_change.py knows.
        """
        code = confirmation_code(mark, self.keys, digest)
        return f"{self.base_url}/c/{code}", f"confirm+{code}@{self.domain}"

    def sign_in_link(self, mark: str, digest: str = "") -> str:
        """The page that signs a player in.

        What `mark` and `digest` stand for, only server/accounts/sign_in.py knows.
        """
        return f"{self.base_url}/s/{sign_in_code(mark, self.keys, digest)}"

    def sessions_link(self) -> str:
        """The page of the browsers and keys of whoever is signed in; it asks others to sign in."""
        return f"{self.base_url}/me/browsers"

    def join_link(self, game: str) -> str:
        """The page on which an open seat of a game can be taken."""
        return f"{self.base_url}/j/{seal_game(Purpose.JOIN, game, self.keys)}"

    def join_address(self, game: str) -> str:
        """The address at which a free seat of a game is asked for by mail."""
        return f"new+{seal_game(Purpose.JOIN, game, self.keys)}@{self.domain}"

    def claim_address(self, game: str, player: int) -> str:
        """The address to which a player who has asked for an offered seat answers that they take it."""
        return f"new+{seal_game(Purpose.CLAIM, game, self.keys, player)}@{self.domain}"

    def games_link(self) -> str:
        """The list of games that look for players."""
        return f"{self.base_url}/games"

    def organiser_link(self, game: str, epoch: int) -> str:
        """The page of a game for whoever has opened it; `epoch`: of their seat, 0 where they do not play."""
        return f"{self.base_url}/new/{seal_game(Purpose.ORGANISER, game, self.keys, epoch)}"

    def rules_link(self) -> str:
        """The page with the rules of the game."""
        return f"{self.base_url}/rules"

    def new_game_links(self) -> tuple[str, str]:
        """The page on which anybody opens a game, and the address at which one is asked for by mail."""
        return f"{self.base_url}/new", f"new@{self.domain}"

    def proposal_links(self, game: str) -> tuple[str, str]:
        """The page that confirms a proposed game, and the address to which an answer does or changes it."""
        page = seal_game(Purpose.PROPOSAL, game, self.keys)
        reply = seal_game(Purpose.PROPOSAL_REPLY, game, self.keys)
        return f"{self.base_url}/n/{page}", f"new+{reply}@{self.domain}"
