"""Setup check: settings, DNS records, relay, mailbox, clock and disk."""

from __future__ import annotations

import ctypes
import re
import shutil
import socket
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parseaddr
from enum import StrEnum
from functools import partial
from imaplib import IMAP4
from pathlib import Path
from typing import Literal

from dns.exception import DNSException
from dns.resolver import NXDOMAIN, NoAnswer, resolve
from imap_tools.errors import ImapToolsError, MailboxLoginError
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col

from server.delivery.relay import RelayAway, SmtpTransport
from server.inbox import imap
from server.monitoring import LEAST_FREE
from server.network import Endpoint, ImapMailbox, ListenEndpoint, Relay
from server.settings import Settings, file_of_database
from server.store.database import describe_database_error, open_database
from server.store.dialects import NoDatabase, SchemaMismatch, system_of
from server.store.models import Game
from server.store.states import GameStatus

PATIENCE = 10.0
MOST_READ = 100
NOT_SYNCHRONISED = 5
"""Result of `adjtimex` for a clock that is not synchronised (TIME_ERROR)."""

RecordType = Literal["MX", "TXT"]
PASSWORD_ADVICE = "set user and password in ALEXANDROS_MAIL_IN; some providers have one for programs"


class Unreachable(Exception):
    def __init__(self, sentence: str, advice: str = "") -> None:
        super().__init__(sentence)
        self.advice = advice


class LiveProbes:
    """Probes of the environment: DNS, relay, mailbox, sockets, clock and disk. They raise `Unreachable`."""

    def look_up(self, name: str, kind: RecordType) -> list[str]:
        try:
            found = resolve(name, kind, search=False, lifetime=PATIENCE)
        except (NXDOMAIN, NoAnswer):
            return []
        except (DNSException, OSError) as error:
            raise Unreachable(f"the DNS gives no answer about {name}: {error}") from None
        if kind == "MX":
            return [str(one.exchange).rstrip(".") for one in found]
        return [b"".join(one.strings).decode("ascii", "replace") for one in found]

    def greet_relay(self, relay: Relay) -> str:
        """Connect to the relay and sign in, as for letters; return the TLS version."""
        transport = SmtpTransport(relay, PATIENCE)
        try:
            transport.probe()
            return transport.tls_version
        finally:
            transport.close()

    def open_mailbox(self, box: ImapMailbox) -> float | None:
        """Sign in and open or create the folders; return the used share of the mailbox's quota, if known."""
        try:
            with imap.open_mailbox(box, PATIENCE) as opened:
                imap.ensure_folders(opened)
                return imap.measure_quota(opened, box.folder)
        except (OSError, IMAP4.error, ImapToolsError, imap.MailboxUnavailable) as error:
            advice = PASSWORD_ADVICE if isinstance(error, MailboxLoginError) else ""
            raise Unreachable(imap.describe_error(box, error), advice) from None

    def connect(self, at: Endpoint) -> None:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(at.host, at.host)
        try:
            socket.create_connection((host, at.port), PATIENCE).close()
        except OSError as error:
            raise Unreachable(f"nothing listens at {at}: {error}") from None

    def fetch(self, url: str) -> str:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as page:  # the address is a setting
                said: bytes = page.read(MOST_READ)
        except (OSError, ValueError) as error:
            raise Unreachable(f"{url}: {error}") from None
        return said.decode("utf-8", "replace").strip()

    def is_clock_set(self) -> bool | None:
        """Return whether the kernel reports a synchronised clock; None if unknown."""
        try:
            state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512))
        except (OSError, AttributeError):
            return None
        return None if state < 0 else state != NOT_SYNCHRONISED

    def free_bytes(self, path: str) -> int:
        try:
            return shutil.disk_usage(Path(path).absolute().parent).free
        except OSError as error:
            raise Unreachable(f"{path}: {error}") from None


class CheckResult(StrEnum):
    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    verdict: CheckResult
    what: str
    said: str
    advice: str = ""


_ok = partial(CheckFinding, CheckResult.OK)
_wrong = partial(CheckFinding, CheckResult.WRONG)
_unknown = partial(CheckFinding, CheckResult.UNKNOWN)
RECORDS_ADVICE = "write it into the zone (config/mail/dns.zone has an example of each record)"


