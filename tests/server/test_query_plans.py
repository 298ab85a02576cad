"""No loop, nothing that writes and none of the pages that are asked for most reads a table whole that grows.

A small life of a server is lived by all ways, and of each statement that it takes there the database is asked
for its plan; a plan that scans a table is wrong, however few rows there are now. PostgreSQL plans by how many
there are: so it is told to scan only where nothing else is to be had, and thinks of tables that were never
analysed that they fill ten pages.
"""

import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from flask import has_request_context, request
from sqlalchemy import Connection, event
from sqlalchemy.schema import DropIndex

from server.admin.interventions import lift_suspension, suspend_game
from server.store.models import INDEXES, Game
from server.store.states import GameStatus
from tests.paths import TOP
from tests.server.desk import NOON, Collector
from tests.server.inbox.returned import comes, envelope_of, report
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.storage import SQLITE, SYSTEMS
from tests.server.web.site import Site, site
from tests.server.web.tour import Tour

SERVER = str(TOP / "server")
LOOPS = """
    check_all keep_time play_due_plans play_bot_turns process_waiting_mail render_metrics
    review_finished_games send_due_letters send_operator_mails
    """.split()
"""The functions that the loops and monitors call."""
LEAST_STATEMENTS, LEAST_WITHOUT = 150, 20
"""How many statements there are at least, and how many of them scan where no index is."""
OFTEN_ASKED = ("/games", "/pulse")
"""How the addresses of pages end that are asked for often; that of a turn is one without an end."""
HALTS = timedelta(hours=30), timedelta(hours=60), timedelta(days=9), timedelta(days=45)
SMALL = {
    "offered": "the seats for which somebody is looked for now, and the newest of them up to a limit",
    "alembic_version": "one row",
    "prepared": "a row for each letter that is being handed over",
    "moment": "a row for each name in MomentName",
    "role_process": "a row for each role of each process that is at work",
    "proposal": "a row for each game asked for in the last 37 days, and looked at once an hour",
    "game USING INDEX ix_game_suspended": "the games that the operator has taken out for a while",
    "player USING INDEX ix_player_stranger": "whoever has shown nothing yet, and looked at once an hour",
}
ASKS_TABLE = re.compile(r"SELECT.*\bFROM\b|UPDATE|DELETE|INSERT", re.DOTALL)
"""Which statements have a plan: others only take a lock."""
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
"""What stands in a statement for something that it is asked with."""
SCAN = re.compile(r"SCAN (?!\d+ CONSTANT|CONSTANT|\(subquery|anon_)(.+)")


class Recorder:
    """Notes the statements of loops, of transactions that write, and of some pages, each once."""

    def __init__(self, place: Site) -> None:
        self.found: dict[str, tuple[str, Any]] = {}
        """Each with where in the house it was asked, and with what."""
        event.listen(place.context.database, "before_cursor_execute", self._note)

    def _note(
        self, connection: Connection, _: object, statement: str, parameters: Any, __: object, many: bool
    ) -> None:
        if statement in self.found:
            return
        frames = list(house_frames(sys._getframe(1)))
        if frames and (
            connection.get_execution_options().get("writing")
            or any(frame.f_code.co_name in LOOPS for frame in frames)
            or is_often_asked()
        ):
            last = frames[0]
            where = f"{Path(last.f_code.co_filename).name}, {last.f_code.co_name}"
            self.found[statement] = where, parameters[0] if many else parameters


