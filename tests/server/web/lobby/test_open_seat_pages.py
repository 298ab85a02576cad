"""Joining a game from a link or the list, giving the seat back, and the organiser's page to come back to."""

import json

import pytest

from emails.tokens import Purpose, seal_game
from server.lobby import open_seats
from server.store.game_terms import SeatRequest
from server.store.models import Act, OutgoingLetter
from server.store.server_facts import GameTerms
from tests.server.desk import ANNA, BEN, CLEO, DIRK, HOUSE, NOON, OPEN_SEAT

FORM = "//main//form"


def opened(place, *requests: SeatRequest, joined="link", watched=False, organiser=ANNA.address) -> str:
    return place.open_game("Friday", requests, organiser=organiser, terms=GameTerms(joined, watched))


@pytest.fixture
def game(place) -> str:
    """A game of Anna, who is in and opened it, and of whoever joins."""
    return opened(place, ANNA, OPEN_SEAT)


def join_link(place, game) -> str:
    return f"/j/{seal_game(Purpose.JOIN, game, place.context.links.keys)}"


def organiser_link(place, game) -> str:
    return f"/new/{seal_game(Purpose.ORGANISER, game, place.context.links.keys)}"


def seat_link(place, game, name) -> str:
    seat = place.seat(game, name)
    return place.link(game, "accept", seat=seat, after=place.history(game).player_since(seat))


def who(place, game) -> list[str]:
    return sorted(one.name for one in place.read(open_seats.seats_of, game))


def acts(place, game) -> list[str]:
    return place.rows(Act.said, Act.game == game)


def test_a_stranger_gives_name_and_address_and_joins_by_accepting(place, game):
    visitor = place.visitor().get(join_link(place, game))
    assert visitor.title == "Will you play Alexandros with us?"
    assert all(word in visitor.text for word in ("Friday", "Anna", "1 seat is open", "2 days", "100 points"))
    before = place.stored()
    for _ in range(5):
        visitor.client.get(join_link(place, game))
        visitor.client.head(join_link(place, game))
    assert place.stored() == before
    visitor.send(FORM, name="Ben", address="ben@example.org")
    assert visitor.title == "Look in your mail"
    assert "24 hours" in visitor.text
    assert who(place, game) == ["Anna", "Ben"]
    invited = place.visitor().get(seat_link(place, game, "Ben"))
    assert invited.title == "Will you play, Ben?"
    assert "The seat is kept for you until" in invited.text
    assert invited.press().title == "The game has begun"


def test_whoever_is_signed_in_joins_with_one_button(place, game):
    place.start_game("Ben", "Cleo")
    ben = place.as_player("Ben").get(join_link(place, game))
    assert "Join as Ben" in ben.text
    assert "turn" in ben.press().title
    assert who(place, game) == ["Anna", "Ben"]
    assert "turn" in ben.get(join_link(place, game)).title  # from now on it leads to his own seat


def test_whoever_is_signed_in_under_a_name_that_is_taken_gives_another(place, game):
    place.open_game("Before", [SeatRequest("anna", "cleo@example.org"), BEN], at_once=True)
    cleo = place.as_player("anna").get(join_link(place, game))
    cleo.send(FORM)
    assert cleo.status == 409
    assert "Somebody in this game is called anna: please take another name." in cleo.text
    cleo.send(FORM, name="Cleo")
    assert ("turn" in cleo.title, who(place, game)) == (True, ["Anna", "Cleo"])


