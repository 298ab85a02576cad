"""Saying no to an invitation: by its page, by an answer, by the button of a mail program, and for good."""

import re
from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.tokens import mask_tokens
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.outbox.budgets import find_address_block
from server.outbox.notifications import set_letters_wanted
from server.store.game_terms import SeatRequest
from server.store.models import (
    BouncingAddress,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Seating,
    StoredPreferences,
)
from server.store.states import BlockOrigin, GameStatus
from tests.server.beginnings import begin_once
from tests.server.desk import ANNA, BEN, BY_LINK, CLEO, NOON, body, kinds
from tests.server.inbox.test_mail_dispatch import reply


@pytest.fixture
def game(place, mails) -> str:
    """A game of Anna's, to which Ben and Cleo are invited who are not known here."""

    def with_invitations() -> str:
        made = opened(place)
        place.context.work_until_idle(mails, NOON)
        return made

    return begin_once(place.context, mails, with_invitations)


def opened(place, *people: SeatRequest, name: str = "Friday") -> str:
    return place.open_game(name, [ANNA, *(people or (BEN, CLEO))], organiser=ANNA.address, terms=BY_LINK)


def link(mail: EmailMessage, words: str) -> str:
    return re.search(rf"{re.escape(words)}[^:]*:\s+http://127.0.0.1:8000(/\S+)", body(mail))[1]


def names(place, game) -> list[str]:
    return sorted(place.rows(Seating.name, Seating.game == game))


def told(place, mails) -> list[str]:
    """What Anna hears of those who will not play."""
    place.context.work_until_idle(mails, NOON)
    return [" ".join(body(one).split()) for one in mails.to("Anna") if one["X-Alexandros"] == "declined"]


def test_a_link_of_the_letter_leads_to_a_page_with_a_button_that_declines(place, mails, game):
    visitor = place.visitor().get(link(mails.to("Ben")[0], "No, thanks"))
    assert visitor.title == "You will not play, Ben?"
    assert names(place, game) == ["Anna", "Ben", "Cleo"]
    visitor.press()
    assert visitor.title == "You will not play"
    assert visitor.get(visitor.answer.request.path).title == "You are not in this game"
    assert names(place, game) == ["", "Anna", "Cleo"]
    (letter,) = told(place, mails)
    assert "Ben was invited to “Friday” and does not want to play." in letter


def test_whoever_thinks_better_of_it_accepts_on_the_same_page(place, mails, game):
    visitor = place.visitor().get(link(mails.to("Ben")[0], "No, thanks"))
    visitor.send("//main//form[not(contains(@action, '/leave'))]")
    assert visitor.title == "You are in, Ben"


@pytest.mark.parametrize("words", ["no idea what this is", "no\nyes", "not sure", "say: no"])
def test_what_is_no_clear_no_declines_nothing(place, mails, game, words):
    reply(place.context, mails.to("Ben")[0], words)
    assert place.rows(IncomingMail.state)[-1] in ("refused", "ignored")
    assert names(place, game) == ["Anna", "Ben", "Cleo"]


def test_so_does_the_mail_that_a_program_sends_for_it(place, mails, game):
    to = re.search(r"<mailto:(stop\+[^>]+)>", str(mails.to("Ben")[0]["List-Unsubscribe"]))[1]
    raw = b"From: ben@example.org\r\nMessage-ID: <1@client.example.org>\r\n\r\n"
    store_mail(place.context, BEN.address, to, raw, NOON)
    dispatch.process_waiting_mail(place.context, NOON)
    assert names(place, game) == ["", "Anna", "Cleo"]
    assert len(told(place, mails)) == 1


