"""Mail addresses: normalising, digesting and masking; reserved addresses; the operator's contact."""

from __future__ import annotations

import re
from email.utils import parseaddr
from hashlib import sha256

from emails.picture.palette import clean_name
from emails.tokens import is_inbox_address, normalise_domain
from server.settings import Settings

LONGEST_SHOWN = 120
DIGEST_DIGITS = 32
LOOSE_DOMAINS = {
    **dict.fromkeys(("gmail.com", "googlemail.com"), ("gmail.com", ".")),
    **dict.fromkeys(("proton.me", "protonmail.com", "pm.me"), ("proton.me", "._-")),
}
"""By domain: the main domain of the provider, and the characters that it ignores in the local part."""
# alias domains; digests of addresses do not use them
SAME_DOMAINS = dict.fromkeys(("me.com", "mac.com"), "icloud.com")
RESERVED_NAMES = re.compile(
    r"postmaster|hostmaster|webmaster|abuse|root|daemon|mailer-daemon|admin(?:istrator)?|security|noc|usenet"
    r"|www|uucp|ftp|no[-_.]?reply|do[-_.]?not[-_.]?reply|bounces?|nobody|null|spam"
    r"|listserv|majordomo|.+-(?:request|owner|bounces)|owner-.+"
)
"""Local parts that no player can have: addresses of roles and programs (RFC 2142 and custom)."""
RESERVED_DOMAINS = re.compile(r"(?:.+\.)?(?:localhost|localdomain|local|internal|invalid|onion|arpa)")
"""Domains that internet mail cannot reach (RFC 6761, RFC 6762)."""


def normalise_address(address: str) -> str:
    """Normalise an address: lower case, without +tag and characters that its provider ignores."""
    name, _, domain = address.strip().strip("<>").lower().rpartition("@")
    name, domain = name.strip('"').partition("+")[0], normalise_domain(domain)
    if domain in LOOSE_DOMAINS:
        domain, ignored = LOOSE_DOMAINS[domain]
        name = name.translate(str.maketrans("", "", ignored))
    return f"{name}@{domain}"


def is_same_mailbox(one: str, other: str) -> bool:
    """Return whether two addresses name one mailbox.

    Letters still go to the address as typed, since at a few providers +tag is a part of the mailbox name.
    """
    return _fold_domain(one) == _fold_domain(other)


def _fold_domain(address: str) -> tuple[str, str]:
    name, _, domain = normalise_address(address).rpartition("@")
    return name, SAME_DOMAINS.get(domain, domain)


def digest_address(address: str) -> str:
    """Return the digest of a mailbox: 32 hexadecimal digits of SHA-256 of its normalised address.

    The digest is long enough to be unique, and short enough for a link.
    """
    return sha256(normalise_address(address).encode("utf-8", "replace")).hexdigest()[:DIGEST_DIGITS]


def mask_address(address: str) -> str:
    """Mask an address as "a…@example.org": recognisable only to people who know it."""
    name, _, domain = clean_name(address, LONGEST_SHOWN).rpartition("@")
    return f"{name[:1]}…@{domain}"


def is_reserved_address(address: str, settings: Settings) -> bool:
    """Return whether no player can have this address: a role's, this server's or an unreachable address."""
    name, _, domain = normalise_address(address).rpartition("@")
    return (
        RESERVED_NAMES.fullmatch(name) is not None
        or RESERVED_DOMAINS.fullmatch(domain) is not None
        or re.fullmatch(r"[\d.]+|\[.*", domain) is not None
        or normalise_address(address) == normalise_address(sender_address(settings))
        or is_inbox_address(address, settings.mail_domain)
    )


def sender_address(settings: Settings) -> str:
    """Return the address in From of letters, which some mail programs answer to."""
    return parseaddr(settings.mail_from)[1]


def is_sender_address(address: str, settings: Settings) -> bool:
    return address.lower() == sender_address(settings).lower()


def contact_address(settings: Settings) -> str:
    return f"postmaster@{settings.mail_domain}" if settings.operator else sender_address(settings)
