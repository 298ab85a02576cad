"""A program asks for advice as its player may, and gets turns that it can send as they are."""

import pytest

from server.thinking.thinker import ThinkingTooLong
from server.web.game.draft_pages import ADVICE_PER_HOUR
from tests.server.desk import let_advise, let_watch, start_game
from tests.server.web.bots import Bot, bot, bots, problem
from tests.server.web.site import Site


@pytest.fixture
def advised(place: Site, game: str) -> str:
    """A game in which advice is given."""
    let_advise(place.context, game)
    return game


def movers(place: Site, game: str) -> tuple[Bot, Bot]:
    """The program of whoever is to move, and that of the other."""
    both = bots(place, game)
    seat = place.history(game).position.table.seat
    return both[seat], both[1 - seat]


def test_each_suggestion_can_be_sent_as_its_words_say(place, advised):
    mine, _ = movers(place, advised)
    answer = mine.get(f"games/{advised}/advice")
    assert answer.status_code == 200
    found = answer.json["suggestions"]
    assert answer.json["after"] == place.history(advised).after
    assert answer.json["at_sight"] is False
    assert 1 <= len(found) <= 3
    assert [one["points"] for one in found] == sorted((one["points"] for one in found), reverse=True)
    for one in found:
        assert mine.act(advised, one["words"], preview=True).status_code == 200
        assert " to " in one["turn"]
        assert one["why"].endswith(".")
    done = mine.act(advised, found[0]["words"])
    assert done.status_code == 200
    assert done.json["undone"] == []


def test_the_words_for_people_are_in_their_language(place, advised):
    mine, _ = movers(place, advised)
    english, dutch = (
        mine.get(f"games/{advised}/advice", **{"Accept-Language": code}).json["suggestions"][0]
        for code in ("en", "nl")
    )
    assert dutch["words"] == english["words"]
    assert " naar " in dutch["turn"]


def test_who_gets_no_advice_is_told_why(place, game):
    mine, other = movers(place, game)
    assert problem(mine.get(f"games/{game}/advice"), 422)["detail"] == "In this game no advice is given."
    let_advise(place.context, game)
    why = "Advice is for the player to move, and it is not your turn."
    assert problem(other.get(f"games/{game}/advice"), 422)["detail"] == why
    seat = place.history(game).position.table.seat
    problem(other.get(f"games/{game}/advice?seat={seat}"), 403)
    problem(Bot(place).get(f"games/{game}/advice"), 401)
    foreign = bot(place, start_game(place.context, "Cleo", "Dirk"), "Cleo")
    problem(foreign.get(f"games/{game}/advice"), 404)
    let_watch(place.context, game)
    problem(foreign.get(f"games/{game}/advice"), 403)


class Slow:
    """One who never has the time."""

    def call(self, *_: object, **__: object) -> None:
        raise ThinkingTooLong


def test_advice_that_is_not_there_in_time_is_given_at_sight_and_who_asks_often_is_told_how_long_to_wait(
    place, advised
):
    place.app.config[ADVICE_PER_HOUR] = 1
    place.context.adviser = Slow()
    mine, _ = movers(place, advised)
    found = mine.get(f"games/{advised}/advice").json
    assert found["at_sight"] is True
    assert mine.act(advised, found["suggestions"][0]["words"], preview=True).status_code == 200
    answer = mine.get(f"games/{advised}/advice")
    assert "very often" in problem(answer, 429)["detail"]
    assert answer.headers["Retry-After"] == "3600"
