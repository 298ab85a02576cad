"""A phone was lost: whoever finds it has its cookies and its letters until the owner ends that."""

import pytest

from tests.attacks import reading, small_world
from tests.attacks.reading import acts_alone, shows_seat, written_in
from tests.attacks.small_world import World, chosen, open_world, sign_in, sign_out_elsewhere
from tests.server.web.site import Visitor

LAPTOP = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537"


@pytest.fixture
def held(tmp_path) -> tuple[World, str, Visitor]:
    """A world, whose turn it is, and the phone of that player, signed in and playing at once."""
    world, game = open_world(tmp_path, "Anna", "Ben")
    name = world.place.context.mover(game)
    return world, name, sign_in(world, f"{name.lower()}@example.org")


def test_the_phone_is_signed_out_from_elsewhere(held):
    world, name, phone = held
    sign_out_elsewhere(world, name)
    assert phone.get("/me").title == "All my games"
    assert phone.client.get("/api/games").status_code in (200, 401)
    assert "Friday" not in phone.client.get("/api/games").text


def test_signing_out_ends_one_click(held):
    world, name, phone = held
    later = chosen(phone, reading.act_in(world.last(name, "your_turn")))
    assert acts_alone(phone.get(later))
    phone.get("/me/browsers").send(wish="out")
    assert not acts_alone(phone.get(later))


def test_a_link_to_sign_in_is_good_for_ten_minutes(held):
    world, name, _ = held
    world.visitor("/signin").send(small_world.MAIN_FORM, address=f"{name.lower()}@example.org")
    world.deliver()
    link = small_world.sign_in_link(world, f"{name.lower()}@example.org")
    visitor = world.visitor(link)
    world.place.clock.forward(10.5 / 60)
    assert visitor.press().title != "My games"
    assert world.visitor(link).status in (404, 410)
    assert visitor.get("/me").title != "My games"


def test_whoever_signs_in_in_a_new_browser_is_told_to_the_owner(held):
    world, name, _ = held
    world.deliver()
    thief = world.visitor()
    thief.client.environ_base["HTTP_USER_AGENT"] = LAPTOP
    thief.get("/signin").send(small_world.MAIN_FORM, address=f"{name.lower()}@example.org")
    world.deliver()
    before = len(world.mails.to(name))
    thief.get(small_world.sign_in_link(world, f"{name.lower()}@example.org")).press()
    world.deliver()
    told = world.mails.to(name)[before:]
    assert any("Chrome" in written_in(mail) for mail in told)


def test_a_new_key_is_told_to_the_owner(held):
    world, name, phone = held
    world.deliver()
    before = len(world.mails.to(name))
    phone.get("/me/browsers").send("//form[@id='new-key']", name="Harvester", wish="new")
    world.deliver()
    told = world.mails.to(name)[before:]
    assert any("Harvester" in written_in(mail) for mail in told)
    key = str(phone.page.xpath("string(//code[@class='key'])"))
    assert not [mail for mail in told if key and key in written_in(mail)]


def test_the_phone_alone_does_not_keep_old_letters_alive(held):
    world, name, phone = held
    seat = reading.ticket_in(world.last(name, "your_turn"))
    assert shows_seat(phone.get(seat))
    sign_out_elsewhere(world, name)
    small_world.make_links_new(world, name)
    assert not shows_seat(phone.get(seat))
