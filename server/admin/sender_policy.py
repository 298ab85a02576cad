"""Whether a domain's SPF record lets an address send for it (RFC 7208); asked of our own domain alone.

Not pyspf, which is not kept any more and asks the DNS in its own way: the world is asked in one place.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

from server.admin.dns_lookup import LookupFailed, RecordType
from server.admin.environment_probes import EnvironmentProbes, find_addresses

MOST_LOOKUPS = 10
"""Terms that ask the DNS (section 4.6.4), and hosts of one `mx`."""
MOST_VOID = 2
"""Of these, those to which the DNS knows no record: receivers stop at the third."""
PATIENCE = 20.0
"""Seconds for all that is asked, which section 4.6.4 gives receivers at least."""
TERM = re.compile(r"([-+~?]?)(all|include|a|mx|ip4|ip6|ptr|exists)(?:[:](.*?))?((?:/\d+)?(?://\d+)?)", re.I)
MODIFIER = re.compile(r"([a-z][\w.-]*)=(.*)", re.I)


class PolicyResult(StrEnum):
    """What a record says of an address."""

    PASS = "pass"
    FAIL = "fail"
    SOFT_FAIL = "softfail"
    NEUTRAL = "neutral"
    NONE = "none"
    PERMANENT_ERROR = "permerror"


RESULTS = {
    "": PolicyResult.PASS,
    "+": PolicyResult.PASS,
    "-": PolicyResult.FAIL,
    "~": PolicyResult.SOFT_FAIL,
    "?": PolicyResult.NEUTRAL,
}


class PolicyError(Exception):
    """A record that receivers do not evaluate; the sentence says why."""


class PolicyUnknown(Exception):
    """A record that is well, and says what is known of a letter alone; the sentence says which term."""


def find_policies(world: EnvironmentProbes, domain: str) -> list[str]:
    """The SPF records of a domain; more than one is as good as none."""
    return [one for one in world.look_up(domain, RecordType.TXT) if re.match(r"v=spf1( |$)", one, re.I)]


def evaluate_policy(world: EnvironmentProbes, domain: str, address: str, until: float) -> PolicyResult:
    """What a domain says of an address that sends for it; nothing is asked after a moment of `monotonic`.

    Raises `PolicyError`, `PolicyUnknown`, and `LookupFailed` where the DNS gives no answer, or none in time.
    """
    return _Evaluation(world, ipaddress.ip_address(address), until).evaluate(domain)


def check_time(until: float) -> None:
    """See that there is time for one more question. Raises `LookupFailed`."""
    if monotonic() > until:
        raise LookupFailed(f"the DNS has not answered all questions within {PATIENCE:.0f} seconds")


@dataclass(slots=True)
class _Evaluation:
    """One address, and how often the DNS was asked about it."""

    world: EnvironmentProbes
    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    until: float
    lookups: int = 0
    void: int = 0

    def evaluate(self, domain: str) -> PolicyResult:
        check_time(self.until)
        found = find_policies(self.world, domain)
        if len(found) > 1:
            raise PolicyError(f"{domain} has {len(found)} SPF records, so none counts")
        if not found:
            return PolicyResult.NONE
        other = ""
        for term in found[0].split()[1:]:
            if modifier := MODIFIER.fullmatch(term):
                other = modifier[2] if modifier[1].lower() == "redirect" else other
                continue
            read = TERM.fullmatch(term)
            if read is None:
                raise PolicyError(f"{domain}: {term} is no term of SPF")
            try:
                if self._matches(read[2].lower(), read[3] or "", read[4], domain):
                    return RESULTS[read[1]]
            except ValueError:
                raise PolicyError(f"{domain}: {term} is no term of SPF") from None
        _refuse_macros(other)
        return self._follow(other) if other else PolicyResult.NEUTRAL

    def _follow(self, domain: str) -> PolicyResult:
        """What another domain says, which must say something. Raises `PolicyError`."""
        self._count_lookup()
        said = self.evaluate(domain)
        if said is PolicyResult.NONE:
            raise PolicyError(f"{domain} has no SPF record, and is named by another")
        return said

    def _count_lookup(self) -> None:
        self.lookups += 1
        if self.lookups > MOST_LOOKUPS:
            raise PolicyError(f"it asks the DNS more than {MOST_LOOKUPS} times")

    def _count_void(self) -> None:
        self.void += 1
        if self.void > MOST_VOID:
            raise PolicyError(f"it asks the DNS more than {MOST_VOID} times for what is not there")

    def _matches(self, kind: str, value: str, prefix: str, domain: str) -> bool:
        """Whether a term holds for the address. Raises `ValueError`, `PolicyError`, `PolicyUnknown`."""
        _refuse_macros(value)
        match kind:
            case "all":
                return True
            case "ip4" | "ip6":
                network = ipaddress.ip_network(value + prefix, strict=False)
                if network.version != int(kind[2]):
                    raise ValueError(value)
                return self.address in network
            case "include" | "exists" if not value:
                raise ValueError(kind)
            case "include":
                return self._follow(value) is PolicyResult.PASS
            case "a":
                self._count_lookup()
                if not (known := self._addresses_of(value or domain)):
                    self._count_void()
                return self._is_near(known, prefix)
            case "mx":
                self._count_lookup()
                check_time(self.until)
                hosts = self.world.look_up(value or domain, RecordType.MX)
                if not hosts:
                    self._count_void()
                if len(hosts) > MOST_LOOKUPS:
                    raise PolicyError(f"{value or domain} has more than {MOST_LOOKUPS} mail servers")
                return any(self._is_near(self._addresses_of(host), prefix) for host in hosts if host)
            case _:  # ptr, which nobody should use, and exists, which is asked about a letter
                raise PolicyUnknown(f"what {kind} says of a letter is not known from here")

    def _addresses_of(self, host: str) -> list[str]:
        """The addresses of a host that are of the kind of ours."""
        check_time(self.until)
        return find_addresses(self.world, host, [self.address.version])

    def _is_near(self, known: list[str], prefix: str) -> bool:
        """Whether the address is one of these, or in a network of one."""
        short, _, long = prefix.partition("//")
        bits = {4: short.strip("/") or "32", 6: long or "128"}[self.address.version]
        return any(self.address in ipaddress.ip_network(f"{one}/{bits}", strict=False) for one in known)


def _refuse_macros(value: str) -> None:
    """A name that is made of the letter's sender and address is not known here. Raises `PolicyUnknown`."""
    if "%" in value:
        raise PolicyUnknown(f"what {value} is for a letter is not known from here")
