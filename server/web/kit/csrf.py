"""What a button carries so that it is known to stand on a page of ours: a moment and a seal over it.

Nothing is stored. A nonce is good for one subject (such as one ticket) and for a day; whether what the button
does has been done already is for the log of acts to say.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

GOOD_FOR = timedelta(days=1)
SKEW = timedelta(minutes=5)
"""How far the clocks of two servers may differ."""
PURPOSE = b"alexandros nonce 1\0"


def nonce(subject: str, secret: bytes, now: datetime) -> str:
    """A nonce for what `subject` names, made at `now`."""
    return _sealed(f"{int(now.timestamp()):x}", subject, secret)


def is_good(given: str, subject: str, secret: bytes, now: datetime) -> bool:
    """Whether this is a nonce of ours for `subject`, not older than a day."""
    moment = given.partition(".")[0]
    if not given.isascii() or not hmac.compare_digest(given, _sealed(moment, subject, secret)):
        return False
    made = datetime.fromtimestamp(int(moment, 16), UTC)  # the seal shows that we wrote it
    return now - GOOD_FOR <= made <= now + SKEW


def _sealed(moment: str, subject: str, secret: bytes) -> str:
    digest = hmac.digest(secret, PURPOSE + f"{moment}\0{subject}".encode(), "sha256")
    return f"{moment}.{urlsafe_b64encode(digest[:18]).decode()}"
