"""What players do at a server that is another process: a visit, orders, and the wait for what follows."""

import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event
from typing import Any
from urllib.parse import urlencode

from engine import rules
from engine.bots import stand_in
from engine.notation.orders import write
from engine.position import Position, view
from tests.server.desk import PEOPLE

PATIENCE = 60.0
"""Seconds, for whatever should take none, on a machine that does a lot besides."""
_AT_ONCE = Event()
"""Never set: to wait for it is to wait."""


class NotAnswered(Exception):
    """The server was gone before it answered."""


def until(fits: Callable[[], Any], what: str, seconds: float = PATIENCE) -> float:
    """Wait until something holds; the seconds that it took. Raises `AssertionError` where it never does."""
    began = time.monotonic()
    while not fits():
        waited = time.monotonic() - began
        assert waited < seconds, f"{what}: not within {seconds} s"
        _AT_ONCE.wait(min(0.05, 0.005 + waited / 20))  # to look costs others their time
    return time.monotonic() - began


@dataclass(frozen=True)
class Turn:
    """What can be done in a game now: by whom, after which act, and in which words."""

    game: str
    seat: int
    name: str
    after: int
    lines: tuple[str, ...]

    @property
    def by_a_person(self) -> bool:
        return self.name in PEOPLE and bool(self.lines)


@dataclass(frozen=True)
class Act:
    seq: int
    seat: int | None
    door: str
    said: str


def quiet_orders(position: Position) -> list[str]:
    """The rest of a turn as a caretaker would play it, up to the first card that nobody can know."""
    lines: list[str] = []
    seat = position.table.seat
    while position.table.seat == seat and not position.table.over:
        action = stand_in(view(position, seat))
        lines.append(write(action, position.table.board))
        if lines[-1].startswith("draw"):
            lines[-1] = "end"
            break
        for event in rules.decide(position, seat, action, lambda cards: next(iter(cards))):
            position = rules.evolve(position, event)
    return lines


def fields_of(page: str) -> dict[str, str]:
    return dict(re.findall(r'name="(nonce|after)" value="([^"]*)"', page))


class Browser:
    def __init__(self, port: int, patience: float, *, tls: bool = False) -> None:
        self.connection, self.cookies = HTTPConnection("127.0.0.1", port, timeout=patience), dict[str, str]()
        if tls:
            unverified = ssl._create_unverified_context()
            self.connection = HTTPSConnection("127.0.0.1", port, timeout=patience, context=unverified)

    def get(self, path: str) -> tuple[int, str]:
        return self._ask("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> tuple[int, str]:
        status, page = self._ask("POST", path, urlencode(fields))
        return (200, page) if status in (302, 303) else (status, page)

    def press(self, link: str) -> tuple[int, str]:
        """Open a link and press its button: the status, 0 where there is no button any more, and the page."""
        status, page = self.get(link)
        fields = fields_of(page)
        if status != 200 or "nonce" not in fields or f'action="{link}"' not in page:
            return (0 if status < 500 else status), page
        return self.post(link, fields)

    def _ask(self, method: str, path: str, body: str | None) -> tuple[int, str]:
        heads = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body is not None:
            heads["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            self.connection.request(method, path, body, heads)
            answer = self.connection.getresponse()
            page = answer.read().decode("utf-8", "replace")
        except (HTTPException, OSError) as gone:
            raise NotAnswered(f"{method} {path[:3]}: {gone!r}") from gone
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, page

    def close(self) -> None:
        self.connection.close()
