"""Commands about what is stored: migrate, work out anew, check."""

from __future__ import annotations

import sys

import click

from server.commands.console import example, opened_context, read_settings


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
    """Work out the list of games anew from their acts."""
    from server.store import projection

    with opened_context() as context:
        click.echo(f"{projection.rebuild(context)} games rebuilt")


@click.command(epilog=example("doctor"))
def doctor() -> None:
    """Judge every stored act again by today's rules and tell what differs; nothing is changed."""
    from server.admin.doctor import examine_stored_acts

    with opened_context() as context:
        found = list(examine_stored_acts(context))
    for sentence in found:
        click.echo(sentence)
    click.echo(f"{len(found)} findings" if found else "All is well.")
    sys.exit(1 if found else 0)
