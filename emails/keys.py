"""Keys: the sealing of tokens with the server's secret.

Each purpose has a key of its own, derived from the secret by HKDF-SHA256 (RFC 5869), so a token of one
purpose is never valid for another. There may be several secrets: the first seals, all of them open, and a
seal names its secret. So a secret can be replaced while letters are under way. server/THREATS.md describes
the tokens.

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
"""Bytes of the seals of tokens, the secret's number included; short for those that neither play nor show."""


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
        size = SEAL_SIZES[purpose]
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
    return _number(secret) + code[: SEAL_SIZES[purpose] - 1]


@lru_cache(maxsize=256)
def _derive(secret: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), 32, salt=b"alexandros 2", info=purpose.encode()).derive(secret)


def _number(secret: bytes) -> bytes:
    """Return the first byte of a seal. Two secrets may share it: then both are tried."""
    return _derive(secret, "number of the secret")[:1]


@lru_cache(maxsize=8)
def _fernet(secrets: tuple[bytes, ...]) -> MultiFernet:
    return MultiFernet([Fernet(urlsafe_b64encode(_derive(secret, Purpose.STORAGE))) for secret in secrets])
