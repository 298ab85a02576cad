"""What players do at a server within the test, and what is to be seen of their games."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from sqlmodel import func, select

from emails.tokens import Ticket
from engine import bots
from server.accounts.sign_in import request_link_for
from server.inbox import intake
from server.store.database import MODELS
from server.store.models import Act, Game, OutgoingLetter, Player, Seating
from server.store.states import Channel, LetterState, MailState
from server.turns.play import play_turn
from tests.faults.databases import database_of
from tests.faults.times import Times
from tests.server.desk import DOMAIN, Desk
from tests.server.web.site import Site, Visitor


class Players:
    """The players of a server: their games, mails and letters, and the pages that they open."""

    folder: Path
    times: Times
    context: Desk
    seed: int
    _site: Site | None
    _written: int
    """How many mails they have written."""

    def start(self, *people: str, hours: int = 48) -> str:
        """A game that has begun, whose players read letters without pictures: they are drawn slowly."""
        game = self.context.start_game(*people, now=self.times.wall(), hours=hours)
        for name in set(people) - {"house"}:
            self.context.set_preferences(game, name, now=self.times.wall(), everywhere=True, pictures=False)
        return game

    def row(self, game: str) -> Game:
        return self.context.game_row(game)

    def left(self, game: str) -> timedelta:
        deadline = self.row(game).deadline
        assert deadline is not None, "its time has not begun"
        return deadline - self.times.wall()

    def has_begun(self, game: str) -> bool:
        return self.row(game).turn_began_at is not None and self.row(game).deadline is not None

    def set_left(self, game: str, left: timedelta) -> None:
        row, now = self.row(game), self.times.wall()
        with self.context.changing() as session:
            stored = session.get_one(Game, game)
            stored.deadline = now + left
            stored.turn_began_at = now + left - timedelta(minutes=row.turn_minutes)
            stored.due_at = now

    def look_in_time(self, game: str) -> bool:
        """Let a clock that looked while `set_left` wrote, and noted the old deadline, look at the new one."""
        with self.context.writing() as session:
            stored = session.get_one(Game, game)
            if stored.due_at and stored.deadline and stored.due_at > stored.deadline:
                stored.due_at = stored.deadline
                session.commit()
        return False

    def take_turn(self, game: str) -> None:
        after = self.row(game).after
        play_turn(self.context, game, after, bots.stand_in, Channel.WEB, self.times.wall())

    def doors(self, game: str) -> list[str]:
        return self.context.rows_of(Act.door, Act.game == game)

    def timeouts(self, game: str) -> int:
        return self.doors(game).count(Channel.CLOCK)

    def bot_turns(self, game: str) -> int:
        return self.doors(game).count(Channel.HOUSE)

    def card(self, game: str) -> str:
        return str(self.context.position_of(game).table.display.kinds()[0])

    def mover(self, game: str) -> str:
        return self.context.mover(game)

    def sequence(self, game: str) -> int:
        return self.row(game).seq

    def write(self, game: str, name: str, words: str = "", *, arrived: Any = None, forged: Any = None) -> str:
        """A player's answer to the last letter of a game is brought by the mail server; its Message-ID.

        `words`: by default an order that can be done. `arrived`: when the mail server at the border had it.
        `forged`: what a line below that one says, which anybody can have written.
        """
        self._written += 1
        words = words or f"choose {self.card(game)}"
        seat, sender = self.context.seat_of(game, name), f"{name.lower()}@example.org"
        address = self.context.links.reply_address(Ticket(game, seat, self.row(game).after))
        message_id = f"<{self.seed}.{self._written}@example.org>"
        lines = [_received_line(at) for at in (arrived, forged) if at is not None]
        lines += [f"From: {sender}", f"Message-ID: {message_id}", "", words, ""]
        self.bring(sender, address, "\r\n".join(lines).encode())
        return message_id

    def bring(self, sender: str, recipient: str, mail: bytes) -> None:
        intake.store_mail(self.context, sender, recipient, mail, self.times.wall())

    def mail_states(self) -> list[str]:
        return [state.decode("utf-8", "replace") for state, _ in self._mails()]

    def is_played(self, message_id: str) -> bool:
        return (MailState.PLAYED.encode(), message_id.encode()) in self._mails()

    def _mails(self) -> list[tuple[bytes, bytes]]:
        """State and Message-ID of each, read so that none of them can be unreadable."""
        with closing(sqlite3.connect(database_of(self.folder))) as connection:
            connection.text_factory = bytes
            return connection.execute("SELECT state, message_id FROM incoming").fetchall()

    def waiting_letters(self) -> int:
        return self.context.rows_of(OutgoingLetter.state).count(LetterState.WAITING)

    def reminders(self, game: str) -> int:
        kinds = self.context.rows_of(OutgoingLetter.kind, OutgoingLetter.game == game)
        return kinds.count("reminder")

    def game_of(self, mail: EmailMessage) -> str:
        its = OutgoingLetter.message_id == str(mail["Message-ID"])
        return self.context.rows_of(OutgoingLetter.game, its)[0]

    @property
    def site(self) -> Site:
        if self._site is None:
            dice = self.context.rng
            self._site = Site(self.context, self.times.wall)  # type: ignore[arg-type]
            self.context.rng = dice
        return self._site

    def open_turn_page(self, game: str, words: str = "") -> Visitor:
        """The mover's page of a game in a browser, or the page that shows what `words` would do."""
        return self.site.look(game, words=words)

    def open_settings_page(self, game: str) -> Visitor:
        return self.site.look(game, "/settings", seat=0)

    def sign_in(self, name: str) -> None:
        [player] = self.context.rows_of(Player.id, Player.name == name)
        self.site.as_player(name)
        request_link_for(self.context, player, self.times.wall())

    def propose(self, name: str, other: str) -> None:
        sender, wanted = f"{name.lower()}@example.org", f"{other} <{other.lower()}@example.org>"
        mail = f"From: {sender}\r\nMessage-ID: <new@example.org>\r\n\r\n{wanted}\r\n"
        self.bring(sender, f"new@{DOMAIN}", mail.encode())
        self.work()

    def set_preferences(self, name: str) -> None:
        game, now = self.context.rows_of(Seating.game, Seating.name == name)[0], self.times.wall()
        self.context.set_preferences(game, name, now=now, everywhere=True, language="nl")
        self.context.set_preferences(game, name, now=now, language="en")

    def resign(self, game: str, name: str) -> None:
        self.context.resign(game, self.context.seat_of(game, name), now=self.times.wall())

    def write_to_operator(self, name: str) -> None:
        sender, reader = f"{name.lower()}@example.org", f"postmaster@{DOMAIN}"
        mail = f"From: {sender}\r\nMessage-ID: <o@example.org>\r\n\r\nHello.\r\n"
        self.bring(sender, reader, mail.encode())

    def counts(self) -> dict[str, int]:
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
