"""A scanner opens every link of a letter, twice and oddly, runs its scripts, and nothing is done by that."""

import pytest

from tests.attacks import reading, small_world
from tests.attacks.reading import DOMAIN, acts_alone, links_in, shows_seat
from tests.attacks.small_world import AT_ONCE, World, open_world

ODD = [
    {"User-Agent": "Mozilla/5.0 (compatible; ScanBot/1.0)", "Accept": "*/*"},
    {"Purpose": "prefetch", "Sec-Purpose": "prefetch;prerender", "X-Moz": "prefetch"},
    {"X-HTTP-Method-Override": "POST", "X-Method-Override": "POST", "X-HTTP-Method": "DELETE"},
    {
        "Referer": "https://mail.example.net/inbox",
        "Origin": "https://mail.example.net",
        "Range": "bytes=0-10",
    },
]


def scanned(world: World, links: list[str]) -> None:
    """Open them all, with GET and HEAD, twice, with odd heads, following wherever they lead."""
    for number, link in enumerate(links):
        client = world.place.app.test_client()
        for _ in range(2):
            client.get(link, headers=ODD[number % len(ODD)], follow_redirects=True)
            client.head(link, headers=ODD[(number + 1) % len(ODD)], follow_redirects=True)


def picked(links: list[str]) -> list[str]:
    """Few of those that only name a corner, and all others."""
    corners = [link for link in links if "corner=" in link]
    return [link for link in links if link not in corners[2:]]


def test_a_letter_of_a_turn_is_scanned_and_nothing_has_happened(world, game):
    links = picked(links_in(world.last(world.place.context.mover(game))))
    before = world.stored(all_of_it=True)
    scanned(world, links[:45])
    assert world.stored(all_of_it=True) == before


def asked_for_all(world: World) -> list[str]:
    """The links of letters that ask for a yes: a proposal, an invitation, an address, a sign-in."""
    world.write("dirk@example.org", f"new@{DOMAIN}", "Cleo <cleo@example.org>")
    small_world.begin(world, "Anna", "Ben", at_once=False)
    owner = small_world.sign_in(world, "ben@example.org")
    small_world.ask_for_address(owner, reading.ticket_in(world.mails.to("ben")[0]), "moved@example.org")
    world.visitor("/signin").send(small_world.MAIN_FORM, address="anna@example.org")
    world.deliver()
    return [link for mail in world.mails.mails[2:] for link in links_in(mail)]


def test_letters_that_ask_for_a_yes_are_scanned_and_nobody_has_said_it(world):
    links = asked_for_all(world)
    assert {link.split("/")[1] for link in links} >= {"t", "c", "s", "n"}
    before = world.stored(all_of_it=True)
    scanned(world, picked(links)[:45])
    assert world.stored(all_of_it=True) == before


def test_a_browser_that_only_accepted_plays_nothing_by_itself(tmp_path):
    world, _ = open_world(tmp_path, "Cleo", "Dirk")
    game = small_world.begin(world, "Anna", "Ben", at_once=False)
    browsers = {}
    for name in ("Anna", "Ben"):
        link = next(one for one in links_in(world.last(name, "invitation")) if one.startswith("/t/"))
        browsers[name] = world.visitor(link).press()
    name = world.place.context.mover(game)
    visitor = browsers[name].get(reading.act_in(world.last(name, "your_turn")))
    assert shows_seat(visitor)
    assert not acts_alone(visitor)


def test_a_browser_in_which_one_move_was_played_is_offered_it_and_does_nothing_alone(world, game):
    name = world.place.context.mover(game)
    visitor = world.visitor(reading.act_in(world.last(name)))
    assert not acts_alone(visitor)
    assert AT_ONCE in visitor.text
    visitor.press()
    assert not acts_alone(visitor.get(small_world.link_from_page(visitor)))


@pytest.mark.parametrize("kind", ["your_turn", "welcome"])
def test_what_one_click_of_a_mail_program_ends_is_the_letters_of_one_game(world, kind):
    """RFC 8058 lets a scanner post there: no seat, no address and no other game is touched."""
    letter = next(mail for mail in world.mails.mails if kind in str(mail["X-Alexandros"]))
    link = next(one for one in links_in(letter) if one.startswith("/u/"))
    before = world.stored()
    world.place.app.test_client().post(link, data={"List-Unsubscribe": "One-Click"})
    after = world.stored()
    touched = {name for name in before if before[name] != after[name]}
    assert touched <= {"preference", "act", "message", "heard"}
    assert before["player"] == after["player"]
