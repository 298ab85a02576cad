"""Whoever gets the link of a free seat: what they see before it is theirs, and what becomes of who had it."""

from __future__ import annotations

from server.lobby.leaving import take_offered_seat
from server.outbox.chat import post
from server.store.context import Context
from server.store.models import Game
from tests.server.desk import Clock, body, names_of, work_until_idle
from tests.server.lobby.test_substitutes import known, offered, path_of, seating, vacant
from tests.server.web.site import Site

__all__ = ["vacant"]
SECRET = "the temple is mine"


def whisper(context: Context, game: str, clock: Clock) -> None:
    """The second player writes to the one who has vanished."""
    with context.writing() as session:
        post(context, session, session.get_one(Game, game), 1, 0, SECRET, clock())
        session.commit()


def place_of(context: Context, clock: Clock) -> Site:
    place = Site(context)
    place.clock.now = clock()
    return place


def test_to_look_changes_nothing_and_shows_no_hand(context, vacant, mails, clock):
    place = place_of(context, clock)
    whisper(context, vacant, clock)
    before = place.stored()
    page = place.visitor().get(path_of(context, vacant))
    assert (page.status, place.stored()) == (200, before)
    assert SECRET not in page.text
    assert "Your hand" not in page.text
    assert f"/t/{vacant}" not in page.text


def test_nobody_takes_it_without_a_button_of_their_own_page_or_for_another(context, vacant, mails, clock):
    place = place_of(context, clock)
    link = path_of(context, vacant)
    for fields in ({}, {"nonce": "x"}, {"name": "Dirk", "address": "dirk@example.org"}):
        assert place.visitor().client.post(link, data=fields).status_code in (303, 400, 409)
    place.visitor().get(link).send(name="Dirk", address="ben@example.org")
    work_until_idle(context, mails, clock())
    assert offered(context) == [0]
    assert seating(context, vacant, 0).name == names_of(context, vacant)[0]


def test_whoever_has_it_reads_nothing_of_before_in_page_letter_or_log(context, vacant, mails, clock):
    whisper(context, vacant, clock)
    take_offered_seat(context, vacant, known(context, "Dirk", clock), "Dirk", clock())
    place = place_of(context, clock)
    visitor = place.visitor()
    for page in ("", "/history", "/board", "/sheet"):
        assert SECRET not in visitor.get(place.link(vacant, seat=0) + page).text
    work_until_idle(context, mails, clock.forward(30))
    written = [body(one) for one in mails.to("dirk")]
    assert written
    assert not [one for one in written if SECRET in one]


def test_a_link_of_another_game_or_one_that_was_changed_leads_nowhere(context, vacant, clock):
    place = place_of(context, clock)
    link = path_of(context, vacant)
    changed = link[:-1] + ("b" if link[-1] == "a" else "a")
    assert place.visitor().get(changed).status in (404, 410)
    assert offered(context) == [0]
