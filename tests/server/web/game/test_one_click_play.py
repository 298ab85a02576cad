"""A link in a letter plays at once only where its player has chosen so: by a tick, for one browser."""

import json

import pytest
from lxml.html import HtmlElement

from engine.position import Phase
from server.web.kit import visitors
from tests.server.web.played import first_choice
from tests.server.web.site import Visitor

TICK = "//input[@type='checkbox'][@name='at-once']"
PLAYING = "//form[.//button[normalize-space()='Do it']]"
OFFER = "//section[contains(@class, 'notice')]//form[contains(@action, '/at-once')]"
SETTING = "//section[@id='links']//form"


def words(place, game) -> str:
    return first_choice(place, game, "march" if place.table(game).phase is Phase.CARD else "draw")


def plays_at_once(place, visitor, game, **more: int) -> bool:
    """Whether a link of a letter that plays does so when this browser only opens it."""
    visitor.get(place.link(game, words(place, game), **more))
    assert visitor.page.xpath(PLAYING)
    return bool(visitor.page.xpath("//form[@id='at-once']")) and b"at-once.js" in visitor.answer.data


def tick(visitor) -> HtmlElement:
    [found] = visitor.page.xpath(TICK)
    return found


def ticking(visitor) -> dict[str, str]:
    return {"at-once": tick(visitor).get("value")}


def play(place, visitor, game, ticked: bool = False) -> Visitor:
    """The first choice of a letter, by its link and the button there."""
    visitor.get(place.link(game, words(place, game)))
    visitor.send(PLAYING, **(ticking(visitor) if ticked else {}))
    assert "It is done" in visitor.text
    return visitor


def test_whoever_has_only_chatted_is_shown_what_a_link_would_do(place, game):
    visitor = place.look(game)
    visitor.send("//form[.//*[@name='words']]", words="Good luck!")
    assert "Good luck!" in visitor.text
    assert not plays_at_once(place, visitor, game)


def test_whoever_is_signed_in_is_shown_what_a_link_would_do(place, game):
    assert not plays_at_once(place, place.signed_in(game, place.table(game).seat), game)


def test_whoever_has_played_without_the_tick_is_shown_what_a_link_would_do(place, game):
    visitor = play(place, place.visitor(), game)
    assert not plays_at_once(place, visitor, game)
    assert not tick(visitor).checked


def test_a_browser_that_acted_at_once_under_the_former_rule_asks_first(place, game):
    with place.app.test_request_context():
        former = place.app.session_interface.get_signing_serializer(place.app).dumps({"players": [1, 2]})
    visitor = place.visitor()
    visitor.client.set_cookie("alexandros", former)
    assert not plays_at_once(place, visitor, game)


def test_a_choice_that_is_not_signed_is_none(place, game):
    visitor = place.visitor()
    visitor.client.set_cookie("alexandros", json.dumps({visitors.AT_ONCE_KEY: [1, 2]}))
    assert not plays_at_once(place, visitor, game)


def test_with_the_tick_the_next_link_plays_at_once(place, game):
    visitor = play(place, place.visitor(), game, ticked=True)
    assert "In this browser links in your mails play at once" in visitor.text
    assert plays_at_once(place, visitor, game)
    assert not visitor.page.xpath(TICK)
    before = place.history(game).after
    visitor.send("//form[@id='at-once']")  # as the script does
    assert "It is done" in visitor.text
    assert place.history(game).after > before
    visitor.click("Change that")
    assert tick(visitor).checked


def test_to_open_a_link_plays_nothing_by_itself_even_where_it_is_chosen(place, game):
    visitor = play(place, place.visitor(), game, ticked=True)
    stored = place.stored()
    assert plays_at_once(place, visitor, game)
    assert place.stored() == stored


def test_our_own_pages_ask_also_where_it_is_chosen(place, game):
    visitor = play(place, place.visitor(), game, ticked=True)
    visitor.get(place.link(game, words(place, game)) + "?look=1")
    assert visitor.page.xpath(PLAYING)
    assert not visitor.page.xpath("//form[@id='at-once']")


def test_in_another_browser_a_link_only_shows(place, game):
    play(place, place.visitor(), game, ticked=True)
    assert not plays_at_once(place, place.visitor(), game)


