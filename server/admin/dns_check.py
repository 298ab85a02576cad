"""What the DNS says of the domain that letters come from: MX, SPF, DKIM, DMARC, names of addresses."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from email.utils import parseaddr
from enum import StrEnum
from ipaddress import ip_address, ip_network
from time import monotonic

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from server.admin.dns_lookup import RecordType
from server.admin.environment_probes import EnvironmentProbes, find_addresses, find_names
from server.admin.sender_policy import (
    PATIENCE,
    PolicyError,
    PolicyResult,
    PolicyUnknown,
    check_time,
    evaluate_policy,
    find_policies,
)
from server.configuration.endpoints import ListenEndpoint
from server.configuration.settings import Settings

SHORTEST_KEY = 1024
"""Bits of an RSA key below which receivers take no signature (RFC 8301)."""
MX_ADVICE = "see that it hands the mail on to this machine, or that its address is mapped to this one"
NAME_ADVICE = "whoever gave you the address sets its name; many mail servers refuse mail without it"
SENDER_ADVICE = "set ALEXANDROS_MAIL_SENDS_FROM: the addresses that the world sees letters come from"
UNSEEN = tuple(
    map(
        ip_network,
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16"
        " ::/127 fc00::/7 fe80::/10".split(),
    )
)
"""Loopback and private networks: what is there is seen from outside with another address."""


class CheckResult(StrEnum):
    """How something stands."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """What was found of one thing."""

    what: str
    verdict: CheckResult
    said: str
    advice: str = ""
    """What can be done, where it is not well."""


def from_domain(settings: Settings) -> str:
    """The domain that letters come from."""
    return parseaddr(settings.mail_from)[1].rpartition("@")[2].lower()


def check_mx(settings: Settings, world: EnvironmentProbes) -> CheckFinding:
    """Whether answers find the server."""
    domain = settings.mail_domain
    hosts = world.look_up(domain, RecordType.MX)
    if not [one for one in hosts if one]:
        said = f"{domain} has no MX record: answers do not arrive"
        return CheckFinding(
            "MX", CheckResult.WRONG, said, f"write into the zone: {domain}. MX 10 mail.{domain}."
        )
    found = list[str]()
    for host in hosts:
        addresses = find_addresses(world, host) if host else []
        found += addresses
        if not addresses:
            said = f"{host or 'the empty name'} has no address in the DNS"
            return CheckFinding("MX", CheckResult.WRONG, said, f"write an A record for {host}")
    served = f"{domain} is served by {', '.join(hosts)}"
    if isinstance(settings.mail_in, ListenEndpoint) and not any(map(world.is_own_address, found)):
        said = f"{served}: no address of this machine, which listens for mail itself"
        return CheckFinding("MX", CheckResult.UNKNOWN, said, MX_ADVICE)
    return CheckFinding("MX", CheckResult.OK, served)


def check_spf(settings: Settings, world: EnvironmentProbes) -> CheckFinding:
    """Whether those may send who do."""
    domain = settings.mail_domain
    found = find_policies(world, domain)
    if not found:
        said = f"{domain} says nothing of who may send for it"
        advice = f'write into the zone, with your relay: {domain}. TXT "v=spf1 mx include:RELAY -all"'
        return CheckFinding("SPF", CheckResult.WRONG, said, advice)
    if len(found) > 1:
        said = f"{domain} has {len(found)} SPF records, so none counts"
        return CheckFinding("SPF", CheckResult.WRONG, said, "make one of them")
    if re.search(r"(^| )\+?all( |$)", found[0], re.I):
        return CheckFinding("SPF", CheckResult.WRONG, f"{found[0]}: anybody may send", "end it with -all")
    return _evaluate_spf(settings, world, found[0])


def _evaluate_spf(settings: Settings, world: EnvironmentProbes, record: str) -> CheckFinding:
    """Whether it lets those send who do; where that is not set, this machine or the relay's own address."""
    domain, until = settings.mail_domain, monotonic() + PATIENCE
    known = settings.mail_sends_from or _is_relay_here(settings)
    said, unknown, senders = dict[str, PolicyResult](), "", _senders(settings, world)
    for one in filter(_is_seen, senders):
        try:
            said[one] = evaluate_policy(world, domain, one, until)
        except PolicyUnknown as error:
            unknown = str(error)
        except PolicyError as error:
            advice = "mend the record; receivers take it for none"
            return CheckFinding("SPF", CheckResult.WRONG, str(error), advice)
    bad = [f"{one}: {result}" for one, result in said.items() if result is not PolicyResult.PASS]
    if bad and known:
        return CheckFinding(
            "SPF", CheckResult.WRONG, f"{record} says {', '.join(bad)}", "name it: ip4: or mx"
        )
    if unknown:
        advice = "send a letter to a mailbox elsewhere: its Authentication-Results should have spf=pass"
        return CheckFinding("SPF", CheckResult.UNKNOWN, f"{record}: {unknown}", advice)
    if obscure := _name_obscure(senders):
        return CheckFinding("SPF", CheckResult.UNKNOWN, obscure, SENDER_ADVICE)
    if not bad:
        return CheckFinding("SPF", CheckResult.OK, f"{record} lets {', '.join(said)} send")
    advice = "see that it names what your provider asks for (include:), or set ALEXANDROS_MAIL_SENDS_FROM"
    return CheckFinding("SPF", CheckResult.UNKNOWN, "from where the relay sends is not known here", advice)


