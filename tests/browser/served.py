"""An office whose pages are really served, on loopback, by the server that serves them everywhere."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import html
from playwright.sync_api import Page
from werkzeug import Response

from engine.position import Phase, Position, View, view
from engine.rules import due
from server.admin import backups
from server.app import LARGEST_REQUEST
from server.connections import create_web_server
from server.network import Endpoint
from server.store.encrypted import decrypt_mail
from server.store.game_terms import SeatRequest
from server.store.models import LocalMail
from server.turns.dry_run import compile_draft
from server.web.desk import mailbox_pages
from tests.paths import GAMES
from tests.ports import free_port
from tests.server.desk import desk
from tests.server.test_connections import running
from tests.server.web.site import Site
from tests.server.web.tour import Tour

AT_ONCE = "/at-once.js"
"""It presses the button of the page by itself, and then there would be another page."""


@dataclass
class Served(Site):
    """An office with its pages under an address."""

    address: str = field(default="", kw_only=True)
    idle: Callable[[], bool] = field(default=bool, kw_only=True)
    """Whether no thread of the server is at work."""
    instead: Response | None = field(default=None, kw_only=True)
    """What is shown for the page that is asked for next."""
    files: dict[str, Response] = field(default_factory=dict, kw_only=True)
    """What is given for these files, by the ends of their addresses."""

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request: as the pages do, but for what a test gives itself."""
        answer = next((one for end, one in self.files.items() if environ["PATH_INFO"].endswith(end)), None)
        if self.instead and environ.get("HTTP_SEC_FETCH_DEST") == "document":
            answer, self.instead = self.instead, None
        return (answer or self.app)(environ, start_response)

    def draft_position(self, game: str) -> Position:
        position = self.position(game)
        return compile_draft(position, position.table.seat, self.drafted(game)).seen.position

    def known(self, game: str) -> View:
        position = self.draft_position(game)
        return view(position, position.table.seat)

    def is_complete(self, game: str) -> bool:
        """Whether a turn that is begun has only to be ended."""
        position = self.draft_position(game)
        return position.table.phase is Phase.ACTIONS and due(position) is not None

    def letters(self, name: str, where: str = "t") -> list[str]:
        """The links to the game, or to another such page, in the newest letter to somebody."""
        newest = self.rows(LocalMail, LocalMail.recipient == f"{name.lower()}@example.org")[-1]
        mail = mailbox_pages.open_mail(decrypt_mail(newest, self.context.links.keys).raw)
        page = html.fromstring(mail.html)
        return [str(link) for link in page.xpath("//a/@href") if f"{self.address}/{where}/" in str(link)]


@contextmanager
def served(folder: Path, **settings: str) -> Iterator[Served]:
    """Serve an office on a database in `folder` until the block is left."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    given = {"ALEXANDROS_BASE_URL": address, "ALEXANDROS_LISTEN": address.removeprefix("http://"), **settings}
    place = Served(desk(folder, **given), address=address)
    server = create_web_server(place, Endpoint("127.0.0.1", port), LARGEST_REQUEST)
    place.idle = lambda: server.task_dispatcher.active_count == 0
    try:
        with running(server, server.map, port):
            yield place
    finally:
        place.context.database.dispose()  # what its threads have opened


def game_under_way(place: Served, turns: int, language: str | None = None) -> str:
    """A game of Anna and Ben, taken in as a file, in which so many turns have been played. Gives its id."""
    lines = (GAMES / "two-players.jsonl").read_bytes().splitlines()
    ends = [number for number, line in enumerate(lines, 1) if json.loads(line)["type"] == "turn_ended"]
    record = backups.read_log(lines[: ends[turns - 1]])
    requests = [SeatRequest(name, f"{name.lower()}@example.org", language) for name in ("Anna", "Ben")]
    return backups.import_log(place.context, record, place.clock(), name="Friday", requests=requests)


@dataclass(frozen=True, slots=True)
class Stop:
    """One page on the walk."""

    place: Served
    name: str
    path: str
    html: bytes
    status: int
    headers: list[tuple[str, str]]

    def show(self, window: Page) -> None:
        """Show this page, also where it answers a form; what it loads besides comes as it always does."""
        self.place.instead = Response(self.html, self.status, self.headers)
        window.goto(self.path)
        assert self.place.instead is None


def walk(place: Served, language: str) -> Iterator[Stop]:
    """Every page in a language, in the order in which somebody might see them."""
    place.files[AT_ONCE] = Response("", mimetype="text/javascript")
    tour = Tour(place, language)
    for name, _ in tour.pages():
        found = tour.visitor.answer
        assert found is not None
        path = found.request.full_path.rstrip("?")
        yield Stop(place, name, path, found.get_data(), found.status_code, found.headers.to_wsgi_list())
