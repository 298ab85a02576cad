"""Games keep their exact time when its columns come to hold minutes; old words of votes are told as now."""

import pytest
from click.testing import CliRunner

from emails.letters.kinds import LetterKind, SeatLoss
from emails.wording.requests import Request, RequestKind
from server.cli import main
from server.outbox.letter_kinds import AskedBackDetail, ReplacedDetail, SeatRefusedDetail, decode_content
from tests.server.store.old_database import environment, execute, query, restore

pytestmark = pytest.mark.file

CLOCKS = {"With the house": (36, 10, 3), "Offered": (48, 96, 0)}
"""Of games in that database: hours for a turn, in reserve, and back."""
KEPT = "deadline, turn_began_at, bank_left, time_left, reminded"


def test_each_game_keeps_its_time_its_reserve_and_its_deadline(tmp_path):
    file = restore(tmp_path)
    for name, (hours, bank, refill) in CLOCKS.items():
        execute(
            file, f"UPDATE game SET hours = {hours}, bank = {bank}, refill = {refill} WHERE name = '{name}'"
        )
    execute(file, "UPDATE opening SET vacation_days = 5")
    before = query(file, f"SELECT id, {KEPT} FROM game ORDER BY id")
    away = query(file, "SELECT * FROM vacation")
    assert CliRunner(env=environment(file)).invoke(main, ["migrate"]).exit_code == 0
    found = query(file, "SELECT name, turn_minutes, bank_minutes, refill_minutes FROM game")
    assert {name: tuple(clock) for name, *clock in found if name in CLOCKS} == {
        name: tuple(60 * one for one in clock) for name, clock in CLOCKS.items()
    }
    assert query(file, f"SELECT id, {KEPT} FROM game ORDER BY id") == before
    assert query(file, "SELECT * FROM vacation") == away
    assert query(file, "SELECT DISTINCT vacation_days FROM opening") == [(5,)]


def test_what_was_said_of_pauses_and_asked_by_old_votes_is_told_as_now(tmp_path):
    file = restore(tmp_path)
    [(game,)] = query(file, "SELECT id FROM game ORDER BY id LIMIT 1")
    for said in ("paused", "pause agreed", "pause agreed until", "pause ended"):
        execute(
            file,
            "INSERT INTO message (game, at, words, announcement, about) VALUES "
            f"('{game}', '2026-03-02 12:00:00.000000', 'old', '{said}', 'then')",
        )
    letter = query(file, "SELECT min(id) FROM outgoing")[0][0]
    details = {
        '{"lines": [], "after": 1, "asked": [["go on without", "Ben"]]}': (
            "asked_back",
            AskedBackDetail((), 1, asked=(Request(RequestKind.HELP, "Ben"),)),
        ),
        '{"name": "Anna", "game": "Friday", "language": "nl", "why": "It is taken."}': (
            "replaced",
            SeatRefusedDetail("Anna", "nl", "It is taken."),
        ),
        '{"name": "Anna", "game": "Friday", "language": "nl", "why": "", "late": true}': (
            "replaced",
            ReplacedDetail("Anna", "Friday", "nl", SeatLoss.LATE),
        ),
    }
    for number, (detail, (kind, _)) in enumerate(details.items()):
        execute(
            file,
            f"CREATE TEMP TABLE one AS SELECT * FROM outgoing WHERE id = {letter}; UPDATE one SET id = "
            f"{9000 + number}, kind = '{kind}', detail = '{detail}', message_id = 'old{number}'; "
            "INSERT INTO outgoing SELECT * FROM one",
        )
    assert CliRunner(env=environment(file)).invoke(main, ["migrate"]).exit_code == 0
    ends = "2026-04-01T12:00:00+00:00"
    said = query(file, "SELECT announcement, about FROM message WHERE words = 'old' ORDER BY id")
    assert said == [
        ("paused until", ends),
        ("paused until", ends),
        ("paused until", "then"),
        ("resumed", "then"),
    ]
    stored = query(file, "SELECT kind, detail FROM outgoing WHERE id >= 9000 ORDER BY id")
    found = [decode_content(LetterKind(kind), detail) for kind, detail in stored]
    assert found == [content for _, content in details.values()]
