"""Backups: a copy of the database as it was at one moment, and its return, which the players are told.

What was played after a backup is lost with its return, and the letters of it are still in mailboxes: their
tickets name acts that are not in the log any more, so they open and play nothing (`is_set_back`).
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlalchemy import URL, func, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.outbox import chat
from server.outbox.notifications import Notification
from server.outbox.queue import load_people, queue_letters
from server.store.context import Context
from server.store.database import SCHEMA_VERSION, describe_mismatch, find_version
from server.store.dialects.file_backup import (
    BackupRefused,
    copied,
    is_whole,
    opened_copy,
    put_back,
    require_file,
)
from server.store.dialects.systems import SchemaMismatch
from server.store.histories import require_started
from server.store.models import Act, Game, OutgoingLetter
from server.store.moments import read_moment, write_moment
from server.store.states import Announcement, GameStatus, MomentName

SKIPPED_NUMBERS = 1_000_000
"""Numbers of letters that are never given: those of lost letters stand in addresses that are still out."""


def back_up(context: Context, file: Path, now: datetime) -> int:
    """Copy the database into a new file; how many games it holds. Raises `BackupRefused`."""
    require_file(context.settings.database)
    with copied(context.settings.database, file) as engine, Session(engine) as session:
        write_moment(session, MomentName.BACKED_UP, now)
        games = session.exec(select(func.count()).select_from(Game)).one()
        session.commit()
    return games


def restore_file(database: URL, file: Path, *, replacing: bool) -> None:
    """Put a backup in the place of the database. Raises `BackupRefused`: then nothing has changed.

    `replacing`: though there are games in it. No other process may have it open.
    """
    require_file(database)
    _require_backup(file)
    put_back(database, file, replacing=replacing)


def tell_players(context: Context, now: datetime) -> tuple[str, int]:
    """Tell the players of running games that they were set back, and to when; that, and of how many games.

    Whoever is to move gets their turn once more, with links that are good.
    """
    with context.writing() as session:
        running = select(Game).where(Game.status == GameStatus.RUNNING).order_by(col(Game.id))
        games = session.exec(running).all()
        if not games:
            return "", 0
        since = f"{_find_moment(session):%Y-%m-%d %H:%M}"
        for game in games:
            for seat in load_people(session, game.id):
                chat.announce_to(context, session, game, seat, Announcement.SET_BACK, since, now)
            table = require_started(context.history_of(session, game)).position.table
            mark = f"-set-back-{int(now.timestamp())}"
            turn = Notification(table.seat, LetterKind.YOUR_TURN, mark=mark)
            queue_letters(context, session, game, [turn], now)
        _skip_numbers(session)
        session.commit()
    return since, len(games)


def _find_moment(session: Session) -> datetime:
    """When the backup was made; of a file that was copied otherwise, when its server was last at work."""
    made = read_moment(session, MomentName.BACKED_UP) or read_moment(session, MomentName.HEARTBEAT)
    if made is not None:
        return made
    return datetime.fromisoformat(session.exec(select(func.max(Act.at))).one())


def _skip_numbers(session: Session) -> None:
    """Give no letter a number that a lost one had: a mail server may still send that one back."""
    last = session.exec(select(func.max(OutgoingLetter.id))).one()
    if last is not None:
        same = update(OutgoingLetter).where(col(OutgoingLetter.id) == last)
        session.execute(same.values(id=last + SKIPPED_NUMBERS))


def _require_backup(file: Path) -> None:
    """See to it that a file is a whole database of the version that this program needs."""
    if not file.is_file():
        raise BackupRefused(f"there is no file {file}")
    try:
        with opened_copy(file) as copy:
            version, whole = find_version(copy), is_whole(copy)
    except (SQLAlchemyError, SchemaMismatch):
        raise BackupRefused(f"{file} is no backup of this program's database") from None
    if version is None or not whole:
        raise BackupRefused(f"{file} is no backup of this program's database, or it is damaged")
    if version != SCHEMA_VERSION:
        raise BackupRefused(
            describe_mismatch(version).replace("the database (ALEXANDROS_DATABASE)", str(file))
        )
