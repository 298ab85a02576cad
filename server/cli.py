"""The `alexandros` command: its parts put together."""

from __future__ import annotations

import io
import sys

import click

from server.commands import (
    abuse_commands,
    database_commands,
    game_commands,
    log_commands,
    mail_commands,
    privacy_commands,
    secret_commands,
    service,
)
from server.commands.console import example
from server.logs import write_masked_logs


def _print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from server.commands.version import describe_version

        click.echo(f"alexandros {describe_version()}")
        context.exit()


@click.group(epilog=example("demo", "replay --help"))
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and the commit, and exit.",
)
def main() -> None:
    """Alexandros by mail: a play-by-email server for the board game by Leo Colovini."""
    write_masked_logs()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names can have letters that a terminal has not


for command in (
    service.demo,
    service.serve,
    secret_commands.secret,
    game_commands.new,
    game_commands.games,
    game_commands.offer,
    log_commands.replay,
    log_commands.export,
    log_commands.import_,
    mail_commands.receive,
    mail_commands.letters,
    mail_commands.failing,
    mail_commands.understood,
    abuse_commands.ban,
    abuse_commands.allow,
    privacy_commands.data,
    privacy_commands.forget,
    abuse_commands.suspend,
    database_commands.migrate,
    database_commands.rebuild,
    database_commands.doctor,
):
    main.add_command(command)
