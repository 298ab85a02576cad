"""Seats that the organiser leaves to the house: who of it sits down there."""

from engine.bots.strengths import PROFILES, Strength
from server.lobby import open_seats
from server.lobby.open_seats import fill_with_bots
from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from tests.server.desk import NOON, names_of, open_game, seat_of

ANNA, BEN = SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")
OPEN = SeatRequest("", None, open=True)
LINK = GameTerms("link")


def names(context, game):
    """Who sits there, by the alphabet."""
    return sorted(names_of(context, game))


def test_the_organiser_chooses_who_of_the_house_plays(context):
    game = open_game(context, "Friday", [ANNA, BEN, OPEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    fill_with_bots(context, game, "open", NOON, PROFILES["Porus"])
    fill_with_bots(context, game, "awaited", NOON, Strength.EASY)
    assert names(context, game) == ["Anna", "Darius", "Philip", "Porus"]


def test_nobody_of_the_house_has_the_name_of_somebody_who_was_asked(context):
    roxana, darius = SeatRequest("Roxana", "cleo@example.org"), SeatRequest("Darius", "dirk@example.org")
    game = open_game(context, "Friday", [ANNA, BEN, roxana, darius], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.leave_seat(context, game, seat_of(context, game, "Roxana"), 1, NOON)
    fill_with_bots(context, game, "open", NOON)
    fill_with_bots(context, game, "awaited", NOON, PROFILES["Darius"])
    assert names(context, game) == ["Anna", "Olympias", "Porus", "Seleucus"]
