"""Several processes of each role on one PostgreSQL: one is killed, or cut off, or the database goes away.

People play on by the others. What was acknowledged is there, nothing is played twice, every letter arrives,
and one that arrives again is the same to the byte.
"""

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from server.store.dialects import SharedKeys
from server.store.dialects.postgresql import PostgreSQL
from server.store.states import Role
from tests.faults.judging import doubles
from tests.faults.people import Table
from tests.faults.relays import Relay, relay
from tests.faults.several import Several, several, two_places
from tests.faults.test_kills import CLAIM, TABLES, Found, finish, judge, live_a_while, look_for_lost
from tests.faults.visits import until
from tests.faults.wires import wire
from tests.postgresql import cluster, durable
from tests.server.storage import new_database

pytestmark = pytest.mark.usefixtures("on_postgresql")

ALONE = 0.3
"""Seconds at most for which one of two of a role is alone."""
LONGEST_SILENCE = 75.0
"""Seconds after which PostgreSQL has ended the transactions of a machine that says nothing."""
GIVEN_UP_AFTER = 20.0
"""Seconds after which the database gives up a machine that is cut off, and what it has in hand is free.

By TCP it takes a third of that, which is measured between networks (test_cut_network.py); here its socket is
a file, and the wire does it. Until then only its own bounds hold, as behind a proxy.
"""
NEVER_WAITS = 4.0
"""Seconds after which a visitor turns to another machine."""
SOCKET = ".s.PGSQL.5432"


# --- what goes on beside the play -----------------------------------------------------------------------


@contextmanager
def playing(place: Several, seed: int) -> Iterator[list[Table]]:
    """All tables play while this lasts; then each ends the turn it is at."""
    dice = random.Random(seed)
    tables = [Table(place, people, random.Random(dice.random())) for people in TABLES]
    for table in tables:
        table.open.set()
        table.start()
    yield tables
    finish(place, tables)


def line_of(
    place: Several, post: Relay, tables: list[Table], kills: int, standing: float, *, patient: bool
) -> str:
    """Judge what has come of it, when every letter has left.

    `patient`: what was in hand of one that was killed leaves when its claim has ended by itself.
    """
    if not patient:
        place.let_claims_end()
    waited = place.await_letters(CLAIM + 60)
    lost = look_for_lost(place, tables)
    deeds = sum(len(table.deeds) for table in tables)
    found = Found(kills, len(lost), deeds, len(post.taken()), doubles(post.letters), standing)
    said = judge(place, post, tables, found)
    return f"{said}, the last letters after {waited:.0f} s"


def kill_one_after_the_other(
    place: Several, tables: list[Table], kills: int, dice: random.Random
) -> tuple[float, int]:
    """Kill one of two of each role in turn, let the other be alone, and start it again.

    The longest start, and how many letter processes were killed.
    """
    standing, of_letters = 0.0, 0
    for kill in range(kills):
        live_a_while(tables, dice)
        role = [*Role][kill % len(Role)]
        part = dice.choice(place.parts[role])
        part.kill()
        of_letters += role is Role.LETTERS
        Event().wait(dice.uniform(0.0, ALONE))
        standing = max(standing, part.start())
    return standing, of_letters


def survive_kills(folder: Path, kills: int, seed: int, *, patient: bool) -> str:
    """`patient`: with pictures too, and no claim is ended before its time."""
    url = new_database(f"kills{seed}")
    with relay() as post, several(folder, two_places(url, post)) as place:
        place.pictures, dice = patient, random.Random(seed)
        place.start()
        with playing(place, seed) as tables:
            standing, of_letters = kill_one_after_the_other(place, tables, kills, dice)
        line = line_of(place, post, tables, kills, standing, patient=patient)
        assert doubles(post.letters) <= 4 * of_letters, "only what was in hand of one that was killed"
        assert place.unavailable == 0
    return f"one of two of each role, {line}"


@pytest.mark.breadth
def test_one_of_two_of_each_role_may_be_killed(tmp_path, figure):
    figure(survive_kills(tmp_path, 10, 3, patient=False))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_three_hundred_times_one_of_two_of_each_role_may_be_killed(seed, tmp_path, figure):
    figure(survive_kills(tmp_path, 100, seed, patient=True))


def url_by(port: int, database: str) -> str:
    return f"postgresql+psycopg://postgres@127.0.0.1:{port}/{database}"


