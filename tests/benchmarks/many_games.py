"""Very many running games, made quickly: the rows of one that was played, written again for each of them.

What the first game has, such as its acts, its letters and what its players want, each has, under an id and
with players and digests of its own: so it can be read and played on. The clock looks at them next at some
moment of the day to come, each twentieth player wants a letter a day, each tenth game may be watched, and the
first ten.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from server.mail_addresses import digest_address
from server.store.context import Context
from server.store.event_log import ActRow, digest_of
from server.store.states import Channel

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
DAILY_EVERY, WATCHED_EVERY, WATCHED_FIRST = 20, 10, 10
DAY = 86_400
AT_ONE_TIME = 1000
Row = dict[str, Any]


def game_id(number: int) -> str:
    """A game's id; those of neighbouring numbers lie far apart, as those of games do."""
    scattered = number * 0x9E3779B1 % 2**40
    return "".join(ALPHABET[scattered >> 5 * place & 31] for place in range(8))


def multiply_game(context: Context, game: str, games: int, now: datetime) -> list[str]:
    """Write a game again until there are so many; the ids of the others."""
    made = [game_id(number) for number in range(1, games)]
    context.database.dispose()
    with closing(sqlite3.connect(Path(context.database.url.database or ""))) as file:
        file.row_factory = sqlite3.Row
        file.execute("PRAGMA synchronous=OFF")
        template = _Template(file, game, now)
        for first in range(0, len(made), AT_ONE_TIME):
            for number in range(first, min(first + AT_ONE_TIME, len(made))):
                for table, row in template.rows_of(number + 1, made[number]):
                    names = ", ".join(f'"{name}"' for name in row)
                    marks = ", ".join("?" * len(row))
                    file.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', tuple(row.values()))
            file.commit()
    return made


class _Template:
    """The rows of a game, and how they are written again."""

    def __init__(self, file: sqlite3.Connection, game: str, now: datetime) -> None:
        self.game, self.now = game, now
        self.rows = {
            table: [dict(row) for row in file.execute(f'SELECT * FROM "{table}" WHERE {column} = ?', (game,))]
            for table, column in (("game", "id"), *((one, "game") for one in ("seating", "act", "outgoing")))
        }
        self.terms = [dict(row) for row in file.execute("SELECT * FROM opening WHERE game = ?", (game,))]
        seated = [seat["player"] for seat in self.rows["seating"]]
        marks = ", ".join("?" * len(seated))
        chosen = f"SELECT * FROM player WHERE id IN ({marks})"
        self.players = [dict(row) for row in file.execute(chosen, seated)]
        wished = file.execute("SELECT player, said FROM preference WHERE game = ''").fetchall()
        self.wishes = {player: json.loads(said) for player, said in wished}
        self.first_player = file.execute("SELECT max(id) FROM player").fetchone()[0] + 1
        self.acts = [
            ActRow(one["seq"], one["at"], one["seat"], Channel(one["door"]), one["said"], one["events"])
            for one in sorted(self.rows["act"], key=lambda row: row["seq"])
        ]

    def rows_of(self, number: int, game: str) -> Iterator[tuple[str, Row]]:
        """The rows of one more game, each with its table, in the order in which they hang on each other."""
        ids = {one["id"]: self.first_player + number * 4 + place for place, one in enumerate(self.players)}
        watched = number < WATCHED_FIRST or number % WATCHED_EVERY == 0
        looked_at = self._moment(number * 7919 % DAY + 1800)
        for one in self.players:
            address = one["address"].replace("@", f"{number}@")
            yield (
                "player",
                one | {"id": ids[one["id"]], "address": address, "mailbox": digest_address(address)},
            )
        for one in self.rows["game"]:
            more = {"id": game, "due_at": looked_at, "watched_at": one["turn_began_at"] if watched else None}
            yield "game", one | more | {"deadline": one["deadline"] and self._moment(2 * DAY + number % DAY)}
        yield from (("opening", one | {"game": game, "watched": watched}) for one in self.terms)
        for one in self.rows["seating"]:
            wants = ids[one["player"]] % DAILY_EVERY == 0
            more = {"game": game, "player": ids[one["player"]], "daily_at": looked_at if wants else None}
            yield "seating", one | more
            said = self.wishes[one["player"]] | ({"pace": "daily", "hour": 8} if wants else {})
            yield "preference", {"player": ids[one["player"]], "game": "", "said": json.dumps(said)}
        digest = ""
        for act in self.acts:
            digest = digest_of(digest, game, act)
            yield "act", {"game": game, **act._asdict(), "digest": digest}
        for one in self.rows["outgoing"]:
            recipient = one["recipient"].replace("@", f"{number}@")
            more = {"game": game, "recipient": recipient}
            row = one | more | {"message_id": one["message_id"].replace(self.game, game)}
            yield "outgoing", {name: value for name, value in row.items() if name != "id"}

    def _moment(self, seconds: int) -> str:
        """A moment after now, as the database keeps it."""
        return f"{self.now + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S.000000}"
