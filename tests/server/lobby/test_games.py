"""How a game comes to be: seats, bots, invitations, the start; and logs that come and go."""

import json

import pytest

from engine.bots.strengths import PROFILES, Strength
from engine.event_log import InvalidLog, check_log
from server.admin import backups
from server.clock import tick
from server.lobby import open_seats
from server.lobby.games import NewGame, check_new_game
from server.lobby.open_seats import fill_with_bots
from server.store import load_boards
from server.store.game_terms import GameNotOpened, SeatRequest
from server.store.models import Player, Seating
from tests.paths import GAMES
from tests.server.desk import ANNA, BEN, BY_LINK, HOUSE_NAMES, NOON, OPEN_SEAT


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Anna <anna@example.org>", ANNA),
        ('"Anna"   <anna@example.org>', ANNA),
        ("anna@example.org", ANNA),
        ("house", SeatRequest("", None)),
        (" House ", SeatRequest("", None)),
        ("house:steady", SeatRequest("", None)),
        ("house:strong", SeatRequest("", None, bot=Strength.STRONG)),
        ("House: roxana", SeatRequest("", None, bot=PROFILES["Roxana"])),
        ("open", SeatRequest("", None, open=True)),
    ],
)
def test_a_seat_as_it_is_written(text, asked):
    assert SeatRequest.read(text) == asked


@pytest.mark.parametrize(
    "text", ["", "Anna", "Anna <>", "<<a@b>", "a b@c", "Anna <a@b> x", "houses", "house:"]
)
def test_a_seat_that_cannot_be_read(text):
    with pytest.raises(GameNotOpened, match="a seat is written like"):
        SeatRequest.read(text)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"name": "a\x07b"}, "name"),
        ({"seats": [ANNA]}, "2 to 4 seats"),
        ({"seats": [ANNA], "terms": BY_LINK}, "2 to 4 seats"),
        ({"seats": [ANNA, BEN] * 3}, "2 to 4 seats"),
        ({"edition": "klingon"}, "edition"),
        ({"seats": [ANNA, SeatRequest("anna", "b@example.org")]}, "two seats are called"),
        ({"seats": [ANNA, SeatRequest("Ben", "not an address@x")]}, "no mail address"),
        ({"seats": [ANNA, SeatRequest("Ben", "b@x\r\nBcc: y@z")]}, "no mail address"),
        ({"seats": [ANNA, OPEN_SEAT]}, "an open seat needs"),
        ({"seats": [ANNA, OPEN_SEAT], "terms": BY_LINK, "at_once": True}, "cannot start at once"),
    ],
)
def test_what_cannot_be_opened(context, changes, reason):
    wanted = {"name": "Friday", "seats": [ANNA, BEN], "now": NOON} | changes
    with pytest.raises(GameNotOpened, match=reason):
        context.open_game(**wanted)
    assert context.rows_of(Player) == []


def test_house_seats_are_named_apart():
    game = check_new_game(NewGame("x", (SeatRequest("", None), ANNA, SeatRequest("", None))))
    assert [seat.name for seat in game.seats] == [HOUSE_NAMES[0], "Anna", HOUSE_NAMES[1]]


def test_somebody_of_the_house_gives_way_to_a_person_of_that_name():
    roxana = SeatRequest(" roxana ", "anna@example.org")
    game = check_new_game(NewGame("x", (SeatRequest.read("house:Roxana"), roxana)))
    assert [seat.name for seat in game.seats] == ["Seleucus", "roxana"]


def test_a_seat_for_nobody_of_the_house():
    with pytest.raises(GameNotOpened, match="nobody of the house is “House 2”: write easy, steady or strong"):
        SeatRequest.read("house: House 2")


def test_nobody_accepts_for_the_house_or_for_a_seat_that_is_not_there(context):
    game = context.open_game("Friday", [ANNA, BEN, SeatRequest("", None)], NOON)
    for seat in (*context.rows_of(Seating.seat, Seating.house), 7):
        with pytest.raises(GameNotOpened, match="no such invitation"):
            context.accept_invitation(game, seat, NOON)


def test_one_person_is_one_player_whatever_the_case_of_the_address(context):
    context.start_game("Anna", "Ben")
    context.open_game("Again", [SeatRequest("Anna", "ANNA@example.org"), BEN], NOON, at_once=True)
    assert len(context.rows_of(Player)) == 2


def test_an_exported_game_is_a_log_and_can_be_taken_in(context):
    game = context.start_game("house", "house", "house")
    for _ in range(10):
        tick(context, NOON)
    lines = [line.encode() for line in backups.export_log(context, game)]
    assert context.game_row(game).status == "over"
    *_, (_, position) = check_log(lines, load_boards())
    assert position.table.over
    assert json.loads(lines[0])["meta"]["door"] == "server"
    copy = backups.import_log(context, backups.read_log(lines), NOON)
    assert context.facts(copy) == context.facts(game)
    assert [json.loads(line) for line in backups.export_log(context, copy)] == [
        json.loads(line) for line in lines
    ]


