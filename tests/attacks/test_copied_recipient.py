"""Somebody was put into Cc: they have the addresses in To and Cc, and no page and no card by them."""

import pytest

from tests.attacks import reading
from tests.attacks.kinds import PAGE_DOORS, SHUT
from tests.attacks.reading import DOMAIN, sealed, shows_seat
from tests.attacks.small_world import MAIN_FORM, PAGES, World


def proposed(world: World) -> str:
    """Anna asks for a game; the address in the head of the answer, as a copy of her mail shows it."""
    world.write("anna@example.org", f"new@{DOMAIN}", "Ben <ben@example.org>\nCleo <cleo@example.org>")
    return str(world.last("anna", "proposal")["Reply-To"])


def begun(world: World) -> None:
    letter = world.last("anna", "proposal")
    link = next(one for one in reading.links_in(letter) if one.startswith("/n/"))
    world.visitor(link).press()
    for name in ("ben", "cleo"):
        invited = world.last(name, "invitation")
        world.visitor(next(one for one in reading.links_in(invited) if one.startswith("/t/"))).press()
    world.deliver()


def shut_everywhere(world: World, token: str) -> None:
    for prefix in PAGE_DOORS:
        answer = world.place.app.test_client().get(prefix + token, follow_redirects=True)
        assert answer.status_code in SHUT, prefix
        assert "Your hand" not in answer.text
    for page in PAGES:
        for prefix in ("/t/", "/n/"):
            visitor = world.visitor().get(f"{prefix}{token}{page}")
            assert visitor.status in SHUT, (prefix, page)
            assert not shows_seat(visitor)


def test_the_address_of_an_answer_opens_no_page(world):
    for name in ("anna", "ben"):
        shut_everywhere(world, sealed(str(world.last(name)["Reply-To"])))


def test_the_address_of_a_proposal_opens_no_page(world):
    shut_everywhere(world, sealed(proposed(world)))


def test_the_address_of_a_proposal_opens_no_page_once_the_game_has_begun(world):
    address = proposed(world)
    begun(world)
    shut_everywhere(world, sealed(address))


@pytest.mark.parametrize("words", ["hand", "board", "settings", "?", "history", "yes", "accept"])
def test_a_stranger_who_writes_to_a_copied_address_learns_nothing(world, words):
    address = str(world.last("ben")["Reply-To"])
    before, sent = world.stored(), len(world.mails.mails)
    world.write("dirk@example.org", address, words)
    world.deliver()
    assert world.stored() == before
    told = [mail for mail in world.mails.mails[sent:] if "dirk@" in str(mail["To"])]
    for mail in told:
        assert "Your hand" not in reading.written_in(mail)
        assert "ben@example.org" not in reading.written_in(mail)
        assert not [link for link in reading.links_in(mail) if link.startswith(("/t/", "/c/", "/s/"))]


def test_the_page_of_a_proposal_is_known_by_its_link_alone(world):
    address = proposed(world)
    link = next(one for one in reading.links_in(world.last("anna", "proposal")) if one.startswith("/n/"))
    assert sealed(link) != sealed(address)
    assert world.visitor(link).page.xpath(MAIN_FORM)
