"""What stands around the words of a mail: signatures, encryption, and the boundaries of its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.errors import (
    CloseBoundaryNotFoundDefect,
    InvalidBase64LengthDefect,
    InvalidBase64PaddingDefect,
    MissingHeaderBodySeparatorDefect,
)
from email.message import Message

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
