"""What the DNS says of the domain that letters come from: MX, SPF, DKIM, DMARC, names of addresses."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from email.utils import parseaddr
from enum import StrEnum
from time import monotonic

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from server.admin.dns_lookup import RecordType
from server.admin.sender_policy import (
    PATIENCE,
    PolicyError,
    PolicyResult,
    PolicyUnknown,
    check_time,
    evaluate_policy,
    find_policies,
)
from server.admin.surroundings import Surroundings, Unreachable
from server.configuration.settings import Settings

SHORTEST_KEY = 1024
"""Bits of an RSA key below which receivers take no signature (RFC 8301)."""
NAME_ADVICE = "whoever gave you the address sets its name; many mail servers refuse mail without it"


class CheckResult(StrEnum):
    """How something stands."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one thing."""

    what: str
    verdict: CheckResult
    said: str
    advice: str = ""
    """What can be done, where it is not well."""


def from_domain(settings: Settings) -> str:
    """The domain that letters come from."""
    return parseaddr(settings.mail_from)[1].rpartition("@")[2].lower()


def check_mx(settings: Settings, world: Surroundings) -> Finding:
    """Whether answers find the server."""
    domain = settings.mail_domain
    hosts = world.look_up(domain, RecordType.MX)
    if not [one for one in hosts if one]:
        said = f"{domain} has no MX record: answers do not arrive"
        return Finding("MX", CheckResult.WRONG, said, f"write into the zone: {domain}. MX 10 mail.{domain}.")
    for host in hosts:
        try:
            world.addresses_of(host)
        except Unreachable as error:
            return Finding("MX", CheckResult.WRONG, str(error), f"write an A record for {host}")
    return Finding("MX", CheckResult.OK, f"{domain} is served by {', '.join(hosts)}")


def check_spf(settings: Settings, world: Surroundings) -> Finding:
    """Whether those may send who do."""
    domain = settings.mail_domain
    found = find_policies(world, domain)
    if not found:
        said = f"{domain} says nothing of who may send for it"
        advice = f'write into the zone, with your relay: {domain}. TXT "v=spf1 mx include:RELAY -all"'
        return Finding("SPF", CheckResult.WRONG, said, advice)
    if len(found) > 1:
        said = f"{domain} has {len(found)} SPF records, so none counts"
        return Finding("SPF", CheckResult.WRONG, said, "make one of them")
    if re.search(r"(^| )\+?all( |$)", found[0], re.I):
        return Finding("SPF", CheckResult.WRONG, f"{found[0]}: anybody may send", "end it with -all")
    return _evaluate_spf(settings, world, found[0])


def _evaluate_spf(settings: Settings, world: Surroundings, record: str) -> Finding:
    """Whether it lets those send who do; where that is not set, this machine or the relay's own address."""
    domain, until = settings.mail_domain, monotonic() + PATIENCE
    known = settings.mail_sends_from or _is_relay_here(settings)
    said, unknown = dict[str, PolicyResult](), ""
    for one in _senders(settings, world):
        try:
            said[one] = evaluate_policy(world, domain, one, until)
        except PolicyUnknown as error:
            unknown = str(error)
        except PolicyError as error:
            advice = "mend the record; receivers take it for none"
            return Finding("SPF", CheckResult.WRONG, str(error), advice)
    bad = [f"{one}: {result}" for one, result in said.items() if result is not PolicyResult.PASS]
    if bad and known:
        return Finding("SPF", CheckResult.WRONG, f"{record} says {', '.join(bad)}", "name it: ip4: or mx")
    if unknown:
        advice = "send a letter to a mailbox elsewhere: its Authentication-Results should have spf=pass"
        return Finding("SPF", CheckResult.UNKNOWN, f"{record}: {unknown}", advice)
    if not bad:
        return Finding("SPF", CheckResult.OK, f"{record} lets {', '.join(said) or 'nobody'} send")
    advice = "see that it names what your provider asks for (include:), or set ALEXANDROS_MAIL_SENDS_FROM"
    return Finding("SPF", CheckResult.UNKNOWN, "from where the relay sends is not known here", advice)


def _is_relay_here(settings: Settings) -> bool:
    return settings.mail_out is None or settings.mail_out.at.is_loopback


def _senders(settings: Settings, world: Surroundings) -> list[str]:
    """The addresses from which letters leave, as far as is known: of a network the first and the last."""
    if settings.mail_sends_from:
        ends = [(net.network_address, net.broadcast_address) for net in settings.mail_sends_from]
        return list(dict.fromkeys(str(one) for pair in ends for one in pair))
    if (relay := settings.mail_out) is None or _is_relay_here(settings):
        hosts = world.look_up(settings.mail_domain, RecordType.MX)
    else:
        hosts = [relay.at.host]
    return [one for host in hosts if host for one in world.addresses_of(host)]


