"""A letter that came back: whose address it is about, whether it failed for good, and which letter it was.

Most mail servers say so in a form made for machines (RFC 3464), which the standard library reads. Of the odd
forms of others flufl.bounce knows many, but it takes an ordinary mail for one now and then, so it is asked
only about mails that look like one otherwise. What comes in may be anything: nothing here raises or takes
long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from enum import StrEnum

from flufl.bounce import all_failures

from emails.picture.palette import clean_name
from emails.replies import parsed_mail
from emails.replies.headers import END_OF_HEADERS, PARSE_ERRORS, PARSER, parse_headers
from emails.replies.parsed_mail import LARGEST_PARSED, Mail


class DeliveryStatus(StrEnum):
    """What has become of a letter that was sent, the worst first."""

    FAILED = "failed"
    """For good."""
    DELAYED = "delayed"
    """It is tried again, which is no failure yet."""
    DELIVERED = "delivered"


SEVERITY = tuple(DeliveryStatus)
STATUS_OF_ACTION = {
    "failed": DeliveryStatus.FAILED,
    "delayed": DeliveryStatus.DELAYED,
    "delivered": DeliveryStatus.DELIVERED,
    "relayed": DeliveryStatus.DELIVERED,
    "expanded": DeliveryStatus.DELIVERED,
}
"""What the words of a report mean (RFC 3464)."""
STATUS_OF_CLASS = {"2": DeliveryStatus.DELIVERED, "4": DeliveryStatus.DELAYED, "5": DeliveryStatus.FAILED}
"""What the class of a status code means (RFC 3463)."""
MOST_STATUS = 32 * 1024
"""Bytes of the part for machines."""
MOST_BLOCKS = 20
"""Blocks of it: a letter of ours goes to one reader."""
MOST_GUESSED_BYTES = 48 * 1024
"""Bytes of a mail in an odd form that are looked at."""
MOST_GUESSED_LINES, LONGEST_GUESSED = 600, 300
LONGEST_REASON = 200
STATUS_TYPES = ("text/inner-delivery-status", "text/inner-global-delivery-status")
LETTER_TYPES = ("text/inner-rfc822", "text/inner-global", "text/inner-global-headers", "text/rfc822-headers")
"""The parts of a report once its inner mails are taken for words: what became of it, and what came back."""
INNER_MESSAGE = re.compile(rb"\bmessage/", re.IGNORECASE)
ADDRESS = re.compile(r"[^\s<>;,\"]{1,64}@[^\s<>;,\"]{1,255}")
MESSAGE_ID_LINE = re.compile(rb"^[> \t]*Message-ID:\s{0,4}(<[^<>\s]{1,200}>)", re.IGNORECASE | re.MULTILINE)
REPLY_TO_LINE = re.compile(
    rb"^[> \t]*Reply-To:[^\r\n<>]{0,99}?<?([^<>\s]{1,99}@[^<>\s]{1,255})", re.I | re.MULTILINE
)
REASON_LINE = re.compile(rb"^.*(?:\b5\d\d[ -]|[# (]5\.\d{1,3}\.\d{1,3}\b).*$", re.MULTILINE)
"""A line in which a server says why, by its numbers."""
ENHANCED_STATUS_CODE = re.compile(r"(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)")
CODES_OF_NO_MAILBOX = {("1", "1"), ("1", "10"), ("2", "1"), ("2", "2")}
"""There is no such mailbox, or it is closed or full, whatever the words beside such a code."""
CODES_OF_SENDER = {("1", "7"), ("1", "8")}
NAMES = re.compile(r"\S*@\S*|\[[^\]]*\]|[\w-]+(?:\.[\w-]+)+")
"""Addresses and names of machines, which may hold any word."""
WORDS_ABOUT_SENDER = re.compile(
    r"\b(?:ip|spf|dkim|dmarc|ptr|rdns|rbl|rate|too many (?:connections|e?-?mails|messages|recipients))\b"
    r"|spam|unsolicited|block(?:ed|list)|black-?list|reputation|authenti|reverse (?:dns|lookup|name)",
    re.IGNORECASE,
)
"""Words of refusals that are about us, our network or how much we send."""
WORDS_BESIDE_NO_CODE = re.compile(r"relay|block|black|denied|policy|sender|not permitted", re.IGNORECASE)
"""Further words that are not about the mailbox, where no enhanced code says more."""
BASIC_CODE_OF_MAILBOX = re.compile(r"\b55[0-3]\b")


class RefusalCause(StrEnum):
    """Whose fault it is that a letter was refused."""

    MAILBOX = "mailbox"
    """The recipient's: no mailbox takes mail at that address."""
    SENDER = "sender"
    """Ours: our network, our domain, or how much or what we send."""
    UNCLEAR = "unclear"


