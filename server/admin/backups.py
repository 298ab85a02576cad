"""Copies: backup and restore of the database, export and import of one game's log, a check of stored acts."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
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
from emails.letters.lobby_letters import LONGEST_NAME
from emails.picture.palette import clean_name
from emails.terms import USUAL_TIME, TurnTime
from emails.tokens import GAME_ID
from engine.actions import Illegal
from engine.bots.strengths import BotChoice, Profile, Strength
from engine.event_log import END_TYPES, PROOF, check, check_log, check_start
from engine.events import Event, GameStarted, InvalidEvent
from engine.evolve import evolve, start
from engine.position import Position
from engine.rules import due, perform_due
from server.lobby.games import NewGame, add_game, seat_player
from server.mail_addresses import mask_address
from server.outbox import chat
from server.outbox.budgets import delete_block, reader_block, store_block
from server.outbox.notifications import Notification, set_letters_wanted
from server.outbox.queue import UnitOfWork, load_people, open_unit
from server.personal_data import forget_again
from server.retention import EMPTIED, LETTERS
from server.reviews import read_review
from server.settings import Settings
from server.store import load_boards
from server.store.context import Context, open_context
from server.store.database import MODELS, SCHEMA_VERSION, describe_mismatch, is_migratable, upgrade_database
from server.store.dialects import BackupRefused, StagedCopy, system_of
from server.store.encrypted import WITHDRAWALS_KEPT_FOR, Withdrawal, WithdrawalKind, read_withdrawals
from server.store.event_log import (
    CorruptLog,
    GameNotBegun,
    History,
    StartedHistory,
    load_acts,
    logged_facts,
    read_history,
    require_started,
)
from server.store.game_terms import GameNotOpened, SeatRequest, check_game_name, checked_seats
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
from server.store.schedule import (
    MOST_FAILURES,
    SEE_MESSAGES,
    look_at_seats_of_game,
    read_moment,
    write_moment,
)
from server.store.server_facts import ActFact, EventJson, GameImported
from server.store.states import (
    BEGUN,
    Announcement,
    BlockKind,
    BlockOrigin,
    Channel,
    ConfirmationPurpose,
    GameStatus,
    LetterState,
    MomentName,
)
from server.store.turn_clock import list_game_ids
from server.turns.play import letters_of_start, record_act

LONGEST_IN_LOG = 200


def export_log(context: Context, game_id: str, after: int = 0) -> Iterator[str]:
    """Yield the lines of a game's log, one JSON object for each event.

    The first event of each act has `meta` (seat, channel, time). The first line of a finished game has the
    key to verify the log checksums in its letters. Acts up to number `after` are left out.
    Raises `GameNotOpened` if the game does not exist or has not started, `CorruptLog` if its log was changed.
    """
    with context.reading() as session:
        try:
            game = session.get(Game, game_id) if GAME_ID.fullmatch(game_id) else None
        except (ValueError, LookupError) as error:
            raise CorruptLog(f"game {game_id} cannot be read: {error}") from None
        if game is None:
            raise GameNotOpened(f"there is no game “{clean_name(game_id)}”")
        if game.status == GameStatus.PROPOSED:
            raise GameNotOpened("the game is only proposed, and not confirmed")
        if game.status not in BEGUN:
            raise GameNotOpened("the game has not started: not all players have accepted")
        context.history_of(session, game)
        is_first = after == 0
        for row in load_acts(session, game_id, after):
            facts = logged_facts(row)
            if facts and is_first:
                _add_proof(game, facts[0], is_whole=facts[-1]["type"] in END_TYPES)
                is_first = False
            yield from (json.dumps(fact) for fact in facts)


def _add_proof(game: Game, first: EventJson, *, is_whole: bool) -> None:
    meta = first.get("meta")
    if is_whole and isinstance(meta, dict) and PROOF in meta:
        return
    told = {name: value for name, value in meta.items() if name != PROOF} if isinstance(meta, dict) else {}
    if game.status == GameStatus.OVER and game.proof_key:
        told[PROOF] = {"game": game.id, "key": game.proof_key}
    if told or "meta" in first:
        first["meta"] = told


@dataclass(frozen=True, slots=True)
class CheckedLog:
    facts: tuple[EventJson, ...]
    started: GameStarted


def read_log(lines: Iterable[bytes]) -> CheckedLog:
    kept = list(lines)
    first, *_ = [event for event, _ in check_log(kept, load_boards())]
    return CheckedLog(tuple(json.loads(line) for line in kept), check_start(first))


def import_log(
    context: Context,
    record: CheckedLog,
    now: datetime,
    *,
    name: str = "",
    requests: Sequence[SeatRequest] = (),
    time: TurnTime = USUAL_TIME,
) -> str:
    """Store a log as a new game, and return its id. The game of an unfinished log continues.

    `requests` name the players of seats. A bot requested by name takes the seat that has this name in the
    log. A bot requested without a name plays all seats that have no other player. If a seat stays empty,
    turns have no time limit. Raises `GameNotOpened`.
    """
    started = record.started
    name = check_game_name(name or "Imported game")
    if any(len(called) > LONGEST_IN_LOG for called in started.seats):
        raise GameNotOpened(f"a seat of the log has a name of more than {LONGEST_IN_LOG} letters")
    if len({called.casefold() for called in started.seats}) < len(started.seats):
        raise GameNotOpened("two seats of the log have the same name")
    seats = _assign_seats(started.seats, requests)
    time = time if all(request is not None for request in seats) else TurnTime(0)
    with open_unit(context, now) as unit:
        game = add_game(unit.session, NewGame(name, (), started.edition, time, started.board), now)
        for seat, (called, request) in enumerate(zip(started.seats, seats, strict=True)):
            seat_player(
                unit, game, seat, clean_name(called, LONGEST_NAME) or f"Seat {seat + 1}", request, now
            )
        facts: list[ActFact] = [GameImported(), *record.facts]
        begun = record_act(unit, game, History(), None, Channel.OPERATOR, "", facts)
        history = _perform_due(unit, game, require_started(begun))
        if not history.position.table.over:
            look_at_seats_of_game(unit.session, game.id)
            unit.tell(game, letters_of_start(history.position.table))
        unit.commit()
    return game.id


def _perform_due(unit: UnitOfWork, game: Game, history: StartedHistory) -> StartedHistory:
    position, events = history.position, list[Event]()
    while (kind := due(position)) is not None:
        events.append(perform_due(position, kind, unit.context.pick_card))
        position = evolve(position, events[-1])
    if not events:
        return history
    return require_started(record_act(unit, game, history, None, Channel.SERVER, "", events))


def _assign_seats(called: tuple[str, ...], requests: Sequence[SeatRequest]) -> list[SeatRequest | None]:
    by_name: dict[str, SeatRequest] = {}
    for request in checked_seats([request for request in requests if request.address is not None]):
        if request.name.casefold() not in (seat.casefold() for seat in called):
            raise GameNotOpened(
                f"the log has no seat called {request.name}: its seats are {', '.join(called)}"
            )
        by_name[request.name.casefold()] = request
    bots = [request for request in requests if request.is_bot]
    names = [_name_in_log(request.bot, called) for request in bots]
    by_name |= {name.casefold(): SeatRequest(name, None) for name in names if name}
    others = SeatRequest("", None) if "" in names else None
    return [by_name.get(seat.casefold(), others) for seat in called]


def _name_in_log(choice: BotChoice, called: tuple[str, ...]) -> str:
    if isinstance(choice, Profile) and choice.name.casefold() in (seat.casefold() for seat in called):
        return choice.name
    if choice != Strength.STEADY:
        raise GameNotOpened(
            "the seats of a log keep their names, by which bots of that name play: write “house”, or "
            f"“house:NAME” for one of {', '.join(called)}"
        )
    return ""


# --- check of stored acts -------------------------------------------------------------------------------


def examine_games(context: Context, after: str = "", until: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the id and the findings of each game above id `after`, up to id `until` (empty: no bound)."""
    for game in list_game_ids(context, after, until):
        try:
            with context.reading() as session:
                yield game, list(_examine_game(context, session, game))
        except OperationalError:
            raise  # the database is unavailable
        except CorruptLog as error:
            yield game, [str(error)]
        except Exception as error:
            yield game, [f"game {game} cannot be read: {error}"]


