"""Bytes become words, whatever charset they are said to be in."""

from __future__ import annotations

import codecs
import re

KNOWN = re.compile(r"utf|ascii|iso|cp\d|koi8|gb|big5|euc|shift|mac|hz|tis|johab|kz|ptcp", re.IGNORECASE)
"""How a charset begins that may be decoded; punycode and its like take quadratic time."""


def decoded(data: bytes, charset: str, cut: bool = False) -> str:
    """The words: in this charset, else as UTF-8, else as Windows has it. Never raises.

    `cut`: the bytes may end within a character; then their last line is left out.
    """
    for name in (charset.removesuffix("-i"), "utf-8"):  # Hebrew "in implicit order", as everybody writes it
        try:
            known = codecs.lookup(name).name
            known = "cp1252" if known == "iso8859-1" else known  # what programs mean by it
            if KNOWN.match(known):
                return _whole(data, known, cut)
        except (LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def _whole(data: bytes, charset: str, cut: bool) -> str:
    try:
        return data.decode(charset)
    except UnicodeDecodeError:
        if not cut:
            raise
        return data[: data.rfind(b"\n") + 1].decode(charset)
