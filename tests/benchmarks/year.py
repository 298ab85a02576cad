"""A year of games, made from a few that were really played: all their rows, written again and again.

The games that are copied are played by links and mails to their end, with letters and messages, by the clock
of the year; each copy has an id, players and moments of its own, and a chain of digests that holds. Those
that end within a month are stored, the oldest row first, and then what was kept long enough is deleted, as
the server does it. What grows is counted at the end of each month.

    python -m tests.benchmarks.year sqlite --games 1000
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Table, func, insert, select, text

from emails.tokens import Ticket
from engine.bots import play_to_win, stand_in
from engine.notation.orders import write
from engine.position import view
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.mail_addresses import digest_address
from server.privacy.retention import delete_all_expired
from server.store.context import Context
from server.store.database import MODELS, compact_database
from server.store.event_log import ActRow, digest_of
from server.store.models import Game
from server.store.states import Channel
from tests.benchmarks.many_games import game_id
from tests.benchmarks.returns import back_up_and_restore
from tests.server.desk import NOON, Collector, desk, play, set_preferences, start_game
from tests.server.storage import DATABASES, SQLITE, SYSTEMS, choose

GAMES, MONTHS = 1000, 12
MONTH, BETWEEN = timedelta(days=30.4), timedelta(hours=7)
"""How long a month is, and how long somebody takes for what they do next."""
PLAYED = (("Anna", "Ben"), ("Anna", "Ben", "Cleo"), ("Anna", "Ben", "Cleo", "Dirk"))
"""Who plays in each of the games that are copied."""
SLOW = 0.6
"""The part of a game in which people gain time, so that it lasts as long as games of people do."""
ACTS = 120
SAYS_EVERY = 9
"""After how many acts somebody says something."""
NOT_COPIED = {"moment", "role_process", "visit"}
TIMES = ("queued_at", "at", "opened_at", "since")
"""Columns by which rows of a table that has numbers came one after the other."""
Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class PlayedGame:
    """All that is stored of a game, and of its players."""

    game: str
    rows: Rows
    ended: datetime


def play_game(folder: Path, people: tuple[str, ...]) -> PlayedGame:
    """Play a game to its end; each second act comes by mail."""
    folder.mkdir()
    context, carrier, now = desk(folder), Collector(), NOON
    game = start_game(context, *people)
    for name in people:
        set_preferences(context, game, name, everywhere=True, pictures=False)
    number = 0
    while True:
        with context.reading() as session:
            row = session.get_one(Game, game)
            position = context.history_of(session, row).position
        if position is None or position.table.over:
            break
        seat, number, now = position.table.seat, number + 1, now + BETWEEN
        choose_action = stand_in if row.seq < ACTS * SLOW else play_to_win
        words = write(choose_action(view(position, seat)), position.table.board)
        said = f"\r\nsay: that was the turn {row.turn}, and I like it" if number % SAYS_EVERY == 0 else ""
        if number % 2:
            play(context, game, seat, row.after, [words], "link", now)
        else:
            sender = f"{people[seat].lower()}@example.org"
            to = context.links.reply_address(Ticket(game, seat, row.after))
            raw = f"From: {sender}\r\nMessage-ID: <{number}.{game}@client>\r\n\r\n{words}{said}\r\n"
            intake.store_mail(context, sender, to, raw.encode(), now)
            dispatch.process_waiting_mail(context, now)
        send_letters(context, carrier, now)
    send_letters(context, carrier, now + BETWEEN)
    with context.database.connect() as connection:
        rows = {
            table.name: [dict(one) for one in connection.execute(table.select()).mappings()]
            for table in MODELS.sorted_tables
            if table.name not in NOT_COPIED
        }
    context.database.dispose()
    return PlayedGame(game, rows, now + BETWEEN)


@cache
def play_games() -> list[PlayedGame]:
    """Play the games that are copied, once for all database systems."""
    choose(SQLITE)
    with TemporaryDirectory(prefix="year-") as folder:
        return [play_game(Path(folder) / str(len(people)), people) for people in PLAYED]


def send_letters(context: Context, carrier: Collector, now: datetime) -> None:
    while send_due_letters(context, carrier, now):
        pass


# --- copies ---------------------------------------------------------------------------------------------


class Copies:
    """Writes games again, under ids, players and moments of their own."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._last: dict[str, int] = defaultdict(int)
        """The last number of each table that has numbers."""

    def store(self, made: Iterable[tuple[int, PlayedGame, timedelta]]) -> None:
        """Store copies: by number, of which game, and by how much later each moment is."""
        found: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
        games: dict[int, tuple[str, str]] = {}
        for number, played, later in made:
            games[number] = (played.game, game_id(number))
            for name, rows in played.rows.items():
                found[name] += [(number, self._moved(row, games[number], number, later)) for row in rows]
        known: dict[tuple[str, int, int], int] = {}
        with self.context.database.execution_options(writing=True).begin() as connection:
            for table in MODELS.sorted_tables:
                rows = self._numbered(table, found[table.name], known)
                if table.name == "act":
                    rows = _chained(rows)
                if rows:
                    connection.execute(insert(table), rows)

    def _moved(
        self, row: dict[str, Any], ids: tuple[str, str], number: int, later: timedelta
    ) -> dict[str, Any]:
        """A row of another game, later."""
        made = {}
        for name, value in row.items():
            if isinstance(value, datetime):
                value += later
            elif type(value) is str:
                value = value.replace(*ids)
                if name in ("address", "recipient", "sender", "origin"):
                    value = value.replace("@example.org", f"{number}@example.org")
                if name == "digest":
                    value = f"{number}.{value}"
                if name == "message_id":
                    value = value.replace("<", f"<{number}.", 1)
            made[name] = value
        if "mailbox" in made:
            made["mailbox"] = digest_address(made["address"])
        if {"seq", "door", "at"} <= made.keys():
            made["at"] = (datetime.fromisoformat(made["at"]) + later).isoformat()
        return made

    def _numbered(
        self, table: Table, found: list[tuple[int, dict[str, Any]]], known: dict[tuple[str, int, int], int]
    ) -> list[dict[str, Any]]:
        """Rows with numbers that follow those before, the oldest first, and the numbers that they name."""
        times = [name for name in TIMES if name in table.c]
        has_numbers = "id" in table.c and table.c.id.type.python_type is int
        if has_numbers and times:
            found.sort(key=lambda one: one[1][times[0]])
        for number, row in found:
            if has_numbers:
                self._last[table.name] += 1
                known[table.name, number, row["id"]] = self._last[table.name]
        for number, row in found:
            for column in table.c:
                [*named] = column.foreign_keys
                of = (
                    named[0].column.table.name
                    if named
                    else table.name
                    if has_numbers and column.name == "id"
                    else ""
                )
                if isinstance(row[column.name], int) and (of, number, row[column.name]) in known:
                    row[column.name] = known[of, number, row[column.name]]
        return [row for _, row in found]


