"""What players and spectators see of a game that goes on: its page, and what an open page asks for."""

import pytest
from sqlalchemy import event
from sqlmodel import Session

from engine.events import ProvinceOccupied, TaxesLevied
from server.outbox import chat
from server.store.models import Game
from tests.server.desk import ANNA, BEN, NOON
from tests.server.web.played import move, played, watched


def test_anybody_sees_how_a_public_game_stands(place):
    game = watched(place, played(place, "Anna", "Ben", turns=5))
    visitor = place.visitor().get(f"/g/{game}")
    table = place.table(game)
    assert visitor.status == 200
    assert visitor.title == f"It is {table.names[table.seat]}'s turn"
    assert "What happened last" in visitor.text
    assert visitor.page.xpath("//figure//*[local-name()='svg']")
    links = [("Board", f"/g/{game}"), ("History", f"/g/{game}/history")]
    assert visitor.links("//nav[@aria-label='This game']/a") == links


def test_there_are_no_hands_no_talk_and_nothing_to_press(place):
    game = watched(place, played(place, "Anna", "Ben", turns=5))
    tell(place, game, 0, None, "just between the players")
    for link in (f"/g/{game}", f"/g/{game}/history"):
        visitor = place.visitor().get(link)
        assert "Your hand" not in visitor.text
        assert "just between" not in str(visitor.answer and visitor.answer.text)
        assert not visitor.page.xpath("//form[@method='post'] | //textarea | //a[contains(@href, '/t/')]")


def test_a_newcomer_sees_who_is_played_by_the_server(place):
    game = watched(place, place.start_game("Anna", "Dirk", "house:easy"))
    for link in (f"/g/{game}", f"/g/{game}/history", place.link(game, seat=0)):
        rows = place.visitor().get(link).page.xpath("//tr/th[.//*[local-name()='svg']]")
        told = [row.text_content() for row in rows]
        assert ["this server" in words for words in told] == ["Philip" in words for words in told]
        assert len(rows) == 3


def test_a_game_that_is_not_open_to_watch_looks_like_none(place):
    game = place.start_game("Anna", "Ben")
    there, nowhere = (place.visitor().get(f"/g/{one}") for one in (game, "zzzzzzzz"))
    assert (there.status, nowhere.status) == (404, 404)
    assert there.answer.data == nowhere.answer.data
    assert "sign in" in there.text


@pytest.mark.parametrize("name", ["x", "A" * 500, "%00", "..%2F..", "aaaaaaaa'--"])
def test_what_is_no_game_at_all_is_answered_alike(place, name):
    assert place.visitor().get(f"/g/{name}").status == 404


def test_a_player_who_is_signed_in_is_sent_to_his_own_page(place):
    game = place.start_game("Anna", "Ben")
    visitor = place.as_player("Anna")
    answer = visitor.client.get(f"/g/{game}")
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/t/")
    assert "Anna" in visitor.get(f"/g/{game}").page.xpath("string(//p[@class='eyebrow'])")


def test_somebody_else_who_is_signed_in_watches_like_anybody(place):
    game = watched(place, place.start_game("Anna", "Ben"))
    place.start_game("Cleo", "Dirk")
    assert place.as_player("Cleo").client.get(f"/g/{game}").status_code == 200


def test_a_public_game_that_has_not_begun_says_so(place):
    game = watched(place, place.open_game("Friday", [ANNA, BEN]))
    for page in ("", "/history"):
        assert "has not begun" in place.visitor().get(f"/g/{game}{page}").text


@pytest.fixture
def game(place) -> str:
    return watched(place, place.start_game("Anna", "Ben", "Cleo"))


def pulse(place, game, seat: int | None = None, words: str = "") -> dict[str, object]:
    link = f"/g/{game}" if seat is None else place.link(game, words, seat=seat, after=0)
    answer = place.visitor().client.get(f"{link}/pulse")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    return dict(answer.get_json())


def pulses(place, game, *seats: int | None) -> list[dict[str, object]]:
    return [pulse(place, game, seat) for seat in seats]


def tell(place, game, seat: int | None, to: int | None, words: str) -> None:
    with place.changing() as session:
        chat.post(place.context, session, session.get_one(Game, game), seat, to, words, NOON)


def test_a_move_is_heard_by_everybody(place, game):
    before = pulses(place, game, 0, 1, 2, None)
    move(place, game)
    after = pulses(place, game, 0, 1, 2, None)
    [was], [now] = ({one["after"] for one in heard} for heard in (before, after))
    assert now == was + 1
    assert not any(one["over"] for one in after)


