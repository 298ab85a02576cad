"""Commands for the service and its database: secrets, checks, serving, the demo, backup, migration."""

from __future__ import annotations

import gc
import logging
import secrets
import sys
import tempfile
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.cli.console import (
    CommandError,
    collect_garbage,
    example,
    opened_context,
    print_wrapped,
    read_settings,
)
from server.logs import write_json_logs
from server.store.states import EVERY_ROLE, Roles, read_roles

if TYPE_CHECKING:
    from server.store.context import Context


WAITING = "Another process has the database open; waiting for it to end."
PROGRESS_EVERY = 1000


@click.command(epilog=example("migrate"))
def migrate() -> None:
    """Migrate the database to the schema version of this program.

    Stop the server and back up the database first. After an error the database is unchanged.
    """
    from server.store.database import SCHEMA_VERSION, upgrade_database

    with read_settings() as settings:
        found = upgrade_database(settings.database, lambda: click.echo(WAITING, err=True))
    if found is None:
        click.echo(f"The database is new and was made at version {SCHEMA_VERSION}.")
    elif found >= SCHEMA_VERSION:
        click.echo(f"The database has version {found}: nothing to do.")
    else:
        click.echo(f"The database was migrated from version {found} to {SCHEMA_VERSION}.")


@click.command(epilog=example("backup games-monday.db"))
@click.argument("file")
def backup(file: str) -> None:
    """Copy the database into the new file FILE. The copy is consistent, even while the server runs."""
    from server.admin.backups import back_up
    from server.store.context import utc_now
    from server.store.dialects import count_games

    with opened_context() as context:
        games = back_up(context, Path(file), utc_now())
    are = "is" if games == 1 else "are"
    click.echo(f"{count_games(games)} {are} copied to {file}. Keep it where only you can read it.")


@click.command(
    epilog=example(
        "restore games-monday.db", "restore --replace games-monday.db", "restore --came-back-otherwise"
    )
)
@click.argument("file", required=False)
@click.option("--replace", "replacing", is_flag=True, help="Replace a database with games; they are lost.")
@click.option("--damaged", is_flag=True, help="Accept FILE though some of its acts have faults.")
@click.option(
    "--came-back-otherwise",
    "otherwise",
    is_flag=True,
    help="Without FILE: finish a restore done by other means.",
)
def restore(file: str | None, replacing: bool, damaged: bool, otherwise: bool) -> None:
    """Replace the database by FILE, made by `backup`. No server may run meanwhile.

    FILE is checked first, as `doctor` does, and migrated if it is older. Every game returns to its state in
    FILE. Its players get a letter about this when the server starts. The effects of mails received after
    the backup are lost. All links, sign-ins and keys end. Bans, erasures and unsubscribes made after the
    backup are repeated.
    """
    from server.admin.backups import examine_stored_acts, restore_file, set_back
    from server.admin.reports import describe_backlog
    from server.store.context import utc_now
    from server.store.database import SCHEMA_VERSION
    from server.store.dialects import count_games

    if (file is None) is not otherwise:
        raise CommandError(
            "name the file of the backup; or, if the database is restored already, give --came-back-otherwise"
        )
    report, found = None, list[str]()
    if file is not None:
        with read_settings() as settings:
            report = restore_file(settings, Path(file), utc_now(), replacing=replacing, damaged=damaged)
    with opened_context() as context:
        if report is None:
            report = set_back(context, utc_now(), at_work=True)
            found = list(examine_stored_acts(context))
        for sentence in (*report.findings, *found, *describe_backlog(context, utc_now())):
            click.echo(sentence)
    if report.version != SCHEMA_VERSION:
        click.echo(f"The copy had version {report.version}, and was migrated to {SCHEMA_VERSION}.")
    told = f", as it was on {report.since} UTC" if report.since else ""
    told += f"; the players of {count_games(report.games)} are notified" if report.games else ""
    told += f"; withdrawals repeated: {report.repeated}" if report.repeated else ""
    click.echo(f"The database is restored{told}.")
    if report.kept:
        click.echo(
            f"The replaced database stays in {report.kept}: delete it after a check of the restored one."
        )
    sys.exit(1 if report.findings or found else 0)


