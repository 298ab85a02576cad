"""A mail as it came in, parsed once: its envelope, its headers, and the text that it shows.

Screening, bounces and the readers of what it says all take this value, and nobody else looks at its bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from emails.links import mask_tokens
from emails.replies.bodies import Body, cap_lines, extract_body
from emails.replies.headers import Headers, parse_head
from emails.replies.html_bodies import extract_text


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
