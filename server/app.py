"""The whole service, wired: pages, listener and worker around one office."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from threading import Thread
from types import FrameType

from flask import Flask
from waitress.server import create_server

from emails.replies.screening import MOST_TAKEN
from server import web
from server.delivery import outgoing
from server.endpoints import Endpoint, ImapBox, Listening
from server.inbox import intake
from server.inbox.imap import Collector
from server.inbox.smtp import Listener
from server.store.context import Office
from server.web.kit import fonts
from server.worker import Worker

LARGEST_REQUEST = 2 * MOST_TAKEN
"""Bytes; the pages take less, and say so."""
THREADS = 4
"""More would only wait for one another: SQLite has one writer."""


logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that a visitor waits for another is no news


def utc_now() -> datetime:
    """The moment it is."""
    return datetime.now(UTC)


def create_app(office: Office, now: Callable[[], datetime] = utc_now) -> Flask:
    """The pages of one office, as a WSGI application."""
    app = Flask("server.web", static_folder=None)
    app.config["NOW"] = now
    app.secret_key = office.settings.secret.get_secret_value()
    web.register(app, office)
    return app


class NotServed(Exception):
    """A port cannot be had; the sentence names the setting."""

    def __init__(self, setting: str, at: Endpoint, error: Exception) -> None:
        reason = getattr(error, "strerror", None) or error
        super().__init__(f"{setting}: the server cannot listen at {at}: {reason}")


def serve(office: Office, ready: Callable[[], None]) -> None:
    """Serve pages, take mail in, keep time and send letters until the process is told to stop.

    Raises `NotServed`.
    """
    settings = office.settings
    app = create_app(office)
    with ExitStack() as stack:
        listen = settings.listen
        try:
            server = create_server(
                app,
                host=listen.host,
                port=listen.port,
                threads=THREADS,
                ident="alexandros",
                max_request_body_size=LARGEST_REQUEST,
                # On the machine's own address a web server stands before us, which knows who asks.
                trusted_proxy=listen.host if listen.loopback else None,
                trusted_proxy_headers={"x-forwarded-for"} if listen.loopback else set(),
            )
        except (OSError, ValueError) as error:
            raise NotServed("ALEXANDROS_LISTEN", listen, error) from None
        stack.callback(server.close)
        _take_mail_in(office, stack)
        worker = Worker(office, outgoing.carrier(office, utc_now), utc_now)
        worker.start()
        stack.callback(worker.stop)
        signal.signal(signal.SIGTERM, _stop)
        ready()
        Thread(target=fonts.cut_all, name="faces", daemon=True).start()
        server.run()


def _take_mail_in(office: Office, stack: ExitStack) -> None:
    """Take mail in, by the way that the settings name, until the stack is left. Raises `NotServed`."""
    settings = office.settings

    def take_in(sender: str, recipient: str, raw: bytes) -> None:
        intake.take_in(office, sender, recipient, raw, utc_now())

    match settings.mail_in:
        case Listening(at, lmtp):
            listener = Listener(at, settings.mail_domain, take_in, lmtp=lmtp)
            try:
                listener.start()
            except OSError as error:
                raise NotServed("ALEXANDROS_MAIL_IN", at, error) from None
            stack.callback(listener.stop)
        case ImapBox() as box:
            collector = Collector(box, settings.mail_domain, take_in)
            collector.start()
            stack.callback(collector.stop)


def _stop(_: int, __: FrameType | None) -> None:
    sys.exit(0)
