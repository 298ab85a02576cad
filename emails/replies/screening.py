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
    PARSE_ERRORS,
    PARSER,
    Headers,
    Mail,
    parse_headers,
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


STRANGER = gettext_noop("The mail came from another address than yours.")
EXPIRED = gettext_noop("This answers an older mail: the game has moved on since.")
NO_AUTHOR = gettext_noop("The mail does not name exactly one address as its sender.")


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

    OWN = "own", ScreeningFate.IGNORED, "This is a letter of ours that came back."
    BOUNCE = "bounce", ScreeningFate.RETURNED, "A mail program sent a letter of ours back."
    AUTOMATIC = "automatic", ScreeningFate.IGNORED, "A program wrote this, not a person."
    LIST = "list", ScreeningFate.IGNORED, "This came through a mailing list."
    UNKNOWN = "unknown", ScreeningFate.IGNORED, "The address it was sent to is not one of ours."
    DOUBLE = "double", ScreeningFate.IGNORED, "This mail was taken in before."
    TOO_MANY = "too many", ScreeningFate.IGNORED, "Too many mails came within the hour."
    TOLD_BEFORE = (
        "told before",
        ScreeningFate.IGNORED,
        "The address it was sent to has ended, and its player was informed before.",
    )
    ECHO = (
        "echo",
        ScreeningFate.IGNORED,
        "It answers a refusal, and would be refused for the same reason.",
    )
    OVERSIZE = (
        "oversize",
        ScreeningFate.REFUSED,
        gettext_noop("The mail is too large; send it without files."),
    )
    SET_BACK = (
        "set back",
        ScreeningFate.REFUSED,
        gettext_noop(
            "The game was set back: the server lost its last hours, and what the mail is about that you "
            "answered did not count. Answer this one instead."
        ),
    )
    WITHDRAWN = (
        "withdrawn",
        ScreeningFate.REFUSED,
        gettext_noop("Your links were made new since the mail that you answered: answer this one instead."),
    )
    AUTHOR = "author", ScreeningFate.REFUSED, NO_AUTHOR
    STRANGER = "stranger", ScreeningFate.REFUSED, STRANGER
    FINISHED = (
        "finished",
        ScreeningFate.REFUSED,
        gettext_noop(
            "The game is over, and mails to it are not read any more: its page still shows it, and there you "
            "can write to the others, and play again with the same people."
        ),
    )
    CALLED_OFF = (
        "called off",
        ScreeningFate.REFUSED,
        gettext_noop("The game was called off before it began, and mails to it are not read any more."),
    )
    SILENT = (
        "silent",
        ScreeningFate.REFUSED,
        gettext_noop(
            "The mail that you answered is so old that answers to it are not read any more: answer this one "
            "instead, or open the page of the game."
        ),
    )
    """For too long the seat has neither sent a mail nor received a letter."""
    UNPROVEN = "unproven", ScreeningFate.CONFIRMED, "It is not shown that its writer's address is theirs."
    EXPIRED = "expired", ScreeningFate.NOT_PLAYED, EXPIRED
    REPLY = "reply", ScreeningFate.PLAYED, "A player's reply."
    """No other rule matches."""


ENDED_ROWS = frozenset({Screening.FINISHED, Screening.CALLED_OFF, Screening.SILENT})


ADDRESS = re.compile(r"([^\s<>@\"(),:;]+)@[^\s<>@\"(),:;]+")
BOUNCE_SENDERS = re.compile(r"mailer-?daemon|mail-daemon|mdaemon", re.IGNORECASE)
AUTOMATIC_SENDERS = re.compile(
    r"postmaster|no[-_.]?reply|do[-_.]?not[-_.]?reply|auto[-_.]?(?:reply|responder)|bounces?(?:[-+].*)?|"
    r"listserv|majordomo|.*-bounces",
    re.IGNORECASE,
)
LIST_SENDERS = re.compile(r".*-(?:request|owner)|owner-.*", re.IGNORECASE)
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
    own = [line for line in mail.text.own if line]
    picture, *below = own or [""]
    if any(map(str.isalnum, picture)) or picture.isascii() or not 0 < len(below) <= MOST_REACTION_LINES:
        return False
    return all(map(REACTION.search, below))


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