@click.command(epilog=example("rebuild"))
def rebuild() -> None:
    """Rebuild the list of games from their acts. Unreadable games are named and left unchanged."""
    from server.store.dialects import count_games
    from server.store.turn_clock import rebuild_games

    done = broken = 0
    with opened_context() as context:
        for game, why in rebuild_games(context):
            if why is None:
                done += 1
            else:
                broken += 1
                click.echo(f"game {game} is unchanged: {why}")
    click.echo(f"{count_games(done)} rebuilt" + (f", {broken} not" if broken else ""))
    sys.exit(1 if broken else 0)


@click.command(epilog=example("prune"))
def prune() -> None:
    """Delete expired data now, as the server does regularly, and shrink the database file.

    It may run beside the server, but the file shrinks only if no other process uses it.
    """
    from server.retention import delete_all_expired
    from server.store.context import utc_now

    with opened_context() as context:
        deleted = delete_all_expired(context, utc_now())
        compacted = context.system.compact(context.database)
    for table, rows in deleted.items():
        click.echo(f"{rows:8}  {table}")
    click.echo("Nothing else has expired." if deleted else "Nothing has expired.")
    if not compacted:
        click.echo("The file is as large as before: another process uses the database.", err=True)


@click.command(epilog=example("doctor", "doctor --after abcd2345", "doctor --after g --until m"))
@click.option("--after", default="", help="Only games whose ids come after this one.")
@click.option("--until", default="", help="Only games whose ids come up to this one.")
def doctor(after: str, until: str) -> None:
    """Check every stored act by the current rules and print the differences. Nothing is changed.

    Overdue work and failed work are printed first. Games are checked in the order of their ids. Progress is
    printed, so that you can interrupt the check and continue with --after.
    """
    from server.admin.backups import examine_games
    from server.admin.reports import describe_backlog
    from server.store.context import utc_now
    from server.store.database import find_version

    findings = 0
    with opened_context() as context:
        with context.database.connect() as connection:
            click.echo(f"The database has version {find_version(connection)}.", err=True)
        for sentence in () if after or until else describe_backlog(context, utc_now()):
            click.echo(sentence)
            findings += 1
        for number, (game, sentences) in enumerate(examine_games(context, after, until), 1):
            for sentence in sentences:
                click.echo(sentence)
            findings += len(sentences)
            if number % PROGRESS_EVERY == 0:
                click.echo(f"{number} games were read, the last of them {game}.", err=True)
    click.echo(f"{findings} findings" if findings else "All is well.")
    sys.exit(1 if findings else 0)


@click.command(epilog=example("check", "check --selector mail2026"))
@click.option("--selector", default="", help="The DKIM selector (s= in a letter), in place of the setting.")
@click.option("--wrong", "wrong_only", is_flag=True, help="Print only what is wrong or unknown.")
def check(selector: str, wrong_only: bool) -> None:
    """Check every setting, the database, the relay, your DNS, the clock and the disk. Nothing is changed.

    Each line says ok, wrong or ? (unknown); below a wrong line stands the remedy. The command signs in to the
    relay and the mailbox, queries the DNS, and opens your own pages. The exit status is 1 if something is
    wrong.
    """
    from server.admin.setup_check import CheckResult, LiveProbes, check_database, check_setup
    from server.store.context import utc_now

    wrong = 0
    with read_settings() as settings:
        found = check_setup(settings, LiveProbes(), utc_now(), selector)
        for one in chain([check_database(settings)], found):
            wrong += one.verdict is CheckResult.WRONG
            if wrong_only and one.verdict is CheckResult.OK:
                continue
            print_wrapped(f"{one.verdict:6} {one.what}: {one.said}")
            if one.advice:
                print_wrapped(f"       do: {one.advice}")
    sys.exit(1 if wrong else 0)


