"""Killed or told to stop while a player of the house thinks or pauses: the turn is played once."""

from pathlib import Path
from signal import SIGTERM
from time import sleep

from server.thinker import ThinkingProcess
from tests.breadth import BREADTH
from tests.faults.house import House, house
from tests.faults.visits import until

pytestmark = BREADTH


def think_for_ever() -> None:
    think = ThinkingProcess.call

    def call(self, _, *__, seconds=None):
        return think(self, sleep, 1000.0, seconds=seconds)

    ThinkingProcess.call = call


def children(place: House) -> list[int]:
    tasks = Path(f"/proc/{place.process.pid}/task").glob("*/children")
    return [int(number) for task in tasks for number in task.read_text().split()]


def bot_turns(place: House, game: str) -> int:
    return [act.door for act in place.acts(game)].count("house")


def open_house_game(place: House, is_house_first: bool = True) -> str:
    while True:
        game = place.open_game("Anna", "house")
        place.write("UPDATE seating SET name = 'Roxana' WHERE house AND game = ?", game)
        if is_house_first == (place.turn(game).name != "Anna"):
            return game


def test_killed_while_somebody_thinks_it_leaves_no_process_and_plays_the_turn_once(tmp_path):
    with house(tmp_path / "house", "local", think_for_ever, start=False, HOUSE_SECONDS="20") as place:
        game = open_house_game(place)
        place.start()
        until(lambda: children(place), "somebody thinks")
        [thinking] = children(place)
        place.kill()
        until(lambda: not Path(f"/proc/{thinking}/cmdline").exists(), "the process ends")
        assert bot_turns(place, game) == 0
        place.change = None
        place.start()
        until(lambda: bot_turns(place, game), "the turn is played")
        assert bot_turns(place, game) == 1


def test_told_to_stop_while_somebody_thinks_it_ends_at_once(tmp_path):
    with house(tmp_path / "house", "local", think_for_ever, start=False, HOUSE_SECONDS="600") as place:
        game = open_house_game(place)
        place.start()
        until(lambda: children(place), "somebody thinks")
        [thinking] = children(place)
        assert place.ask("/rules")[0] == 200
        place.send_signal(SIGTERM)
        assert place.await_end() < 5
        assert not Path(f"/proc/{thinking}").exists()
        assert bot_turns(place, game) == 0


def test_killed_in_the_pause_it_plays_the_turn_once_and_the_next_person_is_told(tmp_path):
    with house(tmp_path / "house", "local", HOUSE_SECONDS="20") as place:
        game = open_house_game(place, is_house_first=False)
        turn = place.turn(game)
        place.press(place.link(turn, "; ".join(turn.lines)))
        until(lambda: children(place), "somebody has thought")
        place.kill()
        place.start()
        until(lambda: place.turn(game).name == "Anna", "it is Anna's turn again")
        assert bot_turns(place, game) == 1
