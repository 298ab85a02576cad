"""A disk that is full: what was acknowledged is stored, the rest is refused in a sentence, and it goes on.

It is made full from outside: by a limit on how long the files of a server may be, which needs no rights, and
in breadth by a file system of a few megabytes.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from tests.faults import flaws
from tests.faults.house import FULL, House, house, look_often
from tests.faults.judging import Deed, lost_deeds, surplus_acts
from tests.faults.relays import relay
from tests.faults.visits import until

AT_ONCE = 10.0
"""Seconds within which it goes on when there is room; on a quiet machine it is one half."""
SEEN = 30.0
ROOM = 30_000
"""Bytes that are left: an act needs about as many."""
MOST_DEEDS = 40
GAMES = (("Anna", "Ben"), ("Cleo", "Dirk"))


@dataclass
class Week:
    games: list[str]
    deeds: list[Deed] = field(default_factory=list)
    refused: list[tuple[str, int, str]] = field(default_factory=list)
    """By which door, the status or code, and the words of the page."""
    seen: float = 0.0
    again: float = 0.0

    def acknowledged(self) -> list[Deed]:
        return [deed for deed in self.deeds if deed.answered]


def do(place: House, week: Week, game: str, door: str) -> bool:
    turn = place.turn(game)
    if door == "reply":
        deed = Deed(turn, door, turn.lines, place.next_message_id())
        code, words = place.write_order(turn, deed.message_id), ""
        deed.answered = code == 250
    else:
        deed = Deed(turn, door, turn.lines[:1])
        code, words = place.press_and_read(place.link(turn, deed.said))
        deed.answered = code == 200
    week.deeds.append(deed)
    if not deed.answered:
        week.refused.append((door, code, words))
    elif door == "reply":
        with suppress(AssertionError):  # it may wait for room to be played
            until(lambda: place.seq(game) > turn.after, "it is played", 0.5)
    return deed.answered


def fill(place: House, week: Week, fill_disk: Callable[[], None]) -> None:
    began = monotonic()
    fill_disk()
    shut: set[str] = set()
    while shut != {"link", "reply"} and len(week.deeds) < MOST_DEEDS:
        for game, door in zip(week.games, ("link", "reply"), strict=True):
            if not do(place, week, game, door):
                shut.add(door)
    assert shut == {"link", "reply"}, "the disk is not full"
    until(lambda: place.unready() & FULL, "the operator sees it", SEEN)
    week.seen = monotonic() - began
    assert place.is_live()


def empty(place: House, week: Week, make_room: Callable[[], None]) -> None:
    make_room()
    began = monotonic()
    for game, door in zip(week.games, ("link", "reply"), strict=True):
        until(lambda game=game, door=door: do(place, week, game, door), "it goes on", 30)
    week.again = monotonic() - began
    until(lambda: "waiting" not in place.stored_mails().values(), "what waits is played")
    until(lambda: not place.unready() & FULL, "the operator sees that it is over", SEEN)


def lost(place: House, week: Week) -> list[Deed]:
    return lost_deeds(week.deeds, {game: place.acts(game) for game in week.games}, place.stored_mails())


def judge(place: House, week: Week) -> str:
    assert lost(place, week) == []
    acts = {game: place.acts(game) for game in week.games}
    assert surplus_acts(week.acknowledged(), acts) == []
    for door, code, words in week.refused:
        assert 400 <= code < 500 if door == "reply" else code == 503, (door, code, words)
        if door == "link":
            assert "Traceback" not in words
            assert "sqlite" not in words.lower()
            assert "try" in words.lower() or "again" in words.lower(), words
    assert "Traceback" not in place.log()
    assert week.again < AT_ONCE
    taken = len(week.acknowledged())
    return (
        f"disk full: {taken} acknowledged, lost 0, {len(week.refused)} refused in a sentence, goes on after "
        f"{week.again:.1f} s, operator sees it after {week.seen:.1f} s"
    )


@contextmanager
def town(folder: Path, change: Callable[[], None] | None = None) -> Iterator[tuple[House, Week]]:
    with relay() as post, house(folder, post.mail_out, change) as place:
        week = Week([place.open_game(*people) for people in GAMES])
        until(lambda: not place.due(), "all letters leave")
        for game, door in zip(week.games, ("link", "reply"), strict=True):
            assert do(place, week, game, door)
        yield place, week


@pytest.mark.breadth
def test_on_a_full_disk_what_was_acknowledged_is_stored(tmp_path, figure):
    with town(tmp_path, look_often) as (place, week):
        fill(place, week, lambda: place.fill_disk(ROOM))
        Event().wait(0.3)
        empty(place, week, place.make_room)
        figure(judge(place, week))


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system of eight megabytes; the test is skipped where nobody may mount one."""
    folder.mkdir()
    given = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(given, capture_output=True, check=False).returncode:
        pytest.skip("nobody but root mounts a file system, and not everywhere")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.breadth
@pytest.mark.parametrize("room", [0, 4096, 20_000, 60_000, 200_000])
def test_on_a_file_system_that_is_full_what_was_acknowledged_is_stored(room, tmp_path, figure):
    folder = tmp_path / "disk"
    with small_disk(folder), town(folder) as (place, week):
        filler = folder / "filler"

        def fill_disk() -> None:
            with filler.open("wb", buffering=0) as file, suppress(OSError):
                while file.write(b"x" * 65536) == 65536:
                    pass
            with filler.open("r+b") as file:
                file.truncate(max(0, filler.stat().st_size - room))

        fill(place, week, fill_disk)
        empty(place, week, filler.unlink)
        figure(f"{room} bytes left: {judge(place, week)}")


@pytest.mark.breadth
def test_control_what_is_acknowledged_and_not_stored_is_missed(tmp_path):
    with town(tmp_path, flaws.takes_mail_before_it_is_stored) as (place, week):
        place.fill_disk(0)
        do(place, week, week.games[1], "reply")
        assert week.deeds[-1].answered
        assert week.deeds[-1] in lost(place, week)
