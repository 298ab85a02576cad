"""A review is read back as it was found; one that is damaged counts as none, and is told once."""

import json
import logging
from typing import Any

import pytest

from engine.bots.reviews import Review, ReviewedTurn, Verdict, played_turns
from engine.position import Position
from server.reviews import decode_review, encode_review, list_turns_of, load_review
from server.store import schedule
from server.store.models import GameReview
from tests.engine.players import Game as PlayedGame
from tests.engine.players import game as played
from tests.server.desk import NOON, Desk

GAMES = [("alexandros", 3), ("lake", 1), ("towers", 2)]


@pytest.fixture
def ended() -> PlayedGame:
    return played(*GAMES[0])


def review_of(one: PlayedGame) -> Review:
    """A review in which each action of a turn is another's best one."""
    seats, turns = len(one.last.hands), list(played_turns(one.steps()))
    even, reviewed = (round(1 / seats, 4),) * seats, []
    for number, turn in enumerate(turns, 1):
        best = turns[-number].actions
        verdict = Verdict(number, turn.known.my_seat, turn.actions, best, number / 4)
        reviewed.append(ReviewedTurn(verdict, even))
    return Review(even, tuple(reviewed))


def stored(context: Desk, game: str, ended: Position, said: str) -> Review | None:
    with context.changing() as session:
        session.merge(GameReview(game=game, said=said, made_at=NOON))
    with context.reading() as session:
        return load_review(context, session, game, ended)


@pytest.mark.parametrize(("name", "seed"), GAMES)
def test_what_is_stored_is_read_back(name, seed):
    one = played(name, seed)
    review, board = review_of(one), one.last.table.board
    assert decode_review(encode_review(review, board), board) == review


CHANGES: list[dict[str, Any]] = [
    {"turn": 7},
    {"turn": "1"},
    {"seat": 4},
    {"seat": -1},
    {"played": []},
    {"played": ["choose lyre "]},
    {"best": ["march Larissa"]},
    {"best": ["march Nowhere A3-B4"]},
    {"best": [3]},
    {"cost": -1.0},
    {"cost": "NaN"},
    {"chances": [1.0]},
    {"chances": [2.0, 0.0]},
    {"more": 1},
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_damaged_is_no_review_and_is_told_once(context, game, ended, caplog, change):
    said = json.loads(encode_review(review_of(ended), ended.last.table.board))
    said["turns"][0] |= change
    check_refused(context, game, ended.last, json.dumps(said), caplog)


@pytest.mark.parametrize(
    "said", ["", "{", "[]", "null", '{"chances":[],"turns":[]}', pytest.param("\x00", marks=pytest.mark.file)]
)
def test_what_is_none_is_no_review(context, game, ended, caplog, said):
    check_refused(context, game, ended.last, said, caplog)


def check_refused(context: Desk, game: str, ended: Position, said: str, caplog) -> None:
    schedule.log_once.cache_clear()
    with caplog.at_level(logging.ERROR):
        for _ in range(2):
            assert stored(context, game, ended, said) is None
    [told] = caplog.records
    assert f"the review of game {game} cannot be read" in told.getMessage()


def test_the_review_of_another_game_is_none_of_this(context, game, ended):
    other = played(*GAMES[1])
    said = encode_review(review_of(other), other.last.table.board)
    assert stored(context, game, ended.last, said) is None


def test_each_player_is_given_what_is_kept_of_their_turns(context, game, ended):
    review = review_of(ended)
    with context.writing() as session:
        assert list_turns_of(session, game, 0) == []
        session.add(GameReview(game=game, said=encode_review(review, ended.last.table.board), due_at=NOON))
        session.commit()
        found = [list_turns_of(session, game, seat) for seat in range(len(ended.last.hands))]
        turns = sorted((str(turn["turn"]), seat) for seat, own in enumerate(found) for turn in own)
        assert turns == sorted((str(one.verdict.turn), one.verdict.seat) for one in review.turns)
        session.get_one(GameReview, game).said = "{"
        session.commit()
        assert list_turns_of(session, game, 0) == []


def test_what_is_not_whole_yet_is_not_shown(context, game, ended):
    said = encode_review(review_of(ended), ended.last.table.board)
    assert stored(context, game, ended.last, said) is not None
    with context.changing() as session:
        session.merge(GameReview(game=game, said=said, due_at=NOON, made_at=None))
    with context.reading() as session:
        assert load_review(context, session, game, ended.last) is None
