"""Headers of a mail, as they are written and as they are read, and the people whom they name."""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import getaddresses, parseaddr

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
