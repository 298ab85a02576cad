"""One game has a row that cannot be read: all others go on, and the operator hears which it is."""

import logging
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.breadth import spread
from tests.faults.databases import can_read, database_of, execute
from tests.faults.poisons import NO_TEXT, Poison, all_poisons, fill, poison
from tests.faults.rooms import MODELS, NOON, AwayRelay, Collector, Server, names_row
from tests.faults.times import MINUTE, SECOND, Times
from tests.server.desk import body

POISONS = all_poisons(MODELS)
SAMPLE = ("game", "deadline")
"""The column that the gate tries."""
OPERATOR = {"ALEXANDROS_OPERATOR": "operator@example.org"}
CASES = [
    *(one for one in POISONS if (one.table, one.column, one.value) == (*SAMPLE, NO_TEXT)),
    *spread(20, [one for one in POISONS if (one.table, one.column, one.value) != (*SAMPLE, NO_TEXT)]),
]
TOLD_BY_COMMANDS = {"doctor": ("act", "game", "seating"), "games": ("game",), "rebuild": ("act", "game")}
"""The tables that each command reads, so that it names the game of a row which it cannot read."""


@dataclass(frozen=True)
class Town:
    content: bytes
    broken: str
    """Of Anna and Ben; its letters and a mail of it wait."""
    sound: str
    """Of Cleo and Dirk."""
    late: str
    """Of Cleo and the house; an hour a turn."""


@cache
def town() -> Town:
    with TemporaryDirectory() as folder:
        server = Server(Path(folder), relay=AwayRelay(), **OPERATOR)
        sound, late = server.start("Cleo", "Dirk"), server.start("Cleo", "house", hours=1)
        server.resign(server.start("Anna", "Ben"), "Ben")
        server.propose("Anna", "Ben")
        server.set_preferences("Anna")
        server.sign_in("Anna")
        server.work()
        server.relay.is_away = True
        broken = server.start("Anna", "Ben", hours=1)
        server.write_to_operator("Ben")
        server.write(broken, "Anna", "say: is anybody there?")
        server.work()
        server.write(broken, server.mover(broken), "board")
        server.stop()
        fill(database_of(server.folder), MODELS, broken, NOON)
        return Town(database_of(server.folder).read_bytes(), broken, sound, late)


def moved_in(folder: Path, one: Poison | None, game: str) -> Server:
    """A server that starts on that database, after a game was poisoned."""
    file = database_of(folder)
    file.touch(0o600)
    file.write_bytes(town().content)
    if one is not None:
        poison(file, MODELS, one, game)
    return Server(folder, Times(), Collector(), seed=2, **OPERATOR)


@dataclass
class Course:
    read: bool = False
    told: bool = False
    in_time: bool = False

    @property
    def stopped(self) -> bool:
        """Whether anything of it does not go on."""
        return not (self.read and self.told and self.in_time)


def check_others_go_on(server: Server) -> None:
    """Orders are played, letters leave, the house plays and deadlines are kept, each in one round."""
    here, sent = town(), len(server.relay.mails)
    order = server.write(here.sound, server.mover(here.sound))
    server.write(here.sound, server.mover(here.sound), "say: hello over there")
    server.set_left(here.late, 20 * MINUTE)
    server.work()
    assert server.is_played(order)
    assert any("hello over there" in body(one) for one in server.relay.mails[sent:])
    server.times.go_on(25 * SECOND)
    server.work()
    turns = server.bot_turns(here.late)
    server.pass_time(20 * MINUTE)
    server.work()
    assert server.timeouts(here.late) == 1
    assert server.bot_turns(here.late) > turns
    page = server.open_turn_page(here.sound)
    assert page.status == 200


def course_of(server: Server) -> Course:
    found, game = Course(), town().broken
    found.read = server.count("incoming", "state = 'waiting' OR why LIKE '%cannot be read%'") == 0
    found.told = any(f"{name}@" in str(one["To"]) for one in server.relay.mails for name in ("anna", "ben"))
    server.work_for(80 * MINUTE, 10 * MINUTE)
    found.in_time = server.count("act", f"game = '{game}' AND door = 'clock'") == 1
    return found


def check_commands(server: Server, one: Poison) -> None:
    """Each command names what is broken and goes on with all else; `rebuild` may mend it instead."""
    here = town()
    execute(database_of(server.folder), f"UPDATE game SET turn = 99 WHERE id = '{here.sound}'")
    readable = can_read(server.context, one.table)
    for command in ("games", "doctor", "rebuild"):
        ended = server.context.type_in(command)
        assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.output
        if command == "games":
            assert here.sound in ended.output
            assert here.late in ended.output
        mended = command == "rebuild" and can_read(server.context, one.table)
        if readable or mended or one.column in ("id", "game"):
            continue
        if one.table in TOLD_BY_COMMANDS[command]:
            assert here.broken in ended.output, f"{command}: {ended.output}"
            assert command == "games" or ended.exit_code == 1
    assert server.row(here.sound).turn != 99, "the list of the others is made anew"


@pytest.mark.parametrize("one", CASES, ids=str)
def test_one_bad_row_stops_only_its_game_and_is_named(tmp_path, caplog, one):
    caplog.set_level(logging.INFO)
    server = moved_in(tmp_path, one, town().broken)
    check_others_go_on(server)
    log = caplog.text
    course = course_of(server)
    if not (course.read and course.told):
        assert names_row(log, town().broken), "the operator is told which row it is"
    elif course.stopped:
        assert names_row(caplog.text, town().broken)
    check_commands(server, one)


@pytest.mark.breadth
def test_a_game_that_is_sound_does_all_that_is_looked_for(tmp_path):
    """The control: what is said to have stopped does go on where nothing is poisoned."""
    server = moved_in(tmp_path, None, "")
    check_others_go_on(server)
    assert not course_of(server).stopped
    assert server.context.type_in("doctor").exit_code == 0


@pytest.mark.parametrize(
    "one", [Poison("game", "deadline", "'some day'"), Poison("act", "events", "'{'")], ids=str
)
def test_a_game_that_stops_is_found_to_stop(tmp_path, one):
    """The control: the poison of the game that is looked at."""
    server = moved_in(tmp_path, one, town().sound if one.table == "act" else town().late)
    with pytest.raises(Exception):  # noqa: B017, PT011 - the check itself may not read it
        check_others_go_on(server)


def test_every_column_of_text_is_tried(figure):
    assert len({(one.table, one.column) for one in POISONS}) > 60
    assert {(one.table, one.column) for one in POISONS} >= {SAMPLE}
    figure(f"{len(POISONS)} poisons")
