"""Screening of incoming mail by one table: the first rule that matches decides what is done with a mail.

Rules without an answer come first, so that two machines cannot write to each other forever: a mail that is
both too large and automatic is automatic. What only the server can know is passed in as `MailFacts`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from emails.i18n import gettext, gettext_noop
from emails.languages.supported_languages import LANGUAGES
from emails.languages.vocabularies import ProgramWords, join_programs
from emails.replies.headers import Headers
from emails.replies.parsed_mail import Mail
from emails.tokens import OWN_HEADER

LARGEST_MAIL = 2_000_000
"""Bytes of a mail that is read; a reply that quotes a letter with its picture has a tenth of that."""
LARGEST_ACCEPTED = 2 * LARGEST_MAIL
"""Bytes of a mail that is accepted, so that the player learns that it is too large to be read."""


@dataclass(frozen=True, slots=True)
class MailFacts:
    """What the server knows of a mail beyond its headers."""

    own: bool = False
    """The Message-ID is that of a letter of ours."""
    unknown: bool = False
    """The recipient address has no valid ticket."""
    double: bool = False
    too_many: bool = False
    """The mail is not from the player, who has been sent the hourly maximum of answers to strangers."""
    stranger: bool = False
    """The author is not the address on file, and the server requires it."""
    expired: bool = False
    """The mail answers a letter about a past position."""
    withdrawn: bool = False
    """The links of the answered letter were replaced since."""
    set_back: bool = False
    """The mail answers a letter about an act that a restored backup does not contain."""
    end: ScreeningRow | None = None
    """Why mail to the address is no longer read: one of `ENDED_ROWS`."""
    unproven: bool = False
    """The operator's mail server could not prove the author."""
    told_before: bool = False
    """The address has ended, and the player was informed not long ago."""
    refusal: bool = False


class ScreeningFate(StrEnum):
    IGNORED = "ignored"
    """The mail is dropped without an answer."""
    RETURNED = "returned"
    """The mail is examined as a bounce."""
    REFUSED = "told"
    """The mail is not played, and the player on file is informed."""
    NOT_PLAYED = "heard"
    """Its orders are not played, and the writer learns why.

    Chat beside orders is not passed on either, because a mail takes effect as a whole or not at all; chat
    without orders is. Requests that show something are served.
    """
    CONFIRMED = "asked"
    """The player on file must confirm what it would do or send to others.

    Requests that show something are served, because the answer goes to the address on file.
    """
    PLAYED = "played"


class ScreeningRow(StrEnum):
    """The rule that decides about a mail; the first that fits counts."""

    OWN = "own"
    BOUNCE = "bounce"
    AUTOMATIC = "automatic"
    LIST = "list"
    UNKNOWN = "unknown"
    DOUBLE = "double"
    TOO_MANY = "too many"
    TOLD_BEFORE = "told before"
    ECHO = "echo"
    OVERSIZE = "oversize"
    SET_BACK = "set back"
    WITHDRAWN = "withdrawn"
    AUTHOR = "author"
    STRANGER = "stranger"
    FINISHED = "finished"
    CALLED_OFF = "called off"
    SILENT = "silent"
    """For too long the seat has neither sent nor received a mail."""
    UNPROVEN = "unproven"
    EXPIRED = "expired"
    REPLY = "reply"
    """No other rule fits."""


@dataclass(frozen=True, slots=True)
class Screening:
    row: ScreeningRow
    fate: ScreeningFate
    sentence: str
    """The reason: for the log and, translated, for the answer to the player."""


@dataclass(frozen=True, slots=True)
class _Signs:
    """The parts of a mail that show who sent it."""

    headers: Headers
    envelope_from: str
    """The envelope sender in lower case; empty if the mail must not be answered."""
    programs: ProgramWords
    by_program: bool
    """Whether a part has a content type that only programs send."""

    def matches_header(self, name: str, pattern: str) -> bool:
        return any(re.match(pattern, value, re.IGNORECASE) for value in self.headers.all(name))

    @property
    def local_parts(self) -> list[str]:
        return _local_parts(self.envelope_from, *self.headers.all("from"), *self.headers.all("sender"))


