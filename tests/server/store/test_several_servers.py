"""A URL that names several servers of PostgreSQL: whoever takes what is written is found, by all that ask."""

from threading import Event

import pytest
from sqlalchemy import make_url, select, text

from server.admin.backups import back_up
from server.configuration.settings import name_for_libpq, read_database_url
from server.store.dialects.system_choice import system_of
from server.store.models import Game
from tests.breadth import BREADTH
from tests.postgresql import USER, cluster
from tests.server.desk import NOON, desk, start_game
from tests.server.storage import POSTGRESQL, choose

WRITABLE = "target_session_attrs=read-write"


@pytest.mark.parametrize(
    ("named", "hosts", "ports"),
    [
        ("a:p%40ss@one,two/games?", "one,two", None),
        ("a:p%40ss@one,two:5433/games?", "one,two", 5433),
        ("a:p%40ss@/games?host=one:5433&host=two:5434&", "one,two", "5433,5434"),
    ],
)
def test_each_server_is_told_to_libpq(named: str, hosts: str, ports: object) -> None:
    told = name_for_libpq(read_database_url(f"postgresql+psycopg://{named}{WRITABLE}"))
    assert (told["host"], told.get("port"), told["dbname"]) == (hosts, ports, "games")
    assert (told["password"], told["target_session_attrs"]) == ("p@ss", "read-write")


@BREADTH
def test_the_one_that_is_there_is_found_by_whoever_works_listens_and_copies(system, tmp_path) -> None:
    choose(POSTGRESQL)
    place = desk(tmp_path)
    start_game(place, "Anna", "Ben")
    base = place.settings.database.database
    more = "connect_timeout=7&application_name=ours&options=-c%20work_mem%3D5MB"
    url = f"postgresql+psycopg://{USER}@/{base}?host=/nowhere&host={cluster().folder}&{WRITABLE}&{more}"
    context = desk(tmp_path, ALEXANDROS_DATABASE=url)
    with context.reading() as session:
        assert len(session.exec(select(Game.id)).all()) == 1
        for name, own in {"application_name": "ours", "work_mem": "5MB", "lock_timeout": "15s"}.items():
            assert session.scalar(text(f"SHOW {name}")) == own
    heard, stopping = [], Event()
    stopping.set()
    assert system_of(make_url(url)).listen(make_url(url), "me", lambda: heard.append(1), stopping)
    assert heard == [1]
    assert back_up(context, tmp_path / "copy", NOON) == 1
    context.database.dispose()
