"""An incoming mail, parsed once: its envelope, its decoded headers, and the text of any kind of body."""

from __future__ import annotations

import codecs
import re
import unicodedata
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.errors import (
    CloseBoundaryNotFoundDefect,
    InvalidBase64LengthDefect,
    InvalidBase64PaddingDefect,
    MessageError,
    MissingHeaderBodySeparatorDefect,
)
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import getaddresses
from functools import cached_property

from inscriptis import Inscriptis
from lxml import etree, html

from emails.replies.quotations import MarkedLine, split_at_quotation, without_quotation_marks
from emails.tokens import mask_tokens

# --- headers --------------------------------------------------------------------------------------------

ALLOWED_CHARSETS = re.compile(
    r"utf|ascii|iso|cp\d|koi8|gb|big5|euc|shift|mac|hz|tis|johab|kz|ptcp", re.IGNORECASE
)
"""Charsets that may be decoded; others, such as punycode, can take quadratic time."""


UNSTORABLE = re.compile("[\ud800-\udfff]")
"""Lone surrogates: UTF-7 can produce them, and no database stores them."""


def make_storable(text: str) -> str:
    """Replace lone surrogates and remove zero bytes, which databases refuse."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text).replace("\0", "")


def decode_text(data: bytes, charset: str) -> tuple[str, bool]:
    """Decode bytes as storable text, by this charset, else by UTF-8, else by Windows-1252; never raises.

    Also returns False for bytes that are valid in neither of the first two.
    """
    for name in (charset.removesuffix("-i"), "utf-8"):  # "-i" marks Hebrew in implicit order
        with suppress(LookupError, ValueError):
            known = codecs.lookup(name).name
            if known == "iso8859-1":  # programs that declare Latin-1 send Windows-1252
                known = "cp1252"
            if ALLOWED_CHARSETS.match(known):
                return make_storable(data.decode(known)), True
    return make_storable(data.decode("cp1252", "replace")), False


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
END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
PARSER: BytesParser[Message[str, str]] = BytesParser(policy=_CappedPolicy())


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a mail in order, with names in lower case."""

    written: tuple[tuple[str, str], ...]
    """Headers as received, with MIME-encoded words still encoded."""
    fields: Mapping[str, Sequence[str]]
    author: str = ""
    """The address in From, in lower case; empty unless there is one From with one address.

    RFC 5322, section 3.6, allows one From; with two, different programs would show different authors.
    """

    def all(self, name: str) -> Sequence[str]:
        return self.fields.get(name.lower(), ())

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")

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
        fields = defaultdict[str, list[str]](list)
        for name, value in written:
            fields[name].append(decode_words(value))
        writers = [_parse_people(value) for name, value in written if name == "from"]
        return Headers(written, fields, _find_address(writers[0]) if len(writers) == 1 else "")
    except PARSE_ERRORS:
        return Headers((), {})


def _find_address(people: Sequence[tuple[str, str]]) -> str:
    """Return the only address, in lower case; empty if there are several, or an empty one beside it."""
    named = {address.lower() for _, address in people if "@" in address or not address}
    address = named.pop() if len(named) == 1 else ""
    return address if MAILBOX.fullmatch(address) else ""


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
                words += decode_text(piece, charset)[0]
            else:
                words += make_storable(piece.decode("raw_unicode_escape", "replace"))
    except PARSE_ERRORS:
        words = value
    return " ".join(words.split())


# --- the body -------------------------------------------------------------------------------------------


def join_flowed_lines(text: str, delsp: bool = False) -> str:
    """Join lines of format=flowed text (RFC 3676) at soft breaks, which are blanks at line ends.

    Quoted lines keep one `>` per level of quotation. `delsp`: the blank at a soft break is not part of the
    text.
    """
    done: list[str] = []
    depth, open_line = -1, False
    for line in text.splitlines():
        bare = line.lstrip(">")
        marks = len(line) - len(bare)
        bare = bare.removeprefix(" ")
        soft = bare.endswith(" ") and bare != "-- "
        words = bare[:-1] if soft and delsp else bare
        if open_line and marks == depth and bare != "-- " and len(done[-1]) < 2000:
            done[-1] += words
        else:
            done.append(f"{'>' * marks} {words}" if marks else words)
        depth, open_line = marks, soft
    return "\n".join(done)


