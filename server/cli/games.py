"""Commands for games: open, list, check, export and import."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emails import languages
from emails.terms import TURN_TIMES, AbsenceRule, Caretaker, JoinedBy, Tempo
from engine.editions import DEFAULT_EDITION, EDITIONS
from server.cli.console import CommandError, example, exit_with, opened_context, opened_file
from server.store.states import Channel

if TYPE_CHECKING:
    from engine.board import Board

LANGUAGES = sorted(file.parent.name for file in Path(str(languages.__file__)).parent.glob("*/language.toml"))


@click.command(epilog=example('new --name Friday --seat "Anna <anna@example.org>" --seat house:easy'))
@click.option("--name", required=True, help="The name of the game.")
@click.option(
    "--seat",
    "seats",
    multiple=True,
    required=True,
    help='"Anna <anna@example.org>", "open", or "house" with ":easy", ":steady", ":strong" or a name.',
)
@click.option("--edition", default=DEFAULT_EDITION.name, show_default=True, type=click.Choice(list(EDITIONS)))
@click.option(
    "--pace",
    default=Tempo.RELAXED.value,
    show_default=True,
    type=click.Choice([one.value for one in Tempo]),
    help="The time for turns: 2 days, 12 hours, 15 minutes or 5 minutes each, and a reserve.",
)
@click.option("--start", "at_once", is_flag=True, help="Start without waiting for the players to accept.")
@click.option(
    "--language", default="en", show_default=True, type=click.Choice(LANGUAGES), help="Letter language."
)
@click.option(
    "--join", type=click.Choice([JoinedBy.LINK.value, JoinedBy.ALL.value]), help="Who may take open seats."
)
@click.option("--watch", is_flag=True, help="Allow spectators without a seat.")
@click.option("--no-advice", is_flag=True, help="Forbid asking for advice on turns.")
@click.option("--note", default="", help="A line to the invited: 200 characters, no links or addresses.")
@click.option("--quiet-caretaker", is_flag=True, help="Let the caretaker play quiet turns for late players.")
@click.option(
    "--keep-seat",
    "absence",
    flag_value=AbsenceRule.SEAT.value,
    help="Let a caretaker take the seat of a late player.",
)
@click.option(
    "--each-turn",
    "absence",
    flag_value=AbsenceRule.ALWAYS.value,
    help="Let a caretaker play each late turn; the player keeps the seat.",
)
def new(
    name: str,
    seats: tuple[str, ...],
    edition: str,
    pace: str,
    at_once: bool,
    language: str,
    join: str | None,
    watch: bool,
    no_advice: bool,
    note: str,
    quiet_caretaker: bool,
    absence: str | None,
) -> None:
    """Open a game and invite its players. The last printed line is the game's id."""
    from server.lobby.games import NewGame, open_game
    from server.store.context import utc_now
    from server.store.game_terms import USUAL_TERMS, SeatRequest
    from server.store.server_facts import GameTerms

    with opened_context(making=True) as context:
        requests = tuple(replace(SeatRequest.read(seat), language=language) for seat in seats)
        caretaker = Caretaker.QUIET if quiet_caretaker else Caretaker.GENTLE
        terms = GameTerms(
            JoinedBy(join or ""),
            watch,
            caretaker=caretaker,
            advice=not no_advice,
            absence=USUAL_TERMS.absence if absence is None else AbsenceRule(absence),
        )
        wanted = NewGame(name, requests, edition, TURN_TIMES[Tempo(pace)], terms=terms, note=note)
        game = open_game(context, wanted, utc_now(), at_once=at_once)
    if any(request.open for request in requests):
        click.echo(f"Open seats are taken at {context.links.join_link(game)}")
    invited = sum(request.address is not None for request in requests)
    if not at_once and invited:
        people = "person" if invited == 1 else "people"
        click.echo(f"Invited {invited} {people}; it starts when all have accepted.")
    click.echo(game)


@click.command(epilog=example("games"))
def games() -> None:
    """List the games: id, status, turn, name, and the end of the turn or since when the game is halted.

    Unreadable games are marked in the list.
    """
    from server.admin.game_sheets import list_games
    from server.store.context import utc_now

    broken = 0
    with opened_context() as context:
        for game, line in list_games(context, utc_now()):
            broken += line is None
            click.echo(line or f"{game}  cannot be read: see `alexandros doctor`")
    sys.exit(1 if broken else 0)


