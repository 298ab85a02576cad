"""A server within the test: its own database, clocks that can be set, a relay that only collects.

The only file of this room that knows how such a server is wired; the tests say what is to be seen of it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from inspect import signature
from pathlib import Path
from typing import Any

from click.testing import Result
from sqlalchemy import event
from sqlmodel import func, select

from emails.letters.kinds import LetterKind
from emails.tokens import Ticket
from engine import bots
from server.accounts.sign_in import request_link_for
from server.admin.doctor import examine_stored_acts
from server.delivery.transports import RelayAway
from server.inbox import intake
from server.loops import Loops
from server.settings import Settings
from server.store.context import Context, open_context
from server.store.database import MODELS
from server.store.histories import HistoryCache
from server.store.models import Act, Game, IncomingMail, OutgoingLetter, Player, Seating
from server.store.moments import write_moment
from server.store.states import Channel, LetterState, MailState, MomentName
from server.turns.play import play_turn
from tests.faults.times import Times, Watch
from tests.server import desk as office
from tests.server.desk import DOMAIN, NOON, SECRET, Collector, game_row, names_of, seat_of, start_game
from tests.server.web.site import Site, Visitor

__all__ = ["MODELS", "NOON", "AwayRelay", "Collector", "Server"]

TICK = 0.2
"""Seconds between two looks at the clock, of servers in tests."""
MOST_ROUNDS = 200


class AwayRelay(Collector):
    """A relay that can be away."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Take a letter, or not be there."""
        if self.is_away:
            raise RelayAway("nobody answers")
        super().send(sender, recipient, raw)


