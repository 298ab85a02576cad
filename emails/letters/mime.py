"""A letter as a mail: the parts in their envelope, with every header that a mail of ours carries.

The plain text comes first, then the HTML with its pictures. Ids follow from the game and the act, so that
one letter sent twice is one mail to its reader, and all mails of a game are one thread. A mail about no game,
such as the one that asks whether an address is its reader's, stands in no thread, belongs to no list and has
no way out of one: it is the only one of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256

from emails.keys import encode_base32
from emails.letter_markers import OWN_HEADER
from emails.letters.renderer import Letter
from emails.letters.transfer_encoding import encode_base64, encode_text, encoded_size
from emails.names import plain_name
from emails.picture.png import MAX_BYTES, cached_png

LONGEST_LOCAL_PART = 32
"""Characters of an id before its @: with a domain of 25 the whole id has 60."""
MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,120}@[!-;=?A-~]{1,120}>")
"""What we repeat of a received id: signs that RFC 5322, section 3.6.4, can mean, and not too many."""

MOST_REFERENCES = 10
"""Mails that one refers to, beside the root of their thread."""
MOST_REFERENCES_LENGTH = 900
"""Characters of all their ids, which stand in one line."""
FEEDBACK_SENDER = "alexandros"
"""Who sends, in a Feedback-ID: 5 to 15 letters, the same in each."""
MOST_MAIL_BYTES = 150_000
"""Of a whole mail: what goes through every gate."""
MOST_HEADER_BYTES = 4_000
"""Bytes of these that all headers together have at most, those of the parts too."""
LEAST_OF_PICTURE = 20_000
"""Bytes of a PNG that no words take away from it."""
LONGEST_LINE = 998
"""Bytes of a line (RFC 5322, section 2.1.1)."""
HEADER_POLICY = SMTP.clone(max_line_length=76)
"""For what is not ASCII: an encoded word has at most 75 characters (RFC 2047, section 2)."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands around a letter."""

    sender: str
    """The header From: an address, or a name and an address."""
    bounce: str
    """The sender of the envelope, where a mail that cannot be delivered is reported; may be empty."""
    recipient: str
    """The address to which it goes."""
    reply_to: str | None
    """The address of its answers, with their ticket; None where there is nothing to answer."""
    message_id: str
    """As `message_id` makes it."""
    root: str
    """The id of the game's thread, as `make_thread_id` makes it; empty for no game."""
    answers: str | None
    """The Message-ID of the mail that it answers, as it was received."""
    list_id: str
    """A name for the mails of this game that looks like a domain, such as aaaaaaaa.example.org; or empty."""
    unsubscribe: tuple[str, ...]
    """Links, a page and a mail, by which its reader wants no more of them (RFC 2369).

    Every mail about a game has them, invitations too; one about no game has none.
    """
    replied: bool
    """Whether it answers a mail, rather than being written by itself (RFC 3834, section 5)."""
    date: datetime
    """With its time zone."""
    earlier: tuple[str, ...] = ()
    """The ids of mails of the game that went to the same reader before, the oldest first."""


def make_message_id(game: str, seq: int, seat: int, kind: str, domain: str, era: bytes = b"") -> str:
    """The id of one kind of letter to one seat about one act: 60 characters at most if `domain` has 25.

    With the era of the act it is another id than that of a letter about an act that was lost: programs that
    drop doubles must not take the one for the other.
    """
    local = f"{game}.{seq}.{seat}.{kind}" + (f".{encode_base32(era)}" if era else "")
    if len(local) > LONGEST_LOCAL_PART:
        local = f"{game}.{sha256(local.encode()).hexdigest()[:23]}"
    return f"<{local}@{domain}>"


def make_thread_id(game: str, domain: str) -> str:
    """The id that all mails of a game refer to; no mail bears it."""
    return f"<{game}@{domain}>"


def compose_mail(letter: Letter, envelope: Envelope, pngs: Mapping[str, bytes] | None) -> bytes:
    """The mail, with lines ended by CR LF and of 998 bytes at most; the same letter gives the same bytes.

    `pngs` are the letter's pictures by their names; None leaves out the HTML with all its pictures. Raises
    `ValueError` where a header would not stay one header.
    """
    head = b"".join(_header(name, value) for name, value in _mail_headers(letter, envelope))
    head += b"MIME-Version: 1.0\r\n"
    text = _text_part("plain", letter.text)
    if pngs is None:
        return head + text.removesuffix(b"\r\n")
    html = _text_part("html", letter.html)
    if pngs:
        pictures = (_picture_part(name, png) for name, png in pngs.items())
        html = _multipart("related", _boundary(envelope, "r"), html, *pictures, more=';\r\n type="text/html"')
    return head + _multipart("alternative", _boundary(envelope, "a"), text, html)


