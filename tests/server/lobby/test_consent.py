"""Who may cause letters to people who have asked for none: how many, to whom, and what names may hold."""

import pytest

from emails.i18n import Locale, use_locale
from emails.terms import JoinedBy
from server.lobby import open_seats
from server.outbox import budgets
from server.outbox.budgets import read_block, store_block
from server.store.game_terms import GameNotOpened, SeatRequest
from server.store.server_facts import GameTerms
from server.store.states import BlockOrigin
from tests.server.desk import NOON, open_game

ANNA, BEN, CLEO, DIRK = (
    SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo", "Dirk")
)
OPEN = SeatRequest("", None, open=True)
LINK = GameTerms(JoinedBy.LINK)


def test_strangers_from_one_network_ask_for_only_so_many_letters_a_day(context, monkeypatch, clock):
    monkeypatch.setattr(budgets, "MOST_FROM_ONE", 2)
    game = open_game(context, "Friday", [ANNA, OPEN, OPEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    here, elsewhere = map(budgets.read_origin, ("192.0.2.0/24", "198.51.100.0/24"))
    open_seats.hold_seat(context, game, BEN, clock(), here)
    open_seats.hold_seat(context, game, BEN, clock(), here)  # which sends nothing, and counts all the same
    with pytest.raises(budgets.BudgetSpent, match="come back tomorrow"), use_locale(Locale()):
        open_seats.hold_seat(context, game, CLEO, clock(), here)
    open_seats.hold_seat(context, game, CLEO, clock(), elsewhere)
    open_seats.hold_seat(context, game, DIRK, clock.forward(24), here)


@pytest.mark.parametrize(
    "address", ["postmaster@example.org", "new@play.example.org", "Alexandros@example.org", "root@localhost"]
)
def test_nobody_plays_at_an_address_of_an_office_or_of_the_house(context, address):
    game = open_game(context, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    with pytest.raises(GameNotOpened, match="nobody can play at"), use_locale(Locale()):
        open_seats.hold_seat(context, game, SeatRequest("Ben", address), NOON)
    with pytest.raises(GameNotOpened, match="nobody can play at"), use_locale(Locale()):
        open_game(context, "Friday", [ANNA, SeatRequest("Ben", address)], NOON)


def test_a_name_is_no_place_for_a_link(context):
    for name in ("http://example.net", "see WWW.example.net", "ftp://x"):
        with pytest.raises(GameNotOpened, match="holds no link"), use_locale(Locale()):
            open_game(context, name, [ANNA, BEN], NOON)
        with pytest.raises(GameNotOpened, match="holds no link"), use_locale(Locale()):
            open_game(context, "Friday", [ANNA, SeatRequest(name, "ben@example.org")], NOON)


def test_who_wants_no_letters_gets_none_and_whoever_asks_hears_the_same(context):
    game = open_game(context, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    with context.writing() as session:
        store_block(session, read_block("ben@example.org", BlockOrigin.READER, NOON))
        session.commit()
    open_seats.hold_seat(context, game, SeatRequest("Ben", "Ben+x@example.org"), NOON)
    with context.reading() as session:
        assert sorted(one.name for one in open_seats.seats_of(session, game)) == ["", "Anna"]