def _is_relay_here(settings: Settings) -> bool:
    return settings.mail_out is None or settings.mail_out.at.is_loopback


def _senders(settings: Settings, world: EnvironmentProbes) -> list[str]:
    """The addresses from which letters leave, as far as is known: of a network the first and the last."""
    if settings.mail_sends_from:
        ends = [(net.network_address, net.broadcast_address) for net in settings.mail_sends_from]
        return list(dict.fromkeys(str(one) for pair in ends for one in pair))
    if (relay := settings.mail_out) is not None and not _is_relay_here(settings):
        return [relay.at.host] if _is_address(relay.at.host) else find_addresses(world, relay.at.host)
    hosts = world.look_up(settings.mail_domain, RecordType.MX)
    found = [one for host in hosts if host for one in find_addresses(world, host)]
    # a provider who takes the mail sends none of our letters
    return [one for one in found if world.is_own_address(one)]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_seen(address: str) -> bool:
    """Whether the world can see letters come from there."""
    return not any(ip_address(address) in network for network in UNSEEN)


def _name_obscure(senders: list[str]) -> str:
    """What is not known of where letters leave from; empty where all is."""
    if not senders:
        return "from where letters leave is not known here"
    private = [one for one in senders if not _is_seen(one)]
    return f"{', '.join(private)}: the world sees letters come from another address" if private else ""


def check_dkim(settings: Settings, world: EnvironmentProbes, selector: str) -> CheckFinding:
    """Whether the key is there by which letters are signed."""
    domain = from_domain(settings)
    if not selector:
        said = "not looked at: nobody has said by which name letters are signed"
        advice = "set ALEXANDROS_MAIL_SELECTOR: the s= in the DKIM-Signature of a letter"
        return CheckFinding("DKIM", CheckResult.UNKNOWN, said, advice)
    name = f"{selector}._domainkey.{domain}"
    found = [one for one in world.look_up(name, RecordType.TXT) if re.search(r"\bp=", one)]
    if not found:
        return CheckFinding(
            "DKIM", CheckResult.WRONG, f"{name} has no key", "write the key there that signs letters"
        )
    if not re.search(r"\bp=\s*[A-Za-z0-9+/]", found[0]):
        return CheckFinding(
            "DKIM", CheckResult.WRONG, f"the key at {name} is revoked", "write the new key there"
        )
    return _check_key(name, found[0])