def draw_pictures(letter: Letter) -> dict[str, bytes]:
    """The pictures of a letter as PNG, by their names: of so many bytes that its mail is not too large.

    A board is the first, and has what the words and the other pictures leave.
    """
    room = MOST_MAIL_BYTES - MOST_HEADER_BYTES - encoded_size(letter.text) - encoded_size(letter.html)
    made: dict[str, bytes] = {}
    for picture in reversed(letter.pictures):
        most = room * 57 // 78 // 1000 * 1000  # 57 bytes are a line of 76 characters
        made[picture.name] = cached_png(picture.svg, max(LEAST_OF_PICTURE, min(MAX_BYTES, most)))
        room -= len(encode_base64(made[picture.name]))
    return {picture.name: made[picture.name] for picture in letter.pictures}


def _mail_headers(letter: Letter, envelope: Envelope) -> list[tuple[str, str]]:
    """The headers of the whole mail, in their order."""
    found = [("From", envelope.sender), ("To", envelope.recipient)]
    if envelope.reply_to is not None:
        found.append(("Reply-To", envelope.reply_to))
    return [
        *found,
        ("Subject", letter.subject.replace("=?", "= ?")),  # a name must not pass for an encoded word
        ("Date", format_datetime(envelope.date)),
        ("Message-ID", envelope.message_id),
        *_thread_headers(envelope),
        *_list_headers(envelope),
        ("Auto-Submitted", "auto-replied" if envelope.replied else "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),  # what Microsoft's programs look at
        (OWN_HEADER, letter.kind),
        (
            "Feedback-ID",
            f"{letter.kind}:{FEEDBACK_SENDER}",
        ),  # by which providers count what is complained about
    ]


def _thread_headers(envelope: Envelope) -> list[tuple[str, str]]:
    """What the mail belongs to: the game, the last mails of it, and the one that it answers."""
    answers = _valid_message_id(envelope.answers)
    last = dict.fromkeys([*envelope.earlier, *([answers] if answers else [])])
    found = [*([envelope.root] if envelope.root else []), *[*last][-MOST_REFERENCES:]]
    if not found:
        return []
    while len(" ".join(found)) > MOST_REFERENCES_LENGTH and len(found) > 2:
        del found[1]  # the ids of a house with a long name: its root and the last stay
    return [("In-Reply-To", answers or found[0]), ("References", " ".join(found))]


def _list_headers(envelope: Envelope) -> list[tuple[str, str]]:
    """The list that the mails of one game are, and the ways out of it."""
    found = [("List-Id", f"<{envelope.list_id}>")] if envelope.list_id else []
    if envelope.unsubscribe:
        found.append(("List-Unsubscribe", ", ".join(f"<{link}>" for link in envelope.unsubscribe)))
        if envelope.unsubscribe[0].startswith("https:"):
            found.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))  # RFC 8058
    return found


def _valid_message_id(answers: str | None) -> str | None:
    """An id that a stranger sent, if it is one."""
    found = MESSAGE_ID.fullmatch(answers.strip()) if answers else None
    return found.group() if found else None


def _header(name: str, value: str) -> bytes:
    """One header: as it is, so that no id and no address is folded, unless words in it are not ASCII."""
    line = f"{name}: {value}\r\n"
    if not plain_name(value).isprintable() or len(line) > LONGEST_LINE:
        raise ValueError(f"{name} is not one line")
    return (
        line.encode()
        if value.isascii()
        else HEADER_POLICY.fold_binary(*HEADER_POLICY.header_store_parse(name, value))
    )


# --- parts ----------------------------------------------------------------------------------------------
# Written out, since email.generator takes several times as long over a mail of a hundred kilobytes.


def _multipart(kind: str, boundary: str, *parts: bytes, more: str = "") -> bytes:
    """A part made of parts."""
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"{more}\r\n\r\n'
    between = f"--{boundary}\r\n"
    return (
        head.encode() + b"".join(between.encode() + part for part in parts) + f"--{boundary}--\r\n".encode()
    )


def _text_part(kind: str, text: str) -> bytes:
    """Words in a coding in which no link makes a line too long."""
    name, lines = encode_text(text)
    head = f'Content-Type: text/{kind}; charset="utf-8"\r\nContent-Transfer-Encoding: {name}\r\n\r\n'
    return head.encode() + lines


def _picture_part(name: str, png: bytes) -> bytes:
    head = (
        "Content-Type: image/png\r\n"
        "Content-Transfer-Encoding: base64\r\n"
        f'Content-Disposition: inline; filename="{name}.png"\r\n'
        f"Content-ID: <{name}>\r\n"
        "\r\n"
    )
    return head.encode() + encode_base64(png)


def _boundary(envelope: Envelope, which: str) -> str:
    """What parts the parts: = and _ never stand together within one (RFC 2045, sections 6.7 and 6.8)."""
    return f"=_{which}_{sha256(envelope.message_id.encode()).hexdigest()[:24]}"
