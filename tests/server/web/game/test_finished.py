"""The page of a game that is over: who won and why, the course of the points, and its review."""

import re

import pytest

from emails.wording.review_text import MOST_POINTS, compile_statistics, describe_origins, format_chance
from engine.bots.reviews import Review, ReviewedTurn, Verdict, chances, foreseeable, harvests, played_turns
from engine.events import CardOpened, SupplyRenewed
from engine.notation.orders import write
from engine.position import veil_event, view
from server.reviews import review_finished_games
from server.store.event_log import list_steps
from server.store.models import GameReview
from server.web.api.game_view import describe_review
from tests.server.desk import NOON
from tests.server.reviewed import HastyJudge, play_out
from tests.server.web.bots import Bot, bots
from tests.server.web.game.test_spectator_page import tell
from tests.server.web.played import played, watched
from tests.server.web.site import Site, Visitor, site


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Site:
    return site(tmp_path_factory.mktemp("finished"))


@pytest.fixture(scope="module")
def game(place) -> str:
    return watched(place, played(place, "Anna", "Ben", "Cleo"))


def pages(place, game) -> list[Visitor]:
    seats = range(len(place.table(game).names))
    return [*(place.look(game, seat=seat) for seat in seats), place.visitor().get(f"/g/{game}")]


def test_everybody_reads_who_won_with_how_many_points_and_why(place, game):
    table = place.table(game)
    [won] = table.winners or ()
    for reader, visitor in enumerate(pages(place, game)):
        name = "You" if reader == won else table.names[won]
        assert visitor.title == f"{name} won with {max(table.scores)} points"
        assert "points were reached" in visitor.page.xpath("string(//p[@class='lede'])")
        assert ("Congratulations" in visitor.text) == (reader == won)


def test_the_chart_stands_there_in_a_drawing_in_words_and_in_numbers(place, game):
    course = compile_statistics([veil_event(event, None) for event in place.context.facts(game)])
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


AWAITED = "//p[@class='awaited']"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Site:
    found = site(tmp_path_factory.mktemp("review"), ALEXANDROS_HOUSE_SECONDS="5")
    found.context.thinker = HastyJudge()
    return found


@pytest.fixture(scope="module")
def reviewed(judged: Site) -> str:
    """A game that was looked through; its page was looked at before."""
    reviewed = watched(judged, play_out(judged.context, "Anna", "Ben"))
    for visitor in pages(judged, reviewed):
        assert "The judge of the house is looking through" in visitor.page.xpath(f"string({AWAITED})")
        assert not visitor.page.xpath("//section[@class='verdicts']")
        assert visitor.page.xpath("//section[@class='origins']"), "what is certain needs no judge"
    assert awaited(judged, reviewed) == [True] * 3
    while review_finished_games(judged.context, NOON):
        pass
    return reviewed


def awaited(judged: Site, reviewed: str) -> list[bool]:
    """What each open page hears of whether the review is still being made."""
    found = [visitor.page.xpath("string(//@data-pulse)") for visitor in pages(judged, reviewed)]
    return [judged.visitor().client.get(one).get_json()["awaited"] for one in found]


def test_an_open_page_hears_when_the_review_is_there(judged, reviewed):
    assert awaited(judged, reviewed) == [False] * 3


def test_the_chances_stand_there_in_a_drawing_in_words_and_in_a_table(judged, reviewed):
    history = judged.history(reviewed)
    for visitor in pages(judged, reviewed):
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


def test_the_dearest_turns_are_told_with_links_into_the_history(judged, reviewed):
    history = judged.history(reviewed)
    last = history.position.table.turn
    for visitor in pages(judged, reviewed):
        items = visitor.page.xpath("//section[@class='verdicts']/ul/li")
        assert len(items) == 3
        for turn, item in zip((last, last - 1, last - 2), items, strict=True):
            assert item.text_content().startswith(f"Turn {turn}: ")
            better = f"It cost about {turn} points. Better: " if turn <= MOST_POINTS else "Much better: "
            assert better in item.text_content()
            shown = visitor.get(item.xpath("a/@href")[0])
            assert shown.status == 200
            assert re.match(r"Turn \d+: \w+", shown.page.xpath("string(//h1)"))


def test_every_turn_stands_there_with_what_was_played(judged, reviewed):
    steps = list_steps(judged.history(reviewed))
    begins = {}
    for number, (before, event) in enumerate(steps, 1):
        if not isinstance(event, CardOpened | SupplyRenewed):
            begins.setdefault(before.table.turn, number)
    for visitor in pages(judged, reviewed):
        items = visitor.page.xpath("//section[@class='verdicts']/details//li")
        assert len(items) == len(begins)
        for turn, item in enumerate(items, 1):
            assert item.xpath("a/@href")[0].endswith(f"/history?at={begins[turn]}")
            assert re.match("choose |play |stay", item.xpath("string(q)"))


def test_where_the_points_came_from_stands_there(judged, reviewed):
    history = judged.history(reviewed)
    found = list(harvests(list_steps(history)))
    for seat, visitor in zip((0, 1, None), pages(judged, reviewed), strict=True):
        known = view(history.position, seat)
        lines = visitor.page.xpath("//section[@class='origins']/details/ul/li/text()")
        assert lines == [line for one in (0, 1) if (line := describe_origins(found, one, known))]
        levies = visitor.page.xpath("//section[@class='origins']/details/details//li/text()")
        assert [int(re.findall(r"\d+", line)[0]) for line in levies] == sorted({one.turn for one in found})


def test_a_damaged_review_is_none(judged, reviewed):
    with judged.context.changing() as session:
        row = session.get_one(GameReview, reviewed)
        whole, row.said = row.said, row.said[:-2]
    for visitor in pages(judged, reviewed):
        assert visitor.status == 200
        assert not visitor.page.xpath(f"//section[@class='verdicts'] | {AWAITED}")
    with judged.context.changing() as session:
        session.get_one(GameReview, reviewed).said = whole


def test_a_program_is_told_the_review_of_a_game_that_is_over(judged):
    game = watched(judged, play_out(judged.context, "Anna", "Ben"))
    programs = [*bots(judged, game), Bot(judged)]
    before = [one.get(f"games/{game}") for one in programs]
    assert [one.json["review"] for one in before] == [None] * 3
    while review_finished_games(judged.context, NOON):
        pass
    for program, answer in zip(programs, before, strict=True):
        again = program.get(f"games/{game}", **{"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 200, "it has changed"
        check_review(judged, game, again.json)


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


def test_of_the_best_turn_that_was_played_it_is_told_what_was_known_when_it_began(judged):
    history = judged.history(play_out(judged.context, "Anna", "Ben"))
    turns, board = list(played_turns(list_steps(history))), history.position.table.board
    moments = ((one.known.table.turn, one.known.my_seat, one.actions) for one in turns)
    verdicts = (Verdict(turn, seat, actions, actions, 0.0) for turn, seat, actions in moments)
    review = Review((0.5, 0.5), tuple(ReviewedTurn(one, (0.5, 0.5)) for one in verdicts))
    shown = describe_review(review, history).turns
    foretold = [foreseeable(one.known, one.actions) for one in turns]
    assert [one.best for one in shown] == [[write(action, board) for action in best] for best in foretold]
    assert [one.best for one in shown] != [one.played for one in shown]


def test_a_program_is_told_no_review_of_a_game_that_goes_on(place):
    game = place.start_game("Anna", "Ben")
    assert all("review" not in one.get(f"games/{game}").json for one in bots(place, game))
