"""The page of a game that is over: who won and why, the course of the points, what was best, the way back."""

from __future__ import annotations

import pytest

from emails.wording.review_text import compile_statistics
from engine.position import veil_event
from tests.server.desk import facts
from tests.server.web.game.test_live_updates import tell
from tests.server.web.played import played, position_of, watched
from tests.server.web.site import Site, Visitor, site


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Site:
    return site(tmp_path_factory.mktemp("finished"))


@pytest.fixture(scope="module")
def game(place) -> str:
    return watched(place, played(place, "Anna", "Ben", "Cleo"))


def pages(place: Site, game: str) -> list[Visitor]:
    """As each player and a spectator sees it."""
    links = [place.link(game, seat=seat) for seat in (0, 1, 2)]
    return [place.visitor().get(link) for link in (*links, f"/g/{game}")]


def test_everybody_reads_who_won_with_how_many_points_and_why(place, game):
    table = position_of(place, game).table
    [won] = table.winners or ()
    for reader, visitor in enumerate(pages(place, game)):
        name = "You" if reader == won else table.names[won]
        assert visitor.title == f"{name} won with {max(table.scores)} points"
        assert "points were reached" in visitor.page.xpath("string(//p[@class='lede'])")
        assert ("Congratulations" in visitor.text) == (reader == won)


def test_the_chart_stands_there_in_a_drawing_in_words_and_in_numbers(place, game):
    course = compile_statistics([veil_event(event, None) for event in facts(place.context, game)])
    for visitor in pages(place, game):
        [chart] = visitor.page.xpath("//section[contains(@class, 'course')]//*[local-name()='svg']")
        assert chart.get("role") == "img"
        assert f"After turn {len(course.scores)}" in chart.get("aria-label")
        assert str(max(course.scores[-1])) in visitor.page.xpath("string(//section//pre)")
        assert "The longest march" in visitor.text
        assert "The best levy" in visitor.text


def test_it_leads_to_the_history_and_to_the_log(place, game):
    for visitor in pages(place, game):
        for words in ("step by step", "Download the log"):
            [link] = [link for text, link in visitor.links() if words in text]
            with place.visitor().client.get(link) as answer:
                assert answer.status_code == 200


def test_players_go_on_talking_and_spectators_do_not_hear_it(place, game):
    tell(place, game, 0, None, "well played")
    *players, spectator = pages(place, game)
    assert all("well played" in visitor.text for visitor in players)
    assert "well played" not in spectator.text
    assert not spectator.page.xpath("//form[@method='post']")


def test_no_open_page_asks_any_more(place, game):
    for visitor in pages(place, game):
        assert visitor.page.xpath("string(//@data-over)") == "1"


def test_the_drawing_of_the_chart_stands_once_on_the_page(place, game):
    for visitor in pages(place, game):
        names = visitor.page.xpath("//@id")
        assert len(names) == len(set(names))
