"""Players of the house by strength and by name, in odd words, and beside people of their names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import Result

from server.admin.backups import export_log
from server.lobby.open_seats import SeatRefused, hold_seat
from server.lobby.proposals import open_rematch
from server.store.event_log import Refusal
from server.store.game_terms import SeatRequest
from server.store.models import Game, Seating
from tests.bots import adapter
from tests.paths import GAMES
from tests.server.desk import BY_LINK, CLEO, NOON, OPEN_SEAT, Desk, body, desk
from tests.server.inbox.test_new_game_mail import Post

ANNA, ROXANA = "Anna <anna@example.org>", "Roxana <anna@example.org>"
SEATED_BY_WORDS = {
    "house": "steady",
    "HOUSE": "steady",
    "house:STRONG": "strong",
    "House:Strong": "strong",
    " house : easy ": "easy",
    "house:roxana": "Roxana",
    "house: DARIUS": "Darius",
    **{f"house:{word}": word for word in (*adapter.STRENGTHS, *adapter.NAMES)},
}
"""Who plays on a seat, by strength or by name."""
NOBODY = (
    "house:nobody",
    "house:Alexander",
    "house::strong",
    "house:strong:easy",
    "house:strong easy",
    "house:Roxana Darius",
    "house:Roxana <ben@example.org>",
    f"house:{'x' * 2000}",
    "house:<b>",
    "house:\u0000",
    "house:None",
    "house:0",
    "house:sterk en dom",
    "house@",
)


def by_command(context: Desk, *seats: str) -> Result:
    """`alexandros new` with these seats; the last line printed is the game's id."""
    asked = [word for seat in seats for word in ("--seat", seat)]
    return context.type_in("new", "--name", "Friday", *asked, "--start")


def game_of(said: Result) -> str:
    assert said.exit_code == 0, said.output
    return said.output.split()[-1]


def check_game(context: Desk, game: str, people: Sequence[str], bots: Sequence[str]) -> None:
    """Make sure who sits in a game: these people, and players of the house by these strengths or names."""
    seats = context.rows_of(Seating, Seating.game == game)
    assert sorted(one.name for one in seats if not one.house) == sorted(people)
    strengths = [adapter.NAMES.get(one.name, f"unknown: {one.name}") for one in seats if one.house]
    assert sorted(strengths) == sorted(adapter.NAMES.get(one, one) for one in bots), seats
    names = [one.name for one in seats]
    assert {one for one in bots if one in adapter.NAMES} <= {*names}
    assert len(names) == len({name.casefold() for name in names}), seats


def check_refusal(context: Desk, *seats: str) -> None:
    """Make sure that a command opens nothing and says in a sentence why."""
    before, said = context.rows_of(Game.id), by_command(context, *seats)
    assert said.exit_code != 0
    assert isinstance(said.exception, SystemExit), (seats, said.exception)
    assert len(said.output.split()) > 3, said.output
    assert "Traceback" not in said.output
    assert context.rows_of(Game.id) == before


# --- words of an operator -------------------------------------------------------------------------------


@pytest.mark.parametrize("words", SEATED_BY_WORDS)
def test_words_for_the_house_seat_who_is_meant(context: Desk, words: str) -> None:
    game = game_of(by_command(context, ANNA, words))
    check_game(context, game, ["Anna"], [SEATED_BY_WORDS[words]])
    assert context.names_of(game) == tuple(context.rows_of(Seating.name, Seating.game == game))


@pytest.mark.parametrize("words", NOBODY)
def test_what_means_nobody_opens_nothing(context: Desk, words: str) -> None:
    check_refusal(context, ANNA, words)


@pytest.mark.parametrize("word", ["house", *(f"house:{strength}" for strength in adapter.STRENGTHS)])
def test_four_seats_of_one_kind_open_and_five_are_refused(context: Desk, word: str) -> None:
    names = {*context.names_of(game_of(by_command(context, *[word] * 4)))}
    assert len(names) == 4
    assert names <= adapter.NAMES.keys()
    for seats in ([word] * 5, [ANNA, *[word] * 4]):
        check_refusal(context, *seats)


