"""A server as a process of its own, and all that the tests of faults do to it: the one file that knows how.

It is started, killed, stopped and asked from outside. Games are opened and looked at in its database, as an
operator may; what players do comes by its doors: a link of a letter, a mail over LMTP.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import smtplib
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fcntl import F_DUPFD, fcntl
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlencode

from emails.tokens import Ticket, seal_ticket
from engine import rules
from engine.bots import stand_in
from engine.notation.grammar import write
from engine.position import Position
from engine.views import view
from server.cli import main
from server.monitoring import health
from server.store.context import Context
from server.store.models import Game, Seating
from tests.faults.relays import free_port
from tests.server.desk import DOMAIN, PEOPLE, SECRET, desk, names_of, start_game, wish

PATIENCE = 60.0
"""Seconds, for whatever should take none, on a machine that does a lot besides."""
OPERATOR = "operator@example.net"
RELAY, FULL = {"relay", "loop-delivery"}, {"database", "disk"}
"""The parts one of which a monitor is told of when the relay is at fault, and when nothing can be written."""
TICK = 0.5
"""Seconds between two looks of a loop."""
_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.faults.warm"])
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


def look_often() -> None:
    """Let the server look every second whether all is well, for tests that have no time."""
    health.HealthWatch.__init__.__defaults__ = (1.0,)


# --- the process ----------------------------------------------------------------------------------------


def serve(
    environment: dict[str, str],
    log: str,
    change: Callable[[], None] | None,
    sockets: Sequence[socket.socket] = (),
) -> None:
    """What a child does: `alexandros serve`, with what it says in a file, and changed if so told.

    Sockets that it is given stand where systemd puts them (sd_listen_fds(3)).
    """
    said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.environ.update(environment)
    if sockets:
        given = [fcntl(one.fileno(), F_DUPFD, 50) for one in sockets]
        for number, one in enumerate(given, 3):
            os.dup2(one, number)
        names = ":".join(("pages", "mail")[: len(given)])
        listening = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(given)), "LISTEN_FDNAMES": names}
        os.environ.update(listening)
    if change is not None:
        change()
    main(["serve"])


@dataclass
class House:
    """A server with its database; it runs where it was started and not killed."""

    folder: Path
    mail_out: str
    more: dict[str, str] = field(default_factory=dict)
    change: Callable[[], None] | None = None
    process: Any = None
    mails: int = 0
    pictures: bool = False
    """Whether letters have pictures, which take three times as long to make."""

    def __post_init__(self) -> None:
        self.port, self.mail_port = free_port(), free_port()
        self.context: Context = desk(self.folder, ALEXANDROS_BASE_URL=self.base)
        self.log_file = self.folder / "log"

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        given = {
            "DATABASE": f"sqlite:///{self.folder / 'games.sqlite'}",
            "BASE_URL": self.base,
            "LISTEN": f"127.0.0.1:{self.port}",
            "SECRET": SECRET,
            "MAIL_OUT": self.mail_out,
            "MAIL_FROM": "Alexandros <alexandros@example.org>",
            "MAIL_DOMAIN": DOMAIN,
            "MAIL_IN": f"lmtp://127.0.0.1:{self.mail_port}",
            "OPERATOR": OPERATOR,
            "TICK": str(TICK),
            **self.more,
        }
        return {f"ALEXANDROS_{name}": text for name, text in given.items()}

    def start(self, sockets: Sequence[socket.socket] = ()) -> float:
        """Start it and wait until its doors are open; the seconds that took."""
        given = (self.environment(), str(self.log_file), self.change, sockets)
        self.process = _FORKS.Process(target=serve, args=given, daemon=True)
        self.process.start()
        return self.await_doors()

    def await_doors(self) -> float:
        return until(self._doors_are_open, f"the doors of {self.base} open ({self.log()[-3000:]})")

    def _doors_are_open(self) -> bool:
        assert self.process.is_alive(), f"it ended with {self.process.exitcode}: {self.log()[-3000:]}"
        try:
            for port in (self.port, self.mail_port):
                socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """End it at once, as a machine that loses its power does."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join(PATIENCE)

    def send_signal(self, sign: signal.Signals = signal.SIGTERM) -> None:
        """Ask it to stop, or end it."""
        os.kill(self.process.pid, sign)

    def await_end(self, seconds: float = PATIENCE) -> float:
        """Wait until it has ended; the seconds that took."""
        began = time.monotonic()
        self.process.join(seconds)
        assert not self.process.is_alive(), f"it has not ended within {seconds} s: {self.log()[-3000:]}"
        return time.monotonic() - began

    def fill_disk(self, room: int) -> None:
        """Leave room for so many bytes more in the file that grows: a full disk, for this process alone."""
        beside = self.folder / "games.sqlite-wal"
        size = (beside.stat().st_size if beside.exists() else 0) + room
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def make_room(self) -> None:
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, unlimited)

    def log(self) -> str:
        """What it has said."""
        return self.log_file.read_text("utf-8", "replace") if self.log_file.exists() else ""

    # --- games, as they stand in its database ----------------------------------------------------------

    def open_game(self, *people: str, hours: int = 48) -> str:
        now = datetime.now(UTC)
        game = start_game(self.context, *people, now=now, hours=hours)
        if not self.pictures:
            for name in {*people} & {*PEOPLE}:
                wish(self.context, game, name, everywhere=True, now=now, pictures=False)
        return game

    def turn(self, game: str) -> Turn:
        """Whose turn it is, and orders that would do the rest of it."""
        with self.context.reading() as session:
            row = session.get_one(Game, game)
            history = self.context.history_of(session, row)
        assert history.position is not None
        table = history.position.table
        name = names_of(self.context, game)[table.seat]
        lines = [] if table.over else quiet_orders(history.position)
        return Turn(game, table.seat, name, history.after, tuple(lines))

    def link(self, turn: Turn, words: str) -> str:
        """A link that does these words, as it stands in a letter; without words the page of the turn."""
        with self.context.reading() as session:
            epoch = session.get_one(Seating, (turn.game, turn.seat)).epoch
        ticket = Ticket(turn.game, turn.seat, turn.after, words, epoch)
        return f"/t/{seal_ticket(ticket, self.context.links.keys)}"

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """What stands in the database."""
        with closing(sqlite3.connect(self.folder / "games.sqlite", timeout=PATIENCE)) as db:
            db.row_factory = sqlite3.Row
            return db.execute(query, values).fetchall()

    def write(self, query: str, *values: object) -> None:
        with closing(sqlite3.connect(self.folder / "games.sqlite", timeout=PATIENCE)) as db, db:
            db.execute(query, values)

    def acts(self, game: str) -> list[Act]:
        chosen = "SELECT seq, seat, door, said FROM act WHERE game = ? ORDER BY seq"
        return [Act(*row) for row in self.rows(chosen, game)]

    def seq(self, game: str) -> int:
        return int(self.rows("SELECT max(seq) FROM act WHERE game = ?", game)[0][0])

    def queued(self, game: str = "") -> list[sqlite3.Row]:
        """The letters of a game or of all, whatever has become of them."""
        return self.rows("SELECT * FROM outgoing WHERE ? IN ('', game) ORDER BY id", game)

    def due(self, game: str = "") -> list[str]:
        """The letters that should leave now, or that somebody has in hand."""
        soon = str(datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=10))
        return [
            row["message_id"]
            for row in self.queued(game)
            if row["state"] == "waiting" and row["due_at"] < soon
        ]

    def stored_mails(self) -> dict[str, str]:
        """The Message-IDs of mails that were taken in, and what has become of each."""
        return {row["message_id"]: row["state"] for row in self.rows("SELECT * FROM incoming")}

    def let_claims_end(self, minutes: int = 2) -> None:
        """Let the minute be over for which a sender that was killed has its letters in hand, or longer."""
        now = str(datetime.now(UTC).replace(tzinfo=None))
        soon = str(datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=minutes))
        self.write("UPDATE outgoing SET due_at = ? WHERE state = 'waiting' AND due_at < ?", now, soon)

    def let_pauses_end(self, minutes: int = 2) -> None:
        """Let the time be over for which letters were put off, when nobody has one in hand any more."""

        def in_hand() -> list[str]:
            due = self.due()
            return [row["message_id"] for row in self.queued() if row["message_id"] in due and not row["why"]]

        until(lambda: not in_hand(), "what is in hand is put off")
        self.let_claims_end(minutes)

    def bring_deadline(self, game: str, seconds: float) -> float:
        """Let the time of the turn be over in so many seconds; when that is, by the monotonic clock."""
        [row] = self.rows("SELECT deadline, turn_began_at FROM game WHERE id = ?", game)
        assert row["deadline"], "the time of the turn has not begun"
        now = datetime.now(UTC).replace(tzinfo=None)
        ends, at = now + timedelta(seconds=seconds), time.monotonic() + seconds
        began = ends - (_read(row["deadline"]) - _read(row["turn_began_at"]))
        self.write(
            "UPDATE game SET deadline = ?, turn_began_at = ?, due_at = ?, reminded = 2 WHERE id = ?",
            str(ends),
            str(began),
            str(ends),
            game,
        )
        return at

    # --- its doors -------------------------------------------------------------------------------------

    def ask(self, path: str, patience: float = PATIENCE) -> tuple[int, str]:
        """A page: its status and its text. Raises `NotAnswered`."""
        with closing(Browser(self.port, patience)) as browser:
            return browser.get(path)

    def press(self, link: str) -> int:
        """Open a link and press its button; the status of the answer, or 0 where there is no button any more.

        Raises `NotAnswered`.
        """
        return self.press_and_read(link)[0]

    def press_and_read(self, link: str, patience: float = PATIENCE) -> tuple[int, str]:
        """The same, with the text of the answer."""
        with closing(Browser(self.port, patience)) as browser:
            status, page = browser.get(link)
            fields = dict(re.findall(r'name="(nonce|after)" value="([^"]*)"', page))
            if status != 200 or "nonce" not in fields or f'action="{link}"' not in page:
                return (0 if status < 500 else status), page
            return browser.post(link, fields)

    def write_order(self, turn: Turn, message_id: str, patience: float = PATIENCE) -> int:
        """Bring the orders of a turn by LMTP; the code of the last answer. Raises `NotAnswered`."""
        sender = f"{turn.name.lower()}@example.org"
        address = self.context.links.reply_address(Ticket(turn.game, turn.seat, turn.after))
        heads = f"From: {sender}\r\nTo: {address}\r\nMessage-ID: {message_id}\r\nSubject: Re: Friday\r\n"
        raw = heads + "\r\n" + "".join(f"{line}\r\n" for line in turn.lines)
        try:
            with smtplib.LMTP("127.0.0.1", self.mail_port, "peer", timeout=patience) as door:
                door.ehlo_or_helo_if_needed()
                for code, _ in (door.mail(sender), door.rcpt(address)):
                    if code != 250:
                        return code
                code = door.data(raw.encode())[0]
        except smtplib.SMTPResponseException as refused:
            return int(refused.smtp_code)
        except (smtplib.SMTPServerDisconnected, OSError) as gone:
            raise NotAnswered from gone
        return int(code)

    def next_message_id(self) -> str:
        self.mails += 1
        return f"<{self.mails}.{os.getpid()}@client.example.org>"

    def unready(self) -> set[str]:
        """What a monitor hears that asks whether all is well: the parts that are not."""
        status, words = self.ask("/readyz", 5)
        assert (status, words.strip()) == (200, "ok") or status == 503, (status, words)
        return set() if status == 200 else set(words.split())

    def states_of_relay(self, since: int) -> list[str]:
        """What the log says, behind so many characters, of the relay: that it is away, or back."""
        return [str(line["state"]) for line in self.events(since) if line.get("event") == "relay"]

    def events(self, since: int) -> list[dict[str, Any]]:
        """The lines of the log that are whole."""
        lines = self.log()[since:].splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("\n")]

    def is_answering(self) -> bool:
        try:
            return self.ask("/rules", 5)[0] == 200
        except NotAnswered:
            return False

    def is_live(self) -> bool:
        """Whether a monitor hears that the process lives."""
        return self.ask("/livez", 5)[0] == 200


def _read(moment: str) -> datetime:
    return datetime.fromisoformat(moment)


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
    """An act as it stands in the log of its game."""

    seq: int
    seat: int | None
    door: str
    said: str


class Browser:
    """A visitor with one connection and the cookies they were given."""

    def __init__(self, port: int, patience: float) -> None:
        self.connection, self.cookies = HTTPConnection("127.0.0.1", port, timeout=patience), dict[str, str]()

    def get(self, path: str) -> tuple[int, str]:
        return self._ask("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> tuple[int, str]:
        status, page = self._ask("POST", path, urlencode(fields))
        return (200, page) if status in (302, 303) else (status, page)

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


@contextmanager
def house(
    folder: Path, mail_out: str, change: Callable[[], None] | None = None, start: bool = True, **more: str
) -> Iterator[House]:
    """A server at work; it is killed at the end, if it still runs."""
    folder.mkdir(exist_ok=True)
    built = House(folder, mail_out, more, change)
    if start:
        built.start()
    try:
        yield built
    finally:
        if built.process is not None and built.process.is_alive():
            built.kill()
        built.context.database.dispose()
