"""Old links, other people's pages and forged presses: what they must not lead to."""

from time import monotonic

import pytest

from emails.links import seal_nobody
from server.lobby import open_seats
from server.lobby.games import Wish, accept, open_game
from server.lobby.organiser import cancel, fill
from server.outbox import chat
from server.store.game_terms import Terms
from server.store.models import Game, Seating, SignedIn
from server.web.account import sign_in_pages
from tests.server.desk import NOON, desk, game_row, seat_of, start_game
from tests.server.inbox.test_new_game_mail import Post, games
from tests.server.web.account.test_sign_in_pages import count, signed_in
from tests.server.web.lobby.test_proposal_page import link
from tests.server.web.site import Site

ANNA, BEN, OPEN = Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org"), Wish("", None, open=True)
LINK = Terms("link")


@pytest.fixture
def office(tmp_path):
    return desk(tmp_path)


@pytest.fixture
def place(office) -> Site:
    return Site(office)


def test_the_link_of_a_proposal_is_no_way_into_a_seat_that_its_organiser_gave_back(office, place):
    letter = Post(office).proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    visitor = place.visitor().get(link(letter))
    visitor.press()
    [game] = games(office, "open")
    seat = seat_of(office, game, "Anna")
    open_seats.leave(office, game, seat, 0, NOON)
    fill(office, game, "open", NOON)
    for name in ("Ben", "Cleo"):
        accept(office, game, seat_of(office, game, name), NOON)
    assert game_row(office, game).status == "running"
    assert visitor.get(link(letter)).status == 410
    assert "not yours any more" in visitor.text


def test_signing_out_is_no_form_that_another_site_can_send(place):
    start_game(place.office, "Anna", "Ben")
    visitor = signed_in(place)
    token = visitor.client.get_cookie("alexandros-in").value
    stranger = place.visitor()  # as a browser that leaves its cookies out of what another site sends
    answer = stranger.client.post("/me/browsers", data={"wish": "out"})
    assert not [one for one in answer.headers.getlist("Set-Cookie") if one.startswith("alexandros-in=")]
    assert visitor.client.get_cookie("alexandros-in").value == token
    assert count(place, SignedIn) == 1


def test_the_links_that_are_no_players_have_no_pulse_and_no_other_page_of_a_seat(place):
    game = start_game(place.office, "Anna", "Ben")
    with place.office.writing() as session:
        row = session.get_one(Game, game)
        chat.post(place.office, session, row, 0, None, "Hello", NOON)
        session.commit()
    for words in ("join", "opened", "new"):
        token = seal_nobody(game, words, place.office.post.secret)
        for page in ("", "/pulse", "/history", "/log", "/sheet", "/sum", "/settings", "/signin"):
            answer = place.visitor().client.get(f"/t/{token}{page}")
            assert (page, answer.status_code) == (page, 404)


def test_a_game_that_was_called_off_is_not_promised_to_those_who_would_watch(place):
    game = open_game(place.office, "Friday", [ANNA, OPEN], NOON, terms=Terms("all", watched=True))
    assert "has not begun yet" in place.visitor().get(f"/g/{game}").text
    cancel(place.office, game, NOON)
    visitor = place.visitor().get(f"/g/{game}")
    assert "come back" not in visitor.text
    for page in ("", "/history", "/log", "/pulse"):
        assert visitor.client.get(f"/g/{game}{page}").status_code == 404


def test_whoever_has_two_seats_comes_to_the_one_whose_turn_it_is(place):
    wishes = [Wish("Anna", "anna@example.org"), Wish("Anne", "anna@example.org"), BEN]
    game = open_game(place.office, "Friday", wishes, NOON, at_once=True, terms=Terms(watched=True))
    visitor = signed_in(place)
    for seat in range(3):
        with place.office.writing() as session:
            session.get_one(Game, game).seat = seat
            name = session.get_one(Seating, (game, seat)).name
            session.commit()
        link = visitor.client.get(f"/g/{game}").headers["Location"]
        own = place.token(game, seat=seat)
        assert (own in link) == (name != "Ben")


def test_how_long_an_answer_takes_does_not_tell_whether_somebody_plays_here(place):
    start_game(place.office, "Anna", "Ben")
    times = []
    for address in ("anna@example.org", "stranger@example.org") * 2:
        visitor = place.visitor().get("/signin")
        _, action, fields = visitor.form("//main//form")
        began = monotonic()
        visitor.client.post(action, data=fields | {"address": address})
        times.append(monotonic() - began)
    assert min(times) >= sign_in_pages.EVENLY


def test_the_stop_link_of_a_seat_that_was_given_back_says_so(place):
    game = open_game(place.office, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.ask(place.office, game, BEN, NOON)
    seat = seat_of(place.office, game, "Ben")
    history = place.history(game)
    page, _ = place.office.post.stop_links(game, history.holder(seat))
    open_seats.leave(place.office, game, seat, history.since(seat), NOON)
    visitor = place.visitor().get(page.partition("8000")[2])
    assert visitor.status == 410
    assert "You get no more letters of this game" in visitor.text
