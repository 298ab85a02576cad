"""A mail as it came in, parsed once: its envelope, its headers, and its text from any kind of body."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.errors import (
    CloseBoundaryNotFoundDefect,
    InvalidBase64LengthDefect,
    InvalidBase64PaddingDefect,
    MissingHeaderBodySeparatorDefect,
)
from email.message import Message
from enum import StrEnum
from functools import cached_property
from typing import Final

from inscriptis import Inscriptis
from lxml import etree, html

from emails.replies.headers import (
    END_OF_HEADERS,
    MOST_HEADERS,
    PARSE_ERRORS,
    PARSER,
    Headers,
    decode_text,
    fits_charset,
    normalise_line_ends,
    parse_head,
)
from emails.tokens import mask_tokens


def join_flowed_lines(text: str, delsp: bool = False) -> str:
    """Text with its soft line breaks taken out (RFC 3676): a line that ends in a blank goes on in the next.

    Quoted lines keep one `>` for each depth. `delsp`: the blank at a soft break is no part of the words.
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
"""Parts that may hold all the words of a mail, where nobody but their reader's program finds them."""
BASE64_DEFECTS = (InvalidBase64PaddingDefect, InvalidBase64LengthDefect)
"""Known once a part has been decoded."""
_PGP_MESSAGE = re.compile(r"^-----BEGIN PGP MESSAGE-----", re.MULTILINE)
_PGP_SIGNED = re.compile(r"^-----BEGIN PGP SIGNED MESSAGE-----", re.MULTILINE)
_PGP_HEAD = re.compile(r"\s*-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:[A-Za-z]+:.*\n){0,9}[ \t]*\n")


@dataclass(frozen=True, slots=True)
class OpenedText:
    """The words of a mail without what stands around them."""

    words: str
    half_signed: bool
    """Whether a part is signed within itself and another is not: nobody can tell what its writer meant."""
    encrypted: bool
    """Whether they, or a part of them, are encrypted."""
    cut: bool
    """Whether their end is missing."""


def open_text(text: str, whole: Message[str, str], parts: Sequence[Message[str, str]]) -> OpenedText | None:
    """The words of a text that is signed within itself (RFC 9580, 7), or any other text as it is.

    It was decoded from these `parts` of the mail. None where the headers of one of them run into its words.
    """
    if _has_missing_separator(parts):
        return None
    cut = _is_truncated(whole, parts)
    if "-----BEGIN PGP" not in text:
        return OpenedText(text, False, False, cut)
    if "-----BEGIN PGP SIGNED" in text:
        text = "\n".join(text.splitlines())
        if head := _PGP_HEAD.match(text):
            text = re.sub(r"^- ", "", text[head.end() :], flags=re.MULTILINE)
    return OpenedText(text, _PGP_SIGNED.search(text) is not None, _PGP_MESSAGE.search(text) is not None, cut)


def has_encrypted_part(whole: Message[str, str]) -> bool:
    """Whether a mail has a part that may hold its words unreadably."""
    return any(part.get_content_type() in ENCRYPTED_TYPES for part in whole.walk())


def has_unopened_quotation(html: str) -> bool:
    """Whether a page closes a quotation that it never opened: then its beginning is missing."""
    low = html.lower()
    return low.count("</blockquote") > low.count("<blockquote")


def _has_missing_separator(parts: Sequence[Message[str, str]]) -> bool:
    """Whether the headers of one of these parts run into its words, so that some may have gone with them."""
    return any(
        isinstance(defect, MissingHeaderBodySeparatorDefect) for part in parts for defect in part.defects
    )


def _is_truncated(whole: Message[str, str], parts: Sequence[Message[str, str]]) -> bool:
    """Whether the last of these parts is open at the end of the mail, or one is not whole as it is encoded.

    A mail program closes all its parts.
    """
    if any(isinstance(defect, BASE64_DEFECTS) for part in parts for defect in part.defects):
        return True
    last: object = whole
    while isinstance(last, Message) and last.is_multipart():
        inside = last.get_payload()
        last = inside[-1] if isinstance(inside, list) else None
    is_open = any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in whole.defects)
    return is_open and any(part is last for part in parts)


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
    opened = open_text(plain, whole, parts)
    if opened is None:
        return Body("", "", strange=True)
    if opened.words.strip() and not STRUCK_OUT_TAGS.search(html):
        return Body(opened.words, "", opened.half_signed, opened.encrypted, opened.cut)
    sealed = not html.strip() and has_encrypted_part(whole)
    strange = any(map(_is_garbled, pages))  # what tells the quotation from the words may be lost
    return Body("", html, strange, sealed, opened.cut or has_unopened_quotation(html))


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


