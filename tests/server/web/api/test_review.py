"""What a program is told of the review of a game: nothing before it is made, and then all of it."""

import pytest

from engine.bots.reviews import Review, ReviewedTurn, Verdict, foreseeable, played_turns
from engine.notation.orders import write
from server.reviews import review_finished_games
from server.store.event_log import list_steps
from server.web.api.schemas import describe_review
from tests.server.desk import NOON, let_watch
from tests.server.reviewed import HastyJudge, play_out
from tests.server.web.bots import Bot, bots
from tests.server.web.site import Site, site


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Site:
    found = site(tmp_path_factory.mktemp("reviewed"), ALEXANDROS_HOUSE_SECONDS="5")
    found.context.thinker = HastyJudge()
    return found


def test_a_program_is_told_the_review_of_a_game_that_is_over(place):
    game = play_out(place.context, "Anna", "Ben")
    let_watch(place.context, game)
    programs = [*bots(place, game), Bot(place)]
    before = [one.get(f"games/{game}") for one in programs]
    assert [one.json["review"] for one in before] == [None] * 3
    while review_finished_games(place.context, NOON):
        pass
    for program, answer in zip(programs, before, strict=True):
        again = program.get(f"games/{game}", **{"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 200, "it has changed"
        check_review(place, game, again.json)


def check_review(place, game, shown: dict) -> None:
    history, review = place.history(game), shown["review"]
    board = history.position.table.board
    turns = list(played_turns(list_steps(history)))
    assert [one["turn"] for one in review["turns"]] == list(range(1, len(turns) + 1))
    for one, turn in zip(review["turns"], turns, strict=True):
        assert one["seat"] == turn.known.my_seat
        assert one["played"] == one["best"] == [write(action, board) for action in turn.actions]
        assert len(one["chances"]) == 2
    for seat, score in enumerate(shown["scores"]):
        assert sum(one["points"] for one in review["harvests"] if one["seat"] == seat) == score
        assert review["turns"][-1]["chances"][seat] == (seat in shown["winners"])


def test_of_the_best_turn_that_was_played_it_is_told_what_was_known_when_it_began(place):
    history = place.history(play_out(place.context, "Anna", "Ben"))
    turns, board = list(played_turns(list_steps(history))), history.position.table.board
    judged = [
        Verdict(one.known.table.turn, one.known.my_seat, one.actions, one.actions, 0.0) for one in turns
    ]
    review = Review((0.5, 0.5), tuple(ReviewedTurn(one, (0.5, 0.5)) for one in judged))
    shown = describe_review(review, history).turns
    foretold = [foreseeable(one.known, one.actions) for one in turns]
    assert [one.best for one in shown] == [[write(action, board) for action in best] for best in foretold]
    assert [one.best for one in shown] != [one.played for one in shown]


def test_a_game_that_goes_on_has_none(place):
    game = place.start_game("Anna", "Ben")
    assert all("review" not in one.get(f"games/{game}").json for one in bots(place, game))
