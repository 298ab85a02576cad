"""CSRF tokens: the time at which a form was made, and a signature over it.

Nothing is stored. A token is good for one subject (such as one ticket) and for a day; whether what the button
does has been done already is for the log of acts to say.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256

from itsdangerous import TimestampSigner

from emails.keys import KeyRing, Purpose

TOKEN_LIFETIME = timedelta(days=1)
CLOCK_SKEW = timedelta(days=1)
"""How far ahead of now a token may be: the clock was put back, or differs from that of another server."""


class CsrfSigner(TimestampSigner):
    """Signs a moment for one subject, which is part of the key: a ticket of 2,000 letters is not repeated."""

    def __init__(self, subject: str, keys: KeyRing, now: datetime) -> None:
        oldest_first = keys.derive_all(Purpose.FORM)[::-1]
        super().__init__(oldest_first, f"csrf\0{subject}", key_derivation="hmac", digest_method=sha256)
        self.now = now

    def get_timestamp(self) -> int:
        """The moment that the server handed in, in seconds."""
        return int(self.now.timestamp())


def make_csrf_token(subject: str, keys: KeyRing, now: datetime) -> str:
    """A token for what `subject` names, made at `now`."""
    return CsrfSigner(subject, keys, now).sign("").decode()


def is_valid_csrf_token(given: str, subject: str, keys: KeyRing, now: datetime) -> bool:
    """Whether this is a token of ours for `subject`, not older than a day.

    One from later than now was made before the clock was put back, for nobody else can make any.
    """
    oldest = int((TOKEN_LIFETIME + CLOCK_SKEW).total_seconds())
    return CsrfSigner(subject, keys, now + CLOCK_SKEW).validate(given, max_age=oldest)
