"""The service: starts and stops pages, mail and background jobs, which share one context.

At shutdown the service accepts no new connections, answers open requests, and finishes the mails, letters and
turns in progress. All other work is in the database and continues at the next start.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from threading import Event, Thread
from time import monotonic
from types import FrameType
from typing import Protocol

from flask import Flask

from emails.replies.screening import LARGEST_ACCEPTED
from server import readiness, web
from server.clock import note_mailbox
from server.connections import WebServer, create_web_server
from server.delivery.relay import choose_transport
from server.inbox import intake
from server.inbox.imap import ImapFetcher
from server.inbox.intake import is_deliverable, is_peer_banned, note_refused_address
from server.inbox.smtp import SmtpListener, SmtpPolicy
from server.loops import STOPPING_TAKES, Loops, WakeUps
from server.mail_addresses import sender_address
from server.monitoring import HealthWatch
from server.network import Endpoint, ImapMailbox, ListenEndpoint
from server.store.context import Context, utc_now
from server.store.states import EVERY_ROLE, Role, Roles
from server.thinker import ThinkingProcess
from server.web.kit import assets

LARGEST_REQUEST, LARGEST_MAIL_REQUEST = 2 * web.MAX_REQUEST_BYTES, 2 * LARGEST_ACCEPTED
LANES = 4
"""Number of connections to the relay, so that a letter that hangs does not delay the others."""
ANSWERING_TAKES = STOPPING_TAKES / 2
FIRST_PASSED = 3
MAIL = "mail"
"""Name of the socket for incoming mail; all other sockets are for pages."""
READY, STOPPING = "READY=1", "STOPPING=1"


def create_app(context: Context, now: Callable[[], datetime] = utc_now) -> Flask:
    app = Flask("server.web", static_folder=None)
    app.config["NOW"] = now
    web.register(app, context)
    return app


class Stoppable(Protocol):
    """A part of the service that finishes its work in progress before it stops."""

    def ask_to_stop(self) -> None:
        """Start no more work."""

    def join(self, seconds: float, /) -> None:
        """Wait at most `seconds` until the part has stopped."""


class PortUnavailable(Exception):
    """A configured port cannot be opened; the message names the setting."""

    def __init__(self, setting: str, at: Endpoint, error: Exception) -> None:
        reason = getattr(error, "strerror", None) or error
        super().__init__(f"{setting}: the server cannot listen at {at}: {reason}")


class NoVisitors:
    """Replaces the web server in a process without pages."""

    def __init__(self) -> None:
        self._stopping = Event()

    def run(self) -> None:
        self._stopping.wait()

    def stop(self) -> None:
        self._stopping.set()

    def drain(self, seconds: float) -> None:
        """Do nothing: there are no connections."""

    def close(self) -> None:
        """Do nothing: there are no connections."""


def serve(context: Context, ready: Callable[[], None], roles: Roles = EVERY_ROLE) -> None:
    """Run the given roles until a signal; call `ready` after the start. Raises `PortUnavailable`."""
    settings, passed = context.settings, take_passed_sockets(os.environ)
    context.shared_keys = context.system.open_keys(settings.database)
    with ExitStack() as stack:
        if context.shared_keys is not None:
            stack.callback(context.shared_keys.close)
        server = _open_pages(context, passed, roles)
        stack.callback(server.close)
        _call_at_signal(server.stop)  # before work starts that must not be interrupted
        parts = _take_mail_in(context, passed) if Role.MAIL in roles else []
        stack.callback(_stop, parts)
        thinking = _think_elsewhere(context, roles)
        parts.extend(thinking)
        readiness.add_thinking_check(context, thinking)
        lanes = [choose_transport(context, utc_now) for _ in range(1 + LANES if settings.mail_out else 1)]
        loops = Loops.of(context, lanes, utc_now, roles=roles)
        loops.start(context)
        parts.append(loops)
        readiness.add_loop_checks(context, loops)
        readiness.add_role_checks(context, roles, loops, utc_now)
        if loops.each:
            listening = WakeUps(context, loops.wake)
            listening.start()
            parts.append(listening)
        watch = HealthWatch(context.health)
        watch.start()
        parts.append(watch)
        ready()
        notify_manager(os.environ, READY)
        if Role.PAGES in roles:
            Thread(target=assets.subset_all_fonts, name="faces", daemon=True).start()
        server.run()
        notify_manager(os.environ, STOPPING)
        until = monotonic() + STOPPING_TAKES
        for one in parts:
            one.ask_to_stop()
        server.drain(ANSWERING_TAKES)
        _stop(parts, until - monotonic())
        parts.clear()


def _open_pages(context: Context, passed: PassedSockets, roles: Roles) -> WebServer | NoVisitors:
    if Role.PAGES not in roles:
        readiness.add_store_checks(context, utc_now)
        return NoVisitors()
    app, listen = create_app(context), context.settings.listen
    try:
        # Another address could expose pages that the setting keeps to this machine.
        check_passed(passed.pages, listen)
        largest = LARGEST_REQUEST if context.settings.mail_secret is None else LARGEST_MAIL_REQUEST
        proxies = context.settings.trusted_proxies
        return create_web_server(app, listen, largest, passed=passed.pages, trusted=proxies)
    except (OSError, ValueError) as error:
        raise PortUnavailable("ALEXANDROS_LISTEN", listen, error) from None


def _stop(parts: Sequence[Stoppable], seconds: float = STOPPING_TAKES) -> None:
    until = monotonic() + seconds
    for one in parts:
        one.ask_to_stop()
    for one in parts:
        one.join(max(0.0, until - monotonic()))


def _think_elsewhere(context: Context, roles: Roles = EVERY_ROLE) -> list[ThinkingProcess]:
    found: list[ThinkingProcess] = []
    if context.settings.house_seconds and Role.HOUSE in roles:
        context.thinker = for_house = ThinkingProcess(context.events.note_lost_thinker)
        found.append(for_house)
    if context.settings.house_seconds and Role.PAGES in roles:  # a visitor waits for the result
        context.adviser = for_pages = ThinkingProcess(context.events.note_lost_thinker, niceness=0)
        found.append(for_pages)
    return found


def _take_mail_in(context: Context, passed: PassedSockets) -> list[Stoppable]:
    settings = context.settings

    def take_in(sender: str, recipient: str, raw: bytes, network: str = "") -> None:
        intake.store_mail(context, sender, recipient, raw, utc_now(), network)

    def deliverable(address: str) -> bool:
        taken = is_deliverable(context, address)
        if not taken:
            note_refused_address(context, address, utc_now())
        return taken

    def banned(peer: str, address: str) -> bool:
        return is_peer_banned(context, peer, address, utc_now())

    match settings.mail_in:
        case ListenEndpoint(at, lmtp):
            trusted = settings.trusted_proxies
            policy = SmtpPolicy(settings.mail_domain, deliverable, banned, relays=trusted, lmtp=lmtp)
            listener = SmtpListener(at, policy, take_in, passed.mail)
            try:
                check_passed(passed.mail, at)
                listener.start()
            except (OSError, ValueError) as error:
                raise PortUnavailable("ALEXANDROS_MAIL_IN", at, error) from None
            return [listener]
        case ImapMailbox() as box:
            note = partial(note_mailbox, context)
            sender = sender_address(settings)
            collector = ImapFetcher(box, settings.mail_domain, take_in, deliverable, note=note, sender=sender)
            collector.start()
            return [collector]
    return []


def _call_at_signal(stop: Callable[[], None]) -> None:
    """Call `stop` at the first signal; let the second signal end the process at once."""
    # Background processes of a shell ignore Ctrl+C.
    numbers = [one for one in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(one) != signal.SIG_IGN]

    def handle(_: int, __: FrameType | None) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        stop()

    for number in numbers:
        signal.signal(number, handle)


# --- systemd: sd_listen_fds(3), sd_notify(3) ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PassedSockets:
    pages: tuple[socket.socket, ...] = ()
    mail: tuple[socket.socket, ...] = ()


def take_passed_sockets(environment: MutableMapping[str, str]) -> PassedSockets:
    """Return the sockets passed to this process; delete the variables so that no child process takes them."""
    given = [environment.pop(name, "") for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")]
    process, count, names = given
    if process != str(os.getpid()) or not count.isdecimal():
        return PassedSockets()
    called = names.split(":") if names else []
    pages: list[socket.socket] = []
    mail: list[socket.socket] = []
    for number in range(int(count)):
        os.set_inheritable(FIRST_PASSED + number, False)
        is_mail = called[number : number + 1] == [MAIL]
        (mail if is_mail else pages).append(socket.socket(fileno=FIRST_PASSED + number))
    return PassedSockets(tuple(pages), tuple(mail))


def check_passed(passed: Sequence[socket.socket], listen: Endpoint) -> None:
    """Check that passed sockets listen at the configured address. Raises `ValueError`."""
    for one in passed:
        if one.family not in (socket.AF_INET, socket.AF_INET6) or one.type != socket.SOCK_STREAM:
            raise ValueError("a passed socket is not a TCP socket")
        host, port = one.getsockname()[:2]
        hosts = {info[4][0] for info in socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM)}
        if port != listen.port or host not in hosts:
            raise ValueError(f"a passed socket listens at {Endpoint(host, port)}")


def notify_manager(environment: MutableMapping[str, str], state: str) -> None:
    address = environment.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return
    with (
        suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line,
    ):  # the manager may have ended
        line.sendto(state.encode(), "\0" + address[1:] if address[0] == "@" else address)