def judge_refusal(reply: str) -> RefusalCause:
    """Whose fault a refusal is, by the codes and the words of a mail server or of its report.

    The enhanced code decides where it can (RFC 3463): x.1 and x.2 are about the mailbox, x.7 is policy and
    security, and what is put off (4.x) for other reasons than the mailbox or the way there is about us. A
    detail of x.0 says nothing.
    """
    codes = [found for found in ENHANCED_STATUS_CODE.findall(reply) if found[1] != "0"]
    words = NAMES.sub(" ", reply)
    if any(code[1:] in CODES_OF_NO_MAILBOX for code in codes):
        return RefusalCause.MAILBOX
    if (
        WORDS_ABOUT_SENDER.search(words)
        or any(code[1:] in CODES_OF_SENDER or code[1] == "7" for code in codes)
        or any(code[0] == "4" and code[1] not in ("1", "2", "4") for code in codes)
    ):
        return RefusalCause.SENDER
    if codes:
        return RefusalCause.MAILBOX if codes[0][1] in ("1", "2") else RefusalCause.UNCLEAR
    if WORDS_BESIDE_NO_CODE.search(words):
        return RefusalCause.SENDER
    return RefusalCause.MAILBOX if BASIC_CODE_OF_MAILBOX.search(reply) else RefusalCause.UNCLEAR


@dataclass(frozen=True, slots=True)
class BounceReport:
    """What a mail server says of a letter of ours."""

    address: str
    """Whose it was, in small letters; empty where it is not said."""
    fate: DeliveryStatus
    reason: str
    """Its reason, as one line of at most 200 characters that can be shown; may be empty."""
    message_id: str
    """The Message-ID of the letter, where that came back; else empty."""
    reply_to: str
    """Where the letter asked to be answered, where that came back; else empty. Only its readers know it."""


def is_complaint(mail: Mail) -> bool:
    """Whether a mail provider reports that a recipient calls a letter unwanted (RFC 5965)."""
    return "feedback-report" in " ".join(mail.headers.all("content-type")).lower()


def parse_bounce(mail: Mail, suspected: bool) -> BounceReport | None:
    """What a mail says of a letter that came back; None where it does not. Never raises.

    `suspected`: whether screening takes it for a mail that came back, for only then odd forms are looked at.
    """
    raw = mail.raw[:LARGEST_PARSED]
    try:
        return _parse_dsn(raw) or (_guess_bounce(raw) if suspected else None)
    except PARSE_ERRORS:
        return None