class Server:
    """A server on the database in a folder, which was there before or is made."""

    def __init__(
        self,
        folder: Path,
        times: Times | None = None,
        relay: Any = None,
        *,
        seed: int = 1,
        lanes: int = 1,
        oldest: int = 0,
        **settings: str,
    ) -> None:
        """`oldest`, for a control: it reads no mail while so many wait."""
        self.folder, self.times, self.seed = folder, times or Times(), seed
        self.relay = Collector() if relay is None else relay
        self.context = self._open(**settings)
        self._site: Site | None = None
        self._lanes, self._oldest = lanes, oldest
        self._loops = self._new_loops()
        self._written = 0

    def _open(self, **settings: str) -> Context:
        return office.desk(self.folder, self.seed, ALEXANDROS_TICK=str(TICK), **settings)

    def _new_loops(self) -> Loops:
        lanes = [self.relay] * self._lanes
        if "steady" in signature(Loops.of).parameters:
            loops = Loops.of(self.context, lanes, self.times.wall, steady=self.times.steady)
        else:
            loops = Loops.of(self.context, lanes, self.times.wall)
        if self._oldest:
            [mail] = (one for one in loops.each if one.name == "mail")
            reads = mail._work
            mail._work = lambda now: 0 if self._waiting_mails() >= self._oldest else reads(now)
        return loops

    def _waiting_mails(self) -> int:
        return self.mail_states().count("waiting")

    # --- it works ---

    def work(self, *order: str) -> int:
        """Do step by step, at this moment, what the loops do beside each other, until nothing is left.

        `order`: the names of the loops that work, one after the other; all of them where none is named.
        """
        done = 0
        loops = {one.name: one for one in self._loops.each}
        for _ in range(MOST_ROUNDS):
            did = sum(self._work_at(loops[name]) for name in order or loops)
            done += did
            if not did:
                return done
        raise AssertionError("the server never comes to rest")

    def _work_at(self, loop: Any) -> int:
        return int(loop._work(self.times.wall()))

    def work_for(self, span: timedelta, step: timedelta) -> None:
        """Let time pass, and work after each step."""
        for _ in range(round(span / step)):
            self.pass_time(step)
            self.work()

    def pass_time(self, span: timedelta) -> None:
        """Let time pass for which a server was at work, though it had nothing to do."""
        self.times.go_on(span)
        with self.context.writing() as session:
            write_moment(session, MomentName.HEARTBEAT, self.times.wall())
            session.commit()

    @contextmanager
    def running(self) -> Iterator[Watch]:
        """Let its loops work, each in a thread of its own."""
        watch, loops = Watch(), self._new_loops()
        loops.start(self.context)

        def wake() -> None:
            loops.wake()
            watch.note()

        self.context.wake = wake
        try:
            yield watch
        finally:
            loops.stop()

    def looks(self) -> int:
        """How often the loop that keeps deadlines has looked at the clock."""
        return self.times.asked.get("clock", 0)

    def has_looked(self, times: int) -> bool:
        """Whether it has looked so often."""
        return self.looks() >= times

    def stop(self) -> None:
        """Let it stop, as the process ends."""
        self.context.database.dispose()

    def again(self) -> Server:
        """A new server on the same database, as after a restart."""
        return Server(self.folder, self.times, self.relay, seed=self.seed + 1)

    def count(self, table: str, where: str) -> int:
        """How many such rows there are, whatever stands in them."""
        with closing(sqlite3.connect(database_of(self.folder))) as connection:
            found: int = connection.execute(f'SELECT count(*) FROM "{table}" WHERE {where}').fetchone()[0]
        return found

    def forget_itself(self) -> None:
        """It knows no longer when it worked last."""
        execute(database_of(self.folder), "DELETE FROM moment")

    # --- games ---

    def start(self, *people: str, hours: int = 48) -> str:
        """A game that has begun, whose players read letters without pictures: they are drawn slowly."""
        game = start_game(self.context, *people, now=self.times.wall(), hours=hours)
        for name in set(people) - {"house"}:
            office.wish(self.context, game, name, now=self.times.wall(), everywhere=True, pictures=False)
        return game

    def row(self, game: str) -> Game:
        """What the list of games says of it."""
        return game_row(self.context, game)

    def left(self, game: str) -> timedelta:
        """How much time its mover has left."""
        deadline = self.row(game).deadline
        assert deadline is not None, "its time has not begun"
        return deadline - self.times.wall()

    def has_begun(self, game: str) -> bool:
        """Whether the time of the turn runs."""
        return self.row(game).turn_began_at is not None and self.row(game).deadline is not None

    def set_left(self, game: str, left: timedelta) -> None:
        """Let a turn have begun so long ago that its mover has this much time left."""
        row, now = self.row(game), self.times.wall()
        with self.context.writing() as session:
            stored = session.get_one(Game, game)
            stored.deadline = now + left
            stored.turn_began_at = now + left - timedelta(hours=row.hours)
            stored.due_at = now
            session.commit()

    def look_in_time(self, game: str) -> bool:
        """Let a clock that looked while `set_left` wrote, and noted the old deadline, look at the new one."""
        with self.context.writing() as session:
            stored = session.get_one(Game, game)
            if stored.due_at and stored.deadline and stored.due_at > stored.deadline:
                stored.due_at = stored.deadline
                session.commit()
        return False

    def take_turn(self, game: str) -> None:
        """Its player takes a whole turn, on a page."""
        after = self.row(game).after
        play_turn(self.context, game, after, bots.stand_in, Channel.WEB, self.times.wall())

    def doors(self, game: str) -> list[str]:
        """By which way each act of it came in."""
        with self.context.reading() as session:
            return [
                str(door) for door in session.exec(select(Act.door).where(Act.game == game).order_by(Act.seq))
            ]

    def timeouts(self, game: str) -> int:
        """How many turns of it were lost because their time had passed."""
        return self._acts(game, Channel.CLOCK)

    def house_turns(self, game: str) -> int:
        """How many turns of it the house has played."""
        return self._acts(game, Channel.HOUSE)

    def _acts(self, game: str, door: Channel) -> int:
        with self.context.reading() as session:
            acts = select(func.count()).select_from(Act)
            return session.exec(acts.where(Act.game == game, Act.door == door)).one()

    def card(self, game: str) -> str:
        """A card that can be chosen in it."""
        with self.context.reading() as session:
            position = self.context.history_of(session, session.get_one(Game, game)).position
        assert position is not None
        return str(position.table.display.kinds()[0])

    def mover(self, game: str) -> str:
        """Whose turn it is."""
        return names_of(self.context, game)[self.row(game).seat or 0]

    def sequence(self, game: str) -> int:
        """The number of its last act."""
        return self.row(game).seq

    # --- mails and letters ---

    def write(self, game: str, name: str, words: str = "", *, arrived: Any = None, forged: Any = None) -> str:
        """A player's answer to the last letter of a game is brought by the mail server; its Message-ID.

        `words`: by default an order that can be done. `arrived`: when the mail server at the border had it.
        `forged`: what a line below that one says, which anybody can have written.
        """
        self._written += 1
        words = words or f"choose {self.card(game)}"
        seat, sender = seat_of(self.context, game, name), f"{name.lower()}@example.org"
        address = self.context.links.reply_address(Ticket(game, seat, self.row(game).after))
        message_id = f"<{self.seed}.{self._written}@example.org>"
        lines = [_received_line(at) for at in (arrived, forged) if at is not None]
        lines += [f"From: {sender}", f"Message-ID: {message_id}", "", words, ""]
        self.bring(sender, address, "\r\n".join(lines).encode())
        return message_id

    def bring(self, sender: str, recipient: str, mail: bytes) -> None:
        """The mail server at the border brings a mail."""
        intake.store_mail(self.context, sender, recipient, mail, self.times.wall())

    def mail_states(self) -> list[str]:
        """What has become of each mail that came in."""
        return [state.decode("utf-8", "replace") for state, _ in self._mails()]

    def is_played(self, message_id: str) -> bool:
        """Whether what a mail says is done."""
        return (MailState.PLAYED.encode(), message_id.encode()) in self._mails()

    def _mails(self) -> list[tuple[bytes, bytes]]:
        """State and Message-ID of each, read so that none of them can be unreadable."""
        with closing(sqlite3.connect(database_of(self.folder))) as connection:
            connection.text_factory = bytes
            return connection.execute("SELECT state, message_id FROM incoming").fetchall()

    def waiting_letters(self) -> int:
        """How many letters have not left."""
        with self.context.reading() as session:
            letters = select(func.count()).select_from(OutgoingLetter)
            return session.exec(letters.where(OutgoingLetter.state == LetterState.WAITING)).one()

    def reminders(self, game: str) -> int:
        """How many reminders of it were queued."""
        with self.context.reading() as session:
            letters = select(func.count()).select_from(OutgoingLetter).where(OutgoingLetter.game == game)
            return session.exec(letters.where(OutgoingLetter.kind == LetterKind.REMINDER)).one()

    def game_of(self, mail: EmailMessage) -> str:
        """The game that a letter is about."""
        with self.context.reading() as session:
            letters = select(OutgoingLetter.game).where(OutgoingLetter.message_id == str(mail["Message-ID"]))
            return session.exec(letters).one()

    # --- pages ---

    def visitor(self) -> Visitor:
        """A browser."""
        return self.site.visitor()

    @property
    def site(self) -> Site:
        """Its pages."""
        if self._site is None:
            dice = self.context.rng
            self._site = Site(self.context, self.times.wall)  # type: ignore[arg-type]
            self.context.rng = dice
        return self._site

    def open_turn_page(self, game: str, words: str = "") -> Visitor:
        """The mover's page of a game in a browser, or the page that shows what `words` would do."""
        return self.visitor().get(self.site.link(game, words))

    def open_settings_page(self, game: str) -> Visitor:
        """The page on which the player of the first seat sets what they want to hear."""
        return self.visitor().get(self.site.link(game, seat=0) + "/settings")

    def sign_in(self, name: str) -> None:
        """A player is signed in in a browser, and has asked for a link for another."""
        with self.context.reading() as session:
            player = session.exec(select(Player.id).where(Player.name == name)).one()
            game, seat = session.exec(
                select(Seating.game, Seating.seat).where(Seating.player == player)
            ).first() or ("", 0)
        self.site.signed_in(game, seat)
        request_link_for(self.context, player, self.times.wall())

    def propose(self, name: str, other: str) -> None:
        """Somebody asks by mail for a game with another, and it waits for their yes."""
        sender, wanted = f"{name.lower()}@example.org", f"{other} <{other.lower()}@example.org>"
        mail = f"From: {sender}\r\nMessage-ID: <new@example.org>\r\n\r\n{wanted}\r\n"
        self.bring(sender, f"new@{DOMAIN}", mail.encode())
        self.work()

    def wish(self, name: str) -> None:
        """A player says what they want to hear, of all games."""
        with self.context.reading() as session:
            seats = select(Seating.game).where(Seating.name == name)
            game = session.exec(seats).first() or ""
        office.wish(self.context, game, name, now=self.times.wall(), everywhere=True, language="nl")
        office.wish(self.context, game, name, now=self.times.wall(), language="en")

    def resign(self, game: str, name: str) -> None:
        """A player gives a game up."""
        office.resign(self.context, game, seat_of(self.context, game, name), now=self.times.wall())

    def write_to_operator(self, name: str) -> None:
        """Somebody writes to whoever runs the server."""
        sender, reader = f"{name.lower()}@example.org", f"postmaster@{DOMAIN}"
        self.bring(
            sender, reader, f"From: {sender}\r\nMessage-ID: <o@example.org>\r\n\r\nHello.\r\n".encode()
        )

    def type_in(self, *command: str) -> Result:
        """Type a command on its machine."""
        return office.type_in(self.context, *command)

    def counts(self) -> dict[str, int]:
        """How many rows each table has."""
        with self.context.reading() as session:
            return {
                table.name: session.execute(select(func.count()).select_from(table)).scalar_one()
                for table in MODELS.sorted_tables
            }


