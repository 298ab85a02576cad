"""Tokens: keys, sealing with the server's secret, and the links and addresses that contain tokens.

Each purpose has its own key, derived from the secret by HKDF-SHA256 (RFC 5869), so a token for one purpose
is never valid for another. A server can have several secrets, so that a secret can be replaced while letters
are in transit: the first one seals new tokens, and each of them opens the tokens that it has sealed.
server/THREATS.md describes the tokens.

    seal = number of the secret (1 byte), then a truncated HMAC-SHA256 of the content (RFC 2104, section 5)
"""

from __future__ import annotations

import hmac
import re
from base64 import b32decode, b32encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import Final

import idna
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

LONGEST_TOKEN = 2000
"""Maximum length of a token, in characters, that browsers, mail clients and proxies transmit."""


class Purpose(StrEnum):
    """The purpose of a key; its value is an input of the key derivation and never changes."""

    SEAT = "seat"
    ACT = "act"
    REPLY = "reply"
    PROPOSAL = "proposal"
    PROPOSAL_REPLY = "proposal reply"
    JOIN = "join"
    CLAIM = "claim"
    ORGANISER = "organiser"
    UNSUBSCRIBE = "unsubscribe"
    UNWANTED = "unwanted"
    BOUNCE = "bounce"
    CONFIRMATION = "confirmation"
    SIGN_IN = "sign-in"
    SESSION = "session"
    API = "api"
    COOKIE = "cookie"
    FORM = "form"
    TAG = "tag"
    ACT_TAG = "era"
    STORAGE = "storage"


SEAL_SIZES: Mapping[Purpose, int] = {
    Purpose.SEAT: 13,
    Purpose.ACT: 13,
    Purpose.REPLY: 13,
    Purpose.PROPOSAL: 13,
    Purpose.PROPOSAL_REPLY: 13,
    Purpose.JOIN: 13,
    Purpose.CLAIM: 13,
    Purpose.ORGANISER: 13,
    Purpose.UNSUBSCRIBE: 10,
    Purpose.UNWANTED: 13,
    Purpose.BOUNCE: 10,
}
"""Length of each seal in bytes; shorter for tokens that neither play nor show a game."""


