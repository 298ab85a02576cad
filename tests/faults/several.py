"""A server of many processes on one PostgreSQL, as several machines have it: so many of each role.

Each can be killed, and started again, while the others go on. Whoever visits comes by one that is there, as a
web server before them would choose.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, TypeVar

from sqlalchemy.exc import OperationalError

from server.store.states import Role
from tests.faults.house import House
from tests.faults.kept_games import KeptGames
from tests.faults.relays import Relay
from tests.faults.visits import PATIENCE, NotAnswered, Turn, until
from tests.ports import free_port
from tests.server.desk import Desk, desk

Found = TypeVar("Found")
UNAVAILABLE = 503
READY = ("has here", "is served at")
"""What a process says when it is at work, with some roles or with all."""


class Row(tuple[Any, ...]):
    """A row of an answer, whose values have numbers and names; moments are written as SQLite does."""

    names: tuple[str, ...]

    def __getitem__(self, which: Any) -> Any:
        return super().__getitem__(self.names.index(which) if isinstance(which, str) else which)

    def keys(self) -> Sequence[str]:
        return self.names


def to_row(names: Sequence[str], values: Sequence[Any]) -> Row:
    row = Row(str(one) if hasattr(one, "isoformat") else one for one in values)
    row.names = tuple(names)
    return row


@dataclass
class Part(House):
    database: str = ""
    is_cut: bool = False
    """Whether its machine cannot be reached."""

    def __post_init__(self) -> None:
        self.port, self.mail_port = free_port(), free_port()
        self.log_file = self.folder / f"log-{self.port}"

    def environment(self) -> dict[str, str]:
        return super().environment() | {"ALEXANDROS_DATABASE": self.database}

    def launch(self, sockets: Sequence[Any] = ()) -> None:
        self._said = len(self.log())
        super().launch(sockets)

    def _doors_are_open(self) -> bool:
        assert self.process.is_alive(), f"it ended with {self.process.exitcode}: {self.log()[-3000:]}"
        return any(words in self.log()[self._said :] for words in READY)

    @property
    def is_there(self) -> bool:
        return self.process is not None and self.process.is_alive() and not self.is_cut


@dataclass
class Several(KeptGames):
    folder: Path
    context: Desk
    parts: dict[Role, list[Part]]
    patience: float = PATIENCE
    pictures: bool = False
    dice: random.Random = field(default_factory=lambda: random.Random(5))
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    """Of the mails that are written; several people write at once."""
    told: Counter[int] = field(default_factory=Counter)
    """How often visitors were answered with each status, or mails with each code; 0 where there was no button
    any more."""
    unanswered: int = 0
    """How often nobody answered."""

    def each(self) -> list[Part]:
        return [*{part.port: part for parts in self.parts.values() for part in parts}.values()]

    def start(self) -> float:
        began = monotonic()
        for part in self.each():
            part.launch()
        for part in self.each():
            part.await_doors()
        return monotonic() - began

    def log(self) -> str:
        said = [part.log()[-1000:] for part in self.each()]
        return "\n".join([*said, f"told: {self.told}"])

    @property
    def unavailable(self) -> int:
        return self.told[UNAVAILABLE]

    def _one_of(self, role: Role) -> Part:
        there = [part for part in self.parts[role] if part.is_there]
        if not there:
            raise NotAnswered(f"nobody has {role}")
        return self.dice.choice(there)

    def patiently(self, ask: Callable[[], Found]) -> Found:
        ends = monotonic() + 2 * PATIENCE
        while True:
            try:
                return ask()
            except OperationalError:
                if monotonic() > ends:
                    raise
                Event().wait(0.1)

    def rows(self, query: str, *values: object) -> list[Any]:
        def ask() -> list[Row]:
            with self.context.database.connect() as connection:
                found = connection.exec_driver_sql(query.replace("?", "%s"), values)
                return [to_row([*found.keys()], one) for one in found]

        return self.patiently(ask)

    def write(self, query: str, *values: object) -> None:
        def ask() -> None:
            with self.context.changing() as session:
                session.connection().exec_driver_sql(query.replace("?", "%s"), values)

        self.patiently(ask)

    def open_game(self, *people: str, hours: int = 48) -> str:
        return self.patiently(lambda: KeptGames.open_game(self, *people, hours=hours))

    def turn(self, game: str) -> Turn:
        return self.patiently(lambda: KeptGames.turn(self, game))

    def link(self, turn: Turn, words: str) -> str:
        return self.patiently(lambda: KeptGames.link(self, turn, words))

    def press(self, link: str) -> int:
        """Open a link and press its button; who is told to come again does. Raises `NotAnswered`."""
        status = self._note(lambda: self._one_of(Role.PAGES).press_and_read(link, self.patience)[0])
        if status == UNAVAILABLE:
            raise NotAnswered("the database is away")
        return status

    def write_order(self, turn: Turn, message_id: str) -> int:
        return self._note(lambda: self._one_of(Role.MAIL).write_order(turn, message_id, self.patience))

    def _note(self, visit: Callable[[], int]) -> int:
        try:
            status = visit()
        except NotAnswered:
            self.unanswered += 1
            raise
        self.told[status] += 1
        return status

    def next_message_id(self) -> str:
        return f"<{next(self.numbers)}.{id(self)}@client.example.org>"

    def await_letters(self, seconds: float) -> float:
        return until(lambda: not self.due(), f"all letters leave: {self.log()[-2000:]}", seconds)


@contextmanager
def several(folder: Path, places: Sequence[tuple[str, str]], *, together: bool = False) -> Iterator[Several]:
    """Processes that do not run yet: one of each role for each of the places, which are machines.

    Of a place it is said how the database and how the relay are reached from there. `together`: all roles of
    a place are one process.
    """
    context = desk(folder, ALEXANDROS_DATABASE=places[0][0])
    parts: dict[Role, list[Part]] = {role: [] for role in Role}
    for number, (database, mail_out) in enumerate(places):
        for names in ["all"] if together else [*Role]:
            home = folder / f"{names}-{number}"
            home.mkdir()
            part = Part(home, mail_out, database=database, only="" if together else str(names))
            part.context = context
            for role in [*Role] if together else [Role(names)]:
                parts[role].append(part)
    place = Several(folder, context, parts)
    try:
        yield place
    finally:
        for part in place.each():
            if part.process is not None and part.process.is_alive():
                part.kill()
        context.database.dispose()


def two_places(database: str, post: Relay) -> list[tuple[str, str]]:
    return [(database, post.mail_out)] * 2
