"""The house plays beside others: a turn once, whoever does it, and nobody waits or is timed by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from server.admin.backups import examine_stored_acts
from server.store.context import Context
from tests.bots import adapter
from tests.server.desk import (
    NOON,
    begin_time,
    desk,
    fact_names,
    facts,
    game_row,
    mover,
    names_of,
    seat_of,
    start_game,
)
from tests.server.web.played import watched
from tests.server.web.site import Site, site

ROUNDS = 12


def play_beside_each_other(contexts: list[Context], rounds: int, now: datetime = NOON) -> list[str]:
    """Let several servers play what is due on one database at once; what went wrong in any."""
    barrier, wrong = Barrier(len(contexts)), list[str]()

    def play(context: Context) -> None:
        for number in range(rounds):
            barrier.wait(30)
            try:
                adapter.play_bot_turns(context, now + timedelta(minutes=number))
            except Exception as error:  # it is told by the test
                wrong.append(repr(error))

    threads = [Thread(target=play, args=[one], daemon=True) for one in contexts]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
        assert not one.is_alive()
    return wrong


def surplus(doors: Sequence[str], kinds: Sequence[str]) -> int:
    """Acts of the house beyond the turns that are done, in a game that it plays alone."""
    done = Counter(kinds)
    return sum(door == "house" for door in doors) - done["turn_ended"] - (1 if done["game_ended"] else 0)


def surplus_acts(context: Context, game: str) -> int:
    doors = [act.door for act in adapter.acts(context, game)]
    return surplus(doors, fact_names(facts(context, game)))


def test_two_servers_at_once_play_each_turn_once(tmp_path: Path) -> None:
    contexts = [desk(tmp_path, seed) for seed in (1, 2)]
    game = start_game(contexts[0], "house", "house")
    assert play_beside_each_other(contexts, 1) == []
    assert len(adapter.acts(contexts[0], game)) > 5
    assert surplus_acts(contexts[0], game) == 0
    assert [str(one) for one in examine_stored_acts(contexts[0])] == []


@pytest.mark.breadth
def test_four_servers_play_five_games_to_their_ends(tmp_path: Path) -> None:
    contexts = [desk(tmp_path, seed) for seed in range(4)]
    games = [start_game(contexts[0], *["house"] * (2 + number % 3)) for number in range(5)]
    for _ in range(ROUNDS):
        assert play_beside_each_other(contexts, 2) == []
    for game in games:
        assert game_row(contexts[0], game).status == "over"
        assert surplus_acts(contexts[0], game) == 0
    assert [str(one) for one in examine_stored_acts(contexts[0])] == []


def test_the_time_of_others_is_what_it_was(context: Context) -> None:
    """While the house plays in one game, nothing of another game's time moves."""
    other = begin_time(context, start_game(context, "Anna", "Ben"))
    before = game_row(context, other)
    start_game(context, "Anna", "house", "house")
    for number in range(3):
        adapter.play_bot_turns(context, NOON + timedelta(hours=number))
    after = game_row(context, other)
    assert (after.deadline, after.turn_began_at, after.due_at) == (
        before.deadline,
        before.turn_began_at,
        before.due_at,
    )
    assert (after.seq, after.reminded) == (before.seq, before.reminded)


def test_at_night_the_house_plays_as_by_day(context: Context) -> None:
    for hour in (0, 3, 12, 23):
        night = NOON.replace(hour=hour)
        game = start_game(context, "Anna", "house", now=night)
        adapter.play_bot_turns(context, night)
        assert names_of(context, game)[game_row(context, game).seat] == "Anna"


def pages_of(place: Site, game: str) -> list[str]:
    """Every page of a game, for whom it is whose turn it is, for who watches and for programs."""
    seat = place.link(game, seat=seat_of(place.context, game, "Anna"))
    own = ("", "?look=1", "/history", "/sheet", "/pulse", "/settings")
    watched = ("", "/history", "/pulse")
    return [
        *(f"{seat}{page}" for page in own),
        *(f"/g/{game}{page}" for page in watched),
        *(f"/api/games/{game}{page}" for page in ("", "/log")),
        "/",
        "/games",
        "/new",
    ]


def test_no_page_lets_the_house_think(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where a player of the house is to move nor where a person is."""
    place = site(tmp_path)
    games = [watched(place, start_game(place.context, "Anna", "house", "house"))]
    adapter.play_bot_turns(place.context, NOON)
    while mover(place.context, games[-1]) == "Anna":
        games.append(watched(place, start_game(place.context, "Anna", "house", "house")))
    games = [games[0], games[-1]]
    adapter.forbid_thinking(place.context, monkeypatch)
    asked = [page for game in games for page in pages_of(place, game)]
    statuses = {page: place.app.test_client().get(page).status_code for page in asked}
    assert {page: status for page, status in statuses.items() if status >= 400} == {}


# --- controls -------------------------------------------------------------------------------------------


def test_control_a_turn_that_is_played_twice_is_noticed() -> None:
    kinds = ["game_started", "card_chosen", "turn_ended", "turn_ended", "game_ended"]
    assert surplus(["server", "house", "house", "house"], kinds) == 0
    assert surplus(["server", "house", "house", "house", "house"], kinds) == 1


def test_control_thinking_that_is_forbidden_is_noticed(tmp_path: Path, monkeypatch) -> None:
    place = desk(tmp_path)
    game = start_game(place, "Anna", "house", "house")
    adapter.forbid_thinking(place, monkeypatch)
    before = len(adapter.acts(place, game))
    for minute in range(3):  # whoever begins, one of three is Anna
        adapter.play_bot_turns(place, NOON + timedelta(minutes=minute))
    assert len(adapter.acts(place, game)) == before