class ForgedToken(ValueError):
    """A token that this server did not write, or a damaged one; its message is for the user."""

    def __init__(self) -> None:
        super().__init__("This link or address is not one of ours, or it was damaged on its way.")


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The secrets of a server: the first one seals tokens, and all of them open tokens."""

    secrets: tuple[bytes, ...]

    def derive_all(self, purpose: Purpose) -> list[bytes]:
        """Return the 32-byte keys for a purpose, one from each secret."""
        return [_derive(secret, purpose) for secret in self.secrets]

    def seal(self, purpose: Purpose, payload: bytes) -> str:
        return encode_base32(payload + _seal(self.secrets[0], purpose, payload))

    def unseal(self, purpose: Purpose, token: str) -> bytes:
        """Return the content; raises `ForgedToken` if invalid. The token may be in upper or lower case."""
        payload = decode_token(token)[: -SEAL_SIZES[purpose]]
        # Compare whole tokens, with the unused bits of the last letter: each content has exactly one token.
        for secret in self.secrets:
            expected = encode_base32(payload + _seal(secret, purpose, payload))
            if hmac.compare_digest(token.lower(), expected):
                return payload
        raise ForgedToken

    def digests(self, purpose: Purpose, data: bytes) -> list[bytes]:
        """Return the 32-byte HMAC-SHA256 of data under the keys of a purpose, the first secret first."""
        return [hmac.digest(_derive(secret, purpose), data, "sha256") for secret in self.secrets]

    def encrypt(self, data: bytes) -> bytes:
        """Encrypt data for the database (Fernet: AES-128-CBC and HMAC-SHA256)."""
        return _fernet(self.secrets).encrypt(data)

    def decrypt(self, stored: bytes) -> bytes:
        """Decrypt stored data; raises `ForgedToken` if no secret of the server fits."""
        try:
            return _fernet(self.secrets).decrypt(stored)
        except InvalidToken:
            raise ForgedToken from None


def decode_token(token: str) -> bytes:
    """Return the bytes of a token; raises `ForgedToken` if it is not base32 or too long."""
    if len(token) > LONGEST_TOKEN or not token.isascii():
        raise ForgedToken
    try:
        return b32decode(token.upper() + "=" * (-len(token) % 8))
    except ValueError:
        raise ForgedToken from None


def encode_base32(data: bytes) -> str:
    """Encode in lower-case base32 without padding (RFC 4648, section 6)."""
    return b32encode(data).decode().rstrip("=").lower()


def _seal(secret: bytes, purpose: Purpose, payload: bytes) -> bytes:
    code = hmac.digest(_derive(secret, purpose), payload, "sha256")
    number = _derive(secret, "number of the secret")[:1]
    return number + code[: SEAL_SIZES[purpose] - 1]


@lru_cache(maxsize=256)
def _derive(secret: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), 32, salt=b"alexandros 2", info=purpose.encode()).derive(secret)


@lru_cache(maxsize=8)
def _fernet(secrets: tuple[bytes, ...]) -> MultiFernet:
    return MultiFernet([Fernet(urlsafe_b64encode(_derive(secret, Purpose.STORAGE))) for secret in secrets])


OWN_HEADER: Final = "X-Alexandros"
"""A header of every letter from this server; an incoming mail with it is never played."""


GAME_ID = re.compile(r"[a-z2-7]{8}")
MOST_SEATS = 128
ACT_TAG_FOLLOWS = 128  # added to the seat number in a token
ACT_TAG_BYTES = 4
MOST_GENERATIONS = 2**14
MOST_AFTER = 2**28
MOST_LETTERS = 2**35


def _encode_number(number: int, most: int = MOST_LETTERS) -> bytes:
    """Encode a number in groups of seven bits, lowest first; all but the last group set the eighth bit."""
    if not 0 <= number < most:
        raise ValueError(f"{number} is out of the range of its token")
    groups = []
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def _decode_number(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
    return number | data[at] << shift, at + 1


# --- tickets and reply addresses ------------------------------------------------------------------------

ACCEPT_WORDS, DECLINE_WORDS = "accept", "decline"


@dataclass(frozen=True, slots=True)
class Ticket:
    """Content of a link or reply address: seat, position (`after`), and in some links orders (`words`)."""

    game: str
    seat: int
    after: int
    words: str = ""
    generation: int = 0
    """Counter that rises when the seat's links are renewed; tickets with a lower number are invalid."""
    act_tag: bytes = b""  # differs for equal numbers before and after a restore; empty in old tickets


def seal_ticket(ticket: Ticket, keys: KeyRing) -> str:
    """Return a ticket's token: at most 42 characters if it has no orders. Raises `ValueError` if too long."""
    purpose = Purpose.ACT if ticket.words else Purpose.SEAT
    token = keys.seal(purpose, _ticket_bytes(ticket) + ticket.words.encode())
    if len(token) > LONGEST_TOKEN:
        raise ValueError("the words are too long for a link")
    return token


def unseal_ticket(token: str, keys: KeyRing) -> Ticket:
    """Return the ticket of a token; raises `OutdatedToken` or `ForgedToken` if invalid."""
    for purpose in (Purpose.ACT, Purpose.SEAT):
        try:
            ticket, words = _read_ticket(keys.unseal(purpose, token))
        except ForgedToken:
            continue
        return replace(ticket, words=words.decode())
    _refuse_outdated(token, keys)
    raise ForgedToken


