"""A game step by step: every position, what each step did, and nothing that its reader was not told."""

import dataclasses
import json

import pytest

from engine.bots import play_to_win
from engine.evolve import replay
from server.store.event_log import SeatTenure
from server.store.states import Channel
from server.turns.play import list_planned_acts, play_due_plans, play_turn
from tests.server.desk import ANNA, BEN
from tests.server.planning import SOON, march_after, pass_turn, plan
from tests.server.web.bots import Bot, bots
from tests.server.web.played import advance, played, watched
from tests.server.web.site import Visitor

SENTENCE = "string(//*[@id='step'])"


def step(place, game, at: object = "", seat: int = 0) -> Visitor:
    return place.look(game, f"/history?at={at}", seat=seat)


def shown(visitor) -> int:
    return int(visitor.page.xpath("string(//*[@id='step']/@data-step)"))


def test_each_step_shows_the_position_after_one_fact(place):
    game = played(place, "Anna", "Ben", turns=4)
    events, board = place.context.facts(game), place.table(game).board
    for at in range(len(events)):
        visitor, position = step(place, game, at), replay(board, events[: at + 1])
        told = visitor.page.xpath("string(//figure)")
        assert (visitor.status, shown(visitor)) == (200, at)
        assert f"turn {position.table.turn}" in told
        assert f"Alexander stands on {position.table.alexander}." in told
        assert visitor.page.xpath(SENTENCE).endswith(".")
        hand = visitor.page.xpath("//section[@class='cardrow']/div")[0]
        kinds, many = hand.xpath(".//li"), [str(one)[1:] for one in hand.xpath(".//li/b/text()")]
        assert len(kinds) - len(many) + sum(map(int, many)) == len(position.hands[0])


def planned_steps(visitor) -> list[int]:
    """The steps of which a page says that they were played by a plan."""
    told = visitor.page.xpath("//section[@class='turns']//li/a")
    return sorted(int(one.get("data-at")) for one in told if "by a plan" in one.text_content())


def doors(program: Bot, game) -> list[object]:
    """By which way acts were played, where a program is told it in the log."""
    log = [json.loads(line) for line in program.get(f"games/{game}/log").text.splitlines()]
    return [fact["meta"]["door"] for fact in log if "door" in fact.get("meta", {})]


def test_that_an_act_was_played_by_a_plan_its_player_reads_at_once_and_all_at_the_end(place):
    game = watched(place, place.start_game("Anna", "Ben"))
    turn, march = march_after(place.context, game)
    plan(place.context, game, 1, f"{march}; draw; draw")
    pass_turn(place.context, game, turn)
    begins, programs = len(place.context.facts(game)), bots(place, game)
    play_due_plans(place.context, SOON)
    looks_on = place.visitor().get(f"/g/{game}/history")
    assert planned_steps(step(place, game, seat=1)) == [begins]
    assert step(place, game, begins, seat=1).page.xpath(SENTENCE).endswith("This was played by a plan.")
    assert doors(programs[1], game) == ["plan"] * (len(place.context.facts(game)) - begins)
    for visitor in (step(place, game, seat=0), looks_on):
        assert planned_steps(visitor) == []
    assert [doors(one, game) for one in (programs[0], Bot(place))] == [[], []]
    while not place.table(game).over:
        play_turn(place.context, game, place.history(game).after, play_to_win, Channel.WEB, SOON)
    looks_on.get(f"/g/{game}/history")
    for visitor in (step(place, game, seat=0), step(place, game, seat=1), looks_on):
        assert planned_steps(visitor) == [begins]
    assert doors(programs[0], game).count("plan") == 1


def test_whoever_plays_on_for_a_seat_is_not_told_of_the_plans_of_its_first_player(place, game):
    turn, march = march_after(place.context, game)
    plan(place.context, game, 1, f"{march}; draw; draw")
    pass_turn(place.context, game, turn)
    play_due_plans(place.context, SOON)
    history = place.history(game)
    successor = SeatTenure(seq=history.seq + 1, at=SOON, times=1, joined=True)
    later = dataclasses.replace(history, seat_tenures={1: successor})
    assert place.read(list_planned_acts, game, history, 1) == {history.after}
    assert place.read(list_planned_acts, game, later, 1) == frozenset()


