"""What an open page asks every moment: cheap, and only of what its reader may know."""

from __future__ import annotations

import pytest
from sqlalchemy import event
from sqlmodel import Session

from engine.events import ProvinceOccupied, TaxesLevied
from server.outbox import chat
from server.store.models import Game
from tests.server.desk import NOON, start_game
from tests.server.web.played import move, played, position_of, watched
from tests.server.web.site import Site


@pytest.fixture
def game(place) -> str:
    return watched(place, start_game(place.context, "Anna", "Ben", "Cleo"))


def pulse(place: Site, game: str, seat: int | None = None, words: str = "") -> dict[str, object]:
    link = f"/g/{game}" if seat is None else f"/t/{place.token(game, words, seat=seat, after=0)}"
    answer = place.visitor().client.get(f"{link}/pulse")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    return dict(answer.get_json())


def tell(place: Site, game: str, seat: int | None, to: int | None, words: str) -> None:
    with place.context.writing() as session:
        chat.post(place.context, session, session.get_one(Game, game), seat, to, words, NOON)
        session.commit()


def test_a_move_is_heard_by_everybody(place, game):
    before = [pulse(place, game, seat) for seat in (0, 1, 2, None)]
    move(place, game)
    after = [pulse(place, game, seat) for seat in (0, 1, 2, None)]
    [was], [now] = ({one["after"] for one in heard} for heard in (before, after))
    assert now == was + 1
    assert not any(one["over"] for one in after)


def test_a_message_is_heard_only_by_who_may_read_it(place, game):
    tell(place, game, 0, None, "all")
    everybody = [pulse(place, game, seat)["said"] for seat in (0, 1, 2, None)]
    tell(place, game, 0, 1, "psst")
    heard = [pulse(place, game, seat)["said"] for seat in (0, 1, 2, None)]
    assert [now != before for now, before in zip(heard, everybody, strict=True)] == [True, True, False, False]
    assert everybody[3] == 0  # spectators read none


def test_it_names_the_page_that_shows_what_has_happened(place, game):
    move(place, game)
    seat = position_of(place, game).table.seat
    page = place.visitor().get(str(pulse(place, game, seat)["page"]))
    assert page.status == 200
    assert "moved on" not in page.text
    assert place.visitor().get(str(pulse(place, game)["page"])).status == 200


def test_of_what_words_would_do_it_names_the_page_that_says_what_became_of_them(place, game):
    move(place, game)
    seat = position_of(place, game).table.seat
    page = place.visitor().get(str(pulse(place, game, seat, "choose horse")["page"]))
    assert "went on" in page.text


def test_the_end_of_a_game_is_heard(place):
    game = watched(place, played(place, "Anna", "Ben"))
    assert pulse(place, game, 0)["over"] is True
    assert pulse(place, game)["over"] is True


def test_pages_begin_where_the_pulse_is(place, game):
    """What a page says that it shows is what the pulse says there is; else it would be fetched for ever."""
    tell(place, game, 1, None, "hello")
    move(place, game)
    mover = position_of(place, game).table.seat
    links = [(place.link(game, seat=seat), seat) for seat in (0, 1, 2)]
    links += [(f"/t/{place.token(game, seat=0)}/history", 0), (f"/t/{place.token(game, seat=0)}/sheet", 0)]
    links += [
        (f"/g/{game}", None),
        (f"/g/{game}/history", None),
        (place.link(game, "nothing", seat=mover), mover),
    ]
    for link, seat in links:
        [here] = place.visitor().get(link).page.xpath("//*[@data-pulse]")
        heard = place.visitor().client.get(here.get("data-pulse")).get_json()
        assert (here.get("data-after"), here.get("data-said")) == (str(heard["after"]), str(heard["said"])), (
            link
        )
        assert heard == pulse(place, game, seat) | {"page": heard["page"]}


def test_a_page_tells_in_words_what_happened_last(place, game):
    move(place, game)
    name = position_of(place, game).table.names[0]
    assert name in place.visitor().get(f"/g/{game}").page.xpath("string(//@data-news)")


def test_of_what_happened_last_it_tells_what_matters_most(place, game):
    for _ in range(12):
        move(place, game)
        last = [event for seq, event in place.history(game).events if seq == place.history(game).after]
        news = place.visitor().get(f"/g/{game}").page.xpath("string(//@data-news)")
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


def test_it_neither_sets_nor_needs_a_cookie_and_changes_nothing(place, game):
    stored = place.stored()
    answer = place.visitor().client.get(f"/t/{place.token(game, seat=0)}/pulse")
    assert "Set-Cookie" not in answer.headers
    assert place.stored() == stored
    assert place.visitor().client.post(f"/t/{place.token(game, seat=0)}/pulse").status_code == 405


def test_a_damaged_token_and_a_game_that_is_gone_have_no_pulse(place, game):
    from emails.tokens import Ticket, seal_ticket

    gone = seal_ticket(Ticket("aaaaaaaa", 0, 3), place.context.links.keys)
    for token in ("x", gone, place.token(game, seat=0)[:-1] + "8"):
        assert place.visitor().client.get(f"/t/{token}/pulse").status_code == 404


def test_a_turn_that_is_begun_is_heard_by_its_player_alone(place, game):
    mover = position_of(place, game).table.seat
    before = [pulse(place, game, seat) for seat in (0, 1, 2)]
    assert {one["begun"] for one in before} == {""}
    visitor = place.visitor().get(place.link(game)).tap("do")
    after = [pulse(place, game, seat) for seat in (0, 1, 2)]
    assert [one != other for one, other in zip(before, after, strict=True)] == [
        seat == mover for seat in (0, 1, 2)
    ]
    assert visitor.page.xpath("string(//*[@id='play']/@data-begun)") == after[mover]["begun"] != ""
    visitor.tap("over")
    assert [pulse(place, game, seat) for seat in (0, 1, 2)] == before
