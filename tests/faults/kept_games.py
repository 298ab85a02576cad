"""Games as they stand in the database of a server that is another process, opened and looked at there."""

import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from emails.tokens import Ticket, seal_ticket
from server.store.context import act_tag_of
from server.store.models import Seating
from tests.faults.visits import PATIENCE, Act, Turn, quiet_orders, until
from tests.server.desk import PEOPLE, Desk


class KeptGames:
    folder: Path
    context: Desk
    pictures: bool

    def open_game(self, *people: str, hours: int = 48) -> str:
        now = datetime.now(UTC)
        game = self.context.start_game(*people, now=now, hours=hours)
        if not self.pictures:
            for name in {*people} & {*PEOPLE}:
                self.context.set_preferences(game, name, everywhere=True, now=now, pictures=False)
        return game

    def turn(self, game: str) -> Turn:
        history = self.context.history(game)
        table = history.position.table
        lines = [] if table.over else quiet_orders(history.position)
        return Turn(game, table.seat, table.names[table.seat], history.after, tuple(lines))

    def link(self, turn: Turn, words: str) -> str:
        """A link that does these words, as it stands in a letter; without words the page of the turn."""
        with self.context.reading() as session:
            generation = session.get_one(Seating, (turn.game, turn.seat)).generation
            act_tag = act_tag_of(self.context, session, turn.game, turn.after)
        ticket = Ticket(turn.game, turn.seat, turn.after, words, generation, act_tag)
        return f"/t/{seal_ticket(ticket, self.context.links.keys)}"

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        with closing(sqlite3.connect(self.folder / "games.sqlite", timeout=PATIENCE)) as db:
            db.row_factory = sqlite3.Row
            return db.execute(query, values).fetchall()

    def write(self, query: str, *values: object) -> None:
        with closing(sqlite3.connect(self.folder / "games.sqlite", timeout=PATIENCE)) as db, db:
            db.execute(query, values)

    def acts(self, game: str) -> list[Act]:
        chosen = "SELECT seq, seat, door, said FROM act WHERE game = ? ORDER BY seq"
        return [Act(*row) for row in self.rows(chosen, game)]

    def seq(self, game: str) -> int:
        return int(self.rows("SELECT max(seq) FROM act WHERE game = ?", game)[0][0])

    def queued(self, game: str = "") -> list[sqlite3.Row]:
        return self.rows("SELECT * FROM outgoing WHERE ? IN ('', game) ORDER BY id", game)

    def due(self, game: str = "") -> list[str]:
        soon = str(datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=10))
        waiting = [row for row in self.queued(game) if row["state"] == "waiting"]
        return [row["message_id"] for row in waiting if row["due_at"] < soon]

    def stored_mails(self) -> dict[str, str]:
        return {row["message_id"]: row["state"] for row in self.rows("SELECT * FROM incoming")}

    def let_claims_end(self, minutes: int = 2) -> None:
        """Let the minute be over for which a sender that was killed has its letters in hand, or longer."""
        now = str(datetime.now(UTC).replace(tzinfo=None))
        soon = str(datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=minutes))
        self.write("UPDATE outgoing SET due_at = ? WHERE state = 'waiting' AND due_at < ?", now, soon)

    def let_pauses_end(self, minutes: int = 2) -> None:
        """Let the time be over for which letters were put off, when nobody has one in hand any more."""

        def in_hand() -> list[str]:
            due = self.due()
            return [row["message_id"] for row in self.queued() if row["message_id"] in due and not row["why"]]

        until(lambda: not in_hand(), "what is in hand is put off")
        self.let_claims_end(minutes)

    def bring_deadline(self, game: str, seconds: float) -> float:
        """Let the time of the turn be over in so many seconds; when that is, by the monotonic clock."""
        [row] = self.rows("SELECT deadline, turn_began_at FROM game WHERE id = ?", game)
        assert row["deadline"], "the time of the turn has not begun"
        now = datetime.now(UTC).replace(tzinfo=None)
        ends, at = now + timedelta(seconds=seconds), time.monotonic() + seconds
        began = ends - (_read(row["deadline"]) - _read(row["turn_began_at"]))
        change = "UPDATE game SET deadline = ?, turn_began_at = ?, due_at = ?, reminded = 31 WHERE id = ?"
        self.write(change, str(ends), str(began), str(ends), game)
        return at


def _read(moment: str) -> datetime:
    return datetime.fromisoformat(moment)