def test_every_step_is_reached_by_links_and_the_turns_by_theirs(place):
    game = played(place, "Anna", "Ben", turns=5)
    last = len(place.context.facts(game)) - 1
    visitor = step(place, game)
    assert shown(visitor) == last
    seen = [last]
    while back := visitor.page.xpath("//a[@data-way='back']"):
        visitor.get(f"{place.link(game, seat=0)}/history{back[0].get('href')}")
        seen.append(shown(visitor))
    assert seen == [*range(last, -1, -1)]
    assert not visitor.page.xpath("//a[@data-way='first' or @data-way='turn-back']")
    turns = [0]
    while on := visitor.page.xpath("//a[@data-way='turn-on']"):
        visitor.get(f"{place.link(game, seat=0)}/history{on[0].get('href')}")
        turns.append(shown(visitor))
    begins = [int(one.get("data-at")) for one in visitor.page.xpath("//details//li[1]/a")]
    assert turns == sorted(begins)
    assert len(turns) == 5 + 1  # the deal comes before the first
    assert visitor.page.xpath("//a[@data-way='last']/@data-at") == ([str(last)] if turns[-1] < last else [])


def test_the_list_of_turns_has_every_step_and_stands_open_at_the_one_shown(place):
    game = played(place, "Anna", "Ben", turns=5)
    visitor = step(place, game, 9)
    listed = sorted(int(one) for one in visitor.page.xpath("//details//a/@data-at"))
    assert listed == [*range(len(place.context.facts(game)))]
    assert visitor.page.xpath("//details[@open]//a[@aria-current='step']/@data-at") == ["9"]
    assert len(visitor.page.xpath("//details[@open][.//a[@data-at]]")) == 1


@pytest.mark.parametrize(
    ("given", "nearest"),
    [("-1", 0), ("-99999999", 0), ("99999999", -1), ("9" * 5000, -1), ("x", -1), ("1.5", -1), ("٣", -1)],
)
def test_a_step_that_there_is_not_is_answered_kindly(place, given, nearest):
    game = played(place, "Anna", "Ben", turns=2)
    visitor = step(place, game, given)
    assert visitor.status == 200
    assert shown(visitor) == nearest % len(place.context.facts(game))
    assert "step" in visitor.page.xpath("string(//*[contains(@class, 'refused')])")


def test_before_the_game_one_is_sent_to_the_invitation(place):
    game = place.open_game("Friday", [ANNA, BEN])
    for page in ("/history", "/sheet"):
        visitor = place.look(game, page, seat=0, after=0)
        assert visitor.status == 200
        assert visitor.page.xpath("//form[@method='post']")


def test_a_spectator_keeps_his_language_from_step_to_step(place):
    game = watched(place, played(place, "Anna", "Ben", turns=2))
    visitor = place.visitor().get(f"/g/{game}/history?at=3&lang=nl")
    assert visitor.page.xpath("string(//a[@data-way='on']/@href)") == "?lang=nl&at=4"
    assert visitor.send("//form[.//input[@type='range']]", at="2").page.get("lang") == "nl"


@pytest.mark.parametrize(
    ("query", "ends"),
    [
        ("?at=3", "/history?at=3"),
        ("?page=1&page=2", ""),
        ("?token=x&game_id=y", ""),
        ("?_external=1&_scheme=ftp", ""),
        ("?a=%FF%0D%0A", ""),
    ],
)
def test_a_player_who_is_signed_in_reads_it_as_a_player_whatever_the_address_says(place, query, ends):
    game = watched(place, played(place, "Anna", "Ben", turns=2))
    answer = place.as_player("Ben").client.get(f"/g/{game}/history{query}")
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/t/")
    assert answer.headers["Location"].endswith(ends)


def test_the_log_of_a_game_can_be_had_once_it_is_over(place):
    game = watched(place, place.start_game("Anna", "Ben"))
    assert place.visitor().get(f"{place.link(game, seat=0)}/log").status == 404
    assert place.visitor().get(f"/g/{game}/log").status == 404
    advance(place, game, lambda now: now.table.over)
    for link in (f"{place.link(game, seat=0)}/log", f"/g/{game}/log"):
        answer = place.visitor().client.get(link)
        lines = [json.loads(line) for line in answer.text.splitlines()]
        assert "attachment" in answer.headers["Content-Disposition"]
        assert (lines[0]["type"], lines[-1]["type"]) == ("game_started", "game_ended")
