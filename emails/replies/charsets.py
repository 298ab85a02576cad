"""Bytes become words, whatever charset they are said to be in."""

from __future__ import annotations

import codecs
import re

ALLOWED_CHARSETS = re.compile(
    r"utf|ascii|iso|cp\d|koi8|gb|big5|euc|shift|mac|hz|tis|johab|kz|ptcp", re.IGNORECASE
)
"""How a charset begins that may be decoded; punycode and its like take quadratic time."""


UNSTORABLE = re.compile("[\ud800-\udfff]")
"""Halves of characters: UTF-7 can name them, and no database takes them."""


def make_storable(text: str) -> str:
    """The same as any database takes it: a sign for each half of a character, and no zero bytes."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text).replace("\0", "")


def decode_text(data: bytes, charset: str, cut: bool = False) -> str:
    """The words, `make_storable`: in this charset, else as UTF-8, else as Windows has it. Never raises.

    `cut`: the bytes may end within a character; then their last line is left out.
    """
    found = _try_decode(data, charset, cut)
    return make_storable(data.decode("cp1252", "replace") if found is None else found)


def fits_charset(data: bytes, charset: str, cut: bool = False) -> bool:
    """Whether the bytes are in this charset or in UTF-8; else what `decode_text` makes of them is guessed."""
    return _try_decode(data, charset, cut) is not None


def _try_decode(data: bytes, charset: str, cut: bool) -> str | None:
    for name in (charset.removesuffix("-i"), "utf-8"):  # Hebrew "in implicit order", as everybody writes it
        try:
            known = codecs.lookup(name).name
            known = "cp1252" if known == "iso8859-1" else known  # what programs mean by it
            if ALLOWED_CHARSETS.match(known):
                return _decode_whole(data, known, cut)
        except (LookupError, ValueError):
            continue
    return None


def _decode_whole(data: bytes, charset: str, cut: bool) -> str:
    try:
        return data.decode(charset)
    except UnicodeDecodeError:
        if not cut:
            raise
        return data[: data.rfind(b"\n") + 1].decode(charset)
