"""A letter was passed on, and a stranger holds a ticket of one seat: what is the player's stays theirs.

The stranger tries every page and form that concerns a player, with the ticket and in a browser of their own.
They can play the seat until its player makes the links new; they can not sign in, have no key made, and move
no address, unless the mail of the player does it.
"""

import re

import pytest
from sqlmodel import select

from emails.tokens import Ticket, seal_ticket
from server.accounts import sign_in
from server.accounts.addresses import confirm_address, decline_move
from server.outbox.notifications import Preferences, load_preferences, store_preferences
from server.store.models import (
    AddressConfirmation,
    ApiKey,
    Player,
    Seating,
    SignedInBrowser,
    StoredPreferences,
)
from server.web.game.viewers import TicketContext
from tests.server.desk import NOON, Collector
from tests.server.web.site import Site, Visitor, site

THIEF = "thief@example.org"
SETTINGS = {"language": "nl", "zone": "Europe/Amsterdam", "all-pace": "daily", "all-moves": "yes"}


@pytest.fixture
def place(tmp_path) -> Site:
    return site(tmp_path)


@pytest.fixture
def game(place) -> str:
    return place.start_game("Anna", "Ben")


@pytest.fixture
def other(place, game) -> str:
    return place.start_game("Anna", "Ben")


def belongings(place: Site, game: str) -> list[object]:
    number = place.context.player_of(game)
    with place.context.reading() as session:
        tables = (SignedInBrowser, ApiKey)
        rows = [row for table in tables for row in session.exec(select(table).filter_by(player=number))]
        chosen = select(StoredPreferences).filter_by(player=number)
        rows += session.exec(chosen.where(StoredPreferences.game != game))
        address, wanted = session.get_one(Player, number).address, load_preferences(session, number)
        return [address, *(row.model_dump() for row in rows), wanted]


@pytest.fixture
def rich(place, game, other) -> Site:
    """The player of the leaked ticket has all that a player can have."""
    number = place.context.player_of(game)
    place.signed_in(game)
    sign_in.create_key(place.context, number, "a program", NOON)
    with place.changing() as session:
        store_preferences(session, number, None, Preferences(pace="gathered"), NOON)
    return place


def attempts(place: Site, game: str) -> dict[str, Visitor]:
    ticket = place.link(game, seat=0)
    found = {}
    for name, path, fields in (
        ("settings of all games", "/settings", SETTINGS | {"scope": "all"}),
        ("address", "/settings/address", {"address": THIEF}),
        ("delivery again", "/settings/again", {}),
        ("a link to sign in", "/settings/signin", {}),
        ("another link to sign in", "/signin", {}),
    ):
        visitor = place.visitor()
        nonce = visitor.get(ticket + ("/signin" if path == "/signin" else "/settings")).nonce()
        found[name] = visitor.post(ticket + path, nonce=nonce, **fields)
    for page in ("/me", "/me/finished", "/me/browsers"):
        found[page] = place.visitor().get(page)
        stranger = place.visitor()
        nonce = stranger.get(f"{ticket}/settings").nonce()
        for choice in ("new", "others", "end-1", "end-key-1"):
            found[f"{page} {choice}"] = stranger.post(page, nonce=nonce, wish=choice, name="x")
    return found


def test_nothing_that_is_the_players_changes_or_shows(rich, game):
    before = belongings(rich, game)
    answers = attempts(rich, game)
    assert belongings(rich, game) == before
    for name, answer in answers.items():
        assert not re.search(r"[a-z]+@example\.org", answer.text.replace(THIEF, "")), name


def test_what_it_asks_for_goes_to_the_players_own_mail_alone(rich, game):
    attempts(rich, game)
    rich.context.work_until_idle(mails := Collector(), rich.clock())
    [own] = rich.rows(Player.address, Player.id == rich.context.player_of(game))
    asked = [mail for mail in mails.mails if mail["X-Alexandros"] in ("signin", "move_asked", "confirm")]
    assert {str(mail["To"]) for mail in asked} == {own}
    assert {str(mail["X-Alexandros"]) for mail in asked} == {"signin", "move_asked"}


@pytest.mark.parametrize("answer", ["declines", "moves away", "is taken back"])
def test_it_ends_when_its_player_objects_or_moves(rich, game, other, answer):
    player = rich.context.player_of(game)
    [seat] = rich.rows(Seating.seat, Seating.game == other, Seating.player == player)
    seats = ((game, 0), (other, seat))
    leaked = [rich.link(one, seat=seat) for one, seat in seats]
    settings = rich.visitor().get(leaked[0] + "/settings")
    settings.send("//form[contains(@action, '/address')]", address="anna.new@example.org")
    (move,) = rich.context.confirmation_codes(purpose="move")
    if answer == "declines":
        rich.context.committed(NOON, decline_move, move)
    else:
        rich.context.committed(NOON, confirm_address, move)
        rich.context.committed(NOON, confirm_address, *rich.context.confirmation_codes(purpose="address"))
    if answer == "is taken back":
        leaked += [rich.link(one, seat=seat) for one, seat in seats]
        rich.context.committed(NOON, confirm_address, *rich.context.confirmation_codes(purpose="back"))
    for link in leaked:
        for more in ("", "/settings", "/signin", "/log"):
            assert rich.visitor().get(link + more).status >= 400
    assert rich.visitor().get(rich.link(game, seat=0)).status == 200


def test_a_ticket_cannot_be_turned_into_a_later_one(rich, game):
    token = rich.token(game, seat=0)
    later = seal_ticket(Ticket(game, 0, rich.history(game).after, generation=1), rich.context.links.keys)
    assert rich.visitor().get(f"/t/{later}").status >= 400
    for number in range(len(token)):
        forged = token[:number] + ("b" if token[number] == "a" else "a") + token[number + 1 :]
        assert rich.visitor().get(f"/t/{forged}").status == 404


def test_without_the_sign_in_the_same_attempts_take_the_player_over(rich, game, monkeypatch):
    """The control: were the browser's sign-in not asked for, settings and addresses would be lost."""
    monkeypatch.setattr(TicketContext, "is_own_browser", True)
    before = belongings(rich, game)
    attempts(rich, game)
    after = belongings(rich, game)
    assert before != after
    assert not [row for row in after if isinstance(row, dict) and row.get("address") == "second@example.org"]
    assert THIEF in rich.rows(AddressConfirmation.address, AddressConfirmation.purpose == "address")


def test_without_generations_a_leaked_ticket_would_outlive_its_end(rich, game, monkeypatch):
    """The control: were generations not raised, the ticket would still open the seat."""
    monkeypatch.setattr("server.accounts.addresses.raise_generations", lambda *_: [])
    leaked = rich.link(game, seat=0)
    rich.visitor().get(leaked + "/settings").send("//form[contains(@action, '/address')]", address=THIEF)
    rich.context.committed(NOON, decline_move, *rich.context.confirmation_codes(purpose="move"))
    assert rich.visitor().get(leaked).status == 200


def test_sessions_are_found_by_their_token_alone(rich):
    with rich.context.reading() as session:
        digests = session.exec(select(SignedInBrowser.digest)).all()
        assert digests
        assert not [one for one in digests if sign_in.find_browser(session, one, NOON)]
