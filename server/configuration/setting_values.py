"""What each setting may be: its text becomes a value, or a `ValueError` says what is wrong with it."""

from __future__ import annotations

import math
import re
from pathlib import Path

from pydantic import SecretStr

from server.configuration.endpoints import DOMAIN, Endpoint, ImapMailbox, ListenEndpoint, Relay
from server.configuration.networks import Network, read_networks
from server.configuration.secret import check_secret

LONGEST_BASE_URL = 40
"""Characters: a header with a link of ours must not be folded."""
LONGEST_HSTS = 63_072_000
"""Seconds: two years, the most that lists of such hosts ask for."""
MOST_UNASKED_PER_DAY = 1_000_000
LONGEST_TICK = 3600
"""Seconds: a deadline should not pass for longer without anybody noticing."""

MAIL_FROM_FORM = re.compile(r"""(?:"[^"\\]*"|[^][()<>@:;,."\\]*)\s*<([^<>]*)>|([^<>]*)""")
LOCAL_PART_FORM = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}", re.ASCII)
SELECTOR_FORM = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,2}")
AUTHSERV_FORM = re.compile(r"[A-Za-z0-9._-]{1,255}")
BASE_URL_FORM = re.compile(r"https?://(\[[^\]]+\]|[^/:]+)(:[^/]+)?(/[\w.~-]+)*", re.ASCII)


def parse_base_url(text: str) -> str:
    """The address of the pages."""
    if text.endswith("/"):
        raise ValueError("ends with a slash")
    if len(text) > LONGEST_BASE_URL:
        raise ValueError(f"has {len(text)} characters")
    found = BASE_URL_FORM.fullmatch(text)
    if not found:
        raise ValueError("is no web address, or says more than where the pages begin")
    Endpoint.read(found[1] + (found[2] or ":80"))
    return text


def parse_secret(text: str) -> SecretStr:
    """One secret, which nobody can guess."""
    check_secret(text)
    return SecretStr(text)


def parse_secrets(text: str) -> SecretStr:
    """Several secrets, with commas between them; they stay one text."""
    parts = split_secrets(text)
    for number, part in enumerate(parts, 1):
        try:
            check_secret(part)
        except ValueError as error:
            raise ValueError(
                f"{error} (number {number} of {len(parts)})" if parts[1:] else str(error)
            ) from None
    return SecretStr(text)


def split_secrets(text: str) -> list[str]:
    """The secrets of a text, the one that seals first."""
    return [part.strip() for part in text.split(",")]


def parse_mail_from(text: str) -> str:
    """The address that letters come from, with a name before it or without."""
    found = MAIL_FROM_FORM.fullmatch(text)
    if not found or not text.isprintable():
        raise ValueError("is not one address (a name with signs in it stands in quotation marks)")
    mailbox, _, domain = (found[1] or found[2]).rpartition("@")
    if not LOCAL_PART_FORM.fullmatch(mailbox) or not DOMAIN.fullmatch(domain):
        raise ValueError("is no mail address")
    return text


def parse_mail_domain(text: str) -> str:
    """The domain of the addresses for answers."""
    if not DOMAIN.fullmatch(text):
        raise ValueError("is no domain")
    return text.lower()


def parse_mail_out(text: str) -> Relay | None:
    """The relay; None where letters are kept here."""
    return None if text == "local" else Relay.read(text)


def parse_mail_in(text: str) -> ListenEndpoint | ImapMailbox | None:
    """The way mail comes in; None where none does."""
    if text == "none":
        return None
    if text.startswith(("smtp://", "lmtp://")):
        return ListenEndpoint.read(text)
    if text.startswith(("imap://", "imaps://")):
        return ImapMailbox.read(text)
    raise ValueError("is neither none nor begins with smtp://, lmtp://, imap:// or imaps://")


def parse_mail_secret(text: str) -> SecretStr | None:
    """The secret of whoever hands in mail; None where nobody may."""
    return None if text == "none" else parse_secret(text)


def parse_networks(text: str) -> tuple[Network, ...]:
    """Addresses and networks; none of them for "none"."""
    return () if text == "none" else read_networks(text)


def parse_mail_authserv(text: str) -> str | None:
    """The name by which a mail server signs its verdicts; None where none does."""
    if not AUTHSERV_FORM.fullmatch(text):
        raise ValueError("is no such name")
    return None if text == "none" else text.lower()


def parse_mail_selector(text: str) -> str | None:
    """The name of the DKIM key; None where letters are not signed."""
    if not SELECTOR_FORM.fullmatch(text):
        raise ValueError("is no such name")
    return None if text == "none" else text


def parse_tick(text: str) -> float:
    """The seconds between two looks at the clock."""
    if not 0 < (seconds := _read_number(text)) <= LONGEST_TICK:
        raise ValueError(f"is no number above 0 and at most {LONGEST_TICK}")
    return seconds


def parse_house_seconds(text: str) -> float:
    """The seconds that a player of the house may think."""
    if not 0 <= (seconds := _read_number(text)) <= LONGEST_TICK:
        raise ValueError(f"is no number from 0 to {LONGEST_TICK}")
    return seconds


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:  # its words are not ours
        return math.nan


def parse_operator(text: str) -> str | None:
    """The mail address of the operator; None where nobody is told."""
    if text == "none":
        return None
    mailbox, _, domain = text.rpartition("@")
    if not LOCAL_PART_FORM.fullmatch(mailbox) or not DOMAIN.fullmatch(domain):
        raise ValueError("is no mail address")
    return text


def parse_backup(text: str) -> Path | None:
    """The folder of the daily copies; None where none are made."""
    if text == "none":
        return None
    if not Path(text).is_absolute():
        raise ValueError("is no path that begins with /")
    return Path(text)


def parse_unasked_per_day(text: str) -> int:
    """The letters that nobody has asked for within 24 hours."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 0 < int(text) <= MOST_UNASKED_PER_DAY:
        raise ValueError(f"is no whole number from 1 to {MOST_UNASKED_PER_DAY}")
    return int(text)


def parse_hsts(text: str) -> int:
    """The seconds for which browsers are to come by https."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > LONGEST_HSTS:
        raise ValueError(f"is no whole number from 0 to {LONGEST_HSTS}")
    return int(text)