def check_dkim(settings: Settings, world: Surroundings, selector: str) -> Finding:
    """Whether the key is there by which letters are signed."""
    domain = from_domain(settings)
    if not selector:
        said = "not looked at: nobody has said by which name letters are signed"
        advice = "set ALEXANDROS_MAIL_SELECTOR: the s= in the DKIM-Signature of a letter"
        return Finding("DKIM", CheckResult.UNKNOWN, said, advice)
    name = f"{selector}._domainkey.{domain}"
    found = [one for one in world.look_up(name, RecordType.TXT) if re.search(r"\bp=", one)]
    if not found:
        return Finding(
            "DKIM", CheckResult.WRONG, f"{name} has no key", "write the key there that signs letters"
        )
    if not re.search(r"\bp=\s*[A-Za-z0-9+/]", found[0]):
        return Finding("DKIM", CheckResult.WRONG, f"the key at {name} is revoked", "write the new key there")
    return _check_key(name, found[0])


def _check_key(name: str, record: str) -> Finding:
    """Whether what is published can be a key, and is long enough for large providers."""
    tags = dict(re.findall(r"(\w+)\s*=\s*([^;]*)", record))
    try:
        data = base64.b64decode("".join(tags["p"].split()), validate=True)
        if tags.get("k", "rsa").strip().lower() == "ed25519":
            bits = 8 * len(Ed25519PublicKey.from_public_bytes(data).public_bytes_raw())
            return Finding("DKIM", CheckResult.OK, f"{name} has a key, ed25519 of {bits} bits")
        key = load_der_public_key(data)
    except (ValueError, KeyError, UnsupportedAlgorithm):
        return Finding("DKIM", CheckResult.WRONG, f"{name} has no key that can be read", "write it anew")
    bits = key.key_size if isinstance(key, RSAPublicKey) else 0
    if bits < SHORTEST_KEY:
        return Finding("DKIM", CheckResult.WRONG, f"the key at {name} has {bits} bits", "make one of 2048")
    return Finding("DKIM", CheckResult.OK, f"{name} has a key of {bits} bits")


def check_dmarc(settings: Settings, world: Surroundings) -> Finding:
    """Whether it is said what becomes of letters that are not proved."""
    labels = from_domain(settings).split(".")
    for first in range(max(1, len(labels) - 1)):
        name = "_dmarc." + ".".join(labels[first:])
        found = [one for one in world.look_up(name, RecordType.TXT) if re.match(r"v=DMARC1\s*;", one)]
        if len(found) == 1:
            policy = re.search(r"\bp\s*=\s*(\w+)", found[0])
            if policy is None or policy[1].lower() not in ("quarantine", "reject"):
                advice = "once SPF and DKIM are well, write p=quarantine, so that nobody can write as you"
                return Finding("DMARC", CheckResult.WRONG, f"{name}: {found[0]}", advice)
            return Finding("DMARC", CheckResult.OK, f"{name}: {found[0]}")
    name = f"_dmarc.{from_domain(settings)}"
    advice = f'write into the zone: {name}. TXT "v=DMARC1; p=quarantine"'
    return Finding("DMARC", CheckResult.WRONG, "there is none: large providers want one", advice)


def check_ptr(settings: Settings, world: Surroundings) -> Finding:
    """The names of the addresses that send, where they are known; else the relay's are its owner's."""
    if not settings.mail_sends_from and (settings.mail_out is None or not _is_relay_here(settings)):
        return Finding(
            "PTR", CheckResult.OK, "letters leave from the relay's machine, whose name is its owner's"
        )
    single = [str(net.network_address) for net in settings.mail_sends_from if net.num_addresses == 1]
    if settings.mail_sends_from and not single:
        return Finding("PTR", CheckResult.OK, "letters leave from a network, whose names are its owner's")
    addresses, until = single or _senders(settings, world), monotonic() + PATIENCE
    for address in addresses:
        check_time(until)
        name = world.name_of(address)
        if address not in world.addresses_of(name):
            said = f"{address} says it is {name}, which has another address"
            return Finding("PTR", CheckResult.WRONG, said, NAME_ADVICE)
    return Finding("PTR", CheckResult.OK, f"{', '.join(addresses) or 'no host'}: names and addresses agree")
