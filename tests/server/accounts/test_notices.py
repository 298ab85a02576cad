"""A player hears by mail of a new browser, a new key and another address."""

import pytest
from sqlmodel import select

from server.accounts import sign_in
from server.accounts.addresses import request_address_confirmation, request_move
from server.delivery.sending import send_due_letters
from server.store.models import Player, Seating
from tests.server.accounts.test_sign_in import code_in, letters, new_code
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, body, seat_of


@pytest.fixture
def game(context, mails):
    game = begin_game(context, mails, "Anna", "Ben")
    mails.mails.clear()
    return game


def anna(context):
    with context.reading() as session:
        return session.exec(select(Player.id).where(Player.name == "Anna")).one()


def told(context, mails, now=NOON, name="Anna"):
    """The notices that have gone to a player since this was asked last."""
    send_due_letters(context, mails, now)
    found = [mail for mail in mails.to(name) if mail["X-Alexandros"] == "notice"]
    mails.mails.clear()
    return found


def test_a_new_browser_is_told_what_when_which_and_what_to_do(context, game, mails):
    sign_in.sign_in(context, new_code(context), "Firefox; Android", NOON)
    (notice,) = told(context, mails)
    assert notice["To"] == "anna@example.org"
    words = " ".join(body(notice).split())
    assert "Mon 2 March 2026, 12:00 UTC" in words
    assert "Firefox on Android" in words
    assert "http://127.0.0.1:8000/me/browsers" in words
    assert words.count("http") == 1
    assert not [lead for lead in ("/t/", "/s/", "/c/", "/u/", "play+") if lead in notice.as_string()]


def test_a_browser_that_signs_in_again_is_not_new(context, game, mails, clock):
    token = sign_in.sign_in(context, new_code(context), "", NOON)
    assert len(told(context, mails)) == 1
    later = clock.forward(2)
    token = sign_in.sign_in(context, new_code(context, now=later), "", later, token)
    assert told(context, mails, later) == []
    later = clock.forward(2)
    bens = sign_in.sign_in(context, new_code(context, "ben@example.org", now=later), "", later, token)
    assert len(told(context, mails, later, "Ben")) == 1
    sign_in.sign_in(context, new_code(context, now=later), "", later, bens)
    assert len(told(context, mails, later)) == 1


def test_a_burst_is_a_few_notices_of_each_kind(context, game, mails, clock):
    for _ in range(3):
        sign_in.request_link_for(context, anna(context), NOON)
    for code in map(code_in, letters(context)[-3:]):
        sign_in.sign_in(context, code, "", NOON)
    for _ in range(5):
        sign_in.create_key(context, anna(context), "A program", NOON, "Chrome; Windows")
    found = told(context, mails)
    assert len(found) == 6
    first, second = found[0], found[-1]
    assert first["Subject"] == "Alexandros: a new sign-in"
    assert "“A program”" in body(second)
    assert "Chrome on Windows" in " ".join(body(second).split())
    sign_in.create_key(context, anna(context), "B", clock.forward(0.9), "")
    assert told(context, mails, clock()) == []
    sign_in.create_key(context, anna(context), "C", clock.forward(0.1), "")
    assert len(told(context, mails, clock())) == 1


def test_another_address_is_told_to_the_one_in_use(context, game, mails):
    seat = seat_of(context, game, "Anna")
    request_address_confirmation(context, game, seat, "new@example.org", NOON, browser="Safari; iPhone")
    (notice,) = told(context, mails)
    assert "new@example.org" in body(notice)
    assert "Safari on iPhone" in " ".join(body(notice).split())


def test_the_letter_that_asks_says_from_which_browser(context, game, mails):
    request_move(context, game, seat_of(context, game, "Anna"), "new@example.org", NOON, "Opera; Linux")
    send_due_letters(context, mails, NOON)
    (letter,) = mails.mails
    assert "Opera on Linux" in " ".join(body(letter).split())


def test_who_sits_nowhere_is_not_told(context, game, mails):
    number = anna(context)
    with context.writing() as session:
        session.get_one(Seating, (game, seat_of(context, game, "Anna"))).player = None
        session.commit()
    sign_in.create_key(context, number, "x", NOON)
    assert told(context, mails) == []
