"""Of a player with two addresses the one in use stays, and nothing is told of the other one any more."""

import json

import pytest
from click.testing import CliRunner

from server.cli import main
from tests.server.store.old_database import environment, execute, query, restore

pytestmark = pytest.mark.file

BEN = 2
ASKED = json.dumps({"event": "second address asked", "at": "2026-11-02T01:00:00Z", "about": "x@example.org"})


def migrate(file):
    migrated = CliRunner(env=environment(file)).invoke(main, ["migrate"])
    assert migrated.exit_code == 0, migrated.output


@pytest.mark.parametrize("address", ["ben@example.org", "ben.second@example.org"])
def test_the_address_in_use_stays(tmp_path, address):
    file = restore(tmp_path)
    assert query(file, "SELECT * FROM second") == [(BEN, "ben.second@example.org")]
    if address == "ben.second@example.org":  # it has taken over
        execute(file, f"UPDATE player SET address = '{address}' WHERE id = {BEN}")
        execute(file, "UPDATE second SET address = 'ben@example.org'")
    migrate(file)
    assert query(file, f"SELECT address FROM player WHERE id = {BEN}") == [(address,)]
    assert query(file, "SELECT name FROM sqlite_master WHERE tbl_name = 'second'") == []
    assert query(file, "SELECT DISTINCT purpose FROM confirmation ORDER BY 1") == [("address",), ("back",)]


def test_what_was_to_be_told_of_the_other_is_told_nobody_and_can_be_read(tmp_path):
    file = restore(tmp_path)
    last = query(file, "SELECT max(id) FROM message")
    execute(file, f"UPDATE outgoing SET kind = 'notice', detail = '{ASKED}' WHERE id IN (1, 2)")
    execute(file, "UPDATE outgoing SET state = 'waiting', why = '' WHERE id = 1")
    execute(file, "UPDATE outgoing SET state = 'sent' WHERE id = 2")
    migrate(file)
    assert query(file, "SELECT announcement, addressee, about FROM message WHERE id = 7") == [(None, -1, "")]
    assert query(file, "SELECT max(id) FROM message") == last
    notices = query(file, "SELECT state, why, detail FROM outgoing WHERE id IN (1, 2) ORDER BY id")
    assert [state for state, *_ in notices] == ["dropped", "sent"]
    assert notices[0][1] == "its occasion has passed"
    assert {json.loads(detail)["event"] for *_, detail in notices} == {"address asked"}