# --- people who are called so ---------------------------------------------------------------------------


def test_whoever_joins_is_not_called_as_the_house_is(context: Desk) -> None:
    seats = SeatRequest.read(ANNA), SeatRequest.read("house:Roxana"), OPEN_SEAT
    game = context.open_game("Friday", seats, NOON, organiser="anna@example.org", terms=BY_LINK)
    with pytest.raises((SeatRefused, Refusal)):
        hold_seat(context, game, SeatRequest("Roxana", CLEO.address), NOON)
    assert len(context.rows_of(Seating, Seating.game == game)) == 3, "two seats of one name"


# --- games of before ------------------------------------------------------------------------------------


def renamed(lines: str, names: Sequence[str]) -> str:
    """A log in which the seats are called otherwise."""
    events = [json.loads(line) for line in lines.splitlines()]
    [dealt] = [event for event in events if event["type"] == "game_started"]
    assert len(dealt["seats"]) == len(names)
    dealt["seats"] = list(names)
    return "\n".join(map(json.dumps, events))


def taken_in(context: Desk, lines: str, *seats: str) -> str:
    """The game of a log that is taken in, with these on its seats."""
    asked = [word for one in seats for word in ("--seat", one)]
    return game_of(context.type_in("import", "-", *asked, given=lines))


def test_an_old_game_replays_to_the_same_and_keeps_its_names(context: Desk) -> None:
    game = game_of(by_command(context, ANNA, "house"))
    lines = renamed("\n".join(export_log(context, game)), ("House", "Ben"))
    assert context.type_in("replay", "-", given=lines).exit_code == 0
    game = taken_in(context, lines)
    assert context.names_of(game) == ("House", "Ben")
    again = [line.partition(', "meta"')[0] for line in export_log(context, game)]
    assert again == [line.partition(', "meta"')[0] for line in lines.splitlines()]


def test_a_person_called_so_is_no_bot_in_a_rematch(context: Desk) -> None:
    lines = (GAMES / "two-players.jsonl").read_text("utf-8")
    over = taken_in(context, renamed(lines, ("Roxana", "Anna")), "Roxana <ben@example.org>", ANNA, "house")
    made = open_rematch(context, over, context.seat_of(over, "Anna"), NOON)
    check_game(context, made.game, ["Roxana", "Anna"], [])


# --- by mail --------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(tmp_path: Path) -> Desk:
    return desk(tmp_path)


@pytest.mark.parametrize(
    ("words", "sender", "people", "bots"),
    [
        ("house: Darius\nhouse: Philip", ANNA, ["Anna"], ["Darius", "Philip"]),
        ("Ben <ben@example.org>, house: strong, 24 hours, name: Spring", ANNA, ["Anna", "Ben"], ["strong"]),
        ("house: steady", ROXANA, ["Roxana"], ["steady"]),
    ],
    ids=["by name", "beside people", "called as one of them"],
)
def test_a_mail_seats_the_house(
    fresh: Desk, words: str, sender: str, people: list[str], bots: list[str]
) -> None:
    post = Post(fresh)
    proposal = post.proposed(words, sender=sender)
    assert str(proposal["X-Alexandros"]) == "proposal", proposal
    post.answer(proposal, "yes")
    [game] = fresh.rows_of(Game.id)
    check_game(fresh, game, people, bots)


def test_a_house_that_is_nobody_is_asked_about_and_no_other_is_taken(fresh: Desk) -> None:
    """Nothing is guessed: whoever writes a name that nobody has is told, before anything is opened."""
    post = Post(fresh)
    letter = post.proposed("Ben <ben@example.org>\nhouse: Nabarzanes")
    assert "Nabarzanes" in body(letter)
    assert len(fresh.rows_of(Game.id)) <= 1
