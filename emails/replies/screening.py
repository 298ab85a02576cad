"""Screening of incoming mail by one table, proof of its author, and reports about returned letters (bounces).

The first matching rule decides. Rules by which no answer is sent come first, so that two machines cannot
write to each other forever: a mail that is both too large and automatic is treated as automatic. Rules that
only the server can judge are passed in.

Most mail servers report a bounce by a delivery status notification (RFC 3464). flufl.bounce recognises many
other forms but sometimes misjudges an ordinary mail, so it is used only on mails that look like a bounce.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from email.message import Message
from enum import StrEnum

from flufl.bounce import all_failures

from emails.i18n import gettext, gettext_noop
from emails.languages.lexicon import join_programs
from emails.languages.supported_languages import LANGUAGES
from emails.picture.palette import clean_name
from emails.replies import parsed_mail
from emails.replies.parsed_mail import (
    END_OF_HEADERS,
    LARGEST_PARSED,
    MAILBOX,
    PARSE_ERRORS,
    PARSER,
    Headers,
    Mail,
)
from emails.tokens import OWN_HEADER

LARGEST_MAIL = 2_000_000
"""Maximum size of a mail that is read, in bytes; ten times the size of a reply that quotes a whole letter."""
LARGEST_ACCEPTED = 2 * LARGEST_MAIL
"""Maximum size of an accepted mail, in bytes; a mail above half of this size is answered as too large."""


class ScreeningFate(StrEnum):
    IGNORED = "ignored"
    RETURNED = "returned"
    REFUSED = "told"
    NOT_PLAYED = "heard"
    """The orders are not played, and the writer gets the reason.

    A mail takes effect as a whole or not at all, so chat beside orders is not forwarded either. A mail that
    contains only chat is forwarded. Requests for information are answered.
    """
    CONFIRMED = "asked"
    """A letter to the address on file asks the player to confirm all effects of the mail.

    Requests for information are answered, because the answer goes to that address.
    """
    PLAYED = "played"


IGNORED, RETURNED, REFUSED, NOT_PLAYED, CONFIRMED, PLAYED = ScreeningFate


class Screening(StrEnum):
    """The rules that decide what happens to a mail, in order; the first one that applies counts.

    Each has the fate of the mail, and the reason for the log and, translated, for the answer to the player.
    """

    fate: ScreeningFate
    reason: str

    def __new__(cls, name: str, fate: ScreeningFate, reason: str) -> Screening:
        rule = str.__new__(cls, name)
        rule._value_, rule.fate, rule.reason = name, fate, reason
        return rule

    @property
    def sentence(self) -> str:
        return gettext(self.reason)

    OWN = "own", IGNORED, "This is a letter of ours that came back."
    BOUNCE = "bounce", RETURNED, "A mail program sent a letter of ours back."
    AUTOMATIC = "automatic", IGNORED, "A program wrote this, not a person."
    LIST = "list", IGNORED, "This came through a mailing list."
    UNKNOWN = "unknown", IGNORED, "The address it was sent to is not one of ours."
    DOUBLE = "double", IGNORED, "This mail was taken in before."
    TOO_MANY = "too many", IGNORED, "Too many mails came within the hour."
    TOLD_BEFORE = (
        "told before",
        IGNORED,
        "The address it was sent to has ended, and its player was informed before.",
    )
    ECHO = "echo", IGNORED, "It answers a refusal, and would be refused for the same reason."
    OVERSIZE = "oversize", REFUSED, gettext_noop("The mail is too large; send it without files.")
    SET_BACK = (
        "set back",
        REFUSED,
        gettext_noop(
            "The game was set back: the server lost its last hours, and what the mail is about that you "
            "answered did not count. Answer this one instead."
        ),
    )
    WITHDRAWN = (
        "withdrawn",
        REFUSED,
        gettext_noop("Your links were made new since the mail that you answered: answer this one instead."),
    )
    AUTHOR = "author", REFUSED, gettext_noop("The mail does not name exactly one address as its sender.")
    STRANGER = "stranger", REFUSED, gettext_noop("The mail came from another address than yours.")
    FINISHED = (
        "finished",
        REFUSED,
        gettext_noop(
            "The game is over, and mails to it are not read any more: its page still shows it, and there you "
            "can write to the others, and play again with the same people."
        ),
    )
    CALLED_OFF = (
        "called off",
        REFUSED,
        gettext_noop("The game was called off before it began, and mails to it are not read any more."),
    )
    SILENT = (
        "silent",
        REFUSED,
        gettext_noop(
            "The mail that you answered is so old that answers to it are not read any more: answer this one "
            "instead, or open the page of the game."
        ),
    )
    """For too long the seat has neither sent a mail nor received a letter."""
    UNPROVEN = "unproven", CONFIRMED, "It is not shown that its writer's address is theirs."
    EXPIRED = "expired", NOT_PLAYED, gettext_noop("This answers an older mail: the game has moved on since.")
    REPLY = "reply", PLAYED, "A player's reply."
    """No other rule matches."""


BOUNCE_SENDERS = re.compile(r"mailer-?daemon|mail-daemon|mdaemon")
AUTOMATIC_SENDERS = re.compile(
    r"postmaster|no[-_.]?reply|do[-_.]?not[-_.]?reply|auto[-_.]?(?:reply|responder)|bounces?(?:[-+].*)?|"
    r"listserv|majordomo|.*-bounces"
)
LIST_SENDERS = re.compile(r".*-(?:request|owner)|owner-.*")
"""Matches local parts of mailing list programs; a person's, such as home-owner, may match too."""
AUTOMATIC_HEADERS = {
    r"auto-submitted": r"(?!\s*no\s*(?:$|[;(]))",
    r"(?:x-)?precedence|preference": r"\s*(?:bulk|junk|list|auto[-_]reply)\b",
    # X-Auto-Response-Suppress is no such header, because Outlook adds it to mails of people.
    r"x-(?:mail-)?auto(?:-?(?:reply|respon[ds]e?r?|generated))(?:-from|-by)?": "",
    r"x-fc-machinegenerated": "",
    r"x-post-messageclass": r".*\bautoresponder\b",
    r"delivered-to": r"\s*autoresponder\s*$",
}
"""Headers of auto-responders, each with a pattern for the beginning of the value."""
REACTION = re.compile("r[e\u00e9]a[cgk]|\u0440\u0435\u0430\u0433|gmail|https?:", re.IGNORECASE)
"""Matches the line below the picture in a reaction of Gmail ("reacted via Gmail") or Outlook."""
MOST_REACTION_LINES = 3