@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"address": "ben at home"}, 409, "That is no mail address."),
        ({"name": "ANNA"}, 409, "please take another name"),
        ({"name": ""}, 409, "must have 1 to 40 letters"),
        ({"nonce": "x"}, 400, "Please press the button again"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(place, game, changes, status, sentence):
    typed = {"name": "Ben", "address": "ben@example.org"} | changes
    visitor = place.visitor().get(join_link(place, game)).send(FORM, **typed)
    assert visitor.status == status
    assert sentence in visitor.text
    fields = visitor.form(FORM)[2]
    assert [fields[key] for key in ("name", "address")] == [typed[key] for key in ("name", "address")]
    assert who(place, game) == ["", "Anna"]


def test_whether_somebody_is_in_with_an_address_is_not_told(place):
    game = opened(place, ANNA, BEN, OPEN_SEAT, OPEN_SEAT)
    seen = []
    for address in ("dirk@example.org", "anna@example.org", "ben@example.org"):
        visitor = place.visitor().get(join_link(place, game)).send(FORM, name="Dirk", address=address)
        seen.append((visitor.status, visitor.title))
    assert len(set(seen)) == 1
    assert who(place, game) == ["", "Anna", "Ben", "Dirk"]


def test_a_full_game_one_that_has_begun_and_one_for_the_invited_say_so(place, game):
    visitor = place.visitor().get(join_link(place, game))
    sent = visitor.form(FORM)
    open_seats.hold_seat(place.context, game, DIRK, NOON)
    late = visitor.client.post(sent[1], data=sent[2] | {"name": "Ben", "address": "ben@example.org"})
    assert late.status_code == 303  # the seat is held for somebody else, and nobody is told
    assert who(place, game) == ["Anna", "Dirk"]
    assert "Dirk" not in visitor.get(join_link(place, game)).text
    place.context.accept_invitation(game, place.seat(game, "Dirk"), NOON, after=2)
    assert visitor.get(join_link(place, game)).title == "The game has begun"
    assert visitor.click("Other games").title == "Open games"
    watched = opened(place, ANNA, SeatRequest("", None), watched=True)
    assert "Watch the game" in visitor.get(join_link(place, watched)).text


def test_one_visitor_asks_for_only_so_many_seats_within_an_hour(place):
    place.app.config["LIMITS"]["joins"] = 2
    visitor, seen = place.visitor(), []
    for number in range(3):
        game = opened(place, ANNA, OPEN_SEAT)
        visitor.get(join_link(place, game)).send(FORM, name="Ben", address=f"ben{number}@example.org")
        seen.append(visitor.status)
    assert seen == [200, 200, 429]


def test_the_list_leads_to_the_games_to_join_and_to_watch(place):
    visitor = place.visitor().get("/games")
    assert "No game is looking for players" in visitor.text
    opened(place, ANNA, OPEN_SEAT)
    assert "Friday" not in visitor.get("/games").text
    opened(place, ANNA, OPEN_SEAT, joined="all")
    people = SeatRequest("<b>Ben</b>", BEN.address), SeatRequest("", None)
    watched = opened(place, *people, watched=True, organiser=BEN.address)
    visitor.get("/games")
    assert "1 open seat · 2 days for a turn" in visitor.text
    assert "(b)Ben(/b)" in visitor.text
    to_watch = visitor.links("//section[@id='to-watch']//a")
    assert f"/g/{watched}" in [link.partition("?")[0] for _, link in to_watch]
    assert visitor.click("Friday").title == "Will you play Alexandros with us?"
    assert "Open games" in visitor.get("/").text


def test_whoever_is_in_leaves_again_and_pressing_twice_is_once(place):
    game = opened(place, ANNA, BEN, OPEN_SEAT)
    ben = place.visitor().get(seat_link(place, game, "Ben")).press()
    assert ben.title == "You are in, Ben"
    _, action, fields = ben.form("//form[contains(@action, '/leave')]")
    assert ben.client.post(action, data={"nonce": "x"}).status_code == 400
    assert [ben.client.post(action, data=fields).status_code for _ in range(2)] == [303, 410]
    assert acts(place, game) == ["", "accept", "leave"]


def test_the_ticket_of_whoever_has_left_shows_nothing_of_the_seat_and_plays_nothing(place, game):
    open_seats.hold_seat(place.context, game, BEN, NOON)
    old = seat_link(place, game, "Ben")
    place.visitor().get(old).send("//form[contains(@action, '/leave')]")
    open_seats.hold_seat(place.context, game, CLEO, NOON)
    cleo = place.visitor().get(seat_link(place, game, "Cleo"))
    assert cleo.press().title == "The game has begun"
    for more in ("", "/settings", "/history", "/sheet", "/pulse", "/signin"):
        assert place.visitor().client.get(old + more).status_code == 410, more
    for more in ("", "/say", "/settings", "/leave", "/rematch", "/at-once", "/signin"):
        assert place.visitor().client.post(old + more).status_code == 410, more
    assert "turn" in cleo.click("To the game").title


def test_the_organiser_comes_back_and_sees_who_is_in(place):
    game = opened(place, ANNA, BEN, OPEN_SEAT, SeatRequest("", None))
    visitor = place.visitor().get(organiser_link(place, game))
    assert "Ben not yet" in visitor.text
    assert "an open seat nobody yet" in visitor.text
    assert visitor.page.xpath("//section[@data-link]/@data-link") == [place.context.links.join_link(game)]
    place.context.accept_invitation(game, place.seat(game, "Ben"), NOON)
    assert "Ben yes" in visitor.get(organiser_link(place, game)).text
    assert visitor.title == "Waiting for players"
    invitation = place.visitor().get(seat_link(place, game, "Anna"))
    assert invitation.click("Who is in, and the link to pass on").title == "Waiting for players"
    assert "the link to pass on" not in place.visitor().get(seat_link(place, game, "Ben")).text


def test_the_page_of_a_game_that_waits_hears_who_accepts_and_that_it_begins(place):
    game = opened(place, ANNA, BEN, CLEO)
    visitor = place.visitor().get(organiser_link(place, game))
    [pulse], [shown] = (visitor.page.xpath(f"//*[@data-pulse]/@data-{name}") for name in ("pulse", "after"))

    def ask():
        return json.loads(place.visitor().get(pulse).answer.text)

    before = ask()
    assert before == {"after": int(shown), "said": 0, "page": organiser_link(place, game), "over": False}
    place.context.accept_invitation(game, place.seat(game, "Ben"), NOON)
    assert ask() == {**before, "after": before["after"] + 1}
    place.context.accept_invitation(game, place.seat(game, "Cleo"), NOON)
    assert ask()["over"] is True
    begun = visitor.get(organiser_link(place, game))
    assert not begun.page.xpath("//*[@data-pulse]"), "it has nothing more to hear"


def test_the_organiser_lets_the_server_play_for_whoever_is_missing(place):
    game = opened(place, ANNA, BEN, OPEN_SEAT, watched=True)
    visitor = place.visitor().get(organiser_link(place, game))
    visitor.send(button("house-open"), wish="house-open")
    assert f"{HOUSE} played by this server, steady yes" in visitor.text
    assert not visitor.page.xpath("//button[@value='house-open']")
    assert press_twice(visitor, "house-awaited") == [303, 303]
    assert visitor.get(organiser_link(place, game)).title == "The game has begun"
    assert acts(place, game) == ["", "house open", "house awaited", ""]
    assert visitor.links("//main//section//a")[0][1].endswith(f"/g/{game}")


def button(wish: str) -> str:
    return f"//form[.//button[@value='{wish}']]"


def press_twice(visitor, wish: str) -> list[int]:
    _, action, fields = visitor.form(button(wish))
    return [visitor.client.post(action, data=fields | {"wish": wish}).status_code for _ in range(2)]


def test_the_organiser_says_how_well_the_server_is_to_play(place):
    game = opened(place, ANNA, BEN, OPEN_SEAT)
    visitor = place.visitor().get(organiser_link(place, game))
    visitor.send(button("house-open"), wish="house-open", house="Porus")
    assert "Porus played by this server, strong yes" in visitor.text
    visitor.send(button("house-awaited"), wish="house-awaited", house="easy")
    assert "Philip" in place.names(game)


def test_the_organiser_calls_the_game_off(place, game):
    visitor = place.visitor().get(organiser_link(place, game))
    open_seats.hold_seat(place.context, game, BEN, NOON)
    ben = place.visitor().get(seat_link(place, game, "Ben"))
    _, action, fields = visitor.form(button("cancel"))
    assert visitor.client.post(action, data={"nonce": "x", "wish": "cancel"}).status_code == 400
    assert visitor.client.post(action, data=fields | {"wish": "x"}).status_code == 422
    assert press_twice(visitor, "cancel") == [303, 303]
    assert visitor.get(organiser_link(place, game)).title == "The game was called off"
    assert acts(place, game) == ["", "ask", "cancel"]
    assert (ben.press().status, ben.title) == (410, "This game was called off")
    assert place.visitor().get(join_link(place, game)).title == "The game was called off"
    assert place.row(game).status == "cancelled"


def test_what_cannot_be_done_is_a_sentence(place):
    game = opened(place, ANNA, BEN, organiser="nobody@example.org")
    visitor = place.visitor().get(organiser_link(place, game))
    visitor.send(button("house-awaited"), wish="house-awaited")
    assert (visitor.status, visitor.title) == (409, "Nothing was done")
    assert "Somebody must play: nobody has accepted yet." in visitor.text


def test_a_player_who_is_in_is_told_so_by_a_letter_and_only_there(place, game):
    visitor = place.visitor().get(join_link(place, game))
    assert visitor.send(FORM, name="Somebody", address=ANNA.address).status == 200
    assert [(one.kind, one.recipient) for one in place.rows(OutgoingLetter)] == [("accepted", ANNA.address)]
