"""Headers of a mail: their words, the people they name, and what Authentication-Results prove (RFC 8601).

Anybody can write an Authentication-Results header. Only headers with the authserv-id of the operator's own
server count, because that server removes those which arrive from outside (section 5). Two results, or one
about another domain, prove nothing. The grammar is read here because the library for it has not changed since
2019.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import getaddresses, parseaddr
from enum import StrEnum

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


MOST_HEADERS = 64 * 1024
LONGEST_HEADER = 2000

PARSE_ERRORS = (ValueError, LookupError, RecursionError, MessageError)
"""What the standard library raises on damaged mails."""


class _CappedPolicy(Compat32):
    """Reads any bytes as a mail, and no header further than anybody needs it.

    The standard library looks through a parameter list in quadratic time.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """One header: its name, and its value cut short."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST_HEADER]

    def header_fetch_parse(self, name: str, value: str) -> str:
        """The value as words; bytes that stand there unencoded are read as UTF-8, else as Latin-1."""
        data = value.encode("utf-8", "surrogateescape")
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data.decode("latin-1")


MAILBOX = re.compile(r"[^\s<>@\"(),:;]+@[^\s<>@\"(),:;]+")
"""An address as mail programs write it; a quoted local part stands in no address of a player."""
EMPTY_ADDRESS = re.compile(r"<\s*>")
"""An address that is none, beside which another might be overlooked."""
END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
PARSER: BytesParser[Message[str, str]] = BytesParser(policy=_CappedPolicy())


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a mail, names in lower case, in the order they stand."""

    written: tuple[tuple[str, str], ...]
    """As they came, with MIME-encoded words as they are."""
    fields: Mapping[str, tuple[str, ...]]
    """The values of each name to be read: in one line each, their words decoded."""
    author: str = ""
    """The address in From, in lower case; empty unless there is one such header and one address in it."""
    writer: tuple[str, str] = ("", "")
    """The name and the address in the first From: good enough to know their own signature by."""

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a header, none when it is absent."""
        return self.fields.get(name.lower(), ())

    def first(self, name: str) -> str:
        """The first value of a header; empty when it is absent."""
        return next(iter(self.fields.get(name.lower(), ())), "")

    def people(self, *names: str) -> tuple[tuple[str, str], ...]:
        """Everybody whom these headers name: the name, which may be empty, and the address.

        What is encoded is a name, whatever signs stand in it: `=?utf-8?Q?R=C3=B8d=2C_Anna?=` is one person.
        """
        values = [value for name in names for key, value in self.written if key == name.lower()]
        return tuple(person for value in values for person in _parse_people(value))


def parse_headers(raw: bytes) -> Headers:
    """The headers of a mail; never raises."""
    return parse_head(raw)[0]


def parse_head(raw: bytes) -> tuple[Headers, Message[str, str]]:
    """The headers of a mail, and the mail as far as its headers go; never raises."""
    try:
        head = END_OF_HEADERS.split(normalise_line_ends(raw[:MOST_HEADERS]), 1)[0]
        message = PARSER.parsebytes(head + b"\n\n", headersonly=True)
        written = tuple((name.lower(), _storable(value)) for name, value in message.items())
        fields: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in written:
            fields[name].append(decode_words(value))
        author = _find_author([value for name, value in written if name == "from"])
        writer = _find_writer(fields["from"][0]) if "from" in fields else ("", "")
        read = {name: tuple(values) for name, values in fields.items()}
        return Headers(written, read, author, writer), message
    except PARSE_ERRORS:
        return Headers((), {}), Message()


def _storable(value: str) -> str:
    """A value as any database takes it, as most are that came."""
    return value if value.isprintable() else make_storable(value)


def _find_author(writers: list[str]) -> str:
    """The address that these headers name; empty unless there is one of them and one address in it.

    RFC 5322, section 3.6, allows one From; with two, each reader would believe another one.
    """
    if len(writers) != 1 or EMPTY_ADDRESS.search(writers[0]):
        return ""
    named = {address.lower() for _, address in _parse_people(writers[0]) if "@" in address}
    address = named.pop() if len(named) == 1 else ""
    return address if MAILBOX.fullmatch(address) else ""


def _find_writer(value: str) -> tuple[str, str]:
    """The name and the address in a From; empty where it cannot be read."""
    try:
        return parseaddr(value)
    except PARSE_ERRORS:
        return "", ""


def _parse_people(value: str) -> list[tuple[str, str]]:
    try:
        found = getaddresses([value])
        if "=?" in value and not any("@" in address for _, address in found):  # some encode the address too
            found = getaddresses([decode_words(value)])
    except PARSE_ERRORS:
        return []
    return [(decode_words(name), address) for name, address in found]


def normalise_line_ends(raw: bytes) -> bytes:
    """The same with lines that end in one way, whatever stood there.

    The standard library loses the words between a soft break and the next line feed.
    """
    if raw.count(b"\r") == raw.count(b"\r\n"):
        return raw
    return raw.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def decode_words(value: str) -> str:
    """A header's words, MIME-encoded ones read; as it stands where that fails."""
    if "=?" not in value:
        return " ".join(value.split())
    try:
        pieces = [_decode_piece(piece, charset) for piece, charset in decode_header(value)]
    except PARSE_ERRORS:
        pieces = [value]
    return " ".join("".join(pieces).split())


def _decode_piece(piece: str | bytes, charset: str | None) -> str:
    if isinstance(piece, str):
        return piece
    return (
        decode_text(piece, charset)
        if charset
        else make_storable(piece.decode("raw_unicode_escape", "replace"))
    )


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
