"""Commands that change a game or a player for the operator: each is told to whom it concerns."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

import click

from server.commands.console import CommandError, example, opened_context, tell

if TYPE_CHECKING:
    from server.store.context import Context


@click.command(epilog=example("pause abcd2345"))
@click.argument("game")
def pause(game: str) -> None:
    """Let no time run in GAME until it is resumed, for 30 days at most; turns can be played all the same."""
    from server.admin.interventions import pause_game

    _change_game(lambda context, now: pause_game(context, game, now))


@click.command(epilog=example("resume abcd2345"))
@click.argument("game")
def resume(game: str) -> None:
    """Let time run again in GAME, whoever has paused it; what `suspend` halts goes on with its --lift."""
    from server.admin.interventions import resume_game

    _change_game(lambda context, now: resume_game(context, game, now))


@click.command(epilog=example("extend abcd2345 24"))
@click.argument("game")
@click.argument("hours", type=int)
def extend(game: str, hours: int) -> None:
    """Give whoever is to move in GAME so many HOURS more for this turn."""
    from server.admin.interventions import extend_turn

    _change_game(lambda context, now: extend_turn(context, game, hours, now))


@click.command(epilog=example("replace abcd2345 2 ben@example.org"))
@click.argument("game")
@click.argument("seat", type=click.IntRange(1, 4))
@click.argument("address")
def replace(game: str, seat: int, address: str) -> None:
    """Let the player with ADDRESS play on for SEAT of GAME, from 1, with its hand, from here.

    They must have answered a mail of this server before. Whoever had the seat is told, and reads it no more.
    Somebody who is new takes a seat by its link: see `alexandros offer`.
    """
    from server.admin.interventions import replace_player

    _change_game(lambda context, now: replace_player(context, game, seat - 1, address, now))


@click.command(epilog=example("address ben@example.org ben@example.net"))
@click.argument("address")
@click.argument("new")
def address(address: str, new: str) -> None:
    """Ask the address NEW whether it is that of the player with ADDRESS, who has lost the old one.

    Letters go to NEW once it has said yes; be sure before that it is theirs, for whoever reads it can play
    for them. The old address need not agree. It is told then, and can take the player back for thirty days.
    """
    from server.admin.interventions import ask_new_address

    _change_game(lambda context, now: ask_new_address(context, address, new, now))


def _change_game(work: Callable[[Context, datetime], str]) -> None:
    """Do one thing, and say what was done; what cannot be done is a sentence."""
    from server.store.context import utc_now
    from server.store.refusals import Refusal

    with opened_context() as context:
        try:
            told = work(context, utc_now().replace(microsecond=0))
        except Refusal as error:
            raise CommandError(str(error)) from None
    tell(told)
