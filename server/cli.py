"""The `alexandros` command: what an operator, an organiser and a newcomer type."""

from __future__ import annotations

import io
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import click
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import select

from emails.gallery import letter_files
from emails.i18n import LANGUAGES
from engine.board import Board, InvalidBoard
from engine.describe import describe
from engine.editions import EDITIONS
from engine.logfile import InvalidLog, check_log
from server.accounts.undeliverable import list_bouncing_addresses
from server.admin import archive
from server.admin.doctor import examine_stored_acts
from server.app import PortUnavailable, utc_now
from server.app import serve as run_server
from server.delivery import outgoing
from server.inbox import incoming, intake
from server.lobby.games import open_game
from server.settings import Settings, SettingsError
from server.store import projection
from server.store.boards import load_boards
from server.store.context import Context, open_context
from server.store.event_log import CorruptLog
from server.store.game_terms import GameTerms, JoinedBy
from server.store.models import Game
from server.store.seats import GameNotOpened, SeatRequest

EXIT_BAD_INPUT = 2
"""The exit status when what was given cannot be used."""
EXIT_TRY_LATER = 75
"""The exit status that tells a mail server to try again later (EX_TEMPFAIL of sysexits.h)."""
EXIT_NO_SUCH_USER = 67
"""The exit status that tells it there is no such address (EX_NOUSER)."""


class Sorry(click.ClickException):
    """Something that cannot be done, as a sentence for whoever typed it."""

    exit_code = EXIT_BAD_INPUT

    def show(self, file: object = None) -> None:
        """Print the sentence alone."""
        click.echo(f"alexandros: {self.message}", err=True)


@click.group()
def main() -> None:
    """Alexandros by mail: a play-by-email server for the board game by Leo Colovini."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names can have letters that a terminal has not


@contextmanager
def _opened_context() -> Iterator[Context]:
    """The office that the settings describe; whatever is wrong becomes one sentence."""
    try:
        context = open_context(Settings.read(os.environ))
        yield context
    except (SettingsError, GameNotOpened, CorruptLog) as error:
        raise Sorry(str(error)) from None
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise Sorry(f"the database (ALEXANDROS_DATABASE) cannot be used: {reason}") from None


@main.command()
@click.argument("log")
@click.option("--board", "board_file", help="Use this board file, whatever the log names.")
@click.option("--every", is_flag=True, help="Print the position after each event.")
@click.option("--legal", "with_legal", is_flag=True, help="Add every legal action.")
def replay(log: str, board_file: str | None, every: bool, with_legal: bool) -> None:
    """Check LOG (a path, or - for standard input) event by event and print the position it ends in."""
    board = None
    if board_file is not None:
        try:
            with _opened_file(board_file) as file:
                board = Board.read(file.read().decode("utf-8"))
        except UnicodeDecodeError:
            _fail("board: the file is not UTF-8 text")
        except InvalidBoard as error:
            _fail(f"board: {error}")
    with _opened_file(log) as file:
        _print_replay(file, board, every, with_legal)


@contextmanager
def _opened_file(path: str) -> Iterator[BinaryIO]:
    """A file that somebody named; - is standard input."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        read = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Sorry(f"{path} cannot be read: {reason}") from None
    yield io.BytesIO(read)


def _print_replay(log: BinaryIO, board: Board | None, every: bool, with_legal: bool) -> None:
    position = None
    try:
        for _, position in check_log((line.removesuffix(b"\n") for line in log), load_boards(), board):
            if every:
                click.echo(json.dumps(describe(position, with_legal=with_legal)))
    except InvalidLog as error:
        _fail(str(error))
    if position is not None and not every:
        click.echo(json.dumps(describe(position, with_legal=with_legal)))


def _fail(sentence: str) -> None:
    """End with one line and the status for what is wrong."""
    click.echo(" ".join(sentence.split()), err=True)
    sys.exit(EXIT_BAD_INPUT)


