"""Bounces: which letter of ours came back, to which address, and whether delivery failed for good.

Most mail servers send a delivery status notification (RFC 3464). flufl.bounce knows many other forms but
sometimes takes an ordinary mail for a bounce, so it is used only on mails that look like one. Nothing here
raises or takes long.
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
    """The status of a sent letter, the worst first."""

    FAILED = "failed"
    DELAYED = "delayed"
    DELIVERED = "delivered"


SEVERITY = tuple(DeliveryStatus)
STATUS_OF_ACTION = {
    "failed": DeliveryStatus.FAILED,
    "delayed": DeliveryStatus.DELAYED,
    "delivered": DeliveryStatus.DELIVERED,
    "relayed": DeliveryStatus.DELIVERED,
    "expanded": DeliveryStatus.DELIVERED,
}
"""The status for each action of a report (RFC 3464)."""
STATUS_OF_CLASS = {"2": DeliveryStatus.DELIVERED, "4": DeliveryStatus.DELAYED, "5": DeliveryStatus.FAILED}
"""The status for each class of status codes (RFC 3463)."""
MOST_STATUS = 32 * 1024
MOST_BLOCKS = 20
"""Blocks of the machine-readable part that are read; a letter of ours has one recipient."""
MOST_GUESSED_BYTES = 48 * 1024
MOST_GUESSED_LINES, LONGEST_GUESSED = 600, 300
LONGEST_REASON = 200
STATUS_TYPES = ("text/inner-delivery-status", "text/inner-global-delivery-status")
LETTER_TYPES = ("text/inner-rfc822", "text/inner-global", "text/inner-global-headers", "text/rfc822-headers")
"""Content types of the returned letter in a report, after `INNER_MESSAGE` has been replaced."""
INNER_MESSAGE = re.compile(rb"\bmessage/", re.IGNORECASE)
ADDRESS = re.compile(r"[^\s<>;,\"]{1,64}@[^\s<>;,\"]{1,255}")
MESSAGE_ID_LINE = re.compile(rb"^[> \t]*Message-ID:\s{0,4}(<[^<>\s]{1,200}>)", re.IGNORECASE | re.MULTILINE)
REPLY_TO_LINE = re.compile(
    rb"^[> \t]*Reply-To:[^\r\n<>]{0,99}?<?([^<>\s]{1,99}@[^<>\s]{1,255})", re.I | re.MULTILINE
)
REASON_LINE = re.compile(rb"^.*(?:\b5\d\d[ -]|[# (]5\.\d{1,3}\.\d{1,3}\b).*$", re.MULTILINE)
ENHANCED_STATUS_CODE = re.compile(r"(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)")
CODES_OF_NO_MAILBOX = {("1", "1"), ("1", "10"), ("2", "1"), ("2", "2")}
"""Details of codes that mean: there is no such mailbox, or it is closed or full."""
CODES_OF_SENDER = {("1", "7"), ("1", "8")}
NAMES = re.compile(r"\S*@\S*|\[[^\]]*\]|[\w-]+(?:\.[\w-]+)+")
WORDS_ABOUT_SENDER = re.compile(
    r"\b(?:ip|spf|dkim|dmarc|ptr|rdns|rbl|rate|too many (?:connections|e?-?mails|messages|recipients))\b"
    r"|spam|unsolicited|block(?:ed|list)|black-?list|reputation|authenti|reverse (?:dns|lookup|name)",
    re.IGNORECASE,
)
WORDS_BESIDE_NO_CODE = re.compile(r"relay|block|black|denied|policy|sender|not permitted", re.IGNORECASE)
"""More words about the sender; they count only if there is no enhanced status code."""
BASIC_CODE_OF_MAILBOX = re.compile(r"\b55[0-3]\b")


class RefusalCause(StrEnum):
    MAILBOX = "mailbox"
    SENDER = "sender"
    """The sender: our network, our domain, or what and how much we send."""
    UNCLEAR = "unclear"


def judge_refusal(reply: str) -> RefusalCause:
    """Return who caused a refusal, by the status codes and the words of a mail server.

    The enhanced code decides if it can (RFC 3463): x.1 and x.2 are about the mailbox, x.7 is policy and
    security. A temporary error (4.x) about anything but the mailbox or the route is about the sender. The
    detail of x.0 is ignored.
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
    address: str
    """The recipient of the letter, in lower case; empty if unknown."""
    fate: DeliveryStatus
    reason: str
    """One line of at most 200 characters without control characters; may be empty."""
    message_id: str
    """The Message-ID of the letter; empty if the letter was not returned."""
    reply_to: str
    """The Reply-To of the letter, which only its recipients know; empty if the letter was not returned."""


def is_complaint(mail: Mail) -> bool:
    """Whether a mail provider reports that a recipient marked a letter as spam (RFC 5965)."""
    return "feedback-report" in " ".join(mail.headers.all("content-type")).lower()


def parse_bounce(mail: Mail, suspected: bool) -> BounceReport | None:
    """Return the report that a mail brings; None for other mails. Never raises.

    `suspected`: screening classified the mail as a bounce, so reports in other forms are looked for too.
    """
    raw = mail.raw[:LARGEST_PARSED]
    try:
        return _parse_dsn(raw) or (_guess_bounce(raw) if suspected else None)
    except PARSE_ERRORS:
        return None


def _parse_dsn(raw: bytes) -> BounceReport | None:
    if parsed_mail.is_costly(raw):
        return None
    whole = PARSER.parsebytes(
        INNER_MESSAGE.sub(b"text/inner-", raw)
    )  # so that the parser does not parse inner messages
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
    for block in re.split(rb"\r?\n[ \t]*\r?\n", status.strip())[:MOST_BLOCKS]:
        fields = parse_headers(block.strip() + b"\n\n").fields
        yield {name: values[0] for name, values in fields.items()}


def _parse_block(block: Mapping[str, str]) -> tuple[str, DeliveryStatus, str] | None:
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
    return STATUS_OF_ACTION.get(action) or STATUS_OF_CLASS.get(status[:1])


def _find_address(text: str) -> str:
    found = ADDRESS.search(text)
    return found.group().lower() if found else ""


def _find_in_letter(pattern: re.Pattern[bytes], raw: bytes) -> str:
    """Return the first match below the headers of the bounce, where the returned letter is; empty if none."""
    end = END_OF_HEADERS.search(raw)
    found = pattern.search(raw[: 2 * MOST_GUESSED_BYTES], end.end()) if end else None
    return found[1].decode("ascii", "replace") if found else ""


def _guess_bounce(raw: bytes) -> BounceReport | None:
    """Let flufl.bounce read a mail; only permanent failures count."""
    lines = raw[:MOST_GUESSED_BYTES].splitlines()[:MOST_GUESSED_LINES]
    short = b"\n".join(line[:LONGEST_GUESSED] for line in lines)
    if parsed_mail.is_costly(short):
        return None
    try:
        _, failed = all_failures(PARSER.parsebytes(short))
    except Exception:  # flufl.bounce fails on some mails
        return None
    addresses = sorted({found for one in failed if (found := _find_address(_as_text(one)))})
    if len(addresses) != 1:
        return None  # a letter of ours has one recipient
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
