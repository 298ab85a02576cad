"""What the page of a finished game tells of its review, and while it is being made."""

import re

import pytest

from emails.wording.review_text import MOST_POINTS, describe_origins, format_chance
from engine.bots.reviews import chances, harvests
from engine.events import CardOpened, SupplyRenewed
from engine.position import view
from server.reviews import review_finished_games
from server.store.event_log import list_steps
from server.store.models import GameReview
from tests.server.desk import NOON
from tests.server.reviewed import HastyJudge, play_out
from tests.server.web.played import watched
from tests.server.web.site import Site, Visitor, site

AWAITED = "//p[@class='awaited']"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Site:
    found = site(tmp_path_factory.mktemp("review"), ALEXANDROS_HOUSE_SECONDS="5")
    found.context.thinker = HastyJudge()
    return found


@pytest.fixture(scope="module")
def game(place: Site) -> str:
    """A game that was looked through; its page was looked at before."""
    game = watched(place, play_out(place.context, "Anna", "Ben"))
    for visitor in pages(place, game):
        assert "The judge of the house is looking through" in visitor.page.xpath(f"string({AWAITED})")
        assert not visitor.page.xpath("//section[@class='verdicts']")
        assert visitor.page.xpath("//section[@class='origins']"), "what is certain needs no judge"
    assert awaited_in_pulses(place, game) == [True] * 3
    while review_finished_games(place.context, NOON):
        pass
    return game


def awaited_in_pulses(place: Site, game: str) -> list[bool]:
    """What each open page hears of whether the review is still being made."""
    found = [visitor.page.xpath("string(//@data-pulse)") for visitor in pages(place, game)]
    return [place.visitor().client.get(one).get_json()["awaited"] for one in found]


def test_an_open_page_hears_when_the_review_is_there(place, game):
    assert awaited_in_pulses(place, game) == [False] * 3


def pages(place: Site, game: str) -> list[Visitor]:
    """As each player and a spectator sees it."""
    links = [place.link(game, seat=0), place.link(game, seat=1), f"/g/{game}"]
    return [place.visitor().get(link) for link in links]


def test_the_chances_stand_there_in_a_drawing_in_words_and_in_a_table(place, game):
    history = place.history(game)
    for visitor in pages(place, game):
        assert not visitor.page.xpath(AWAITED)
        [chart] = visitor.page.xpath("//*[local-name()='svg' and contains(@class, 'chances')]")
        assert chart.get("role") == "img"
        assert "changed the game most" in chart.get("aria-label")
        [table] = visitor.page.xpath("//details//table[@class='figures']")
        names = [cell.text for cell in table.xpath("thead//th[@scope='col']")[1:]]
        assert names == list(history.position.table.names)
        rows = [[cell.text for cell in row] for row in table.xpath("tbody/tr")]
        assert [row[0] for row in rows] == [str(turn) for turn in range(history.position.table.turn + 1)]
        assert rows[-1][1:] == [format_chance(one) for one in chances(history.position)]


def test_the_dearest_turns_are_told_with_links_into_the_history(place, game):
    history = place.history(game)
    last = history.position.table.turn
    for visitor in pages(place, game):
        items = visitor.page.xpath("//section[@class='verdicts']/ul/li")
        assert len(items) == 3
        for turn, item in zip((last, last - 1, last - 2), items, strict=True):
            assert item.text_content().startswith(f"Turn {turn}: ")
            better = f"It cost about {turn} points. Better: " if turn <= MOST_POINTS else "Much better: "
            assert better in item.text_content()
            shown = visitor.get(item.xpath("a/@href")[0])
            assert shown.status == 200
            assert re.match(r"Turn \d+: \w+", shown.page.xpath("string(//h1)"))


def test_every_turn_stands_there_with_what_was_played(place, game):
    steps = list_steps(place.history(game))
    begins = {}
    for number, (before, event) in enumerate(steps, 1):
        if not isinstance(event, CardOpened | SupplyRenewed):
            begins.setdefault(before.table.turn, number)
    for visitor in pages(place, game):
        items = visitor.page.xpath("//section[@class='verdicts']/details//li")
        assert len(items) == len(begins)
        for turn, item in enumerate(items, 1):
            assert item.xpath("a/@href")[0].endswith(f"/history?at={begins[turn]}")
            assert re.match("choose |play |stay", item.xpath("string(q)"))


def test_where_the_points_came_from_stands_there(place, game):
    history = place.history(game)
    found = list(harvests(list_steps(history)))
    for seat, visitor in zip((0, 1, None), pages(place, game), strict=True):
        known = view(history.position, seat)
        lines = visitor.page.xpath("//section[@class='origins']/details/ul/li/text()")
        assert lines == [line for one in (0, 1) if (line := describe_origins(found, one, known))]
        levies = visitor.page.xpath("//section[@class='origins']/details/details//li/text()")
        assert [int(re.findall(r"\d+", line)[0]) for line in levies] == sorted({one.turn for one in found})


def test_a_damaged_review_is_none(place, game):
    with place.context.writing() as session:
        row = session.get_one(GameReview, game)
        whole, row.said = row.said, row.said[:-2]
        session.commit()
    for visitor in pages(place, game):
        assert visitor.status == 200
        assert not visitor.page.xpath("//section[@class='verdicts']")
        assert not visitor.page.xpath(AWAITED)
    with place.context.writing() as session:
        session.get_one(GameReview, game).said = whole
        session.commit()