def _is_reaction(mail: Mail) -> bool:
    """True for a reaction to a letter: a line with only a picture above lines of the program."""
    picture, *below = [line for line in mail.text.own if line] or [""]
    if any(map(str.isalnum, picture)) or picture.isascii():
        return False
    return 0 < len(below) <= MOST_REACTION_LINES and all(map(REACTION.search, below))


REPLY_PREFIX = re.compile(r"(?:\w{1,4}|\[[^\]]*\])[\d\[\]()]*")
"""Matches a word that mail programs put before the subject of an answer: "Re", "Antw" or "VS"."""


def has_unknown_prefix(subject: str, answered: str) -> bool:
    """True if a subject is one of our subjects behind a prefix that is not of an answer."""
    whole, ours = (" ".join(one.split()).casefold() for one in (subject, answered))
    if not ours or not whole.endswith(ours):
        return False
    known = join_programs(tuple(LANGUAGES))["reply_prefixes"]
    prefixes = filter(None, map(str.strip, whole.removesuffix(ours).split(":")))
    return not all(one in known or REPLY_PREFIX.fullmatch(one) for one in prefixes)


def _local_parts(*written: str) -> set[str]:
    # An envelope sender without @, such as MAILER-DAEMON, counts as a local part.
    return {name.partition("@")[0].lower() for one in written for name in MAILBOX.findall(one) or [one]}


def _find_program(mail: Mail, headers: Headers) -> Screening:
    """Return the rule for a bounce or for another mail by a program; `REPLY` for a mail by a person."""
    programs = join_programs(tuple(LANGUAGES))
    envelope_from = mail.envelope_from.strip().strip("<>").lower()
    writers = _local_parts(*headers.all("from"))
    names = writers | _local_parts(envelope_from, *headers.all("sender"))

    def has(name: str, pattern: str) -> bool:
        named = (values for one, values in headers.fields.items() if re.fullmatch(name, one))
        return any(re.match(pattern, value, re.IGNORECASE) for values in named for value in values)

    failed = has("x-failed-recipients", "")  # Postfix marks these auto-replied
    report = failed or has("content-type", r"multipart/report\b.*delivery-status")
    # a read receipt (RFC 8098), or an automatic answer (RFC 3834)
    is_receipt = has("content-type", r"multipart/report\b.*disposition-notification") or (
        has("auto-submitted", "auto-replied") and not report
    )
    if not is_receipt and (
        not envelope_from
        or failed
        or has("content-type", "multipart/report")
        or any(map(BOUNCE_SENDERS.fullmatch, names))
        or has("subject", "|".join(programs["bounced"]))
    ):
        return Screening.BOUNCE
    # The author's own address can look like a list program's, so it counts only beside list headers.
    of_list = has("precedence|list-.*", "")
    is_automatic = (
        is_receipt
        or not envelope_from
        or mail.body.by_program
        or any(has(name, pattern) for name, pattern in AUTOMATIC_HEADERS.items())
        or any(map(AUTOMATIC_SENDERS.fullmatch, names))
        or any(map(LIST_SENDERS.fullmatch, names if of_list else names - writers))
        or has("subject", "|".join(programs["automatic"]))
        or _is_reaction(mail)
    )
    return Screening.AUTOMATIC if is_automatic else Screening.REPLY