def examine_stored_acts(context: Context) -> Iterator[str]:
    for _, sentences in examine_games(context):
        yield from sentences


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
        position = start(context.board_of(game), history.deal)
        for seq, event in history.events[1:]:
            try:
                check(position, event)
            except (Illegal, InvalidEvent) as error:
                yield f"game {game.id}, act {seq}: today's rules differ: {error}"
            position = evolve(position, event)
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


# --- backup and restore ---------------------------------------------------------------------------------

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
    with open_unit(context, now) as unit:
        open_games, running = (
            unit.session.exec(select(Game.id).where(Game.status == status).order_by(Game.id)).all()
            for status in (GameStatus.OPEN, GameStatus.RUNNING)
        )
        told = len(running)
        for game in (*open_games, *running):
            try:
                with unit.session.begin_nested():
                    _write_to_players(unit, game, None if at_work else since)
            except (CorruptLog, GameNotBegun, ValueError, LookupError) as error:
                findings.append(f"game {game}: its players get no letter, for it cannot be read: {error}")
                told -= game in running
        unit.commit()
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


def _write_to_players(unit: UnitOfWork, game_id: str, since: datetime | None) -> None:
    """Queue letters to the players of a game after a restore.

    `since`: time of the restored state; None: time of the game's last act. In a game that has not begun,
    players who have accepted get valid links. Raises an error if the game cannot be read.
    """
    game = unit.session.get_one(Game, game_id)
    if game.status == GameStatus.OPEN:
        seats = unit.session.exec(select(Seating).where(Seating.game == game_id)).all()
        accepted = [seat for seat in seats if seat.accepted_at is not None]
        letters = [
            Notification(one.seat, lobby_letters.Accepted(), mark=f"new{one.generation}") for one in accepted
        ]
        unit.queue(game, letters)
        return
    table = require_started(unit.history_of(game)).position.table
    stands_at = _write_moment(since or _last_act(unit.session, game_id))
    for seat in load_people(unit.session, game.id):
        chat.announce_to(unit, game, seat, Announcement.SET_BACK, stands_at)
    unit.queue(game, [Notification(table.seat, game_letters.YourTurn())])


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
