"""Keys: all credentials in one table, and the sealing of tokens with the server's secret.

Each purpose has a key of its own, derived from the secret by HKDF-SHA256 (RFC 5869), so a token of one
purpose is never valid for another. There may be several secrets: the first seals, all of them open, and a
seal names its secret. So a secret can be replaced while letters are under way.

    seal = number of the secret (1 byte), HMAC-SHA256 over the payload (RFC 2104, section 5: truncated)
"""

from __future__ import annotations

import hmac
from base64 import b32decode, b32encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

LONGEST_TOKEN = 2000
"""Characters of a token that browsers, mail clients and proxies pass on."""


class Purpose(StrEnum):
    """The purpose of a key. Its value is an input of the derivation, so it never changes."""

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


@dataclass(frozen=True, slots=True)
class KeyTerms:
    """Where a credential is found, what it opens, for whom, and how it ends."""

    stands_in: str
    opens: str
    bearer: str
    until: str
    withdrawn_by: str
    seal: int = 0
    """Bytes of the seal in a token, including the number of the secret; 0: not a sealed token."""


NEW_LINKS = "new links of the player's own, their address changed or taken back, the seat given to another"

KEYS: Mapping[Purpose, KeyTerms] = {
    Purpose.SEAT: KeyTerms(
        "a link in a letter, /t/",
        "one seat of one game: its page, what it may do there, its settings for this game",
        "the player of the seat",
        "the game is over; then it only reads, and thirty days later it opens nothing",
        NEW_LINKS,
        13,
    ),
    Purpose.ACT: KeyTerms(
        "a link in a letter that says an action, /t/",
        "the same seat, and proposes that action in the position for which it was made",
        "the player of the seat",
        "the position changes; then it opens the seat alone",
        NEW_LINKS,
        13,
    ),
    Purpose.REPLY: KeyTerms(
        "the address that answers a letter, play+",
        "orders and chat by mail from the player's own address; no page",
        "whoever has the letter, writing from the player's address",
        "the game is over or called off, or for sixty days nothing was sent to the seat or done by it",
        NEW_LINKS,
        13,
    ),
    Purpose.PROPOSAL: KeyTerms(
        "a link in the letter to an organiser who is not known yet, /n/",
        "the proposed game, to be opened, and then its organiser's page; afterwards the word that it is open",
        "the organiser",
        "the game is opened, or a week has passed",
        "a later request",
        13,
    ),
    Purpose.PROPOSAL_REPLY: KeyTerms(
        "the address that answers that letter, new+",
        "a yes or a change to the proposed game from the organiser's own address; no page",
        "the organiser, writing from their address",
        "the game is opened, or a week has passed",
        "a later request",
        13,
    ),
    Purpose.JOIN: KeyTerms(
        "a link that an organiser or a player hands on, /j/, and the address that asks by mail, new+",
        "a free seat of a game, to be taken by an address that confirms it",
        "whoever is given it",
        "the seats are taken or the game begins",
        "the organiser, who closes the seats or calls the game off",
        13,
    ),
    Purpose.CLAIM: KeyTerms(
        "the address that answers whoever asked to play on for a seat, new+",
        "a seat of that game that is offered, taken by a yes from the asker's own address; no page",
        "whoever asked, writing from their address",
        "no seat of the game is offered",
        "the player of the seat, who is back",
        13,
    ),
    Purpose.ORGANISER: KeyTerms(
        "a link to whoever opened a game, /new/",
        "the page of an open game: who has accepted, free seats, calling it off; no hand",
        "the organiser",
        "the game begins",
        "new links of an organiser who plays; otherwise calling the game off",
        13,
    ),
    Purpose.UNSUBSCRIBE: KeyTerms(
        "List-Unsubscribe and the end of a letter, /u/ and stop+",
        "the end and the return of a player's letters; no page of the game",
        "whoever has the letter",
        "the game is no longer kept",
        "the seat given to another",
        10,
    ),
    Purpose.UNWANTED: KeyTerms(
        "a link in a letter to somebody who has confirmed nothing, /x/",
        "the end of letters that the reader of an address has not asked for, and their return",
        "whoever has the letter",
        "the secret is replaced",
        "nothing needs to: it shows nothing, and no game",
        13,
    ),
    Purpose.BOUNCE: KeyTerms(
        "the envelope's sender, bounce+",
        "the note that this letter came back",
        "mail servers",
        "the letter is no longer kept",
        "a later letter that arrives",
        10,
    ),
    Purpose.CONFIRMATION: KeyTerms(
        "a letter to an address, /c/ and confirm+",
        "the yes to one address of one player, or the yes or no to leaving it",
        "whoever reads that address",
        "three days have passed, of the way back thirty, of the end of a dead address fourteen",
        "a change of the player's address, a no of the address in use",
    ),
    Purpose.SIGN_IN: KeyTerms(
        "a letter to a player, /s/",
        "one browser, once",
        "the player",
        "it is used, or ten minutes have passed",
        "a change of the player's address",
    ),
    Purpose.SESSION: KeyTerms(
        "a cookie of a browser",
        "the games and settings of one player",
        "the browser that signed in",
        "ninety days have passed since it was used last",
        "signing out, there or from another browser; a change of the player's address",
    ),
    Purpose.API: KeyTerms(
        "a header that a program sends",
        "the games of one player, through the API",
        "the player's programs",
        "it is withdrawn, or a year has passed since it was used last",
        "its player, on the page of keys; a change of the player's address",
    ),
    Purpose.COOKIE: KeyTerms(
        "a cookie of a browser",
        "nothing: it holds a choice of that browser, such as its language",
        "the browser",
        "the browser drops it",
        "signing out, or another choice",
    ),
    Purpose.FORM: KeyTerms(
        "a hidden field of a form",
        "that one button of that one page",
        "whoever was shown the page",
        "a day has passed",
        "nothing needs to",
    ),
    Purpose.TAG: KeyTerms(
        "the ETag of an answer, the Message-ID of a letter",
        "nothing: it says whether an answer is the same as before, or tells letters apart",
        "whoever got the answer",
        "the answer changes",
        "nothing needs to",
    ),
    Purpose.ACT_TAG: KeyTerms(
        "the tokens of a seat and the Message-ID of a letter",
        "nothing: it tells an act from one that a restored backup has lost",
        "whoever got the letter",
        "the act is no longer in the log",
        "nothing needs to",
    ),
    Purpose.STORAGE: KeyTerms(
        "no letter and no page",
        "the mails that the database keeps",
        "the server",
        "the secret is replaced",
        "the secret taken out",
    ),
}