def choose_rules(applies: Mapping[Screening, bool]) -> Set[Screening]:
    return frozenset(rule for rule, does_apply in applies.items() if does_apply)


def screen_mail(mail: Mail, known: Set[Screening] = frozenset(), *, by_button: bool = False) -> Screening:
    """Return the rule that decides about a mail, or the beginning of a too large one; never raises.

    `known`: the rules that apply by what only the server can know; `ECHO` if the mail answers a refusal.
    `by_button`: a program may send the mail for its user, who pressed a button such as "unsubscribe".
    """
    headers = mail.headers
    if by_button and headers.first("auto-submitted").strip().lower() == "auto-generated":
        fields = {name: values for name, values in headers.fields.items() if name != "auto-submitted"}
        headers = replace(headers, fields=fields)
    found = {
        Screening.OWN: bool(headers.all(OWN_HEADER)),  # gateways can remove this header
        _find_program(mail, headers): True,
        Screening.LIST: any(map(headers.all, ("list-id", "list-unsubscribe", "list-post"))),
        Screening.OVERSIZE: len(mail.raw) > LARGEST_MAIL,
        Screening.AUTHOR: not headers.author,
        Screening.REPLY: True,
    }
    rules = known | choose_rules(found)
    if rules.isdisjoint((Screening.OVERSIZE, Screening.AUTHOR, Screening.STRANGER)):
        rules -= {Screening.ECHO}  # an answer that is refused again could loop with an auto-responder
    return next(rule for rule in Screening if rule in rules)


# --- proof of the author: Authentication-Results (RFC 8601) ---------------------------------------------

# Any sender can write an Authentication-Results header. Only headers with the authserv-id of the operator's
# mail server count, because that server removes such headers from mails that come from outside (section 5).
# Two results for a mail, or a result about a domain other than the author's, prove nothing. The existing
# library has not changed since 2019, so the header is parsed here.

AUTHENTICATION_RESULTS = "authentication-results"
DMARC = re.compile(r"(?:^| )dmarc")
PROVEN = ("pass", "none")
"""Results by which a mail counts as its author's (RFC 7489, section 11.2): passed, or nothing demanded."""


def is_author_proven(headers: Headers, authserv: str) -> bool:
    """Return whether the headers with this authserv-id have one readable result about the author's domain."""
    judged = list[str]()
    for value in map(_simplify, own_values(headers, authserv)):
        head, *parts = value.split(";")
        if OPEN.search(value) or head.split()[1:] not in ([], ["1"]):
            return False
        judged += filter(DMARC.search, parts)
    pairs = [word.partition("=") for part in judged for word in part.split()]
    if len(judged) != 1 or pairs[0][0] not in ("dmarc", "dmarc/1") or pairs[0][2] not in PROVEN:
        return False
    if not all(equals and "=" not in value for _, equals, value in pairs):
        return False
    author = f".{_ascii(headers.author)}"
    # A result about a parent domain, or without a domain, is accepted.
    domains = (_ascii(value) for name, _, value in pairs if name == "header.from")
    return all(author.endswith(f".{domain}") for domain in domains)


def own_values(headers: Headers, authserv: str) -> list[str]:
    """Return the values with exactly this authserv-id in any case; comments may stand before it."""
    own = re.compile(rf'{COMMENTS}("?){re.escape(authserv)}\1(?=[\s;(]|$)', re.IGNORECASE | re.ASCII)
    return [value for name, value in headers.written if name == AUTHENTICATION_RESULTS and own.match(value)]


