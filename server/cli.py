"""The `alexandros` command: its parts put together."""

from __future__ import annotations

import io
import sys

import click

from server.commands import (
    abuse_commands,
    check_commands,
    database_commands,
    desk_commands,
    game_commands,
    log_commands,
    mail_commands,
    privacy_commands,
    secret_commands,
    service,
    table_commands,
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
    desk_commands.find,
    desk_commands.why,
    desk_commands.show,
    table_commands.pause,
    table_commands.resume,
    table_commands.extend,
    table_commands.replace,
    table_commands.address,
    log_commands.replay,
    log_commands.verify,
    log_commands.export,
    log_commands.import_,
    mail_commands.receive,
    mail_commands.letters,
    mail_commands.retry,
    mail_commands.resend,
    mail_commands.failing,
    mail_commands.understood,
    abuse_commands.ban,
    abuse_commands.allow,
    privacy_commands.data,
    privacy_commands.forget,
    abuse_commands.suspend,
    database_commands.migrate,
    database_commands.backup,
    database_commands.restore,
    database_commands.rebuild,
    database_commands.doctor,
    check_commands.check,
    database_commands.prune,
):
    main.add_command(command)
