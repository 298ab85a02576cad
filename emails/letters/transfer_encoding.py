"""Words and pictures as the lines of a mail, which know only ASCII (RFC 2045), and how long those are."""

from __future__ import annotations

from base64 import encodebytes
from binascii import b2a_qp
from functools import lru_cache

BASE64_GROWTH = 1.35
"""How much longer base64 makes everything, its line ends counted."""


@lru_cache(maxsize=4)
def encode_text(text: str) -> tuple[str, bytes]:
    """Words in the coding that suits them, and its name; its lines end with CR LF.

    Quoted-printable triples what is not ASCII. Base64 makes everything longer by three eighths, and hides it
    from whoever looks at the mail itself: only where it is clearly shorter.
    """
    lines = "\r\n".join(text.split("\n")).encode()
    quoted = b2a_qp(lines, istext=True) + b"\r\n"
    if len(quoted) < BASE64_GROWTH * len(lines):
        return "quoted-printable", quoted
    whole = encode_base64(lines)
    return ("base64", whole) if len(whole) < 0.9 * len(quoted) else ("quoted-printable", quoted)


def encoded_size(text: str) -> int:
    """Bytes of words in a mail."""
    return len(encode_text(text)[1])


def encode_base64(data: bytes) -> bytes:
    """Bytes in lines of 76 characters."""
    return encodebytes(data).replace(b"\n", b"\r\n")
