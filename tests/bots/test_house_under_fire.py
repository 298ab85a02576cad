"""The house plays beside others, while what thinks for it hangs or is killed, and while the server is."""

from __future__ import annotations

import operator
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest

from server import clock
from server.admin.backups import examine_stored_acts
from server.store.event_log import Refusal
from server.store.models import Act
from server.thinker import ThinkerLost, ThinkingFailed, ThinkingProcess
from tests.bots import adapter
from tests.faults.house import House, house, until
from tests.faults.relays import relay
from tests.server.desk import NOON, Desk, at_once, desk, fact_names
from tests.server.web.played import watched
from tests.server.web.site import Site, site


def play_house(context: Desk) -> None:
    """Let a server play what is due for the house, which nothing may refuse."""
    try:
        clock.play_bot_turns(context, NOON)
    except Refusal as refusal:
        raise AssertionError from refusal


def surplus_acts(context: Desk, game: str) -> int:
    """Acts of the house beyond the turns that are done, in a game that it plays alone."""
    doors = context.rows_of(Act.door, Act.game == game)
    done = Counter(fact_names(context.facts(game)))
    return doors.count("house") - done["turn_ended"] - min(done["game_ended"], 1)


def test_two_servers_at_once_play_each_turn_once(tmp_path: Path) -> None:
    contexts = [desk(tmp_path, seed) for seed in (1, 2)]
    game = contexts[0].start_game("house", "house")
    assert at_once(*(partial(play_house, one) for one in contexts)) == []
    assert contexts[0].game_row(game).seq > 5
    assert surplus_acts(contexts[0], game) == 0
    assert [str(one) for one in examine_stored_acts(contexts[0])] == []


def test_the_time_of_others_is_what_it_was(context: Desk) -> None:
    """While the house plays in one game, nothing of another game's time moves."""
    other = context.start_timed_game("Anna", "Ben")
    before = context.game_row(other)
    context.start_game("Anna", "house", "house")
    for number in range(3):
        clock.play_bot_turns(context, NOON + timedelta(hours=number))
    after = context.game_row(other)
    for column in ("deadline", "turn_began_at", "due_at", "seq", "reminded"):
        assert getattr(after, column) == getattr(before, column), column


def test_at_night_the_house_plays_as_by_day(context: Desk) -> None:
    for hour in (0, 3, 12, 23):
        night = NOON.replace(hour=hour)
        game = context.start_game("Anna", "house", now=night)
        clock.play_bot_turns(context, night)
        assert context.mover(game) == "Anna"


def pages_of(place: Site, game: str) -> list[str]:
    """Every page of a game, for whom it is whose turn it is, for who watches and for programs."""
    seat = place.link(game, seat=place.seat(game, "Anna"))
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
    games = [watched(place, place.start_game("Anna", "house", "house"))]
    clock.play_bot_turns(place.context, NOON)
    while place.context.mover(games[-1]) == "Anna":
        games.append(watched(place, place.start_game("Anna", "house", "house")))
    games = [games[0], games[-1]]
    adapter.forbid_thinking(monkeypatch)
    asked = [page for game in games for page in pages_of(place, game)]
    statuses = {page: place.app.test_client().get(page).status_code for page in asked}
    assert {page: status for page, status in statuses.items() if status >= 400} == {}


SECONDS = 3.0
"""That a player of the house may think."""


@contextmanager
def running(folder: Path, seconds: float = SECONDS) -> Iterator[House]:
    with relay() as post, house(folder, post.mail_out, HOUSE_SECONDS=str(seconds)) as place:
        yield place


def running_numbers() -> set[int]:
    return {int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()}


def thinkers(place: House) -> list[int]:
    found = []
    for number in running_numbers():
        try:
            command = Path(f"/proc/{number}/cmdline").read_bytes()
            parent = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == place.process.pid and b"thinker_process" in command:
            found.append(number)
    return found


def hits(place: House, sign: signal.Signals) -> int:
    """Send a signal to all that think for a server; how many got it."""
    found = thinkers(place)
    for number in found:
        os.kill(number, sign)
    return len(found)


def await_play(place: House, game: str) -> None:
    """Wait until the house has played on, or to the end."""
    before, over = place.seq(game), "SELECT 1 FROM game WHERE id = ? AND status = 'over'"
    until(lambda: bool(place.rows(over, game)) or place.seq(game) > before + 2, "it plays on")


