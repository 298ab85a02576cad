"""The way of one mail through the house, measured: `python -m tests.profile_mail`.

A mail of three order lines is taken in and read with the interpreter's profiler switched on. What is counted
is the functions of the house alone: how many are called and how deep, how many files they lie in, how often
the way leads from one file to another and how often back into a file that it had already left; and how often
a line is parsed, the headers are parsed, and a transaction is begun.

What a library calls by itself is left out: SQLAlchemy a type of ours for each value that it reads, `email` a
policy of ours for each header. Nobody who reads the code comes by there.

When a mail was first parsed once into a value, its way to depth 6 led by 32 files and had 286 moves, 255 of
them returns, counted so. Now each stage hands on a value with which the next is called: 20 files, 58 moves,
39 of them returns, and 778 returns in the whole way. A step that is put into a function of its own is one
deeper: so look at depth 7 and at the whole way too, which must not grow where the figures of depth 6 become
less. tests/server/inbox/test_road.py holds what it may have now.
"""

from __future__ import annotations

import email
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from itertools import pairwise
from pathlib import Path
from types import FrameType

import sqlalchemy
from sqlalchemy import Connection, event

from engine.notation.orders import write
from engine.position import Position, view
from engine.rules import card_choices, legal
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.store.context import Context
from server.store.models import Game
from server.turns.dry_run import preview
from tests.paths import TOP
from tests.server.desk import NOON, Collector, desk, game_row, start_game

FLOORS = tuple(f"{TOP / floor}/" for floor in ("engine", "emails", "server"))
LIBRARIES = tuple(f"{Path(library.__file__).parent}/" for library in (sqlalchemy, email))
"""Those that call functions of the house."""
PARSING_LINES = ("engine/notation/parser.py", "parse_line")
PARSING_HEADERS = ("emails/replies/headers.py", "parse_head")
SHALLOW = 6
"""As deep as somebody follows who reads the code."""


@dataclass(slots=True)
class Walk:
    """The way of a piece of work through the functions of the house."""

    steps: list[tuple[str, str, int]] = field(default_factory=list)
    """Of each call, and of each return to where the way goes on: the file, the function, and its depth.

    The function is empty for a return.
    """
    writes: int = 0
    """Transactions that write."""
    reads: int = 0
    _open: list[str] = field(default_factory=list)
    _left_out: int = 0
    """How many functions are open that a library called, or one of these."""

    def note(self, frame: FrameType, what: str, _: object) -> None:
        """What the interpreter calls for each call and each return."""
        code = frame.f_code
        if what not in ("call", "return") or not code.co_filename.startswith(FLOORS):
            return
        if code.co_name.startswith("<"):  # a comprehension is a part of its function
            return
        if self._left_out or _is_called_by_library(frame):
            self._left_out += 1 if what == "call" else -1
        elif what == "call":
            self._open.append(str(Path(code.co_filename).relative_to(TOP)))
            self.steps.append((self._open[-1], code.co_name, len(self._open)))
        else:
            self._open.pop()
            if self._open:
                self.steps.append((self._open[-1], "", len(self._open)))

    def note_transaction(self, connection: Connection) -> None:
        """What the database calls when a transaction begins."""
        if connection.get_execution_options().get("writing"):
            self.writes += 1
        else:
            self.reads += 1

    @property
    def calls(self) -> list[tuple[str, str, int]]:
        """The calls alone."""
        return [step for step in self.steps if step[1]]

    @property
    def files(self) -> set[str]:
        """The files entered."""
        return {file for file, _, _ in self.steps}

    @property
    def moves(self) -> int:
        """How often the way leads from one file to another."""
        return sum(one[0] != other[0] for one, other in pairwise(self.steps))

    @property
    def returns(self) -> int:
        """How often it leads back into a file that was already left."""
        return self.moves - len(self.files) + 1

    def count(self, function: tuple[str, str]) -> int:
        """How often a function is called."""
        return sum(call[:2] == function for call in self.calls)

    def to_depth(self, deepest: int) -> Walk:
        """The same as far as this depth."""
        return Walk([step for step in self.steps if step[2] <= deepest], self.writes, self.reads)


def _is_called_by_library(frame: FrameType) -> bool:
    """Whether a library comes by a function, and none of the house."""
    return frame.f_back is not None and frame.f_back.f_code.co_filename.startswith(LIBRARIES)


def record(context: Context, work: Callable[[], object]) -> Walk:
    """The way of a piece of work."""
    walk = Walk()
    event.listen(context.database, "begin", walk.note_transaction)
    sys.setprofile(walk.note)
    try:
        work()
    finally:
        sys.setprofile(None)
        event.remove(context.database, "begin", walk.note_transaction)
    return walk


def measure_mail(folder: Path) -> tuple[Walk, Walk]:
    """A mail of three order lines: how it is stored, and how it is read and played."""
    context, carrier = desk(folder), Collector()
    game = start_game(context, "Anna", "Ben")
    send_due_letters(context, carrier, NOON)
    position = position_of(context, game)
    letter = carrier.to(position.table.names[position.table.seat])[-1]
    raw = answer(letter, three_orders(position))
    sender, recipient = str(letter["To"]).rpartition("<")[2].rstrip(">"), str(letter["Reply-To"])
    stored = record(context, lambda: intake.store_mail(context, sender, recipient, raw, NOON))
    played = record(context, lambda: dispatch.process_waiting_mail(context, NOON))
    assert game_row(context, game).seq == 3, "nothing was played"
    return stored, played


def position_of(context: Context, game: str) -> Position:
    """How a game stands."""
    with context.reading() as session:
        position = context.history_of(session, session.get_one(Game, game)).position
    assert position is not None
    return position


def three_orders(position: Position) -> list[str]:
    """A card, a march, and a card that is drawn."""
    known = view(position, position.table.seat)
    card = write(next(card_choices(known)), known.table.board)
    after = preview(position, known.table.seat, [card]).position
    march = write(next(legal(view(after, after.table.seat))), known.table.board)
    return [card, march, "draw"]


def answer(letter: EmailMessage, lines: list[str]) -> bytes:
    """A mail that answers a letter as mail programs do."""
    mail = EmailMessage()
    mail["From"], mail["To"] = str(letter["To"]), str(letter["Reply-To"])
    mail["Subject"] = f"Re: {letter['Subject']}"
    mail["In-Reply-To"], mail["Message-ID"] = str(letter["Message-ID"]), "<1@client.example.org>"
    mail.set_content("\n".join(lines))
    return bytes(mail)


def report(name: str, walk: Walk) -> str:
    """What was counted, as a line."""
    deepest = max(depth for _, _, depth in walk.steps)
    return (
        f"{name:24}{len(walk.calls):6} calls{len(walk.files):4} files{walk.moves:6} moves"
        f"{walk.returns:6} returns{deepest:4} deep{walk.count(PARSING_LINES):4} lines and"
        f"{walk.count(PARSING_HEADERS):2} headers parsed{walk.writes:3} writing and{walk.reads:2} reading "
        "transactions"
    )


def main() -> None:
    """Measure twice, for the first run fills what is kept, and print the second."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            stored, played = measure_mail(Path(folder))
    lines = [
        report("stored", stored),
        report("read and played", played),
        *(report(f"the same to depth {depth}", played.to_depth(depth)) for depth in (SHALLOW, SHALLOW + 1)),
    ]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