def _parse_dsn(raw: bytes) -> BounceReport | None:
    """What a delivery status notification says (RFC 3464)."""
    if parsed_mail.is_costly(raw):
        return None
    whole = PARSER.parsebytes(
        INNER_MESSAGE.sub(b"text/inner-", raw)
    )  # leaves, so that nothing is parsed within them
    if whole.get_content_type() != "multipart/report":
        return None
    leaves = [part for part in whole.walk() if not part.is_multipart()]
    status = next((_bytes(part) for part in leaves if part.get_content_type() in STATUS_TYPES), b"")
    found = [
        made for block in _status_blocks(status[:MOST_STATUS]) if (made := _parse_block(block)) is not None
    ]
    if not found:
        return None
    letter = next((_bytes(part) for part in leaves if part.get_content_type() in LETTER_TYPES), b"")
    brought = parse_headers(letter)
    address, fate, why = min(found, key=lambda one: SEVERITY.index(one[1]))
    return BounceReport(
        address,
        fate,
        why,
        brought.first("message-id")[:320] or _find_in_letter(MESSAGE_ID_LINE, raw),
        _find_address(brought.first("reply-to")) or _find_address(_find_in_letter(REPLY_TO_LINE, raw)),
    )


def _bytes(part: Message[str, str]) -> bytes:
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _status_blocks(status: bytes) -> Iterator[Mapping[str, str]]:
    """The blocks of fields that stand in the part for machines, names in lower case."""
    for block in re.split(rb"\r?\n[ \t]*\r?\n", status.strip())[:MOST_BLOCKS]:
        fields = parse_headers(block.strip() + b"\n\n").fields
        yield {name: values[0] for name, values in fields.items()}


def _parse_block(block: Mapping[str, str]) -> tuple[str, DeliveryStatus, str] | None:
    """Whom a block is about, what became of their letter, and why; None where it is about nobody."""
    given = block.get("original-recipient") or block.get("final-recipient", "")
    status = block.get("status", "").strip()
    fate = _delivery_status(block.get("action", "").partition(" ")[0].strip().lower(), status)
    if fate is None or not (given or "action" in block):
        return None
    kind, _, said = block.get("diagnostic-code", "").partition(";")
    words = said or kind
    if status and status.split()[0] not in words:
        words = f"{status} {words}"
    return _find_address(given), fate, clean_name(words, LONGEST_REASON)


def _delivery_status(action: str, status: str) -> DeliveryStatus | None:
    """What became of a letter: as it is said in so many words, else by the class of the status (RFC 3463)."""
    return STATUS_OF_ACTION.get(action) or STATUS_OF_CLASS.get(status[:1])


def _find_address(text: str) -> str:
    """The address in a field such as `rfc822; ben@example.org`; empty where there is none."""
    found = ADDRESS.search(text)
    return found.group().lower() if found else ""


def _find_in_letter(pattern: re.Pattern[bytes], raw: bytes) -> str:
    """What such a line says of the letter that came back, below the headers of the mail that brings it."""
    end = END_OF_HEADERS.search(raw)
    found = pattern.search(raw[: 2 * MOST_GUESSED_BYTES], end.end()) if end else None
    return found[1].decode("ascii", "replace") if found else ""


def _guess_bounce(raw: bytes) -> BounceReport | None:
    """What flufl.bounce makes of a mail in an odd form: only what it takes for a failure for good counts."""
    lines = raw[:MOST_GUESSED_BYTES].splitlines()[:MOST_GUESSED_LINES]
    short = b"\n".join(line[:LONGEST_GUESSED] for line in lines)
    if parsed_mail.is_costly(short):
        return None
    try:
        _, failed = all_failures(PARSER.parsebytes(short))
    except Exception:  # whatever it stumbles over, nobody can tell from such a mail what came back
        return None
    addresses = sorted({found for one in failed if (found := _find_address(_as_text(one)))})
    if len(addresses) != 1:
        return None  # a letter of ours goes to one reader
    said = REASON_LINE.search(short)
    why = clean_name(said.group().decode("utf-8", "replace"), LONGEST_REASON) if said else ""
    return BounceReport(
        addresses[0],
        DeliveryStatus.FAILED,
        why,
        _find_in_letter(MESSAGE_ID_LINE, raw),
        _find_address(_find_in_letter(REPLY_TO_LINE, raw)),
    )


def _as_text(address: object) -> str:
    return address.decode("ascii", "replace") if isinstance(address, bytes) else str(address)