def check_once(place: House, game: str) -> None:
    """Make sure that each turn of a game was played once, and by the rules."""
    assert surplus_acts(place.context, game) == 0
    assert [str(one) for one in examine_stored_acts(place.context)] == []
    seats = [act.seat for act in place.acts(game) if act.door == "house"]
    assert all(one != other for one, other in pairwise(seats)), "twice in a row"


def test_who_thinks_is_killed_again_and_again(tmp_path: Path) -> None:
    dice, killed = Random(1), 0
    with running(tmp_path) as place:
        game = place.open_game("house:strong", "house:strong")
        for _ in range(12):
            Event().wait(dice.uniform(0.1, 1.5))
            killed += hits(place, signal.SIGKILL)
        await_play(place, game)
        assert place.is_live()
        check_once(place, game)
    assert killed > 3


def test_the_server_is_killed_while_the_house_thinks(tmp_path: Path) -> None:
    dice = Random(2)
    with running(tmp_path) as place:
        game = place.open_game("house:strong", "house:steady")
        left_behind: list[int] = []
        for _ in range(6):
            Event().wait(dice.uniform(0.2, 1.5))
            left_behind += thinkers(place)
            place.kill()
            place.start()
        await_play(place, game)
        check_once(place, game)
        until(lambda: not {*left_behind} & running_numbers(), "nobody thinks on for the killed", 30)


def test_one_who_hangs_is_ended_and_the_turn_is_played_all_the_same(tmp_path: Path) -> None:
    """Pages, mail and the deadlines of other games go on meanwhile."""
    with running(tmp_path) as place:
        timed = place.open_game("Ben", "Cleo")
        until(lambda: place.rows("SELECT 1 FROM game WHERE id = ? AND deadline > ''", timed), "its time runs")
        game = place.open_game("house:strong", "house:strong")
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


def test_it_stops_in_time_while_somebody_thinks_and_hangs(tmp_path: Path) -> None:
    with running(tmp_path, 60.0) as place:
        place.open_game("house:strong", "house:strong")
        until(lambda: bool(thinkers(place)), "somebody thinks")
        hits(place, signal.SIGSTOP)
        left = thinkers(place)
        place.send_signal()
        assert place.await_end(25) < 25
        until(lambda: not {*left} & running_numbers(), "nobody thinks on", 10)


def test_each_gets_their_own_answer_while_the_process_is_killed_again_and_again() -> None:
    thinker, dice, enough = ThinkingProcess(), random.Random(1), Event()
    wrong, lost, right = list[object](), list[object](), list[object]()

    def ask(mine: int) -> None:
        while not enough.is_set():
            number = random.Random().randrange(10**9)
            try:
                found = thinker.call(operator.add, number, mine, seconds=30)
                (right if found == number + mine else wrong).append(found)
            except ThinkingFailed as failed:
                lost.append(failed)

    threads = [Thread(target=ask, args=[mine], daemon=True) for mine in range(4)]
    for one in threads:
        one.start()
    for _ in range(25):
        Event().wait(dice.uniform(0.05, 0.5))
        number = thinker.number
        if number is not None:
            os.kill(number, signal.SIGKILL)
    until(lambda: len(right) > 25, "it is answered again", 60)
    enough.set()
    for one in threads:
        one.join(60)
        assert not one.is_alive()
    thinker.stop()
    assert wrong == []
    assert all(isinstance(one, ThinkerLost) for one in lost), lost


def test_it_has_neither_the_secret_nor_the_database_nor_a_door(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ALEXANDROS_SECRET", "told to nobody at all")
    with (tmp_path / "games.sqlite").open("w+b") as database:
        thinker = ThinkingProcess()
        try:
            thinker.call(operator.add, 1, 1)
            folder = Path(f"/proc/{thinker.number}")
            assert b"told to nobody" not in (folder / "environ").read_bytes()
            assert b"told to nobody" not in (folder / "cmdline").read_bytes()
            opened = {str(one.readlink()) for one in (folder / "fd").iterdir()}
        finally:
            thinker.stop()
        assert str(Path(database.name)) not in opened
        assert sum(one.startswith("socket:") for one in opened) == 1
