"""One table, read from the top: the first row that fits a mail says what becomes of it.

Rules whose mail is never answered come first, so that two machines cannot write to each other forever: a mail
that is too large and automatic is automatic. What only the server can know is handed in as `MailFacts`.
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
from emails.replies.parsed_mail import AddressEnd, Mail, MailFacts
from emails.tokens import OWN_HEADER

LARGEST_MAIL = 2_000_000
"""Bytes of a mail that is read; a reply that quotes a letter with its picture has a tenth of that."""
LARGEST_ACCEPTED = 2 * LARGEST_MAIL
"""Bytes of a mail that is taken in: so we can tell the player that their mail is too large to be read."""


class ScreeningFate(StrEnum):
    """What becomes of a mail."""

    IGNORED = "ignored"
    """Nothing, and nobody hears of it."""
    RETURNED = "returned"
    """It is looked at as a letter of ours that came back."""
    TOLD = "told"
    """It is not played, and the player on file is told so."""
    HEARD = "heard"
    """Orders in it are not played, their writer is told so, and nothing of it is told to others either, for a
    mail is done whole or not at all; where it holds no orders, what it says to others is told. What it asks
    to be shown is shown."""
    ASKED = "asked"
    """What it would do or tell others is put to the player on file, and done by their yes. What it asks to be
    shown is shown, for that goes to the address on file."""
    PLAYED = "played"
    """All that it says is done."""


class ScreeningRow(StrEnum):
    """The name of a row of the table; `REPLY` where none fits."""

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
    """What becomes of a mail."""

    row: ScreeningRow
    """The row that fits."""
    fate: ScreeningFate
    sentence: str
    """Why: for whoever reads the log; for the player, in the language spoken, where they are answered."""


@dataclass(frozen=True, slots=True)
class ScreenedMail:
    """What the table looks at."""

    headers: Headers
    size: int
    """Bytes."""
    envelope_from: str
    """The sender by the envelope, in lower case; empty for what must not be answered."""
    facts: MailFacts
    programs: ProgramWords
    """What programs write by themselves."""
    by_program: bool = False
    """Whether a part of it is of a kind that only programs send."""

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of a header, none when it is absent."""
        return self.headers.fields.get(name.lower(), ())

    def matches_header(self, name: str, pattern: str) -> bool:
        """Whether some header of this name matches, from its beginning, whatever the case."""
        return any(re.match(pattern, value, re.IGNORECASE) for value in self.values(name))


@dataclass(frozen=True, slots=True)
class ScreeningRule:
    """One row: whether it fits, and what then."""

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
"""Programs of a mailing list, and perhaps a person such as home-owner@."""


AUTOMATIC_HEADERS = {
    "auto-submitted": r"(?!\s*no\s*(?:$|[;(]))",
    **dict.fromkeys(("precedence", "x-precedence", "preference"), r"\s*(?:bulk|junk|list|auto[-_]reply)\b"),
    **dict.fromkeys(("x-autoreply", "x-autoreply-from", "x-autorespond", "x-autoresponse"), ""),
    "x-mail-autoreply": "",
    "x-fc-machinegenerated": "",
    "x-post-messageclass": r".*\bautoresponder\b",
    "delivered-to": r"\s*autoresponder\s*$",
}
"""Headers of programs that answer by themselves, with how their values begin there."""


def _is_own(mail: ScreenedMail) -> bool:
    return mail.facts.own or bool(mail.values(OWN_HEADER))  # some gates take away what they do not know


def _is_receipt(mail: ScreenedMail) -> bool:
    """A note that a mail was opened (RFC 8098), or an answer by a program (RFC 3834): nothing came back."""
    shown = mail.matches_header("content-type", r"multipart/report\b.*disposition-notification")
    return shown or (mail.matches_header("auto-submitted", "auto-replied") and not _is_delivery_report(mail))


def _is_delivery_report(mail: ScreenedMail) -> bool:
    """A report that a mail was not delivered: Postfix and others call theirs auto-replied."""
    told = mail.matches_header("content-type", r"multipart/report\b.*delivery-status")
    return told or bool(mail.values("x-failed-recipients"))


def _is_bounce(mail: ScreenedMail) -> bool:
    return not _is_receipt(mail) and (
        not mail.envelope_from
        or mail.matches_header("content-type", "multipart/report")
        or bool(mail.values("x-failed-recipients"))
        or any(BOUNCE_SENDERS.fullmatch(name) for name in _sender_local_parts(mail))
        or mail.matches_header("subject", "|".join(mail.programs.bounced))
    )