def record(events: int = 20, seats: list[str] | None = None, name: str = "two-players") -> backups.CheckedLog:
    """The first events of a recorded game, whose players may be called otherwise."""
    first, *rest = (GAMES / f"{name}.jsonl").read_bytes().splitlines()[:events]
    started = json.loads(first) | ({} if seats is None else {"seats": seats})
    return backups.read_log([json.dumps(started).encode(), *rest])


def test_a_log_that_is_cut_off_goes_on(context):
    game = backups.import_log(context, record(2), NOON, requests=[ANNA, BEN])  # a card is due
    row = context.game_row(game)
    assert (row.status, row.turn_minutes, row.seat) == ("running", 48 * 60, 0)
    assert len(context.facts(game)) == 3
    assert context.names_of(game) == ("Anna", "Ben")


@pytest.mark.parametrize(
    ("seats", "said"), [(["Anna", "anna"], "the same name"), (["x" * 10**6, "Ben"], "more than 200")]
)
def test_a_log_with_names_without_end_or_twice_one_is_not_taken_in(context, seats, said):
    with pytest.raises(GameNotOpened, match=said):
        backups.import_log(context, record(seats=seats), NOON)


def test_the_house_takes_the_seats_that_nobody_else_takes(context):
    three = record(name="three-players")
    game = backups.import_log(context, three, NOON, requests=[ANNA, SeatRequest("", None)])
    seats = context.rows_of(Seating)
    assert [(seat.name, seat.house) for seat in seats] == [("Anna", False), ("Ben", True), ("Cleo", True)]
    assert context.game_row(game).deadline is not None


def test_a_seat_of_a_log_keeps_its_name_by_which_somebody_of_the_house_plays(context):
    log = record(seats=["Anna", "Roxana"])
    with pytest.raises(GameNotOpened, match="keep their names"):
        backups.import_log(context, log, NOON, requests=[ANNA, SeatRequest.read("house:strong")])
    with pytest.raises(GameNotOpened, match="one of Anna, Roxana"):
        backups.import_log(context, log, NOON, requests=[ANNA, SeatRequest.read("house:Porus")])
    game = backups.import_log(context, log, NOON, requests=[SeatRequest.read("house:Roxana")])
    seats = context.rows_of(Seating, Seating.game == game)
    assert [(seat.name, seat.house) for seat in seats] == [("Anna", False), ("Roxana", True)]


def test_any_log_that_replays_can_be_taken_in(context):
    seats = ["", "A\n\u202e" + "x" * 100]
    game = backups.import_log(context, record(seats=seats), NOON)
    assert json.loads(next(backups.export_log(context, game)))["seats"] == seats


def test_a_game_with_an_empty_seat_has_no_clock(context):
    game = backups.import_log(context, record(), NOON, requests=[ANNA])
    assert context.game_row(game).deadline is None


def test_a_wrong_log_is_not_taken_in(context):
    lines = (GAMES / "two-players.jsonl").read_bytes().splitlines()
    with pytest.raises(InvalidLog, match="event 3"):
        backups.read_log([*lines[:2], lines[1]])
    with pytest.raises(GameNotOpened, match="no seat called Dirk"):
        backups.import_log(context, record(), NOON, requests=[SeatRequest("Dirk", "d@example.org")])


def test_the_organiser_chooses_who_of_the_house_plays(context):
    game = context.open_game(
        "Friday", [ANNA, BEN, OPEN_SEAT, OPEN_SEAT], NOON, organiser=ANNA.address, terms=BY_LINK
    )
    fill_with_bots(context, game, "open", NOON, PROFILES["Porus"])
    fill_with_bots(context, game, "awaited", NOON, Strength.EASY)
    assert sorted(context.names_of(game)) == ["Anna", "Darius", "Philip", "Porus"]


def test_nobody_of_the_house_has_the_name_of_somebody_who_was_asked(context):
    roxana, darius = SeatRequest("Roxana", "cleo@example.org"), SeatRequest("Darius", "dirk@example.org")
    game = context.open_game(
        "Friday", [ANNA, BEN, roxana, darius], NOON, organiser=ANNA.address, terms=BY_LINK
    )
    open_seats.leave_seat(context, game, context.seat_of(game, "Roxana"), 1, NOON)
    fill_with_bots(context, game, "open", NOON)
    fill_with_bots(context, game, "awaited", NOON, PROFILES["Darius"])
    assert sorted(context.names_of(game)) == ["Anna", "Olympias", "Porus", "Seleucus"]
