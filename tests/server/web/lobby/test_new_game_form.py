"""The front page, the form that opens a game, invitations."""

import json
from dataclasses import replace

import pytest

from emails.letters.lobby_letters import Guest, describe_game_request, game_request_from_json
from emails.terms import USUAL_TIME, AbsenceRule, TurnTime
from emails.tokens import seal_ticket, unseal_ticket
from engine.bots.strengths import PROFILES, Strength
from server.store.game_terms import SeatRequest, terms_of
from server.store.models import Game, OutgoingLetter, Player, Proposal, Seating
from server.store.turn_clock import turn_time_of
from tests.server.desk import ANNA, BEN, HOUSE, at_once

TWO = {
    "name": "Friday", "tempo": "lively", "edition": "identity-games",
    "name1": "Anna", "address1": "anna@example.org",
    "kind2": "person", "name2": "Ben", "address2": "ben@example.org",
}  # fmt: skip


def test_a_game_opens_when_its_organiser_says_yes_and_then_its_players_are_invited(place):
    visitor = place.visitor().get("/new").send(**TWO, kind3="house")
    assert visitor.title == "Look in your mail"
    assert "on its way to anna@example.org" in visitor.text
    assert visitor.links("//main//a") == [("To the mailbox", "/mailbox")]
    (game,) = place.rows(Game)
    assert game.status == "proposed"
    assert letters(place) == [("proposal", "anna@example.org")]
    place.say_yes(visitor)
    assert visitor.title == "The invitations are on their way"
    assert "Ben gets a mail" in visitor.text
    assert f"{HOUSE} played by this server, steady yes" in visitor.text
    (game,) = place.rows(Game)
    assert (game.name, game.turn_minutes, game.edition) == ("Friday", 12 * 60, "identity-games")
    assert game.status == "open"
    assert letters(place)[1:] == [("invitation", "ben@example.org"), ("accepted", "anna@example.org")]
    assert sorted(place.rows(Seating.name)) == ["Anna", "Ben", HOUSE]
    assert terms(place).seat is not None
    assert visitor.get(visitor.answer.request.path).title == "The invitations are on their way"
    assert len(place.rows(Game)) == 1


def letters(place) -> list[tuple[str, str]]:
    """The kind and the address of each letter, the oldest first."""
    return [(str(one.kind), one.recipient) for one in place.rows(OutgoingLetter)]


def request_of(place):
    [request] = place.rows(Proposal.request)
    return game_request_from_json(request)


def terms(place):
    [game] = place.rows(Game.id)
    return place.read(terms_of, game)


def test_all_that_the_form_says_is_in_the_letter_and_in_the_game(place):
    asked = {"kind2": "person", "language2": "nl", "kind3": "open", "kind4": "house", "joined": "all"}
    asked |= {"house4": "strong", "no-advice": "yes", "quiet": "yes"}
    visitor = place.visitor().get("/new").send(**(TWO | asked), watched="yes")
    told = describe_game_request(request_of(place), "Friday")
    for words in (
        "Player: Anna (you)",
        "Player: Ben, ben@example.org, mails in Nederlands",
        "Player: one who joins, for the game is listed for everybody",
        "Player: Darius, played by this server (strong)",
        "Advice: none",
        "A caretaker plays a quiet turn for a player who is late",
        "Time for a turn: 12 hours, and a reserve of 24 hours, "
        "into which each turn played in time puts 6 hours back",
        "Anybody may watch; hands stay hidden.",
    ):
        assert words in told
    place.say_yes(visitor)
    assert "1 seat is open." in visitor.text
    found = terms(place)
    assert (found.joined_by, found.watched) == ("all", True)
    assert (found.advice, found.caretaker) == (False, "quiet")
    assert "Darius" in place.rows(Seating.name)


@pytest.mark.parametrize(
    ("typed", "rule", "told"),
    [
        ("each", AbsenceRule.ALWAYS, "However often they are late: it plays that one turn"),
        ("kept", AbsenceRule.SEAT, "After one late turn the caretaker plays until the player is back"),
        ("substitute", AbsenceRule.TURN, "After two late turns in a row the caretaker plays"),
        ("?", AbsenceRule.TURN, "others may take the seat"),
    ],
)
def test_what_happens_when_time_is_over_is_chosen_on_the_form(place, typed, rule, told):
    visitor = place.visitor().get("/new").send(**TWO, absence=typed)
    assert any(told in line for line in describe_game_request(request_of(place), "Friday"))
    place.say_yes(visitor)
    assert terms(place).absence is rule