def _received_line(at: Any) -> str:
    return (
        "Received: from mail.example.org (mail.example.org [192.0.2.7])\r\n"
        f" by mx.example.org (Postfix) with ESMTPS id 4711;\r\n {format_datetime(at)}"
    )


def tells_of_jump(log: str) -> bool:
    """Whether the log says that the wall clock jumped."""
    return bool(re.search(r"clock\b.*\b(jump|was set|put back|went|ahead|back)", log, re.IGNORECASE))


def names_row(log: str, game: str) -> bool:
    """Whether the log names a broken game, or the row of a table."""
    return game in log or bool(re.search(r"event=row-failed .*\brow=\d+", log))


def words_of(mail: EmailMessage) -> str:
    """The words of a letter."""
    return office.body(mail)


def can_read(context: Context, table: str) -> bool:
    """Whether every row of a table can be read, and what stands in it holds together."""
    models = {one.class_.__tablename__: one.class_ for one in Game._sa_registry.mappers}
    try:
        with context.reading() as session:
            rows = session.exec(select(models[table])).all()
            games = {row.game for row in rows} if table == "act" else set()
            for game in games:
                context.history_cache = HistoryCache()
                context.history_of(session, session.get_one(Game, game))
    except Exception:
        return False
    return True


# --- databases ------------------------------------------------------------------------------------------


