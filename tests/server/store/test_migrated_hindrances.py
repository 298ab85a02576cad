"""What followed from words of letters, mails and preferences has columns of its own after a migration."""

import json

import pytest
from click.testing import CliRunner

from server.cli import main
from tests.server.store.old_databases import environment, execute, query, restore

pytestmark = pytest.mark.file


def test_what_sentences_alone_told_is_told_by_hindrances_and_the_sentences_stay(tmp_path):
    file = restore(tmp_path, "0015")
    aside = "it could not be read: see the server's own messages"
    letters = {
        1: ("waiting", "not taken: 451 later", "relay"),
        2: ("waiting", "perhaps taken: it broke off", "doubt"),
        3: ("waiting", "451 not taken: later", ""),
        4: ("sent", "not taken: 451 later", ""),
        5: ("failed", "it came back: 550 no", "returned"),
        6: ("failed", aside, "aside"),
        7: ("waiting", aside, ""),
        8: ("failed", "554 no", ""),
        9: ("dropped", "nothing is sent to its reader", "barred"),
        10: ("dropped", "its occasion has passed", ""),
    }
    mails = {
        1: ("refused", aside, "aside"),
        2: ("refused", "“fly” is no action.", ""),
        3: ("waiting", aside, ""),
    }
    for table, given in (("outgoing", letters), ("incoming", mails)):
        for number, (state, why, _) in given.items():
            words = why.replace("'", "''")
            execute(file, f"UPDATE {table} SET state = '{state}', why = '{words}' WHERE id = {number}")
    assert CliRunner(env=environment(file, "0015")).invoke(main, ["migrate"]).exit_code == 0
    for table, given in (("outgoing", letters), ("incoming", mails)):
        found = query(file, f"SELECT id, state, why, hindrance FROM {table} WHERE id <= {max(given)}")
        assert {number: tuple(rest) for number, *rest in found} == given
    said = query(file, "SELECT said, letters_stopped FROM preference")
    assert {stopped for _, stopped in said} == {0, 1}
    assert all((json.loads(words).get("letters") is False) == stopped for words, stopped in said)
