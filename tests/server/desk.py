"""An office for a test: its own database and clock, dice from a seed, mail that is only collected."""

import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from sqlmodel import select

from engine import codec
from engine.events import Event
from server.lobby.games import Wish, open_game
from server.outbox.preferences import keep, wants
from server.settings import Settings
from server.store.context import Office, open_office
from server.store.models import Game, Seating

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PEOPLE = ("Anna", "Ben", "Cleo", "Dirk")


@dataclass
class Collector:
    """A carrier that keeps what it is given."""

    mails: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, str]] = field(default_factory=list)

    def carry(self, sender: str, recipient: str, raw: bytes) -> None:
        mail = message_from_bytes(raw, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.envelopes.append((sender, recipient))

    def to(self, name: str) -> list[EmailMessage]:
        """The mails to a person, the oldest first."""
        return [mail for mail in self.mails if f"{name.lower()}@" in str(mail["To"]).lower()]


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, hours: float) -> datetime:
        self.now += timedelta(hours=hours)
        return self.now


def desk(folder: Path, seed: int = 1, **settings: str) -> Office:
    """An office on a database in `folder`."""
    given = {
        "ALEXANDROS_DATABASE": f"sqlite:///{folder / 'games.sqlite'}",
        "ALEXANDROS_BASE_URL": "http://127.0.0.1:8000",
        "ALEXANDROS_SECRET": "a secret of more than sixteen letters",
        "ALEXANDROS_MAIL_OUT": "local",
        "ALEXANDROS_MAIL_FROM": "Alexandros <alexandros@example.org>",
        "ALEXANDROS_MAIL_DOMAIN": "play.example.org",
        **settings,
    }
    office = open_office(Settings.read(given))
    office.lots = random.Random(seed)
    return office


def start_game(office: Office, *people: str, now: datetime = NOON, hours: int = 48) -> str:
    """A game that has started; a person called house is the house. Gives its id."""
    wishes = [
        Wish("", None) if name == "house" else Wish(name, f"{name.lower()}@example.org") for name in people
    ]
    return open_game(office, "Friday", wishes, now, hours=hours, at_once=True)


def game_row(office: Office, game: str) -> Game:
    """A game's row as it is stored now."""
    with office.reading() as session:
        return session.get_one(Game, game)


def facts(office: Office, game: str) -> list[Event]:
    """The facts of a game."""
    with office.reading() as session:
        history = office.history(session, session.get_one(Game, game))
    return [event for _, event in history.facts]


def names_of(office: Office, game: str) -> tuple[str, ...]:
    """Who sits on seats 0, 1, ..."""
    with office.reading() as session:
        history = office.history(session, session.get_one(Game, game))
    assert history.position is not None
    return history.position.table.names


def fact_names(events: list[Event]) -> list[str]:
    """The kinds of these facts, as the log calls them."""
    return [codec.name_of(type(event)) for event in events]


def seat_of(office: Office, game: str, name: str) -> int:
    """The seat of a player."""
    with office.reading() as session:
        return session.exec(select(Seating).where(Seating.game == game, Seating.name == name)).one().seat


def wish(office: Office, game: str, name: str, *, everywhere: bool = False, now: datetime = NOON, **changes):
    """Let a player want something else, of this game or of all."""
    seat = seat_of(office, game, name)
    with office.writing() as session:
        player = session.get_one(Seating, (game, seat)).player
        assert player is not None
        changed = replace(wants(session, player, game), **changes)
        keep(session, player, "" if everywhere else game, changed, now)
        session.commit()
