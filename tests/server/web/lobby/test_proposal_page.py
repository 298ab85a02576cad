"""The page of a proposed game: it shows what was asked for, and only its button invites anybody."""

import pytest

from server.delivery.sending import send_due_letters
from server.lobby.proposals import PROPOSAL_VALID, delete_expired_proposals
from server.store.event_log import load_acts
from tests.server.desk import NOON
from tests.server.inbox.test_new_game_mail import Post, body, games, kind, stored
from tests.server.web.site import Site


@pytest.fixture
def post(context):
    return Post(context)


@pytest.fixture
def place(context):
    return Site(context)


def link(letter):
    return next(line for line in body(letter).split() if "/n/" in line).partition("8000")[2]


def test_the_page_shows_and_its_button_opens(context, post, place):
    letter = post.proposed("Ben <ben@example.org>\nI do hope he comes")
    visitor = place.visitor()
    before = stored(context)
    visitor.get(link(letter))
    assert visitor.title == "Shall this game begin, Anna?"
    for words in ("ben@example.org", "I do hope he comes", "Nobody has been invited"):
        assert words in visitor.text
    assert stored(context) == before
    visitor.press()
    [game] = games(context, "open")
    assert visitor.title == "The invitations are on their way"
    send_due_letters(context, post.carrier, NOON)
    assert [kind(post.to(name)) for name in ("anna", "ben")] == ["accepted", "invitation"]
    with context.reading() as session:
        assert load_acts(session, game)[0][0].door == "link"
    assert visitor.get(link(letter)).title == "The game is open"
    assert not [found for _, found in visitor.links() if "/t/" in found or "/new/" in found]


def test_the_page_of_what_is_incomplete_replaced_or_gone_has_no_button(context, post, place):
    visitor = place.visitor()
    first = post.proposed("12 hours")
    token = context.links.proposal_links(games(context, "proposed")[0])[0].removeprefix(
        context.links.base_url
    )
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


def test_a_late_button_opens_nothing(context, post, place):
    visitor = place.visitor()
    visitor.get(link(post.proposed()))
    visitor.send("//main//form", nonce="x")
    assert games(context, "open") == []
    assert "press the button again" in visitor.text


def test_the_link_of_a_proposal_is_the_ticket_of_no_seat(context, post, place):
    letter = post.proposed()
    ticket = link(letter).replace("/n/", "/t/")
    visitor = place.visitor()
    for _ in range(2):
        visitor.get(ticket)
        assert not visitor.page.xpath("//main//form")
        post.answer(letter, "yes")


def test_the_way_out_has_a_page(context, post, place):
    letter = post.proposed()
    visitor = place.visitor()
    visitor.get(next(line for line in body(letter).split() if "/u/" in line).partition("8000")[2])
    assert "asked for this game from your address" in visitor.text
    visitor.send("//main//form", wish="stop-all")
    assert "stopped" in visitor.text
    send_due_letters(context, post.carrier, NOON)
    assert len(post.carrier.mails) == 1