def _ascii(domain: str) -> str:
    domain = domain.rpartition("@")[2].rstrip(".")
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+"|\\.|\((?:[^()\\]|\\.)*+\)', re.DOTALL)
COMMENTS = r"(?:\s|\((?:[^()\\]|\\.)*+\))*+"
DEEPEST_COMMENT = 5
OPEN = re.compile(r'["()\\]')
"""Signs that remain in a value if a comment or a quotation is not closed."""


def _simplify(value: str) -> str:
    """Return a value in lower case without comments, with one word for each quoted string and each pair."""

    def clean(found: re.Match[str]) -> str:
        match found[0][0]:
            case "(":
                return " "
            case '"':
                return re.sub(r"[^\w.@-]", "_", found[0][1:-1])
            case _:
                return found[0]

    value = value.lower()
    for _ in range(DEEPEST_COMMENT):  # comments can nest (RFC 5322, 3.2.2): the innermost ones go first
        value = STRING_OR_COMMENT.sub(clean, value)
    return re.sub(" ?= ?", "=", " ".join(value.split())).replace(" . ", ".")


# --- bounces --------------------------------------------------------------------------------------------


class DeliveryStatus(StrEnum):
    """The status of a sent letter, the worst first."""

    FAILED = "failed"
    DELAYED = "delayed"
    DELIVERED = "delivered"


SEVERITY = tuple(DeliveryStatus)
STATUS_IN_REPORTS = {
    **{one.value: one for one in DeliveryStatus},
    **dict.fromkeys(("relayed", "expanded", "2"), DeliveryStatus.DELIVERED),
    "4": DeliveryStatus.DELAYED,
    "5": DeliveryStatus.FAILED,
}
"""The status for each action in a report (RFC 3464), and for each class of its status codes."""
MOST_BLOCKS = 20
"""Maximum number of blocks read in the machine-readable part; each letter has only one recipient."""
MOST_GUESSED_BYTES = 48 * 1024
MOST_GUESSED_LINES, LONGEST_GUESSED = 600, 300
LONGEST_REASON = 200
GLOBAL_TYPE = re.compile(rb"\bmessage/global-", re.IGNORECASE)
"""A content type with addresses beyond ASCII (RFC 6533), which the parser does not know."""
RECIPIENT = re.compile(r"[^\s<>;,\"]{1,64}@[^\s<>;,\"]{1,255}")
MESSAGE_ID_LINE = re.compile(rb"^[> \t]*Message-ID:\s{0,4}(<[!-;=?-~]{1,200}>)", re.I | re.M)
REPLY_TO_LINE = re.compile(
    rb"^[> \t]*Reply-To:(?:\r?\n[ \t]|[^\r\n<>]){0,99}?<?([!-;=?-~]{1,99}@[!-;=?-~]{1,255})", re.I | re.M
)
REASON_LINE = re.compile(rb"^.*(?:\b5\d\d[ -]|[# (]5\.\d{1,3}\.\d{1,3}\b).*$", re.MULTILINE)
ENHANCED_STATUS_CODE = re.compile(r"(?<![\d.])[45]\.[1-9]\d{0,2}\.\d{1,3}(?!\.?\d)")
NAMES = re.compile(r"\S*@\S*|\[[^\]]*\]|[\w-]+(?:\.[\w-]+)+")


class RefusalCause(StrEnum):
    MAILBOX = "mailbox"
    SENDER = "sender"
    UNCLEAR = "unclear"


# In enhanced status codes (RFC 3463), x.1 and x.2 are about the mailbox, x.4 about the network, x.7 about
# policy and security. A temporary error (4.x) that is about neither mailbox nor network counts as caused by
# the sender.
CAUSES = (
    (r"\b\d\.(?:1\.10?|2\.[12])\b", RefusalCause.MAILBOX),  # which does not exist, is closed or is full
    (
        r"\b(?:ip|spf|dkim|dmarc|ptr|rdns|rbl|rate|too many (?:connections|e?-?mails|messages|recipients))\b"
        r"|spam|unsolicited|block(?:ed|list)|black-?list|reputation|authenti|reverse (?:dns|lookup|name)"
        r"|\b\d\.(?:1\.[78]|7\.\d+)\b|\b4\.(?![124]\.)\d+\.",
        RefusalCause.SENDER,
    ),
    (r"^\d\.[12]\.", RefusalCause.MAILBOX),
    (r"^\d\.", RefusalCause.UNCLEAR),
    # These words blame the sender too, but only in a reply without an enhanced status code.
    (r"relay|block|black|denied|policy|sender|not permitted", RefusalCause.SENDER),
    (r"\b55[0-3]\b", RefusalCause.MAILBOX),
)


