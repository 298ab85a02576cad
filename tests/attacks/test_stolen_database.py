"""The database was stolen or what lies beside it: nobody's seat is in it."""

import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.kinds import every_kind, knock, passed
from tests.attacks.small_world import World
from tests.server.web.site import site

SEALED = re.compile(r"[a-z2-7]{16,}|[\w-]{22,}", re.IGNORECASE)
"""How a key looks: long, and without blanks."""
LIVE = "ticket, act, invitation, confirm, way back, sign in, key, cookie, reply, proposal page".split(", ")
OWN = ("/t/", "/n/", "/c/", "/s/", "/j/", "/new/", "/u/")


@pytest.fixture(scope="module")
def stolen(tmp_path_factory) -> Iterator[tuple[World, dict[str, str], list[str]]]:
    """A world in which everything has been sent once, its keys, and what its database holds."""
    world, kinds = every_kind(tmp_path_factory.mktemp("stolen"))
    return world, kinds, cells(world.file)


def cells(file: Path) -> list[str]:
    with sqlite3.connect(file) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for name in names for row in db.execute(f'SELECT * FROM "{name}"')]
    db.close()
    found = [one for row in rows for one in row if isinstance(one, str | bytes)]
    return [one.decode("latin-1") if isinstance(one, bytes) else one for one in found]


@pytest.mark.parametrize("umask", [0o022, 0o000])
def test_the_database_and_what_lies_beside_it_are_its_owners_alone(tmp_path, umask):
    before = os.umask(umask)
    try:
        place = site(tmp_path, ALEXANDROS_DATABASE=f"sqlite:///{tmp_path / 'own.sqlite'}")
        place.context.start_game("Anna", "Ben")
        with place.context.reading():
            modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.glob("own.sqlite*")}
    finally:
        os.umask(before)
    assert "own.sqlite" in modes
    assert set(modes.values()) == {0o600}, {name: oct(mode) for name, mode in modes.items()}


def test_a_database_that_was_open_to_all_is_closed_when_it_is_opened(tmp_path):
    file = tmp_path / "own.sqlite"
    for _ in range(2):
        place = site(tmp_path, ALEXANDROS_DATABASE=f"sqlite:///{file}")
        place.context.start_game("Anna", "Ben")
        place.context.database.dispose()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        file.chmod(0o644)


def test_nothing_in_the_database_opens_a_page_of_a_player(stolen):
    world, _, held = stolen
    tokens = sorted({one for cell in held for one in SEALED.findall(cell)}, key=len)
    opened = {}
    for token in [one for one in tokens if len(one) <= 250][:150]:
        for prefix in OWN if len(tokens) < 25 else ("/t/", "/c/", "/s/"):
            if passed(prefix, knock(world, prefix, token)):
                opened.setdefault(prefix, []).append(token[:12])
    assert opened == {}


@pytest.mark.parametrize("kind", LIVE)
def test_no_live_key_lies_there_in_clear(stolen, kind):
    _, kinds, held = stolen
    assert not [cell[:60] for cell in held if kinds[kind].lower() in cell.lower()]


def test_letters_that_wait_hold_no_link(world):
    """They are sealed when they are sent, not when they are queued."""
    place = world.place
    place.context.start_game("Anna", "Ben")  # its letters wait
    found = [cell for cell in cells(world.file) if re.search(r"/[tcsn]/[a-z2-7]{16,}", cell)]
    assert not found


def test_a_copy_of_the_database_does_not_sign_anybody_in(stolen):
    world, _, held = stolen
    tokens = {one for cell in held for one in SEALED.findall(cell) if len(one) <= 120}
    for token in sorted(tokens)[:60]:
        for door in ("alexandros-in", "Bearer"):
            assert not passed(door, knock(world, door, token)), door
