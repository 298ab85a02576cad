"""Players of the house by strength and by name, in odd words, and beside people of their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.admin.archive import export_log
from server.lobby.open_seats import SeatRefused, hold_seat
from server.lobby.rematches import open_rematch
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.refusals import Refusal
from tests.bots import adapter
from tests.bots.openings import (
    by_command,
    check_game,
    check_seats,
    game_of,
    games_of,
    renamed,
    seats_of,
    written,
)
from tests.paths import GAMES
from tests.server.desk import (
    BY_LINK,
    CLEO,
    NOON,
    OPEN_SEAT,
    body,
    desk,
    names_of,
    open_game,
    seat_of,
    type_in,
)
from tests.server.inbox.test_new_game_mail import Post

ANNA, BEN, ROXANA = written("Anna"), written("Ben"), written("Anna", "Roxana")
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


def check_refusal(context: Context, *seats: str) -> None:
    """Make sure that a command opens nothing and says in a sentence why."""
    before, said = games_of(context), by_command(context, *seats)
    assert said.exit_code != 0
    assert isinstance(said.exception, SystemExit), (seats, said.exception)
    assert len(said.output.split()) > 3, said.output
    assert "Traceback" not in said.output
    assert games_of(context) == before


# --- words of an operator -------------------------------------------------------------------------------


@pytest.mark.parametrize("words", SEATED_BY_WORDS)
def test_words_for_the_house_seat_who_is_meant(context: Context, words: str) -> None:
    check_game(context, game_of(by_command(context, ANNA, words)), ["Anna"], [SEATED_BY_WORDS[words]])


@pytest.mark.parametrize("words", NOBODY)
def test_what_means_nobody_opens_nothing(context: Context, words: str) -> None:
    check_refusal(context, ANNA, words)


@pytest.mark.parametrize("word", ["house", *(f"house:{strength}" for strength in adapter.STRENGTHS)])
def test_four_seats_of_one_kind_open_and_five_are_refused(context: Context, word: str) -> None:
    names = seats_of(context, game_of(by_command(context, *[word] * 4)))
    assert len(names) == 4
    assert names.keys() <= adapter.NAMES.keys()
    for seats in ([word] * 5, [ANNA, *[word] * 4]):
        check_refusal(context, *seats)


# --- people who are called so ---------------------------------------------------------------------------


def test_whoever_joins_is_not_called_as_the_house_is(context: Context) -> None:
    seats = SeatRequest.read(ANNA), SeatRequest.read("house:Roxana"), OPEN_SEAT
    game = open_game(context, "Friday", seats, NOON, organiser="anna@example.org", terms=BY_LINK)
    with pytest.raises((SeatRefused, Refusal)):
        hold_seat(context, game, SeatRequest("Roxana", CLEO.address), NOON)
    assert len(seats_of(context, game)) == 3, "two seats of one name"


# --- games of before ------------------------------------------------------------------------------------


def taken_in(context: Context, lines: str, *seats: str) -> str:
    """The game of a log that is taken in, with these on its seats."""
    asked = [word for one in seats for word in ("--seat", one)]
    return game_of(type_in(context, "import", "-", *asked, given=lines))


def test_an_old_game_replays_to_the_same_and_keeps_its_names(context: Context) -> None:
    game = game_of(by_command(context, ANNA, "house"))
    lines = renamed("\n".join(export_log(context, game)), ("House", "Ben"))
    assert type_in(context, "replay", "-", given=lines).exit_code == 0
    game = taken_in(context, lines)
    assert names_of(context, game) == ("House", "Ben")
    again = [line.partition(', "meta"')[0] for line in export_log(context, game)]
    assert again == [line.partition(', "meta"')[0] for line in lines.splitlines()]


def test_a_person_called_so_is_no_bot_in_a_rematch(context: Context) -> None:
    lines = (GAMES / "two-players.jsonl").read_text("utf-8")
    over = taken_in(context, renamed(lines, ("Roxana", "Anna")), written("Ben", "Roxana"), ANNA, "house")
    made = open_rematch(context, over, seat_of(context, over, "Anna"), NOON)
    check_seats(seats_of(context, made.game), ["Roxana", "Anna"], [])


# --- by mail --------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(tmp_path: Path) -> Context:
    """An office that nobody has written to."""
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
    fresh: Context, words: str, sender: str, people: list[str], bots: list[str]
) -> None:
    post = Post(fresh)
    proposal = post.proposed(words, sender=sender)
    assert str(proposal["X-Alexandros"]) == "proposal", proposal
    post.answer(proposal, "yes")
    [game] = games_of(fresh)
    check_seats(seats_of(fresh, game), people, bots)


def test_a_house_that_is_nobody_is_asked_about_and_no_other_is_taken(fresh: Context) -> None:
    """Nothing is guessed: whoever writes a name that nobody has is told, before anything is opened."""
    post = Post(fresh)
    letter = post.proposed("Ben <ben@example.org>\nhouse: Nabarzanes")
    assert "Nabarzanes" in body(letter)
    assert len(games_of(fresh)) <= 1
