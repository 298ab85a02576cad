"""The text of a mail, as far as anybody could mean it as a reply.

A mail comes from outside and may be anything. Nothing here raises, and nothing here takes long: every size is
capped before it is looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message

from emails.replies import security_multiparts
from emails.replies.charsets import decode_text, fits_charset
from emails.replies.format_flowed import join_flowed_lines
from emails.replies.headers import (
    END_OF_HEADERS,
    MOST_HEADERS,
    PARSE_ERRORS,
    PARSER,
    normalise_line_ends,
)

LARGEST_PARSED = 256 * 1024
"""Bytes of a mail that are read. The words stand before the pictures; the rest is for nobody."""
MOST_PARTS = 400
MOST_RAW_LINES = 20_000
"""Lines of a raw mail; the parser reads each once per level of parts. A long mail has 4,000."""
DEEPEST_NESTING = 10
MOST_OF_A_PART = 64 * 1024
MOST_LINES = 200
LONGEST_LINE = 700
"""Characters: what players say to one another may stand in one line."""
MOST_TEXT = 12_000


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a mail, and the HTML it was taken from where it had no text of its own."""

    text: str
    html: str
    strange: bool = False
    """Built in a way no mail program builds, and therefore not read."""
    encrypted: bool = False
    """Encrypted, or packed in a form of one company, so that it has no words to read."""
    cut: bool = False
    """Its end is missing, and perhaps some of its words with it."""
    by_program: bool = False
    """One of its parts is of a kind that only programs send."""


def extract_body(raw: bytes, head: Message[str, str]) -> Body:
    """What a mail says, of which `head` are the headers; never raises. Its text is not capped yet."""
    raw = normalise_line_ends(raw[:LARGEST_PARSED])
    if _is_unreadable(raw):
        return Body("", "", strange=True)
    try:
        whole = _parse_parts(raw, head)
        parts = list(_text_parts(whole))
    except PARSE_ERRORS:
        return Body("", "", strange=True)
    if any(map(_is_by_program, parts)):
        return Body("", "", by_program=True)
    plain = "\n\n".join(_plain_text(part) for part in parts if part.get_content_type() == "text/plain")
    pages = [part for part in parts if part.get_content_type() == "text/html"]
    html = "\n".join(map(_decode_part, pages))
    if not HTML_TAGS.search(html):
        plain, html = (plain if plain.strip() else html), ""
    opened = security_multiparts.open_text(plain, whole, parts)
    if opened is None:
        return Body("", "", strange=True)
    if opened.words.strip() and not STRUCK_OUT_TAGS.search(html):
        return Body(opened.words, "", opened.half_signed, opened.encrypted, opened.cut)
    sealed = not html.strip() and security_multiparts.has_encrypted_part(whole)
    strange = any(map(_is_garbled, pages))  # what tells the quotation from the words may be lost
    return Body("", html, strange, sealed, opened.cut or security_multiparts.has_unopened_quotation(html))


def _parse_parts(raw: bytes, head: Message[str, str]) -> Message[str, str]:
    """The mail; the lines of one that has a single part are not looked at one by one, as the parser does."""
    end = END_OF_HEADERS.search(raw)
    if end and head.get_content_maintype() not in ("multipart", "message") and not head.defects:
        head.set_payload(raw[end.end() :].decode("ascii", "surrogateescape"))
        return head
    return PARSER.parsebytes(raw)


def _is_by_program(part: Message[str, str]) -> bool:
    """Whether a part is a reaction by one tap, or the answer of a calendar (RFC 5546, 3.2.3)."""
    kind = part.get_content_type()
    return kind.endswith("email-reaction+json") or (
        kind == "text/calendar" and _parameter(part, "method") == "reply"
    )


HTML_TAGS = re.compile(
    r"<(?:!doctype|a|b|blockquote|body|br|div|font|html|i|li|meta|p|pre|span|td)\b", re.IGNORECASE
)
"""Without any it is plain text that bears another name."""
STRUCK_OUT_TAGS = re.compile(r"<(?:s|strike|del)[\s>]|line-through", re.IGNORECASE)
"""Words that are struck out are so in HTML only; the plain text beside it has them like all others."""


def _is_unreadable(raw: bytes) -> bool:
    """Whether it is no reply, or parsing would take long."""
    if b"message/delivery-status" in raw.lower():  # a block of headers for each address, and no reply
        return True
    return is_costly(raw)


def is_costly(raw: bytes) -> bool:
    """Whether parsing a mail would take long: parts within parts, or parts without end."""
    low = raw.lower()
    nested = low.count(b"multipart/") + low.count(b"message/")
    end = re.search(rb"\r?\n\r?\n", raw)
    ahead = end.start() if end else len(raw)
    return (
        nested > DEEPEST_NESTING
        or raw.count(b"\n--") > MOST_PARTS
        or raw.count(b"\n") > MOST_RAW_LINES
        or ahead > MOST_HEADERS
    )


