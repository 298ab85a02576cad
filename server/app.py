"""The whole service, wired: pages, listener and worker around one context."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from threading import Thread
from types import FrameType

from flask import Flask

from emails.replies.screening import LARGEST_ACCEPTED
from server import web
from server.connections import create_web_server
from server.delivery.local_mailbox import choose_transport
from server.endpoints import Endpoint, ImapMailbox, ListenEndpoint
from server.inbox import intake
from server.inbox.imap import ImapFetcher
from server.inbox.recipients import is_deliverable, is_peer_banned, note_refused_address
from server.inbox.smtp import SmtpListener
from server.loops import Loops
from server.store.context import Context, utc_now
from server.web.kit import fonts

LARGEST_REQUEST, LARGEST_MAIL_REQUEST = 2 * web.MAX_REQUEST_BYTES, 2 * LARGEST_ACCEPTED
"""Bytes that are read at all, and where mail can be handed in. What answers takes half of it, and says so."""
LANES = 4
"""Connections to the relay: so many letters can hang without holding the others."""

logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that a visitor waits for another is no news


def create_app(context: Context, now: Callable[[], datetime] = utc_now) -> Flask:
    """The pages of one server, as a WSGI application."""
    app = Flask("server.web", static_folder=None)
    app.config["NOW"] = now
    web.register(app, context)
    return app


class PortUnavailable(Exception):
    """A port cannot be had; the sentence names the setting."""

    def __init__(self, setting: str, at: Endpoint, error: Exception) -> None:
        reason = getattr(error, "strerror", None) or error
        super().__init__(f"{setting}: the server cannot listen at {at}: {reason}")


def serve(context: Context, ready: Callable[[], None]) -> None:
    """Serve pages, take mail in, keep time and send letters until the process is told to stop.

    Raises `PortUnavailable`.
    """
    settings = context.settings
    app = create_app(context)
    with ExitStack() as stack:
        listen = settings.listen
        try:
            largest = LARGEST_REQUEST if settings.mail_secret is None else LARGEST_MAIL_REQUEST
            server = create_web_server(app, listen, largest)
        except (OSError, ValueError) as error:
            raise PortUnavailable("ALEXANDROS_LISTEN", listen, error) from None
        stack.callback(server.close)
        _take_mail_in(context, stack)
        lanes = [choose_transport(context, utc_now) for _ in range(LANES if settings.mail_out else 1)]
        loops = Loops.of(context, lanes, utc_now)
        loops.start(context)
        stack.callback(loops.stop)
        signal.signal(signal.SIGTERM, _exit_on_signal)
        ready()
        Thread(target=fonts.subset_all_fonts, name="faces", daemon=True).start()
        server.run()


def _take_mail_in(context: Context, stack: ExitStack) -> None:
    """Take mail in, by the way that the settings name, until the stack is left. Raises `PortUnavailable`."""
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
                at, settings.mail_domain, take_in, deliverable, lmtp=lmtp, relays=trusted, is_banned=banned
            )
            try:
                listener.start()
            except OSError as error:
                raise PortUnavailable("ALEXANDROS_MAIL_IN", at, error) from None
            stack.callback(listener.stop)
        case ImapMailbox() as box:
            collector = ImapFetcher(box, settings.mail_domain, take_in, deliverable)
            collector.start()
            stack.callback(collector.stop)


def _exit_on_signal(_: int, __: FrameType | None) -> None:
    sys.exit(0)