@main.command()
@click.option("--name", required=True, help="What the game is called.")
@click.option(
    "--seat", "seats", multiple=True, required=True, help='"Anna <anna@example.org>", "house" or "open".'
)
@click.option("--edition", default="rio-grande", show_default=True, type=click.Choice(list(EDITIONS)))
@click.option("--hours", default=48, show_default=True, help="Time for a turn.")
@click.option("--start", "at_once", is_flag=True, help="Start without waiting for anybody to accept.")
@click.option(
    "--language", default="en", show_default=True, type=click.Choice(list(LANGUAGES)), help="Of the letters."
)
@click.option("--join", type=click.Choice(["link", "all"]), help="Who may take open seats.")
@click.option("--watch", is_flag=True, help="Let anybody watch the game.")
def new(
    name: str,
    seats: tuple[str, ...],
    edition: str,
    hours: int,
    at_once: bool,
    language: str,
    join: JoinedBy | None,
    watch: bool,
) -> None:
    """Open a game and invite its players; the last line printed is the game's id."""
    with _opened_context() as context:
        wishes = [replace(SeatRequest.read(seat), language=language) for seat in seats]
        terms = GameTerms(join or "", watch)
        game = open_game(
            context, name, wishes, utc_now(), edition=edition, hours=hours, at_once=at_once, terms=terms
        )
    if any(wish.open for wish in wishes):
        click.echo(f"Open seats are taken at {context.post.join_link(game)}")
    invited = sum(wish.address is not None for wish in wishes)
    if not at_once and invited:
        click.echo(
            f"Invited {invited} {'person' if invited == 1 else 'people'}; it starts when all have accepted."
        )
    click.echo(game)


@main.command()
@click.argument("game")
def export(game: str) -> None:
    """Write the log of GAME to standard output, as JSON Lines."""
    with _opened_context() as context:
        for line in archive.export_log(context, game):
            click.echo(line)


@main.command("import")
@click.argument("file")
@click.option("--name", default="", help="What the game is called here.")
@click.option(
    "--seat", "seats", multiple=True, help='Who plays a seat of that name from now on: "Anna <...>".'
)
@click.option("--hours", default=48, show_default=True, help="Time for a turn, once every seat is taken.")
def import_(file: str, name: str, seats: tuple[str, ...], hours: int) -> None:
    """Take in a log as a game; the last line printed is the game's id."""
    with _opened_context() as context:
        try:
            with _opened_file(file) as log:
                record = archive.read_log(line.removesuffix(b"\n") for line in log)
        except InvalidLog as error:
            raise Sorry(str(error)) from None
        wishes = [SeatRequest.read(seat) for seat in seats]
        click.echo(archive.import_log(context, record, utc_now(), name=name, wishes=wishes, hours=hours))


@main.command()
@click.option(
    "--to", "recipient", default="", help="The envelope recipient; else the mail's own headers tell."
)
@click.option("--from", "sender", default=None, help="The envelope sender; else Return-Path or From tells.")
def receive(recipient: str, sender: str | None) -> None:
    """Take in a mail on standard input, as from a mail server's pipe, and answer it."""
    try:
        raw = sys.stdin.buffer.read(intake.MOST_BYTES_KEPT)
        while sys.stdin.buffer.read(intake.MOST_BYTES_KEPT):
            pass  # a mail server may take it ill that nobody hears it out
        with _opened_context() as context:
            addresses = intake.find_recipients(raw, recipient, context.settings.mail_domain)
            for address in addresses:
                intake.store_mail(context, intake.find_envelope_sender(raw, sender), address, raw, utc_now())
    except Sorry as error:
        error.show()
        sys.exit(EXIT_TRY_LATER)
    except Exception as error:  # with any other status the mail server would send the mail back
        click.echo(f"alexandros: the mail cannot be stored now: {type(error).__name__}", err=True)
        sys.exit(EXIT_TRY_LATER)
    if not addresses:
        click.echo("alexandros: the mail names no address of ours; --to gives the envelope's", err=True)
        sys.exit(EXIT_NO_SUCH_USER)
    with suppress(Exception):  # it is stored; what is not done now is done by the server that runs
        incoming.process_waiting_mail(context, utc_now())
        outgoing.send_due_letters(context, outgoing.choose_transport(context, utc_now), utc_now())