def test_a_button_ends_all_that_is_not_asked_for_and_the_same_page_leads_back(place, mails, game):
    waiting = opened(place, name="Saturday")
    visitor = place.visitor().get(link(mails.to("Ben")[0], "This mail was not wanted"))
    assert visitor.title == "This mail was not wanted?"
    assert names(place, game) == ["Anna", "Ben", "Cleo"]
    visitor.press()
    assert visitor.title == "You are never written to again"
    assert names(place, game) == names(place, waiting) == ["", "Anna", "Cleo"]
    assert len(told(place, mails)) == 2
    again = opened(place, SeatRequest("Benjamin", "Ben+games@Example.org"), name="Sunday")
    place.visitor().get("/new").send(name="Monday", address1="BEN@example.org", name2="x", kind2="house")
    place.context.work_until_idle(mails, NOON)
    assert kinds(mails.to("Ben")) == ["invitation"]
    assert not [mail for mail in mails.mails if "ben+" in str(mail["To"]).lower()]
    organiser = place.context.links.organiser_link(again, 0).removeprefix("http://127.0.0.1:8000")
    assert "No mail goes to Benjamin" in place.visitor().get(organiser).text
    visitor.press()
    assert visitor.title == "You can be invited again"
    opened(place, name="Tuesday")
    place.context.work_until_idle(mails, NOON)
    assert kinds(mails.to("Ben")) == ["invitation", "invitation"]


def test_it_works_for_good_and_of_nobody_is_more_kept_than_a_digest(place, mails, game):
    page = link(mails.to("Ben")[0], "This mail was not wanted")
    with place.changing() as session:
        for row in session.exec(select(Seating).where(Seating.name == "Ben")):
            row.player, row.name = None, ""
        letters = select(OutgoingLetter).where(OutgoingLetter.recipient == BEN.address)
        session.exec(letters).one().recipient = ""
        session.flush()
        session.delete(session.exec(select(Player).where(Player.name == "Ben")).one())
    place.clock.forward(24 * 1000)
    place.visitor().get(page).press()
    assert place.read(find_address_block, "ben@example.org") is BlockOrigin.READER
    assert place.visitor().get(page).title == "You are never written to again"
    assert place.visitor().get(page[:-1]).status == 404
    assert mask_tokens(page) == "/x/..."


def test_a_player_whom_somebody_seated_gets_no_letters_of_that_game_either(place, mails):
    place.open_game("Friday", [BEN, CLEO], at_once=True)
    place.context.work_until_idle(mails, NOON)
    (welcome,) = [mail for mail in mails.to("Ben") if mail["X-Alexandros"] == "welcome"]
    assert str(welcome["Subject"]) == "[Alexandros] Your game by mail has begun"
    place.visitor().get(link(welcome, "This mail was not wanted")).press()
    before = len(mails.to("Ben"))
    place.open_game("Saturday", [BEN, CLEO], at_once=True)
    place.context.work_until_idle(mails, NOON)
    assert len(mails.to("Ben")) == before


def test_who_never_said_yes_is_known_by_a_digest_alone(place, mails, game):
    """Their mail came back, and they had stopped letters before: the digest is worth more."""
    [ben] = place.rows(Player.id, Player.name == "Ben")
    with place.changing() as session:
        set_letters_wanted(session, ben, None, False, NOON)
        session.add(BouncingAddress(player=ben, address=BEN.address, since=NOON))
    assert "Ben" in people(place)
    place.visitor().get(link(mails.to("Ben")[0], "This mail was not wanted")).press()
    assert people(place) == ["Anna", "Cleo"]
    assert place.rows(StoredPreferences, StoredPreferences.player == ben) == []
    assert place.rows(BouncingAddress) == []


def test_who_plays_stays_known_though_they_want_no_letters_unasked(place, mails, game):
    place.context.confirm("Ben")
    place.visitor().get(link(mails.to("Ben")[0], "This mail was not wanted")).press()
    assert people(place) == ["Anna", "Ben", "Cleo"]


def test_a_game_that_somebody_asked_for_in_another_name_goes_with_its_stranger(place, mails):
    place.visitor().get("/new").send(name="Monday", name1="Dirk", address1="dirk@example.org", kind2="house")
    place.context.work_until_idle(mails, NOON)
    assert "Dirk" in people(place)
    place.visitor().get(link(mails.to("Dirk")[0], "This mail was not wanted")).press()
    assert "Dirk" not in people(place)
    assert place.rows(Game, Game.status == GameStatus.PROPOSED) == []


def people(place) -> list[str]:
    return sorted(place.rows(Player.name))