MOST_HTML = 256 * 1024
MOST_ELEMENTS = 3000
"""The many thousandth paragraph is no reply, and drawing it takes time."""

QUOTED: Final = etree.XPath(
    "//blockquote | //*[@name='quote']"
    " | //*[contains(@class, 'gmail_quote') or contains(@class, 'gmail_extra')"
    " or contains(@class, 'yahoo_quoted') or contains(@class, 'protonmail_quote')"
    " or contains(@class, 'tutanota_quote') or contains(@class, 'zmail_extra')"
    " or contains(@class, 'moz-forward-container') or contains(@class, 'ms-outlook-mobile-reference-message')"
    " or @id='mail-editor-reference-message-container' or @id='OLK_SRC_BODY_SECTION']"
)
"""What holds a quotation and nothing else."""
ATTRIBUTION: Final = etree.XPath(
    "//*[contains(@class, 'gmail_attr') or contains(@class, 'moz-cite-prefix') or @id='reply-intro']"
)
"""What holds the line that names who is quoted."""
SIGNATURE: Final = etree.XPath(
    "//*[contains(@class, 'gmail_signature') or contains(@class, 'moz-signature')"
    " or contains(@class, 'protonmail_signature_block') or @id='Signature'"
    " or @id='ms-outlook-mobile-signature' or @id='AppleMailSignature']"
)
QUOTED_FROM_HERE: Final = etree.XPath(
    "//*[@id='divRplyFwdMsg' or @id='appendonsend' or @id='stopSpelling'"
    " or contains(@class, 'OutlookMessageHeader')]"
    " | //div[contains(@style, 'border-top:solid #E1E1E1') or contains(@style, 'border-top:solid #B5C4DF')]"
)
"""From here on to the end all is quoted: Outlook's ways."""
UNSHOWN: Final = etree.XPath(
    "//head | //script | //style | //title | //comment() | //template | //textarea | //select | //object"
)
STYLED: Final = etree.XPath("//*[@style or @hidden]")
STRUCK: Final = etree.XPath("//s | //strike | //del")
HIDING_STYLE = re.compile(r"display:none|visibility:hidden|font-size:0(?:px|pt|em|%)?(?:;|$)|mso-hide:all")
STRIKING_STYLE = re.compile(r"text-decoration(?:-line)?:[^;]*line-through")

STRUCK_OUT = "~~"
"""Put around words that are struck out: no order has it, so that nobody takes them for one."""
SURROGATE = re.compile("[\x00\ud800-\udfff]")


def extract_text(markup: str) -> tuple[str, str]:
    """The text of a page without what it quotes, and the page whole again as well-formed HTML.

    The second is for another reader, which looks for quotations in its own way. Never raises: what cannot be
    read is empty.
    """
    data = SURROGATE.sub(" ", markup[:MOST_HTML]).encode()
    try:
        page = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8", remove_pis=True))
        _remove_unshown(page)
        well_formed = html.tostring(page, encoding="unicode")
        _remove_quotations(page)
        text: str = Inscriptis(page).get_text()
    except (etree.LxmlError, ValueError, RecursionError, LookupError, AttributeError, TypeError):
        return "", ""
    return text, well_formed


def _remove_unshown(page: html.HtmlElement) -> None:
    for element in _elements(UNSHOWN, page):
        _remove(element)
    for element in _elements(STRUCK, page):
        _strike(element)
    for element in _elements(STYLED, page):
        style = "".join(element.get("style", "").lower().split())
        if element.get("hidden") is not None or HIDING_STYLE.search(style):
            _remove(element)
        elif STRIKING_STYLE.search(style):
            _strike(element)
    elements = list(page.iter())
    for element in reversed(elements[MOST_ELEMENTS:]):
        _remove(element)