ENCRYPTED_TYPES = frozenset(
    """application/pkcs7-mime application/x-pkcs7-mime application/pgp-encrypted application/ms-tnef
    multipart/encrypted""".split()
)
BASE64_DEFECTS = (InvalidBase64PaddingDefect, InvalidBase64LengthDefect)
_PGP_MESSAGE = re.compile(r"^-----BEGIN PGP (?:SIGNED )?MESSAGE-----", re.MULTILINE)
"""Matches the beginning of an encrypted message, or of a signed one below other words."""
_PGP_HEAD = re.compile(r"\s*-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:[A-Za-z]+:.*\n){0,9}[ \t]*\n")


def _is_truncated(whole: Message[str, str], parts: Sequence[Message[str, str]]) -> bool:
    """True if the last part is unclosed at the end of the mail, or the encoding of a part is incomplete."""
    *_, last = whole.walk()
    is_open = any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in whole.defects)
    is_partial = any(isinstance(defect, BASE64_DEFECTS) for part in parts for defect in part.defects)
    return is_partial or (is_open and any(part is last for part in parts))


LARGEST_PARSED = 256 * 1024
"""Maximum size that is parsed, in bytes; the text of a mail precedes its pictures."""
MOST_PARTS = 400
MOST_RAW_LINES = 20_000
"""Maximum number of raw lines, which the parser reads once per level of parts; a long mail has 4,000."""
DEEPEST_NESTING = 10
MOST_OF_A_PART = 64 * 1024
MOST_LINES = 200
LONGEST_LINE = 700
"""Maximum length of a line in characters; a chat message can be a single line."""
MOST_TEXT = 12_000


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a mail and its HTML, one of which may be empty."""

    text: str = ""
    html: str = ""
    strange: bool = False
    """True for a structure that no mail program produces; such a mail is not read."""
    encrypted: bool = False
    """True for an encrypted mail or one in a proprietary format, without readable words."""
    cut: bool = False
    """True if the end is missing."""
    by_program: bool = False
    damaged: bool = False
    """True if the HTML has invalid bytes or lacks the beginning of a quotation, so that it may be misread."""


def _choose_text(plain: str, html: str, garbled: bool, whole: Message[str, str], cut: bool) -> Body:
    if not HTML_TAGS.search(html):
        plain, html = (plain if plain.strip() else html), ""
    if "-----BEGIN PGP SIGNED" in plain:
        plain = "\n".join(plain.splitlines())
        if head := _PGP_HEAD.match(plain):  # of a cleartext-signed message (RFC 9580, section 7)
            plain = re.sub(r"^- ", "", plain[head.end() :], flags=re.MULTILINE)
    low = html.lower()
    damaged = garbled or low.count("</blockquote") > low.count("<blockquote")
    if plain.strip() and not STRUCK_OUT_TAGS.search(html):
        sealed = _PGP_MESSAGE.search(plain) is not None
        return Body(plain, html, encrypted=sealed, cut=cut, damaged=damaged)
    sealed = not html.strip() and any(part.get_content_type() in ENCRYPTED_TYPES for part in whole.walk())
    return Body("", html, encrypted=sealed, cut=cut, damaged=damaged)


SIGNED_DATA, PLAIN_DATA = (bytes.fromhex(f"06092a864886f70d01070{kind}") for kind in (2, 1))
"""Object identifiers in DER of the types of content in S/MIME (RFC 5652)."""
OCTETS, CONSTRUCTED_OCTETS, EXPLICIT = 0x04, 0x24, 0xA0
LONG_FORM = 0x80
"""In BER (X.690), the first byte of a length below this value is the length, others count its bytes."""


def _find_signed_content(message: Message[str, str]) -> bytes:
    """Return the mail inside an opaque S/MIME signature (RFC 8551), which no key hides; empty if none."""
    if not message.get_content_type().endswith("pkcs7-mime"):
        return b""
    content = b""
    with suppress(*PARSE_ERRORS):
        found = message.get_payload(decode=True)
        payload = found if isinstance(found, bytes) else b""
        at = payload.index(PLAIN_DATA, payload.index(SIGNED_DATA)) + len(PLAIN_DATA)
        while (kind := payload[at]) in (OCTETS, CONSTRUCTED_OCTETS, EXPLICIT):
            length, at = payload[at + 1], at + 2
            if length >= LONG_FORM:
                start, at = at, at + length - LONG_FORM
                length = int.from_bytes(payload[start:at], "big")
            if kind == OCTETS:
                content += payload[at : at + length]
                at += length
    return content


HTML_TAGS = re.compile(
    r"<(?:!doctype|a|b|blockquote|body|br|div|font|html|i|li|meta|p|pre|span|td)\b", re.IGNORECASE
)
"""HTML tags; text without any of these is plain text in a mislabelled part."""
STRUCK_OUT_TAGS = re.compile(r"<(?:s|strike|del)[\s>]|line-through", re.IGNORECASE)
"""Tags of struck out words, which the plain text part does not mark."""


def is_costly(raw: bytes) -> bool:
    low = raw.lower()
    return (
        low.count(b"multipart/") + low.count(b"message/") > DEEPEST_NESTING
        or raw.count(b"\n--") > MOST_PARTS
        or raw.count(b"\n") > MOST_RAW_LINES
        or len(END_OF_HEADERS.split(raw, 1)[0]) > MOST_HEADERS
    )


def _text_parts(part: Message[str, str]) -> Iterator[Message[str, str]]:
    if part.is_multipart():
        inside = part.get_payload() if part.get_content_maintype() == "multipart" else ()
        for one in inside:
            yield from _text_parts(one) if isinstance(one, Message) else ()
    elif part.get_content_maintype() == "text":
        is_file = part.get_content_disposition() == "attachment" or part.get_filename() is not None
        if not is_file:
            yield part


def _parameter(part: Message[str, str], name: str) -> str:
    value = part.get_param(name, "")
    return value.lower() if isinstance(value, str) else ""


SHORTEST_BASE64 = 16
"""Length from which any word may be a line of base64; the words of footers are shorter."""
BASE64_LINES = re.compile(r"(?:[A-Za-z0-9+/]*+[ \t]*+\r?\n)*+(?:[A-Za-z0-9+/]++={0,2}[ \t]*+(?:\r?\n|$))?")
BASE64_WORD = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def _cut_footer(payload: str) -> str | None:
    """Return base64 without the plain lines that a gateway appended; None for several texts or none."""
    found = BASE64_LINES.match(payload)
    ends = found.end() if found else 0
    for word in payload[ends:].split():
        whole = BASE64_WORD.fullmatch(word) is not None and len(word) % 4 == 0
        if whole and (word.endswith("=") or len(word) >= SHORTEST_BASE64 or b64decode(word).isascii()):
            return None
    return payload[:ends] or None


def _decode_part(part: Message[str, str]) -> tuple[str, bool]:
    """Return the text of a part, and whether its bytes are valid in its charset or UTF-8."""
    data, charset = b"", "utf-8"
    with suppress(*PARSE_ERRORS):
        # Undo damage by gateways: signs after the encoding name, plain lines appended to base64.
        encoding = re.split(r"[\s;(]", part.get("content-transfer-encoding", "").strip().lower())[0]
        if encoding:
            part.replace_header("content-transfer-encoding", encoding)
        payload = part.get_payload() if encoding == "base64" else None
        if isinstance(payload, str):
            encoded = _cut_footer(payload.strip())
            if encoded is None:  # decoding would lose words
                part.replace_header("content-transfer-encoding", "8bit")
                part.defects.append(InvalidBase64LengthDefect())
            else:
                part.set_payload(encoded)
        found = part.get_payload(decode=True)
        data = found if isinstance(found, bytes) else b""
        charset = part.get_content_charset("utf-8")
    if len(data) > MOST_OF_A_PART:  # a cut at a line end is not within a character
        data = data[: data.rfind(b"\n", 0, MOST_OF_A_PART) + 1] or data[:MOST_OF_A_PART]
    text, is_valid = decode_text(data, charset)
    if part.get_content_type() == "text/plain" and _parameter(part, "format") == "flowed":
        text = join_flowed_lines(text, _parameter(part, "delsp") == "yes")
    return text, is_valid


INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
"""Control, zero-width and bidirectional characters, removed so that people and parser see equal text."""
DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
"""Converts dashes back to hyphens; phones replace hyphens by dashes."""
OTHER_QUOTE = re.compile(r"^(?:\||[A-Z]\w{0,9}>(?= |>|$))")
"""Matches the start of a quoted line with a bar or with the initials of its writer."""
CUT_MARK = "…"
"""Ends a line that was cut; no command contains it, so a cut command is never executed."""


def cap_lines(text: str) -> tuple[tuple[str, ...], bool]:
    """Normalise and limit the lines of a text; also returns whether lines are missing at the end.

    Several blank lines in a row become one. Quoted lines do not count: a letter has hundreds of lines.
    """
    lines: list[str] = []
    count = size = 0
    whole = text[: 5 * MOST_TEXT]
    for line in whole.splitlines():
        short = _clean_line(line[: 2 * LONGEST_LINE])
        if not short and (not lines or not lines[-1]):
            continue
        if not short.startswith(">"):
            count, size = count + 1, size + len(short) + 1
        if count > MOST_LINES or size > MOST_TEXT:
            return tuple(lines), True
        lines.append(short)
    return tuple(lines), len(text) > len(whole)


def _clean_line(line: str) -> str:
    if line.isascii() and line.isprintable():  # most lines; they contain no invisible characters
        plain = line
    else:
        plain = unicodedata.normalize("NFKC", INVISIBLE.sub("", line)).translate(DASHES)
    short = OTHER_QUOTE.sub(">", " ".join(plain.split()))
    if len(short) > LONGEST_LINE or len(line) == 2 * LONGEST_LINE:
        return short[: LONGEST_LINE - 1] + CUT_MARK
    return short


MOST_HTML = 256 * 1024
MOST_ELEMENTS = 3000


# Mail programs name elements for their own use, in attributes.
NAMING_ATTRIBUTES = ("class", "id", "name")
QUOTED_NAMES = (
    *("quote", "forward-container", "reference-message", "olk_src"),
    *("gmail_attr", "cite-prefix", "reply-intro"),  # lines of attribution
)
QUOTED_FROM_HERE = ("divrplyfwd", "appendonsend", "stopspelling", "outlookmessageheader")
"""Names of elements of Outlook after which all text is quoted."""
OUTLOOK_RULE = "border-top:solid#"
SIGNATURE_NAME = "signature"
UNSHOWN_TAGS = frozenset("head script style title template textarea select object".split())
STRUCK_TAGS = frozenset(("s", "strike", "del"))
HIDING_STYLE = re.compile(r"display:none|visibility:hidden|font-size:0(?:px|pt|em|%)?(?:;|$)|mso-hide:all")
STRIKING_STYLE = re.compile(r"text-decoration(?:-line)?:[^;]*line-through")

STRUCK_OUT = "~~"
"""Encloses struck out words; no order contains it, so the words are never read as an order."""


def extract_text(markup: str) -> str:
    """Return the text of HTML without its quotations; never raises: unreadable markup gives no text."""
    try:
        data = markup[:MOST_HTML].encode()
        page = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8", remove_pis=True))
        elements = list(page.iter())
        for element in reversed(elements[MOST_ELEMENTS:]):
            _remove(element)
        for element in elements[:MOST_ELEMENTS]:
            _clean(element, page)
        text: str = Inscriptis(page).get_text()
    except (etree.LxmlError, ValueError, RecursionError, LookupError, AttributeError, TypeError):
        return ""
    return text


def _clean(element: html.HtmlElement, page: html.HtmlElement) -> None:
    """Remove an element that is not shown or a signature, and mark one that is struck out or quoted."""
    names = " ".join(element.get(name) or "" for name in NAMING_ATTRIBUTES).lower()
    style = "".join((element.get("style") or "").lower().split())
    is_hidden = element.get("hidden") is not None or HIDING_STYLE.search(style)
    if not isinstance(element.tag, str) or element.tag in UNSHOWN_TAGS or is_hidden:
        _remove(element)
    elif any(name in names for name in QUOTED_FROM_HERE) or (element.tag == "div" and OUTLOOK_RULE in style):
        _remove_from_here(element, page)
    elif SIGNATURE_NAME in names and element.tag != "br":
        _remove(element)
    elif element.tag == "blockquote" or any(name in names for name in QUOTED_NAMES):
        _reduce_to_mark(element)
    elif element.tag in STRUCK_TAGS or STRIKING_STYLE.search(style):
        element.text = f"{STRUCK_OUT}{element.text or ''}"
        element.tail = f"{STRUCK_OUT}{element.tail or ''}"


def _remove(element: html.HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _remove_from_here(element: html.HtmlElement, page: html.HtmlElement) -> None:
    for here in [element, *element.iterancestors()]:
        if here is page:
            break
        for later in list(here.itersiblings()):
            _remove(later)
        here.tail = None
    _reduce_to_mark(element)


def _reduce_to_mark(element: html.HtmlElement) -> None:
    element.clear(keep_tail=True)
    element.tag, element.text = "div", ">"


@dataclass(frozen=True, slots=True)
class MailText:
    """The normalised lines of a mail and its quotations; secret tokens in links and addresses are masked."""

    lines: tuple[str, ...]
    own: Sequence[str]
    """The writer's lines above a quotation."""
    quoted: Sequence[MarkedLine]
    """The lines from the first sign of a quotation on."""
    cut: bool