ADDRESS = re.compile(r"([^\s<>@\"(),:;]+)@[^\s<>@\"(),:;]+")
BOUNCE_SENDERS = re.compile(r"mailer-?daemon|mail-daemon|mdaemon", re.IGNORECASE)
AUTOMATIC_SENDERS = re.compile(
    r"postmaster|no[-_.]?reply|do[-_.]?not[-_.]?reply|auto[-_.]?(?:reply|responder)|bounces?(?:[-+].*)?|"
    r"listserv|majordomo|.*-bounces",
    re.IGNORECASE,
)
LIST_SENDERS = re.compile(r".*-(?:request|owner)|owner-.*", re.IGNORECASE)
"""Programs of mailing lists, and perhaps people such as home-owner@."""


AUTOMATIC_HEADERS = {
    "auto-submitted": r"(?!\s*no\s*(?:$|[;(]))",
    **dict.fromkeys(("precedence", "x-precedence", "preference"), r"\s*(?:bulk|junk|list|auto[-_]reply)\b"),
    **dict.fromkeys(("x-autoreply", "x-autoreply-from", "x-autorespond", "x-autoresponse"), ""),
    "x-mail-autoreply": "",
    "x-fc-machinegenerated": "",
    "x-post-messageclass": r".*\bautoresponder\b",
    "delivered-to": r"\s*autoresponder\s*$",
}
"""Headers of auto-responders, with a pattern for the beginning of their values."""


def _is_receipt(mail: _Signs) -> bool:
    """Whether a mail is a read receipt (RFC 8098) or an automatic answer (RFC 3834), and so not a bounce."""
    shown = mail.matches_header("content-type", r"multipart/report\b.*disposition-notification")
    return shown or (mail.matches_header("auto-submitted", "auto-replied") and not _is_delivery_report(mail))


def _is_delivery_report(mail: _Signs) -> bool:
    """Whether a mail is a delivery report; Postfix marks its own as auto-replied."""
    reports = mail.matches_header("content-type", r"multipart/report\b.*delivery-status")
    return reports or bool(mail.headers.all("x-failed-recipients"))


def _is_bounce(mail: _Signs) -> bool:
    return not _is_receipt(mail) and (
        not mail.envelope_from
        or mail.matches_header("content-type", "multipart/report")
        or bool(mail.headers.all("x-failed-recipients"))
        or any(BOUNCE_SENDERS.fullmatch(name) for name in mail.local_parts)
        or mail.matches_header("subject", "|".join(mail.programs.bounced))
    )


def _local_parts(*written: str) -> list[str]:
    """Return the local parts of addresses; an envelope may contain only the name of a program."""
    return [name.lower() for one in written for name in ADDRESS.findall(one) or [one]]


def _is_from_list_program(mail: _Signs) -> bool:
    """Whether a mailing list program sent a mail: its sender is not its author, or it has list headers."""
    names = {name for name in mail.local_parts if LIST_SENDERS.fullmatch(name)}
    signs = any(name == "precedence" or name.startswith("list-") for name in mail.headers.fields)
    return bool(names if signs else names.difference(_local_parts(*mail.headers.all("from"))))


def _is_automatic(mail: _Signs) -> bool:
    """Whether a program wrote a mail. A subject that begins with `Re:` is a person's.

    X-Auto-Response-Suppress does not count, because Outlook sets it on mails that people write.
    """
    return (
        _is_receipt(mail)
        or not mail.envelope_from
        or mail.by_program
        or any(mail.matches_header(name, pattern) for name, pattern in AUTOMATIC_HEADERS.items())
        or any(AUTOMATIC_SENDERS.fullmatch(name) for name in mail.local_parts)
        or _is_from_list_program(mail)
        or mail.matches_header("subject", "|".join(mail.programs.automatic))
    )