def _remove_quotations(page: html.HtmlElement) -> None:
    for element in _elements(QUOTED_FROM_HERE, page):
        _remove_from_here(element, page)
    for element in _elements(SIGNATURE, page):
        _remove(element)
    for kind in (ATTRIBUTION, QUOTED):
        for element in _elements(kind, page):
            _reduce_to_mark(element)


def _elements(wanted: etree.XPath, page: html.HtmlElement) -> Iterator[html.HtmlElement]:
    found = wanted(page)
    if isinstance(found, list):
        yield from (one for one in found if isinstance(one, html.HtmlElement | html.HtmlComment))


def _remove(element: html.HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _strike(element: html.HtmlElement) -> None:
    element.text = f"{STRUCK_OUT}{element.text or ''}"
    element.tail = f"{STRUCK_OUT}{element.tail or ''}"


def _remove_from_here(element: html.HtmlElement, page: html.HtmlElement) -> None:
    """Take out an element and everything that stands after it."""
    here: html.HtmlElement | None = element
    while here is not None and here is not page:
        for later in list(here.itersiblings()):
            _remove(later)
        here.tail = None
        here = here.getparent()
    _reduce_to_mark(element)


def _reduce_to_mark(element: html.HtmlElement) -> None:
    """Leave only a `>` of a quotation."""
    tail = element.tail
    element.clear()
    element.tag = "div"
    element.text = ">"
    element.tail = tail


@dataclass(frozen=True, slots=True)
class MailText:
    """The lines of a mail, its writer's own and what they quote, in one plain form.

    The tokens are masked: what somebody said is kept and passed on, and letters are kept without theirs.
    """

    lines: tuple[str, ...]
    cut: bool
    """Whether lines are missing at the end."""
    page: str
    """The mail as well-formed HTML where it had no text of its own; else empty."""


@dataclass(frozen=True)
class Mail:
    """An incoming mail."""

    raw: bytes
    envelope_from: str
    """From MAIL FROM; empty or `<>` for none."""
    headers: Headers
    body: Body
    envelope_to: str = ""
    """From RCPT TO."""

    @cached_property
    def text(self) -> MailText:
        """Its lines: most mails are screened and never read further, so they are not looked at before."""
        words, page = (self.body.text, "") if self.body.text else extract_text(self.body.html)
        return MailText(*cap_lines(mask_tokens(words)), mask_tokens(page))


def parse_mail(raw: bytes, envelope_from: str = "", envelope_to: str = "") -> Mail:
    """A mail from its bytes, or from its beginning where it is very large; never raises."""
    headers, head = parse_head(raw)
    return Mail(raw, envelope_from, headers, extract_body(raw, head), envelope_to)


class AddressEnd(StrEnum):
    """Why mail to an address of a game is not read any more."""

    FINISHED = "finished"
    """Its game is over."""
    CALLED_OFF = "called off"
    """Its game was called off."""
    SILENT = "silent"
    """Too long after the letter that is answered, nothing has come from the seat or gone to it."""


@dataclass(frozen=True, slots=True)
class MailFacts:
    """What the server knows of a mail and its headers do not tell."""

    own: bool = False
    """Its Message-ID is that of a letter of ours."""
    unknown: bool = False
    """The address it came to carries no ticket of ours."""
    double: bool = False
    """The same mail was taken in before."""
    too_many: bool = False
    """It is not the player's, and as many answers went to them within the hour as others may cause."""
    stranger: bool = False
    """Its writer's address is not the one on file, and the house asks for that."""
    expired: bool = False
    """It answers a letter about a position that has passed."""
    withdrawn: bool = False
    """The address it came to is of a letter whose links were made new since."""
    set_back: bool = False
    """It answers a letter about an act that is not in the log any more, since a backup was restored."""
    end: AddressEnd | None = None
    """Why its address has ended; None where it has not."""
    unproven: bool = False
    """The operator's mail server does not show that its writer's address is theirs."""
    told_before: bool = False
    """Its address has ended, and the player on file was told so not long ago."""
    refusal: bool = False
    """It answers a letter that refused a mail."""