@main.command()
def games() -> None:
    """List the games: id, status, turn, whose it is and until when."""
    with _opened_context() as context, context.reading() as session:
        for game in session.exec(select(Game).order_by(Game.opened_at)):  # type: ignore[arg-type]
            until = "" if game.deadline is None else f"until {game.deadline:%Y-%m-%d %H:%M} UTC"
            click.echo(f"{game.id}  {game.status:8}  turn {game.turn:3}  {game.name}  {until}".rstrip())


@main.command()
def failing() -> None:
    """List the addresses from which letters come back: since when, of whom, in which games, and why."""
    with _opened_context() as context, context.reading() as session:
        for one in list_bouncing_addresses(session):
            since = f"since {one.since:%Y-%m-%d %H:%M} UTC"
            click.echo(f"{one.address}  {since}  {', '.join(one.games)}  {one.why}".rstrip())


@main.command()
def rebuild() -> None:
    """Work out the list of games anew from their acts."""
    with _opened_context() as context:
        click.echo(f"{projection.rebuild(context)} games rebuilt")


@main.command()
def doctor() -> None:
    """Judge every stored act again by today's rules and tell what differs; nothing is changed."""
    with _opened_context() as context:
        found = list(examine_stored_acts(context))
    for sentence in found:
        click.echo(sentence)
    click.echo(f"{len(found)} findings" if found else "All is well.")
    sys.exit(1 if found else 0)


@main.command()
@click.argument("folder")
def letters(folder: str) -> None:
    """Write every kind of letter, in every language, into FOLDER: mail, text, HTML and pictures."""
    if not folder.strip():
        raise Sorry("the folder for the letters needs a name")
    place = Path(folder)
    written = 0
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, data in letter_files.render_files(load_boards()["Alexandros"]):
            (place / name).write_bytes(data)
            written += 1
    except FileExistsError:
        raise Sorry(f"{folder} cannot be written: there is a file of that name") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Sorry(f"{getattr(error, 'filename', None) or folder} cannot be written: {reason}") from None
    click.echo(f"{written} files written to {folder}")


@main.command()
def serve() -> None:
    """Serve the games: settings from config/settings.toml, then from the environment (ALEXANDROS_...)."""
    with _opened_context() as context:
        if context.settings.mail_out is None and not context.settings.is_mailbox_shown:
            click.echo("Letters are kept, and nobody can read them: see ALEXANDROS_MAIL_OUT.", err=True)
        _serve_until_interrupted(context, f"Alexandros is served at {context.settings.base_url}/")


@main.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
def demo(port: int) -> None:
    """Play against two house players in the browser: no settings, nothing kept."""
    with tempfile.TemporaryDirectory(prefix="alexandros-") as folder:
        settings = Settings.demo(
            f"sqlite:///{Path(folder) / 'demo.sqlite'}", f"127.0.0.1:{port}", secrets.token_hex(16)
        )
        context = open_context(settings)
        wishes = [SeatRequest("Anna", "anna@example.org"), SeatRequest("", None), SeatRequest("", None)]
        open_game(context, "Demo", wishes, utc_now(), hours=24 * 14, at_once=True)
        try:
            greeting = f"Your mailbox is at http://127.0.0.1:{port}/mailbox - press Ctrl+C to stop."
            _serve_until_interrupted(context, greeting, hint="; another one can be given with --port")
        finally:
            context.database.dispose()


def _serve_until_interrupted(context: Context, greeting: str, hint: str = "") -> None:
    try:
        run_server(context, lambda: click.echo(greeting))
    except KeyboardInterrupt:
        return
    except PortUnavailable as error:
        raise Sorry(f"{error}{hint}") from None