def unseal_reply(token: str, keys: KeyRing) -> tuple[Ticket, int]:
    """Return the ticket and the letter's number; raises `OutdatedToken` or `ForgedToken` if invalid."""
    try:
        ticket, letter = _read_ticket(keys.unseal(Purpose.REPLY, token))
    except ForgedToken:
        _refuse_outdated(token, keys)
        raise
    return ticket, _decode_number(letter, 0)[0]


def _ticket_bytes(ticket: Ticket) -> bytes:
    if not 0 <= ticket.seat < MOST_SEATS:
        raise ValueError("the seat is out of range")
    if len(ticket.act_tag) not in (0, ACT_TAG_BYTES):
        raise ValueError("an act tag has four bytes, or none")
    seat = _game_bytes(ticket.game) + bytes([ticket.seat | (ACT_TAG_FOLLOWS if ticket.act_tag else 0)])
    generation = _encode_number(ticket.generation, MOST_GENERATIONS)
    return seat + generation + _encode_number(ticket.after, MOST_AFTER) + ticket.act_tag


@lru_cache(maxsize=256)
def _game_bytes(game: str) -> bytes:
    if not GAME_ID.fullmatch(game):
        raise ValueError(f"a game's id is 8 characters of a-z and 2-7, not {game!r}")
    return b32decode(game, casefold=True)


def _read_ticket(payload: bytes) -> tuple[Ticket, bytes]:
    generation, end = _decode_number(payload, 6)
    after, end = _decode_number(payload, end)
    act_tag = payload[end : end + ACT_TAG_BYTES] if payload[5] & ACT_TAG_FOLLOWS else b""
    seat = payload[5] & ~ACT_TAG_FOLLOWS
    return Ticket(encode_base32(payload[:5]), seat, after, generation=generation, act_tag=act_tag), payload[
        end + len(act_tag) :
    ]


def make_act_tags(game: str, number: int, at: str, keys: KeyRing) -> list[bytes]:
    """Return the tag of an act under each secret; the first secret makes the tags of new tickets."""
    digests = keys.digests(Purpose.ACT_TAG, f"{game} {number} {at}".encode())
    return [digest[:ACT_TAG_BYTES] for digest in digests]


class OutdatedToken(ForgedToken):
    """A ticket of an old version that had no link generations. No longer valid, but the seat is readable."""

    def __init__(self, ticket: Ticket) -> None:
        super().__init__()
        self.ticket = ticket


def seal_game(purpose: Purpose, game: str, keys: KeyRing, generation: int = 0) -> str:
    """Return the token of a game for a purpose without a seat, such as joining or organising."""
    return keys.seal(purpose, _game_bytes(game) + _encode_number(generation))


def unseal_game(purpose: Purpose, token: str, keys: KeyRing) -> tuple[str, int]:
    """Return game and link generation (see `Ticket`); raises `OutdatedToken` or `ForgedToken` if invalid."""
    try:
        payload = keys.unseal(purpose, token)
    except ForgedToken:
        _refuse_outdated(token, keys)
        raise
    return encode_base32(payload[:5]), _decode_number(payload, 5)[0]


def seal_unsubscribe(game: str, holder: int, keys: KeyRing) -> str:
    """Return the token that stops letters; `holder`: a byte that identifies a seat and its current player."""
    return keys.seal(Purpose.UNSUBSCRIBE, _game_bytes(game) + bytes([holder]))


def unseal_unsubscribe(token: str, keys: KeyRing) -> tuple[str, int]:
    """Return the game and a byte that stands for seat and player; raises `ForgedToken` if invalid."""
    try:
        payload = keys.unseal(Purpose.UNSUBSCRIBE, token)
    except ForgedToken:
        payload = _unseal_outdated(b"alexandros stop 1\0", 10, token, keys)
    return encode_base32(payload[:5]), payload[5]


def unseal_bounce(token: str, keys: KeyRing) -> int:
    try:
        payload = keys.unseal(Purpose.BOUNCE, token)
    except ForgedToken:
        payload = _unseal_outdated(b"alexandros bounce 1\0", 10, token, keys)
    return _decode_number(payload, 0)[0]


