"""What letters are made from, at chosen points of the stored games."""

from functools import cache

from emails.letters.contexts import GameLetterContext
from engine.events import Event
from engine.position import Position
from tests.emails.positions import BOARD
from tests.gallery.samples import SampleGame
from tests.paths import GAMES


@cache
def story(name: str) -> SampleGame:
    """A stored game."""
    return SampleGame.from_lines((GAMES / f"{name}.jsonl").read_text("utf-8").splitlines(), BOARD)


def stored(name: str) -> tuple[Event, ...]:
    """The events of a stored game."""
    return story(name).events


def positions(name: str) -> tuple[Position, ...]:
    """The positions of a stored game: the one of index n is what the first n + 1 events make."""
    return story(name).positions


def letter_context(name: str, at: int, seat: int) -> GameLetterContext:
    """What `seat` knows of a stored game after `at` events, and what happened since its last turn."""
    return story(name).letter_context(at, seat)


def turns(name: str) -> list[tuple[int, int]]:
    """For each turn of a stored game after how many events it begins, and whose it is."""
    return story(name).turn_starts()


def actions(name: str) -> list[tuple[int, int]]:
    """For each march of a stored game after how many events the actions begin, and whose they are."""
    return story(name).action_starts()