def go_on(tables: list[Table], seconds: float = 60.0) -> None:
    """See each table do something more, as it does once all is well."""
    before = [table.tried for table in tables]
    until(
        lambda: all(table.tried > one or table.wrong for table, one in zip(tables, before, strict=True)),
        f"all play on {[table.wrong for table in tables]}",
        seconds,
    )


def survive_restarts(folder: Path, times: int, *, patient: bool) -> str:
    """`patient`: each role has processes of its own, and no claim is ended before its time."""
    with durable() as database, relay() as post, wire(database.folder / SOCKET) as way:
        database.execute("CREATE DATABASE games")
        with several(folder, two_places(url_by(way.port, "games"), post), together=not patient) as place:
            place.start()
            longest = 0.0
            with playing(place, 8) as tables:
                for number in range(times):
                    go_on(tables)
                    began = monotonic()
                    database.stop(now_and_then_hard(number))
                    Event().wait(0.2 * (number % 3))
                    database.start()
                    go_on(tables)
                    longest = max(longest, monotonic() - began)
            line = line_of(place, post, tables, 0, 0.0, patient=patient)
            told = place.unavailable
    again = f"all at play again within {longest:.1f} s, told 503: {told}"
    return f"database restarted {times} times, {again}; {line}"


def now_and_then_hard(number: int) -> str:
    """By turns as it is asked to stop, and as it is when its machine loses its power."""
    return "immediate" if number % 2 else "fast"


@pytest.mark.breadth
def test_the_database_may_be_restarted_under_play(tmp_path, figure):
    """Nobody is shown an error but that it is away."""
    figure(survive_restarts(tmp_path, 2, patient=False))


@pytest.mark.long
def test_the_database_may_be_restarted_thirty_times_under_play(tmp_path, figure):
    figure(survive_restarts(tmp_path, 30, patient=True))


def survive_cut(folder: Path, seconds: float, *, together: bool) -> str:
    """Cut a machine that has every role off from database and relay amid its work, and mend it."""
    database = cluster()
    url = new_database("cut")
    with relay() as post, wire(database.folder / SOCKET) as rows, wire(("127.0.0.1", post.port)) as mail:
        places = [(url, post.mail_out), (url_by(rows.port, "cut"), f"smtp://127.0.0.1:{mail.port}")]
        with several(folder, places, together=together) as place:
            place.patience = NEVER_WAITS
            place.start()
            far = [parts[1] for parts in place.parts.values()]
            with playing(place, 10) as tables:
                go_on(tables)
                live_a_while(tables, random.Random(10))
                rows.cut(GIVEN_UP_AFTER)
                mail.cut()
                for part in far:
                    part.is_cut = True
                began = monotonic()
                go_on(tables, seconds + 90)
                on = monotonic() - began
                while monotonic() - began < seconds:
                    Event().wait(0.1)
                rows.mend()
                mail.mend()
                for part in far:
                    part.is_cut = False
                go_on(tables)
                until(lambda: all(part.is_there for part in far), "they live")
            line = line_of(place, post, tables, 0, 0.0, patient=True)
    return f"cut off for {seconds:.0f} s, the others play on within {on:.1f} s; {line}"


@pytest.mark.breadth
def test_what_a_machine_has_in_hand_is_free_when_the_database_gives_it_up():
    """Such as the mails of a writer, which wait so long for the machine that was reading them."""
    url, system = make_url(new_database("hands")), PostgreSQL()
    with wire(cluster().folder / SOCKET) as rows:
        elsewhere = make_url(url_by(rows.port, "hands"))
        with closing(system.open_keys(url)) as near, closing(system.open_keys(elsewhere)) as far:
            assert far.take("a")
            rows.cut(given_up_after=0.2)
            assert not near.take("a")
            until(lambda: near.take("a"), "its key is free")
            rows.mend()
            until(lambda: takes_again(far, "b"), "it goes on")


def takes_again(keys: SharedKeys, key: str) -> bool:
    """Whether a key is taken; not at first by who learns only so that it was given up."""
    try:
        return keys.take(key)
    except OperationalError:
        return False


@pytest.mark.breadth
def test_a_machine_may_be_cut_off_and_come_back(tmp_path, figure):
    figure(survive_cut(tmp_path, 8.0, together=True))


@pytest.mark.long
def test_a_machine_may_be_cut_off_until_its_transactions_have_ended(tmp_path, figure):
    figure(survive_cut(tmp_path, LONGEST_SILENCE, together=False))
