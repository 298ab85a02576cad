"""The `alexandros` command; its subcommands have a file for each subject.

A subcommand imports what it needs when it runs, so that `--help` is fast.
"""

from __future__ import annotations

import gc
import io
import sys

import click

from server.cli import games, operator, service
from server.cli.console import example
from server.logs import write_masked_logs


def _print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from server.cli.console import describe_version

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
    gc.disable()  # nothing that is imported becomes garbage; `collect_garbage` ends this
    write_masked_logs()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names can have letters unknown to the terminal


for module in (games, operator, service):
    for command in vars(module).values():
        if isinstance(command, click.Command):
            main.add_command(command)
