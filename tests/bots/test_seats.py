"""Players of the house by strength and by name, in odd words, and beside people of their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.bots import play_to_win
from engine.notation.orders import write
from engine.position import view
from server import clock
from server.admin.archive import export_log
from server.lobby.open_seats import SeatRefused, fill_with_bots, hold_seat
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
from tests.engine.build import alexandros
from tests.paths import GAMES
from tests.server.desk import (
    BY_LINK,
    CLEO,
    NOON,
    OPEN_SEAT,
    body,
    desk,
    game_row,
    names_of,
    open_game,
    position_of,
    seat_of,
    type_in,
)
from tests.server.inbox.test_new_game_mail import Post

ANNA, BEN, ROXANA = written("Anna"), written("Ben"), written("Anna", "Roxana")
OF = {
    strength: [name for name in adapter.NAMES if adapter.NAMES[name] == strength]
    for strength in adapter.STRENGTHS
}
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


@pytest.mark.parametrize("strength", adapter.STRENGTHS)
def test_three_of_a_strength_have_names_that_differ(context: Context, strength: str) -> None:
    game = game_of(by_command(context, ANNA, *[f"house:{strength}"] * 3))
    check_game(context, game, ["Anna"], [strength] * 3)


@pytest.mark.parametrize("word", ["house", *(f"house:{strength}" for strength in adapter.STRENGTHS)])
def test_four_seats_of_one_kind_open_and_five_are_refused(context: Context, word: str) -> None:
    names = seats_of(context, game_of(by_command(context, *[word] * 4)))
    assert len(names) == 4
    assert names.keys() <= adapter.NAMES.keys()
    for seats in ([word] * 5, [ANNA, *[word] * 4]):
        check_refusal(context, *seats)


@pytest.mark.parametrize(("name", "strength"), adapter.NAMES.items())
def test_who_is_named_and_who_is_any_of_that_strength_are_two(
    context: Context, name: str, strength: str
) -> None:
    """The one who is named may be the first that would be taken for the other."""
    for wished in ((name, strength), (strength, name)):
        game = game_of(by_command(context, ANNA, *(f"house:{one}" for one in wished), start=False))
        check_seats(seats_of(context, game), ["Anna"], wished)


# --- people who are called so ---------------------------------------------------------------------------


@pytest.mark.parametrize("called", ["Roxana", "ROXANA", "roxana"])
@pytest.mark.parametrize("asked", ["house:Roxana", "house:steady", "house"])
def test_a_person_keeps_their_name_and_the_house_sends_another(
    context: Context, called: str, asked: str
) -> None:
    for seats in ([written("Anna", called), asked], [asked, written("Anna", called)]):
        check_game(context, game_of(by_command(context, *seats)), [called], ["steady"])


@pytest.mark.parametrize(
    ("strength", "other"), [("easy", "steady"), ("steady", "easy"), ("strong", "steady")]
)
def test_people_who_have_all_names_of_a_strength_play_one_of_another(
    context: Context, strength: str, other: str
) -> None:
    people = [written(who, name) for who, name in zip(("Anna", "Ben", "Cleo"), OF[strength], strict=True)]
    check_game(context, game_of(by_command(context, *people, f"house:{strength}")), OF[strength], [other])


def opened_by_link(context: Context, *seats: SeatRequest) -> str:
    return open_game(context, "Friday", seats, NOON, organiser="anna@example.org", terms=BY_LINK)


def test_an_organiser_lets_the_house_play_empty_seats(context: Context) -> None:
    game = opened_by_link(context, SeatRequest.read(ANNA), OPEN_SEAT, SeatRequest.read("house:easy"))
    fill_with_bots(context, game, "open", NOON)
    check_game(context, game, ["Anna"], ["easy", "steady"])
    assert game_row(context, game).status == "running"


def test_whoever_joins_is_not_called_as_the_house_is(context: Context) -> None:
    game = opened_by_link(context, SeatRequest.read(ANNA), SeatRequest.read("house:Roxana"), OPEN_SEAT)
    with pytest.raises((SeatRefused, Refusal)):
        hold_seat(context, game, SeatRequest("Roxana", CLEO.address), NOON)
    assert len(seats_of(context, game)) == 3, "two seats of one name"


def test_the_house_that_takes_a_seat_later_is_not_called_as_a_person_is(context: Context) -> None:
    people = SeatRequest.read(ROXANA), SeatRequest.read(written("Ben", "Seleucus"))
    game = opened_by_link(context, *people, OPEN_SEAT, SeatRequest.read("house"))
    for which in ("open", "awaited"):
        fill_with_bots(context, game, which, NOON)
        seats = seats_of(context, game)
        assert len({name.casefold() for name in seats}) == 4, seats
        assert {name for name, house in seats.items() if house} <= {*adapter.NAMES}, seats
    assert names_of(context, game) == tuple(seats_of(context, game))


# --- games of before ------------------------------------------------------------------------------------


def old_log(context: Context) -> str:
    """The log of a game in which nothing has happened but the deal."""
    game = game_of(by_command(context, ANNA, "house"))
    return "\n".join(export_log(context, game))


def taken_in(context: Context, lines: str, *seats: str) -> str:
    """The game of a log that is taken in, with these on its seats."""
    asked = [word for one in seats for word in ("--seat", one)]
    return game_of(type_in(context, "import", "-", *asked, given=lines))


@pytest.mark.parametrize("called", ["House", "House 2"])
def test_a_seat_of_before_is_played_as_before(context: Context, called: str) -> None:
    game = taken_in(context, renamed(old_log(context), (called, "Ben")), BEN, "house")
    assert seats_of(context, game) == {called: True, "Ben": False}
    before = position_of(context, game)
    first_word = write(play_to_win(view(before, before.table.seat)), alexandros())
    clock.play_bot_turns(context, NOON)
    assert adapter.acts(context, game)[-1].said.split("; ")[0] == first_word
    assert game_row(context, game).seat == 1


def test_an_old_game_replays_to_the_same_and_keeps_its_names(context: Context) -> None:
    lines = renamed(old_log(context), ("House", "Ben"))
    assert type_in(context, "replay", "-", given=lines).exit_code == 0
    game = taken_in(context, lines)
    assert names_of(context, game) == ("House", "Ben")
    again = [line.partition(', "meta"')[0] for line in export_log(context, game)]
    assert again == [line.partition(', "meta"')[0] for line in lines.splitlines()]


@pytest.mark.parametrize("name", ["Philip", "Roxana", "Darius", "House"])
def test_who_played_plays_again(context: Context, name: str) -> None:
    """A house of before has a name then that tells how it plays."""
    lines = (GAMES / "two-players.jsonl").read_text("utf-8")
    over = taken_in(context, renamed(lines, ("Anna", name)), ANNA, "house")
    made = open_rematch(context, over, seat_of(context, over, "Anna"), NOON)
    check_seats(seats_of(context, made.game), ["Anna"], ["steady" if name == "House" else name])


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