def digest_token(secret: str) -> str:
    """Return the SHA-256 under which a token is stored, so that database readers cannot use the token."""
    return sha256(secret.encode()).hexdigest()


CONFIRMATION_MARK_LENGTH = 32


def make_code(purpose: Purpose, mark: str, keys: KeyRing, digest: str = "") -> str:
    """Return the code for the random text `mark` with this digest; else the code made with the first secret.

    A code has 32 base32 characters. Each secret makes another code.
    """
    codes = [encode_base32(one[:20]) for one in keys.digests(purpose, mark.encode())]
    return next((code for code in codes if hmac.compare_digest(digest_token(code), digest)), codes[0])


# --- tokens of versions without link generations --------------------------------------------------------


def _refuse_outdated(token: str, keys: KeyRing) -> None:
    for label in (b"alexandros ticket 1\0", b"alexandros reply 1\0"):
        try:
            payload = _unseal_outdated(label, 12, token, keys)
        except ForgedToken:
            continue
        after, _ = _decode_number(payload, 6)
        raise OutdatedToken(Ticket(encode_base32(payload[:5]), payload[5], after))


def _unseal_outdated(label: bytes, size: int, token: str, keys: KeyRing) -> bytes:
    """Return the content of an old token, sealed with the secret itself; raises `ForgedToken` if invalid."""
    data = decode_token(token)
    payload = data[:-size]
    for secret in keys.secrets:
        code = hmac.digest(secret, label + payload, "sha256")[:size]
        if hmac.compare_digest(token.lower(), encode_base32(payload + code)):
            return payload
    raise ForgedToken


INBOX_ADDRESS = re.compile(r"(?:(?:play|stop|confirm|bounce)\+|(?:new|nieuw)(?:\+|@))", re.IGNORECASE)
"""Beginnings of the addresses of this server; other addresses of its domain may belong to people."""

OFFICE_ADDRESS = re.compile(r"(?:postmaster|abuse)@", re.IGNORECASE)
"""Addresses that every domain must have (RFC 2142); the operator reads mail to these."""

TOKEN = re.compile(
    r"(/(?:[cjnstux]|new)/|\b(?:play|stop|confirm|bounce|new|nieuw)(?:\+|%2b))[a-z2-7]{12,}", re.IGNORECASE
)
"""Matches a token, and the path or local part before it; shorter tokens cannot be valid."""
MASK = "..."
"""Replaces tokens; ASCII, so that it survives every rendering of a mail."""


def mask_tokens(text: str) -> str:
    return TOKEN.sub(rf"\1{MASK}", text)


@lru_cache(maxsize=1000)
def normalise_domain(domain: str) -> str:
    """Convert a domain to lower-case ASCII (RFC 5891), without a final dot."""
    domain = domain.strip().rstrip(".").lower()
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        return domain


def is_inbox_address(address: str, domain: str) -> bool:
    return INBOX_ADDRESS.match(address) is not None and address.lower().endswith("@" + domain.lower())


def is_office_address(address: str, domain: str) -> bool:
    return OFFICE_ADDRESS.match(address) is not None and address.lower().endswith("@" + domain.lower())


