"""Advice on the page of a turn: for whoever is to move, where the game allows it, and thought of once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from emails.wording.advice_text import list_turn_choices
from engine.bots.advice import HandSizeChange, Suggestion
from engine.bots.turns import best_turns
from engine.position import View
from server.thinker import InlineThinker, ThinkerBusy, ThinkingFailed, ThinkingTooLong
from server.turns.forecast import ADVICE_TAKES, LETTER_WAITS, SUGGESTIONS, suggest
from tests.server.web.played import known, move


@dataclass
class Adviser:
    """One who says the first thing that comes to mind, and remembers what they were asked."""

    fails: ThinkingFailed | None = None
    seconds: float = ADVICE_TAKES
    asked: list[View] = field(default_factory=list)

    def call(self, function: Callable[..., Any], *arguments: Any, seconds: float | None = None) -> Any:
        known, number = arguments
        assert (number, seconds) == (SUGGESTIONS, self.seconds)
        self.asked.append(known)
        if self.fails is not None:
            raise self.fails
        return (Suggestion(best_turns(known)[0].actions, float(len(self.asked)), (HandSizeChange(0, 2),)),)


@pytest.fixture
def adviser(place) -> Adviser:
    found = place.context.adviser = Adviser()
    return found


@pytest.fixture
def advised(place, game) -> str:
    place.context.let_advise(game)
    return game


def advice(place, game, **more: int) -> tuple[int, str]:
    """What the page of advice says to a seat."""
    visitor = place.look(game, "/advice", **more)
    return visitor.status, visitor.text


def test_whoever_is_to_move_gets_good_turns_that_differ_each_with_its_preview(place, advised):
    place.context.adviser = InlineThinker()
    visitor, before = place.look(advised), place.stored()
    assert not visitor.links("//section[@id='advice']//a[@class='choice']")  # it is not told unasked
    visitor.click("Ask for advice")
    assert visitor.title == "Advice"
    links = visitor.links("//section[@id='advice']//a[@class='choice']")
    assert len({words for words, _ in links}) == len(links)
    assert 1 <= len(links) <= 3
    assert all(" to " in words and " expected" in words for words, _ in links)
    assert "against the position before the turn" in visitor.text
    for _, link in links:
        visitor.get(link)
        assert visitor.title == "Shall this be done?"
    assert place.stored() == before
    visitor.press()
    assert place.stored() > before


def test_the_adviser_is_told_what_the_seat_knows_and_thinks_of_it_once(place, advised, adviser):
    first = advice(place, advised)
    assert advice(place, advised) == first
    [asked] = adviser.asked
    assert isinstance(asked, View)
    assert asked.my_turn


def test_nobody_is_advised_where_the_game_does_not_allow_it(place, game, adviser):
    assert "Ask for advice" not in place.look(game).text
    status, text = advice(place, game)
    assert status == 409
    assert "In this game no advice is given." in text
    assert not adviser.asked


def test_nobody_but_whoever_is_to_move_is_advised(place, advised, adviser):
    other = 1 - place.table(advised).seat
    assert "Ask for advice" not in place.look(advised, seat=other).text
    status, text = advice(place, advised, seat=other)
    assert status == 409
    assert "it is not your turn" in text
    place.context.let_watch(advised)
    assert place.visitor().get(f"/g/{advised}/advice").status == 404
    assert not adviser.asked


def test_a_game_that_is_halted_has_no_advice(place, advised, adviser):
    place.context.change_game(advised, suspended_at=place.clock())
    status, text = advice(place, advised)
    assert status == 409
    assert "has halted this game" in text
    assert not adviser.asked


def test_a_link_of_before_leads_to_the_turn_as_it_is(place, advised, adviser):
    old = f"{place.link(advised)}/advice"
    move(place, advised)
    visitor = place.visitor().get(old)
    assert visitor.title != "Advice"
    assert "Ask for advice" in visitor.text
    assert not adviser.asked


def test_the_dock_gives_whole_turns_the_letters_that_the_mail_gave_them(place, advised):
    place.context.adviser = Adviser(ThinkingTooLong(), seconds=LETTER_WAITS)
    now, row = known(place, advised), place.row(advised)
    with place.context.reading() as session:
        mailed = suggest(place.context, session, row, place.history(advised), now.my_seat)
    place.context.adviser = InlineThinker()
    offered = place.look(advised, "/turns").page.xpath("//ol[@class='whole']//button/@value")
    assert offered == [one.words for one in list_turn_choices(now, mailed)]


@pytest.mark.parametrize("failed", [ThinkingTooLong(), ThinkerBusy()])
def test_advice_that_takes_too_long_is_given_at_sight_and_says_so(place, advised, adviser, failed):
    adviser.fails = failed
    visitor = place.look(advised, "/advice")
    assert visitor.status == 200
    assert "judged at sight" in visitor.text
    assert visitor.links("//section[@id='advice']//a[@class='choice']")
    assert place.look(advised, "/turns").text  # the dock offers them too
    adviser.fails = None
    assert "judged at sight" not in advice(place, advised)[1]


def test_who_asks_very_often_has_to_wait_but_hears_again_what_they_heard(place, advised, adviser):
    place.app.config["LIMITS"]["advice"] = 1
    first = place.link(advised)
    assert advice(place, advised)[0] == 200
    assert place.visitor().get(f"{first}/advice").status == 200
    move(place, advised)
    status, text = advice(place, advised)
    assert status == 429
    assert "very often" in text
    place.clock.forward(1)
    assert advice(place, advised)[0] == 200
    assert len(adviser.asked) == 2
