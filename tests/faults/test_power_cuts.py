"""The power fails, again and again: what was acknowledged is there when it is back.

All that SQLite writes while games are played is recorded, with the moments at which somebody was told that
their act or mail is stored. Then, for many moments, the files are made as a disk may have them when the power
was cut.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pytest

from server.store.states import GameStatus
from tests.faults.databases import (
    complaints,
    has_integrity,
    open_durable,
    stored_acts,
    stored_mails,
    synchronise_less,
)
from tests.faults.disk import Acknowledged, Deleted, Disk, Event, Synced, Truncated, Written, recorded
from tests.faults.rooms import Durable
from tests.faults.times import SECOND

GATE, LONG = 60, 1000
PEOPLE = (("Anna", "Ben"), ("Cleo", "house"))
"""Who plays in each of the games; one that is over is followed by another."""
TURNS = (46, 8)
"""Turns that are recorded each time the server is started; in so many the write-ahead log is emptied once."""


@dataclass(frozen=True)
class Recording:
    before: dict[str, bytes]
    events: tuple[Event, ...]
    after: dict[str, bytes]


@dataclass
class Losses:
    lost: int = 0
    """Acts and mails that were acknowledged, in the cut that cost most."""
    cuts_with_loss: int = 0
    damaged: int = 0
    unsure: int = 0
    """Cuts at which something was written and not yet synced."""


@cache
def record(control: bool = False) -> Recording:
    """Play games, take mail in, and record what is written; `control`: of a server that syncs too little."""
    folder = Path(mkdtemp())
    try:
        server = Durable(folder)
        games = [server.start(*people) for people in PEOPLE]
        server.work()
        server.stop()
        before = _files_in(folder)
        with recorded(folder) as events:
            for turns in TURNS:
                server = Durable(folder, server.times, seed=turns)
                if control:
                    synchronise_less(server.context)
                for turn in range(min(turns, 12) if control else turns):
                    which = turn % len(games)
                    if server.row(games[which]).status == GameStatus.OVER:
                        games[which] = server.start(*PEOPLE[which])
                    _act_and_write(server, games[which], events.append)
                server.stop()
        return Recording(before, tuple(events), _files_in(folder))
    finally:
        shutil.rmtree(folder)


def _files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def _act_and_write(server: Durable, game: str, note: Callable[[Event], None]) -> None:
    """Play a turn of a game and take a mail in, and note when each was acknowledged; then read the mail."""
    server.times.go_on(SECOND)
    known = stored_acts(server.context)
    server.take_turn(game)
    for act in sorted(stored_acts(server.context) - known):
        note(Acknowledged(act))
    words = "choose nothing at all" if server.sequence(game) % 2 else "?"
    name = server.write(game, server.mover(game), words)
    note(Acknowledged(name))
    server.work("mail", "house")


def cut(recording: Recording, number: int, folder: Path, seed: int = 1) -> Losses:
    """Cut the power so often, at moments of which half come soon after something was acknowledged."""
    dice, events, found = Random(seed), recording.events, Losses()
    acknowledged = [place for place, one in enumerate(events) if isinstance(one, Acknowledged)]
    soon = [dice.choice(acknowledged) + dice.randint(1, 4) for _ in range(number // 2 if acknowledged else 0)]
    moments = soon + [dice.randrange(len(events)) for _ in range(number - len(soon))]
    disk, followed = Disk(recording.before), 0
    for place in sorted(min(moment, len(events)) for moment in moments):
        disk.follow(events[followed:place])
        followed = place
        found.unsure += disk.is_unsure
        _look_at(disk.after_power_cut(dice), recording, place, folder, found)
    return found


def _look_at(files: dict[str, bytes], recording: Recording, place: int, folder: Path, found: Losses) -> None:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).touch(0o600)
        (folder / name).write_bytes(content)
    context = open_durable(folder)
    try:
        found.damaged += not has_integrity(context) or bool(complaints(context))
        there = stored_acts(context) | stored_mails(context)
    finally:
        context.database.dispose()
        shutil.rmtree(folder)
    told = {one.what for one in recording.events[:place] if isinstance(one, Acknowledged)}
    lost = len(told - there)
    found.lost, found.cuts_with_loss = max(found.lost, lost), found.cuts_with_loss + (lost > 0)


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(GATE // 3, id="a few"),
        pytest.param(GATE, id="many", marks=pytest.mark.breadth),
        pytest.param(LONG, id="whole", marks=pytest.mark.long),
    ],
)
def test_after_a_power_cut_all_that_was_acknowledged_is_there(tmp_path, number, figure):
    found = cut(record(), number, tmp_path / "after")
    assert (found.lost, found.damaged) == (0, 0)
    assert found.unsure > number // 10, "the cuts must come while something is being written"
    figure(f"{number} power cuts, {found.unsure} while writing: lost 0, damaged 0")


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(GATE // 3, id="a few", marks=pytest.mark.breadth),
        pytest.param(LONG // 5, id="whole", marks=pytest.mark.long),
    ],
)
def test_a_server_that_syncs_too_little_loses_some(tmp_path, number, figure):
    """The control."""
    found = cut(record(control=True), number, tmp_path / "after")
    assert found.lost > 0
    assert found.damaged == 0, "it loses the last acts, and the rest can be read"
    figure(f"control, {number} power cuts with synchronous=NORMAL: {found.cuts_with_loss} lost something")


@pytest.mark.parametrize("number", [10, pytest.param(300, marks=pytest.mark.breadth)])
def test_a_server_starts_after_a_power_cut_while_its_database_was_made(tmp_path, number):
    made = tmp_path / "made"
    made.mkdir()
    with recorded(made) as events:
        open_durable(made).database.dispose()
    recording = Recording({}, tuple(events), {})
    found = cut(recording, number, tmp_path / "after")
    assert (found.lost, found.damaged) == (0, 0)
    assert found.unsure > number // 4


def test_what_is_recorded_is_all_that_is_done_to_the_files():
    recording = record()
    disk = Disk(recording.before)
    disk.follow(recording.events)
    disk.follow([Synced("games.sqlite")])
    left = [disk.after_power_cut(Random(seed)) for seed in range(20)]
    assert recording.after in left, "byte for byte, where all is kept"
    assert {type(one) for one in recording.events} == {Written, Truncated, Synced, Deleted, Acknowledged}


@pytest.mark.parametrize("seed", range(8))
def test_a_disk_keeps_what_was_synced_and_any_sectors_of_the_rest(seed):
    disk = Disk({"file": b"a" * 2048})
    disk.follow([Written("file", 0, b"b" * 1024), Synced("file"), Written("file", 512, b"c" * 1536)])
    content = disk.after_power_cut(Random(seed))["file"]
    assert content[:512] == b"b" * 512
    sectors = {content[start : start + 512] for start in range(512, 2048, 512)}
    assert sectors <= {b"b" * 512, b"c" * 512, b"a" * 512}


def test_a_file_that_was_never_synced_may_be_gone_and_a_cut_may_be_undone():
    found = []
    for seed in range(40):
        disk = Disk({"file": b"a" * 1024})
        disk.follow([Written("new", 0, b"b"), Truncated("file", 512)])
        found.append({name: len(content) for name, content in disk.after_power_cut(Random(seed)).items()})
    assert {"file": 1024} in found
    assert {"file": 512, "new": 1} in found