def judge_refusal(reply: str) -> RefusalCause:
    """Return the cause of a mail server's refusal, found in the status codes and words of its reply."""
    said = " ".join((*ENHANCED_STATUS_CODE.findall(reply), NAMES.sub(" ", reply)))
    causes = (cause for pattern, cause in CAUSES if re.search(pattern, said, re.IGNORECASE))
    return next(causes, RefusalCause.UNCLEAR)


@dataclass(frozen=True, slots=True)
class BounceReport:
    address: str
    """The recipient of the letter, in lower case; empty if unknown."""
    fate: DeliveryStatus
    reason: str
    """One line of at most 200 characters without control characters; may be empty."""
    message_id: str = ""
    reply_to: str = ""
    """The letter's Reply-To, unknown to a forger; empty if the report does not contain the letter."""


def is_complaint(mail: Mail) -> bool:
    """True if a mail provider reports that a recipient marked a letter as spam (RFC 5965)."""
    return "feedback-report" in " ".join(mail.headers.all("content-type")).lower()


def parse_bounce(mail: Mail, suspected: bool) -> BounceReport | None:
    """Return the bounce report in a mail; None for other mails; never raises.

    `suspected`: screening classified the mail as a bounce, so forms other than RFC 3464 are tried too.
    """
    raw = mail.raw[:LARGEST_PARSED]
    lines = raw[:MOST_GUESSED_BYTES].splitlines()[:MOST_GUESSED_LINES]
    short = b"\n".join(line[:LONGEST_GUESSED] for line in lines)
    found = None
    with suppress(*PARSE_ERRORS):
        if not parsed_mail.is_costly(raw):
            found = _parse_report(raw)
        if found is None and suspected and not parsed_mail.is_costly(short):
            found = _guess_bounce(short)
    if found is None:
        return None
    message_id, reply_to = (_find_in_letter(line, raw) for line in (MESSAGE_ID_LINE, REPLY_TO_LINE))
    return replace(found, message_id=message_id, reply_to=reply_to.lower())


def _parse_report(raw: bytes) -> BounceReport | None:
    """Return the worst fate in a report."""
    whole = PARSER.parsebytes(GLOBAL_TYPE.sub(b"message/", raw))
    if whole.get_content_type() != "multipart/report":
        return None
    parts = (part for part in whole.walk() if part.get_content_type() == "message/delivery-status")
    blocks = (part.get_payload() for part in parts)
    first = next((found for found in blocks if isinstance(found, list)), [])[:MOST_BLOCKS]
    reports = [made for block in first if isinstance(block, Message) and (made := _parse_block(block))]
    return min(reports, key=lambda one: SEVERITY.index(one.fate), default=None)


def _parse_block(block: Message[str, str]) -> BounceReport | None:
    given = block.get("original-recipient") or block.get("final-recipient") or ""
    action = block.get("action", "").partition(" ")[0].strip().lower()
    status = " ".join(block.get("status", "").split()[:1])
    fate = STATUS_IN_REPORTS.get(action) or STATUS_IN_REPORTS.get(status[:1])
    if fate is None or not (given or action):
        return None
    kind, _, said = block.get("diagnostic-code", "").partition(";")
    words = said or kind
    if status not in words:
        words = f"{status} {words}"
    return BounceReport(_find_address(given), fate, clean_name(words, LONGEST_REASON))


def _find_address(text: str) -> str:
    found = RECIPIENT.search(text)
    return found.group().lower() if found else ""


def _find_in_letter(pattern: re.Pattern[bytes], raw: bytes) -> str:
    end = END_OF_HEADERS.search(raw)
    found = pattern.search(raw[: 2 * MOST_GUESSED_BYTES], end.end()) if end else None
    return found[1].decode() if found else ""


def _guess_bounce(short: bytes) -> BounceReport | None:
    try:
        _, failed = all_failures(PARSER.parsebytes(short))
    except Exception:  # flufl.bounce fails on some mails
        return None
    addresses = {found for one in failed if (found := _find_address(one.decode("ascii", "replace")))}
    if len(addresses) != 1:
        return None  # each letter has only one recipient
    said = REASON_LINE.search(short)
    why = clean_name(said.group().decode("utf-8", "replace"), LONGEST_REASON) if said else ""
    return BounceReport(addresses.pop(), DeliveryStatus.FAILED, why)
