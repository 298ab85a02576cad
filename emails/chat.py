"""What players tell one another by mail: a line "say: words" is for all, "tell Anna: words" for one.

In Dutch it is "zeg: words" and "vertel Anna: words"; both are always read, whoever writes. Such a line is
never an order, and a `;` in it is a part of what is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 600
"""Characters of what is said at one time."""
_LINE = re.compile(r"(?:(?:say|zeg) ?:|(?:say|zeg|tell|vertel) [^:]{1,70}:)", re.IGNORECASE)
_VERB = re.compile(r"(?:say|zeg|tell|vertel) ?", re.IGNORECASE)
_TO = re.compile(r"(?:to|aan|tegen) ", re.IGNORECASE)
_ALL = frozenset("all everyone everybody allen allemaal iedereen".split())


@dataclass(frozen=True, slots=True)
class Remark:
    """What one line says to others."""

    seat: int | None
    """For whom; None: for all."""
    name: str
    """Of the one it is for as it was written, where nobody is called so; else empty."""
    words: str


def is_chat(line: str) -> bool:
    """Whether a line is said to other players, even if there are no words in it."""
    return _LINE.match(line) is not None


def is_bare(line: str) -> bool:
    """Whether a line says to whom something is said, and not yet what."""
    return is_chat(line) and line.endswith(":")


def remark(line: str, names: Sequence[str]) -> Remark:
    """What a line, for which `is_chat` holds, says to others; `names` are those of the seats, in order."""
    rest = _VERB.sub("", line, count=1)
    if rest.startswith(":"):
        return Remark(None, "", rest[1:].strip())
    for colon in re.finditer(":", rest[:80]):  # a name may hold one itself
        seat = _seat(rest[: colon.start()].strip(), names)
        if seat is not None:
            return Remark(seat, "", rest[colon.end() :].strip())
    name, _, words = (part.strip() for part in rest.partition(":"))
    name = _TO.sub("", name, count=1)
    return Remark(None, "" if name.casefold() in _ALL else name, words)


def _seat(called: str, names: Sequence[str]) -> int | None:
    """Who is called so: best exactly, else by a name that differs in signs and accents alone."""
    for key in (str.casefold, _letters):
        for name in (called, _TO.sub("", called, count=1)):
            found = [seat for seat, one in enumerate(names) if key(one) == key(name)]
            if len(found) == 1:
                return found[0]
    return None


def _letters(name: str) -> str:
    """The letters and digits of a name alone, without accents."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(char for char in plain if char.isalnum()) or name.casefold()


def parted(lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that are orders, and those that are said to others."""
    orders = tuple(line for line in lines if not is_chat(line))
    return orders, tuple(line for line in lines if is_chat(line))
