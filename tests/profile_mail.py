"""Files, functions and value types on the roads of a reply, a click and a deadline until letters have left.

`python -m tests.profile_mail` prints them; `tests/test_size.py` has the ceilings. Only functions of the
product count, and not those that SQLAlchemy and `email` call for each value that they read.
"""

from __future__ import annotations

import email
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType

import sqlalchemy
from sqlalchemy import Connection, event

from server.clock import keep_deadlines
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from tests.paths import TOP
from tests.server.desk import NOON, Collector, Desk
from tests.server.inbox.test_mail_dispatch import answering
from tests.server.web.site import Site, site

PRODUCT = tuple(f"{TOP / floor}/" for floor in ("engine", "emails", "server"))
LIBRARIES = tuple(f"{Path(library.__file__).parent}/" for library in (sqlalchemy, email))
GENERATED = "<string>"
"""The file of the constructors of dataclasses and named tuples."""


@dataclass(slots=True)
class Walk:
    """What a piece of work calls, and the transactions that it begins."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls of each function, named by file and qualified name."""
    values: set[type] = field(default_factory=set)
    """Value types of the product of which an instance is made."""
    writes: int = 0
    reads: int = 0
    _in_library: int = 0

    def note_call(self, frame: FrameType, what: str, _: object) -> None:
        """Count a call; the interpreter calls this for each call and return."""
        code = frame.f_code
        if what not in ("call", "return"):
            return
        if what == "call" and code.co_filename == GENERATED:
            self._note_value(frame)
        if not code.co_filename.startswith(PRODUCT) or code.co_name.startswith("<"):
            return
        caller = frame.f_back
        if self._in_library or (caller is not None and caller.f_code.co_filename.startswith(LIBRARIES)):
            self._in_library += 1 if what == "call" else -1
        elif what == "call":
            self.calls[str(Path(code.co_filename).relative_to(TOP)), code.co_qualname] += 1

    def _note_value(self, frame: FrameType) -> None:
        made = frame.f_locals.get("_cls") or type(frame.f_locals.get("self"))
        if made.__module__.startswith(("engine.", "emails.", "server.")):
            self.values.add(made)

    def note_transaction(self, connection: Connection) -> None:
        if connection.get_execution_options().get("writing"):
            self.writes += 1
        else:
            self.reads += 1

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.calls}

    def __or__(self, other: Walk) -> Walk:
        return Walk(
            self.calls + other.calls,
            self.values | other.values,
            self.writes + other.writes,
            self.reads + other.reads,
        )


def record(context: Desk, work: Callable[[], object]) -> Walk:
    """Run a piece of work under the interpreter's profiler."""
    walk = Walk()
    event.listen(context.database, "begin", walk.note_transaction)
    sys.setprofile(walk.note_call)
    try:
        work()
    finally:
        sys.setprofile(None)
        event.remove(context.database, "begin", walk.note_transaction)
    return walk


@dataclass(slots=True)
class Roads:
    """The steps of each road of a game of Anna and Ben: what comes in, what it causes, two letters out."""

    stored: Walk
    played: Walk
    letters_of_reply: Walk
    clicked: Walk
    letters_of_click: Walk
    passed: Walk
    letters_of_deadline: Walk

    @property
    def whole(self) -> dict[str, Walk]:
        """Each road from its beginning until its letters have left."""
        return {
            "reply": self.stored | self.played | self.letters_of_reply,
            "click": self.clicked | self.letters_of_click,
            "deadline": self.passed | self.letters_of_deadline,
        }


def measure_roads(folder: Path) -> Roads:
    """Play three games: by a mail of three order lines, by a click, and by a deadline that passes."""
    places = [folder / name for name in ("reply", "click", "deadline")]
    for place in places:
        place.mkdir()
    reply, click, deadline = map(site, places)
    return Roads(*_reply(reply), *_click(click), *_pass_deadline(deadline))


def _reply(place: Site) -> tuple[Walk, Walk, Walk]:
    context, carrier = place.context, Collector()
    game = context.start_game("Anna", "Ben")
    send_due_letters(context, carrier, NOON)
    letter = carrier.to(context.mover(game))[-1]
    words = "\n".join([*context.turn_words(game), "end"])
    raw = bytes(answering(letter, words, Message_ID="<1@client.example.org>"))
    sender, recipient = str(letter["To"]).rpartition("<")[2].rstrip(">"), str(letter["Reply-To"])
    stored = record(context, lambda: intake.store_mail(context, sender, recipient, raw, NOON))
    played = record(context, lambda: dispatch.process_waiting_mail(context, NOON))
    assert context.game_row(game).seq == 3, "nothing was played"
    return stored, played, _send(context, NOON, letters=2)


def _click(place: Site) -> tuple[Walk, Walk]:
    context = place.context
    game = context.start_game("Anna", "Ben")
    send_due_letters(context, Collector(), NOON)
    turn = "\n".join([*context.turn_words(game), "end"])
    visitor = place.visitor().get(place.link(game, turn))
    _, action, fields = visitor.form("//form[@method='post'][.//input[@name='nonce']]")
    clicked = record(context, lambda: visitor.client.post(action, data=fields))
    assert context.game_row(game).seq == 3, "nothing was played"
    return clicked, _send(context, NOON, letters=1)


def _pass_deadline(place: Site) -> tuple[Walk, Walk]:
    context = place.context
    game = context.start_game("Anna", "Ben")
    send_due_letters(context, Collector(), NOON)
    context.begin_time(game)
    late = NOON + timedelta(days=9)
    passed = record(context, lambda: keep_deadlines(context, late))
    assert context.game_row(game).seq > 1, "nothing was played"
    return passed, _send(context, late, letters=2)


def _send(context: Desk, now: datetime, letters: int) -> Walk:
    """Send the letters that are due, each to another player."""
    carrier = Collector()
    walk = record(context, lambda: send_due_letters(context, carrier, now))
    assert len({mail["To"] for mail in carrier.mails}) == len(carrier.mails) == letters
    return walk


def main() -> None:
    """Print the figures of a second run: the first one fills caches."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            roads = measure_roads(Path(folder))
    walks = {name.replace("_", " "): getattr(roads, name) for name in Roads.__slots__}
    walks |= {f"whole {name}": walk for name, walk in roads.whole.items()}
    for name, walk in walks.items():
        sys.stdout.write(
            f"{name:20}{len(walk.files):4} files{len(walk.calls):5} functions{walk.calls.total():7} calls"
            f"{len(walk.values):4} value types{walk.writes:3} writing{walk.reads:3} reading transactions\n"
        )


if __name__ == "__main__":
    main()
