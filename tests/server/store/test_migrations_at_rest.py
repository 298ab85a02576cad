"""What a migration takes out is gone: tokens of letters that were sent, and mails that were read."""

import pytest
from click.testing import CliRunner

from emails.links import TOKEN
from server.cli import main
from tests.breadth import first
from tests.server.store.old_databases import VERSIONS, environment, execute, query, restore

pytestmark = pytest.mark.file

TEXTS = "SELECT text FROM outgoing WHERE text != ''"
READ = "state != 'waiting'"


def migrate(file):
    assert CliRunner(env=environment(file)).invoke(main, ["migrate"]).exit_code == 0


@pytest.mark.parametrize("version", first(1, [one for one in reversed(VERSIONS) if one < "0006"]))
def test_no_token_is_left_in_letters_that_were_sent_nor_in_mails_that_were_read(tmp_path, version):
    file = restore(tmp_path, version)
    mails = "SELECT id, digest, raw FROM incoming WHERE state = 'waiting' ORDER BY id"
    waiting, written = query(file, mails), query(file, TEXTS)
    assert any(TOKEN.search(text) for (text,) in written)
    migrate(file)
    kept = query(file, TEXTS)
    assert kept
    assert not [text for (text,) in kept if TOKEN.search(text)]
    assert query(file, mails) == waiting
    assert {raw for (raw,) in query(file, f"SELECT raw FROM incoming WHERE {READ}")} <= {b""}


def test_what_is_taken_out_does_not_lie_in_free_pages_of_the_file(tmp_path):
    file = restore(tmp_path, "0005")
    much = "CAST('taken out ' || hex(zeroblob(9000)) || 'to its end' AS BLOB)"
    execute(file, f"UPDATE incoming SET raw = {much} WHERE {READ}")
    execute(file, "PRAGMA wal_checkpoint(TRUNCATE)")
    found = [words for words in (b"taken out", b"to its end") if words in file.read_bytes()]
    assert len(found) == 2
    migrate(file)
    execute(file, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert not [words for words in found if words in file.read_bytes()]