NO_AUTHOR = gettext_noop("The mail does not name exactly one address as its sender.")
_SENTENCES: Mapping[ScreeningFate, Mapping[ScreeningRow, str]] = {
    ScreeningFate.IGNORED: {
        ScreeningRow.OWN: "This is a letter of ours that came back.",
        ScreeningRow.AUTOMATIC: "A program wrote this, not a person.",
        ScreeningRow.LIST: "This came through a mailing list.",
        ScreeningRow.UNKNOWN: "The address it was sent to is not one of ours.",
        ScreeningRow.DOUBLE: "This mail was taken in before.",
        ScreeningRow.TOO_MANY: "Too many mails came within the hour.",
        ScreeningRow.TOLD_BEFORE: (
            "The address it was sent to has ended, and its player was informed before."
        ),
        ScreeningRow.ECHO: "It answers a refusal, and would be refused for the same reason.",
    },
    ScreeningFate.RETURNED: {ScreeningRow.BOUNCE: "A mail program sent a letter of ours back."},
    ScreeningFate.REFUSED: {
        ScreeningRow.OVERSIZE: gettext_noop("The mail is too large; send it without files."),
        ScreeningRow.SET_BACK: gettext_noop(
            "The game was set back: the server lost its last hours, and what the mail is about that you "
            "answered did not count. Answer this one instead."
        ),
        ScreeningRow.WITHDRAWN: gettext_noop(
            "Your links were made new since the mail that you answered: answer this one instead."
        ),
        ScreeningRow.AUTHOR: NO_AUTHOR,
        ScreeningRow.STRANGER: gettext_noop("The mail came from another address than yours."),
        ScreeningRow.FINISHED: gettext_noop(
            "The game is over, and mails to it are not read any more: its page still shows it, and there you "
            "can write to the others, and play again with the same people."
        ),
        ScreeningRow.CALLED_OFF: gettext_noop(
            "The game was called off before it began, and mails to it are not read any more."
        ),
        ScreeningRow.SILENT: gettext_noop(
            "The mail that you answered is so old that answers to it are not read any more: answer this one "
            "instead, or open the page of the game."
        ),
    },
    ScreeningFate.CONFIRMED: {ScreeningRow.UNPROVEN: "It is not shown that its writer's address is theirs."},
    ScreeningFate.NOT_PLAYED: {
        ScreeningRow.EXPIRED: gettext_noop("This answers an older mail: the game has moved on since.")
    },
    ScreeningFate.PLAYED: {ScreeningRow.REPLY: "A player's reply."},
}
SCREENINGS = {
    row: Screening(row, fate, sentence)
    for fate, sentences in _SENTENCES.items()
    for row, sentence in sentences.items()
}
ENDED_ROWS = frozenset({ScreeningRow.FINISHED, ScreeningRow.CALLED_OFF, ScreeningRow.SILENT})


def _find_row(mail: _Signs, size: int, facts: MailFacts) -> ScreeningRow:
    is_large, has_no_author = size > LARGEST_MAIL, not mail.headers.author
    fitting = {
        ScreeningRow.OWN: facts.own or bool(mail.headers.all(OWN_HEADER)),  # gateways may remove this header
        ScreeningRow.BOUNCE: _is_bounce(mail),
        ScreeningRow.AUTOMATIC: _is_automatic(mail),
        ScreeningRow.LIST: any(map(mail.headers.all, ("list-id", "list-unsubscribe", "list-post"))),
        ScreeningRow.UNKNOWN: facts.unknown,
        ScreeningRow.DOUBLE: facts.double,
        ScreeningRow.TOO_MANY: facts.too_many,
        ScreeningRow.TOLD_BEFORE: facts.told_before,
        # An answer to a refusal that would be refused again could loop with a program that answers.
        ScreeningRow.ECHO: facts.refusal and (is_large or has_no_author or facts.stranger),
        ScreeningRow.OVERSIZE: is_large,
        ScreeningRow.SET_BACK: facts.set_back,
        ScreeningRow.WITHDRAWN: facts.withdrawn,
        ScreeningRow.AUTHOR: has_no_author,
        ScreeningRow.STRANGER: facts.stranger,
        ScreeningRow.FINISHED: facts.end is ScreeningRow.FINISHED,
        ScreeningRow.CALLED_OFF: facts.end is ScreeningRow.CALLED_OFF,
        ScreeningRow.SILENT: facts.end is ScreeningRow.SILENT,
        ScreeningRow.UNPROVEN: facts.unproven,
        ScreeningRow.EXPIRED: facts.expired,
    }
    return next((row for row, fits in fitting.items() if fits), ScreeningRow.REPLY)


def screen_mail(mail: Mail, facts: MailFacts) -> Screening:
    """Return what is done with a mail, or with the beginning of one that is too large. Never raises."""
    sender = mail.envelope_from.strip().strip("<>").lower()
    signs = _Signs(mail.headers, sender, join_programs(tuple(LANGUAGES)), mail.body.by_program)
    found = SCREENINGS[_find_row(signs, len(mail.raw), facts)]
    return replace(found, sentence=gettext(found.sentence))
