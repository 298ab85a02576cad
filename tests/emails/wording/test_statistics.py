"""The course of a game, worked out from what everybody hears."""

from itertools import pairwise

import pytest

from emails.wording.review_text import BestLevy, GameStatistics, LongestMarch, compile_statistics
from engine.board import Point
from engine.cards import EMPTY, Symbol
from engine.events import (
    AlexanderMarched,
    CardDrawn,
    Event,
    GameEnded,
    GameStarted,
    TaxesLevied,
    TurnEnded,
)
from engine.position import veil_event
from tests.emails.positions import BOARD, NAMES, opening, played
from tests.emails.stored_games import positions, stored

GAMES = ("two-players", "three-players", "walls", "points", "points-dutch", "shortage")


def heard(log: tuple[Event, ...] | list[Event]) -> GameStatistics:
    """As a spectator hears it."""
    return compile_statistics([veil_event(event, None) for event in log])


@pytest.mark.parametrize("name", GAMES)
def test_the_points_are_those_of_the_positions(name: str) -> None:
    found, ended = heard(stored(name)).scores, positions(name)
    turns = [
        position.table.scores
        for event, position in zip(stored(name), ended, strict=True)
        if isinstance(event, TurnEnded | GameEnded)
    ]
    assert list(found) == turns
    assert len(found) == ended[-1].table.turn
    assert found[-1] == ended[-1].table.scores


@pytest.mark.parametrize("name", GAMES)
def test_no_march_was_longer_and_no_levy_better(name: str) -> None:
    found = heard(stored(name))
    before = dict(zip(map(id, stored(name)[1:]), positions(name), strict=False))
    marches = [event for event in stored(name) if isinstance(event, AlexanderMarched)]
    levies = [event for event in stored(name) if isinstance(event, TaxesLevied)]
    assert found.longest is not None
    first = next(march for march in marches if len(march.path) - 1 == found.longest.sides)
    assert found.longest.sides == max(len(march.path) - 1 for march in marches)
    assert found.longest == LongestMarch(
        first.seat, before[id(first)].table.turn, first.path, len(first.path) - 1, len(first.walls)
    )
    best = max(levy.gains[levy.seat] for levy in levies)
    if best:
        good = next(levy for levy in levies if levy.gains[levy.seat] == best)
        assert found.best == BestLevy(good.seat, before[id(good)].table.turn, good.card, best)
    else:
        assert found.best is None


def test_a_short_game_by_hand() -> None:
    a, b, c = (BOARD.point_names[name] for name in ("C9", "D10", "D12"))

    def march(seat: int, *path: Point) -> AlexanderMarched:
        return AlexanderMarched(seat, BOARD.places["Troy"], path, (), 0)

    game: list[Event] = [
        opening(NAMES[:2]),
        march(0, a, b),
        TaxesLevied(0, Symbol.HORSE, (2, 7)),
        CardDrawn(0, Symbol.LYRE),
        TurnEnded(0),
        march(1, b, c, b),
        TaxesLevied(1, Symbol.LYRE, (0, 5)),
        TurnEnded(1),
        march(0, b, c, b),
        TaxesLevied(0, Symbol.LYRE, (5, 9)),
        GameEnded("points", (1,)),
    ]
    assert heard(game) == GameStatistics(
        scores=((2, 7), (2, 12), (7, 21)),
        longest=LongestMarch(1, 2, (b, c, b), 2, 0),
        best=BestLevy(1, 2, Symbol.LYRE, 5),
    )
    assert heard(game[:-1]).scores == ((2, 7), (2, 12)), "the turn that goes on is not told"


def test_a_game_in_which_nothing_happened() -> None:
    assert heard([opening(NAMES)]) == GameStatistics((), None, None)
    assert heard([opening(NAMES), TurnEnded(0)]) == GameStatistics(((0, 0, 0, 0),), None, None)
    zero = TaxesLevied(0, Symbol.HORSE, (0, 4))
    assert heard([opening(NAMES[:2]), zero, TurnEnded(0)]) == GameStatistics(((0, 4),), None, None)


def test_any_reader_makes_the_same_record() -> None:
    log = played(NAMES, 7)[1]
    one = heard(log)
    assert all(compile_statistics([veil_event(event, seat) for event in log]) == one for seat in range(4))
    assert compile_statistics(log) == one
    assert all(all(was <= now for was, now in zip(*turns, strict=True)) for turns in pairwise(one.scores))


def test_a_record_needs_the_whole_game() -> None:
    bare = GameStarted("Alexandros", "rio-grande", NAMES, (EMPTY,) * 4, EMPTY)
    for events in ([], [TurnEnded(0)], [TurnEnded(0), bare]):
        with pytest.raises(ValueError, match="whole game"):
            compile_statistics(events)
