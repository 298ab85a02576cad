"""Headers of a mail: decoded text, people, and the proof of the author in Authentication-Results (RFC 8601).

Any sender can write an Authentication-Results header. Only headers with the authserv-id of the operator's
mail server count, because that server removes such headers from mails that come from outside (section 5).
Two results for a mail, or a result about a domain other than the author's, prove nothing. This module
parses the header itself, because the existing library has not changed since 2019.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import getaddresses
from enum import StrEnum

ALLOWED_CHARSETS = re.compile(
    r"utf|ascii|iso|cp\d|koi8|gb|big5|euc|shift|mac|hz|tis|johab|kz|ptcp", re.IGNORECASE
)
"""Charsets that may be decoded; others, such as punycode, can take quadratic time."""


UNSTORABLE = re.compile("[\ud800-\udfff]")
"""Lone surrogates: UTF-7 can produce them, and no database stores them."""


def make_storable(text: str) -> str:
    """Replace lone surrogates and remove zero bytes, which databases refuse."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text).replace("\0", "")


def decode_text(data: bytes, charset: str, cut: bool = False) -> str:
    """Decode bytes as storable text, by this charset, else by UTF-8, else by Windows-1252; never raises.

    `cut`: the bytes may end inside a character, so the last line is dropped.
    """
    found = try_decode(data, charset, cut)
    return make_storable(data.decode("cp1252", "replace") if found is None else found)


def try_decode(data: bytes, charset: str, cut: bool = False) -> str | None:
    """Decode bytes by this charset, else by UTF-8; None if they are valid in neither."""
    tries = (data, data[: data.rfind(b"\n") + 1]) if cut else (data,)
    for name in (charset.removesuffix("-i"), "utf-8"):  # "-i" marks Hebrew in implicit order
        for whole in tries:
            with suppress(LookupError, ValueError):
                known = codecs.lookup(name).name
                if known == "iso8859-1":  # programs that declare Latin-1 send Windows-1252
                    known = "cp1252"
                if ALLOWED_CHARSETS.match(known):
                    return whole.decode(known)
    return None


MOST_HEADERS = 64 * 1024
LONGEST_HEADER = 2000

PARSE_ERRORS = (ValueError, LookupError, RecursionError, MessageError)


class _CappedPolicy(Compat32):
    """A policy for parsing any bytes as a mail, with a limit on the length of each header.

    Without the limit the standard library would parse parameter lists in quadratic time.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST_HEADER]

    def header_fetch_parse(self, name: str, value: str) -> str:
        data = value.encode("utf-8", "surrogateescape")
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data.decode("latin-1")


MAILBOX = re.compile(r"[^\s<>@\"(),:;]+@[^\s<>@\"(),:;]+")
EMPTY_ADDRESS = re.compile(r"<\s*>")
END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
PARSER: BytesParser[Message[str, str]] = BytesParser(policy=_CappedPolicy())


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a mail in order, with names in lower case."""

    written: tuple[tuple[str, str], ...]
    """Headers as received, with MIME-encoded words still encoded."""
    fields: Mapping[str, tuple[str, ...]]
    author: str = ""
    """The address in From, in lower case; empty unless there is one From with one address.

    RFC 5322, section 3.6, allows one From; with two, different programs would show different authors.
    """
    parsed: Message[str, str] = field(default_factory=Message, compare=False, repr=False)

    def all(self, name: str) -> tuple[str, ...]:
        return self.fields.get(name.lower(), ())

    def first(self, name: str) -> str:
        return next(iter(self.fields.get(name.lower(), ())), "")

    def people(self, *names: str) -> tuple[tuple[str, str], ...]:
        """Return name and address of all people in these headers; a name can be empty.

        An encoded word is one name, even with punctuation: `=?utf-8?Q?R=C3=B8d=2C_Anna?=` is one person.
        """
        values = [value for name in names for key, value in self.written if key == name.lower()]
        return tuple(person for value in values for person in _parse_people(value))


def parse_headers(raw: bytes) -> Headers:
    """Parse the headers of a mail; never raises."""
    try:
        head = END_OF_HEADERS.split(normalise_line_ends(raw[:MOST_HEADERS]), 1)[0]
        message = PARSER.parsebytes(head + b"\n\n", headersonly=True)
        # A zero byte stays visible, so that no name of a server with one reads as another name.
        shown = ((name, value.replace("\0", "\N{REPLACEMENT CHARACTER}")) for name, value in message.items())
        written = tuple((name.lower(), make_storable(value)) for name, value in shown)
        fields: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in written:
            fields[name].append(decode_words(value))
        author, writers = "", [value for name, value in written if name == "from"]
        if len(writers) == 1 and not EMPTY_ADDRESS.search(writers[0]):
            named = {address.lower() for _, address in _parse_people(writers[0]) if "@" in address}
            author = named.pop() if len(named) == 1 else ""
        read = {name: tuple(values) for name, values in fields.items()}
        return Headers(written, read, author if MAILBOX.fullmatch(author) else "", message)
    except PARSE_ERRORS:
        return Headers((), {})


def _parse_people(value: str) -> list[tuple[str, str]]:
    try:
        found = getaddresses([value])
        if "=?" in value and not any("@" in address for _, address in found):
            found = getaddresses([decode_words(value)])  # some programs encode the address too
    except PARSE_ERRORS:
        return []
    return [(decode_words(name), address) for name, address in found]


