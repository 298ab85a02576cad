"""The operator signs in at the desk by a mail to their address, whether they play here or not."""

import re
from pathlib import Path

import pytest
from sqlmodel import select

from server.accounts.sign_in import EXPIRED_LINK_KEPT_FOR, MOST_A_DAY, MOST_AT_ONCE
from server.delivery.sending import send_operator_mails
from server.privacy.retention import delete_all_expired
from server.store.models import OutgoingLetter, Player
from tests.server.desk import Collector, begin_time, body, confirm, seat_of, start_game
from tests.server.web.site import Site, Visitor, site

OPERATOR = "operator@example.net"
FORM = "//main//form"


@pytest.fixture
def place(tmp_path: Path) -> Site:
    return site(tmp_path, ALEXANDROS_OPERATOR=OPERATOR)


def mails(place: Site) -> Collector:
    """What leaves for the operator."""
    carrier = Collector()
    while send_operator_mails(place.context, carrier, place.clock(), 50):
        pass
    return carrier


def link_in(carrier: Collector) -> str:
    found = re.search(r"/s/[a-z2-7]{32}", body(carrier.mails[-1]))
    assert found
    return found[0]


def asked(place: Site, address: str = OPERATOR) -> Visitor:
    return place.visitor().get("/desk").send(FORM, address=address)


def people(place: Site) -> list[str]:
    with place.context.reading() as session:
        return list(session.exec(select(Player.address)))


def test_who_plays_nowhere_asks_at_the_desk_and_sits_down_there_by_the_link(place: Site) -> None:
    visitor = place.visitor().get("/desk")
    assert (visitor.status, visitor.title) == (200, "The desk")
    visitor.send(FORM, address=f" {OPERATOR.title()} ")
    assert visitor.title == "Look in your mail"
    carrier = mails(place)
    assert carrier.envelopes == [("", OPERATOR)]
    assert carrier.mails[0]["Subject"] == "[Alexandros] A link to the desk"
    assert visitor.get(link_in(carrier)).title == "Sign in as Operator?"
    assert "shows the desk for an hour" in visitor.text
    assert visitor.press().title == "The desk"
    assert "Find a game or a player" in visitor.text
    game = start_game(place.context, "Anna", "Ben")
    assert game in visitor.get("/desk?word=Friday").text
    assert visitor.get(f"/desk/game/{game}").status == 200


def test_they_have_no_seat_no_letter_and_nothing_but_the_desk(place: Site) -> None:
    visitor = asked(place)
    visitor.get(link_in(mails(place))).press()
    assert visitor.get("/me").status == 200
    assert visitor.get("/me/browsers").status == 200
    with place.context.reading() as session:
        assert not session.exec(select(OutgoingLetter)).all()


def test_after_an_hour_the_form_comes_back_and_a_new_link_opens_the_desk(place: Site) -> None:
    visitor = asked(place)
    visitor.get(link_in(mails(place))).press()
    place.clock.forward(1.1)
    for page in ("/desk", "/desk/mail?address=x", "/desk/game/aaaaaaaa"):
        assert "mail address" in visitor.get(page).text
    visitor.send(FORM, address=OPERATOR)
    assert visitor.get(link_in(mails(place))).press().title == "The desk"
    assert "Find a game or a player" in visitor.text


def test_an_operator_who_plays_gets_the_link_of_the_desk_too_and_keeps_the_name(tmp_path: Path) -> None:
    place = site(tmp_path, ALEXANDROS_OPERATOR="anna@example.org")
    game = begin_time(place.context, start_game(place.context, "Anna", "Ben"))
    confirm(place.context, "Anna", "Ben")
    visitor = asked(place, "Anna@example.org")
    assert visitor.get(link_in(mails(place))).title == "Sign in as Anna?"
    assert visitor.press().title == "The desk"
    assert "Friday" in visitor.get("/me").text
    assert place.visitor().get(place.link(game, seat=seat_of(place.context, game, "Anna"))).status == 200


def test_who_plays_by_another_address_asks_while_they_are_signed_in(place: Site) -> None:
    game = begin_time(place.context, start_game(place.context, "Anna", "Ben"))
    visitor = place.signed_in(game)
    assert visitor.get("/signin").title == "My games"
    assert visitor.get("/desk").send(FORM, address=OPERATOR).title == "Look in your mail"
    visitor.get(link_in(mails(place)))
    assert "that ends then" in visitor.text
    assert visitor.press().title == "The desk"


@pytest.mark.breadth
def test_so_many_links_are_mailed_and_no_more(place: Site) -> None:
    sent = [len(mails(place).mails) for _ in range(MOST_AT_ONCE + 2) if asked(place)]
    assert sent == [1] * MOST_AT_ONCE + [0, 0]
    for _ in range(MOST_A_DAY):
        place.clock.forward(0.2)
        asked(place)
        sent.append(len(mails(place).mails))
    assert sum(sent) == MOST_A_DAY
    place.clock.forward(25)
    asked(place)
    assert len(mails(place).mails) == 1


def test_what_strangers_type_is_forgotten_and_what_the_operator_uses_is_kept(place: Site) -> None:
    asked(place)
    assert people(place) == [OPERATOR]
    delete_all_expired(place.context, place.clock())
    assert people(place) == [OPERATOR]  # their link is good
    place.clock.forward(EXPIRED_LINK_KEPT_FOR.total_seconds() / 3600 + 1)
    delete_all_expired(place.context, place.clock())
    assert people(place) == []
    visitor = asked(place)
    visitor.get(link_in(mails(place))).press()
    place.clock.forward(48)
    delete_all_expired(place.context, place.clock())
    assert people(place) == [OPERATOR]
