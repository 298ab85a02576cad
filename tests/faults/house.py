"""A server as a process of its own, and all that the tests of faults do to it.

It is started, killed, stopped and asked from outside. Games are opened and looked at in its database, as an
operator may (kept_games.py); what players do comes by its doors (visits.py): a link of a letter, a mail over
LMTP.
"""

import json
import os
import resource
import signal
import smtplib
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fcntl import F_DUPFD, fcntl
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from emails.tokens import Ticket
from server import monitoring as health
from server.cli import main
from tests.faults.kept_games import KeptGames
from tests.faults.relays import Relay, relay
from tests.faults.visits import PATIENCE, Browser, NotAnswered, Turn, until
from tests.ports import free_port
from tests.server.desk import DOMAIN, SECRET, Desk, desk

OPERATOR = "operator@example.net"
RELAY, FULL = {"relay", "loop-delivery"}, {"database", "disk"}
"""The parts one of which a monitor is told of when the relay is at fault, and when nothing can be written."""
TICK = 0.5
"""Seconds between two looks of a loop."""
_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.faults.warm"])


def look_often() -> None:
    """Let the server look every second whether all is well, for tests that have no time."""
    health.HealthWatch.__init__.__defaults__ = (1.0,)


def serve(
    environment: dict[str, str],
    log: str,
    change: Callable[[], None] | None,
    sockets: Sequence[socket.socket] = (),
    only: str = "",
) -> None:
    """What a child does: `alexandros serve`, with what it says in a file, and changed if so told.

    Sockets that it is given stand where systemd puts them (sd_listen_fds(3)). `only`: its roles, if not all.
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
    main(["serve", *(["--only", only] if only else [])])


@dataclass
class House(KeptGames):
    """A server with its database; it runs where it was started and not killed."""

    folder: Path
    mail_out: str
    more: dict[str, str] = field(default_factory=dict)
    change: Callable[[], None] | None = None
    process: Any = None
    mails: int = 0
    only: str = ""
    """Its roles, where it has not all of them."""
    pictures: bool = False
    """Whether letters have pictures, which take three times as long to make."""

    def __post_init__(self) -> None:
        self.port, self.mail_port = free_port(), free_port()
        self.context: Desk = desk(self.folder, ALEXANDROS_BASE_URL=self.base)
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
            "HOUSE_SECONDS": "0",
            "MAIL_IN": f"lmtp://127.0.0.1:{self.mail_port}",
            "OPERATOR": OPERATOR,
            "TICK": str(TICK),
            **self.more,
        }
        return {f"ALEXANDROS_{name}": text for name, text in given.items()}

    def start(self, sockets: Sequence[socket.socket] = ()) -> float:
        self.launch(sockets)
        return self.await_doors()

    def launch(self, sockets: Sequence[socket.socket] = ()) -> None:
        given = (self.environment(), str(self.log_file), self.change, sockets, self.only)
        self.process = _FORKS.Process(target=serve, args=given, daemon=True)
        self.process.start()

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
        os.kill(self.process.pid, sign)

    def await_end(self, seconds: float = PATIENCE) -> float:
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
        return self.log_file.read_text("utf-8", "replace") if self.log_file.exists() else ""

    def ask(self, path: str, patience: float = PATIENCE) -> tuple[int, str]:
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
            return browser.press(link)

    def write_order(self, turn: Turn, message_id: str, patience: float = PATIENCE) -> int:
        """Bring the orders of a turn by LMTP; the code of the last answer. Raises `NotAnswered`."""
        address = self.context.links.reply_address(Ticket(turn.game, turn.seat, turn.after))
        return self.answer(address, turn, message_id, patience)

    def answer(self, address: str, turn: Turn, message_id: str, patience: float = PATIENCE) -> int:
        sender = f"{turn.name.lower()}@example.org"
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
        lines = self.log()[since:].splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("\n")]

    def is_answering(self) -> bool:
        try:
            return self.ask("/rules", 5)[0] == 200
        except NotAnswered:
            return False

    def is_live(self) -> bool:
        return self.ask("/livez", 5)[0] == 200


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


@contextmanager
def town(
    folder: Path, change: Callable[[], None] | None = None, start: bool = True
) -> Iterator[tuple[House, Relay]]:
    """A server at work, and its relay."""
    with relay() as post, house(folder, post.mail_out, change, start) as place:
        yield place, post
