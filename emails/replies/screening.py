"""Screening of incoming mail by one table: the first rule that matches decides what is done with a mail.

Rules without an answer come first, so that two machines cannot write to each other forever: a mail that is
both too large and automatic is automatic. What only the server can know is passed in as `MailFacts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
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


class AddressEnd(StrEnum):
    """Why mail to an address of a game is no longer read."""

    FINISHED = "finished"
    CALLED_OFF = "called off"
    SILENT = "silent"
    """For too long the seat has neither sent nor received a mail."""


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
    end: AddressEnd | None = None
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
    """The name of a rule; `REPLY` if none matches."""

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
    WITHDRAWN = "withdrawn"
    SET_BACK = "set back"
    AUTHOR = "author"
    STRANGER = "stranger"
    FINISHED = "finished"
    CALLED_OFF = "called off"
    SILENT = "silent"
    UNPROVEN = "unproven"
    EXPIRED = "expired"
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Screening:
    row: ScreeningRow
    fate: ScreeningFate
    sentence: str
    """The reason: for the log and, translated, for the answer to the player."""


@dataclass(frozen=True, slots=True)
class ScreenedMail:
    headers: Headers
    size: int
    envelope_from: str
    """The envelope sender in lower case; empty if the mail must not be answered."""
    facts: MailFacts
    programs: ProgramWords
    by_program: bool = False

    def values(self, name: str) -> tuple[str, ...]:
        return self.headers.fields.get(name.lower(), ())

    def matches_header(self, name: str, pattern: str) -> bool:
        return any(re.match(pattern, value, re.IGNORECASE) for value in self.values(name))


@dataclass(frozen=True, slots=True)
class ScreeningRule:
    name: ScreeningRow
    fits: Callable[[ScreenedMail], bool]
    fate: ScreeningFate
    sentence: str


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


def _is_own(mail: ScreenedMail) -> bool:
    return mail.facts.own or bool(mail.values(OWN_HEADER))  # gateways may remove this header


def _is_receipt(mail: ScreenedMail) -> bool:
    """Whether a mail is a read receipt (RFC 8098) or an automatic answer (RFC 3834), and so not a bounce."""
    shown = mail.matches_header("content-type", r"multipart/report\b.*disposition-notification")
    return shown or (mail.matches_header("auto-submitted", "auto-replied") and not _is_delivery_report(mail))


def _is_delivery_report(mail: ScreenedMail) -> bool:
    """Whether a mail is a delivery report; Postfix marks its own as auto-replied."""
    reports = mail.matches_header("content-type", r"multipart/report\b.*delivery-status")
    return reports or bool(mail.values("x-failed-recipients"))


def _is_bounce(mail: ScreenedMail) -> bool:
    return not _is_receipt(mail) and (
        not mail.envelope_from
        or mail.matches_header("content-type", "multipart/report")
        or bool(mail.values("x-failed-recipients"))
        or any(BOUNCE_SENDERS.fullmatch(name) for name in _sender_local_parts(mail))
        or mail.matches_header("subject", "|".join(mail.programs.bounced))
    )


def _sender_local_parts(mail: ScreenedMail) -> list[str]:
    return _local_parts(mail.envelope_from, *mail.values("from"), *mail.values("sender"))


def _local_parts(*written: str) -> list[str]:
    return [name.lower() for one in written for name in ADDRESS.findall(one) or [one]]


def _is_from_list_program(mail: ScreenedMail) -> bool:
    names = {name for name in _sender_local_parts(mail) if LIST_SENDERS.fullmatch(name)}
    signs = any(name == "precedence" or name.startswith("list-") for name in mail.headers.fields)
    return bool(names if signs else names.difference(_local_parts(*mail.values("from"))))


def _is_automatic(mail: ScreenedMail) -> bool:
    """Whether a program wrote a mail. A subject that begins with `Re:` is a person's.

    X-Auto-Response-Suppress does not count, because Outlook sets it on mails that people write.
    """
    return (
        _is_receipt(mail)
        or not mail.envelope_from
        or mail.by_program
        or any(mail.matches_header(name, pattern) for name, pattern in AUTOMATIC_HEADERS.items())
        or any(AUTOMATIC_SENDERS.fullmatch(name) for name in _sender_local_parts(mail))
        or _is_from_list_program(mail)
        or mail.matches_header("subject", "|".join(mail.programs.automatic))
    )


def _has_list_headers(mail: ScreenedMail) -> bool:
    return any(mail.values(name) for name in ("list-id", "list-unsubscribe", "list-post"))


def _has_no_author(mail: ScreenedMail) -> bool:
    return not mail.headers.author


def _is_oversize(mail: ScreenedMail) -> bool:
    return mail.size > LARGEST_MAIL


def _is_echo(mail: ScreenedMail) -> bool:
    """Whether an answer to a refusal would be refused again, which could loop with a program that answers."""
    return mail.facts.refusal and (_is_oversize(mail) or _has_no_author(mail) or mail.facts.stranger)


def _has_ended(end: AddressEnd) -> Callable[[ScreenedMail], bool]:
    return lambda mail: mail.facts.end is end


OVERSIZE = gettext_noop("The mail is too large; send it without files.")
NO_AUTHOR = gettext_noop("The mail does not name exactly one address as its sender.")
STRANGER = gettext_noop("The mail came from another address than yours.")
WITHDRAWN = gettext_noop(
    "Your links were made new since the mail that you answered: answer this one instead."
)
SET_BACK = gettext_noop(
    "The game was set back: the server lost its last hours, and what the mail is about that you answered did "
    "not count. Answer this one instead."
)
FINISHED = gettext_noop(
    "The game is over, and mails to it are not read any more: its page still shows it, and there you can "
    "write to the others, and play again with the same people."
)
CALLED_OFF = gettext_noop("The game was called off before it began, and mails to it are not read any more.")
SILENT = gettext_noop(
    "The mail that you answered is so old that answers to it are not read any more: answer this one instead, "
    "or open the page of the game."
)
EXPIRED = gettext_noop("This answers an older mail: the game has moved on since.")
SCREENING_RULES: tuple[ScreeningRule, ...] = (
    ScreeningRule(
        ScreeningRow.OWN, _is_own, ScreeningFate.IGNORED, "This is a letter of ours that came back."
    ),
    ScreeningRule(
        ScreeningRow.BOUNCE, _is_bounce, ScreeningFate.RETURNED, "A mail program sent a letter of ours back."
    ),
    ScreeningRule(
        ScreeningRow.AUTOMATIC, _is_automatic, ScreeningFate.IGNORED, "A program wrote this, not a person."
    ),
    ScreeningRule(
        ScreeningRow.LIST, _has_list_headers, ScreeningFate.IGNORED, "This came through a mailing list."
    ),
    ScreeningRule(
        ScreeningRow.UNKNOWN,
        lambda mail: mail.facts.unknown,
        ScreeningFate.IGNORED,
        "The address it was sent to is not one of ours.",
    ),
    ScreeningRule(
        ScreeningRow.DOUBLE,
        lambda mail: mail.facts.double,
        ScreeningFate.IGNORED,
        "This mail was taken in before.",
    ),
    ScreeningRule(
        ScreeningRow.TOO_MANY,
        lambda mail: mail.facts.too_many,
        ScreeningFate.IGNORED,
        "Too many mails came within the hour.",
    ),
    ScreeningRule(
        ScreeningRow.TOLD_BEFORE,
        lambda mail: mail.facts.told_before,
        ScreeningFate.IGNORED,
        "The address it was sent to has ended, and its player was informed before.",
    ),
    ScreeningRule(
        ScreeningRow.ECHO,
        _is_echo,
        ScreeningFate.IGNORED,
        "It answers a refusal, and would be refused for the same reason.",
    ),
    ScreeningRule(ScreeningRow.OVERSIZE, _is_oversize, ScreeningFate.REFUSED, OVERSIZE),
    ScreeningRule(ScreeningRow.SET_BACK, lambda mail: mail.facts.set_back, ScreeningFate.REFUSED, SET_BACK),
    ScreeningRule(
        ScreeningRow.WITHDRAWN, lambda mail: mail.facts.withdrawn, ScreeningFate.REFUSED, WITHDRAWN
    ),
    ScreeningRule(ScreeningRow.AUTHOR, _has_no_author, ScreeningFate.REFUSED, NO_AUTHOR),
    ScreeningRule(ScreeningRow.STRANGER, lambda mail: mail.facts.stranger, ScreeningFate.REFUSED, STRANGER),
    ScreeningRule(ScreeningRow.FINISHED, _has_ended(AddressEnd.FINISHED), ScreeningFate.REFUSED, FINISHED),
    ScreeningRule(
        ScreeningRow.CALLED_OFF, _has_ended(AddressEnd.CALLED_OFF), ScreeningFate.REFUSED, CALLED_OFF
    ),
    ScreeningRule(ScreeningRow.SILENT, _has_ended(AddressEnd.SILENT), ScreeningFate.REFUSED, SILENT),
    ScreeningRule(
        ScreeningRow.UNPROVEN,
        lambda mail: mail.facts.unproven,
        ScreeningFate.CONFIRMED,
        "It is not shown that its writer's address is theirs.",
    ),
    ScreeningRule(ScreeningRow.EXPIRED, lambda mail: mail.facts.expired, ScreeningFate.NOT_PLAYED, EXPIRED),
)
"""Evaluated from the top. Orders in a mail that matches a rule are not played."""
ENDED_ROWS = frozenset({ScreeningRow.FINISHED, ScreeningRow.CALLED_OFF, ScreeningRow.SILENT})
REPLY = Screening(ScreeningRow.REPLY, ScreeningFate.PLAYED, "A player's reply.")


def screen_mail(mail: Mail, facts: MailFacts) -> Screening:
    """Return what is done with a mail, or with the beginning of one that is too large. Never raises."""
    sender = mail.envelope_from.strip().strip("<>").lower()
    programs = join_programs(tuple(LANGUAGES))
    screened = ScreenedMail(mail.headers, len(mail.raw), sender, facts, programs, mail.body.by_program)
    row = next((row for row in SCREENING_RULES if row.fits(screened)), None)
    return REPLY if row is None else Screening(row.name, row.fate, gettext(row.sentence))
