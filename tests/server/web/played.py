"""Games that the house has played for everybody, and who may look at them, for tests of pages about games."""

from collections.abc import Callable
from datetime import datetime

from emails.wording.options import list_options
from engine.bots import play_to_win
from engine.notation.orders import write
from engine.position import Phase, View, view
from engine.provinces import find_sieges
from server.web.game.preview import Conquest, build_conquest
from tests.server.beginnings import begin_once
from tests.server.desk import NOON, Collector
from tests.server.web.site import Site


def known(place: Site, game: str) -> View:
    position = place.position(game)
    return view(position, position.table.seat)


def wanted(place: Site, game: str) -> str:
    """What the house would do for whose turn it is."""
    now = known(place, game)
    return write(play_to_win(now), now.table.board)


def first_choice(place: Site, game: str, kind: str = "march") -> str:
    """The words of the first choice that does such a thing."""
    found = (choice for group in list_options(known(place, game)) for choice in group.choices)
    return next(one.words for one in found if kind in one.words and not one.further)


def say(place: Site, game: str, words: str, now: datetime = NOON) -> None:
    """Do what words say, for whose turn it is."""
    history = place.history(game)
    place.context.play(game, history.position.table.seat, history.after, words.split("; "), "web", now)


def move(place: Site, game: str, now: datetime = NOON) -> None:
    """Let the house make one decision for whose turn it is."""
    say(place, game, wanted(place, game), now)


def advance(place: Site, game: str, until: Callable[[View], object], now: datetime = NOON) -> None:
    """Let the house play all seats until the player to move sees something."""
    while not until(known(place, game)):
        move(place, game, now)


def played(place: Site, *people: str, turns: int = 1000) -> str:
    """A game in which so many turns have been played, or all."""

    def play_them() -> str:
        game = place.start_game(*people)
        advance(place, game, lambda now: now.table.turn > turns or now.table.over)
        return game

    return begin_once(place.context, Collector(), play_them, *people, turns, *place.dice.told)


def watched(place: Site, game: str) -> str:
    """The same game, which anybody may watch from now on."""
    place.context.let_watch(game)
    return game


def list_conquests(view: View) -> list[Conquest]:
    """Every province the reader can get now, the most valuable first."""
    table = view.table
    if not view.my_turn or table.phase is not Phase.ACTIONS:
        return []
    found = sorted(find_sieges(table, table.seat, view.hand), key=lambda siege: -siege.province.value)
    return [build_conquest(view, siege) for siege in found]
