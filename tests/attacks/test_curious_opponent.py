"""An opponent polls, compares and measures: nothing that is hidden from them shows in any answer."""

import pytest

from tests.attacks import reading
from tests.attacks.deals import differences, twins
from tests.attacks.small_world import MAIN_FORM, World, open_world
from tests.server.web.lobby.test_new_game_form import TWO

SEAT_PAGES = ("", "?look=1", "/pulse", "/history", "/log", "/sheet", "/sum", "/settings", "/signin")
WATCHED = ("", "/history", "/log", "/pulse")


@pytest.fixture
def worlds(tmp_path) -> list[World]:
    return twins(tmp_path)


def seats(worlds: list[World]) -> dict[str, list[str]]:
    names = "Anna", "Ben"
    return {name: [reading.ticket_in(world.mails.to(name)[-1]) for world in worlds] for name in names}


def opponent(worlds: list[World]) -> tuple[str, str]:
    """Who does not hold the card that differs, and their ticket."""
    names = worlds[0].place.history(game_of(worlds)).position.table.names
    name = names[0]
    return name, seats(worlds)[name][0]


def game_of(worlds: list[World]) -> str:
    return str(worlds[0].stored()["game"][0][0])


def test_the_two_worlds_differ_only_in_one_card(worlds):
    names = worlds[0].place.history(game_of(worlds)).position.table.names
    assert all(one == other for one, other in seats(worlds).values())
    hidden = seats(worlds)[names[1]][0]
    assert differences(worlds, [hidden])  # its owner sees it


def test_no_page_tells_the_opponents_card(worlds):
    _, seat = opponent(worlds)
    assert differences(worlds, [seat + page for page in SEAT_PAGES]) == []


def test_no_page_that_anybody_watches_tells_a_card(worlds):
    game = game_of(worlds)
    assert differences(worlds, [f"/g/{game}{page}" for page in WATCHED]) == []


def test_the_api_tells_nobody_a_card_not_even_in_its_tags(worlds):
    game = game_of(worlds)
    links = ["/api/games", f"/api/games/{game}", f"/api/games/{game}/log", f"/api/games/{game}/log?after=2"]
    assert differences(worlds, links) == []


def test_a_tag_of_one_world_fits_in_the_other(worlds):
    """Whoever guesses a world cannot try the guess: 304 or 200 is the same in both."""
    game = game_of(worlds)
    for link in (f"/api/games/{game}", f"/api/games/{game}/log"):
        tags = {str(world.place.app.test_client().get(link).headers.get("ETag")) for world in worlds}
        assert len(tags) == 1, link
        for tag in tags:
            assert differences(worlds, [link], **{"If-None-Match": tag}) == []


def test_no_letter_tells_the_opponents_card(worlds):
    name, _ = opponent(worlds)
    letters = [[bytes(mail) for mail in world.mails.to(name)] for world in worlds]
    assert letters[0] == letters[1]


def test_the_page_to_join_does_not_tell_who_plays(tmp_path):
    """It is asked with the address of a player, and with that of nobody."""
    told = []
    for number, address in enumerate(("anna@example.org", "stranger@example.org")):
        folder = tmp_path / str(number)
        folder.mkdir()
        world, _ = open_world(folder, "Ben", "Dirk")
        page = world.place.say_yes(world.visitor("/new").send(MAIN_FORM, **TWO, kind3="open"))
        share = next(str(one) for one in page.page.xpath("//input/@value") if "/j/" in str(one))
        visitor = world.visitor(share.removeprefix(reading.HOST))
        visitor.send(MAIN_FORM, name="Cleo", address=address)
        again = world.visitor(share.removeprefix(reading.HOST))
        told.append((visitor.status, visitor.text, again.status, again.text))
    assert told[0] == told[1]


def test_asking_to_sign_in_does_not_tell_who_plays(world):
    told = set()
    for address in ("anna@example.org", "dirk@example.org"):
        visitor = world.visitor("/signin").send(MAIN_FORM, address=address)
        heads = {name: value for name, value in visitor.answer.headers if name != "Set-Cookie"}
        told.add((visitor.status, visitor.text.replace(address, ""), repr(heads)))
    assert len(told) == 1
