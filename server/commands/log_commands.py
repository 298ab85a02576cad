"""Commands about a game's log as a file: check it, verify its heads, write it, take it in."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, BinaryIO

import click

from emails.terms import TURN_TIMES, Tempo
from server.commands.console import CommandError, example, exit_with, opened_context, opened_file

if TYPE_CHECKING:
    from engine.board import Board


@click.command(epilog=example("replay game.jsonl", "export abcd2345 | alexandros replay - --every"))
@click.argument("log")
@click.option("--board", "board_file", help="Use this board file, whatever the log names.")
@click.option("--every", is_flag=True, help="Print the position after each event.")
@click.option("--legal", "with_legal", is_flag=True, help="Add every legal action.")
def replay(log: str, board_file: str | None, every: bool, with_legal: bool) -> None:
    """Check LOG (a path, or - for standard input) event by event and print the position it ends in."""
    board = None if board_file is None else _read_board(board_file)
    with opened_file(log) as file:
        _print_replay(file, board, every, with_legal)


def _read_board(path: str) -> Board:
    from engine.board import Board, InvalidBoard

    try:
        with opened_file(path) as file:
            return Board.read(file.read().decode("utf-8"))
    except UnicodeDecodeError:
        exit_with("board: the file is not UTF-8 text")
    except InvalidBoard as error:
        exit_with(f"board: {error}")


def _print_replay(log: BinaryIO, board: Board | None, every: bool, with_legal: bool) -> None:
    from engine.logfile import InvalidLog, check_log
    from engine.position_json import describe
    from server.store.boards import load_boards

    position = None
    try:
        for _, position in check_log((line.removesuffix(b"\n") for line in log), load_boards(), board):
            if every:
                click.echo(json.dumps(describe(position, with_legal=with_legal)))
    except InvalidLog as error:
        exit_with(str(error))
    if position is not None and not every:
        click.echo(json.dumps(describe(position, with_legal=with_legal)))


@click.command(epilog=example("verify game.jsonl --head 37-abcdefghijklmnopqrst"))
@click.argument("log")
@click.option("--head", "heads", multiple=True, help="What a letter said at its end; may be given often.")
def verify(log: str, heads: tuple[str, ...]) -> None:
    """Check that LOG, of a game that is over, is the one of whose beginnings letters have told heads.

    Without any it prints the head after each line, to be compared with letters. Whether what happened was by
    the rules `alexandros replay` tells.
    """
    from engine.seal.hash_chain import NoProof, read_proven_log

    try:
        with opened_file(log) as file:
            proven = read_proven_log(line.removesuffix(b"\n") for line in file)
    except NoProof as error:
        exit_with(f"{log}: {error}")
    for link in () if heads else proven.links:
        click.echo(link.head(proven.key))
    faults = 0 if proven.is_ended else 1
    if faults:
        click.echo(f"{log}: its last line does not end the game, so lines are missing", err=True)
    for head in heads:
        fault = proven.find_fault(head)
        is_other = fault is not None
        faults += is_other
        click.echo(f"{head}: {fault or 'the log is the one of which the letter told'}", err=is_other)
    sys.exit(1 if faults else 0)


@click.command(epilog=example("export abcd2345 >game.jsonl"))
@click.argument("game")
def export(game: str) -> None:
    """Write the log of GAME to standard output, as JSON Lines."""
    from server.admin import archive

    with opened_context() as context:
        for line in archive.export_log(context, game):
            click.echo(line)


@click.command("import", epilog=example('import game.jsonl --seat "Anna <anna@example.org>" --seat house'))
@click.argument("file")
@click.option("--name", default="", help="What the game is called here.")
@click.option(
    "--seat", "seats", multiple=True, help='Who plays a seat of that name from now on: "Anna <...>".'
)
@click.option(
    "--pace",
    default=Tempo.RELAXED.value,
    show_default=True,
    type=click.Choice([one.value for one in Tempo]),
    help="How fast it goes on, once every seat is taken.",
)
def import_(file: str, name: str, seats: tuple[str, ...], pace: str) -> None:
    """Take in a log as a game; the last line printed is the game's id."""
    from engine.logfile import InvalidLog
    from server.admin import archive
    from server.store.context import utc_now
    from server.store.seats import SeatRequest

    with opened_context(making=True) as context:
        try:
            with opened_file(file) as log:
                record = archive.read_log(line.removesuffix(b"\n") for line in log)
        except InvalidLog as error:
            raise CommandError(str(error)) from None
        requests = [SeatRequest.read(seat) for seat in seats]
        time = TURN_TIMES[Tempo(pace)]
        click.echo(archive.import_log(context, record, utc_now(), name=name, requests=requests, time=time))