def from_domain(settings: Settings) -> str:
    return parseaddr(settings.mail_from)[1].rpartition("@")[2].lower()


def check_mx(settings: Settings, world: LiveProbes) -> CheckFinding:
    hosts = [host for host in world.look_up(settings.mail_domain, "MX") if host]
    return _judge("MX", "names the hosts that take its mail", settings.mail_domain, hosts)


def check_spf(settings: Settings, world: LiveProbes) -> CheckFinding:
    found = _find_texts(world, settings.mail_domain, r"(?i)v=spf1( |$)")
    return _judge("SPF", "names the servers that may send its mail", settings.mail_domain, found)


def check_dkim(settings: Settings, world: LiveProbes, selector: str) -> CheckFinding:
    if not selector:
        said = "not checked: the name of the DKIM key is not set"
        advice = "set ALEXANDROS_MAIL_SELECTOR: the s= in the DKIM-Signature of a letter"
        return _unknown("DKIM", said, advice)
    name = f"{selector}._domainkey.{from_domain(settings)}"
    found = _find_texts(world, name, r".*\bp=")
    return _judge("DKIM", "holds the key by which its letters are signed", name, found)


def check_dmarc(settings: Settings, world: LiveProbes) -> CheckFinding:
    labels = from_domain(settings).split(".")
    names = ["_dmarc." + ".".join(labels[first:]) for first in range(max(1, len(labels) - 1))]
    says = "says what receivers do with letters that fail both SPF and DKIM"
    for name in names:
        found = _find_texts(world, name, r"v=DMARC1\s*;")
        if found:
            return _judge("DMARC", says, name, found)
    return _judge("DMARC", says, names[0], [])


def _find_texts(world: LiveProbes, name: str, form: str) -> list[str]:
    return [one for one in world.look_up(name, "TXT") if re.match(form, one)]


def _judge(what: str, says: str, name: str, found: list[str]) -> CheckFinding:
    if not found:
        said = f"{name} has no such record, which {says}"
        return _wrong(what, said, RECORDS_ADVICE)
    return _ok(what, f"{name} {says}: {', '.join(found)}")


LONGEST_SHOWN = 60
MOST_FULL = 0.9
SECRET_SETTINGS = frozenset({"secret", "mail_secret", "mail_out", "mail_in", "database"})
USUAL_GAME_BYTES = 182_000
"""Size in the database of a game with 23 acts and 52 letters, before letters are deleted."""
FEWEST_MEASURED = 20
"""Minimum number of games for which the mean size is measured rather than assumed."""
LEAST_WEEKS = 8


def check_setup(
    settings: Settings, world: LiveProbes, now: datetime, selector: str = ""
) -> Iterator[CheckFinding]:
    """Yield the finding of each check. `selector`: DKIM key to check instead of the one in the settings."""
    for name in type(settings).model_fields:
        yield _check_setting(settings, name)
    checks: list[tuple[str, Callable[[], CheckFinding]]] = [
        ("relay", lambda: _check_relay(settings, world)),
        ("mail in", lambda: _check_mail_in(settings, world)),
        ("pages", lambda: _check_pages(settings, world)),
        ("MX", lambda: check_mx(settings, world)),
        ("SPF", lambda: check_spf(settings, world)),
        ("DKIM", lambda: check_dkim(settings, world, selector or settings.mail_selector or "")),
        ("DMARC", lambda: check_dmarc(settings, world)),
        ("clock", lambda: _check_clock(world)),
        ("disk", lambda: _check_disk(settings, world, now)),
    ]
    for what, check in checks:
        try:
            yield check()
        except (Unreachable, RelayAway) as error:
            advice = getattr(error, "advice", "") or ADVICE.get(what, "")
            yield _wrong(what, str(error), advice)


