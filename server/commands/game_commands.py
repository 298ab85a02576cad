"""Commands about games: open one, list them."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from emails.languages.supported_languages import LANGUAGES
from emails.terms import TURN_TIMES, AbsenceRule, Caretaker, JoinedBy, Tempo
from engine.editions import DEFAULT_EDITION, EDITIONS
from server.commands.console import CommandError, example, opened_context
from server.store.states import Channel


@click.command(epilog=example('new --name Friday --seat "Anna <anna@example.org>" --seat house:easy'))
@click.option("--name", required=True, help="What the game is called.")
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
@click.option("--start", "at_once", is_flag=True, help="Start without waiting for anybody to accept.")
@click.option(
    "--language", default="en", show_default=True, type=click.Choice(list(LANGUAGES)), help="Of the letters."
)
@click.option(
    "--join", type=click.Choice([JoinedBy.LINK.value, JoinedBy.ALL.value]), help="Who may take open seats."
)
@click.option("--watch", is_flag=True, help="Let anybody watch the game.")
@click.option("--no-advice", is_flag=True, help="Let nobody ask for good turns.")
@click.option("--note", default="", help="A line to whom you invite: 200 characters, no links, no addresses.")
@click.option("--quiet-caretaker", is_flag=True, help="Let whoever is late be played for by quiet turns.")
@click.option(
    "--keep-seat",
    "absence",
    flag_value=AbsenceRule.SEAT.value,
    help="Let a caretaker keep the seat of whoever is late.",
)
@click.option(
    "--each-turn",
    "absence",
    flag_value=AbsenceRule.ALWAYS.value,
    help="Let a caretaker play each turn of whoever is late, and the seat stay theirs.",
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
    """Open a game and invite its players; the last line printed is the game's id."""
    from server.lobby.games import open_game
    from server.lobby.new_games import NewGame
    from server.store.context import utc_now
    from server.store.facts.server_facts import GameTerms
    from server.store.game_terms import USUAL_TERMS
    from server.store.seats import SeatRequest

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
    """List the games: id, status, turn, name, until when the turn lasts or since when it stands.

    One that cannot be read is named, and the others are listed all the same.
    """
    from server.admin.search import list_games
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
    """List the seats of a game that are offered; with a number, from 1, look for somebody for that seat.

    The last line printed is the link by which such a seat is taken.
    """
    from server.lobby.substitutes import offer_seat, offered_seats
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