def _local_parts(*written: str) -> list[str]:
    # An envelope sender without @, such as MAILER-DAEMON, counts as a local part.
    return [name.lower() for one in written for name in ADDRESS.findall(one) or [one]]


def _find_program(mail: Mail, headers: Headers) -> Screening:
    """Return the rule for a bounce or for another mail by a program; `REPLY` for a mail by a person."""
    programs = join_programs(tuple(LANGUAGES))
    envelope_from = mail.envelope_from.strip().strip("<>").lower()
    names = _local_parts(envelope_from, *headers.all("from"), *headers.all("sender"))

    def has(name: str, pattern: str) -> bool:
        named = (values for one, values in headers.fields.items() if re.fullmatch(name, one))
        return any(re.match(pattern, value, re.IGNORECASE) for values in named for value in values)

    failed = bool(headers.all("x-failed-recipients"))  # Postfix marks these auto-replied
    report = failed or has("content-type", r"multipart/report\b.*delivery-status")
    # a read receipt (RFC 8098), or an automatic answer (RFC 3834)
    is_receipt = has("content-type", r"multipart/report\b.*disposition-notification") or (
        has("auto-submitted", "auto-replied") and not report
    )
    if not is_receipt and (
        not envelope_from
        or failed
        or has("content-type", "multipart/report")
        or any(BOUNCE_SENDERS.fullmatch(name) for name in names)
        or has("subject", "|".join(programs["bounced"]))
    ):
        return Screening.BOUNCE
    # The author's own address can look like a list program's, so it counts only beside list headers.
    lists = {name for name in names if LIST_SENDERS.fullmatch(name)}
    if not any(name == "precedence" or name.startswith("list-") for name in headers.fields):
        lists.difference_update(_local_parts(*headers.all("from")))
    is_automatic = (
        is_receipt
        or not envelope_from
        or mail.body.by_program
        or any(has(name, pattern) for name, pattern in AUTOMATIC_HEADERS.items())
        or any(AUTOMATIC_SENDERS.fullmatch(name) for name in names)
        or lists
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
DMARC = "dmarc"


PROVEN = ("pass", "none")
"""Results by which a mail counts as its author's (RFC 7489, section 11.2): passed, or nothing demanded."""


def is_author_proven(headers: Headers, authserv: str) -> bool:
    """Return whether the headers with this authserv-id have one readable result about the author's domain."""
    judged = []
    for value in own_values(headers, authserv):
        (head, *parts), whole = _split(value)
        found = AUTHSERV.fullmatch(head)
        if not whole or found is None or found["version"] not in ("", "1"):
            return False
        for part in parts:
            pairs = [] if PAIR.sub("", part).strip() else PAIR.findall(part)
            if pairs and pairs[0][0].lower() == DMARC:
                judged.append(pairs)
            elif not pairs and DMARC in part.lower():
                return False
    if len(judged) != 1:
        return False
    (_, result), *properties = judged[0]
    author = f".{_ascii(headers.author)}"
    # A result about a parent domain, or without a domain, is accepted.
    named = (_ascii(value) for name, value in properties if "".join(name.lower().split()) == "header.from")
    return result.lower() in PROVEN and all(author.endswith(f".{domain}") for domain in named)


def own_values(headers: Headers, authserv: str) -> list[str]:
    values = (value for name, value in headers.written if name == AUTHENTICATION_RESULTS)
    named = ((value, AUTHSERV.match(_split(value)[0][0])) for value in values)
    return [value for value, found in named if found and _unquoted(found["id"]).lower() == authserv.lower()]


def _ascii(domain: str) -> str:
    domain = _unquoted(domain).rpartition("@")[2].lower().rstrip(".")
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


def _unquoted(words: str) -> str:
    return words.replace('"', "")


QUOTED_STRING = r'"(?:[^"\\]|\\.)*+"'
COMMENT = r"\((?:[^()\\]|\\.)*+\)"
STRING_OR_COMMENT = re.compile(rf"({QUOTED_STRING}|\\.)|{COMMENT}", re.DOTALL)
DEEPEST_COMMENT = 5
WITHOUT_COMMENTS = re.compile(rf'(?:{QUOTED_STRING}|[^"()])*+', re.DOTALL)
PART = re.compile(rf'(?:{QUOTED_STRING}|[^";])+', re.DOTALL)
AUTHSERV = re.compile(rf"\s*(?P<id>{QUOTED_STRING}|[^\s;]+)\s*(?P<version>\S*)\s*", re.DOTALL)
PAIR = re.compile(
    rf"(?<![\w-])([\w-]+(?:\s*\.\s*[\w-]+)?)\s*(?:/\s*\d+\s*)?=\s*((?:{QUOTED_STRING}|[^\s\"])+)",
    re.DOTALL | re.ASCII,
)
"""A method and its result, or a property and its value, which can be partly quoted: "a b"@example.org."""


def _split(value: str) -> tuple[list[str], bool]:
    """Split a value at `;`, without comments; also returns whether all comments and quotations are closed."""
    for _ in range(DEEPEST_COMMENT):  # comments can nest (RFC 5322, 3.2.2): the innermost ones go first
        value = STRING_OR_COMMENT.sub(lambda found: found[1] or " ", value)
    return PART.findall(value) or [""], WITHOUT_COMMENTS.fullmatch(value) is not None


# --- bounces --------------------------------------------------------------------------------------------


class DeliveryStatus(StrEnum):
    """The status of a sent letter, the worst first."""

    FAILED = "failed"
    DELAYED = "delayed"
    DELIVERED = "delivered"


SEVERITY = tuple(DeliveryStatus)
STATUS_OF_ACTION = {one.value: one for one in DeliveryStatus} | dict.fromkeys(
    ("relayed", "expanded"), DeliveryStatus.DELIVERED
)
"""The status for each action in a report (RFC 3464)."""
STATUS_OF_CLASS = {"2": DeliveryStatus.DELIVERED, "4": DeliveryStatus.DELAYED, "5": DeliveryStatus.FAILED}
MOST_STATUS = 32 * 1024
MOST_BLOCKS = 20
"""Maximum number of blocks read in the machine-readable part; each letter has only one recipient."""
MOST_GUESSED_BYTES = 48 * 1024
MOST_GUESSED_LINES, LONGEST_GUESSED = 600, 300
LONGEST_REASON = 200
STATUS_TYPES = ("text/inner-delivery-status", "text/inner-global-delivery-status")
LETTER_TYPES = ("text/inner-rfc822", "text/inner-global", "text/inner-global-headers", "text/rfc822-headers")
"""Content types of the returned letter in a bounce; the parser reads "message/..." as "text/inner-..."."""
INNER_MESSAGE = re.compile(rb"\bmessage/", re.IGNORECASE)
RECIPIENT = re.compile(r"[^\s<>;,\"]{1,64}@[^\s<>;,\"]{1,255}")
MESSAGE_ID_LINE = re.compile(rb"^[> \t]*Message-ID:\s{0,4}(<[^<>\s]{1,200}>)", re.IGNORECASE | re.MULTILINE)
REPLY_TO_LINE = re.compile(
    rb"^[> \t]*Reply-To:[^\r\n<>]{0,99}?<?([^<>\s]{1,99}@[^<>\s]{1,255})", re.I | re.MULTILINE
)
REASON_LINE = re.compile(rb"^.*(?:\b5\d\d[ -]|[# (]5\.\d{1,3}\.\d{1,3}\b).*$", re.MULTILINE)
ENHANCED_STATUS_CODE = re.compile(r"(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)")
CODES_OF_NO_MAILBOX = {("1", "1"), ("1", "10"), ("2", "1"), ("2", "2")}
"""Last two numbers of enhanced status codes for a mailbox that does not exist, is closed or is full."""
CODES_OF_SENDER = {("1", "7"), ("1", "8")}
NAMES = re.compile(r"\S*@\S*|\[[^\]]*\]|[\w-]+(?:\.[\w-]+)+")
WORDS_ABOUT_SENDER = re.compile(
    r"\b(?:ip|spf|dkim|dmarc|ptr|rdns|rbl|rate|too many (?:connections|e?-?mails|messages|recipients))\b"
    r"|spam|unsolicited|block(?:ed|list)|black-?list|reputation|authenti|reverse (?:dns|lookup|name)",
    re.IGNORECASE,
)
# These words blame the sender too, but only in a reply without an enhanced status code.
WORDS_BESIDE_NO_CODE = re.compile(r"relay|block|black|denied|policy|sender|not permitted", re.IGNORECASE)
BASIC_CODE_OF_MAILBOX = re.compile(r"\b55[0-3]\b")


class RefusalCause(StrEnum):
    MAILBOX = "mailbox"
    SENDER = "sender"
    UNCLEAR = "unclear"


def judge_refusal(reply: str) -> RefusalCause:
    """Return the cause of a mail server's refusal, found in the status codes and words of its reply.

    In enhanced status codes (RFC 3463), x.1 and x.2 are about the mailbox, x.4 about the network, x.7 about
    policy and security. A temporary error (4.x) that is about neither mailbox nor network counts as caused
    by the sender.
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
    reply_to: str
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
    found, letter = None, b""
    with suppress(*PARSE_ERRORS):
        if not parsed_mail.is_costly(raw):
            found, letter = _parse_dsn(raw)
        if found is None and suspected and not parsed_mail.is_costly(short):
            found = _guess_bounce(short)
    if found is None:
        return None
    brought = parse_headers(letter)
    return BounceReport(
        *found,
        brought.first("message-id")[:320] or _find_in_letter(MESSAGE_ID_LINE, raw),
        _find_address(brought.first("reply-to")) or _find_address(_find_in_letter(REPLY_TO_LINE, raw)),
    )


_Fate = tuple[str, DeliveryStatus, str]
"""The recipient of a letter, what became of it, and why."""


def _parse_dsn(raw: bytes) -> tuple[_Fate | None, bytes]:
    """Return the worst fate in a report and the letter that it contains."""
    # The parser does not parse inner messages of another type.
    whole = PARSER.parsebytes(INNER_MESSAGE.sub(b"text/inner-", raw))
    if whole.get_content_type() != "multipart/report":
        return None, b""
    leaves = [part for part in whole.walk() if not part.is_multipart()]
    status = next((_bytes(part) for part in leaves if part.get_content_type() in STATUS_TYPES), b"")
    letter = next((_bytes(part) for part in leaves if part.get_content_type() in LETTER_TYPES), b"")
    blocks = re.split(rb"\r?\n[ \t]*\r?\n", status[:MOST_STATUS].strip())[:MOST_BLOCKS]
    found = [made for block in blocks if (made := _parse_block(parse_headers(block.strip() + b"\n\n")))]
    return min(found, key=lambda one: SEVERITY.index(one[1]), default=None), letter


def _bytes(part: Message[str, str]) -> bytes:
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _parse_block(block: Headers) -> _Fate | None:
    given = block.first("original-recipient") or block.first("final-recipient")
    status = block.first("status").strip()
    action = block.first("action").partition(" ")[0].strip().lower()
    fate = STATUS_OF_ACTION.get(action) or STATUS_OF_CLASS.get(status[:1])
    if fate is None or not (given or block.all("action")):
        return None
    kind, _, said = block.first("diagnostic-code").partition(";")
    words = said or kind
    if status and status.split()[0] not in words:
        words = f"{status} {words}"
    return _find_address(given), fate, clean_name(words, LONGEST_REASON)


def _find_address(text: str | bytes) -> str:
    found = RECIPIENT.search(text.decode("ascii", "replace") if isinstance(text, bytes) else text)
    return found.group().lower() if found else ""


def _find_in_letter(pattern: re.Pattern[bytes], raw: bytes) -> str:
    end = END_OF_HEADERS.search(raw)
    found = pattern.search(raw[: 2 * MOST_GUESSED_BYTES], end.end()) if end else None
    return found[1].decode("ascii", "replace") if found else ""


def _guess_bounce(short: bytes) -> _Fate | None:
    try:
        _, failed = all_failures(PARSER.parsebytes(short))
    except Exception:  # flufl.bounce fails on some mails
        return None
    addresses = {found for one in failed if (found := _find_address(one))}
    if len(addresses) != 1:
        return None  # each letter has only one recipient
    said = REASON_LINE.search(short)
    why = clean_name(said.group().decode("utf-8", "replace"), LONGEST_REASON) if said else ""
    return addresses.pop(), DeliveryStatus.FAILED, why
