"""Backup and restore of the database, and a check of every stored act by the current rules."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import delete, func, insert, update
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.letters import account_letters, game_letters, lobby_letters
from engine.actions import Illegal
from engine.event_log import check
from engine.events import Event, InvalidEvent
from engine.evolve import evolve, start
from engine.position import Position
from server.configuration.settings import Settings
from server.mail_addresses import mask_address
from server.outbox import chat
from server.outbox.budgets import delete_block, reader_block, store_block
from server.outbox.notifications import Notification, set_letters_wanted
from server.outbox.queue import load_people, queue_letters
from server.privacy.erasure import forget_again
from server.privacy.retention import EMPTIED, LETTERS
from server.reviews import read_review
from server.store.context import Context, open_context
from server.store.database import MODELS, SCHEMA_VERSION, describe_mismatch, is_migratable, upgrade_database
from server.store.dialects import BackupRefused, StagedCopy, system_of
from server.store.encrypted import WITHDRAWALS_KEPT_FOR, Withdrawal, WithdrawalKind, read_withdrawals
from server.store.event_log import (
    CorruptLog,
    GameNotBegun,
    History,
    StartedHistory,
    read_history,
    require_started,
)
from server.store.models import (
    AbsentSeat,
    Act,
    AddressConfirmation,
    ApiKey,
    Block,
    Game,
    GameReview,
    OfferedSeat,
    OutgoingLetter,
    Player,
    PreparedLetter,
    Resignation,
    Seating,
    SignedInBrowser,
    SignInLink,
)
from server.store.schedule import MOST_FAILURES, SEE_MESSAGES, read_moment, write_moment
from server.store.states import (
    Announcement,
    BlockKind,
    BlockOrigin,
    ConfirmationPurpose,
    GameStatus,
    LetterState,
    MomentName,
)
from server.store.turn_clock import list_game_ids


@dataclass(frozen=True, slots=True)
class GameFindings:
    game: str
    sentences: tuple[str, ...]


def examine_games(context: Context, after: str = "", until: str = "") -> Iterator[GameFindings]:
    """Yield the findings of each game by ascending id: ids above `after`, up to `until` (empty: no bound)."""
    for game in list_game_ids(context, after, until):
        try:
            with context.reading() as session:
                yield GameFindings(game, tuple(_examine_game(context, session, game)))
        except OperationalError:
            raise  # the database is unavailable
        except CorruptLog as error:
            yield GameFindings(game, (str(error),))
        except Exception as error:
            yield GameFindings(game, (f"game {game} cannot be read: {error}",))


def examine_stored_acts(context: Context) -> Iterator[str]:
    for found in examine_games(context):
        yield from found.sentences


def _examine_game(context: Context, session: Session, number: str) -> Iterator[str]:
    game = session.get_one(Game, number)
    history = read_history(session, game.id, context.board_of(game), History(redactions=game.redactions))
    if (history.seq, history.after) != (game.seq, game.after):
        yield f"game {game.id}: the list of games is behind its acts; run `alexandros rebuild`"
    try:
        session.exec(select(Seating).where(Seating.game == game.id)).all()
    except ValueError as error:
        yield f"game {game.id}: its seats cannot be read: {error}"
    absent = {seat for seat in history.absences if history.is_caretaken(seat)}
    derived: list[tuple[str, type[Resignation | AbsentSeat | OfferedSeat], Collection[int]]] = [
        ("resignations", Resignation, history.resigned),
        ("absent players", AbsentSeat, absent),
    ]
    if game.status == GameStatus.RUNNING:
        derived.append(("offered seats", OfferedSeat, history.offers))
    for what, table, seats in derived:
        if set(session.exec(select(table.seat).where(table.game == game.id))) != set(seats):
            yield f"game {game.id}: the list of {what} differs from its acts; run `alexandros rebuild`"
    if isinstance(history, StartedHistory):
        yield from _judge_acts(game, start(context.board_of(game), history.deal), history.events[1:])
        yield from _examine_review(session, game, history.position)


def _examine_review(session: Session, game: Game, ended: Position) -> Iterator[str]:
    given_up = col(GameReview.due_at).is_(None), col(GameReview.made_at).is_(None)
    failed = col(GameReview.game) == game.id, col(GameReview.tries) >= MOST_FAILURES
    if session.exec(select(GameReview.game).where(*failed, *given_up)).first() is not None:
        yield f"game {game.id}: its review was given up after too many failures{SEE_MESSAGES}"
    try:
        read_review(session, game.id, ended)
    except ValueError as error:
        yield f"game {game.id}: its review cannot be read: {error}"


def _judge_acts(game: Game, position: Position, acts: Sequence[tuple[int, Event]]) -> Iterator[str]:
    for seq, event in acts:
        try:
            check(position, event)
        except (Illegal, InvalidEvent) as error:
            yield f"game {game.id}, act {seq}: today's rules differ: {error}"
        position = evolve(position, event)


SKIPPED_NUMBERS = 1_000_000  # letters sent after the backup may have used these numbers
SKIPPED_GENERATIONS = 10  # a restore must disable all links issued after the backup
UNFINISHED = (GameStatus.PROPOSED, GameStatus.OPEN, GameStatus.RUNNING)
OVERLAP = timedelta(hours=1)  # a backup may lack the last bans and erasures before it
BACKUP_HOUR = 3
"""Hour of the day, UTC, from which the daily copy is made."""
KEPT_COPIES = 7
UNFINISHED_COPY = ".unfinished-"
MOST_SHOWN = 10
UNREAD = "{number} withdrawals are not repeated: their secret is not in ALEXANDROS_SECRET"
TOO_OLD = "the copy is older than {days} days: withdrawals older than that are not repeated"
LEFT_ADDRESS = (
    "{address} was replaced by an address that the copy does not know, and is banned; its clocks run on:"
    " `alexandros address ADDRESS NEW` sends the new one a confirmation request, which counts after"
    " `alexandros allow ADDRESS`"
)


def back_up(context: Context, file: Path, now: datetime) -> int:
    """Copy the database into a new file; return the number of its games. Raises `BackupRefused`."""
    database = context.settings.database
    return system_of(database).copy_database(
        database, file, lambda session: write_moment(session, MomentName.BACKED_UP, now)
    )


def back_up_daily(context: Context, now: datetime) -> bool:
    """Copy the database once a day from 3:00 UTC on, if the setting `backup` names a folder.

    Keeps the newest seven copies. Returns whether a copy was made. An incomplete copy is in a temporary
    folder. Raises `BackupRefused` and `OSError`.
    """
    folder = context.settings.backup
    if folder is None or now.hour < BACKUP_HOUR:
        return False
    file = folder / f"alexandros-{now:%Y-%m-%d}.db"
    if file.exists():
        return False
    folder.mkdir(mode=0o700, exist_ok=True)
    for left in folder.glob(f"{UNFINISHED_COPY}*"):
        if left.stat().st_mtime < (now - timedelta(days=1)).timestamp():
            shutil.rmtree(left)
    with TemporaryDirectory(prefix=UNFINISHED_COPY, dir=folder) as place:
        copy = Path(place) / file.name
        back_up(context, copy, now)
        copy.rename(file)
    for old in sorted(folder.glob("alexandros-????-??-??.db"))[:-KEPT_COPIES]:
        old.unlink()
    return True


@dataclass(frozen=True, slots=True)
class SetBackReport:
    since: str
    games: int
    findings: tuple[str, ...]
    repeated: int = 0
    version: str = SCHEMA_VERSION
    kept: str = ""


def restore_file(
    settings: Settings, file: Path, now: datetime, *, replacing: bool, damaged: bool = False
) -> SetBackReport:
    """Replace the database by a backup that `set_back` has adapted.

    The new database is prepared beside the old one and then replaces it at once: an error changes nothing.
    `replacing` allows a database with games, `damaged` a backup whose acts have faults. No other process may
    have the database open. Raises `BackupRefused`.
    """
    if not file.is_file():
        raise BackupRefused(f"there is no file {file}")
    own = system_of(settings.database)
    version = own.read_version(file)
    if version is None:
        raise BackupRefused(f"{file} is not a backup of this program's database, or it is damaged")
    if not is_migratable(version):
        raise BackupRefused(
            describe_mismatch(version).replace("the database (ALEXANDROS_DATABASE)", str(file))
        )
    with own.stage_copy(settings.database, file, replacing=replacing) as staged:
        upgrade_database(staged.database, lambda: None)
        context = open_context(settings.model_copy(update={"database": staged.database}))
        try:
            _require_tables(context, file)
            found = tuple(examine_stored_acts(context))
            if found and not damaged:
                raise BackupRefused(
                    "\n".join((f"{file} is damaged; --damaged accepts it:", *found[:MOST_SHOWN]))
                )
            report = set_back(context, now, staged=staged)
        finally:
            context.database.dispose()
    return replace(report, findings=report.findings + found, version=version, kept=staged.kept)


def _require_tables(context: Context, file: Path) -> None:
    with context.database.connect() as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some indexes cannot be compared on SQLite
        known = {"include_name": lambda name, kind, _: kind != "table" or name in MODELS.tables}
        if compare_metadata(MigrationContext.configure(connection, opts=known), MODELS):
            raise BackupRefused(f"{file} has other tables than this program creates")


def set_back(
    context: Context, now: datetime, *, at_work: bool = False, staged: StagedCopy | None = None
) -> SetBackReport:
    """Adapt a restored database: repeat later bans and erasures, end links and sign-ins, mail the players.

    Sign-ins, API keys and links of unfinished games end, since any may have been revoked after the backup.
    The player to move gets a turn letter again, and all players get valid links. An unreadable game is
    reported and skipped. May be repeated after an interruption.

    `at_work`: whether servers have used the restored database; if so, their heartbeat does not tell the
    time of the backup, and the time of the last act is used. `staged`: the copy, from `restore_file`; None
    if the database was restored by other means.
    """
    staged = staged or StagedCopy(context.settings.database, context.settings.database)
    withdrawals, unread = read_withdrawals(context, staged.replaced)
    with context.writing() as session:
        since = _find_moment(session, at_work)
        lost = [one for one in withdrawals if since is None or one.at > since - OVERLAP]
        _skip_numbers(session, staged, now)
        write_moment(session, MomentName.SET_BACK, now)
        _end_access(session, staged)
        findings, forgotten = _repeat_withdrawals(session, lost, now)
        session.commit()
    if since is not None and since < now - WITHDRAWALS_KEPT_FOR:
        findings.append(TOO_OLD.format(days=WITHDRAWALS_KEPT_FOR.days))
    if unread:
        findings.append(UNREAD.format(number=unread))
    if forgotten:
        try:
            forget_again(context, forgotten, now)
        except CorruptLog as error:
            findings.append(f"players who were erased after the copy was made are back: {error}")
    with context.writing() as session:
        open_games, running = (
            session.exec(select(Game.id).where(Game.status == status).order_by(Game.id)).all()
            for status in (GameStatus.OPEN, GameStatus.RUNNING)
        )
        told = len(running)
        for game in (*open_games, *running):
            try:
                with session.begin_nested():
                    _write_to_players(context, session, game, None if at_work else since, now)
            except (CorruptLog, GameNotBegun, ValueError, LookupError) as error:
                findings.append(f"game {game}: its players get no letter, for it cannot be read: {error}")
                told -= game in running
        context.commit_work(session)
    return SetBackReport(_write_moment(since if running else None), told, tuple(findings), len(lost))


def _end_access(session: Session, staged: StagedCopy) -> None:
    highest = session.exec(select(func.max(Seating.generation))).one() or 0
    unfinished = select(Game.id).where(col(Game.status).in_(UNFINISHED))
    links = update(Seating).where(col(Seating.game).in_(unfinished))
    session.execute(links.values(generation=max(highest, staged.last_generation) + SKIPPED_GENERATIONS))
    for table in (SignInLink, SignedInBrowser, ApiKey, PreparedLetter):
        session.execute(delete(table))
    way_back = col(AddressConfirmation.purpose) == ConfirmationPurpose.WAY_BACK
    session.execute(delete(AddressConfirmation).where(~way_back))


def _repeat_withdrawals(
    session: Session, lost: Sequence[Withdrawal], now: datetime
) -> tuple[list[str], list[int]]:
    findings, forgotten = list[str](), list[int]()
    latest = dict[tuple[object, ...], Withdrawal]()
    for one in lost:
        latest.pop((one.kind, one.subject), None)
        latest[one.kind, one.subject] = one
    for one in latest.values():
        mailbox = one.subject[1 if one.kind is WithdrawalKind.BLOCK else 0]
        players = session.exec(select(Player).where(Player.mailbox == mailbox)).all()
        match one.kind:
            case WithdrawalKind.BLOCK:
                _repeat_block(session, one, players)
            case WithdrawalKind.LETTERS:
                for player in players:
                    set_letters_wanted(session, player.id, one.subject[1] or None, not one.holds, now)
            case WithdrawalKind.ERASURE:
                forgotten += [player.id for player in players]
            case WithdrawalKind.ADDRESS if one.holds and players:
                block = reader_block(mailbox, now)
                block.origin, block.shown = BlockOrigin.OPERATOR, mask_address(players[0].address)
                store_block(session, block)
                findings.append(LEFT_ADDRESS.format(address=block.shown))
    return findings, forgotten


def _repeat_block(session: Session, one: Withdrawal, players: Sequence[Player]) -> None:
    kind, value, origin = BlockKind(one.subject[0]), one.subject[1], BlockOrigin(one.subject[2])
    shown = value
    if kind is BlockKind.ADDRESS:
        shown = mask_address(players[0].address) if players and origin is BlockOrigin.OPERATOR else "a reader"
    block = Block(kind=kind, value=value, origin=origin, shown=shown, at=one.at)
    if one.holds:
        store_block(session, block)
    else:
        delete_block(session, block)


def _write_moment(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _write_to_players(
    context: Context, session: Session, game_id: str, since: datetime | None, now: datetime
) -> None:
    """Queue letters to the players of a game after a restore. Does not commit.

    `since`: time of the restored state; None: time of the game's last act. In a game that has not begun,
    players who have accepted get valid links. Raises an error if the game cannot be read.
    """
    game = session.get_one(Game, game_id)
    if game.status == GameStatus.OPEN:
        seats = session.exec(select(Seating).where(Seating.game == game_id)).all()
        accepted = [seat for seat in seats if seat.accepted_at is not None]
        letters = [
            Notification(one.seat, lobby_letters.Accepted(), mark=f"new{one.generation}") for one in accepted
        ]
        queue_letters(context, session, game, letters, now)
        return
    table = require_started(context.history_of(session, game)).position.table
    stands_at = _write_moment(since or _last_act(session, game_id))
    for seat in load_people(session, game.id):
        chat.announce_to(context, session, game, seat, Announcement.SET_BACK, stands_at, now)
    queue_letters(context, session, game, [Notification(table.seat, game_letters.YourTurn())], now)


def _find_moment(session: Session, at_work: bool) -> datetime | None:
    if at_work:
        return _last_act(session)
    kept = (MomentName.BACKED_UP, MomentName.HEARTBEAT)
    known = [at for at in (read_moment(session, one) for one in kept) if at is not None]
    if known:
        return max(known)
    return _last_act(session)


def _last_act(session: Session, game: str | None = None) -> datetime | None:
    chosen = select(func.max(Act.at))
    last = session.exec(chosen if game is None else chosen.where(Act.game == game)).one()
    return datetime.fromisoformat(last) if last else None


def _skip_numbers(session: Session, staged: StagedCopy, now: datetime) -> None:
    # A bounce of a letter sent after the backup must not be attributed to a new letter with the same number.
    game = session.exec(select(Game.id)).first()
    if game is None:
        return
    last = session.exec(select(func.max(OutgoingLetter.id))).one() or 0
    number = max(last, staged.last_letter) + SKIPPED_NUMBERS
    unsent = {"state": LetterState.DROPPED, "queued_at": now, "due_at": now}
    row = EMPTIED[LETTERS] | unsent | {"game": game, "seq": 0, "kind": account_letters.Notice.kind}
    session.execute(insert(OutgoingLetter).values(id=number, message_id=f"<skipped-{number}>", **row))
    connection = session.connection()
    system_of(connection.engine.url).skip_ids(connection, OutgoingLetter.__tablename__, number)
