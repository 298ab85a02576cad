"""A row that cannot be read stops only itself: other games go on, their mails are read, letters leave."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from emails.tokens import Ticket
from server.inbox import incoming, intake
from server.store.models import IncomingMail
from server.store.row_care import MOST_TRIES, PUT_OFF_FOR
from tests.server.desk import NOON, Collector, game_row, seat_of, start_game, stored_mails, work_until_idle

POISONS = [
    ("outgoing", "detail", "'{'"),
    ("outgoing", "kind", "'no such kind'"),
    ("outgoing", "queued_at", "'some day'"),
    ("outgoing", "due_at", "'1'"),
    ("incoming", "at", "'some day'"),
    ("incoming", "raw", "x'00'"),
    ("incoming", "state", "'waiting ' "),
    ("game", "deadline", "'some day'"),
    ("game", "turn_began_at", "'some day'"),
    ("game", "board", "'no such board'"),
    ("act", "events", "'{'"),
    ("act", "digest", "'0'"),
    ("seating", "accepted_at", "'some day'"),
]


def poison(context, table: str, column: str, value: str, game: str) -> None:
    """Make one column of the rows of a game unreadable, as a fault of the disk might."""
    of = "id" if table == "game" else "game"
    where = "1" if table == "incoming" else f"{of} = '{game}'"
    with closing(sqlite3.connect(Path(context.database.url.database))) as file:
        file.execute(f"UPDATE {table} SET {column} = {value} WHERE {where}")
        file.commit()


def write(context, game: str, name: str, words: str, number: int) -> None:
    row = game_row(context, game)
    ticket = Ticket(game, seat_of(context, game, name), row.after)
    sender = f"{name.lower()}@example.org"
    mail = f"From: {sender}\r\nMessage-ID: <{number}@example.org>\r\n\r\n{words}\r\n"
    intake.store_mail(context, sender, context.links.reply_address(ticket), mail.encode(), NOON)


@pytest.mark.parametrize(("table", "column", "value"), POISONS)
def test_one_bad_row_stops_only_itself(context, table, column, value):
    broken = start_game(context, "Anna", "Ben")
    write(context, broken, "Anna", "board", 1)
    poison(context, table, column, value, broken)
    context.history_cache.__init__()
    sound, late = start_game(context, "Cleo", "Dirk"), start_game(context, "Cleo", "house", hours=1)
    write(context, sound, "Cleo", "say: hello", 2)
    carrier = Collector()
    for minutes in (0, 1, 61):
        work_until_idle(context, carrier, NOON + timedelta(minutes=minutes))
    assert {"cleo@example.org", "dirk@example.org"} <= {recipient for _, recipient in carrier.envelopes}
    assert "hello" in " ".join(mail.as_string() for mail in carrier.mails if "dirk" in mail["To"])
    assert game_row(context, late).turn > 1, "its deadline was kept, and the house plays"


def test_a_mail_that_fails_is_tried_three_times_and_set_aside_with_the_reason(context, monkeypatch):
    game = start_game(context, "Anna", "Ben")
    write(context, game, "Anna", "board", 1)

    def fails(*_):
        raise RuntimeError("nobody thought of this")

    monkeypatch.setitem(incoming.PROCESSORS, "play", fails)
    moment = NOON
    for tries in range(1, MOST_TRIES + 1):
        assert incoming.process_waiting_mail(context, moment) == 1
        assert incoming.process_waiting_mail(context, moment) == 0, "it waits"
        with context.reading() as session:
            [row] = session.exec(select(IncomingMail))
        assert row.state == ("refused" if tries == MOST_TRIES else "waiting")
        moment += PUT_OFF_FOR * 2**tries
    assert row.why == incoming.CANNOT_BE_READ
    assert stored_mails(context), "its bytes are kept"