@click.command(epilog=example("offer GAME 2"))
@click.argument("game")
@click.argument("number", required=False, type=click.IntRange(1, 4))
def offer(game: str, number: int | None) -> None:
    """List the seats of a game that anyone may take. With NUMBER (1 to 4), offer that seat before listing.

    The last printed line is a link by which anyone can take one of the offered seats.
    """
    from server.lobby.leaving import offer_seat, offered_seats
    from server.store.context import utc_now
    from server.store.models import Game

    with opened_context() as context:
        if number is not None:
            offer_seat(context, game, number - 1, Channel.OPERATOR, utc_now())
        with context.reading() as session:
            if session.get(Game, game) is None:
                raise CommandError(f"there is no game {game}; `alexandros find` looks for a part of its name")
            found = offered_seats(session, game)
        for one in found:
            click.echo(f"{one.seat + 1}  {one.name}")
        if found:
            click.echo(context.links.join_link(game))


@click.command(epilog=example("replay game.jsonl", "export abcd2345 | alexandros replay - --every"))
@click.argument("log")
@click.option("--board", "board_file", help="Use this board file, not the board that the log names.")
@click.option("--every", is_flag=True, help="Print the position after each event.")
@click.option("--legal", "with_legal", is_flag=True, help="Add every legal action.")
def replay(log: str, board_file: str | None, every: bool, with_legal: bool) -> None:
    """Check LOG (a path, or - for standard input) event by event, and print the final position."""
    from engine.event_log import InvalidLog, check_log, describe
    from server.store import load_boards

    board, position = None if board_file is None else _read_board(board_file), None
    try:
        with opened_file(log) as file:
            lines = (line.removesuffix(b"\n") for line in file)
            for _, position in check_log(lines, load_boards(), board):
                if every:
                    click.echo(json.dumps(describe(position, with_legal=with_legal)))
    except InvalidLog as error:
        exit_with(str(error))
    if position is not None and not every:
        click.echo(json.dumps(describe(position, with_legal=with_legal)))


def _read_board(path: str) -> Board:
    from engine.board import Board, InvalidBoard

    try:
        with opened_file(path) as file:
            return Board.read(file.read().decode("utf-8"))
    except UnicodeDecodeError:
        exit_with("board: the file is not UTF-8 text")
    except InvalidBoard as error:
        exit_with(f"board: {error}")


@click.command(epilog=example("verify game.jsonl --head 37-abcdefghijklmnopqrst"))
@click.argument("log")
@click.option("--head", "heads", multiple=True, help="A head that a letter quoted at its end; repeatable.")
def verify(log: str, heads: tuple[str, ...]) -> None:
    """Check that the log LOG of a finished game agrees with the checksums (heads) in its letters.

    A head is the number of a line of the log, with a digest of this line and all earlier ones. Without
    --head, the heads of all lines are printed, to compare with letters. `alexandros replay` checks LOG by
    the rules.
    """
    from engine.event_log import NoProof, read_proven_log

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
        click.echo(f"{head}: {fault or 'the log continues the log with this head'}", err=is_other)
    sys.exit(1 if faults else 0)


@click.command(epilog=example("export abcd2345 >game.jsonl"))
@click.argument("game")
def export(game: str) -> None:
    """Write the log of GAME to standard output, as JSON Lines."""
    from server.admin import backups

    with opened_context() as context:
        for line in backups.export_log(context, game):
            click.echo(line)


@click.command("import", epilog=example('import game.jsonl --seat "Anna <anna@example.org>" --seat house'))
@click.argument("file")
@click.option("--name", default="", help="The name of the imported game.")
@click.option(
    "--seat", "seats", multiple=True, help='The new player of the seat with this name: "Anna <...>".'
)
@click.option(
    "--pace",
    default=Tempo.RELAXED.value,
    show_default=True,
    type=click.Choice([one.value for one in Tempo]),
    help="The pace of the game once every seat is taken.",
)
def import_(file: str, name: str, seats: tuple[str, ...], pace: str) -> None:
    """Import the log FILE as a game. The last printed line is the game's id."""
    from server.admin import backups
    from server.store.context import utc_now
    from server.store.game_terms import SeatRequest

    with opened_context(making=True) as context:
        with opened_file(file) as log:
            record = backups.read_log(line.removesuffix(b"\n") for line in log)
        requests = [SeatRequest.read(seat) for seat in seats]
        time = TURN_TIMES[Tempo(pace)]
        click.echo(backups.import_log(context, record, utc_now(), name=name, requests=requests, time=time))
