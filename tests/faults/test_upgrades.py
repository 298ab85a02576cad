"""Two machines get a newer program, one after the other, while people play by both: nobody is shown an error.

Which is what `config/postgresql.md` says: migrate once, then start each process anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from server.store.database import SCHEMA_VERSION
from tests.faults.people import Table
from tests.faults.relays import relay
from tests.faults.several import Part, Several, several, two_places
from tests.faults.test_several_machines import go_on, line_of, playing
from tests.server.newer_programs import NEXT, begin_migration, newer_program
from tests.server.storage import new_database

pytestmark = pytest.mark.usefixtures("on_postgresql")


def replace_program(place: Several, part: Part, program: Path, tables: list[Table]) -> None:
    """Start a process anew with another program, as an operator does with a web server before it.

    Nobody is sent to it any more, who is there is answered; then it is asked to stop.
    """
    part.is_cut = True
    go_on(tables)
    part.send_signal()
    part.await_end()
    part.program = program
    part.start()
    part.is_cut = False
    go_on(tables)


def upgrade_machines(folder: Path) -> tuple[Several, str]:
    url, newer = new_database("upgrade"), newer_program(folder / "newer", SCHEMA_VERSION)
    with relay() as post, several(folder, two_places(url, post), together=True) as place:
        place.start()
        first, second = place.each()
        with playing(place, 11) as tables:
            go_on(tables)
            migration = begin_migration(newer, url)
            while migration.poll() is None:
                go_on(tables)
            assert migration.returncode == 0
            replace_program(place, first, newer, tables)
            assert place.rows("SELECT DISTINCT motto FROM game") == [(None,)]
            replace_program(place, second, newer, tables)
        line = line_of(place, post, tables, 0, 0.0, patient=False)
    return place, line


@pytest.mark.breadth
def test_machine_after_machine_is_upgraded_under_play(tmp_path: Path, record_property) -> None:
    place, line = upgrade_machines(tmp_path)
    assert place.unanswered == 0
    assert {code for code in place.told if code >= 400} == set()
    record_property("figure", f"upgraded to {NEXT}, told: {dict(place.told)}; {line}")
