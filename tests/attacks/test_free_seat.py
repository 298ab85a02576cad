"""Whoever gets the link of a free seat: what they see before it is theirs, and what becomes of who had it."""

import pytest

from server.outbox.chat import post
from server.store.models import Game
from tests.server.desk import Clock, Desk, body
from tests.server.lobby.table import Table
from tests.server.lobby.test_substitutes import path_of
from tests.server.web.site import Site

SECRET = "the temple is mine"


@pytest.fixture
def vacant(context, mails, clock) -> Table:
    return Table(context, mails, clock).vacant()


def whisper(context: Desk, game: str, clock: Clock) -> None:
    with context.changing() as session:
        post(context, session, session.get_one(Game, game), 1, 0, SECRET, clock())


def place_of(context: Desk, clock: Clock) -> Site:
    place = Site(context)
    place.clock.now = clock()
    return place


def test_to_look_changes_nothing_and_shows_no_hand(context, vacant, clock):
    place = place_of(context, clock)
    whisper(context, vacant.game, clock)
    before = place.stored()
    page = place.visitor().get(path_of(context, vacant.game))
    assert (page.status, place.stored()) == (200, before)
    assert SECRET not in page.text
    assert "Your hand" not in page.text
    assert f"/t/{vacant.game}" not in page.text


def test_nobody_takes_it_without_a_button_of_their_own_page_or_for_another(context, vacant, clock):
    place = place_of(context, clock)
    link = path_of(context, vacant.game)
    for fields in ({}, {"nonce": "x"}, {"name": "Dirk", "address": "dirk@example.org"}):
        assert place.visitor().client.post(link, data=fields).status_code in (303, 400, 409)
    place.visitor().get(link).send(name="Dirk", address="ben@example.org")
    vacant.deliver()
    assert vacant.offered == [0]
    assert vacant.seating(0).name == vacant.names[0]


def test_whoever_has_it_reads_nothing_of_before_in_page_letter_or_log(context, vacant, mails, clock):
    whisper(context, vacant.game, clock)
    vacant.take()
    place = place_of(context, clock)
    visitor = place.visitor()
    for page in ("", "/history", "/board", "/sheet"):
        assert SECRET not in visitor.get(place.link(vacant.game, seat=0) + page).text
    vacant.deliver(30)
    written = [body(one) for one in mails.to("dirk")]
    assert written
    assert not [one for one in written if SECRET in one]


def test_a_link_of_another_game_or_one_that_was_changed_leads_nowhere(context, vacant, clock):
    place = place_of(context, clock)
    link = path_of(context, vacant.game)
    changed = link[:-1] + ("b" if link[-1] == "a" else "a")
    assert place.visitor().get(changed).status in (404, 410)
    assert vacant.offered == [0]
