"""Commands about what is stored: work out anew, check."""

from __future__ import annotations

import sys

import click

from server.commands.console import example, opened_context


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