def test_a_message_is_heard_only_by_who_may_read_it(place, game):
    tell(place, game, 0, None, "all")
    everybody = [one["said"] for one in pulses(place, game, 0, 1, 2, None)]
    tell(place, game, 0, 1, "psst")
    heard = [one["said"] for one in pulses(place, game, 0, 1, 2, None)]
    assert [now != before for now, before in zip(heard, everybody, strict=True)] == [True, True, False, False]
    assert everybody[3] == 0  # spectators read none


def test_it_names_the_page_that_shows_what_has_happened(place, game):
    move(place, game)
    seat = place.table(game).seat
    page = place.visitor().get(str(pulse(place, game, seat)["page"]))
    assert page.status == 200
    assert "moved on" not in page.text
    assert place.visitor().get(str(pulse(place, game)["page"])).status == 200


def test_of_what_words_would_do_it_names_the_page_that_says_what_became_of_them(place, game):
    move(place, game)
    seat = place.table(game).seat
    assert "went on" in place.visitor().get(str(pulse(place, game, seat, "choose horse")["page"])).text


def test_the_end_of_a_game_is_heard(place):
    game = watched(place, played(place, "Anna", "Ben"))
    assert pulse(place, game, 0)["over"] is True
    assert pulse(place, game)["over"] is True


def test_pages_begin_where_the_pulse_is(place, game):
    """What a page says that it shows is what the pulse says there is; else it would be fetched for ever."""
    tell(place, game, 1, None, "hello")
    move(place, game)
    mover = place.table(game).seat
    links = [(place.link(game, seat=0) + page, 0) for page in ("", "/history", "/sheet")]
    links += [(place.link(game, seat=1), 1), (place.link(game, seat=2), 2)]
    links += [(f"/g/{game}", None), (f"/g/{game}/history", None)]
    links += [(place.link(game, "nothing", seat=mover), mover)]
    for link, seat in links:
        [here] = place.visitor().get(link).page.xpath("//*[@data-pulse]")
        heard = place.visitor().client.get(here.get("data-pulse")).get_json()
        shown = here.get("data-after"), here.get("data-said")
        assert shown == (str(heard["after"]), str(heard["said"])), link
        assert heard == pulse(place, game, seat) | {"page": heard["page"]}


def test_of_what_happened_last_it_tells_what_matters_most(place, game):
    for _ in range(12):
        mover = place.context.mover(game)
        move(place, game)
        last = [event for seq, event in place.history(game).events if seq == place.history(game).after]
        news = place.visitor().get(f"/g/{game}").page.xpath("string(//@data-news)")
        assert mover in news
        assert news.count(".") == 1
        for kind, word in ((ProvinceOccupied, "occupied"), (TaxesLevied, "taxes")):
            if any(isinstance(event, kind) for event in last):
                assert word in news
                break


def asked_by_pulses(place, game) -> list[str]:
    """What the pulse of a player asks the database, and that of somebody who watches."""
    asked: list[str] = []
    mine_link, theirs_link = f"/t/{place.token(game, seat=0)}/pulse", f"/g/{game}/pulse"

    def ask(*given: object) -> None:
        asked.append(str(given[2]))

    event.listen(place.context.database, "before_cursor_execute", ask)
    place.visitor().get(mine_link)
    place.visitor().get(theirs_link)
    event.remove(place.context.database, "before_cursor_execute", ask)
    return [one for one in asked if one.lstrip().upper().startswith("SELECT") and "FROM" in one]


def test_it_asks_the_database_once_and_reads_no_history(place, game):
    mine, theirs = asked_by_pulses(place, game)
    assert not [one for one in (mine, theirs) if "FROM act" in one]


@pytest.mark.file
def test_what_it_asks_is_found_by_indexes(place, game):
    asked = asked_by_pulses(place, game)
    with Session(place.context.database) as session:
        for one in asked:
            values = ("x",) * one.count("?")
            plan = session.connection().exec_driver_sql("EXPLAIN QUERY PLAN " + one, values).fetchall()
            assert "INDEX" in str(plan)
            assert "SCAN" not in str(plan)


def test_a_turn_that_is_begun_is_heard_by_its_player_alone(place, game):
    mover = place.table(game).seat
    before = pulses(place, game, 0, 1, 2)
    assert {one["begun"] for one in before} == {""}
    visitor = place.look(game).tap("do")
    after = pulses(place, game, 0, 1, 2)
    heard = [one != other for one, other in zip(before, after, strict=True)]
    assert heard == [seat == mover for seat in (0, 1, 2)]
    assert visitor.page.xpath("string(//*[@id='play']/@data-begun)") == after[mover]["begun"] != ""
    visitor.tap("over")
    assert pulses(place, game, 0, 1, 2) == before
