"""A letter was passed on: whoever has it has one seat for a while, and never the player."""

from pathlib import Path

import pytest

from tests.attacks import reading, small_world
from tests.attacks.reading import shows_seat, ticket_in
from tests.attacks.small_world import World, address_of, begin, open_world
from tests.breadth import first
from tests.server.web.site import Visitor

THIEF = "thief@example.org"
ENDS = {
    "the button of the settings": lambda world: small_world.make_links_new(world, "Ben"),
    "a mail that asks for it": lambda world: small_world.make_links_new_by_mail(world, "Ben"),
    "another address": lambda world: small_world.change_address(world, "Ben", "ben@new.example.org"),
    "an address that was taken back": lambda world: taken_and_taken_back(world),
}
"""What ends the links of every letter before it."""


@pytest.fixture
def held(tmp_path):
    """A world, its game, and the letter of Ben that was passed on."""
    world, game = open_world(tmp_path, "Anna", "Ben")
    return world, game, world.last("ben")


def taken_and_taken_back(world: World) -> None:
    small_world.change_address(world, "Ben", THIEF)
    small_world.take_back(world, "ben@example.org")


def yes_to_all(world: World, address: str) -> None:
    """The reader of an address says yes to whatever comes there."""
    for mail in world.deliver():
        if str(mail["To"]) == address:
            small_world.confirm(world, mail)


def test_the_letter_alone_moves_no_address(held):
    world, _, letter = held
    seat = ticket_in(letter)
    thief = small_world.ask_for_address(world.visitor(), seat, THIEF)
    thief.post(f"{seat}/settings/address", address=THIEF, nonce=thief.get(seat).nonce())
    yes_to_all(world, THIEF)
    assert address_of(world, "Ben") == "ben@example.org"


def test_the_owner_hears_of_the_wish_to_move_and_nothing_moves_without_them(held):
    world, _, letter = held
    before = len(world.mails.to("ben"))
    small_world.ask_for_address(world.visitor(), ticket_in(letter), THIEF)
    yes_to_all(world, THIEF)
    world.place.clock.forward(24 * 6)
    yes_to_all(world, THIEF)
    assert address_of(world, "Ben") == "ben@example.org"
    told = [mail for mail in world.mails.to("ben")[before:] if THIEF in reading.written_in(mail)]
    asked = [mail for mail in world.mails.mails if str(mail["To"]) == THIEF]
    assert told or not asked


@pytest.mark.parametrize("end", first(2, ENDS.values()), ids=ENDS)
def test_all_links_of_the_letter_have_ended_after(held, end):
    world, _, letter = held
    seats = [link for link in reading.links_in(letter) if link.startswith("/t/")]
    assert shows_seat(world.visitor(seats[0]))
    end(world)
    links = [seats[0], ticket_in(letter), f"{ticket_in(letter)}/settings", reading.act_in(letter)]
    below = [ticket_in(letter) + page for page in ("/history", "/sheet", "/log", "/pulse", "/sum")]
    for link in (*links, *below, *seats[-3:]):
        visitor = world.visitor(link)
        assert not shows_seat(visitor), link
        assert "Your hand" not in visitor.answer.text, link


@pytest.mark.parametrize("end", first(2, ENDS.values()), ids=ENDS)
def test_a_form_that_was_opened_before_does_nothing_after(held, end):
    world, _, letter = held
    thief = world.visitor(reading.act_in(letter))
    forms = reading.forms_of(thief)
    forms += reading.forms_of(thief.get(ticket_in(letter)))
    forms += reading.forms_of(thief.get(f"{ticket_in(letter)}/settings"))
    assert forms
    end(world)
    before = world.stored()
    for action, fields in forms:
        filled = {name: value if value else "x@example.org" for name, value in fields.items()}
        thief.client.post(action, data=filled)
    assert world.stored() == before


def test_the_owner_gets_a_letter_with_links_that_work_after_the_end(held):
    world, _, _ = held
    before = len(world.mails.mails)
    small_world.make_links_new(world, "Ben")
    fresh = [mail for mail in world.mails.mails[before:] if str(mail["To"]) == "ben@example.org"]
    seats = [link for mail in fresh for link in reading.links_in(mail) if link.startswith("/t/")]
    assert seats
    assert shows_seat(world.visitor(seats[0]))


def finished(tmp_path: Path) -> tuple[World, str, Visitor, str]:
    """A game that is over, and the browser and the ticket of one who had its settings open."""
    world, _ = open_world(tmp_path, "Anna", "Ben")
    game = begin(world, "Cleo", "Dirk")
    seat = ticket_in(world.mails.to("cleo")[-1])
    thief = world.visitor(seat)
    return world, game, thief, seat


def test_a_ticket_of_a_finished_game_only_reads(tmp_path):
    world, game, thief, seat = finished(tmp_path)
    forms = reading.forms_of(thief) + reading.forms_of(thief.get(f"{seat}/settings"))
    small_world.finish(world, game)
    assert world.visitor(f"{seat}?look=1").status == 200
    forms += reading.forms_of(thief.get(f"{seat}?look=1")) + reading.forms_of(thief.get(f"{seat}/settings"))
    before = world.stored()
    for action, fields in forms:
        filled = {name: value if value else "x@example.org" for name, value in fields.items()}
        thief.client.post(action, data=filled)
    assert world.stored() == before


def test_another_game_of_the_same_player_stays_shut(held):
    world, _, letter = held
    other = begin(world, "Ben", "Cleo")
    shown = world.visitor(f"{ticket_in(letter)}/settings")
    for page in (shown, world.visitor(f"{ticket_in(letter)}/signin")):
        assert other not in page.answer.text
        assert "Cleo" not in page.text
