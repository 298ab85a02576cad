"""A database of version 0.1.0 migrates, whole or not at all, and its games are played on."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from email.message import EmailMessage
from itertools import count
from threading import Event, Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from click.testing import CliRunner
from sqlalchemy import Engine, create_engine, event
from sqlmodel import select

from emails.tokens import Ticket
from engine import bots
from engine.notation.orders import write
from engine.position import view
from engine.rules import card_choices
from server.admin.backups import examine_stored_acts
from server.cli import main
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.store.database import (
    BASELINE,
    MODELS,
    SCHEMA_VERSION,
    find_version,
    open_database,
    run_migrations,
    upgrade_database,
)
from server.store.dialects.systems import DatabaseInUse
from server.store.event_log import StartedHistory
from server.store.models import Game, IncomingMail, OutgoingLetter, Player, Seating
from server.store.projection import rebuild
from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import first
from tests.paths import TOP
from tests.server.desk import Collector, work_until_idle
from tests.server.store.baseline import create_baseline
from tests.server.store.old_database import (
    EXPECTED,
    afterwards,
    dump,
    environment,
    execute,
    query,
    reopen,
    restore,
    url,
)

pytestmark = pytest.mark.file


def migrate(file):
    return CliRunner(env=environment(file)).invoke(main, ["migrate"])


def fail_if_called():
    raise AssertionError("nobody else has it open")


# --- the schema -----------------------------------------------------------------------------------------


COLUMN_REFERENCE = re.compile(r", (\w+) (\w+) REFERENCES ([^,]*\))")


def statements_of(file):
    """The parts of each statement that made something in a database, sorted: of columns the order differs."""
    found = {}
    for name, sql in query(file, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"):
        plain = re.sub(r"\s+", " ", sql.replace('"', "")).replace(" ,", ",").replace(" )", ")")
        plain = COLUMN_REFERENCE.sub(r", \1 \2, FOREIGN KEY(\1) REFERENCES \3", plain)
        opening, _, rest = plain.partition("(")
        found[name] = (opening.strip(), sorted(part.strip() for part in rest.removesuffix(")").split(", ")))
    return found


def made_by_migrations(file, until):
    database = create_engine(url(file))
    with database.begin() as connection:
        create_baseline(connection)
        run_migrations(connection, until)
    database.dispose()
    return file


def test_a_new_database_is_the_same_as_one_that_took_every_migration(tmp_path):
    open_database(url(tmp_path / "new.sqlite")).dispose()
    migrated = made_by_migrations(tmp_path / "migrated.sqlite", SCHEMA_VERSION)
    assert statements_of(tmp_path / "new.sqlite") == statements_of(migrated)
    assert "game" in statements_of(migrated)


def test_the_baseline_makes_what_the_code_of_its_time_made(tmp_path):
    old, made = restore(tmp_path), made_by_migrations(tmp_path / "made.sqlite", BASELINE)
    assert statements_of(old) == statements_of(made)


@pytest.mark.filterwarnings("ignore:.*expression-based index")  # the test before this one compares them
def test_migrations_and_models_do_not_differ(tmp_path):
    database = create_engine(url(made_by_migrations(tmp_path / "games.sqlite", SCHEMA_VERSION)))
    with database.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), MODELS) == []
    database.dispose()


def test_each_migration_follows_the_one_before_it():
    numbers = [file.name[:4] for file in sorted((TOP / "server/store/migrations/versions").glob("*.py"))]
    migrations = ScriptDirectory(str(TOP / "server/store/migrations")).walk_revisions()
    found = [(one.revision, one.down_revision) for one in migrations]
    assert found[::-1] == list(zip(numbers, [None, *numbers], strict=False))
    assert (numbers[0], numbers[-1]) == (BASELINE, SCHEMA_VERSION)


# --- what is stored -------------------------------------------------------------------------------------


@pytest.fixture
def context(tmp_path):
    """The office of a database that was migrated."""
    file = restore(tmp_path)
    assert migrate(file).exit_code == 0
    return reopen(file)


def stored(context, model):
    with context.reading() as session:
        return session.exec(select(model)).all()


def game_called(context, name):
    return next(game for game in stored(context, Game) if game.name == name)


def states(rows):
    return {row.state: sum(one.state == row.state for one in rows) for row in rows}


def test_it_migrates_and_says_so_and_the_second_time_there_is_nothing_to_do(tmp_path):
    file = restore(tmp_path)
    first = migrate(file)
    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout == f"The database was migrated from version {BASELINE} to {SCHEMA_VERSION}.\n"
    after = dump(file)
    second = migrate(file)
    assert (second.exit_code, second.stdout) == (
        0,
        f"The database has version {SCHEMA_VERSION}: nothing to do.\n",
    )
    assert dump(file) == after


def test_every_row_is_still_there(context, tmp_path):
    for table, number in EXPECTED["rows"].items():
        assert query(tmp_path / "games.sqlite", f'SELECT count(*) FROM "{table}"') == [(number,)]
    assert states(stored(context, IncomingMail)) == EXPECTED["mails"]
    people = {str(one.id): {"name": one.name, "address": one.address} for one in stored(context, Player)}
    assert people == EXPECTED["players"]


def test_the_games_stand_as_they_stood(context):
    games = {game.id: game for game in stored(context, Game)}
    assert len(games) == len(EXPECTED["games"])
    for old in EXPECTED["games"]:
        game = games[old["id"]]
        hours = game.turn_minutes / 60
        kept = (game.name, game.edition, hours, game.status, game.seq, game.after, game.turn, game.seat)
        names = ("name", "edition", "hours", "status", "seq", "after", "turn", "seat_to_move")
        assert kept == tuple(old[name] for name in names)
        assert (game.deadline and game.deadline.isoformat(), game.reminded) == (
            old["deadline"],
            old["reminded"],
        )
        with context.reading() as session:
            history = context.history_of(session, game)
        phase = str(history.position.table.phase) if isinstance(history, StartedHistory) else None
        assert phase == old["phase"]
        seats = sorted((one for one in stored(context, Seating) if one.game == game.id), key=lambda s: s.seat)
        assert [
            (one.seat, one.name, one.player, one.house, one.accepted_at is not None) for one in seats
        ] == [
            (one["seat"], one["name"], one["player"], one["house"], one["accepted"]) for one in old["seats"]
        ]


def test_the_doctor_is_content_and_rebuilding_changes_no_game(context):
    assert list(examine_stored_acts(context)) == []
    looked_at_anew = {"due_at"}
    before = [game.model_dump(exclude=looked_at_anew) for game in stored(context, Game)]
    rebuild(context)
    assert [game.model_dump(exclude=looked_at_anew) for game in stored(context, Game)] == before
    assert list(examine_stored_acts(context)) == []


def test_the_letters_that_waited_are_sent(context):
    waiting = {row.id for row in stored(context, OutgoingLetter) if row.state == "waiting"}
    assert len(waiting) == EXPECTED["letters"]["waiting"]
    due = max(row.due_at for row in stored(context, OutgoingLetter) if row.id in waiting)
    carrier = Collector()
    send_due_letters(context, carrier, due)
    assert carrier.mails
    states_after = {row.state for row in stored(context, OutgoingLetter) if row.id in waiting}
    assert states_after
    assert not states_after & {"waiting", "failed"}


def test_a_mail_is_played_and_the_game_goes_on(context):
    now, carrier = afterwards(), Collector()
    work_until_idle(context, carrier, now)
    game = game_called(context, "With the house")
    with context.reading() as session:
        position = context.history_of(session, game).position
        dirk = session.get_one(Player, session.get_one(Seating, (game.id, game.seat)).player)
    card = write(next(card_choices(view(position, game.seat))), position.table.board)
    mail = EmailMessage()
    mail["From"], mail["Message-ID"] = dirk.address, "<1@client.example.org>"
    mail["To"] = context.links.reply_address(Ticket(game.id, game.seat, game.after))
    mail.set_content(card)
    intake.store_mail(context, dirk.address, str(mail["To"]), bytes(mail), now)
    work_until_idle(context, carrier, now)
    assert stored(context, IncomingMail)[-1].state == "played"
    assert game_called(context, "With the house").seq == game.seq + 1
    for turn in range(game.turn, game.turn + 5):  # the house answers each at once
        current = game_called(context, "With the house")
        assert (current.turn, current.seat) == (2 * turn - game.turn, game.seat)
        play_turn(context, game.id, current.after, bots.stand_in, Channel.WEB, now)
        work_until_idle(context, carrier, now)
    assert carrier.to("Dirk")
    assert list(examine_stored_acts(context)) == []


# --- whole or not at all --------------------------------------------------------------------------------


class Fault(Exception):
    pass


def break_at(file, number):
    """Let a statement to one database fail, counted from 0; how to undo it."""
    numbers = count()

    def break_off(connection, *_):
        if connection.engine.url == url(file) and next(numbers) == number:
            raise Fault

    event.listen(Engine, "before_cursor_execute", break_off)
    return lambda: event.remove(Engine, "before_cursor_execute", break_off)


def test_what_breaks_off_between_two_statements_leaves_the_old_database(tmp_path):
    file = restore(tmp_path)
    before = dump(file)
    for number in count():
        mend = break_at(file, number)
        try:
            upgrade_database(url(file), fail_if_called)
        except Fault:
            assert dump(file) == before
        else:
            break
        finally:
            mend()
    assert number > 9
    assert query(file, "SELECT version_num FROM alembic_version") == [(SCHEMA_VERSION,)]


KILLED = """
import os, signal, sys
from itertools import count
from sqlalchemy import Engine, event, make_url
from server.store.database import upgrade_database

