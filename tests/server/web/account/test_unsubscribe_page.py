"""No more letters, letters again, a new address: looked at as often as one likes, done by a button."""

import re

import pytest
from sqlmodel import select

from emails.tokens import seal_unsubscribe
from server.accounts import addresses
from server.outbox.preferences import Preferences, load_preferences, store_preferences
from server.store.models import AddressConfirmation, OutgoingLetter, Player, Seating, StoredPreferences
from tests.server.desk import HOUSE, NOON, confirmation_codes, start_game


def link(place, game, seat=0) -> str:
    return f"/u/{seal_unsubscribe(game, seat, place.context.links.keys)}"


def letters(place, game, seat=0) -> tuple[bool, bool]:
    """Whether a seat gets letters of any game, and of this."""
    with place.context.reading() as session:
        player = session.get_one(Seating, (game, seat)).player
        assert player is not None
        return load_preferences(session, player).letters, load_preferences(session, player, game).letters


def dutch(place, game, seat=0) -> None:
    with place.context.writing() as session:
        player = session.get_one(Seating, (game, seat)).player
        assert player is not None
        store_preferences(session, player, None, Preferences(language="nl"), NOON)
        session.commit()


def rows(place) -> tuple[int, ...]:
    with place.context.reading() as session:
        return tuple(
            len(session.exec(select(one)).all())
            for one in (StoredPreferences, OutgoingLetter, AddressConfirmation, Player)
        )


# --- stopping -------------------------------------------------------------------------------------------


def test_to_look_changes_nothing(place, game):
    before = rows(place)
    visitor = place.visitor()
    for _ in range(3):
        visitor.get(link(place, game))
        assert visitor.title == "Stop the mails?"
        assert visitor.client.head(link(place, game)).data == b""
        visitor.get(link(place, game) + "?List-Unsubscribe=One-Click")
    assert "the server plays that turn" in visitor.text
    assert rows(place) == before
    assert letters(place, game) == (True, True)


def test_a_button_stops_the_letters_of_this_game_and_brings_them_again(place, game):
    visitor = place.visitor().get(link(place, game)).send(wish="stop")
    assert visitor.status == 200
    assert visitor.title == "You get no mails of this game"
    assert letters(place, game) == (True, False)
    assert letters(place, game, 1) == (True, True)
    visitor.get(link(place, game)).send(wish="again")
    assert visitor.title == "You get mails again"
    assert letters(place, game) == (True, True)


def test_a_button_stops_the_letters_of_all_games(place, game):
    visitor = place.visitor().get(link(place, game)).send(wish="stop-all")
    assert letters(place, game) == (False, False)
    assert "all your games" in visitor.text
    visitor = place.signed_in(game).get(link(place, game)).send(wish="again-all")
    assert visitor.status == 200
    assert letters(place, game) == (True, True)


@pytest.mark.parametrize("seat", [None, 1])
def test_the_letters_of_all_games_come_again_only_where_their_player_is_signed_in(place, game, seat):
    """A token alone brings back those of its game."""
    visitor = place.visitor() if seat is None else place.signed_in(game, seat)
    visitor.get(link(place, game)).send(wish="stop-all")
    assert not visitor.page.xpath("//button[@value='again-all']")
    visitor.send(wish="again-all")
    assert (visitor.status, letters(place, game)) == (403, (False, False))
    assert "sign in first" in visitor.text
    visitor.send(wish="again")
    assert letters(place, game) == (False, True)
    assert visitor.get(link(place, game)).page.xpath("//main//a[@href='/signin']")
    place.sign_in(visitor, game)
    visitor.get(link(place, game)).send(wish="again-all")
    assert letters(place, game) == (True, True)


@pytest.mark.parametrize("fields", [{"List-Unsubscribe": "One-Click"}, {}])
def test_one_click_of_a_mail_program_stops_this_game(place, game, fields):
    """RFC 8058: no cookie, no nonce, as a form of either kind; some mail programs send no field."""
    client = place.app.test_client(use_cookies=False)
    answer = client.post(link(place, game), data=fields)
    assert answer.status_code == 200
    assert letters(place, game) == (True, False)
    before = rows(place)
    again = client.post(link(place, game), data=fields, content_type="multipart/form-data")
    assert again.status_code == 200
    assert rows(place) == before


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"wish": "stop"}, 400),
        ({"wish": "stop", "nonce": "6530.AAAA"}, 400),
        ({"List-Unsubscribe": "Two-Clicks"}, 400),
    ],
)
def test_anything_else_stops_nothing(place, game, fields, status):
    before = rows(place)
    assert place.visitor().post(link(place, game), **fields).status == status
    assert rows(place) == before


