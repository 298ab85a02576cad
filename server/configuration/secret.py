"""The secret that seals links: generated, and checked against guessing."""

from __future__ import annotations

import re
import secrets
from itertools import pairwise

SHORTEST_SECRET = 16
FEWEST_DIFFERENT = 8
SECRET_BYTES = 32
"""Bytes of a generated secret: 256 bits, in 43 characters that need no quoting in shells and URLs."""
ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop")
"""Rows of keyboards: sequences along them are easy to guess."""
WELL_KNOWN = ("alexandrossecret", "correcthorsebattery", "changeme", "password", "secretkey")
"""Secrets of our documents and of lists of common passwords, without spaces and punctuation."""
HOST = re.compile(r"(https?://)?[\w-]+(\.[a-z][\w-]*)+/?")
DOCUMENTED = ("$(", "at least 16 characters", "alexandros secret", "/var/lib/alexandros")
"""Placeholders for a secret in our documents."""


def make_secret() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def check_secret(text: str) -> None:
    """Refuse a secret that could be guessed. Raises `ValueError`; its message does not show the secret."""
    folded = text.casefold()
    if any(words in folded for words in DOCUMENTED):
        raise ValueError("is the example from the documents")
    if len(text) < SHORTEST_SECRET:
        raise ValueError(f"is too short: it has {len(text)} characters")
    if len(set(text)) < FEWEST_DIFFERENT:
        raise ValueError(f"has only {len(set(text))} different characters")
    if len(_repeated_part(folded)) < SHORTEST_SECRET:
        raise ValueError("repeats the same few characters")
    words = re.findall(r"[^\W\d_]{3,}", folded)
    if len(words) > 1 and len({*words}) == 1:
        raise ValueError("repeats one word")
    if HOST.fullmatch(folded):
        raise ValueError("is the name of a host, which is public")
    letters = re.sub(r"[\W_]+", "", folded)
    rest = re.sub("|".join(WELL_KNOWN), "", letters)
    if rest != letters and len(rest) < SHORTEST_SECRET:
        raise ValueError("is a common password")
    if _count_surprises(folded) < FEWEST_DIFFERENT:
        raise ValueError("is a sequence")


def _repeated_part(text: str) -> str:
    """Return the shortest beginning whose repetition makes the whole text."""
    return next(text[:n] for n in range(1, len(text) + 1) if text[n:] == text[:-n])


def _count_surprises(text: str) -> int:
    """Count the characters that are not equal, next in order or next on a keyboard to the one before."""
    return 1 + sum(not _goes_on(*pair) for pair in pairwise(text))


def _goes_on(one: str, other: str) -> bool:
    return abs(ord(one) - ord(other)) <= 1 or any(one + other in row or other + one in row for row in ROWS)