@dataclass(frozen=True)
class Mail:
    """A mail with its envelope. Its parts are parsed once, on demand; this never raises."""

    raw: bytes
    """The mail, or the beginning of a very large one."""
    envelope_from: str = ""
    """The address in MAIL FROM; empty or `<>` for none."""
    envelope_to: str = ""
    """The address in RCPT TO."""

    @cached_property
    def headers(self) -> Headers:
        return parse_headers(self.raw)

    @cached_property
    def body(self) -> Body:
        raw = normalise_line_ends(self.raw[:LARGEST_PARSED])
        if b"message/delivery-status" in raw.lower() or is_costly(raw):  # a delivery report
            return Body(strange=True)
        try:
            whole = PARSER.parsebytes(raw)
            signed = _find_signed_content(whole)
            if signed and not is_costly(signed):
                whole = PARSER.parsebytes(normalise_line_ends(signed))
            parts = list(_text_parts(whole))
        except PARSE_ERRORS:
            return Body(strange=True)
        texts: dict[str, list[str]] = {"text/plain": [], "text/html": []}
        garbled = False
        for part in parts:
            kind = part.get_content_type()
            calendar = kind == "text/calendar" and _parameter(part, "method") == "reply"
            if calendar or kind.endswith("email-reaction+json"):
                return Body(by_program=True)
            if kind in texts:
                text, is_valid = _decode_part(part)
                texts[kind].append(text)
                garbled = garbled or (kind == "text/html" and not is_valid)
        defects = [defect for part in parts for defect in part.defects]
        if any(isinstance(defect, MissingHeaderBodySeparatorDefect) for defect in defects):
            return Body(strange=True)  # headers run into the text, so words may be lost
        plain, html = "\n\n".join(texts["text/plain"]), "\n".join(texts["text/html"])
        return _choose_text(plain, html, garbled, whole, _is_truncated(whole, parts))

    @cached_property
    def text(self) -> MailText:
        return _split_text(self.body.text) if self.body.text else self.html

    @cached_property
    def html(self) -> MailText:
        """The lines of the HTML."""
        return _split_text(extract_text(self.body.html))


def _split_text(words: str) -> MailText:
    lines, cut = cap_lines(mask_tokens(words))
    own, quoted = split_at_quotation(lines)
    return MailText(lines, without_quotation_marks(own), quoted, cut)
