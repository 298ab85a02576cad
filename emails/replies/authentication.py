"""What the operator's own mail server says of the address in From: Authentication-Results (RFC 8601).

Anybody can write such a header. Only those count whose authserv-id is that of the operator's server, which
takes away what comes with it already (section 5); those of others are left out before anything is read. One
of ours may judge by DMARC, and of the domain that we read in From: two, or one of another, prove nothing.

The grammar is read here in a few lines, since the library for it has not changed since 2019.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from emails.replies.headers import Headers

HEADER = "authentication-results"
METHOD = "dmarc"
"""RFC 7489: it says whether SPF or DKIM has shown the very domain in From."""


class DmarcResult(StrEnum):
    """What the header says of the domain in From, and what can be wrong with the header."""

    PASS = "pass"
    NONE = "none"
    """The domain says nothing of how its mails can be known."""
    FAIL = "fail"
    TEMPERROR = "temperror"
    PERMERROR = "permerror"
    MISSING = "missing"
    """No header of ours judges by DMARC."""
    CONTRADICTORY = "contradictory"
    """Several do, or one does of another domain."""
    UNREADABLE = "unreadable"
    """A header of ours is no such header, or says a word that is none."""

    @property
    def is_proof_lacking(self) -> bool:
        """Whether a mail is asked about before anything of it is done."""
        return self not in (DmarcResult.PASS, DmarcResult.NONE)


WORDS = {one.value: one for one in list(DmarcResult)[:5]}
"""The results that a server may write (RFC 7489, section 11.2)."""


def read_dmarc_result(headers: Headers, authserv: str) -> DmarcResult:
    """What the headers of the server with this authserv-id say of the address in From."""
    try:
        found = [one for value in own_values(headers, authserv) for one in _read_results(value)]
    except _Unreadable:
        return DmarcResult.UNREADABLE
    judged = [one for one in found if one.method == METHOD]
    if not judged:
        return DmarcResult.MISSING
    if len(judged) > 1 or not _is_about(judged[0], headers.author.rpartition("@")[2]):
        return DmarcResult.CONTRADICTORY
    return WORDS.get(judged[0].result, DmarcResult.UNREADABLE)


def own_values(headers: Headers, authserv: str) -> list[str]:
    """The headers of the server with this authserv-id, as they were written; all others are left out."""
    values = (value for name, value in headers.written if name == HEADER)
    return [value for value in values if _authserv_of(value) == authserv.lower()]


def _is_about(judged: _Result, domain: str) -> bool:
    """Whether a result is of this domain or of one above it, whose rules hold for it too; or does not say."""
    named = [_ascii(value) for name, value in judged.properties if name == "header.from"]
    return all(f".{_ascii(domain)}".endswith(f".{one}") for one in named)


def _ascii(domain: str) -> str:
    """A domain in small letters, and as it stands in the DNS."""
    domain = domain.rpartition("@")[2].lower().rstrip(".")
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


# --- the grammar of section 2.2 -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Result:
    """What one method found."""

    method: str
    result: str
    properties: tuple[tuple[str, str], ...]
    """Such as header.from and its value."""


class _Unreadable(ValueError):
    """A header that does not follow the grammar where it matters."""


QUOTED = r'"(?:[^"\\]|\\.)*"'
STRETCH = re.compile(rf"{QUOTED}|[^\"(;]+|;", re.DOTALL)
"""What lies between two comments."""
SERVER = re.compile(rf"\s*(?P<id>{QUOTED}|[^\s;]+)\s*(?P<version>\S*)\s*", re.DOTALL)
NAME = r"[\w-]+(?:\s*\.\s*[\w-]+)?"
PAIR = re.compile(
    rf"\s*(?P<name>{NAME})\s*(?:/\s*\d+\s*)?=\s*(?P<value>(?:{QUOTED}|[^\s\"])+)", re.DOTALL | re.ASCII
)
"""A method and its result, or a property and its value, which may be half in quotes: "a b"@example.org."""
VERSIONS = ("", "1")


def _authserv_of(value: str) -> str:
    """Whose header it is, in small letters; empty where it does not say."""
    found = SERVER.match(_split(value)[0][0])
    return _unquoted(found["id"]).lower() if found else ""


def _read_results(value: str) -> Iterator[_Result]:
    """The results of a header; raises `_Unreadable`. What is said of other methods need not be readable."""
    (head, *parts), whole = _split(value)
    found = SERVER.fullmatch(head)
    if not whole or found is None or found["version"] not in VERSIONS:
        raise _Unreadable
    for part in parts:
        result = _read_result(part)
        if result is not None:
            yield result
        elif METHOD in part.lower():
            raise _Unreadable


def _read_result(part: str) -> _Result | None:
    """What one method found; None where it cannot be read, as of "none" and of nothing."""
    at, pairs = 0, []
    while found := PAIR.match(part, at):
        pairs.append(("".join(found["name"].lower().split()), _unquoted(found["value"])))
        at = found.end()
    if not pairs or part[at:].strip():
        return None
    (method, result), *properties = pairs
    return _Result(method, result.lower(), tuple(properties))


def _split(value: str) -> tuple[list[str], bool]:
    """The parts of a header between its semicolons, without comments; and whether all of it could be read."""
    parts, at = [""], 0
    while at < len(value):
        if value[at] == "(":
            parts[-1] += " "
            at = _end_of_comment(value, at)
            continue
        found = STRETCH.match(value, at)
        if found is None:
            return parts, False
        at = found.end()
        if found[0] == ";":
            parts.append("")
        else:
            parts[-1] += found[0]
    return parts, at == len(value)


def _end_of_comment(value: str, at: int) -> int:
    """Where a comment ends, beyond the header if it never does; they may nest (RFC 5322, section 3.2.2)."""
    depth = 0
    while at < len(value):
        sign = value[at]
        at += 2 if sign == "\\" else 1
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at
    return len(value) + 1


def _unquoted(words: str) -> str:
    """Words without the quotation marks around them or around a part of them."""
    return re.sub(QUOTED, lambda found: re.sub(r"\\(.)", r"\1", found[0][1:-1]), words, flags=re.DOTALL)
