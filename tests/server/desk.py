"""An office for a test: its own database and clock, dice from a seed, mail that is only collected."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import lru_cache
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

from click.testing import CliRunner, Result
from sqlalchemy import inspect
from sqlmodel import Session, col, select

from emails.replies.parsed_mail import Mail
from emails.terms import JoinedBy, TurnTime
from emails.tokens import KeyRing, LinkBuilder, Purpose, Ticket, make_code
from engine import event_log
from engine.bots.strengths import Strength, assign_profiles
from engine.events import Event
from engine.notation.orders import write
from engine.position import Position, view
from engine.rules import card_choices, legal
from server import clock
from server.cli import main
from server.delivery.relay import DeliveryFailed, Transport
from server.delivery.sending import send_due_letters, send_operator_mails
from server.inbox import dispatch, intake
from server.lobby import games, leaving
from server.lobby.games import NewGame
from server.outbox.budgets import OPERATOR, Origin
from server.outbox.chat import unread_chat
from server.outbox.notifications import load_preferences, store_preferences
from server.outbox.queue import open_unit
from server.reviews import review_finished_games
from server.settings import Settings, read_database_url
from server.store.context import Context, RecentlyUsed
from server.store.database import open_database
from server.store.encrypted import decrypt_mail, load_incoming_mail
from server.store.event_log import History, Refusal, require_started
from server.store.game_terms import SeatRequest
from server.store.models import (
    Act,
    AddressConfirmation,
    Game,
    IncomingMail,
    LocalMail,
    OutgoingLetter,
    Player,
    Seating,
    StoredTerms,
)
from server.store.schedule import write_moment
from server.store.server_facts import GameTerms
from server.store.states import Channel, MomentName
from server.store.turn_clock import begin_turn_clock, rebuild_games
from server.turns import play as turns
from server.turns.dry_run import preview
from server.turns.play import PlayResult, load_running_game
from tests.server.storage import storage
from tests.spoken import parse_lines

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MOST_ROUNDS = 100
DATABASE = "ALEXANDROS_DATABASE"
PEOPLE = ("Anna", "Ben", "Cleo", "Dirk")
ANNA, BEN, CLEO, DIRK = (SeatRequest(name, f"{name.lower()}@example.org") for name in PEOPLE)
OPEN_SEAT = SeatRequest("", None, open=True)
BY_LINK = GameTerms(JoinedBy.LINK)
"""Terms of a game with open seats that are taken by a link."""
HOUSE_NAMES = tuple(one.name for one in assign_profiles([Strength.STEADY] * 3))
"""Who sits on the seats of the house, where nobody in particular is wished."""
HOUSE = HOUSE_NAMES[0]
SECRET, DOMAIN = "a secret of more than sixteen letters", "play.example.org"
GIVEN = {
    "ALEXANDROS_BASE_URL": "http://127.0.0.1:8000",
    "ALEXANDROS_SECRET": SECRET,
    "ALEXANDROS_MAIL_OUT": "local",
    "ALEXANDROS_MAIL_FROM": "Alexandros <alexandros@example.org>",
    "ALEXANDROS_MAIL_DOMAIN": DOMAIN,
    "ALEXANDROS_HOUSE_SECONDS": "0",
}
AWAY = DeliveryFailed("The relay is away.", final=False)


def sealed_address(number: int = 1) -> str:
    """An address that answers a letter, by the number of that letter; there is no such game."""
    links = LinkBuilder("", DOMAIN, KeyRing((SECRET.encode(),)))
    return links.reply_address(Ticket("a" * 8, 0, 1), number)


@dataclass
class Collector:
    """A carrier that keeps what it is given."""

    mails: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, str]] = field(default_factory=list)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        mail = message_from_bytes(raw, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.envelopes.append((sender, recipient))

    def probe(self) -> None:
        """It is always there."""

    def to(self, name: str) -> list[EmailMessage]:
        return [mail for mail in self.mails if f"{name.lower()}@" in str(mail["To"]).lower()]


@dataclass
class FailingRelay(Collector):
    """A carrier that fails with an error, as long as it has one."""

    error: Exception | None = None

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.probe()
        super().send(sender, recipient, raw)

    def probe(self) -> None:
        if self.error is not None:
            raise self.error


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, hours: float) -> datetime:
        self.now += timedelta(hours=hours)
        return self.now


class Desk(Context):
    """The office of a test, with what happens there: games, mails, commands and the work of the loops."""

    def work_until_idle(self, carrier: Transport, now: datetime) -> None:
        """Do the work of all loops of a server in turn, at one moment, until nothing is left."""
        for _ in range(MOST_ROUNDS):
            read = dispatch.process_waiting_mail(self, now)
            done = clock.tick(self, now) + review_finished_games(self, now)
            sent = send_due_letters(self, carrier, now) + send_operator_mails(self, carrier, now)
            if not (read or done or sent):
                return

    def type_in(self, *arguments: str, given: str | bytes | None = None, **others: str) -> Result:
        """Type a command where a server with these settings is, or with `others`."""
        settings = self.settings
        environment = {
            "database": settings.database.render_as_string(hide_password=False),
            "base_url": settings.base_url,
            "secret": settings.secret.get_secret_value(),
            "mail_out": "local",
            "mail_from": settings.mail_from,
            "mail_domain": settings.mail_domain,
            "operator": settings.operator or "none",
        }
        named = {f"ALEXANDROS_{name.upper()}": text for name, text in (environment | others).items()}
        return CliRunner(env=named).invoke(main, arguments, input=given)

    def stored_mails(self, table: type[IncomingMail] | type[LocalMail] = IncomingMail) -> list[Mail]:
        """The mails that were taken in, or those in the built-in mailbox, decrypted."""
        with self.reading() as session:
            return [
                load_incoming_mail(session, row, self.links.keys)
                if isinstance(row, IncomingMail)
                else decrypt_mail(row, self.links.keys)
                for row in session.exec(select(table).order_by(table.id))
            ]

    def write_mail(
        self, game: str, name: str, words: str, now: datetime = NOON, number: int = 1, head: str = ""
    ) -> None:
        """Store an unread answer of a player to the letter about the position now."""
        ticket = Ticket(game, self.seat_of(game, name), self.game_row(game).after)
        sender = f"{name.lower()}@example.org"
        mail = f"{head}From: {sender}\r\nMessage-ID: <{number}@example.org>\r\n\r\n{words}\r\n"
        intake.store_mail(self, sender, self.links.reply_address(ticket), mail.encode(), now)

    def open_game(
        self,
        name: str,
        seats: Sequence[SeatRequest],
        now: datetime,
        *,
        at_once: bool = False,
        organiser: str | None = None,
        origin: Origin = OPERATOR,
        **said: Any,
    ) -> str:
        """Open a game by command, of which all else is `said` as a new game says it. Gives its id.

        Its time for turns is given in `hours` or `minutes`, with a `bank` and a `refill` in hours.
        """
        minutes = said.pop("minutes", 60 * said.pop("hours", 48))
        bank, refill = 60 * said.pop("bank", 0), 60 * said.pop("refill", 0)
        said.setdefault("time", TurnTime(minutes, bank, refill))
        wanted = NewGame(name, tuple(seats), **said)
        return games.open_game(self, wanted, now, at_once=at_once, organiser=organiser, origin=origin)

    def accept_invitation(self, game: str, seat: int, now: datetime, after: int = 0) -> bool:
        """Let a player accept an invitation by a link; whether the game has started."""
        return self.committed(now, games.accept_seat, game, seat, Channel.LINK, after)

    def start_game(self, *people: str, now: datetime = NOON, hours: int = 48) -> str:
        """A game that has started; people called house, or house:strong, are of the house. Gives its id."""
        requests = [
            SeatRequest.read(name if name.startswith("house") else f"{name} <{name.lower()}@example.org>")
            for name in people
        ]
        return self.open_game("Friday", requests, now, hours=hours, at_once=True)

    def begin_time(self, game: str, now: datetime = NOON) -> str:
        """Let the time for the turn begin as if its letter had left; gives the game."""
        row = self.game_row(game)
        with self.changing() as session:
            begin_turn_clock(session, game, row.seat, row.turn, now)
        return game

    def start_timed_game(self, *people: str, now: datetime = NOON, hours: int = 48) -> str:
        """A game that has started, in which the time for the first turn runs; its letters still wait."""
        return self.begin_time(self.start_game(*people, now=now, hours=hours), now)

    def game_row(self, game: str) -> Game:
        with self.reading() as session:
            return session.get_one(Game, game)

    def history(self, game: str) -> History:
        with self.reading() as session:
            return self.history_of(session, session.get_one(Game, game))

    def position_of(self, game: str) -> Position:
        """Read the position of a game that has started."""
        return require_started(self.history(game)).position

    def turn_words(self, game: str) -> list[str]:
        """Write a card and a march that the player to move can play."""
        position = self.position_of(game)
        known = view(position, position.table.seat)
        card = write(next(card_choices(known)), known.table.board)
        after = preview(position, known.table.seat, [card]).position
        return [card, write(next(legal(view(after, after.table.seat))), known.table.board)]

    def rebuild(self) -> int:
        """Work the rows of all games out anew from their acts; return how many could be."""
        return sum(why is None for _, why in rebuild_games(self))

    def projected(self, game: str) -> dict[str, Any]:
        """A game's row, but for when the clock looks at it next: at once, after it was made anew."""
        return self.game_row(game).model_dump(exclude={"due_at"})

    def facts(self, game: str) -> list[Event]:
        return [event for _, event in self.history(game).events]

    def names_of(self, game: str) -> tuple[str, ...]:
        """Who sits on seats 0, 1, ..."""
        return self.position_of(game).table.names

    def mover(self, game: str) -> str:
        return self.names_of(game)[self.game_row(game).seat]

    def seat_of(self, game: str, name: str) -> int:
        with self.reading() as session:
            return session.exec(select(Seating).where(Seating.game == game, Seating.name == name)).one().seat

    def player_of(self, game: str, seat: int = 0) -> int:
        """Return the id of the player on a seat."""
        with self.reading() as session:
            player = session.get_one(Seating, (game, seat)).player
        assert player is not None
        return player

    def set_preferences(
        self, game: str, name: str, *, everywhere: bool = False, now: datetime = NOON, **changes
    ):
        """Let a player want something else, of this game or of all."""
        player = self.player_of(game, self.seat_of(game, name))
        with self.changing() as session:
            changed = replace(load_preferences(session, player, game), **changes)
            store_preferences(session, player, None if everywhere else game, changed, now)

    def play(
        self, game: str, seat: int, after: int, lines: Sequence[str], channel: str, now: datetime
    ) -> PlayResult:
        """What lines do in the position after an act, as a button does it."""
        with open_unit(self, now) as unit:
            running = load_running_game(self, unit.session, game, after)
            orders = parse_lines(lines, running.history.position.table.board)
            played = turns.play(unit, running, seat, orders, channel)
            unit.commit()
        return played

    def say(self, game: str, *lines: str, seat: int | None = None, channel: str = "link") -> PlayResult:
        """Play lines at noon in the position now, for the player to move or another seat."""
        row = self.game_row(game)
        return self.play(game, row.seat if seat is None else seat, row.after, lines, channel, NOON)

    def confirm(self, *names: str) -> None:
        """Let players be known to read mail at their addresses, as whoever has accepted once."""
        with self.changing() as session:
            for player in session.exec(select(Player).where(col(Player.name).in_(names))):
                player.confirmed_at = NOON

    def let_advise(self, *games: str) -> None:
        with self.changing() as session:
            for game in games:
                session.merge(StoredTerms(game=game, advice=True))

    def let_watch(self, *games: str) -> None:
        with self.changing() as session:
            for game in games:
                session.merge(StoredTerms(game=game, watched=True))
                session.get_one(Game, game).watched_at = NOON

    def resign(self, game: str, seat: int, channel: str = "reply", now: datetime = NOON) -> bool:
        """A player gives a game up; whether that is new."""
        return self.committed(now, leaving.resign, game, seat, channel)

    def rows_of(self, what: Any, *conditions: Any) -> list[Any]:
        """The rows of a table, or one column of them, in the order of their keys."""
        model = what if isinstance(what, type) else what.class_
        with self.reading() as session:
            chosen = select(what).where(*conditions).order_by(*inspect(model).primary_key)
            return list(session.exec(chosen))

    def note_moment(self, name: MomentName, at: datetime = NOON) -> None:
        """Store a moment of the server, such as the beginning of an outage of its relay."""
        with self.changing() as session:
            write_moment(session, name, at)

    @contextmanager
    def changing(self) -> Iterator[Session]:
        """A session in which to write, whose changes are committed at the end."""
        with self.writing() as session:
            yield session
            session.commit()

    def committed(self, now: datetime, work: Callable[..., Any], *arguments: object) -> Any:
        """Do something in a unit of work of its own."""
        with open_unit(self, now) as unit:
            found = work(unit, *arguments)
            unit.commit()
        return found

    def change_game(self, game: str, **values: object) -> None:
        with self.changing() as session:
            session.get_one(Game, game).sqlmodel_update(values)

    def unread(self, game: str, seat: int) -> list[str]:
        """The messages of a game that no letter has brought to a seat yet."""
        with self.reading() as session:
            return [one.words for one in unread_chat(session, game, seat)[0]]

    def tamper(self, game: str) -> None:
        """Change what an act of a game says, past its seal, and forget what is remembered of the game."""
        with self.changing() as session:
            session.get_one(Act, (game, 1)).said = "something else"
        self.history_cache = RecentlyUsed()

    def confirmation_codes(self, address: str = "", purpose: str = "") -> list[str]:
        """The codes that can be confirmed, the oldest first; only letters know them.

        Of one address or of all, and for one purpose or for any.
        """
        with self.reading() as session:
            waiting = session.exec(select(AddressConfirmation)).all()
            wanted = {
                one.digest for one in waiting if address in ("", one.address) and purpose in ("", one.purpose)
            }
            letters = session.exec(select(OutgoingLetter).order_by(col(OutgoingLetter.id)))
            details = [json.loads(row.detail) for row in letters]
        marks = [one["mark"] for one in details if one.get("digest") in wanted]
        return [make_code(Purpose.CONFIRMATION, mark, self.links.keys) for mark in marks]