ADVICE: Mapping[str, str] = {
    "relay": "check host, port, user and password in ALEXANDROS_MAIL_OUT; letters wait meanwhile",
    "mail in": "check ALEXANDROS_MAIL_IN; if the server listens itself, start `alexandros serve`",
    "pages": "check that the name leads here, `alexandros serve` runs, and the web server forwards requests",
    **dict.fromkeys(("MX", "SPF", "DKIM", "DMARC"), "check that this machine can query the DNS"),
    "disk": "check that the folder of the database exists",
}


def check_database(settings: Settings) -> CheckFinding:
    """Check that the database opens; do not create it, since it must belong to the server's user."""
    try:
        open_database(settings.database, making=False).dispose()
    except NoDatabase as error:
        return _unknown("database", str(error))
    except SchemaMismatch as error:
        return _wrong("database", str(error))
    except SQLAlchemyError as error:
        said = f"it cannot be used: {describe_database_error(error, settings.database)}"
        return _wrong("database", said, "start it, or check ALEXANDROS_DATABASE")
    return _ok("database", "it can be opened, and has the version of this program")


# --- the settings ---------------------------------------------------------------------------------------


def _check_setting(settings: Settings, name: str) -> CheckFinding:
    what = f"ALEXANDROS_{name.upper()}"
    if (fault := _find_fault(settings, name)) is not None:
        return _wrong(what, *fault)
    if (doubt := _find_doubt(settings, name)) is not None:
        return _unknown(what, *doubt)
    value = getattr(settings, name)
    if not value and name in UNSET:
        return _ok(what, UNSET[name])
    if name in SECRET_SETTINGS:
        return _ok(what, "set" if value is not None else "none")
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return _ok(what, (shown or "none")[:LONGEST_SHOWN])


Fault = tuple[str, str] | None


def _find_fault(settings: Settings, name: str) -> Fault:
    file, domain = file_of_database(settings.database), from_domain(settings)
    is_public = not re.match(r"https?://(localhost|127\.|\[::1\])", settings.base_url)
    is_https = settings.base_url.startswith("https://")
    match name:
        case "database" if file is not None and not file.is_absolute():
            return "the path is relative: another database in each folder", "write four slashes: ////var/…"
        case "base_url" if is_public and not is_https:
            return (
                "http: links can be intercepted, and letters have no unsubscribe button",
                "put a web server with HTTPS before it, and write https://",
            )
        case "mail_out" if settings.mail_out is None and is_public:
            return "letters stay on this machine", "name a relay: smtps://user:password@host:465"
        case "mail_from" if not _is_same_organisation(domain, settings.mail_domain):
            return (
                f"{domain} is another domain than {settings.mail_domain}: SPF does not count for DMARC",
                "take one domain for both, or let DKIM sign as the first",
            )
        case "mail_in" if settings.mail_in is None and settings.mail_secret is None and is_public:
            return (
                "none: answers come in only if a mail server runs `alexandros receive`",
                "name a listener or a mailbox; see config/mail.md, Mail comes in",
            )
        case "operator" if settings.operator is None:
            return "none: mail to postmaster@ and abuse@ is lost", "set your own address, at another domain"
        case "operator" if _leads_back(settings):
            return (
                "it leads back to this server",
                "use an address at another domain, or let Postfix deliver it",
            )
        case "trusted_proxies" if is_https and not settings.trusted_proxies:
            return (
                "none, but HTTPS ends at a proxy: all visitors count as one",
                "name the web server: 127.0.0.1, ::1",
            )
    return None


def _leads_back(settings: Settings) -> bool:
    address = (settings.operator or "").lower()
    return address.endswith(f"@{settings.mail_domain}") and settings.mail_in is not None


def _find_doubt(settings: Settings, name: str) -> Fault:
    comes_in = settings.mail_in is not None or settings.mail_secret is not None
    match name:
        case "mail_authserv" if settings.mail_authserv is None and comes_in:
            return (
                "not set: senders are not verified, so a mail with a forged From plays",
                "let your mail server check DMARC, and set the name in its Authentication-Results",
            )
        case "hsts" if settings.base_url.startswith("https://") and not settings.hsts:
            return (
                "0: browsers may use http",
                "once https works reliably, set 31536000, or let the web server in front send the header",
            )
    return None


