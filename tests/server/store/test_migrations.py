"""Databases of every earlier version migrate, whole or not at all, and their games are played on."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from datetime import datetime
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

from emails.letters.kinds import LetterKind
from emails.links import mask_tokens
from emails.tokens import Ticket
from engine import bots
from engine.notation.canonical_text import write
from engine.rules import card_choices
from engine.views import view
from server.accounts.confirmations import find_confirmation
from server.admin.doctor import examine_stored_acts
from server.app import create_app
from server.cli import main
from server.delivery.outbox_delivery import send_due_letters
from server.inbox import mail_intake
from server.store.database import MODELS, SCHEMA_VERSION, find_version, open_database
from server.store.dialects.systems import DatabaseInUse
from server.store.histories import StartedHistory
from server.store.migrations.upgrade import run_migrations, upgrade_database
from server.store.models import Game, IncomingMail, OutgoingLetter, Player, Seating
from server.store.projection import rebuild
from server.store.states import Announcement, Channel
from server.turns.play import play_turn
from tests.breadth import BREADTH, first
from tests.paths import TOP
from tests.server.desk import Collector, body, work_until_idle
from tests.server.store.old_databases import (
    FIRST_AND_LAST,
    FROM_FIRST,
    VERSIONS,
    afterwards,
    dump,
    environment,
    execute,
    expected,
    query,
    reopen,
    restore,
    url,
)
from tests.server.web.site import Visitor

pytestmark = pytest.mark.file


def migrate(file, version=VERSIONS[-1]):
    return CliRunner(env=environment(file, version)).invoke(main, ["migrate"])


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
        run_migrations(connection, until)
    database.dispose()
    return file


def test_a_new_database_is_the_same_as_one_that_took_every_migration(tmp_path):
    open_database(url(tmp_path / "new.sqlite")).dispose()
    migrated = made_by_migrations(tmp_path / "migrated.sqlite", SCHEMA_VERSION)
    assert statements_of(tmp_path / "new.sqlite") == statements_of(migrated)
    assert "game" in statements_of(migrated)


@pytest.mark.parametrize("version", FIRST_AND_LAST)
def test_a_migration_makes_what_the_code_of_its_time_made(tmp_path, version):
    old, made = restore(tmp_path, version), made_by_migrations(tmp_path / "made.sqlite", version)
    before, after = statements_of(old), statements_of(made)
    for found in (before, after):
        found.pop("alembic_version", None)
    assert before == after


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
    assert numbers[-1] == SCHEMA_VERSION
    assert numbers[:-1] == VERSIONS, "a database of each earlier version is kept"


# --- what is stored -------------------------------------------------------------------------------------


@pytest.fixture(params=FIRST_AND_LAST)
def version(request):
    return request.param


@pytest.fixture
def context(tmp_path, version):
    """The office of a database that was migrated."""
    file = restore(tmp_path, version)
    assert migrate(file, version).exit_code == 0
    return reopen(file, version)


def stored(context, model):
    with context.reading() as session:
        return session.exec(select(model)).all()


def game_called(context, name):
    return next(game for game in stored(context, Game) if game.name == name)


def states(rows):
    return {row.state: sum(one.state == row.state for one in rows) for row in rows}


def test_it_migrates_and_says_so_and_the_second_time_there_is_nothing_to_do(tmp_path, version):
    file = restore(tmp_path, version)
    first = migrate(file)
    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout == f"The database was migrated from version {version} to {SCHEMA_VERSION}.\n"
    after = dump(file)
    second = migrate(file)
    assert (second.exit_code, second.stdout) == (
        0,
        f"The database has version {SCHEMA_VERSION}: nothing to do.\n",
    )
    assert dump(file) == after


def test_every_row_is_still_there(context, version, tmp_path):
    for table, number in expected(version)["rows"].items():
        assert query(tmp_path / "games.sqlite", f'SELECT count(*) FROM "{table}"') == [(number,)]
    assert states(stored(context, IncomingMail)) == expected(version)["mails"]
    people = {str(one.id): {"name": one.name, "address": one.address} for one in stored(context, Player)}
    assert people == expected(version)["players"]


def test_the_games_stand_as_they_stood(context, version):
    games = {game.id: game for game in stored(context, Game)}
    assert len(games) == len(expected(version)["games"])
    for old in expected(version)["games"]:
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


@FROM_FIRST
def test_the_doctor_is_content_and_rebuilding_changes_no_game(context):
    assert list(examine_stored_acts(context)) == []
    looked_at_anew = {"due_at"}
    before = [game.model_dump(exclude=looked_at_anew) for game in stored(context, Game)]
    rebuild(context)
    assert [game.model_dump(exclude=looked_at_anew) for game in stored(context, Game)] == before
    assert list(examine_stored_acts(context)) == []


@FROM_FIRST
def test_the_letters_that_waited_are_sent(context, version):
    waiting = {row.id for row in stored(context, OutgoingLetter) if row.state == "waiting"}
    assert len(waiting) == expected(version)["letters"]["waiting"]
    due = max(row.due_at for row in stored(context, OutgoingLetter) if row.id in waiting)
    carrier = Collector()
    send_due_letters(context, carrier, due)
    assert carrier.mails
    states_after = {row.state for row in stored(context, OutgoingLetter) if row.id in waiting}
    assert states_after
    assert not states_after & {"waiting", "failed"}


@FROM_FIRST
def test_a_mail_is_played_and_the_game_goes_on(context, version):
    now, carrier = afterwards(version), Collector()
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
    mail_intake.store_mail(context, dirk.address, str(mail["To"]), bytes(mail), now)
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


def test_a_mail_that_waited_is_played_although_its_address_is_an_old_one(tmp_path):
    file = restore(tmp_path, "0005")
    assert migrate(file, "0005").exit_code == 0
    context = reopen(file, "0005")
    waiting = [row.id for row in stored(context, IncomingMail) if row.state == "waiting"]
    assert waiting
    before = game_called(context, "Friday")
    work_until_idle(context, Collector(), afterwards("0005"))
    assert {row.state for row in stored(context, IncomingMail) if row.id in waiting} == {"played"}
    assert game_called(context, "Friday").seq > before.seq


def test_the_links_of_letters_that_were_sent_lead_to_a_page_that_mails_good_ones(tmp_path):
    file = restore(tmp_path, "0005")
    words = dict(query(file, "SELECT id, text FROM outgoing"))
    assert migrate(file, "0005").exit_code == 0
    context, now, carrier = reopen(file, "0005"), afterwards("0005"), Collector()
    work_until_idle(context, carrier, now)
    running = {game.id: game.seq for game in stored(context, Game) if game.status == "running"}
    sent = [row for row in stored(context, OutgoingLetter) if row.game in running and row.id < 40]
    link = next(found for row in sent for found in re.findall(r"/t/[a-z2-7]{20,}", words[row.id]))
    browser = Visitor(create_app(context, lambda: now).test_client()).get(link)
    assert (browser.status, browser.title) == (410, "This link is not good any more")
    before = len(carrier.mails)
    browser.send("//main//form")
    work_until_idle(context, carrier, now)
    [letter] = carrier.mails[before:]
    good = next(word for word in body(letter).split() if "/t/" in word).partition("8000")[2]
    assert browser.get(good.removesuffix("/settings")).status == 200
    assert {game.id: game.seq for game in stored(context, Game) if game.id in running} == running


def test_a_letter_that_another_tells_refers_to_it(tmp_path):
    file = restore(tmp_path, "0004")
    told = query(file, "SELECT id, substr(why, 22) FROM outgoing WHERE why LIKE 'it is told in letter %'")
    execute(file, "UPDATE outgoing SET state = 'dropped', why = 'it is told in letter 999' WHERE id = 1")
    assert migrate(file).exit_code == 0
    reason = "state = 'dropped' AND why = 'it is told in another letter'"
    found = query(file, f"SELECT id, told_by FROM outgoing WHERE {reason}")
    assert found == [(1, None), *((number, int(teller)) for number, teller in told)]
    assert len(found) == 3
    assert query(file, "SELECT count(*) FROM outgoing WHERE told_by IS NOT NULL") == [(2,)]


def test_letters_have_their_new_kinds_and_states_and_nothing_else_of_them_changes(tmp_path):
    file = restore(tmp_path, "0004")
    execute(file, "UPDATE outgoing SET state = 'dropped', why = 'its reader wants no letters' WHERE id = 2")
    execute(file, "UPDATE outgoing SET kind = 'reminder2' WHERE id = 3")
    every = "SELECT * FROM outgoing ORDER BY id"
    before = [row[:15] for row in query(file, every)]
    assert migrate(file).exit_code == 0
    after = [row[:15] for row in query(file, every)]
    kinds = {"turn": "your_turn", "over": "game_over", "reminder1": "reminder", "reminder2": "reminder"}
    for old, new in zip(before, after, strict=True):
        number, kind, state, why = old[0], old[5], old[9], old[10]
        state = "withheld" if number == 2 else state
        why = "it is told in another letter" if why.startswith("it is told in letter ") else why
        if kind in ("confirm", "moved"):  # of the code that stood in it and in its words the digest is left
            assert new[7] != old[7]
            old = (*old[:7], new[7], *old[8:12], "", *old[13:])
        old = (*old[:12], mask_tokens(old[12]), *old[13:])
        assert new == (*old[:5], kinds.get(kind, kind), *old[6:9], state, why, *old[11:])
    assert {row[5] for row in after} <= set(LetterKind)


def test_what_the_server_said_is_told_from_what_players_wrote(tmp_path):
    file = restore(tmp_path, "0004")
    many = " UNION ALL ".join(
        ["SELECT game, at, seat, addressee, words FROM message WHERE seat IS NULL"] * 60
    )
    execute(file, f"INSERT INTO message (game, at, seat, addressee, words) {many}")
    before = query(file, "SELECT id, game, at, seat, addressee, words FROM message ORDER BY id")
    assert len(before) > 600
    assert migrate(file).exit_code == 0
    after = query(
        file, "SELECT id, game, at, seat, addressee, words, announcement, about FROM message ORDER BY id"
    )
    for old, new in zip(before, after, strict=True):
        if old[3] is not None:
            assert new == (*old, None, "")
        else:
            said = json.loads(old[5])
            assert new == (*old[:5], "", said["says"], said.get("address", said["name"]))
    assert {row[6] for row in after} - {None} <= set(Announcement)


@pytest.mark.parametrize("version", first(1, [one for one in VERSIONS if "0001" < one < "0006"]))
def test_codes_of_letters_that_were_sent_are_good_and_stand_nowhere(tmp_path, version):
    file = restore(tmp_path, version)
    before = query(file, "SELECT code, player, address, at FROM confirmation ORDER BY rowid")
    execute(file, "UPDATE outgoing SET state = 'waiting' WHERE id = (SELECT max(id) FROM outgoing)")
    assert migrate(file, version).exit_code == 0
    kept = "\n".join(dump(file))
    assert not [code for code, *_ in before if code in kept]
    context = reopen(file, version)
    for code, player, address, at in before:
        with context.reading() as session:
            found, owner = find_confirmation(session, code.upper(), datetime.fromisoformat(at + "+00:00"))
        assert (owner.id, found.address) == (player, address)
        assert found.purpose == {"back": "back", "also": "second"}.get(code[:-26], "address")


def test_a_letter_to_an_address_that_waited_says_its_code_still(tmp_path):
    file = restore(tmp_path, "0005")
    now = afterwards("0005").isoformat(" ")[:19]
    execute(file, "UPDATE outgoing SET state = 'waiting' WHERE kind IN ('confirm', 'moved')")
    codes = [code for (code,) in query(file, "SELECT code FROM confirmation")]
    execute(file, f"UPDATE confirmation SET at = '{now}.000000'")
    assert migrate(file).exit_code == 0
    context, carrier = reopen(file, "0005"), Collector()
    send_due_letters(context, carrier, afterwards("0005"))
    told = [str(mail["Reply-To"]) for mail in carrier.mails]
    assert all(f"confirm+{code}@{context.settings.mail_domain}" in told for code in codes)


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


@pytest.mark.parametrize("step", [pytest.param(11, marks=BREADTH), pytest.param(1, marks=pytest.mark.long)])
def test_what_breaks_off_between_two_statements_leaves_the_old_database(tmp_path, step):
    file = restore(tmp_path, "0001")
    before = dump(file)
    for number in count(0, step):
        mend = break_at(file, number)
        try:
            upgrade_database(url(file), fail_if_called)
        except Fault:
            assert dump(file) == before
        else:
            break
        finally:
            mend()
    assert number > 100
    assert query(file, "SELECT version_num FROM alembic_version") == [(SCHEMA_VERSION,)]


KILLED = """
import os, signal, sys
from itertools import count
from sqlalchemy import Engine, event, make_url
from server.store.migrations.upgrade import upgrade_database