def desk(folder: Path, seed: int = 1, **settings: str) -> Desk:
    """An office on a database of its own; in `folder` is what it keeps as files."""
    if DATABASE not in settings:
        settings = {DATABASE: storage().place(folder), **settings}
    context = open_desk(_read_settings(GIVEN | settings))
    storage().hurry(context.database)
    _share_statements(context)
    context.rng = random.Random(seed)
    return context


def open_desk(settings: Settings) -> Desk:
    """Open an office on the database that its settings name."""
    links = LinkBuilder(settings.base_url, settings.mail_domain, KeyRing(settings.secrets))
    return Desk(settings, open_database(settings.database), links)


def _read_settings(given: dict[str, str]) -> Settings:
    """Settings: those that differ in the database alone, as of most tests, are read once."""
    if any(name.endswith("_FILE") for name in given):  # what is in a file may change
        return Settings.read(given)
    others = tuple(sorted(item for item in given.items() if item[0] != DATABASE))
    return _read_others(others).model_copy(update={"database": read_database_url(given[DATABASE])})


@lru_cache(maxsize=256)
def _read_others(others: tuple[tuple[str, str], ...]) -> Settings:
    return Settings.read({DATABASE: "sqlite:////nowhere", **dict(others)})


STATEMENTS: dict[str, dict[Any, Any]] = {}
"""All that was ever asked of a database, as it is put to each system."""
DIALECTS: dict[str, Any] = {}


def _share_statements(context: Context) -> None:
    """Let all offices of a process use what one of them has compiled: nothing of its database is in it."""
    name = context.database.dialect.name
    dialect = DIALECTS.setdefault(name, context.database.dialect)
    for engine in (context.database, context._for_writing):
        engine.dialect = dialect
        engine.update_execution_options(compiled_cache=STATEMENTS.setdefault(name, {}))


def fact_names(events: list[Event]) -> list[str]:
    """The kinds of these facts, as the log calls them."""
    return [event_log.EVENT_NAMES[type(event)] for event in events]


def body(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def words_of(mail: EmailMessage) -> str:
    """Return the words of a mail on one line."""
    return " ".join(body(mail).split())


def kinds(mails: list[EmailMessage]) -> list[str]:
    return [str(mail["X-Alexandros"]) for mail in mails]


def at_once(*works: Callable[[], object]) -> list[BaseException]:
    """Do all of it at one moment; what has failed, but for what a person is told in a sentence."""
    together, failed = Barrier(len(works)), []

    def run(work: Callable[[], object]) -> None:
        together.wait()
        try:
            work()
        except Refusal:
            pass
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=run, args=[work]) for work in works]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return failed
