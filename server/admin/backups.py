"""Backups: a copy of the database as it was at one moment, and its return, which the players are told.

What was played after a backup is lost with its return, and the letters of it are still in mailboxes: their
tickets name acts that are not in the log any more, so they open and play nothing (`is_set_back`). Programs
that drop doubles must not take a new letter for a lost one: each new Message-ID has the moment of the return.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import URL, func, update
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.outbox import posted_announcements
from server.outbox.notifications import Notification
from server.outbox.queue import load_people, queue_letters
from server.store.context import Context
from server.store.database import SCHEMA_VERSION, describe_mismatch
from server.store.dialects.system_choice import backup_format_of, skip_ids
from server.store.dialects.systems import BackupRefused
from server.store.event_log import CorruptLog
from server.store.histories import require_started
from server.store.models import Act, Game, OutgoingLetter
from server.store.refusals import GameNotBegun
from server.store.server_moments import read_moment, write_moment
from server.store.states import Announcement, GameStatus, MomentName

SKIPPED_NUMBERS = 1_000_000
"""Numbers of letters that are never given: those of lost letters stand in addresses that are still out."""


def back_up(context: Context, file: Path, now: datetime) -> int:
    """Copy the database into a new file; how many games it holds. Raises `BackupRefused`."""
    database = context.settings.database
    return backup_format_of(database).copy_database(
        database, file, lambda session: write_moment(session, MomentName.BACKED_UP, now)
    )


def restore_file(database: URL, file: Path, *, replacing: bool) -> str:
    """Put a backup in the place of the database; its version, from which whoever calls migrates it.

    Raises `BackupRefused`: then nothing has changed.

    `replacing`: though there are games in it. No other process may have it open.
    """
    if not file.is_file():
        raise BackupRefused(f"there is no file {file}")
    own = backup_format_of(database)
    version = own.read_version(file)
    if version is None:
        raise BackupRefused(f"{file} is no backup of this program's database, or it is damaged")
    if version > SCHEMA_VERSION:
        raise BackupRefused(
            describe_mismatch(version).replace("the database (ALEXANDROS_DATABASE)", str(file))
        )
    own.put_back(database, file, replacing=replacing)
    return version


@dataclass(frozen=True, slots=True)
class SetBackReport:
    """Whom `tell_players` told."""

    since: str
    """The moment to which the games were set back; empty where none runs."""
    games: int
    """How many games have players who are told."""
    untold: tuple[str, ...]
    """A sentence for each game whose players are not told, for it cannot be read."""


def tell_players(context: Context, now: datetime, *, at_work: bool = False) -> SetBackReport:
    """Tell the players of running games that they were set back, and to when; of which games they are told.

    `at_work`: processes may be at work with what came back, so when the server was last at work tells
    nothing: each game stands where its last act left it.

    Whoever is to move gets their turn once more, with links that are good. A game that cannot be read holds
    up no other.
    """
    with context.writing() as session:
        _skip_numbers(session)
        write_moment(session, MomentName.SET_BACK, now)
        session.commit()
    with context.reading() as session:
        running = select(Game.id).where(Game.status == GameStatus.RUNNING).order_by(col(Game.id))
        games = session.exec(running).all()
        since = _find_moment(session, at_work) if games else None
    untold = []
    for game in games:
        try:
            _tell_players_of(context, game, None if at_work else since, now)
        except (CorruptLog, GameNotBegun, ValueError, LookupError) as error:
            untold.append(f"game {game}: its players are not told, for it cannot be read: {error}")
    return SetBackReport(_write_moment(since), len(games) - len(untold), tuple(untold))


def _write_moment(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _tell_players_of(context: Context, game_id: str, since: datetime | None, now: datetime) -> None:
    """Tell the players of one game, all of them or none; None: it stands where its last act left it.

    Raises where it cannot be read.
    """
    with context.writing(game_id) as session:
        game = session.get_one(Game, game_id)
        table = require_started(context.history_of(session, game)).position.table
        stands_at = _write_moment(since or _last_act(session, game_id))
        for seat in load_people(session, game.id):
            posted_announcements.announce_to(
                context, session, game, seat, Announcement.SET_BACK, stands_at, now
            )
        queue_letters(context, session, game, [Notification(table.seat, LetterKind.YOUR_TURN)], now)
        session.commit()


def _find_moment(session: Session, at_work: bool) -> datetime:
    """When the backup was made, or the server was last at work; else when the last act of all was."""
    if at_work:
        return _last_act(session)
    kept = (MomentName.BACKED_UP, MomentName.HEARTBEAT)
    known = [at for at in (read_moment(session, one) for one in kept) if at is not None]
    if known:
        return max(known)
    return _last_act(session)


def _last_act(session: Session, game: str | None = None) -> datetime:
    """When the last act of a game was, or of all."""
    chosen = select(func.max(Act.at))
    return datetime.fromisoformat(
        session.exec(chosen if game is None else chosen.where(Act.game == game)).one()
    )


def _skip_numbers(session: Session) -> None:
    """Give no letter a number that a lost one had: a mail server may still send that one back."""
    last = session.exec(select(func.max(OutgoingLetter.id))).one()
    if last is not None:
        same = update(OutgoingLetter).where(col(OutgoingLetter.id) == last)
        session.execute(same.values(id=last + SKIPPED_NUMBERS))
        skip_ids(session.connection(), OutgoingLetter.__tablename__, last + SKIPPED_NUMBERS)