def _check_key(name: str, record: str) -> CheckFinding:
    """Whether what is published can be a key, and is long enough for large providers."""
    tags = dict(re.findall(r"(\w+)\s*=\s*([^;]*)", record))
    try:
        data = base64.b64decode("".join(tags["p"].split()), validate=True)
        if tags.get("k", "rsa").strip().lower() == "ed25519":
            bits = 8 * len(Ed25519PublicKey.from_public_bytes(data).public_bytes_raw())
            return CheckFinding("DKIM", CheckResult.OK, f"{name} has a key, ed25519 of {bits} bits")
        key = load_der_public_key(data)
    except (ValueError, KeyError, UnsupportedAlgorithm):
        return CheckFinding("DKIM", CheckResult.WRONG, f"{name} has no key that can be read", "write it anew")
    bits = key.key_size if isinstance(key, RSAPublicKey) else 0
    if bits < SHORTEST_KEY:
        return CheckFinding(
            "DKIM", CheckResult.WRONG, f"the key at {name} has {bits} bits", "make one of 2048"
        )
    return CheckFinding("DKIM", CheckResult.OK, f"{name} has a key of {bits} bits")


def check_dmarc(settings: Settings, world: EnvironmentProbes) -> CheckFinding:
    """Whether it is said what becomes of letters that are not proved."""
    labels = from_domain(settings).split(".")
    for first in range(max(1, len(labels) - 1)):
        name = "_dmarc." + ".".join(labels[first:])
        found = [one for one in world.look_up(name, RecordType.TXT) if re.match(r"v=DMARC1\s*;", one)]
        if len(found) == 1:
            said = dict(re.findall(r"(?:^|;)\s*(\w+)\s*=\s*(\w+)", found[0].lower()))
            tag = "sp" if first and "sp" in said else "p"  # what a parent says of the domains below it
            if said.get(tag) not in ("quarantine", "reject"):
                advice = f"once SPF and DKIM are well, write {tag}=quarantine: nobody can write as you then"
                return CheckFinding("DMARC", CheckResult.WRONG, f"{name}: {found[0]}", advice)
            return CheckFinding("DMARC", CheckResult.OK, f"{name}: {found[0]}")
    name = f"_dmarc.{from_domain(settings)}"
    advice = f'write into the zone: {name}. TXT "v=DMARC1; p=quarantine"'
    return CheckFinding("DMARC", CheckResult.WRONG, "there is none: large providers want one", advice)


def check_ptr(settings: Settings, world: EnvironmentProbes) -> CheckFinding:
    """The names of the addresses that send, where they are known; else the relay's are its owner's."""
    if not settings.mail_sends_from and settings.mail_out is None:
        return CheckFinding("PTR", CheckResult.OK, "no letters leave: there is no relay")
    if not settings.mail_sends_from and not _is_relay_here(settings):
        return CheckFinding(
            "PTR", CheckResult.OK, "letters leave from the relay's machine, whose name is its owner's"
        )
    single = [str(net.network_address) for net in settings.mail_sends_from if net.num_addresses == 1]
    if settings.mail_sends_from and not single:
        return CheckFinding(
            "PTR", CheckResult.OK, "letters leave from a network, whose names are its owner's"
        )
    addresses, until = single or _senders(settings, world), monotonic() + PATIENCE
    for address in filter(_is_seen, addresses):
        check_time(until)
        names = find_names(world, address)
        if not _leads_back(world, names, address, until):
            said = f"says it is {names[0]}, which has another address" if names else "has no name in the DNS"
            return CheckFinding("PTR", CheckResult.WRONG, f"{address} {said}", NAME_ADVICE)
    if obscure := _name_obscure(addresses):
        return CheckFinding("PTR", CheckResult.UNKNOWN, obscure, SENDER_ADVICE)
    return CheckFinding("PTR", CheckResult.OK, f"{', '.join(addresses)}: names and addresses agree")


def _leads_back(world: EnvironmentProbes, names: list[str], address: str, until: float) -> bool:
    """Whether one of the names of an address has it."""
    for name in names:
        check_time(until)
        if address in find_addresses(world, name):
            return True
    return False