def test_a_seat_of_the_house_is_chosen_by_strength_or_by_name(place):
    visitor = place.visitor().get("/new")
    assert visitor.page.xpath("//select[@id='house3']//option/@value") == [*Strength, *PROFILES]
    assert visitor.page.xpath("//select[@id='house3']/option[@selected]/@value") == ["steady"]
    faces = visitor.page.xpath("//details[summary='Who plays for this server?'][not(@open)]//li")
    assert len(faces) == len(PROFILES)
    chosen = {"kind3": "house", "house3": "easy", "kind4": "house", "house4": "Olympias"}
    again = visitor.send(**(TWO | chosen | {"name": ""}))
    assert again.page.xpath("//select[@id='house4']//option[@selected]/@value") == ["Olympias"]
    place.say_yes(visitor.send(**(TWO | chosen)))
    assert "Philip played by this server, easy yes" in visitor.text
    assert "Olympias thinks ahead" in visitor.text
    assert "Advice: the player to move may ask for good turns." in visitor.text
    assert (terms(place).advice, terms(place).caretaker) == (True, "gentle")


def test_a_game_has_a_name_before_anybody_thinks_of_one(place):
    visitor = place.visitor().get("/new")
    name = visitor.page.xpath("string(//input[@id='name']/@value)")
    assert name.startswith("The road to ")
    assert place.visitor().get("/new?lang=nl").page.xpath("string(//input[@id='name']/@value)")[:3] == "De "
    visitor.send(name1="Anna", address1="anna@example.org", address2="ben@example.org")
    (game,) = place.rows(Game)
    assert (game.name, turn_time_of(game), game.edition) == (name, USUAL_TIME, "rio-grande")


@pytest.mark.parametrize(
    ("tempo", "time"),
    [
        ("relaxed", TurnTime.of_hours(48, 96, 24)),
        ("lively", TurnTime.of_hours(12, 24, 6)),
        ("live-15", TurnTime(15, 15, 5)),
        ("live-fast", TurnTime(5, 5, 1)),
        ("own", TurnTime.of_hours(48, 96, 24)),
    ],
)
def test_a_pace_is_chosen_and_what_is_none_is_the_relaxed_one(place, tempo, time):
    place.visitor().get("/new").send(**TWO | {"tempo": tempo})
    assert [turn_time_of(one) for one in place.rows(Game)] == [time]


def test_a_line_to_the_guests_goes_with_their_invitation_and_stands_on_its_page(place):
    visitor = place.visitor().get("/new")
    refused = visitor.send(**TWO, note="Look at example.com")
    assert refused.status == 422
    assert "holds no link and no address" in refused.text
    assert visitor.page.xpath("string(//textarea[@id='note'])").strip() == "Look at example.com"
    assert not place.rows(Game)
    place.say_yes(visitor.send(**TWO, note=" Shall\r\n we? "))
    (game,) = place.rows(Game)
    seat = place.seat(game.id, "Ben")
    shown = place.visitor().get(f"/t/{place.token(game.id, 'accept', seat=seat, after=0)}")
    assert shown.page.xpath("string(//blockquote)") == "Shall we?"
    assert shown.title == "Anna asks: will you play, Ben?"
    assert "A game takes about 30 turns, 15 of them yours." in shown.text
    assert shown.page.xpath("//figure//*[local-name()='svg']")


def test_a_game_request_from_before_open_seats_is_read_still():
    old = {
        "organiser": {"name": "Anna", "address": "anna@example.org"},
        "guests": [{"name": "Ben", "address": "ben@example.org"}],
        "houses": 1, "name": "Friday", "edition": "winning-moves", "hours": 24, "language": "nl",
        "unread": ["x"], "unreachable": [],
    }  # fmt: skip
    request = game_request_from_json(json.dumps(old))
    assert (request.open_seats, request.joined_by, request.watched, request.seats) == (0, "", False, 3)
    assert (request.houses, request.advice, request.caretaker) == (("steady",), True, "gentle")
    assert (request.guests, request.time) == ((Guest("Ben", "ben@example.org"),), TurnTime.of_hours(24))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": ""}, "The game's name must have 1 to 40 letters"),
        ({"address1": ""}, "Your own address is needed"),
        ({"address2": "", "kind2": "person"}, "A person needs a mail address"),
        ({"address1": "root@example.org"}, "nobody can play at “root@example.org”"),
        ({"name2": "https://example.net"}, "a name holds no link"),
        ({"address1": "anna at home"}, "is no mail address"),
        ({"edition": "german"}, "The edition is"),
        ({"kind2": "nobody", "name2": "", "address2": ""}, "2 to 4 seats"),
        ({"kind2": "open", "joined": "nobody"}, "There is an open seat: say who may take it."),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(place, changes, sentence):
    visitor = place.visitor().get("/new").send(**(TWO | changes))
    assert visitor.status == 422
    assert sentence.lower() in visitor.text.lower()
    _, _, fields = visitor.form("//main//form")
    for name, value in (TWO | changes).items():
        if name not in ("edition", "kind1", "kind2", "joined"):
            assert fields[name] == value
    assert not place.rows(Game)


def test_whoever_types_an_address_for_nobody_means_a_person(place):
    visitor = place.visitor().get("/new")
    place.say_yes(visitor.send(**TWO, kind3="nobody", name3="Cleo", address3="cleo@example.org"))
    assert len(place.rows(Player)) == 3


