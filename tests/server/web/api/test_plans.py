"""A program plans the next turn of its player and asks for advice."""

import pytest

from server.thinker import ThinkingTooLong
from server.turns.play import withdraw_plan
from tests.breadth import first
from tests.server.desk import Collector
from tests.server.inbox.test_mail_dispatch import last_letter, reply
from tests.server.planning import NEVER, SOON, acts, march_after, pass_turn, plan, plans, play_due_plans
from tests.server.web.bots import Bot, bot, bots, problem
from tests.server.web.game.test_advice_page import Adviser


def send(program: Bot, game, said: str | None, *, language: str = "en", **more: object):
    return program.post(f"games/{game}/plan", {"plan": said, **more}, **{"Accept-Language": language})


def test_a_program_reads_sets_and_withdraws_the_plan_of_its_player(place, game):
    turn, march = march_after(place.context, game)
    _, second = bots(place, game)
    nothing = second.get(f"games/{game}/plan").json
    assert {**nothing, "told": ""} == {"plan": None, "turn": None, "missed": False, "fits": None, "told": ""}
    assert nothing["told"].startswith("You have no plan for your next turn.")
    words = f"{NEVER}. otherwise: {march}; draw; draw"
    kept = send(second, game, f"Plan: {words}").json
    assert kept == second.get(f"games/{game}/plan").json
    assert (kept["plan"], kept["turn"], kept["missed"]) == (words, 2, False)
    assert "As the game stands now" in kept["told"]
    assert send(second, game, None).json == nothing
    assert plans(place.context) == []
    send(second, game, words)
    pass_turn(place.context, game, turn)
    assert second.get(f"games/{game}/plan").json["fits"] == 2
    assert play_due_plans(place.context, SOON) == 1
    assert acts(place.context, game)[-1] == (1, "plan", f"{march}; draw; draw")
    played = second.get(f"games/{game}/plan").json
    assert played == nothing | {"told": played["told"]}


@pytest.mark.parametrize("language", first(1, ["en", "nl"]))
def test_by_mail_on_the_page_and_by_a_program_the_same_plan_is_kept(place, game, language):
    said = {
        "en": "plan: if Troy is free: stay. otherwise: horse; draw; draw",
        "nl": "plan: als Troy vrij is: blijf. anders: paard; trek; dan trek",
    }[language]
    name, carrier, kept = place.names(game)[1], Collector(), []
    place.context.set_preferences(game, name, everywhere=True, language=language)

    def take():
        [one] = plans(place.context)
        kept.append((one.game, one.seat, one.words, one.turn, one.missed, one.due_at))
        with place.changing() as session:
            withdraw_plan(session, game, 1)

    reply(place.context, last_letter(place.context, carrier, name), said)
    take()
    place.look(game, "/plan", seat=1).send("//form[.//textarea]", words=said, keep="1")
    take()
    send(bots(place, game)[1], game, said, language=language)
    take()
    assert kept[0] == kept[1] == kept[2]
    assert kept[0][2] == "plan: if Troy is free: stay. otherwise: choose horse; draw; draw"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("if Ben sleeps: lyre", "“Ben sleeps” is no condition that a plan knows."),
        ("", "The plan says no turn: write it behind the colon."),
        ("draw; draw", "write them in this order"),
    ],
)
def test_what_cannot_be_kept_is_told_in_a_sentence_and_changes_nothing(place, game, said, why):
    _, second = bots(place, game)
    plan(place.context, game, 1, NEVER)
    assert why in problem(send(second, game, said), 422)["detail"]
    assert [one.words for one in plans(place.context)] == [f"plan: {NEVER}"]


def test_what_is_no_plan_at_all_is_not_understood(place, game):
    _, second = bots(place, game)
    for body in ({}, {"plan": 7}, {"plan": "x" * 1001}, {"plan": None, "seat": 9}, {"plan": "draw", "x": 1}):
        assert problem(second.post(f"games/{game}/plan", body), 400)
    assert plans(place.context) == []


def test_it_is_for_its_player_alone(place, game):
    """Nobody else reads or changes it, nor hears by the tag of the game that there is one."""
    place.context.let_watch(game)
    other = place.start_game("Cleo", "Dirk")
    first, second = bots(place, game)
    stranger = bots(place, other)[0]

    def seen() -> list[tuple[bytes, str]]:
        shown = [one.get(f"games/{game}") for one in (first, Bot(place))]
        return [(one.data, one.headers["ETag"]) for one in shown]

    before = seen()
    send(second, game, NEVER)
    assert seen() == before
    assert first.get(f"games/{game}/plan").json["plan"] is None
    assert problem(first.get(f"games/{game}/plan?seat=1"), 403)
    assert problem(send(first, game, "stay", seat=1), 403)
    assert problem(stranger.get(f"games/{game}/plan"), 403)
    assert problem(send(stranger, game, None), 403)
    assert problem(Bot(place).get(f"games/{game}/plan"), 401)
    assert problem(send(Bot(place), game, None), 401)
    send(first, game, None)
    assert [one.words for one in plans(place.context)] == [f"plan: {NEVER}"]


def test_where_there_is_no_next_turn_there_is_no_plan(place, game):
    _, second = bots(place, game)
    place.context.resign(game, 1, "web")
    assert problem(send(second, game, NEVER), 422)["detail"].startswith("You have resigned")
    place.context.change_game(game, suspended_at=place.clock.now)
    first, _ = bots(place, game)
    assert problem(send(first, game, NEVER), 422)
    assert plans(place.context) == []


@pytest.fixture
def advised(place, game) -> str:
    place.context.let_advise(game)
    return game


def movers(place, game) -> tuple[Bot, Bot]:
    """The program of whoever is to move, and that of the other."""
    both = bots(place, game)
    seat = place.table(game).seat
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


def test_who_gets_no_advice_is_told_why(place, game):
    mine, other = movers(place, game)
    assert problem(mine.get(f"games/{game}/advice"), 422)["detail"] == "In this game no advice is given."
    place.context.let_advise(game)
    why = "Advice is for the player to move, and it is not your turn."
    assert problem(other.get(f"games/{game}/advice"), 422)["detail"] == why
    seat = place.table(game).seat
    problem(other.get(f"games/{game}/advice?seat={seat}"), 403)
    problem(Bot(place).get(f"games/{game}/advice"), 401)
    foreign = bot(place, place.start_game("Cleo", "Dirk"), "Cleo")
    problem(foreign.get(f"games/{game}/advice"), 404)
    place.context.let_watch(game)
    problem(foreign.get(f"games/{game}/advice"), 403)


def test_advice_that_is_not_there_in_time_is_given_at_sight_and_who_asks_often_is_told_how_long_to_wait(
    place, advised
):
    place.app.config["LIMITS"]["advice"] = 1
    place.context.adviser = Adviser(ThinkingTooLong())
    mine, _ = movers(place, advised)
    found = mine.get(f"games/{advised}/advice").json
    assert found["at_sight"] is True
    assert mine.act(advised, found["suggestions"][0]["words"], preview=True).status_code == 200
    answer = mine.get(f"games/{advised}/advice")
    assert "very often" in problem(answer, 429)["detail"]
    assert answer.headers["Retry-After"] == "3600"
