"""What a button carries so that it is known to stand on a page of ours: a moment and a seal over it.

Nothing is stored. A nonce is good for one subject (such as one ticket) and for a day; whether what the button
does has been done already is for the log of acts to say.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

TOKEN_LIFETIME = timedelta(days=1)
CLOCK_SKEW = timedelta(minutes=5)
"""How far the clocks of two servers may differ."""
PURPOSE = b"alexandros nonce 1\0"


def make_csrf_token(subject: str, secret: bytes, now: datetime) -> str:
    """A nonce for what `subject` names, made at `now`."""
    return _sign_token(f"{int(now.timestamp()):x}", subject, secret)


def is_valid_csrf_token(given: str, subject: str, secret: bytes, now: datetime) -> bool:
    """Whether this is a nonce of ours for `subject`, not older than a day."""
    moment = given.partition(".")[0]
    if not given.isascii() or not hmac.compare_digest(given, _sign_token(moment, subject, secret)):
        return False
    made = datetime.fromtimestamp(int(moment, 16), UTC)  # the seal shows that we wrote it
    return now - TOKEN_LIFETIME <= made <= now + CLOCK_SKEW


def _sign_token(moment: str, subject: str, secret: bytes) -> str:
    digest = hmac.digest(secret, PURPOSE + f"{moment}\0{subject}".encode(), "sha256")
    return f"{moment}.{urlsafe_b64encode(digest[:18]).decode()}"