def make_secret() -> str:
    """Return 256 random bits as 43 characters that need no quoting in shells and URLs."""
    return secrets.token_urlsafe(32)


@click.command(epilog=example("secret >secret.txt"))
def secret() -> None:
    """Print a new random secret for the settings."""
    click.echo(make_secret())


LOG = logging.getLogger(__name__)
DEMO_SEATS = ("Anna <anna@example.org>", "house:Philip", "house:Roxana")


@click.command(epilog=example("serve", "serve --only pages", "serve --only mail,letters"))
@click.option("--only", metavar="ROLES", help="Do only this work: any of pages,mail,letters,clock,house.")
def serve(only: str | None) -> None:
    """Serve the games. Settings come from config/settings.toml and the environment (ALEXANDROS_...).

    Without --only one process does all the work. If --only is given, other processes must do the rest.
    """
    try:
        roles = EVERY_ROLE if only is None else read_roles(only)
    except ValueError as error:
        raise CommandError(f"--only: {error}") from None
    _load_service()
    from server.cli.console import describe_version
    from server.store.database import SCHEMA_VERSION

    with opened_context(making=True) as context:
        write_json_logs()
        context.events.metrics.info.labels(describe_version(), SCHEMA_VERSION).set(1)
        if context.settings.mail_out is None and not context.settings.is_mailbox_shown:
            LOG.warning("letters stay on this machine, and no page shows them: see ALEXANDROS_MAIL_OUT")
        if roles == EVERY_ROLE:
            greeting = f"Alexandros is served at {context.settings.base_url}/"
        else:
            greeting = f"Alexandros at {context.settings.base_url}/ has here {', '.join(sorted(roles))}"
        _serve_until_interrupted(context, greeting, roles=roles)


@click.command(epilog=example("demo --port 8080"))
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
def demo(port: int) -> None:
    """Play against the bots Philip and Roxana in the browser. It needs no settings and stores nothing."""
    _load_service()
    from emails.terms import TurnTime
    from server.delivery.relay import choose_transport
    from server.delivery.sending import send_due_letters
    from server.lobby.games import NewGame, open_game
    from server.settings import Settings
    from server.store.context import open_context, utc_now
    from server.store.game_terms import USUAL_TERMS, SeatRequest

    with tempfile.TemporaryDirectory(prefix="alexandros-") as folder:
        database = f"sqlite:///{Path(folder) / 'demo.sqlite'}"
        settings = Settings.demo(database, f"127.0.0.1:{port}", make_secret())
        context = open_context(settings)
        seats = tuple(SeatRequest.read(seat) for seat in DEMO_SEATS)
        wanted = NewGame("Demo", seats, time=TurnTime.of_hours(24 * 14), terms=USUAL_TERMS)
        open_game(context, wanted, utc_now(), at_once=True)
        send_due_letters(context, choose_transport(context, utc_now), utc_now())  # fill the mailbox
        try:
            greeting = f"Your mailbox is at http://127.0.0.1:{port}/mailbox - press Ctrl+C to stop."
            _serve_until_interrupted(context, greeting, hint="; another one can be given with --port")
        finally:
            context.database.dispose()


def _load_service() -> None:
    # Garbage collection would take a fifth of the start-up time.
    gc.disable()
    try:
        import_module("server.app")
    finally:
        collect_garbage()


def _serve_until_interrupted(
    context: Context, greeting: str, hint: str = "", roles: Roles = EVERY_ROLE
) -> None:
    from server.app import PortUnavailable
    from server.app import serve as run_server

    try:
        run_server(context, lambda: click.echo(greeting), roles)
    except KeyboardInterrupt:
        return
    except PortUnavailable as error:
        raise CommandError(f"{error}{hint}") from None