def test_a_choice_nobody_knows_is_none(place, game):
    before = rows(place)
    assert place.visitor().get(link(place, game)).send(wish="dance").status == 422
    assert rows(place) == before


@pytest.mark.parametrize("token", ["x", "a" * 26, "é", "a" * 5000])
def test_a_forged_token_is_a_page_that_says_so(place, game, token):
    for answer in (place.visitor().get(f"/u/{token}"), place.visitor().post(f"/u/{token}", wish="stop")):
        assert answer.status == 404
        assert "not one of ours" in answer.text


def test_a_ticket_of_a_link_is_no_token_to_stop(place, game):
    assert place.visitor().get(f"/u/{place.token(game)}").status == 404


def test_capitals_and_a_full_stop_do_no_harm(place, game):
    token = link(place, game).removeprefix("/u/")
    assert place.visitor().get(f"/u/{token.upper()}.").status == 200


def test_it_speaks_the_language_of_its_player(place, game):
    dutch(place, game)
    visitor = place.visitor().get(link(place, game))
    assert visitor.title == "Geen mails meer?"
    assert visitor.page.xpath("string(/html/@lang)") == "nl"
    visitor.send(wish="stop")
    assert visitor.title == "Je krijgt geen mails over dit spel"


def test_a_seat_of_the_house_has_no_letters_to_stop(place):
    game = start_game(place.context, "Anna", "house")
    house = next(seat for seat in (0, 1) if place.history(game).position.table.names[seat] == HOUSE)
    assert place.visitor().get(link(place, game, house)).status == 404


# --- confirming -----------------------------------------------------------------------------------------


def asked(place, game, seat=0, address="new@example.org") -> str:
    addresses.request_address_confirmation(place.context, game, seat, address, place.clock.now)
    return confirmation_codes(place.context)[-1]


def address(place, game, seat=0) -> str:
    with place.context.reading() as session:
        return session.get_one(Player, session.get_one(Seating, (game, seat)).player).address


def test_an_address_is_looked_at_and_then_confirmed(place, game):
    code = asked(place, game)
    old, before = address(place, game), rows(place)
    visitor = place.visitor()
    for _ in range(3):
        visitor.get(f"/c/{code}")
        assert visitor.title == "Is new@example.org yours?"
        assert visitor.client.head(f"/c/{code}").data == b""
    assert (address(place, game), rows(place)) == (old, before)
    visitor.send()
    assert visitor.status == 200
    assert "your mails go to new@example.org" in visitor.text
    assert address(place, game) == "new@example.org"
    assert place.visitor().get(f"/c/{code}").status in (200, 404)


def test_a_button_that_is_not_ours_confirms_nothing(place, game):
    code = asked(place, game)
    assert place.visitor().post(f"/c/{code}").status == 400
    assert place.visitor().post(f"/c/{code}", nonce="6530.AAAA").status == 400
    assert address(place, game) != "new@example.org"


def test_a_code_that_is_unknown_or_too_old_is_a_sentence(place, game):
    for code in ("x", "é", "a" * 3000):
        assert place.visitor().get(f"/c/{code}").status == 404
        assert place.visitor().post(f"/c/{code}", nonce="x").status in (400, 404)
    code = asked(place, game)
    place.clock.forward(24 * 3 + 1)
    visitor = place.visitor().get(f"/c/{code}")
    assert visitor.status == 404
    assert re.search(r"\w+ .*\.", visitor.text)


def test_the_page_speaks_the_language_of_the_browser(place, game):
    visitor = place.visitor()
    code = asked(place, game)
    visitor.page = visitor.page
    answer = visitor.client.get(f"/c/{code}", headers={"Accept-Language": "nl"})
    assert "Is new@example.org van jou?" in answer.text
