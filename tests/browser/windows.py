"""Windows of a real browser that look on while a page is used: what goes wrong in one is written down."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response, expect
from playwright.sync_api import sync_playwright as driving

from tests.judges.court import program
from tests.server.desk import NOON

FLAGS = (
    "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-sync",
    "disable-component-update", "disable-default-apps", "disable-extensions", "mute-audio",
)  # fmt: skip
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 640}, "screen": {"width": 360, "height": 640},
    "has_touch": True, "is_mobile": True, "device_scale_factor": 2,
}  # fmt: skip
KNOWN = (
    "the server responded with a status",  # `Watch._answered` judges these
    "does not conform to the required format",
    "cannot be parsed, or is out of range",  # what somebody typed into a form stays there, though it is wrong
)
"""What a browser may write into its console."""
DEVICES = pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
PATIENCE = 60_000
"""Milliseconds that a page may take, on a machine that does a lot besides."""
expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium() -> Iterator[Browser]:
    place = program("chromium", "chromium-browser", package="chromium")
    with driving() as drives:
        started = drives.chromium.launch(executable_path=place, args=[f"--{flag}" for flag in FLAGS])
        yield started
        started.close()


@dataclass
class Watch:
    """What went wrong in the windows of one visitor."""

    address: str
    faults: list[str] = field(default_factory=list)
    allowed: set[int] = field(default_factory=set)
    """Statuses that an answer may have besides those that say that all is well."""

    def over(self, context: BrowserContext) -> None:
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.faults.append(f"script: {error.error}"))
        context.on("request", self._asked)
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)

    def _heard(self, message: ConsoleMessage) -> None:
        known = any(words in message.text for words in KNOWN)
        if message.type in ("error", "warning") and not known:
            self.faults.append(f"console: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.address}/", "data:", "blob:")):
            self.faults.append(f"asked elsewhere: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # its page was left
            self.faults.append(f"failed: {request.url} {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.allowed:
            self.faults.append(f"{response.status}: {response.url}")


@dataclass
class Visitors:
    """Visitors with browsers of their own, at one address."""

    browser: Browser
    address: str
    watches: list[Watch] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def visitor(self, device: dict[str, Any] = DESKTOP, *, script: bool = True, **more: Any) -> Page:
        """The empty window of somebody who has never been here."""
        given = {"base_url": self.address, "locale": "en-GB", "timezone_id": "UTC", **device, **more}
        context = self.browser.new_context(java_script_enabled=script, **given)
        context.set_default_timeout(PATIENCE)
        watch = Watch(self.address)
        watch.over(context)
        self.watches.append(watch)
        self.contexts.append(context)
        return context.new_page()

    def at(self, link: str, device: dict[str, Any] = DESKTOP, *, clock: bool = False, **more: Any) -> Page:
        """The window of somebody who opens a page; `clock`: one that stands but for what a test lets run."""
        window = self.visitor(device, **more)
        if clock:
            window.clock.install(time=NOON)
            window.clock.pause_at(NOON + timedelta(seconds=1))
        window.goto(link)
        return window

    def leave(self) -> None:
        """Close all windows. Fails for whatever went wrong in one."""
        for context in self.contexts:
            context.close()
        faults = [fault for watch in self.watches for fault in watch.faults]
        assert not faults, "\n".join(faults)
