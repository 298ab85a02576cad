"""Players of the house while what thinks for them hangs or is killed, and while the server is."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Event

import pytest

from server.admin.backups import examine_stored_acts
from server.store.game_terms import SeatRequest
from tests.bots.test_beside_others import surplus_acts
from tests.faults.house import House, house, until
from tests.faults.relays import relay
from tests.server.desk import open_game

SECONDS = 3.0
"""That a player of the house may think."""


@contextmanager
def running(folder: Path, seconds: float = SECONDS) -> Iterator[House]:
    with relay() as post, house(folder, post.mail_out, HOUSE_SECONDS=str(seconds)) as place:
        yield place


def game_of_house(place: House, *words: str) -> str:
    """A game of players of the house alone, who are all of some strength."""
    requests = [SeatRequest.read(word) for word in words]
    return open_game(place.context, "Friday", requests, datetime.now(UTC), at_once=True)


def thinkers(place: House) -> list[int]:
    """The processes that think for a server."""
    found = []
    for one in Path("/proc").iterdir():
        if not one.name.isdigit():
            continue
        try:
            command = (one / "cmdline").read_bytes()
            parent = int((one / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == place.process.pid and b"thinking" in command:
            found.append(int(one.name))
    return found


def hits(place: House, sign: signal.Signals) -> int:
    """Send a signal to all that think for a server; how many got it."""
    found = thinkers(place)
    for number in found:
        os.kill(number, sign)
    return len(found)


def is_over(place: House, game: str) -> bool:
    return bool(place.rows("SELECT 1 FROM game WHERE id = ? AND status = 'over'", game))


def check_once(place: House, game: str) -> None:
    """Make sure that each turn of a game was played once, and by the rules."""
    assert surplus_acts(place.context, game) == 0
    assert [str(one) for one in examine_stored_acts(place.context)] == []
    seats = [act.seat for act in place.acts(game) if act.door == "house"]
    assert all(one != other for one, other in pairwise(seats)), "twice in a row"


@pytest.mark.breadth
def test_who_thinks_is_killed_again_and_again(tmp_path: Path) -> None:
    dice, killed = Random(1), 0
    with running(tmp_path) as place:
        game = game_of_house(place, "house:strong", "house:strong")
        for _ in range(12):
            Event().wait(dice.uniform(0.1, 1.5))
            killed += hits(place, signal.SIGKILL)
        before = place.seq(game)
        until(lambda: is_over(place, game) or place.seq(game) > before + 2, "it plays on")
        assert place.is_live()
        check_once(place, game)
    assert killed > 3


@pytest.mark.breadth
def test_the_server_is_killed_while_the_house_thinks(tmp_path: Path) -> None:
    dice = Random(2)
    with running(tmp_path) as place:
        game = game_of_house(place, "house:strong", "house:steady")
        left_behind: list[int] = []
        for _ in range(6):
            Event().wait(dice.uniform(0.2, 1.5))
            left_behind += thinkers(place)
            place.kill()
            place.start()
        before = place.seq(game)
        until(lambda: is_over(place, game) or place.seq(game) > before + 2, "it plays on")
        check_once(place, game)
        until(lambda: not {*left_behind} & running_numbers(), "nobody thinks on for the killed", 30)


def running_numbers() -> set[int]:
    return {int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()}


@pytest.mark.breadth
def test_one_who_hangs_is_ended_and_the_turn_is_played_all_the_same(tmp_path: Path) -> None:
    """Pages, mail and the deadlines of other games go on meanwhile."""
    with running(tmp_path) as place:
        timed = place.open_game("Ben", "Cleo")
        until(lambda: place.rows("SELECT 1 FROM game WHERE id = ? AND deadline > ''", timed), "its time runs")
        game = game_of_house(place, "house:strong", "house:strong")
        until(lambda: bool(thinkers(place)), "somebody thinks")
        assert hits(place, signal.SIGSTOP)
        stopped, before, acts_before = time.monotonic(), place.seq(game), place.seq(timed)
        place.bring_deadline(timed, 0.5)
        until(lambda: place.seq(timed) > acts_before, "the time of another game ends", SECONDS + 5)
        assert place.ask("/rules", 5)[0] == 200
        other = place.open_game("Anna", "Dirk")
        turn = place.turn(other)
        until(lambda: bool(place.turn(other).lines), "it has begun")
        assert place.write_order(turn, place.next_message_id()) == 250
        until(lambda: place.seq(other) > turn.after, "a mail is played", SECONDS + 5)
        until(lambda: place.seq(game) > before, "the turn is played", 4 * SECONDS + 20)
        assert time.monotonic() - stopped < 4 * SECONDS + 20
        check_once(place, game)


@pytest.mark.breadth
def test_it_stops_in_time_while_somebody_thinks_and_hangs(tmp_path: Path) -> None:
    with running(tmp_path, 60.0) as place:
        game_of_house(place, "house:strong", "house:strong")
        until(lambda: bool(thinkers(place)), "somebody thinks")
        hits(place, signal.SIGSTOP)
        left = thinkers(place)
        place.send_signal()
        assert place.await_end(25) < 25
        until(lambda: not {*left} & running_numbers(), "nobody thinks on", 10)


@pytest.mark.breadth
def test_two_servers_on_one_database_play_each_turn_once(tmp_path: Path) -> None:
    with running(tmp_path) as place, relay() as post:
        other = House(tmp_path, post.mail_out, {"HOUSE_SECONDS": str(SECONDS)})
        other.start()
        try:
            games = [game_of_house(place, *["house:steady"] * 2) for _ in range(3)]
            until(lambda: all(is_over(place, game) for game in games), "all are over", 120)
        finally:
            other.kill()
            other.context.database.dispose()
        for game in games:
            check_once(place, game)


# --- controls -------------------------------------------------------------------------------------------


@pytest.mark.breadth
def test_control_a_turn_that_nobody_plays_is_noticed(tmp_path: Path) -> None:
    """A server whose house does not look any more."""
    with running(tmp_path) as place:
        game = game_of_house(place, "house", "house")
        until(lambda: place.seq(game) > 2, "it plays")
        os.kill(place.process.pid, signal.SIGSTOP)
        try:
            before = place.seq(game)
            with pytest.raises(AssertionError, match="not within"):
                until(lambda: place.seq(game) > before + 1, "it plays on", 3)
        finally:
            os.kill(place.process.pid, signal.SIGCONT)
    assert Counter([1, 1])[1] == 2
