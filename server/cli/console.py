"""Helpers of the commands: open files and the database, print errors as sentences, find the version."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import click

if TYPE_CHECKING:
    from server.settings import Settings
    from server.store.context import Context

EXIT_BAD_INPUT = 2

LINE = 79
"""Maximum characters of a printed line, for terminals of 80 columns."""


class CommandError(click.ClickException):
    """An error of a command, printed as a sentence to standard error."""

    exit_code = EXIT_BAD_INPUT

    def show(self, file: object = None) -> None:
        click.echo(f"alexandros: {self.message}", err=True)


def example(*lines: str) -> str:
    """Return the end of a help text with example commands; `lines` omit the program's name."""
    return "\n".join(["\b", "Example:", *(f"  alexandros {line}" for line in lines)])


def print_wrapped(line: str) -> None:
    for part in textwrap.wrap(line, LINE, subsequent_indent="    ", break_long_words=False) or [""]:
        click.echo(part)


def exit_with(sentence: str) -> NoReturn:
    click.echo(" ".join(sentence.split()), err=True)
    sys.exit(EXIT_BAD_INPUT)


@contextmanager
def opened_context(*, making: bool = False) -> Iterator[Context]:
    """Yield a context for the configured database; convert errors to `CommandError`.

    A missing database is an error, since paths are easily mistyped; with `making` it is created.
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
    """As a context manager, yield the settings; convert settings and database errors to `CommandError`."""
    from sqlalchemy.exc import SQLAlchemyError

    from engine.event_log import InvalidLog
    from server.settings import Settings, SettingsError
    from server.store.database import describe_database_error
    from server.store.dialects import BackupRefused, DatabaseInUse, SchemaMismatch
    from server.store.event_log import CorruptLog, Refusal

    collect_garbage()
    try:
        settings = Settings.read(os.environ)
        try:
            yield settings
        except SQLAlchemyError as error:
            reason = describe_database_error(error, settings.database)
            raise CommandError(f"the database (ALEXANDROS_DATABASE) cannot be used: {reason}") from None
    except (SettingsError, SchemaMismatch, DatabaseInUse, BackupRefused) as error:
        raise CommandError(str(error)) from None
    except (Refusal, CorruptLog, InvalidLog) as error:
        raise CommandError(str(error)) from None


def collect_garbage() -> None:
    """Let Python search for garbage again, but not among what is imported by now."""
    gc.freeze()
    gc.enable()


@contextmanager
def opened_file(path: str) -> Iterator[BinaryIO]:
    collect_garbage()
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        read = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(f"{path} cannot be read: {reason}") from None
    yield io.BytesIO(read)


# --- the version ----------------------------------------------------------------------------------------

PACKAGE = "alexandros-by-mail"
HOME = Path(__file__).parents[2]
"""The checkout, or the installed folder `alexandros_by_mail`."""
COMMIT_FILE = "commit"
"""Name of the file with the commit, which .ci/build_hook.py writes into the wheel."""
UNKNOWN = "unknown commit"


def describe_version() -> str:
    """Return the version and the commit, such as "0.2.0, commit 1db8ca0"."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version(PACKAGE)
    except PackageNotFoundError:
        number = "unknown version"  # run from a checkout that is not installed
    written = HOME / COMMIT_FILE
    commit = _commit_of_checkout() or (written.read_text("utf-8").strip() if written.exists() else "")
    return f"{number}, {f'commit {commit[:12]}' if commit else UNKNOWN}"


def _commit_of_checkout() -> str:
    if not (HOME / ".git").exists():
        return ""
    try:
        git = ["git", "-C", str(HOME), "rev-parse", "HEAD"]
        return subprocess.run(git, check=True, capture_output=True, text=True, timeout=5).stdout.strip()
    except (OSError, subprocess.SubprocessError):  # no git, or it does not trust the folder
        return ""
