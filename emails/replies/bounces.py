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
from typing import Literal

from flufl.bounce import all_failures

from emails.picture.palette import plain_name
from emails.replies import bodies
from emails.replies.bodies import LARGEST
from emails.replies.headers import END_OF_HEADERS, FAILURES, PARSER, headers

Fate = Literal["failed", "delayed", "delivered"]
"""failed: for good. delayed: it is tried again, which is no failure yet. delivered: it has arrived."""

MOST_STATUS = 32 * 1024
"""Bytes of the part for machines."""
MOST_BLOCKS = 20
"""Blocks of it: a letter of ours goes to one reader."""
MOST_GUESSED = 48 * 1024
"""Bytes of a mail in an odd form that are looked at."""
MOST_GUESSED_LINES, LONGEST_GUESSED = 600, 300
LONGEST_WHY = 200
STATUS = ("text/inner-delivery-status", "text/inner-global-delivery-status")
LETTER = ("text/inner-rfc822", "text/inner-global", "text/inner-global-headers", "text/rfc822-headers")
"""The parts of a report once its inner mails are taken for words: what became of it, and what came back."""
INNER = re.compile(rb"\bmessage/", re.IGNORECASE)
ADDRESS = re.compile(r"[^\s<>;,\"]{1,64}@[^\s<>;,\"]{1,255}")
NAMED = re.compile(rb"^[> \t]*Message-ID:\s{0,4}(<[^<>\s]{1,200}>)", re.IGNORECASE | re.MULTILINE)
ANSWERED = re.compile(
    rb"^[> \t]*Reply-To:[^\r\n<>]{0,99}?<?([^<>\s]{1,99}@[^<>\s]{1,255})", re.I | re.MULTILINE
)
REASON = re.compile(rb"^.*(?:\b5\d\d[ -]|[# (]5\.\d{1,3}\.\d{1,3}\b).*$", re.MULTILINE)
"""A line in which a server says why, by its numbers."""


@dataclass(frozen=True, slots=True)
class Return:
    """What a mail server says of a letter of ours."""

    address: str
    """Whose it was, in small letters; empty where it is not said."""
    fate: Fate
    why: str
    """Its reason, as one line of at most 200 characters that can be shown; may be empty."""
    message_id: str
    """The Message-ID of the letter, where that came back; else empty."""
    reply_to: str
    """Where the letter asked to be answered, where that came back; else empty. Only its readers know it."""


def returned(raw: bytes, suspected: bool) -> Return | None:
    """What a mail says of a letter that came back; None where it does not. Never raises.

    `suspected`: whether screening takes it for a mail that came back, for only then odd forms are looked at.
    """
    raw = raw[:LARGEST]
    try:
        return _report(raw) or (_guessed(raw) if suspected else None)
    except FAILURES:
        return None


def _report(raw: bytes) -> Return | None:
    """What a delivery status notification says (RFC 3464)."""
    if bodies.costly(raw):
        return None
    whole = PARSER.parsebytes(INNER.sub(b"text/inner-", raw))  # leaves, so that nothing is parsed within them
    if whole.get_content_type() != "multipart/report":
        return None
    leaves = [part for part in whole.walk() if not part.is_multipart()]
    status = next((_bytes(part) for part in leaves if part.get_content_type() in STATUS), b"")
    found = [made for block in _blocks(status[:MOST_STATUS]) if (made := _judged(block)) is not None]
    if not found:
        return None
    letter = next((_bytes(part) for part in leaves if part.get_content_type() in LETTER), b"")
    brought = headers(letter)
    address, fate, why = min(found, key=lambda one: ("failed", "delayed", "delivered").index(one[1]))
    return Return(
        address,
        fate,
        why,
        brought.first("message-id")[:320] or _first(NAMED, raw),
        _address(brought.first("reply-to")) or _address(_first(ANSWERED, raw)),
    )


def _bytes(part: Message[str, str]) -> bytes:
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _blocks(status: bytes) -> Iterator[Mapping[str, str]]:
    """The blocks of fields that stand in the part for machines, names in lower case."""
    for block in re.split(rb"\r?\n[ \t]*\r?\n", status.strip())[:MOST_BLOCKS]:
        yield dict(reversed(headers(block.strip() + b"\n\n").fields))


def _judged(block: Mapping[str, str]) -> tuple[str, Fate, str] | None:
    """Whom a block is about, what became of his letter, and why; None where it is about nobody."""
    given = block.get("original-recipient") or block.get("final-recipient", "")
    status = block.get("status", "").strip()
    fate = _fate(block.get("action", "").partition(" ")[0].strip().lower(), status)
    if fate is None or not (given or "action" in block):
        return None
    kind, _, said = block.get("diagnostic-code", "").partition(";")
    words = said or kind
    if status and status.split()[0] not in words:
        words = f"{status} {words}"
    return _address(given), fate, plain_name(words, LONGEST_WHY)


def _fate(action: str, status: str) -> Fate | None:
    """What became of a letter: as it is said in so many words, else by the class of the status (RFC 3463)."""
    if action in ("failed", "delayed"):
        return "failed" if action == "failed" else "delayed"
    if action in ("delivered", "relayed", "expanded"):
        return "delivered"
    by_class: dict[str, Fate] = {"2": "delivered", "4": "delayed", "5": "failed"}
    return by_class.get(status[:1])


def _address(text: str) -> str:
    """The address in a field such as `rfc822; ben@example.org`; empty where there is none."""
    found = ADDRESS.search(text)
    return found.group().lower() if found else ""


def _first(pattern: re.Pattern[bytes], raw: bytes) -> str:
    """What such a line says of the letter that came back, below the headers of the mail that brings it."""
    end = END_OF_HEADERS.search(raw)
    found = pattern.search(raw[: 2 * MOST_GUESSED], end.end()) if end else None
    return found[1].decode("ascii", "replace") if found else ""


def _guessed(raw: bytes) -> Return | None:
    """What flufl.bounce makes of a mail in an odd form: only what it takes for a failure for good counts."""
    lines = raw[:MOST_GUESSED].splitlines()[:MOST_GUESSED_LINES]
    short = b"\n".join(line[:LONGEST_GUESSED] for line in lines)
    if bodies.costly(short):
        return None
    try:
        _, failed = all_failures(PARSER.parsebytes(short))
    except Exception:  # whatever it stumbles over, nobody can tell from such a mail what came back
        return None
    addresses = sorted({found for one in failed if (found := _address(_words(one)))})
    if len(addresses) != 1:
        return None  # a letter of ours goes to one reader
    said = REASON.search(short)
    why = plain_name(said.group().decode("utf-8", "replace"), LONGEST_WHY) if said else ""
    return Return(addresses[0], "failed", why, _first(NAMED, raw), _address(_first(ANSWERED, raw)))


def _words(address: object) -> str:
    return address.decode("ascii", "replace") if isinstance(address, bytes) else str(address)
