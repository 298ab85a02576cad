"""Whether the domain that letters come from has its records in the DNS: MX, SPF, DKIM and DMARC.

What a record says is not judged: whether letters arrive is shown by a letter to a mailbox elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parseaddr
from enum import StrEnum

from server.admin.environment_probes import EnvironmentProbes
from server.configuration.settings import Settings


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


RECORDS_ADVICE = "write it into the zone (config/mail/dns.zone has an example of each record)"


def from_domain(settings: Settings) -> str:
    """The domain that letters come from."""
    return parseaddr(settings.mail_from)[1].rpartition("@")[2].lower()


def check_mx(settings: Settings, world: EnvironmentProbes) -> CheckFinding:
    """Whether answers find a mail server."""
    hosts = [host for host in world.look_up(settings.mail_domain, "MX") if host]
    return _judge("MX", "names the hosts that take its mail", settings.mail_domain, hosts)


def check_spf(settings: Settings, world: EnvironmentProbes) -> CheckFinding:
    """Whether receivers are told who may send."""
    found = _find_texts(world, settings.mail_domain, r"(?i)v=spf1( |$)")
    return _judge("SPF", "names those that may send its mail", settings.mail_domain, found)


def check_dkim(settings: Settings, world: EnvironmentProbes, selector: str) -> CheckFinding:
    """Whether the key is there by which letters are signed."""
    if not selector:
        said = "not looked at: nobody has said by which name letters are signed"
        advice = "set ALEXANDROS_MAIL_SELECTOR: the s= in the DKIM-Signature of a letter"
        return CheckFinding("DKIM", CheckResult.UNKNOWN, said, advice)
    name = f"{selector}._domainkey.{from_domain(settings)}"
    found = _find_texts(world, name, r".*\bp=")
    return _judge("DKIM", "holds the key by which its letters are signed", name, found)


def check_dmarc(settings: Settings, world: EnvironmentProbes) -> CheckFinding:
    """Whether receivers are told what becomes of letters that nothing proves; a parent domain may say it."""
    labels = from_domain(settings).split(".")
    names = ["_dmarc." + ".".join(labels[first:]) for first in range(max(1, len(labels) - 1))]
    says = "says what becomes of letters that neither SPF nor DKIM proves"
    for name in names:
        found = _find_texts(world, name, r"v=DMARC1\s*;")
        if found:
            return _judge("DMARC", says, name, found)
    return _judge("DMARC", says, names[0], [])


def _find_texts(world: EnvironmentProbes, name: str, form: str) -> list[str]:
    return [one for one in world.look_up(name, "TXT") if re.match(form, one)]


def _judge(what: str, says: str, name: str, found: list[str]) -> CheckFinding:
    """What was found at a name in the DNS; `says`: what such a record means."""
    if not found:
        said = f"{name} has no such record, which {says}"
        return CheckFinding(what, CheckResult.WRONG, said, RECORDS_ADVICE)
    return CheckFinding(what, CheckResult.OK, f"{name} {says}: {', '.join(found)}")
