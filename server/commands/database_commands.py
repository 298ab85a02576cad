"""Commands about what is stored: migrate, work out anew, check."""

from __future__ import annotations

import sys

import click

from server.commands.console import example, opened_context, read_settings

TOLD_EVERY = 1000
"""After how many games it is told how far the doctor has come."""


@click.command(epilog=example("migrate"))
def migrate() -> None:
    """Bring the database to the version that this program needs.

    Stop the server and copy the database before. Whatever goes wrong, the database stays as it was.
    """
    from server.store.database import SCHEMA_VERSION
    from server.store.migrations.upgrade import upgrade_database

    waiting = "Another process has the database open; waiting for it to end."
    with read_settings() as settings:
        found = upgrade_database(settings.database, lambda: click.echo(waiting, err=True))
    if found is None:
        click.echo(f"The database is new and was made at version {SCHEMA_VERSION}.")
    elif found == SCHEMA_VERSION:
        click.echo(f"The database has version {found}: nothing to do.")
    else:
        click.echo(f"The database was migrated from version {found} to {SCHEMA_VERSION}.")


@click.command(epilog=example("rebuild"))
def rebuild() -> None:
    """Work out the list of games anew from their acts; a game that cannot be read is named and left alone."""
    from server.store.projection import rebuild_games

    done = broken = 0
    with opened_context() as context:
        for game, why in rebuild_games(context):
            done, broken = done + (not why), broken + bool(why)
            if why:
                click.echo(f"game {game} stays as it is: {why}")
    click.echo(f"{done} games rebuilt" + (f", {broken} not" if broken else ""))
    sys.exit(1 if broken else 0)


@click.command(epilog=example("doctor", "doctor --after abcd2345", "doctor --after g --until m"))
@click.option("--after", default="", help="Only games whose ids come after this one, to go on behind it.")
@click.option("--until", default="", help="Only games whose ids come before this one, and itself.")
def doctor(after: str, until: str) -> None:
    """Judge every stored act again by today's rules and tell what differs; nothing is changed.

    First comes what waits for too long and what was set aside. Games are read in the order of their ids. How
    far it has come is told now and then, so that it can be broken off, and go on with --after another time.
    """
    from server.admin.backlog import describe_backlog
    from server.admin.doctor import examine_games
    from server.store.context import utc_now

    findings = 0
    with opened_context() as context:
        for sentence in () if after or until else describe_backlog(context, utc_now()):
            click.echo(sentence)
            findings += 1
        for number, found in enumerate(examine_games(context, after, until), 1):
            for sentence in found.sentences:
                click.echo(sentence)
            findings += len(found.sentences)
            if number % TOLD_EVERY == 0:
                click.echo(f"{number} games were read, the last of them {found.game}.", err=True)
    click.echo(f"{findings} findings" if findings else "All is well.")
    sys.exit(1 if findings else 0)