def house_frames(frame: FrameType | None):
    """The frames of the server within a stack, the innermost first."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(SERVER):
            yield frame
        frame = frame.f_back


def is_often_asked() -> bool:
    """Whether a request is being answered that writes, or of a page that is asked for often."""
    if not has_request_context():
        return False
    is_turn = request.endpoint == "ticket_pages.show_ticket"
    return request.method == "POST" or is_turn or request.path.endswith(OFTEN_ASKED)


def scans_of(place: Site, statement: str, parameters: Any) -> list[str]:
    """What the plan of a statement scans, but for what may be."""
    ask = scans_in_file if place.context.database.dialect.name == SQLITE else scans_in_postgresql
    with place.context.database.connect() as connection:
        scanned = ask(connection, statement, parameters)
    return [one for one in scanned if one not in SMALL and one.split()[0] not in SMALL]


def scans_in_file(connection: Connection, statement: str, parameters: Any) -> list[str]:
    plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
    return [found[1] for line in plan if (found := SCAN.match(line[3]))]


def scans_in_postgresql(connection: Connection, statement: str, parameters: Any) -> list[str]:
    """A table that is read whole, and an index of which no part is chosen, by either plan of a statement."""
    for way in ("seqscan", "hashjoin", "mergejoin"):
        connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
    [[plan]] = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalars()
    [[prepared]] = plan_prepared(connection, statement)
    return [*scans_below(plan["Plan"]), *scans_below(prepared["Plan"])]


def plan_prepared(connection: Connection, statement: str) -> Any:
    """The plan of a statement that is prepared, which is made once for whatever it is asked with."""
    names = list(dict.fromkeys(PLACEHOLDER.findall(statement)))
    numbered = PLACEHOLDER.sub(lambda found: f"${names.index(found[1]) + 1}", statement)
    given = f"({', '.join(['NULL'] * len(names))})" if names else ""
    connection.exec_driver_sql("SET LOCAL plan_cache_mode = force_generic_plan")
    connection.exec_driver_sql(f"PREPARE asked AS {numbered}")
    plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) EXECUTE asked{given}").scalars().all()
    connection.exec_driver_sql("DEALLOCATE asked")
    return plan


def scans_below(node: dict[str, Any], table: str = "") -> Iterator[str]:
    table = node.get("Relation Name", table)
    if node["Node Type"] == "Seq Scan":
        yield table
    elif "Index Name" in node and "Index Cond" not in node:
        yield f"{table} USING INDEX {node['Index Name']}"
    for part in node.get("Plans", ()):
        yield from scans_below(part, table)


def live(place: Site) -> None:
    """Let everything happen that a server does: every page, mails of all kinds, and what has its time."""
    context, carrier = place.context, Collector()
    for name, page in Tour(place, "nl").pages():
        assert page.get("lang") == "nl", name
    running = context.rows_of(Game.id, Game.status == GameStatus.RUNNING)
    context.let_watch(*running)
    for change in (suspend_game, lift_suspension):
        context.committed(NOON, change, running[-1])
    visitor = place.visitor()
    context.work_until_idle(carrier, NOON)
    answer_all(place, carrier)
    for ago in HALTS:
        context.next_cleanup = None
        context.work_until_idle(carrier, NOON + ago)
        visitor.get("/games")
        for path in ("/readyz", "/metrics"):
            visitor.client.get(path)
        visitor.get(f"{place.link(running[0], seat=0)}/pulse")
        visitor.get(f"/g/{running[0]}/pulse")


def answer_all(place: Site, carrier: Collector) -> None:
    """Answer each letter with something else, and send some back."""
    said = "board", "settings", "say: hello", "resign", "address dirk@second.example.org", "links", "yes", "?"
    letters = [mail for mail in carrier.mails if mail["Reply-To"]]
    for number, letter in enumerate(letters):
        reply(place.context, letter, said[number % len(said)], Message_ID=f"<{number}@client>")
    for letter in carrier.mails[:5]:
        comes(place.context, report(carrier, letter), envelope_of(carrier, letter), NOON)
    place.context.work_until_idle(carrier, NOON + timedelta(minutes=1))


def wrong_plans(place: Site, asked: Recorder) -> dict[str, tuple[str, list[str]]]:
    """The statements that scan what grows: where they are asked, and what they scan."""
    return {
        statement: (where, scans)
        for statement, (where, parameters) in asked.found.items()
        if ASKS_TABLE.match(statement) and (scans := scans_of(place, statement, parameters))
    }


@pytest.mark.breadth
@pytest.mark.parametrize("system", SYSTEMS, indirect=True)
def test_no_plan_scans_what_grows(tmp_path):
    place = site(tmp_path)
    asked = Recorder(place)
    live(place)
    assert len(asked.found) > LEAST_STATEMENTS, "nothing was recorded"
    assert not wrong_plans(place, asked)
    with place.context.changing() as session:
        for index in INDEXES:
            session.connection().execute(DropIndex(index))
    assert len(wrong_plans(place, asked)) > LEAST_WITHOUT, "a scan is seen where there is one"