UNSET: Mapping[str, str] = {
    "mail_out": "local: letters stay in the built-in mailbox",
    "mail_selector": "not set: the DKIM key of letters is not checked",
    "mail_authserv": "not set: senders are not verified, but no mail comes in here",
    "backup": "not set: only `alexandros backup` copies the database",
}


def _is_same_organisation(one: str, other: str) -> bool:
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


# --- the environment --------------------------------------------------------------------------------------


def _check_relay(settings: Settings, world: LiveProbes) -> CheckFinding:
    relay = settings.mail_out
    if relay is None:
        return _ok("relay", "none: letters stay in the built-in mailbox")
    tls = world.greet_relay(relay)
    who = f", signed in as {relay.user}" if relay.user else ""
    if not tls and not relay.at.is_loopback:
        advice = "take a relay with TLS, or smtps://; letters hold links that play"
        return _wrong("relay", f"{relay.at} answers without TLS{who}", advice)
    return _ok("relay", f"{relay.at} answers, {tls or 'on this machine'}{who}")


def _check_mail_in(settings: Settings, world: LiveProbes) -> CheckFinding:
    match settings.mail_in:
        case None:
            return _ok("mail in", "none: no mail is fetched or received")
        case ListenEndpoint() as listener:
            world.connect(listener.at)
            return _ok("mail in", f"something listens at {listener.at}")
        case ImapMailbox() as box:
            used = world.open_mailbox(box)
            said = f"{box.at} accepts {box.user}, and {box.folder} exists"
            said += "" if used is None else f"; the mailbox is {used:.0%} full"
            if used is None or used < MOST_FULL:
                return _ok("mail in", said)
            advice = "delete mail there: once it is full, the players' mails bounce"
            return _wrong("mail in", said, advice)


def _check_pages(settings: Settings, world: LiveProbes) -> CheckFinding:
    said = world.fetch(f"{settings.base_url}/livez")
    if said != "ok":
        return _wrong("pages", f"{settings.base_url} is not this server", ADVICE["pages"])
    return _ok("pages", f"{settings.base_url} answers")


def _check_clock(world: LiveProbes) -> CheckFinding:
    match world.is_clock_set():
        case True:
            return _ok("clock", "it is synchronised")
        case False:
            return _wrong("clock", "it is not synchronised", "run chrony or systemd-timesyncd")
        case None:
            return _unknown("clock", "the system does not report it", "check that it is right")


def _measure_growth(settings: Settings, now: datetime) -> tuple[int, float]:
    """Return the mean size of a game in bytes, and the games begun per week in the last four weeks."""
    begun = col(Game.status).in_([GameStatus.RUNNING, GameStatus.OVER])
    is_new = col(Game.opened_at) > now - timedelta(weeks=4)
    try:
        database = open_database(settings.database, making=False)
        with ExitStack() as stack:
            stack.callback(database.dispose)
            connection = stack.enter_context(database.connect())
            counts = select(func.count(), func.count().filter(is_new)).where(begun)
            games, new = connection.execute(counts).one()
            size = system_of(database.url).measure_size(connection)
    except (SchemaMismatch, SQLAlchemyError):  # check_database reports the fault
        return USUAL_GAME_BYTES, 0
    return (USUAL_GAME_BYTES if games < FEWEST_MEASURED else size // games), new / 4


def _check_disk(settings: Settings, world: LiveProbes, now: datetime) -> CheckFinding:
    game_bytes, weekly = _measure_growth(settings, now)
    growth = f"{weekly:,.1f} new games a week, {game_bytes // 1000:,} KB each"
    file = file_of_database(settings.database)
    if file is None:
        said = f"not known from here: the database is on a server of its own ({growth})"
        return _unknown("disk", said, "check that there is room on its machine")
    free = world.free_bytes(str(file))
    room = free // game_bytes
    weeks = room / weekly if weekly else LEAST_WEEKS
    said = f"{free // 1_000_000:,} MB free where the database lies: {growth}, room for {room:,} more"
    if weekly:
        said += f", {weeks:,.0f} weeks"
    if free < LEAST_FREE or weeks < LEAST_WEEKS:
        return _wrong("disk", said, "make room; `alexandros prune` deletes expired data")
    return _ok("disk", said)
