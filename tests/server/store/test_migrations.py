"""A database of version 0.1.0 migrates, whole or not at all, and its games are played on."""

import json
import os
import re
import signal
import subprocess
import sys
from itertools import count
from threading import Event, Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from click.testing import CliRunner
from sqlalchemy import Engine, create_engine, event

from emails.letters import account_letters, game_letters
from emails.letters.declaration import KINDS, SeatLoss
from emails.wording.requests import Request, RequestKind
from server.admin.backups import examine_stored_acts
from server.cli import main
from server.outbox.notifications import decode_payload
from server.store.database import (
    BASELINE,
    MODELS,
    SCHEMA_VERSION,
    find_version,
    open_database,
    run_migrations,
    upgrade_database,
)
from server.store.dialects import DatabaseInUse
from server.store.event_log import StartedHistory
from server.store.models import Game, IncomingMail, Player, Seating
from tests.breadth import first
from tests.paths import TOP
from tests.server.store import old_database
from tests.server.store.old_database import EXPECTED, dump, environment, execute, query, reopen, restore, url

pytestmark = pytest.mark.file


def migrate(file):
    return CliRunner(env=environment(file)).invoke(main, ["migrate"])


def fail_if_called():
    raise AssertionError("nobody else has it open")


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
        old_database.create_baseline(connection)
        run_migrations(connection, until)
    database.dispose()
    return file


def test_a_new_database_is_the_same_as_one_that_took_every_migration(tmp_path):
    open_database(url(tmp_path / "new.sqlite")).dispose()
    migrated = made_by_migrations(tmp_path / "migrated.sqlite", SCHEMA_VERSION)
    assert statements_of(tmp_path / "new.sqlite") == statements_of(migrated)
    assert "game" in statements_of(migrated)


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


@pytest.fixture
def file(tmp_path):
    return restore(tmp_path)


@pytest.fixture
def context(file):
    assert migrate(file).exit_code == 0
    return reopen(file)


def states(rows):
    return {row.state: sum(one.state == row.state for one in rows) for row in rows}


def test_it_migrates_and_says_so_and_the_second_time_there_is_nothing_to_do(file):
    first = migrate(file)
    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout == f"The database was migrated from version {BASELINE} to {SCHEMA_VERSION}.\n"
    after = dump(file)
    second = migrate(file)
    assert second.exit_code == 0
    assert second.stdout == f"The database has version {SCHEMA_VERSION}: nothing to do.\n"
    assert dump(file) == after


def test_every_row_is_still_there(context, file):
    for table, number in EXPECTED["rows"].items():
        assert query(file, f'SELECT count(*) FROM "{table}"') == [(number,)]
    assert states(context.rows_of(IncomingMail)) == EXPECTED["mails"]
    people = {str(one.id): {"name": one.name, "address": one.address} for one in context.rows_of(Player)}
    assert people == EXPECTED["players"]


def test_the_games_stand_as_they_stood(context):
    games = {game.id: game for game in context.rows_of(Game)}
    assert len(games) == len(EXPECTED["games"])
    for old in EXPECTED["games"]:
        game = games[old["id"]]
        hours = game.turn_minutes / 60
        kept = (game.name, game.edition, hours, game.status, game.seq, game.after, game.turn, game.seat)
        names = ("name", "edition", "hours", "status", "seq", "after", "turn", "seat_to_move")
        assert kept == tuple(old[name] for name in names)
        deadline = game.deadline and game.deadline.isoformat()
        assert (deadline, game.reminded) == (old["deadline"], old["reminded"])
        history = context.history(game.id)
        phase = str(history.position.table.phase) if isinstance(history, StartedHistory) else None
        assert phase == old["phase"]
        for seat, said in zip(context.rows_of(Seating, Seating.game == game.id), old["seats"], strict=True):
            accepted = seat.accepted_at is not None
            assert said == seat.model_dump(include={"seat", "name", "player", "house"}) | {
                "accepted": accepted
            }


def test_the_doctor_is_content_and_rebuilding_changes_no_game(context):
    assert list(examine_stored_acts(context)) == []
    games = context.rows_of(Game.id)
    before = [context.projected(game) for game in games]
    context.rebuild()
    assert [context.projected(game) for game in games] == before
    assert list(examine_stored_acts(context)) == []


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


def test_what_breaks_off_between_two_statements_leaves_the_old_database(file):
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


def test_a_row_that_refers_to_nothing_stops_the_migration(file):
    execute(file, "DELETE FROM player WHERE id = 1")
    before = dump(file)
    refused = migrate(file)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "refers to a missing row of player" in refused.stderr
    assert dump(file) == before


def test_of_two_at_once_one_migrates_and_the_other_waits_and_finds_nothing_to_do(file):
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


def test_a_server_that_still_runs_is_noticed_and_nothing_is_changed(file):
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


BEN = 2
ASKED = json.dumps({"event": "second address asked", "at": "2026-11-02T01:00:00Z", "about": "x@example.org"})


