"""What the commands share: files, the settings' context, and refusals as one sentence."""

from __future__ import annotations

import io
import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import click

if TYPE_CHECKING:
    from server.configuration.settings import Settings
    from server.store.context import Context

EXIT_BAD_INPUT = 2
"""The exit status when what was given cannot be used."""

LINE = 79
"""Columns of a line, so that a terminal of 80 breaks none."""


class CommandError(click.ClickException):
    """An error of a command: what cannot be done, as a sentence for whoever typed it."""

    exit_code = EXIT_BAD_INPUT

    def show(self, file: object = None) -> None:
        """Print the sentence alone."""
        click.echo(f"alexandros: {self.message}", err=True)


def example(*lines: str) -> str:
    """The end of a command's help: how it is typed, each line without the name of the program."""
    return "\n".join(["\b", "Example:", *(f"  alexandros {line}" for line in lines)])


def tell(line: str) -> None:
    """Print a line as a terminal of 80 columns shows it; what is too long goes on below, further in."""
    for part in textwrap.wrap(line, LINE, subsequent_indent="    ", break_long_words=False) or [""]:
        click.echo(part)


def exit_with(sentence: str) -> NoReturn:
    """End with one line and the status for bad input."""
    click.echo(" ".join(sentence.split()), err=True)
    sys.exit(EXIT_BAD_INPUT)


@contextmanager
def opened_context(*, making: bool = False) -> Iterator[Context]:
    """The context that the settings describe; whatever is wrong becomes one sentence.

    That no database is there is wrong too, for a path is soon mistyped; `making`: then one is made.
    """
    from server.store.context import open_context

    with read_settings() as settings:
        context = open_context(settings, making=making)
        try:
            yield context
        finally:
            context.database.dispose()


@contextmanager
def read_settings() -> Iterator[Settings]:
    """The settings; whatever is wrong with them or with the database becomes one sentence."""
    from sqlalchemy.exc import SQLAlchemyError

    from server.configuration.settings import Settings, SettingsError
    from server.store.database import describe_database_error
    from server.store.dialects.systems import DatabaseInUse, SchemaMismatch
    from server.store.event_log import CorruptLog
    from server.store.refusals import Refusal

    try:
        settings = Settings.read(os.environ)
        try:
            yield settings
        except SQLAlchemyError as error:
            reason = describe_database_error(error, settings.database)
            raise CommandError(f"the database (ALEXANDROS_DATABASE) cannot be used: {reason}") from None
    except (SettingsError, SchemaMismatch, DatabaseInUse, Refusal, CorruptLog) as error:
        raise CommandError(str(error)) from None


@contextmanager
def opened_file(path: str) -> Iterator[BinaryIO]:
    """A file that somebody named; - is standard input."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        read = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(f"{path} cannot be read: {reason}") from None
    yield io.BytesIO(read)
