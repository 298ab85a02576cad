"""Who opened a game and does not play in it pauses it for all on their page, and lets it go on."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from sqlmodel import select

from server.clock import tick
from server.lobby.votes import VoteRefused, end_pause
from server.outbox.chat import unread_chat
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.models import Act
from server.store.server_facts import LONGEST_PAUSE
from server.store.states import Channel
from tests.server.desk import NOON, begin_time, committed, game_row, open_game, start_timed_game
from tests.server.lobby.voting import pauses
from tests.server.web.lobby.test_open_seat_pages import organiser_link
from tests.server.web.site import Site, Visitor

PAUSE, RESUME = "//form[.//button[@value='pause']]", "//form[.//button[@value='resume']]"


@pytest.fixture
def place(context: Context) -> Site:
    return Site(context)


@pytest.fixture
def game(context: Context) -> str:
    """A game of three whose time runs, opened by none of them."""
    return start_timed_game(context, "Anna", "Ben", "Cleo")


def told(place: Site, game: str, seat: int) -> list[str]:
    with place.context.reading() as session:
        return [one.words for one in unread_chat(session, game, seat)[0]]


def page(place: Site, game: str) -> Visitor:
    return place.visitor().get(organiser_link(place, game))


def written(place: Site, game: str) -> list[str]:
    with place.context.reading() as session:
        acts = session.exec(select(Act.events).where(Act.game == game).order_by(Act.seq)).all()
    return [fact["type"] for events in acts for fact in json.loads(events) if "game_" in fact["type"]]


def test_to_look_changes_nothing(place: Site, game: str) -> None:
    before = place.stored()
    assert "A pause for all" in page(place, game).text
    assert place.stored() == before


def test_they_pause_it_and_everybody_hears_it_and_no_time_runs_until_they_resume_it(
    place: Site, game: str
) -> None:
    place.clock.forward(12)
    visitor = page(place, game).send(PAUSE, wish="pause")
    assert "The game is paused" in visitor.text
    assert not visitor.page.xpath(PAUSE)
    row = game_row(place.context, game)
    assert (row.deadline, row.time_left) == (None, 36 * 3600)
    assert all(any("paused" in one for one in told(place, game, seat)) for seat in range(3))
    assert "The game is paused" in place.visitor().get(place.link(game)).text
    place.clock.forward(100)
    tick(place.context, place.clock())
    assert game_row(place.context, game).turn == 1
    page(place, game).send(RESUME, wish="resume")
    assert game_row(place.context, game).deadline == place.clock() + timedelta(hours=36)


def test_it_ends_by_itself_as_any_other(place: Site, game: str) -> None:
    page(place, game).send(PAUSE, wish="pause")
    tick(place.context, place.clock.forward(LONGEST_PAUSE.total_seconds() / 3600))
    assert game_row(place.context, game).paused_at is None


def test_twice_is_once_and_after_a_day_a_player_ends_it(place: Site, game: str) -> None:
    for _ in range(2):
        pauses(place.context, game, None, NOON)
    assert sum(one == "game_paused" for one in written(place, game)) == 1
    with pytest.raises(VoteRefused, match="lasted a day"):
        committed(place.context, NOON, end_pause, game, 1, Channel.WEB)
    committed(place.context, NOON + timedelta(days=1), end_pause, game, 1, Channel.WEB)
    assert game_row(place.context, game).paused_at is None


def test_where_the_organiser_plays_it_is_done_from_their_seat_alone(place: Site) -> None:
    people = [SeatRequest(one, f"{one.lower()}@example.org") for one in ("Anna", "Ben")]
    own = open_game(place.context, "Friday", people, NOON, at_once=True, organiser="anna@example.org")
    begin_time(place.context, own)
    visitor = page(place, own)
    assert not visitor.page.xpath(PAUSE)
    with pytest.raises(VoteRefused, match="among themselves"):
        pauses(place.context, own, None, NOON)
