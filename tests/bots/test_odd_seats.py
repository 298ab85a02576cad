"""Players of the house in words that nobody foresaw, and beside people who are called as they are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from emails.terms import JoinedBy
from server.lobby.open_seats import SeatRefused, fill_with_bots, hold_seat
from server.lobby.rematches import open_rematch
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.refusals import Refusal
from server.store.server_facts import GameTerms
from tests.bots import adapter, openings
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
from tests.server.desk import NOON, body, desk, names_of, open_game, seat_of, type_in
from tests.server.inbox.test_new_game_mail import Post

pytestmark = pytest.mark.breadth
ANNA, BEN = written("Anna"), written("Ben")
OF = {
    strength: [name for name in adapter.NAMES if adapter.NAMES[name] == strength]
    for strength in adapter.STRENGTHS
}


def opened_or_refused(context: Context, *seats: str) -> str:
    """The game that a command opens; empty where it says in a sentence why there is none."""
    said = by_command(context, *seats)
    assert not said.exception or isinstance(said.exception, SystemExit), (seats, said.exception)
    if said.exit_code == 0:
        return game_of(said)
    assert len(said.output.split()) > 3, said.output
    assert "Traceback" not in said.output
    return ""


# --- words of an operator -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "strength"),
    [
        ("house:STRONG", "strong"),
        ("House:Strong", "strong"),
        (" house : easy ", "easy"),
        ("HOUSE", "steady"),
        ("house:roxana", "steady"),
        ("house: DARIUS", "strong"),
    ],
)
def test_capitals_and_blanks_are_no_matter(context: Context, words: str, strength: str) -> None:
    game = opened_or_refused(context, ANNA, words)
    assert game, words
    check_game(context, game, ["Anna"], [strength])


@pytest.mark.parametrize(
    "words",
    [
        "house:nobody",
        "house:Alexander",
        "house::strong",
        "house:strong:easy",
        "house:strong easy",
        "house:Roxana Darius",
        f"house:{'x' * 2000}",
        "house:<b>",
        "house:\u0000",
        "house:None",
        "house:0",
        "house:sterk en dom",
        "house@",
    ],
)
def test_what_means_nobody_opens_nothing(context: Context, words: str) -> None:
    before = games_of(context)
    assert opened_or_refused(context, ANNA, words) == ""
    assert games_of(context) == before


def test_nobody_is_invited_who_is_called_as_a_seat_of_the_house_is_written(context: Context) -> None:
    """A person whose name reads like an order for a bot is a person or is refused, and never a bot."""
    game = opened_or_refused(context, ANNA, "house:Roxana <ben@example.org>")
    if game:
        assert not any(seats_of(context, game).values())


@pytest.mark.parametrize("word", ["house", *(f"house:{strength}" for strength in adapter.STRENGTHS)])
def test_four_seats_of_one_kind_open_or_are_refused_in_words(context: Context, word: str) -> None:
    for seats in ([word] * 4, [word] * 5, [ANNA, *[word] * 4]):
        game = opened_or_refused(context, *seats)
        assert len(seats) == 4 or not game
        if game:
            names = seats_of(context, game)
            assert len(names) == 4
            assert {adapter.NAMES.get(name) for name in names} <= {*adapter.STRENGTHS}


def test_four_houses_play_as_they_always_could(context: Context) -> None:
    """A game of the house alone could be opened with four seats before they had names."""
    assert opened_or_refused(context, *["house"] * 4)


# --- people who are called so ---------------------------------------------------------------------------


@pytest.mark.parametrize("called", ["Roxana", "ROXANA", "roxana"])
@pytest.mark.parametrize("asked", ["house:Roxana", "house:steady", "house"])
def test_a_person_keeps_their_name_and_the_house_sends_another(
    context: Context, called: str, asked: str
) -> None:
    for seats in ([written("Anna", called), asked], [asked, written("Anna", called)]):
        game = opened_or_refused(context, *seats)
        if not game:
            assert asked == "house:Roxana"
            continue
        check_game(context, game, [called], ["steady"])


def test_people_who_have_all_names_of_a_strength_leave_no_trace_of_an_error(context: Context) -> None:
    for strength, names in OF.items():
        people = [written(who, name) for who, name in zip(("Anna", "Ben", "Cleo"), names, strict=True)]
        game = opened_or_refused(context, *people, f"house:{strength}")
        if game:
            seats = seats_of(context, game)
            assert len({name.casefold() for name in seats}) == 4
            assert sum(seats.values()) == 1


def test_whoever_joins_is_not_called_as_the_house_is(context: Context) -> None:
    requests = [SeatRequest.read(ANNA), SeatRequest.read("house:Roxana"), SeatRequest("", None, open=True)]
    terms = GameTerms(JoinedBy.LINK)
    game = open_game(context, "Friday", requests, NOON, organiser="anna@example.org", terms=terms)
    with suppress(SeatRefused, Refusal):
        hold_seat(context, game, SeatRequest("Roxana", "cleo@example.org"), NOON)
    seats = seats_of(context, game)
    assert len({name.casefold() for name in seats}) == len(seats), seats
    assert len(seats) == 3, "two seats of one name"


def test_the_house_that_takes_a_seat_later_is_not_called_as_a_person_is(context: Context) -> None:
    requests = [
        SeatRequest("Roxana", "anna@example.org"),
        SeatRequest("Seleucus", "ben@example.org"),
        SeatRequest("", None, open=True),
        SeatRequest.read("house"),
    ]
    terms = GameTerms(JoinedBy.LINK)
    game = open_game(context, "Friday", requests, NOON, organiser="anna@example.org", terms=terms)
    for which in ("open", "awaited"):
        fill_with_bots(context, game, which, NOON)
        seats = seats_of(context, game)
        assert len({name.casefold() for name in seats}) == 4, seats
        assert {name for name, house in seats.items() if house} <= {*adapter.NAMES}, seats
    assert names_of(context, game) == tuple(seats_of(context, game))


# --- playing again --------------------------------------------------------------------------------------


def finished_game(context: Context, names: Sequence[str], *people: str) -> str:
    """A recorded game that is over, with these names in it: people, and the house on all other seats."""
    file = "two-players" if len(names) == 2 else "three-players"
    lines = (GAMES / f"{file}.jsonl").read_text("utf-8")
    lines = renamed(lines, names)
    asked = [word for one in (*people, "house") for word in ("--seat", one)]
    return game_of(type_in(context, "import", "-", *asked, given=lines))


@pytest.mark.parametrize("name", ["Philip", "Roxana", "Darius"])
def test_who_played_plays_again(context: Context, name: str) -> None:
    over = finished_game(context, ("Anna", name), ANNA)
    made = open_rematch(context, over, seat_of(context, over, "Anna"), NOON)
    assert seats_of(context, made.game).keys() == {"Anna", name}
    assert seats_of(context, made.game)[name]
    again = seats_of(context, made.game)
    check_seats(again, ["Anna"], [adapter.NAMES[name]])


def test_an_old_house_plays_again_under_a_name_that_tells_how(context: Context) -> None:
    over = finished_game(context, ("Anna", "House"), ANNA)
    made = open_rematch(context, over, seat_of(context, over, "Anna"), NOON)
    seats = seats_of(context, made.game)
    assert sum(seats.values()) == 1
    assert len(seats) == 2


def test_a_person_called_so_is_no_bot_in_a_rematch(context: Context) -> None:
    over = finished_game(context, ("Roxana", "Anna"), written("Ben", "Roxana"), ANNA)
    made = open_rematch(context, over, seat_of(context, over, "Anna"), NOON)
    assert seats_of(context, made.game) == dict.fromkeys(names_in(context, made.game), False)


def names_in(context: Context, game: str) -> list[str]:
    return [*seats_of(context, game)]


# --- by mail --------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(tmp_path: Path) -> Context:
    """An office that nobody has written to."""
    return desk(tmp_path)


def opened_by_mail(context: Context, words: str, **more: str) -> openings.Seats:
    """Who sits in the game that a mail to a fresh office asks for, once its organiser has said yes."""
    post = Post(context)
    proposal = post.proposed(words, **more)
    assert str(proposal["X-Alexandros"]) == "proposal", proposal
    post.answer(proposal, "ja" if "nieuw@" in more.get("to", "") else "yes")
    [game] = games_of(context)
    return seats_of(context, game)


def test_a_name_in_a_mail_is_that_player(fresh: Context) -> None:
    assert {"Anna", "Darius", "Philip"} == {*opened_by_mail(fresh, "house: Darius\nhouse: Philip")}


def test_people_beside_the_house_in_one_line(fresh: Context) -> None:
    seats = opened_by_mail(fresh, "Ben <ben@example.org>, house: strong, 24 hours, name: Spring")
    check_seats(seats, ["Anna", "Ben"], ["strong"])


def test_an_organiser_who_is_called_as_a_player_of_the_house(fresh: Context) -> None:
    seats = opened_by_mail(fresh, "house: steady", sender="Roxana <anna@example.org>")
    check_seats(seats, ["Roxana"], ["steady"])


def test_a_house_that_is_nobody_is_asked_about_and_no_other_is_taken(fresh: Context) -> None:
    """Nothing is guessed: whoever writes a name that nobody has is told, before anything is opened."""
    post = Post(fresh)
    letter = post.proposed("Ben <ben@example.org>\nhouse: Nabarzanes")
    assert "Nabarzanes" in body(letter)
    assert len(games_of(fresh)) <= 1