@dataclass(frozen=True, slots=True)
class LinkBuilder:
    base_url: str
    """The address of the server without a final slash, such as https://play.example.org."""
    domain: str
    keys: KeyRing
    generation: int = 0
    act_tags: tuple[tuple[int, bytes], ...] = ()
    unwanted: str = ""
    """The link that ends unsolicited letters; empty if the reader has confirmed their address."""

    def complete(self, ticket: Ticket) -> Ticket:
        act_tag = ticket.act_tag or next(
            (act_tag for number, act_tag in self.act_tags if number == ticket.after), b""
        )
        return replace(ticket, generation=self.generation, act_tag=act_tag)

    def ticket_link(self, ticket: Ticket) -> str:
        """Return the link to the game's page. Orders are previewed, or played in a browser set to do so."""
        return f"{self.base_url}/t/{seal_ticket(self.complete(ticket), self.keys)}"

    def page_link(self, ticket: Ticket, page: str) -> str:
        """Return the link to another page of a seat: settings, plan, agreements (votes) or away."""
        return f"{self.ticket_link(replace(ticket, words=''))}/{page}"

    def reply_address(self, ticket: Ticket, letter: int = 0) -> str:
        """Return the reply address of a letter, without orders; its local part has at most 61 characters."""
        content = _ticket_bytes(self.complete(ticket)) + _encode_number(letter)
        return f"play+{self.keys.seal(Purpose.REPLY, content)}@{self.domain}"

    def bounce_address(self, letter: int) -> str:
        """Return the envelope sender of a letter; its local part has at most 31 characters."""
        token = self.keys.seal(Purpose.BOUNCE, _encode_number(letter))
        return f"bounce+{token}@{self.domain}"

    def unsubscribe_links(self, game: str, seat: int) -> tuple[str, str]:
        """Return a link and a mailto link that stop letters; each fits into one line of a mail's header."""
        token = seal_unsubscribe(game, seat, self.keys)
        return f"{self.base_url}/u/{token}", f"mailto:stop+{token}@{self.domain}"

    def unwanted_link(self, digest: str) -> str:
        return f"{self.base_url}/x/{self.keys.seal(Purpose.UNWANTED, bytes.fromhex(digest))}"

    def confirm_links(self, mark: str, digest: str = "") -> tuple[str, str]:
        """Return the link and the reply address that confirm a mail address (accounts/addresses.py)."""
        code = mark  # old versions queued the code itself, which is shorter than a mark
        if len(mark) == CONFIRMATION_MARK_LENGTH:
            code = make_code(Purpose.CONFIRMATION, mark, self.keys, digest)
        return f"{self.base_url}/c/{code}", f"confirm+{code}@{self.domain}"

    def sign_in_link(self, mark: str, digest: str = "") -> str:
        """Return the link that signs a player in (accounts/sign_in.py)."""
        return f"{self.base_url}/s/{make_code(Purpose.SIGN_IN, mark, self.keys, digest)}"

    def sessions_link(self) -> str:
        """Return the link to the page of the player's browsers and API keys, which requires a sign-in."""
        return f"{self.base_url}/me/browsers"

    def join_link(self, game: str) -> str:
        return f"{self.base_url}/j/{seal_game(Purpose.JOIN, game, self.keys)}"

    def join_address(self, game: str) -> str:
        """Return the address for mails that request an open seat."""
        return f"new+{seal_game(Purpose.JOIN, game, self.keys)}@{self.domain}"

    def claim_address(self, game: str, player: int) -> str:
        """Return the address for a player's reply that claims an offered seat."""
        return f"new+{seal_game(Purpose.CLAIM, game, self.keys, player)}@{self.domain}"

    def games_link(self) -> str:
        return f"{self.base_url}/games"

    def organiser_link(self, game: str, generation: int) -> str:
        """Return a link to the organiser's page. `generation`: of the organiser's seat; 0 without a seat."""
        return f"{self.base_url}/new/{seal_game(Purpose.ORGANISER, game, self.keys, generation)}"

    def rules_link(self) -> str:
        return f"{self.base_url}/rules"

    def new_game_links(self) -> tuple[str, str]:
        """Return the link to the page for new games, and the address for requests by mail."""
        return f"{self.base_url}/new", f"new@{self.domain}"

    def proposal_links(self, game: str) -> tuple[str, str]:
        """Return the link that confirms a proposed game, and the address for replies to the proposal."""
        page = seal_game(Purpose.PROPOSAL, game, self.keys)
        reply = seal_game(Purpose.PROPOSAL_REPLY, game, self.keys)
        return f"{self.base_url}/n/{page}", f"new+{reply}@{self.domain}"
