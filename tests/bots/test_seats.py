"""Players of the house by strength and by name, as an operator and an organiser ask for them."""

from __future__ import annotations

import pytest

from emails.terms import JoinedBy
from engine.bots import play_to_win
from engine.notation.orders import write
from engine.position import view
from server import clock
from server.admin.archive import export_log
from server.lobby.open_seats import fill_with_bots
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from tests.bots import adapter, openings
from tests.bots.openings import by_command, check_game, game_of, renamed, seats_of, written
from tests.breadth import first
from tests.engine.build import alexandros
from tests.server.desk import NOON, game_row, names_of, open_game, type_in

ANNA = written("Anna")


@pytest.mark.parametrize("strength", adapter.STRENGTHS)
def test_a_seat_of_a_strength_has_a_name_of_that_strength(context: Context, strength: str) -> None:
    check_game(context, game_of(by_command(context, ANNA, f"house:{strength}")), ["Anna"], [strength])


def test_house_alone_plays_steadily(context: Context) -> None:
    check_game(context, game_of(by_command(context, ANNA, "house")), ["Anna"], ["steady"])


@pytest.mark.parametrize("name", first(2, adapter.NAMES))
def test_who_is_asked_for_by_name_comes(context: Context, name: str) -> None:
    game = game_of(by_command(context, ANNA, f"house:{name}"))
    assert set(names_of(context, game)) == {"Anna", name}
    assert seats_of(context, game)[name], "the server plays them"


def test_two_of_each_strength_have_names_that_differ(context: Context) -> None:
    for strength in adapter.STRENGTHS:
        seats = (ANNA, *[f"house:{strength}"] * 3)
        check_game(context, game_of(by_command(context, *seats)), ["Anna"], [strength] * 3)


def test_who_is_named_and_who_is_any_of_that_strength_are_two(context: Context) -> None:
    """The one who is named may be the first that would be taken for the other."""
    for name, strength in adapter.NAMES.items():
        for seats in (
            (ANNA, f"house:{name}", f"house:{strength}"),
            (ANNA, f"house:{strength}", f"house:{name}"),
        ):
            game = game_of(by_command(context, *seats, start=False))
            check_game_names(context, game, name, strength)


def check_game_names(context: Context, game: str, name: str, strength: str) -> None:
    seats = seats_of(context, game)
    assert name in seats
    openings.check_seats(seats, ["Anna"], [strength] * 2)


def test_an_organiser_lets_the_house_play_empty_seats_by_name(context: Context) -> None:
    requests = [SeatRequest.read(ANNA), SeatRequest("", None, open=True), SeatRequest.read("house:easy")]
    terms = GameTerms(JoinedBy.LINK)
    game = open_game(context, "Friday", requests, NOON, organiser="anna@example.org", terms=terms)
    fill_with_bots(context, game, "open", NOON)
    check_game(context, game, ["Anna"], ["easy", "steady"])
    assert game_row(context, game).status == "running"


# --- games of before ------------------------------------------------------------------------------------


def old_log(context: Context, names: tuple[str, str]) -> str:
    """The log of a game in which nothing has happened but the deal, with these names in it."""
    game = game_of(by_command(context, ANNA, "house"))
    return renamed("\n".join(export_log(context, game)), names)


@pytest.mark.parametrize("called", ["House", "House 2"])
def test_a_seat_of_before_is_played_as_before(context: Context, called: str) -> None:
    said = type_in(
        context,
        "import",
        "-",
        "--seat",
        written("Ben"),
        "--seat",
        "house",
        given=old_log(context, (called, "Ben")),
    )
    game = game_of(said)
    assert seats_of(context, game) == {called: True, "Ben": False}
    with context.reading() as session:
        before = context.history_of(session, game_row(context, game)).position
    first_word = write(play_to_win(view(before, before.table.seat)), alexandros())
    clock.play_bot_turns(context, NOON)
    assert adapter.acts(context, game)[-1].said.split("; ")[0] == first_word
    assert game_row(context, game).seat == 1


def test_an_old_game_replays_to_the_same_and_keeps_its_names(context: Context) -> None:
    lines = old_log(context, ("House", "Ben"))
    replayed = type_in(context, "replay", "-", given=lines)
    assert replayed.exit_code == 0
    game = game_of(type_in(context, "import", "-", given=lines))
    assert names_of(context, game) == ("House", "Ben")
    again = [line.partition(', "meta"')[0] for line in export_log(context, game)]
    assert again == [line.partition(', "meta"')[0] for line in lines.splitlines()]