def execute(file: Path, statement: str) -> None:
    """Change a database behind the server's back."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def database_of(folder: Path) -> Path:
    """The file in which a server of this folder keeps everything."""
    return folder / "games.sqlite"


def open_durable(folder: Path) -> Context:
    """A server's database, opened as `alexandros serve` does it, with every precaution against power cuts."""
    given = {
        "ALEXANDROS_DATABASE": f"sqlite:///{database_of(folder)}",
        "ALEXANDROS_BASE_URL": "http://127.0.0.1:8000",
        "ALEXANDROS_SECRET": SECRET,
        "ALEXANDROS_MAIL_OUT": "local",
        "ALEXANDROS_MAIL_FROM": "Alexandros <alexandros@example.org>",
        "ALEXANDROS_MAIL_DOMAIN": DOMAIN,
    }
    return open_context(Settings.read(given))


def synchronise_less(context: Context) -> None:
    """Let the log be synced only when it is brought into the database, as many advise: for a control."""
    event.listen(context.database, "connect", _sync_at_checkpoints)
    context.database.dispose()


def _sync_at_checkpoints(connection: Any, _: object) -> None:
    connection.execute("PRAGMA synchronous=NORMAL")


class Durable(Server):
    """A server whose database is opened as `alexandros serve` does it, with every precaution."""

    def _open(self, **_: str) -> Context:
        return open_durable(self.folder)


def has_integrity(context: Context) -> bool:
    """Whether SQLite finds nothing wrong with the file of a database."""
    with context.reading() as session:
        return session.connection().exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def stored_mails(context: Context) -> set[str]:
    """The Message-IDs of all mails that are stored."""
    with context.reading() as session:
        return {str(one) for one in session.exec(select(IncomingMail.message_id))}


def stored_acts(context: Context) -> set[tuple[str, int, str]]:
    """All acts that are stored: game, number, digest."""
    with context.reading() as session:
        rows = session.exec(select(Act.game, Act.seq, Act.digest))
        return {(game, seq, digest) for game, seq, digest in rows}


def complaints(context: Context) -> list[str]:
    """What `alexandros doctor` says of the stored games that is wrong."""
    return [str(one) for one in examine_stored_acts(context)]
