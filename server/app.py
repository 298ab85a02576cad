"""The whole service, wired: pages, mail and loops around one context; and how it stops.

When it is told to stop it listens no more, answers whoever has asked, and finishes the mails, letters and
turns in hand; what it cannot finish in time is in the database, and goes on at the next start.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime
from threading import Thread
from time import monotonic
from types import FrameType
from typing import Protocol

from flask import Flask

from emails.replies.screening import LARGEST_ACCEPTED
from server import readiness, web
from server.connections import create_web_server
from server.delivery.local_mailbox import choose_transport
from server.endpoints import Endpoint, ImapMailbox, ListenEndpoint
from server.inbox import intake
from server.inbox.imap import ImapFetcher
from server.inbox.recipients import is_deliverable, is_peer_banned, note_refused_address
from server.inbox.smtp import SmtpListener
from server.loops import STOPPING_TAKES, Loops
from server.monitoring.health import HealthWatch
from server.passed_sockets import READY, STOPPING, PassedSockets, notify_manager, take_passed_sockets
from server.store.context import Context, utc_now
from server.thinking.thinking_process import ThinkingProcess
from server.web.kit import fonts

LARGEST_REQUEST, LARGEST_MAIL_REQUEST = 2 * web.MAX_REQUEST_BYTES, 2 * LARGEST_ACCEPTED
"""Bytes that are read at all, and where mail can be handed in. What answers takes half of it, and says so."""
LANES = 4
"""Connections to the relay: so many letters can hang without holding the others."""
ANSWERING_TAKES = STOPPING_TAKES / 2
"""Seconds in which whoever has asked is answered when the server stops."""


def create_app(context: Context, now: Callable[[], datetime] = utc_now) -> Flask:
    """The pages of one server, as a WSGI application."""
    app = Flask("server.web", static_folder=None)
    app.config["NOW"] = now
    web.register(app, context)
    return app


class Stoppable(Protocol):
    """What goes on beside the pages, and finishes what it has in hand before it stops."""

    def ask_to_stop(self) -> None:
        """Begin nothing more."""

    def join(self, seconds: float = ...) -> None:
        """Wait until it has stopped, so long at most."""


class PortUnavailable(Exception):
    """A port cannot be had; the sentence names the setting."""

    def __init__(self, setting: str, at: Endpoint, error: Exception) -> None:
        reason = getattr(error, "strerror", None) or error
        super().__init__(f"{setting}: the server cannot listen at {at}: {reason}")


def serve(context: Context, ready: Callable[[], None]) -> None:
    """Serve pages, take mail in, keep time and send letters until the process is told to stop.

    Raises `PortUnavailable`.
    """
    settings, passed = context.settings, take_passed_sockets(os.environ)
    app = create_app(context)
    with ExitStack() as stack:
        listen = settings.listen
        try:
            largest = LARGEST_REQUEST if settings.mail_secret is None else LARGEST_MAIL_REQUEST
            server = create_web_server(app, listen, largest, passed=passed.pages)
        except (OSError, ValueError) as error:
            raise PortUnavailable("ALEXANDROS_LISTEN", listen, error) from None
        stack.callback(server.close)
        _call_at_signal(server.stop)  # before anything works that must not be cut off
        parts = _take_mail_in(context, passed)
        stack.callback(_stop, parts)
        thinking = _think_elsewhere(context)
        parts.extend(thinking)
        readiness.add_thinking_check(context, thinking)
        lanes = [choose_transport(context, utc_now) for _ in range(1 + LANES if settings.mail_out else 1)]
        loops = Loops.of(context, lanes, utc_now)
        loops.start(context)
        parts.append(loops)
        readiness.add_loop_checks(context, loops)
        watch = HealthWatch(context.health)
        watch.start()
        parts.append(watch)
        ready()
        notify_manager(os.environ, READY)
        Thread(target=fonts.subset_all_fonts, name="faces", daemon=True).start()
        server.run()
        notify_manager(os.environ, STOPPING)
        until = monotonic() + STOPPING_TAKES
        for one in parts:
            one.ask_to_stop()
        server.drain(ANSWERING_TAKES)
        _stop(parts, until - monotonic())
        parts.clear()


def _stop(parts: Sequence[Stoppable], seconds: float = STOPPING_TAKES) -> None:
    """Let all parts finish what they have in hand, so many seconds at most."""
    until = monotonic() + seconds
    for one in parts:
        one.ask_to_stop()
    for one in parts:
        one.join(max(0.0, until - monotonic()))


def _think_elsewhere(context: Context) -> list[ThinkingProcess]:
    """Let what takes long be thought about in processes of their own, where the settings give it time."""
    if not context.settings.house_seconds:
        return []
    for_house = ThinkingProcess(context.events.note_lost_thinker)
    for_pages = ThinkingProcess(context.events.note_lost_thinker, niceness=0)  # somebody waits for it
    context.thinker, context.adviser = for_house, for_pages
    return [for_house, for_pages]


def _take_mail_in(context: Context, passed: PassedSockets) -> list[Stoppable]:
    """Take mail in, by the way that the settings name. Raises `PortUnavailable`."""
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
            listener = SmtpListener(
                at,
                settings.mail_domain,
                take_in,
                deliverable,
                lmtp=lmtp,
                relays=trusted,
                is_banned=banned,
                passed=passed.mail,
            )
            try:
                listener.start()
            except (OSError, ValueError) as error:
                raise PortUnavailable("ALEXANDROS_MAIL_IN", at, error) from None
            return [listener]
        case ImapMailbox() as box:
            collector = ImapFetcher(box, settings.mail_domain, take_in, deliverable)
            collector.start()
            return [collector]
    return []


def _call_at_signal(stop: Callable[[], None]) -> None:
    """Stop when the process is told to; when it is told so a second time it ends at once."""
    # A shell lets what it starts in the background ignore Ctrl+C.
    numbers = [one for one in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(one) != signal.SIG_IGN]

    def handle(_: int, __: FrameType | None) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        stop()

    for number in numbers:
        signal.signal(number, handle)
