"""Games opened by each of the ways in, and who sits in them then."""

from __future__ import annotations

import json
from collections.abc import Sequence

from click.testing import Result

from server.store.context import Context
from server.store.models import Game, Seating
from tests.bots import adapter
from tests.server.desk import PEOPLE, names_of, rows_of, type_in

Seats = dict[str, bool]
"""Who sits in a game, and whether the server plays them."""


def by_command(context: Context, *seats: str, start: bool = True) -> Result:
    """`alexandros new` with these seats; the last line printed is the game's id."""
    asked = [word for seat in seats for word in ("--seat", seat)]
    return type_in(context, "new", "--name", "Friday", *asked, *(["--start"] if start else []))


def game_of(said: Result) -> str:
    assert said.exit_code == 0, said.output
    return said.output.split()[-1]


def seats_of(context: Context, game: str) -> Seats:
    return {one.name: one.house for one in rows_of(context, Seating, Seating.game == game)}


def games_of(context: Context) -> list[str]:
    return rows_of(context, Game.id)


def strengths_in(seats: Seats) -> list[str]:
    """How well each seat of the house plays, in the order of the alphabet; its name tells."""
    return sorted(adapter.NAMES.get(name, f"unknown: {name}") for name, house in seats.items() if house)


def check_seats(seats: Seats, people: Sequence[str], bots: Sequence[str]) -> None:
    """Make sure who sits in a game: these people, and players of the house by these strengths or names."""
    assert sorted(name for name, house in seats.items() if not house) == sorted(people)
    assert strengths_in(seats) == sorted(adapter.NAMES.get(one, one) for one in bots), seats
    assert {one for one in bots if one in adapter.NAMES} <= seats.keys()
    folded = [name.casefold() for name in seats]
    assert len(folded) == len({*folded}), seats


def check_game(context: Context, game: str, people: Sequence[str], bots: Sequence[str]) -> None:
    """The same of a game, and that its log tells the same names."""
    seats = seats_of(context, game)
    check_seats(seats, people, bots)
    assert names_of(context, game) == tuple(seats)


def written(name: str, called: str = "") -> str:
    """A person as a seat is written, called otherwise or as they are."""
    assert name in PEOPLE
    return f"{called or name} <{name.lower()}@example.org>"


def renamed(lines: str, names: Sequence[str]) -> str:
    """A log in which the seats are called otherwise."""
    events = [json.loads(line) for line in lines.splitlines()]
    [dealt] = [event for event in events if event["type"] == "game_started"]
    assert len(dealt["seats"]) == len(names)
    dealt["seats"] = list(names)
    return "\n".join(map(json.dumps, events))
