"""The server's own facts: each is read from the log as it was written, also from the logs of older games."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from emails.terms import AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording.requests import VoteAnswer, VoteKind
from server.store.event_log import (
    ActRow,
    CorruptLog,
    HistoryCache,
    list_server_facts,
    load_acts,
    replace_acts,
)
from server.store.models import Game
from server.store.server_facts import (
    SERVER_FACT_TYPES,
    ClockStopped,
    EventJson,
    GameOpened,
    GamePaused,
    GameTerms,
    InvalidServerFact,
    ServerFact,
    TimeAdded,
    VoteCast,
    decode_server_fact,
    encode_server_fact,
)
from tests.server.desk import changing, start_game

AT = datetime(2026, 11, 4, 8, 30, tzinfo=UTC)
TERMS = GameTerms(JoinedBy.LINK, True, "abcdefgh", Caretaker.GENTLE, True, AbsenceRule.TURN, 0)
LINES = (Path(__file__).parent / "server_facts.jsonl").read_text("utf-8").splitlines()
READ: dict[str, ServerFact] = {
    "game_opened": GameOpened(
        "Friday", "Alexandros", "rio-grande", TurnTime.of_hours(12, 72, 4), ("Anna", "Ben"), TERMS
    ),
    "clock_stopped": ClockStopped(2, AT),
    "time_added": TimeAdded(2, 24, 0),
    "game_paused": GamePaused(AT),
    "vote_cast": VoteCast(1, VoteKind.PAUSE, VoteAnswer.YES, until=AT),
}
"""What one of the lines of some types means."""


@pytest.mark.parametrize("line", LINES)
def test_each_is_spelled_so_and_read_again(line):
    fact = decode_server_fact(json.loads(line))
    assert json.dumps(encode_server_fact(fact), separators=(",", ":")) == line


def test_all_types_are_spelled_there_and_mean_what_they_say():
    facts = [json.loads(line) for line in LINES]
    assert {fact["type"] for fact in facts} == SERVER_FACT_TYPES
    for kind, meant in READ.items():
        assert meant in [decode_server_fact(fact) for fact in facts if fact["type"] == kind]


def test_what_older_databases_hold_is_written_again_as_it_stands_there():
    read = 0
    for line in (Path(__file__).parent / "old_database.sql").read_text("utf-8").splitlines():
        if not line.startswith('INSERT INTO "act"'):
            continue
        facts = json.loads(line[line.index("'[{") + 1 : line.rindex("]'") + 1].replace("''", "'"))
        for fact in facts:
            if fact["type"] in SERVER_FACT_TYPES:
                assert encode_server_fact(decode_server_fact(fact)) == fact
                read += 1
    assert read > 5


WRONG: list[EventJson] = [
    {"type": "seat_left"},
    {"type": "seat_left", "seat": "0"},
    {"type": "seat_left", "seat": True},
    {"type": "seat_joined", "seat": 0},
    {"type": "time_added", "seat": 0, "hours": 1.5, "by": None},
    {"type": "game_paused", "until": "tomorrow"},
    {"type": "vote_cast", "seat": 0, "vote": "a song", "answer": "yes"},
    {"type": "game_opened", "name": "x", "board": "x", "edition": "x", "hours": 1, "seats": "Anna"},
    {"type": "something else"},
]


@pytest.mark.parametrize("fact", WRONG)
def test_one_of_another_shape_is_refused(fact):
    with pytest.raises(InvalidServerFact, match=str(fact["type"])):
        decode_server_fact(fact)


def test_a_log_that_holds_such_a_one_is_corrupt(context):
    game = start_game(context, "Anna", "Ben")

    def spoil(row: ActRow, _: list[EventJson]) -> ActRow:
        return row._replace(events='[{"type":"seat_left"}]') if row.seq == 1 else row

    with changing(context) as session:
        assert replace_acts(session, game, 0, spoil)
    context.history_cache = HistoryCache()
    with context.reading() as session:
        with pytest.raises(CorruptLog, match="act 1 cannot be read: seat_left"):
            context.history_of(session, session.get_one(Game, game))
        with pytest.raises(CorruptLog, match="act 1 cannot be read: seat_left"):
            list_server_facts(load_acts(session, game)[0][0])
