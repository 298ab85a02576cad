"""The secret that seals every link: made where none is there, and refused where somebody could guess it."""

from __future__ import annotations

import re
import secrets
from itertools import pairwise

SHORTEST_SECRET = 16
FEWEST_DIFFERENT = 8
"""Different characters; and characters that do not follow from those before them."""
SECRET_BYTES = 32
"""Of a secret that is made: 256 bits, in 43 characters that no shell and no address has to quote."""
ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop")
"""Of keyboards; what runs along one is typed without a thought."""
WELL_KNOWN = ("alexandrossecret", "correcthorsebattery", "changeme", "password", "secretkey")
"""What documents and lists of guesses have for a secret, without blanks and signs."""
HOST = re.compile(r"(https?://)?[\w-]+(\.[a-z][\w-]*)+/?")
DOCUMENTED = ("$(", "at least 16 characters", "alexandros secret", "/var/lib/alexandros")
"""What stands in our documents where a secret is to stand."""


def make_secret() -> str:
    """A secret that nobody can guess."""
    return secrets.token_urlsafe(SECRET_BYTES)


def check_secret(text: str) -> None:
    """Refuse a secret that could be guessed; raises `ValueError` with what is wrong and without it."""
    folded = text.casefold()
    if any(words in folded for words in DOCUMENTED):
        raise ValueError("is the example of the documents")
    if len(text) < SHORTEST_SECRET:
        raise ValueError(f"is too short: it has {len(text)} characters")
    if len(set(text)) < FEWEST_DIFFERENT:
        raise ValueError(f"has only {len(set(text))} different characters")
    if len(_repeated_part(folded)) < SHORTEST_SECRET:
        raise ValueError("is the same few characters over and over")
    words = re.findall(r"[^\W\d_]{3,}", folded)
    if len(words) > 1 and len({*words}) == 1:
        raise ValueError("is one word over and over")
    if HOST.fullmatch(folded):
        raise ValueError("is the name of a host, which anybody can read")
    letters = re.sub(r"[\W_]+", "", folded)
    rest = re.sub("|".join(WELL_KNOWN), "", letters)
    if rest != letters and len(rest) < SHORTEST_SECRET:
        raise ValueError("is one that many have thought of")
    if _count_surprises(folded) < FEWEST_DIFFERENT:
        raise ValueError("is a sequence")


def _repeated_part(text: str) -> str:
    """The shortest beginning that makes the whole text when it is repeated."""
    return next(text[:n] for n in range(1, len(text) + 1) if text[n:] == text[:-n])


def _count_surprises(text: str) -> int:
    """How many characters do not go on from the one before: the same, the next or the one next to its key."""
    return 1 + sum(not _goes_on(*pair) for pair in pairwise(text))


def _goes_on(one: str, other: str) -> bool:
    return abs(ord(one) - ord(other)) <= 1 or any(one + other in row or other + one in row for row in ROWS)