def _text_parts(message: Message[str, str]) -> Iterator[Message[str, str]]:
    """The parts of a mail that show words, in order; files, pictures and mails within it left out."""
    ahead = [message]
    while ahead:
        part = ahead.pop()
        if part.is_multipart():
            inside = part.get_payload()
            if isinstance(inside, list) and part.get_content_maintype() != "message":
                ahead += [one for one in reversed(inside) if isinstance(one, Message)]
        elif part.get_content_maintype() == "text" and not _is_file(part):
            yield part


def _is_file(part: Message[str, str]) -> bool:
    return part.get_content_disposition() == "attachment" or part.get_filename() is not None


def _plain_text(part: Message[str, str]) -> str:
    text = _decode_part(part)
    if _parameter(part, "format") == "flowed":
        return join_flowed_lines(text, _parameter(part, "delsp") == "yes")
    return text


def _parameter(part: Message[str, str], name: str) -> str:
    value = part.get_param(name, "")
    return value.lower() if isinstance(value, str) else ""


def _decode_part(part: Message[str, str]) -> str:
    """The words of a part."""
    data, charset = _part_bytes(part)
    return decode_text(data, charset, len(data) == MOST_OF_A_PART)


def _is_garbled(part: Message[str, str]) -> bool:
    """Whether its bytes are not in the charset that it names: its tags too may not be as they were."""
    data, charset = _part_bytes(part)
    return not fits_charset(data, charset, len(data) == MOST_OF_A_PART)


BASE64_LINE = re.compile(r"[A-Za-z0-9+/=]+")


def _repair_encoding(part: Message[str, str]) -> None:
    """Undo what gateways do to a part: blanks behind the name of its encoding, plain lines under base64."""
    encoding = part.get("content-transfer-encoding", "").strip().lower()
    if encoding:
        part.replace_header("content-transfer-encoding", encoding)
    payload = part.get_payload() if encoding == "base64" else None
    if isinstance(payload, str):
        encoded, _, below = payload.partition("\n\n")
        if not BASE64_LINE.fullmatch(below.lstrip().partition("\n")[0].rstrip()):
            part.set_payload(encoded)


def _part_bytes(part: Message[str, str]) -> tuple[bytes, str]:
    """The bytes of a part as far as they are read, and the charset they are said to be in."""
    try:
        _repair_encoding(part)
        found = part.get_payload(decode=True)
        charset = part.get_content_charset("utf-8")
    except PARSE_ERRORS:
        return b"", "utf-8"
    return found[:MOST_OF_A_PART] if isinstance(found, bytes) else b"", charset


INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
"""Control, zero-width and bidirectional characters: what is shown may not differ from what is read."""
DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
"""Phones turn hyphens into dashes by themselves."""
LONGEST_INITIALS = 12
INITIALS = re.compile(r"[A-Z]\w{0,9}>(?= |>|$)")
"""Some programs begin a quoted line with the initials or the name of its writer, others with a bar."""
CUT_MARK = "…"
"""Ends a line that was cut; no command has it, so what is missing is never overlooked."""


def cap_lines(text: str) -> tuple[tuple[str, ...], bool]:
    """The lines of a text in one plain form, and whether lines are missing at the end.

    Of several blank lines one is kept, of many quoted ones the first and the last.
    """
    lines: list[str] = []
    size = quoted = 0
    last = ""
    whole = text[: 5 * MOST_TEXT]
    for line in whole.splitlines():
        if quoted > 1 and line.startswith(">"):  # of a letter hundreds: only the last is looked at
            last = line
            continue
        short = _clean_line(line[: 2 * LONGEST_LINE])
        if not short and (not lines or not lines[-1]):
            continue
        quoted = quoted + 1 if short.startswith(">") else 0
        if quoted > 2:
            last = line
            continue
        if last:
            lines[-1], last = _clean_line(last[: 2 * LONGEST_LINE]), ""
        if len(lines) == MOST_LINES or size + len(short) > MOST_TEXT:
            return tuple(lines), True
        lines.append(short)
        size += len(short) + 1
    return tuple(lines), len(text) > len(whole)


def _clean_line(line: str) -> str:
    if line.isascii() and line.isprintable():  # as most lines are: nothing hides in it
        plain = line
    else:
        plain = unicodedata.normalize("NFKC", INVISIBLE.sub("", line)).translate(DASHES)
    short = " ".join(plain.split())
    if short[:1] == "|":
        short = f">{short[1:]}"
    elif ">" in short[1:LONGEST_INITIALS] and (named := INITIALS.match(short)):
        short = f">{short[named.end() :]}"
    if len(short) > LONGEST_LINE or len(line) == 2 * LONGEST_LINE:
        return short[: LONGEST_LINE - 1] + CUT_MARK
    return short