numbers = count()

@event.listens_for(Engine, "after_cursor_execute")
def kill(*_):
    if next(numbers) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

upgrade_database(make_url(sys.argv[1]), print)
"""


@pytest.mark.parametrize("number", first(0, [15, 40]))
def test_a_process_that_is_killed_leaves_the_old_database(tmp_path, number):
    file = restore(tmp_path, "0001")
    before = dump(file)
    command = [sys.executable, "-c", KILLED, f"sqlite:///{file}", str(number)]
    killed = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TOP)}, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert dump(file) == before
    assert migrate(file).exit_code == 0


def test_a_row_that_refers_to_nothing_stops_the_migration(tmp_path):
    file = restore(tmp_path, "0001")
    execute(file, "DELETE FROM player WHERE id = 1")
    before = dump(file)
    refused = migrate(file)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "a row of seating refers to a row of player that does not exist" in refused.stderr
    assert dump(file) == before


# --- two at once ----------------------------------------------------------------------------------------


def test_of_two_at_once_one_migrates_and_the_other_waits_and_finds_nothing_to_do(tmp_path):
    file = restore(tmp_path, "0001")
    begun, go_on, results = Event(), Event(), []

    def pause(_connection, _cursor, statement, *_):
        if statement.startswith("\nCREATE TABLE proposal"):
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
    assert results == ["0001"]


def test_a_server_that_still_runs_is_noticed_and_nothing_is_changed(tmp_path):
    file = restore(tmp_path, "0001")
    server, waited = create_engine(url(file)), []
    with server.connect() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM game").all()
        connection.rollback()
        with pytest.raises(DatabaseInUse, match="stop `alexandros serve`"):
            upgrade_database(url(file), lambda: waited.append(True), patience=0.05)
        assert find_version(connection) == "0001"
    server.dispose()
    assert waited == [True]
    assert upgrade_database(url(file), fail_if_called) == "0001"


def test_whoever_migrates_hears_that_somebody_has_the_database_open(tmp_path):
    file = restore(tmp_path, "0001")
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
