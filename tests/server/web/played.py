"""Games that the house has played for everybody, and who may look at them, for tests of pages about games."""

from __future__ import annotations

from engine.bots import play_to_win
from engine.notation.orders import write
from engine.position import Phase, Position, View, view
from engine.provinces import find_sieges
from server.web.game.preview import Conquest, build_conquest
from tests.server.beginnings import begin_once
from tests.server.desk import NOON, Collector, let_watch, play, start_game
from tests.server.web.site import Site


def position_of(place: Site, game: str) -> Position:
    found = place.history(game).position
    assert found is not None
    return found


def move(place: Site, game: str) -> None:
    """Let the house make one decision for whose turn it is."""
    position = position_of(place, game)
    words = write(play_to_win(view(position, position.table.seat)), position.table.board)
    play(place.context, game, position.table.seat, place.history(game).after, [words], "web", NOON)


def played(place: Site, *people: str, turns: int = 1000) -> str:
    """A game in which so many turns have been played, or all."""

    def play_them() -> str:
        game = start_game(place.context, *people)
        while (table := position_of(place, game).table).turn <= turns and not table.over:
            move(place, game)
        return game

    return begin_once(place.context, Collector(), play_them, *people, turns, *place.dice.told)


def watched(place: Site, game: str) -> str:
    """The same game, which anybody may watch from now on."""
    let_watch(place.context, game)
    return game


def list_conquests(view: View) -> list[Conquest]:
    """Every province the reader can get now, the most valuable first."""
    table = view.table
    if not view.my_turn or table.phase is not Phase.ACTIONS:
        return []
    found = sorted(find_sieges(table, table.seat, view.hand), key=lambda siege: -siege.province.value)
    return [build_conquest(view, siege) for siege in found]