class ForgedToken(ValueError):
    """A token that this server did not write, or that was damaged; its message is for the bearer."""

    def __init__(self) -> None:
        super().__init__("This link or address is not one of ours, or it was damaged on its way.")


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The secrets of a server: the first seals, all of them open."""

    secrets: tuple[bytes, ...]

    def derive(self, purpose: Purpose) -> bytes:
        """Return the 32-byte key of the first secret."""
        return _derive(self.secrets[0], purpose)

    def derive_all(self, purpose: Purpose) -> list[bytes]:
        return [_derive(secret, purpose) for secret in self.secrets]

    def seal(self, purpose: Purpose, payload: bytes) -> str:
        return encode_base32(payload + _seal(self.secrets[0], purpose, payload))

    def unseal(self, purpose: Purpose, token: str) -> bytes:
        """Return the payload of a token, in any case of letters; raise `ForgedToken` if it is not valid."""
        size = KEYS[purpose].seal
        data = decode_token(token)
        payload, given = data[:-size], data[-size:]
        # Compare whole tokens, with the unused bits of the last letter: a payload has exactly one token.
        for secret in self.secrets:
            if given[:1] == _number(secret):
                expected = encode_base32(payload + _seal(secret, purpose, payload))
                if hmac.compare_digest(token.lower(), expected):
                    return payload
        raise ForgedToken

    def codes(self, purpose: Purpose, mark: str) -> tuple[str, ...]:
        """Return a code of 32 letters for each secret; it cannot be found from the mark alone."""
        keys = self.derive_all(purpose)
        return tuple(encode_base32(hmac.digest(key, mark.encode(), "sha256")[:20]) for key in keys)

    def digest(self, purpose: Purpose, data: bytes) -> bytes:
        """Return the 32 bytes of the HMAC-SHA256 of data."""
        return hmac.digest(self.derive(purpose), data, "sha256")

    def encrypt(self, data: bytes) -> bytes:
        """Encrypt data for the database (Fernet: AES-128-CBC and HMAC-SHA256)."""
        return _fernet(self.secrets).encrypt(data)

    def decrypt(self, stored: bytes) -> bytes:
        """Decrypt stored data; raise `ForgedToken` if no secret of this ring encrypted it."""
        try:
            return _fernet(self.secrets).decrypt(stored)
        except InvalidToken:
            raise ForgedToken from None


def decode_token(token: str) -> bytes:
    """Return the bytes of a token; raise `ForgedToken` if it is not base32 or too long."""
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
    return _number(secret) + code[: KEYS[purpose].seal - 1]


@lru_cache(maxsize=256)
def _derive(secret: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), 32, salt=b"alexandros 2", info=purpose.encode()).derive(secret)


def _number(secret: bytes) -> bytes:
    """Return the first byte of a seal. Two secrets may share it: then both are tried."""
    return _derive(secret, "number of the secret")[:1]


@lru_cache(maxsize=8)
def _fernet(secrets: tuple[bytes, ...]) -> MultiFernet:
    return MultiFernet([Fernet(urlsafe_b64encode(_derive(secret, Purpose.STORAGE))) for secret in secrets])
