"""What a player whose mail comes back sees on the pages, and what he can do there."""

from datetime import timedelta

import pytest
from sqlmodel import select

from server.accounts.bounces import find_bounce_mark, record_bounce
from server.clock import tick
from server.outbox.queue import open_unit
from server.store.models import AddressConfirmation, OutgoingLetter, Player, Seating
from tests.server.desk import NOON, game_row

ADDRESS = "//form[contains(@action, '/settings/address')]"
AGAIN = "//form[contains(@action, '/settings/again')]"


def settings(place, game):
    return place.signed_in(game).get(place.link(game, seat=0) + "/settings")


def player(place, game):
    with place.context.reading() as session:
        return session.get_one(Player, session.get_one(Seating, (game, 0)).player)


def returned(place, game, why="550 5.1.1 <b>User</b> unknown", reported=False):
    """The letter of his turn comes back."""
    with open_unit(place.context, NOON) as unit:
        letter = unit.session.exec(
            select(OutgoingLetter).where(OutgoingLetter.game == game, OutgoingLetter.seat == 0)
        ).first()
        record_bounce(unit, letter, why, reported=reported)
        unit.commit()


def fails(place, game):
    with place.context.reading() as session:
        return find_bounce_mark(session, player(place, game).id) is not None


def test_he_can_play_and_is_told_why_no_mail_comes(place, game):
    assert "Mail to you comes back" not in place.visitor().get(place.link(game, seat=0)).text
    returned(place, game)
    visitor = place.visitor().get(place.link(game, seat=0))
    assert "Mail to you comes back" in visitor.text
    assert "<b>User</b> unknown" in visitor.text
    assert visitor.offers()
    assert visitor.page.xpath("//a[contains(@href, '/settings#address')]")
    assert "Mail to you comes back" not in place.visitor().get(place.link(game, seat=1)).text
    visitor.tap("card")
    assert visitor.tap("do").tap("end").status == 200
    assert game_row(place.context, game).after > 2


def test_he_says_that_his_address_takes_mail_again(place, game):
    assert not settings(place, game).page.xpath(AGAIN)
    returned(place, game)
    visitor = settings(place, game)
    assert f"Mail to {player(place, game).address} comes back" in visitor.text
    before = place.stored()
    visitor.client.get(visitor.form(AGAIN)[1])
    assert place.stored() == before
    assert visitor.post(visitor.form(AGAIN)[1]).status == 400
    assert fails(place, game)
    visitor = settings(place, game).send(AGAIN)
    assert visitor.status == 200
    assert "Mails go to your address again" in visitor.text
    assert not fails(place, game)
    assert game_row(place.context, game).deadline is not None
    assert not visitor.page.xpath(AGAIN)


@pytest.mark.parametrize(
    ("reported", "sentence"),
    [(False, "For 14 days at most no time runs"), (True, "For a day at most no time runs")],
)
def test_the_page_says_how_long_the_clock_stands_still(place, game, reported, sentence):
    returned(place, game, reported=reported)
    assert sentence in settings(place, game).text
    tick(place.context, NOON + timedelta(days=14))
    text = settings(place, game).text
    assert sentence not in text
    assert "Time runs on your turns all the same. Name another address" in text


@pytest.mark.parametrize("address", ["", "no address", "x@y\r\nBcc: z@y"])
def test_what_is_no_address_is_said_beside_its_field(place, game, address):
    visitor = settings(place, game).send(ADDRESS, address=address)
    assert visitor.status == 422
    assert visitor.page.xpath("//*[@id='wrong-address']")
    assert visitor.page.xpath("//*[@id='new-address'][@aria-invalid]")


def test_without_the_button_nothing_is_asked(place, game):
    visitor = settings(place, game)
    assert visitor.post(visitor.form(ADDRESS)[1], address="other@example.org").status == 400
    with place.context.reading() as session:
        assert session.exec(select(AddressConfirmation)).first() is None
