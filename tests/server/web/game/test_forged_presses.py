"""Old links, other people's pages and forged presses: what they must not lead to."""

from time import monotonic

import pytest

from emails.tokens import Purpose, seal_game
from server.lobby import open_seats
from server.lobby.open_seats import cancel_game, fill_with_bots
from server.outbox import chat
from server.store.game_terms import SeatRequest
from server.store.models import Game, Seating, SignedInBrowser
from server.store.server_facts import GameTerms
from server.web.kit import visitors
from tests.server.desk import NOON, accept_invitation, game_row, open_game, seat_of, start_game
from tests.server.inbox.test_new_game_mail import Post, games
from tests.server.web.account.test_sign_in_pages import count, signed_in
from tests.server.web.lobby.test_proposal_page import link
from tests.server.web.site import Site

ANNA, BEN, OPEN = (
    SeatRequest("Anna", "anna@example.org"),
    SeatRequest("Ben", "ben@example.org"),
    SeatRequest("", None, open=True),
)
LINK = GameTerms("link")


@pytest.fixture
def place(context) -> Site:
    return Site(context)


def test_the_link_of_a_proposal_is_no_way_into_a_seat_that_its_organiser_gave_back(context, place):
    letter = Post(context).proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    visitor = place.visitor().get(link(letter))
    visitor.press()
    [game] = games(context, "open")
    seat = seat_of(context, game, "Anna")
    open_seats.leave_seat(context, game, seat, 0, NOON)
    fill_with_bots(context, game, "open", NOON)
    for name in ("Ben", "Cleo"):
        accept_invitation(context, game, seat_of(context, game, name), NOON)
    assert game_row(context, game).status == "running"
    assert "is open" in visitor.get(link(letter)).text
    assert not [found for _, found in visitor.links() if "/t/" in found]


def test_signing_out_is_no_form_that_another_site_can_send(place):
    start_game(place.context, "Anna", "Ben")
    visitor = signed_in(place)
    token = visitor.client.get_cookie("alexandros-in").value
    stranger = place.visitor()  # as a browser that leaves its cookies out of what another site sends
    answer = stranger.client.post("/me/browsers", data={"wish": "out"})
    assert not [one for one in answer.headers.getlist("Set-Cookie") if one.startswith("alexandros-in=")]
    assert visitor.client.get_cookie("alexandros-in").value == token
    assert count(place, SignedInBrowser) == 1


def test_the_links_that_are_no_players_have_no_pulse_and_no_other_page_of_a_seat(place):
    game = start_game(place.context, "Anna", "Ben")
    with place.context.writing() as session:
        row = session.get_one(Game, game)
        chat.post(place.context, session, row, 0, None, "Hello", NOON)
        session.commit()
    for purpose in (Purpose.JOIN, Purpose.ORGANISER, Purpose.PROPOSAL, Purpose.PROPOSAL_REPLY):
        token = seal_game(purpose, game, place.context.links.keys)
        for page in ("", "/pulse", "/history", "/log", "/sheet", "/sum", "/settings", "/signin"):
            answer = place.visitor().client.get(f"/t/{token}{page}")
            assert (page, answer.status_code) == (page, 404)


def test_a_game_that_was_called_off_is_not_promised_to_those_who_would_watch(place):
    game = open_game(place.context, "Friday", [ANNA, OPEN], NOON, terms=GameTerms("all", watched=True))
    assert "has not begun yet" in place.visitor().get(f"/g/{game}").text
    cancel_game(place.context, game, NOON)
    visitor = place.visitor().get(f"/g/{game}")
    assert "come back" not in visitor.text
    for page in ("", "/history", "/log", "/pulse"):
        assert visitor.client.get(f"/g/{game}{page}").status_code == 404


def test_whoever_has_two_seats_comes_to_the_one_whose_turn_it_is(place):
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Anne", "anna@example.org"), BEN]
    game = open_game(place.context, "Friday", requests, NOON, at_once=True, terms=GameTerms(watched=True))
    visitor = signed_in(place)
    for seat in range(3):
        with place.context.writing() as session:
            session.get_one(Game, game).seat = seat
            name = session.get_one(Seating, (game, seat)).name
            session.commit()
        link = visitor.client.get(f"/g/{game}").headers["Location"]
        own = place.token(game, seat=seat)
        assert (own in link) == (name != "Ben")


def test_how_long_an_answer_takes_does_not_tell_whether_somebody_plays_here(place):
    start_game(place.context, "Anna", "Ben")
    times = []
    for address in ("anna@example.org", "stranger@example.org") * 2:
        visitor = place.visitor().get("/signin")
        _, action, fields = visitor.form("//main//form")
        began = monotonic()
        visitor.client.post(action, data=fields | {"address": address})
        times.append(monotonic() - began)
    assert min(times) >= visitors.EVEN_ANSWER_SECONDS


def test_the_stop_link_of_a_seat_that_was_given_back_says_so(place):
    game = open_game(place.context, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.hold_seat(place.context, game, BEN, NOON)
    seat = seat_of(place.context, game, "Ben")
    history = place.history(game)
    page, _ = place.context.links.unsubscribe_links(game, history.holder_code(seat))
    open_seats.leave_seat(place.context, game, seat, history.player_since(seat), NOON)
    visitor = place.visitor().get(page.partition("8000")[2])
    assert visitor.status == 410
    assert "You get no more mails of this game" in visitor.text