def normalise_line_ends(raw: bytes) -> bytes:
    """Convert all line ends to line feeds if they are mixed.

    In quoted-printable text, the standard library would lose words from a soft break to the next line feed.
    """
    if raw.count(b"\r") == raw.count(b"\r\n"):
        return raw
    return raw.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def decode_words(value: str) -> str:
    """Decode the MIME-encoded words of a header; returns the value unchanged if that fails."""
    if "=?" not in value:
        return " ".join(value.split())
    words = ""
    try:
        for piece, charset in decode_header(value):
            if isinstance(piece, str):
                words += piece
            elif charset:
                words += decode_text(piece, charset)
            else:
                words += make_storable(piece.decode("raw_unicode_escape", "replace"))
    except PARSE_ERRORS:
        words = value
    return " ".join(words.split())


AUTHENTICATION_RESULTS = "authentication-results"
DMARC = "dmarc"


class DmarcResult(StrEnum):
    PASS = "pass"
    NONE = "none"
    FAIL = "fail"
    TEMPERROR = "temperror"
    PERMERROR = "permerror"
    MISSING = "missing"
    """No header of the operator's mail server has a DMARC result."""
    CONTRADICTORY = "contradictory"
    """There are several results, or one for another domain."""
    UNREADABLE = "unreadable"
    """A header of the operator's mail server is malformed, or its DMARC result is an unknown word."""

    @property
    def is_proof_lacking(self) -> bool:
        return self not in (DmarcResult.PASS, DmarcResult.NONE)


# The results that a mail server reports (RFC 7489, section 11.2).
DMARC_RESULTS = {one.value: one for one in list(DmarcResult)[:5]}


def read_dmarc_result(headers: Headers, authserv: str) -> DmarcResult:
    """Return the DMARC result for the author, from the headers with this authserv-id."""
    judged = []
    for value in own_values(headers, authserv):
        (head, *parts), whole = _split(value)
        found = AUTHSERV.fullmatch(head)
        if not whole or found is None or found["version"] not in ("", "1"):
            return DmarcResult.UNREADABLE
        for part in parts:
            pairs = _read_pairs(part)
            if pairs and pairs[0][0] == DMARC:
                judged.append(pairs)
            elif not pairs and DMARC in part.lower():
                return DmarcResult.UNREADABLE
    if not judged:
        return DmarcResult.MISSING
    (_, result), *properties = judged[0]
    author = f".{_ascii(headers.author)}"
    # A result about a parent domain, or without a domain, is accepted.
    named = (_ascii(value) for name, value in properties if name == "header.from")
    if len(judged) > 1 or not all(author.endswith(f".{domain}") for domain in named):
        return DmarcResult.CONTRADICTORY
    return DMARC_RESULTS.get(result.lower(), DmarcResult.UNREADABLE)


def own_values(headers: Headers, authserv: str) -> list[str]:
    values = (value for name, value in headers.written if name == AUTHENTICATION_RESULTS)
    named = ((value, AUTHSERV.match(_split(value)[0][0])) for value in values)
    return [value for value, found in named if found and _unquoted(found["id"]).lower() == authserv.lower()]


def _ascii(domain: str) -> str:
    domain = domain.rpartition("@")[2].lower().rstrip(".")
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


# --- the grammar of RFC 8601, section 2.2 -----------------------------------------------------------------


QUOTED_STRING = r'"(?:[^"\\]|\\.)*"'
UNCOMMENTED = re.compile(rf"{QUOTED_STRING}|[^\"(;]+|;", re.DOTALL)
AUTHSERV = re.compile(rf"\s*(?P<id>{QUOTED_STRING}|[^\s;]+)\s*(?P<version>\S*)\s*", re.DOTALL)
PAIR_NAME = r"[\w-]+(?:\s*\.\s*[\w-]+)?"
PAIR = re.compile(
    rf"\s*(?P<name>{PAIR_NAME})\s*(?:/\s*\d+\s*)?=\s*(?P<value>(?:{QUOTED_STRING}|[^\s\"])+)",
    re.DOTALL | re.ASCII,
)
"""A method and its result, or a property and its value, which can be partly quoted: "a b"@example.org."""


def _read_pairs(part: str) -> list[tuple[str, str]]:
    """Parse a method with its result, and properties, such as "dmarc=pass"; empty for other text."""
    at, pairs = 0, []
    while found := PAIR.match(part, at):
        pairs.append(("".join(found["name"].lower().split()), _unquoted(found["value"])))
        at = found.end()
    return [] if part[at:].strip() else pairs


def _split(value: str) -> tuple[list[str], bool]:
    parts, at = [""], 0
    while at < len(value):
        if value[at] == "(":
            parts[-1] += " "
            at = _end_of_comment(value, at)
            continue
        found = UNCOMMENTED.match(value, at)
        if found is None:
            return parts, False
        at = found.end()
        if found[0] == ";":
            parts.append("")
        else:
            parts[-1] += found[0]
    return parts, at == len(value)


def _end_of_comment(value: str, at: int) -> int:
    """Return the index after a comment, which can nest (RFC 5322, 3.2.2); len(value) + 1 if unclosed."""
    depth = 0
    while at < len(value):
        sign = value[at]
        at += 2 if sign == "\\" else 1
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at
    return len(value) + 1


def _unquoted(words: str) -> str:
    return re.sub(
        QUOTED_STRING, lambda found: re.sub(r"\\(.)", r"\1", found[0][1:-1]), words, flags=re.DOTALL
    )
