"""Lives as their files tell them: the players with their clocks, the steps, and what of letters matters."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from emails.i18n import Locale, use_locale
from emails.wording.deadlines import format_deadline
from tests.server.desk import body

LIVES = Path(__file__).parent / "lives"
MOMENT = re.compile(r"\w+, \d{1,2} \w+, \d\d:\d\d \S+")
"""A moment as letters and pages name a deadline."""
UNTOLD = "--", "==", "Points: ", "Punten: "
"""How parts of a letter begin that are no matter here."""
LONGEST_LINE = 240


def squeezed(words: str) -> str:
    """Words with one space between them."""
    return " ".join(words.replace("\u00a0", " ").split())


def telling_lines(mail: EmailMessage) -> Iterator[str]:
    """The first lines of a letter that say something, and each later one that names a moment."""
    parts = [squeezed(one) for one in re.split(r"(?:\r?\n){2,}", body(mail))]
    parts = [one for one in parts if "://" not in one and not one.startswith(UNTOLD)]
    for number, one in enumerate(parts):
        if number < 2 or MOMENT.search(one):
            yield one[:LONGEST_LINE]


@dataclass(frozen=True, slots=True)
class Person:
    """A player of a life."""

    name: str
    zone: str
    language: str = "en"
    plays: str = "page"
    zone_known: bool = True
    sits: bool = True
    """Whether they play from the beginning on."""

    @property
    def address(self) -> str:
        """Where their letters go."""
        return f"{self.name.lower()}@example.org"

    def local(self, moment: datetime) -> datetime:
        """A moment by their clock."""
        return moment.astimezone(ZoneInfo(self.zone))

    def show(self, moment: datetime) -> str:
        """A moment by their clock, for a transcript."""
        return f"{self.local(moment):%a %d %b %H:%M %Z}"

    def names_of(self, moment: datetime) -> list[str]:
        """A moment as a letter to them may name it."""
        found = []
        for zone in [self.zone] if self.zone_known else [self.zone, "UTC"]:
            with use_locale(Locale(self.language, zone)):
                found.append(squeezed(format_deadline(moment)).casefold())
        return found


@dataclass(frozen=True, slots=True)
class Life:
    """A file of a life."""

    name: str
    title: str
    players: tuple[Person, ...]
    game: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]
    awaits: str = ""
    """What is to be built before all that is expected here holds."""
    quiet: bool = False
    most_letters: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Life:
        """The life of a file."""
        given = tomllib.loads(file.read_text("utf-8"))
        return cls(file.stem, **{**given, "players": tuple(Person(**one) for one in given["players"])})

    def person(self, name: str) -> Person:
        """The player of a name; without one the first, by whose clock a life is told."""
        return next((one for one in self.players if one.name == name), self.players[0])

    def reader(self, mail: EmailMessage) -> Person:
        """Who gets a letter."""
        return next(one for one in self.players if one.address in str(mail["To"]).lower())

    def moment(self, words: str, who: str = "") -> datetime:
        """A moment by the clock of a player."""
        return datetime.fromisoformat(words).replace(tzinfo=ZoneInfo(self.person(who).zone)).astimezone(UTC)