def test_a_form_from_another_page_opens_nothing_and_keeps_what_was_typed(place):
    mine, other = place.visitor().get("/new"), place.visitor().get("/new")
    for nonce in ("", "x", other.nonce()):
        mine.get("/new").send(**TWO, nonce=nonce)
        assert mine.status == 400
        assert mine.form("//main//form")[2]["address1"] == "anna@example.org"
    assert not place.rows(Game)
    assert mine.send().status == 200, "the same form sent again is good"
    assert len(place.rows(Game)) == 1


def test_one_visitor_opens_only_so_many_games_within_an_hour(place):
    place.app.config["LIMITS"]["games"] = 3
    visitor = place.visitor()
    for number in range(5):
        visitor.get("/new").send(**(TWO | {"name": f"Game {number}"}))
        assert visitor.status == (200 if number < 3 else 429)
    assert "come back later" in visitor.text
    assert visitor.form("//main//form")[2]["name"] == "Game 4"
    place.clock.forward(1)
    assert visitor.get("/new").send(**TWO).status == 200


def test_visitors_of_one_network_count_as_one_and_others_do_not(place):
    place.app.config["LIMITS"]["games"] = 1
    seen = []
    for address in ("2001:db8::1", "2001:db8:0:1::1", "2001:db8:1::1", "192.0.2.1", "192.0.2.2", "192.0.3.1"):
        visitor = place.visitor()
        visitor.client.environ_base["REMOTE_ADDR"] = address
        seen.append(visitor.get("/new").send(**TWO).status)
    assert seen == [200, 429, 200, 200, 429, 200]


def test_whoever_is_signed_in_is_in_at_once_and_comes_back_to_his_page(place):
    place.open_game("Before", [ANNA, SeatRequest("", None)], at_once=True)
    anna = place.as_player().get("/new")
    assert "Your mails go to anna@example.org." in anna.text
    assert anna.form("//main//form")[2]["name1"] == "Anna"
    anna.send("//main//form", name="Friday", name2="Ben", address2="ben@example.org")
    assert anna.title == "The invitations are on their way"
    [game] = place.rows(Game.id, Game.name == "Friday")
    invited = OutgoingLetter.kind == "invitation", OutgoingLetter.game == game
    assert place.rows(OutgoingLetter.recipient, *invited) == ["ben@example.org"]
    assert place.read(terms_of, game).seat == place.seat(game, "Anna")
    anna.click("To my own seat")
    assert anna.title == "You are in, Anna"
    assert anna.click("Who is in, and the link to pass on").title == "The invitations are on their way"


@pytest.fixture
def invited(place) -> list[str]:
    """The links of two players who are invited to a game with the house."""
    game = place.open_game("Friday", [ANNA, BEN, SeatRequest("", None)])
    return [place.link(game, "accept", seat=place.seat(game, name), after=0) for name in ("Anna", "Ben")]


def test_an_invitation_is_looked_at_and_then_accepted(place, invited):
    anna, ben = place.visitor(), place.visitor()
    anna.get(invited[0])
    assert anna.title == "Will you play, Anna?"
    assert all(word in anna.text for word in ("Friday", "Ben", HOUSE, "100 points", "2 days"))
    before = place.stored()
    for _ in range(100):
        anna.client.get(invited[0])
        anna.client.head(invited[0])
    assert place.stored() == before
    anna.press()
    assert anna.title == "You are in, Anna"
    assert "Still awaited: Ben" in anna.text
    ben.get(invited[1]).press()
    assert ben.title == "The game has begun"
    assert place.rows(Game)[0].status == "running"
    assert "turn" in ben.click("To the game").title
    assert anna.get(invited[0]).title == "The game has begun"


def test_a_turn_link_to_a_game_that_has_not_begun_is_its_invitation(place, invited):
    ticket = replace(unseal_ticket(invited[0].removeprefix("/t/"), place.context.links.keys), words="")
    link = f"/t/{seal_ticket(ticket, place.context.links.keys)}"
    assert place.visitor().get(link).title == "Will you play, Anna?"


def test_two_who_accept_at_once_both_have_accepted(place, invited):
    visitors = [place.visitor().get(link) for link in invited]
    assert at_once(*(visitor.press for visitor in visitors)) == []
    assert [visitor.status for visitor in visitors] == [200, 200]
    assert place.rows(Game)[0].status == "running"


def test_an_invitation_pressed_twice_or_with_a_forged_button(place, invited):
    anna = place.visitor().get(invited[0])
    _, action, fields = anna.form("//main//form")
    assert anna.client.post(action, data={"nonce": "x"}).status_code == 400
    before = place.stored()
    assert [anna.client.post(action, data=fields).status_code for _ in range(2)] == [303, 303]
    assert place.stored()[0] == before[0] + 1