numbers = count()

@event.listens_for(Engine, "after_cursor_execute")
def kill(*_):
    if next(numbers) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

upgrade_database(make_url(sys.argv[1]), print)
"""


@pytest.mark.parametrize("number", first(0, [5, 9]))
def test_a_process_that_is_killed_leaves_the_old_database(tmp_path, number):
    file = restore(tmp_path)
    before = dump(file)
    command = [sys.executable, "-c", KILLED, f"sqlite:///{file}", str(number)]
    killed = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TOP)}, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert dump(file) == before
    assert migrate(file).exit_code == 0


def test_a_row_that_refers_to_nothing_stops_the_migration(tmp_path):
    file = restore(tmp_path)
    execute(file, "DELETE FROM player WHERE id = 1")
    before = dump(file)
    refused = migrate(file)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "refers to a row of player that does not exist" in refused.stderr
    assert dump(file) == before


# --- two at once ----------------------------------------------------------------------------------------


def test_of_two_at_once_one_migrates_and_the_other_waits_and_finds_nothing_to_do(tmp_path):
    file = restore(tmp_path)
    begun, go_on, results = Event(), Event(), []

    def pause(_connection, _cursor, statement, *_):
        if statement.startswith("ALTER TABLE game"):
            begun.set()
            assert go_on.wait(20)

    event.listen(Engine, "before_cursor_execute", pause)
    first = Thread(target=lambda: results.append(upgrade_database(url(file), fail_if_called)))
    first.start()
    try:
        assert begun.wait(20)
        assert upgrade_database(url(file), go_on.set) == SCHEMA_VERSION
    finally:
        go_on.set()
        first.join()
        event.remove(Engine, "before_cursor_execute", pause)
    assert results == [BASELINE]


def test_a_server_that_still_runs_is_noticed_and_nothing_is_changed(tmp_path):
    file = restore(tmp_path)
    server, waited = create_engine(url(file)), []
    with server.connect() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM game").all()
        connection.rollback()
        with pytest.raises(DatabaseInUse, match="stop `alexandros serve`"):
            upgrade_database(url(file), lambda: waited.append(True), patience=0.05)
        assert find_version(connection) == BASELINE
    server.dispose()
    assert waited == [True]
    assert upgrade_database(url(file), fail_if_called) == BASELINE


def test_whoever_migrates_hears_that_somebody_has_the_database_open(tmp_path):
    file = restore(tmp_path)
    server = sqlite3.connect(file)
    server.execute("SELECT count(*) FROM game").fetchall()

    def end_server(_connection, _cursor, statement, *_):
        if statement == "PRAGMA busy_timeout=30000":
            server.close()

    event.listen(Engine, "before_cursor_execute", end_server)
    try:
        done = migrate(file)
    finally:
        event.remove(Engine, "before_cursor_execute", end_server)
    assert (done.exit_code, done.stdout.count("\n")) == (0, 1)
    assert done.stderr == "Another process has the database open; waiting for it to end.\n"
