"""The page of a proposed game, the pause of an organiser, and links of seats that were given back."""

from datetime import timedelta

import pytest

from server.clock import tick
from server.delivery.sending import send_due_letters
from server.lobby import open_seats
from server.lobby.open_seats import cancel_game, fill_with_bots
from server.lobby.proposals import PROPOSAL_VALID, delete_expired_proposals
from server.lobby.votes import VoteRefused, end_pause
from server.store.game_terms import SeatRequest
from server.store.models import Act
from server.store.server_facts import GameTerms
from server.store.states import Channel
from tests.server.desk import ANNA, BEN, BY_LINK, NOON, OPEN_SEAT
from tests.server.inbox.test_new_game_mail import Post, body, games, kind, stored
from tests.server.lobby.voting import pauses, written
from tests.server.web.lobby.test_open_seat_pages import organiser_link
from tests.server.web.site import Visitor


@pytest.fixture
def post(context):
    return Post(context)


def link(letter):
    return next(line for line in body(letter).split() if "/n/" in line).partition("8000")[2]


def test_the_page_shows_and_its_button_opens(context, post, place):
    letter = post.proposed("Ben <ben@example.org>\nI do hope he comes")
    before = stored(context)
    visitor = place.visitor().get(link(letter))
    assert visitor.title == "Shall this game begin, Anna?"
    for words in ("ben@example.org", "I do hope he comes", "Nobody has been invited"):
        assert words in visitor.text
    assert stored(context) == before
    visitor.press()
    [game] = games(context, "open")
    assert visitor.title == "The invitations are on their way"
    send_due_letters(context, post.carrier, NOON)
    assert [kind(post.to(name)) for name in ("anna", "ben")] == ["accepted", "invitation"]
    assert context.rows_of(Act.door, Act.game == game)[0] == "link"
    assert visitor.get(link(letter)).title == "The game is open"
    assert not [found for _, found in visitor.links() if "/t/" in found or "/new/" in found]


def test_a_form_from_before_is_shown_anew_and_opens_nothing(context, post, place):
    letter = post.proposed("Ben <ben@example.org>")
    visitor = place.visitor().get(link(letter))
    visitor.post(link(letter), nonce="of before")
    assert (visitor.status, visitor.title) == (400, "Shall this game begin, Anna?")
    assert not games(context, "open")
    visitor.press()
    assert games(context, "open")


def test_the_page_of_what_is_incomplete_replaced_or_gone_has_no_button(context, post, place):
    visitor = place.visitor()
    first = post.proposed("12 hours")
    page, _ = context.links.proposal_links(games(context, "proposed")[0])
    token = page.removeprefix(context.links.base_url)
    visitor.get(token)
    assert "Something is missing" in visitor.text
    assert not visitor.page.xpath("//main//button")
    post.answer(first, "the house")
    visitor.get(token)
    assert "something else since then" in visitor.text
    assert not visitor.page.xpath("//main//a[contains(@href, '/n/')]")
    delete_expired_proposals(context, NOON + PROPOSAL_VALID)
    visitor.get(token)
    assert "kept for a week" in visitor.text
    visitor.get("/n/nonsense")
    assert "does not work" in visitor.text


PAUSE, RESUME = "//form[.//button[@value='pause']]", "//form[.//button[@value='resume']]"


@pytest.fixture
def game(context) -> str:
    """A game of three whose time runs, opened by none of them."""
    return context.start_timed_game("Anna", "Ben", "Cleo")


def page(place, game) -> Visitor:
    return place.visitor().get(organiser_link(place, game))


def test_they_pause_it_and_everybody_hears_it_and_no_time_runs_until_they_resume_it(place, game):
    place.clock.forward(12)
    visitor = page(place, game).send(PAUSE, wish="pause")
    assert "The game is paused" in visitor.text
    assert not visitor.page.xpath(PAUSE)
    row = place.row(game)
    assert (row.deadline, row.time_left) == (None, 36 * 3600)
    assert all(any("paused" in one for one in place.context.unread(game, seat)) for seat in range(3))
    assert "The game is paused" in place.look(game).text
    place.clock.forward(100)
    tick(place.context, place.clock())
    assert place.row(game).turn == 1
    page(place, game).send(RESUME, wish="resume")
    assert place.row(game).deadline == place.clock() + timedelta(hours=36)


def test_twice_is_once_and_after_a_day_a_player_ends_it(place, game):
    for _ in range(2):
        pauses(place.context, game, None, NOON)
    assert written(place.context, game, "game_paused") == 1
    with pytest.raises(VoteRefused, match="lasted a day"):
        place.context.committed(NOON, end_pause, game, 1, Channel.WEB)
    place.context.committed(NOON + timedelta(days=1), end_pause, game, 1, Channel.WEB)
    assert place.row(game).paused_at is None


def test_where_the_organiser_plays_it_is_done_from_their_seat_alone(place):
    own = place.open_game("Friday", [ANNA, BEN], at_once=True, organiser=ANNA.address)
    place.context.begin_time(own)
    assert not page(place, own).page.xpath(PAUSE)
    with pytest.raises(VoteRefused, match="among themselves"):
        pauses(place.context, own, None, NOON)


def test_the_link_of_a_proposal_is_no_way_into_a_seat_that_its_organiser_gave_back(context, place):
    letter = Post(context).proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    visitor = place.visitor().get(link(letter))
    visitor.press()
    [game] = games(context, "open")
    open_seats.leave_seat(context, game, context.seat_of(game, "Anna"), 0, NOON)
    fill_with_bots(context, game, "open", NOON)
    for name in ("Ben", "Cleo"):
        context.accept_invitation(game, context.seat_of(game, name), NOON)
    assert context.game_row(game).status == "running"
    assert "is open" in visitor.get(link(letter)).text
    assert not [found for _, found in visitor.links() if "/t/" in found]


def test_a_game_that_was_called_off_is_not_promised_to_those_who_would_watch(place):
    game = place.open_game("Friday", [ANNA, OPEN_SEAT], terms=GameTerms("all", watched=True))
    assert "has not begun yet" in place.visitor().get(f"/g/{game}").text
    cancel_game(place.context, game, NOON)
    visitor = place.visitor().get(f"/g/{game}")
    assert "come back" not in visitor.text
    for page in ("", "/history", "/log", "/pulse"):
        assert visitor.client.get(f"/g/{game}{page}").status_code == 404


def test_whoever_has_two_seats_comes_to_the_one_whose_turn_it_is(place):
    requests = [ANNA, SeatRequest("Anne", "anna@example.org"), BEN]
    game = place.open_game("Friday", requests, at_once=True, terms=GameTerms(watched=True))
    visitor = place.signed_in(game, place.seat(game, "Anna"))
    for seat, name in enumerate(place.names(game)):
        place.context.change_game(game, seat=seat)
        link = visitor.client.get(f"/g/{game}").headers["Location"]
        assert (place.token(game, seat=seat) in link) == (name != "Ben")


def test_the_stop_link_of_a_seat_that_was_given_back_says_so(place):
    game = place.open_game("Friday", [ANNA, OPEN_SEAT], organiser=ANNA.address, terms=BY_LINK)
    open_seats.hold_seat(place.context, game, BEN, NOON)
    seat = place.seat(game, "Ben")
    history = place.history(game)
    page, _ = place.context.links.unsubscribe_links(game, history.holder_code(seat))
    open_seats.leave_seat(place.context, game, seat, history.player_since(seat), NOON)
    visitor = place.visitor().get(page.partition("8000")[2])
    assert visitor.status == 410
    assert "You get no more mails of this game" in visitor.text