def test_of_two_players_in_one_browser_only_the_one_who_chose_plays_at_once(place, game):
    visitor = play(place, place.visitor(), game, ticked=True)
    chose, other = place.table(game).seat, 1 - place.table(game).seat
    while place.table(game).seat == chose:
        assert plays_at_once(place, visitor, game)
        visitor.send("//form[@id='at-once']")
    assert place.table(game).seat == other
    assert not plays_at_once(place, visitor, game)
    play(place, visitor, game)
    assert not plays_at_once(place, visitor, game)


def test_the_tick_plays_nothing_without_its_button(place, game):
    visitor = place.look(game, words=words(place, game))
    stored = place.stored()
    visitor.send(PLAYING, nonce="x", **ticking(visitor))
    assert visitor.status == 400
    assert place.stored() == stored
    assert not plays_at_once(place, visitor, game)


def test_after_the_first_move_from_a_letter_one_tap_chooses_it(place, game):
    visitor = play(place, place.visitor(), game)
    assert visitor.page.xpath(OFFER)
    visitor.send(OFFER)
    assert "It is done" in visitor.text
    assert "In this browser links in your mails play at once" in visitor.text
    assert not visitor.page.xpath(OFFER)
    assert plays_at_once(place, visitor, game)


def test_it_is_offered_once(place, game):
    visitor = play(place, place.visitor(), game)
    assert not play(place, visitor, game).page.xpath(OFFER)
    assert play(place, place.visitor(), game).page.xpath(OFFER)


def test_it_is_not_offered_for_a_move_that_was_found_on_our_pages(place, game):
    visitor = place.look(game, "?look=1", words=words(place, game)).send(PLAYING)
    assert "It is done" in visitor.text
    assert not visitor.page.xpath(OFFER)
    assert play(place, visitor, game).page.xpath(OFFER)


def test_settings_show_the_choice_and_take_it_back(place, game):
    visitor = play(place, place.visitor(), game, ticked=True).get(f"{place.link(game)}/settings")
    assert tick(visitor).checked
    _, action, fields = visitor.form(SETTING)
    visitor.post(action, **{name: value for name, value in fields.items() if name != "at-once"})
    assert "Your settings are kept" in visitor.text
    assert not tick(visitor).checked
    assert not plays_at_once(place, visitor, game)


def test_settings_make_the_choice(place, game):
    visitor = place.look(game, "/settings")
    assert not tick(visitor).checked
    visitor.send(SETTING, **ticking(visitor))
    assert tick(visitor).checked
    assert plays_at_once(place, visitor, game)


def test_to_keep_other_settings_leaves_the_choice_alone(place, game):
    visitor = play(place, place.visitor(), game, ticked=True).get(f"{place.link(game)}/settings")
    visitor.send("//main//form", language="en")
    assert "Your settings are kept" in visitor.text
    assert plays_at_once(place, visitor, game)


@pytest.mark.parametrize("found", [OFFER, SETTING, PLAYING])
def test_nobody_chooses_it_for_another_browser(place, game, found):
    """Who holds somebody's letter can make their browser send a form, but not with its token."""
    thief, owner = place.visitor(), place.visitor().get("/signin")  # each browser has an id of its own
    if found == OFFER:
        play(place, thief, game)
    elif found == SETTING:
        thief.get(f"{place.link(game)}/settings")
    else:
        thief.get(place.link(game, words(place, game)))
    _, action, fields = thief.form(found)
    owner.post(action, **fields | {"at-once": tick(thief).get("value") if found == PLAYING else "yes"})
    assert not plays_at_once(place, owner, game)


def test_nothing_but_a_press_sets_the_cookie_of_a_choice_anew(place, game):
    """Or an answer that is on its way while the tick is taken out would put it in again."""
    visitor = play(place, place.visitor(), game, ticked=True)
    ticket = place.link(game)
    for link in (f"{ticket}/pulse", ticket, f"{ticket}/settings", f"{ticket}?look=1", "/"):
        assert "Set-Cookie" not in visitor.client.get(link).headers


def test_the_choice_is_of_a_player_and_not_of_a_seat(place, game):
    visitor = play(place, place.visitor(), game, ticked=True)
    name = place.table(game).names[place.table(game).seat]
    another = place.start_game(name, "Cleo")
    mine = place.seat(another, name) == place.table(another).seat
    assert plays_at_once(place, visitor, another) == mine
