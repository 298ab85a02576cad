"""What is kept about somebody, as the operator and they themselves get it; and that they can be forgotten."""

import json
import re
from pathlib import Path

import pytest

from server.accounts import sign_in
from server.accounts.sign_in import create_key
from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.inbox.dispatch import process_waiting_mail
from server.inbox.intake import store_mail
from server.outbox import chat
from server.personal_data import collect_data_at
from server.store.models import Game, Player, Seating
from tests.server.beginnings import begin_once
from tests.server.desk import Collector
from tests.server.web.played import move
from tests.server.web.site import Site

TOKEN = re.compile(r"/[tucsjnx]/[a-z2-7]{12}|\+[a-z2-7]{16}|alx_[a-z2-7]{8}")


@pytest.fixture
def game(place: Site) -> str:
    return begin_once(place.context, Collector(), lambda: lived(place))


def lived(place: Site) -> str:
    context, now = place.context, place.clock()
    game = context.start_game("Anna", "Ben", "Cleo")
    anna, ben = context.seat_of(game, "Anna"), context.seat_of(game, "Ben")
    for _ in range(12):
        move(place, game)
    context.set_preferences(game, "Anna", language="nl", everywhere=True)
    for writer, to, words in (
        (anna, None, "Hello all"),
        (anna, ben, "Hello Ben"),
        (ben, anna, "Hello Anna"),
        (ben, context.seat_of(game, "Cleo"), "Not for Anna"),
    ):
        with context.changing() as session:
            chat.post(context, session, session.get_one(Game, game), writer, to, words, now)
    create_key(context, context.player_of(game, anna), "A program", now)
    sign_in.request_link(context, "anna@example.org", now)
    send_due_letters(context, choose_transport(context, place.clock), now)
    for sender, words in (("anna@example.org", "My own words"), ("ben@example.org", "Words of Ben")):
        mail = f"From: {sender}\r\n\r\n{words}".encode()
        store_mail(context, sender, "x+y@play.example.org", mail, now)
    process_waiting_mail(context, now)
    return game


def test_everything_of_somebody_is_there_and_nothing_of_others(place, game):
    found = collect_data_at(place.context, "ANNA+x@example.org")
    text = json.dumps(found)
    (anna,) = found["players"]
    assert (anna["name"], anna["address"]) == ("Anna", "anna@example.org")
    (seat,) = anna["games"]
    assert seat["game"] == game
    assert [one["words"] for one in seat["messages"]] == ["Hello all", "Hello Ben", "Hello Anna"]
    assert [one["by"] for one in seat["acts"]] == ["web"] * len(seat["acts"]) != []
    assert [one["name"] for one in anna["keys"]] == ["A program"]
    assert [one["language"] for one in anna["preferences"]] == ["nl"]
    assert len(anna["links_to_sign_in"]) == 1
    assert {one["relay_reply"] for one in found["letters"]} == {""}, "this server sends none"
    assert {"signin", "your_turn", "welcome"} & {one["kind"] for one in found["letters"]}
    assert [one["words"] for one in found["mails"]] == ["My own words"]
    assert found["mailbox"]
    for secret in ("Not for Anna", "Words of Ben", "ben@example.org", "cleo@example.org"):
        assert secret not in text
    assert TOKEN.search(text) is None


def test_of_an_address_with_which_nobody_plays_there_is_nothing_to_tell(place, game):
    assert not any(collect_data_at(place.context, "dirk@example.org").values())


def test_players_get_their_own_alone_and_only_signed_in(place, game):
    for page in ("/me/data", "/me/data.json", "/me/forget"):
        assert place.app.test_client().get(page).status_code == 303
    ben = place.context.seat_of(game, "Ben")
    visitor = place.signed_in(game, ben)
    assert "ben@example.org" in visitor.get("/me/data").text
    answer = visitor.client.get("/me/data.json")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.get_json() == json.loads(json.dumps(collect_data_at(place.context, "ben@example.org")))
    assert "anna@example.org" not in answer.get_data(as_text=True)


def test_who_forgets_themselves_is_gone_after_one_button_and_signed_out(place, game):
    ben = place.context.seat_of(game, "Ben")
    visitor = place.signed_in(game, ben)
    visitor.get("/me/data").click("Forget me")
    assert visitor.client.post("/me/forget", data={"nonce": "x"}).status_code == 400
    visitor.get("/me/forget").press()
    assert (visitor.status, visitor.title) == (200, "You are forgotten")
    assert visitor.client.get("/me").status_code == 303
    assert sorted(place.context.rows_of(Player.name)) == ["Anna", "Cleo"]
    names = place.context.rows_of(Seating.name, Seating.game == game)
    assert sorted(names) == ["Anna", "Cleo", "a player"]


def test_the_pages_of_nobody_else_forget_anybody(place, game):
    mine, theirs = (place.signed_in(game, place.context.seat_of(game, name)) for name in ("Anna", "Ben"))
    nonce = theirs.get("/me/forget").nonce()
    assert mine.client.post("/me/forget", data={"nonce": nonce}).status_code == 400
    assert place.app.test_client().post("/me/forget", data={"nonce": nonce}).status_code == 303
    assert len(place.context.rows_of(Player)) == 3


def test_who_signed_in_some_time_ago_signs_in_anew_before_they_are_forgotten(place, game):
    visitor = place.signed_in(game, place.context.seat_of(game, "Ben"))
    nonce = visitor.get("/me/forget").nonce()
    place.clock.forward(1 / 6)
    before = place.stored()
    assert visitor.client.post("/me/forget", data={"nonce": nonce}).status_code == 403
    assert visitor.get("/me/forget").status == 200
    assert "Forget me for good" not in visitor.text
    assert "Please sign in anew" in visitor.text
    assert place.stored() == before
    visitor.send("//main//form", wish="anew")
    assert visitor.title == "All my games"
    assert visitor.client.get("/me/forget").status_code == 303
    place.sign_in(visitor, game, place.context.seat_of(game, "Ben"))
    visitor.get("/me/forget").press()
    assert visitor.title == "You are forgotten"


@pytest.mark.file
def test_nothing_of_who_is_forgotten_is_left_in_the_files(place: Site, game: str) -> None:
    ben = place.context.seat_of(game, "Ben")
    visitor = place.signed_in(game, ben)
    visitor.get("/me/forget").press()
    assert (visitor.status, visitor.title) == (200, "You are forgotten")
    file = Path(str(place.context.database.url.database))
    assert b"ben@example.org" not in file.read_bytes() + Path(f"{file}-wal").read_bytes()
