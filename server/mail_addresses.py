"""Mail addresses: as one mailbox has them, as a digest, shortened; where nobody plays; the operator's."""

from __future__ import annotations

import re
from email.utils import parseaddr
from hashlib import sha256

from emails.picture.palette import clean_name
from emails.tokens import is_inbox_address, normalise_domain
from server.configuration.settings import Settings

LONGEST_SHOWN = 120
DIGEST_DIGITS = 32
LOOSE_DOMAINS = {
    **dict.fromkeys(("gmail.com", "googlemail.com"), ("gmail.com", ".")),
    **dict.fromkeys(("proton.me", "protonmail.com", "pm.me"), ("proton.me", "._-")),
}
"""Providers of a mailbox under several domains: for each one of them, and the signs ignored before the @."""
SAME_DOMAINS = dict.fromkeys(("me.com", "mac.com"), "icloud.com")
"""Domains of one provider that stored digests of addresses tell apart, and so does `normalise_address`."""
RESERVED_NAMES = re.compile(
    r"postmaster|hostmaster|webmaster|abuse|root|daemon|mailer-daemon|admin(?:istrator)?|security|noc|usenet"
    r"|www|uucp|ftp|no[-_.]?reply|do[-_.]?not[-_.]?reply|bounces?|nobody|null|spam"
    r"|listserv|majordomo|.+-(?:request|owner|bounces)|owner-.+"
)
"""Names of offices and programs, where no person plays (RFC 2142 and custom)."""
RESERVED_DOMAINS = re.compile(r"(?:.+\.)?(?:localhost|localdomain|local|internal|invalid|onion|arpa)")
"""Domains that no mail over the net can reach (RFC 6761, RFC 6762)."""


def normalise_address(address: str) -> str:
    """The mailbox that an address leads to: without case, tag after a +, and signs that are ignored."""
    name, _, domain = address.strip().strip("<>").lower().rpartition("@")
    name, domain = name.strip('"').partition("+")[0], normalise_domain(domain)
    if domain in LOOSE_DOMAINS:
        domain, ignored = LOOSE_DOMAINS[domain]
        name = name.translate(str.maketrans("", "", ignored))
    return f"{name}@{domain}"


def is_same_mailbox(one: str, other: str) -> bool:
    """Whether two addresses lead to one mailbox: whose a mail is follows from it.

    Letters go to an address as it was typed, for at few providers the tag after a + is no tag.
    """
    return _fold_domain(one) == _fold_domain(other)


def _fold_domain(address: str) -> tuple[str, str]:
    name, _, domain = normalise_address(address).rpartition("@")
    return name, SAME_DOMAINS.get(domain, domain)


def digest_address(address: str) -> str:
    """The digest under which a mailbox is known: of SHA-256 of its normalised address 32 hexadecimal digits.

    So many are enough that no two mailboxes are one, and few enough for a link.
    """
    return sha256(normalise_address(address).encode("utf-8", "replace")).hexdigest()[:DIGEST_DIGITS]


def mask_address(address: str) -> str:
    """An address as whoever knows it recognises it and nobody else, such as "a…@example.org"."""
    name, _, domain = clean_name(address, LONGEST_SHOWN).rpartition("@")
    return f"{name[:1]}…@{domain}"


def is_reserved_address(address: str, settings: Settings) -> bool:
    """Whether nobody can play at an address: an office's, one that no mail reaches, or one of this server."""
    name, _, domain = normalise_address(address).rpartition("@")
    own = parseaddr(settings.mail_from)[1]
    return (
        RESERVED_NAMES.fullmatch(name) is not None
        or RESERVED_DOMAINS.fullmatch(domain) is not None
        or re.fullmatch(r"[\d.]+|\[.*", domain) is not None
        or normalise_address(address) == normalise_address(own)
        or is_inbox_address(address, settings.mail_domain)
    )


def contact_address(settings: Settings) -> str:
    """Where whoever runs this server is written to: their office, where it is passed on to somebody."""
    return f"postmaster@{settings.mail_domain}" if settings.operator else parseaddr(settings.mail_from)[1]
