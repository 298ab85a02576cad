"""Commands about the secret that seals every link: make one."""

from __future__ import annotations

import click

from server.commands.console import example
from server.configuration.secret import make_secret


@click.command(epilog=example("secret >secret.txt"))
def secret() -> None:
    """Print a new secret that nobody can guess, for the settings."""
    click.echo(make_secret())