def _sender_local_parts(mail: ScreenedMail) -> list[str]:
    """The part before the `@` of each address that sent it, by the envelope and by the headers."""
    return _local_parts(mail.envelope_from, *mail.values("from"), *mail.values("sender"))


def _local_parts(*written: str) -> list[str]:
    """What stands before the `@`; an envelope may name a program by that alone."""
    return [name.lower() for one in written for name in ADDRESS.findall(one) or [one]]


def _is_from_list_program(mail: ScreenedMail) -> bool:
    """Whether the program of a mailing list sent it: in another name than its writer's, or with its signs."""
    names = {name for name in _sender_local_parts(mail) if LIST_SENDERS.fullmatch(name)}
    signs = any(name == "precedence" or name.startswith("list-") for name in mail.headers.fields)
    return bool(names if signs else names.difference(_local_parts(*mail.values("from"))))


def _is_automatic(mail: ScreenedMail) -> bool:
    """Whether a program wrote it. A subject with `Re:` before it is a person's.

    X-Auto-Response-Suppress is no sign: Outlook sets it on mails that people write.
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
    """A mail program behind a forwarded address may answer every letter by itself."""
    return mail.facts.refusal and (_is_oversize(mail) or _has_no_author(mail) or mail.facts.stranger)


def _has_ended(end: AddressEnd) -> Callable[[ScreenedMail], bool]:
    """Whether the address that a mail came to has ended so."""
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
        "The address it was sent to has ended, and its player was told so before.",
    ),
    ScreeningRule(
        ScreeningRow.ECHO,
        _is_echo,
        ScreeningFate.IGNORED,
        "It answers a refusal, and would be refused for the same reason.",
    ),
    ScreeningRule(ScreeningRow.OVERSIZE, _is_oversize, ScreeningFate.TOLD, OVERSIZE),
    ScreeningRule(ScreeningRow.SET_BACK, lambda mail: mail.facts.set_back, ScreeningFate.TOLD, SET_BACK),
    ScreeningRule(ScreeningRow.WITHDRAWN, lambda mail: mail.facts.withdrawn, ScreeningFate.TOLD, WITHDRAWN),
    ScreeningRule(ScreeningRow.AUTHOR, _has_no_author, ScreeningFate.TOLD, NO_AUTHOR),
    ScreeningRule(ScreeningRow.STRANGER, lambda mail: mail.facts.stranger, ScreeningFate.TOLD, STRANGER),
    ScreeningRule(ScreeningRow.FINISHED, _has_ended(AddressEnd.FINISHED), ScreeningFate.TOLD, FINISHED),
    ScreeningRule(ScreeningRow.CALLED_OFF, _has_ended(AddressEnd.CALLED_OFF), ScreeningFate.TOLD, CALLED_OFF),
    ScreeningRule(ScreeningRow.SILENT, _has_ended(AddressEnd.SILENT), ScreeningFate.TOLD, SILENT),
    ScreeningRule(
        ScreeningRow.UNPROVEN,
        lambda mail: mail.facts.unproven,
        ScreeningFate.ASKED,
        "It is not shown that its writer's address is theirs.",
    ),
    ScreeningRule(ScreeningRow.EXPIRED, lambda mail: mail.facts.expired, ScreeningFate.HEARD, EXPIRED),
)
"""Read from the top. No order in a mail that fits a row is played."""
ENDED_ROWS = frozenset({ScreeningRow.FINISHED, ScreeningRow.CALLED_OFF, ScreeningRow.SILENT})
"""The rows of mail to an address that has ended."""
REPLY = Screening(ScreeningRow.REPLY, ScreeningFate.PLAYED, "A player's reply.")


def screen_mail(mail: Mail, facts: MailFacts) -> Screening:
    """What becomes of a mail, or of the beginning of one that is too large; never raises."""
    sender = mail.envelope_from.strip().strip("<>").lower()
    programs = join_programs(tuple(LANGUAGES))
    screened = ScreenedMail(mail.headers, len(mail.raw), sender, facts, programs, mail.body.by_program)
    row = next((row for row in SCREENING_RULES if row.fits(screened)), None)
    return REPLY if row is None else Screening(row.name, row.fate, gettext(row.sentence))