@pytest.mark.parametrize("address", ["ben@example.org", "ben.second@example.org"])
def test_the_address_in_use_stays(file, address):
    assert query(file, "SELECT * FROM second") == [(BEN, "ben.second@example.org")]
    if address == "ben.second@example.org":  # it has taken over
        execute(file, f"UPDATE player SET address = '{address}' WHERE id = {BEN}")
        execute(file, "UPDATE second SET address = 'ben@example.org'")
    assert migrate(file).exit_code == 0
    assert query(file, f"SELECT address FROM player WHERE id = {BEN}") == [(address,)]
    assert query(file, "SELECT name FROM sqlite_master WHERE tbl_name = 'second'") == []
    assert query(file, "SELECT DISTINCT purpose FROM confirmation ORDER BY 1") == [("address",), ("back",)]


def test_what_was_to_be_told_of_the_other_is_told_nobody_and_can_be_read(file):
    last = query(file, "SELECT max(id) FROM message")
    execute(file, f"UPDATE outgoing SET kind = 'notice', detail = '{ASKED}' WHERE id IN (1, 2)")
    execute(file, "UPDATE outgoing SET state = 'waiting', why = '' WHERE id = 1")
    execute(file, "UPDATE outgoing SET state = 'sent' WHERE id = 2")
    assert migrate(file).exit_code == 0
    assert query(file, "SELECT announcement, addressee, about FROM message WHERE id = 7") == [(None, -1, "")]
    assert query(file, "SELECT max(id) FROM message") == last
    notices = query(file, "SELECT state, why, detail FROM outgoing WHERE id IN (1, 2) ORDER BY id")
    assert [state for state, *_ in notices] == ["dropped", "sent"]
    assert notices[0][1] == "its occasion has passed"
    assert {json.loads(detail)["event"] for *_, detail in notices} == {"address asked"}


CLOCKS = {"With the house": (36, 10, 3), "Offered": (48, 96, 0)}
"""Of games in that database: hours for a turn, in reserve, and back."""
KEPT = "deadline, turn_began_at, bank_left, time_left, reminded"


def test_each_game_keeps_its_time_its_reserve_and_its_deadline(file):
    for name, (hours, bank, refill) in CLOCKS.items():
        given = f"hours = {hours}, bank = {bank}, refill = {refill}"
        execute(file, f"UPDATE game SET {given} WHERE name = '{name}'")
    execute(file, "UPDATE opening SET vacation_days = 5")
    before = query(file, f"SELECT id, {KEPT} FROM game ORDER BY id")
    away = query(file, "SELECT * FROM vacation")
    assert migrate(file).exit_code == 0
    found = query(file, "SELECT name, turn_minutes, bank_minutes, refill_minutes FROM game")
    assert {name: tuple(clock) for name, *clock in found if name in CLOCKS} == {
        name: tuple(60 * one for one in clock) for name, clock in CLOCKS.items()
    }
    assert query(file, f"SELECT id, {KEPT} FROM game ORDER BY id") == before
    assert query(file, "SELECT * FROM vacation") == away
    assert query(file, "SELECT DISTINCT vacation_days FROM opening") == [(5,)]


def test_what_was_said_of_pauses_and_asked_by_old_votes_is_told_as_now(file):
    [(game,)] = query(file, "SELECT id FROM game ORDER BY id LIMIT 1")
    for said in ("paused", "pause agreed", "pause agreed until", "pause ended"):
        row = f"'{game}', '2026-03-02 12:00:00.000000', 'old', '{said}', 'then'"
        execute(file, f"INSERT INTO message (game, at, words, announcement, about) VALUES ({row})")
    letter = query(file, "SELECT min(id) FROM outgoing")[0][0]
    details = {
        '{"lines": [], "after": 1, "asked": [["go on without", "Ben"]]}': (
            "asked_back",
            game_letters.AskedBack((), 1, asked=(Request(RequestKind.HELP, "Ben"),)),
        ),
        '{"name": "Anna", "game": "Friday", "language": "nl", "why": "It is taken."}': (
            "replaced",
            account_letters.SeatRefused("Anna", "nl", "It is taken."),
        ),
        '{"name": "Anna", "game": "Friday", "language": "nl", "why": "", "late": true}': (
            "replaced",
            account_letters.Replaced("Anna", "Friday", "nl", SeatLoss.LATE),
        ),
    }
    for number, (detail, (kind, _)) in enumerate(details.items()):
        execute(
            file,
            f"CREATE TEMP TABLE one AS SELECT * FROM outgoing WHERE id = {letter}; UPDATE one SET id = "
            f"{9000 + number}, kind = '{kind}', detail = '{detail}', message_id = 'old{number}'; "
            "INSERT INTO outgoing SELECT * FROM one",
        )
    assert migrate(file).exit_code == 0
    ends = "2026-04-01T12:00:00+00:00"
    said = query(file, "SELECT announcement, about FROM message WHERE words = 'old' ORDER BY id")
    until = "paused until"
    assert said == [(until, ends), (until, ends), (until, "then"), ("resumed", "then")]
    stored = query(file, "SELECT kind, detail FROM outgoing WHERE id >= 9000 ORDER BY id")
    found = [decode_payload(KINDS[kind], detail) for kind, detail in stored]
    assert found == [content for _, content in details.values()]


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
def test_a_process_that_is_killed_leaves_the_old_database(file, number):
    before = dump(file)
    command = [sys.executable, "-c", KILLED, f"sqlite:///{file}", str(number)]
    killed = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TOP)}, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert dump(file) == before
    assert migrate(file).exit_code == 0