def _chained(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Acts with the digests that follow from them."""
    digests: dict[str, str] = {}
    for row in sorted(rows, key=lambda one: (one["game"], one["seq"])):
        act = ActRow(row["seq"], row["at"], row["seat"], Channel(row["door"]), row["said"], row["events"])
        digests[row["game"]] = row["digest"] = digest_of(digests.get(row["game"], ""), row["game"], act)
    return rows


# --- the year -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Month:
    """What a database is at the end of a month."""

    number: int
    games: int
    letters: int
    acts: int
    size: int
    """Bytes."""
    deleted: int
    """Rows that had been kept long enough."""


def live_through(context: Context, played: list[PlayedGame], games: int) -> Iterator[Month]:
    """Store a year of games, month by month."""
    copies, now = Copies(context), NOON
    for month in range(MONTHS):
        numbers = range(games * month // MONTHS, games * (month + 1) // MONTHS)
        begun, now = now, now + MONTH
        made = []
        for place, number in enumerate(numbers):
            one = played[number % len(played)]
            ends = begun + MONTH * (place + 1) / len(numbers)
            made.append((number + 1, one, ends - one.ended))
        copies.store(made)
        deleted = sum(delete_all_expired(context, now).values())
        compact_database(context.database)
        counted, letters, acts = count(context, "game", "outgoing", "act")
        yield Month(month + 1, counted, letters, acts, size_of(context), deleted)


def count(context: Context, *tables: str) -> list[int]:
    with context.database.connect() as connection:
        return [
            connection.scalar(select(func.count()).select_from(MODELS.tables[one])) or 0 for one in tables
        ]


def size_of(context: Context) -> int:
    """The bytes of a database."""
    if context.database.url.get_backend_name() == SQLITE:
        return Path(context.database.url.database or "").stat().st_size
    with context.database.connect() as connection:
        return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--games", type=int, default=GAMES)
    given = parser.parse_args(arguments)
    for line in tell_year(given.system, given.games):
        print(line, flush=True)  # noqa: T201 - it is a command


def tell_year(system: str, games: int) -> Iterable[str]:
    """Live through a year of games on a database system, back it up and bring it back; a line of each."""
    played = play_games()
    acts = ", ".join(str(len(one.rows["act"])) for one in played)
    yield f"{system}: games of {acts} acts were played, and are copied"
    with TemporaryDirectory(prefix="year-") as name:
        folder = Path(name)
        choose(system)
        context = desk(folder)
        for one in live_through(context, played, games):
            yield (
                f"{system}, month {one.number:2}: {one.games:5} games, {one.acts:7} acts,"
                f" {one.letters:6} letters,"
                f" {one.size / 1e6:7.1f} MB, {one.deleted} rows deleted"
            )
        yield from back_up_and_restore(context, folder, NOON + MONTHS * MONTH)
        context.database.dispose()
        DATABASES.drop_but(set())


if __name__ == "__main__":
    main(sys.argv[1:])
