"""The database of a server in a test: opened with every precaution, changed and read behind its back."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlmodel import select

from server.admin.backups import examine_stored_acts
from server.settings import Settings
from server.store.context import RecentlyUsed
from server.store.models import Act, Game, IncomingMail
from tests.server.desk import DATABASE, GIVEN, Desk, open_desk


def execute(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def database_of(folder: Path) -> Path:
    return folder / "games.sqlite"


def open_durable(folder: Path) -> Desk:
    """A server's database, opened as `alexandros serve` does it, with every precaution against power cuts."""
    return open_desk(Settings.read(GIVEN | {DATABASE: f"sqlite:///{database_of(folder)}"}))


def synchronise_less(context: Desk) -> None:
    """Let the log be synced only when it is brought into the database, as many advise: for a control."""
    event.listen(context.database, "connect", _sync_at_checkpoints)
    context.database.dispose()


def _sync_at_checkpoints(connection: Any, _: object) -> None:
    connection.execute("PRAGMA synchronous=NORMAL")


def can_read(context: Desk, table: str) -> bool:
    """Whether every row of a table can be read, and what stands in it holds together."""
    models = {one.class_.__tablename__: one.class_ for one in Game._sa_registry.mappers}
    try:
        with context.reading() as session:
            rows = session.exec(select(models[table])).all()
            games = {row.game for row in rows} if table == "act" else set()
            for game in games:
                context.history_cache = RecentlyUsed()
                context.history_of(session, session.get_one(Game, game))
    except Exception:
        return False
    return True


def has_integrity(context: Desk) -> bool:
    with context.reading() as session:
        return session.connection().exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def stored_mails(context: Desk) -> set[str]:
    return {*context.rows_of(IncomingMail.message_id)}


def stored_acts(context: Desk) -> set[tuple[str, int, str]]:
    with context.reading() as session:
        rows = session.exec(select(Act.game, Act.seq, Act.digest))
        return {(game, seq, digest) for game, seq, digest in rows}


def complaints(context: Desk) -> list[str]:
    """What `alexandros doctor` says of the stored games that is wrong."""
    return [str(one) for one in examine_stored_acts(context)]
