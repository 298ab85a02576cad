"""The server's own facts: each is read from the log as it was written, also from the logs of older games."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from emails.terms import AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording.requests import VoteAnswer, VoteKind
from server.store.context import Context
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
    BankLeft,
    ClockResumed,
    ClockStopped,
    EarlierVote,
    EventJson,
    GameCancelled,
    GameImported,
    GameOpened,
    GamePaused,
    GameResumed,
    GameTerms,
    InvalidServerFact,
    SeatAccepted,
    SeatCaretaken,
    SeatJoined,
    SeatOffered,
    SeatPassedOver,
    SeatResigned,
    SeatReturned,
    SeatVacated,
    ServerFact,
    TimeAdded,
    TimeWithdrawn,
    TurnTimedOut,
    VoteCast,
    decode_server_fact,
    encode_server_fact,
)
from tests.server.desk import start_game

AT = datetime(2026, 11, 4, 8, 30, tzinfo=UTC)
TERMS = GameTerms(JoinedBy.LINK, True, "abcdefgh", Caretaker.GENTLE, True, AbsenceRule.TURN, 0)
SPELLED: list[tuple[ServerFact, str]] = [
    (
        GameOpened("Friday", "Alexandros", "rio-grande", TurnTime.of_hours(48), ("Anna", ""), GameTerms()),
        '{"type":"game_opened","name":"Friday","board":"Alexandros","edition":"rio-grande","hours":48,'
        '"seats":["Anna",""]}',
    ),
    (
        GameOpened(
            "Friday", "Alexandros", "rio-grande", TurnTime.of_hours(12, 72, 4), ("Anna", "Ben"), TERMS
        ),
        '{"type":"game_opened","name":"Friday","board":"Alexandros","edition":"rio-grande","hours":12,"bank":72,'
        '"refill":4,"seats":["Anna","Ben"],"joined_by":"link","watched":true,"rematch_of":"abcdefgh",'
        '"caretaker":"gentle","advice":true,"absence":"turn","vacation_days":0}',
    ),
    (
        GameOpened("Friday", "Alexandros", "rio-grande", TurnTime(15, 15, 5), ("Anna", "Ben"), GameTerms()),
        '{"type":"game_opened","name":"Friday","board":"Alexandros","edition":"rio-grande","minutes":15,'
        '"bank_minutes":15,"refill_minutes":5,"seats":["Anna","Ben"]}',
    ),
    (GameImported(), '{"type":"game_imported"}'),
    (GameCancelled(), '{"type":"game_cancelled"}'),
    (SeatJoined(1, "Ben"), '{"type":"seat_joined","seat":1,"name":"Ben"}'),
    (SeatJoined(1, "House", is_bot=True), '{"type":"seat_joined","seat":1,"name":"House","house":true}'),
    (SeatJoined(1, "Cleo", epoch=0), '{"type":"seat_joined","seat":1,"name":"Cleo","epoch":0}'),
    (SeatVacated(0), '{"type":"seat_left","seat":0}'),
    (SeatAccepted(0), '{"type":"seat_accepted","seat":0}'),
    (TurnTimedOut(2), '{"type":"turn_timed_out","seat":2}'),
    (BankLeft(2, 3600), '{"type":"bank_left","seat":2,"seconds":3600}'),
    (ClockStopped(2), '{"type":"clock_stopped","seat":2}'),
    (ClockStopped(2, AT), '{"type":"clock_stopped","seat":2,"since":"2026-11-04T08:30:00+00:00"}'),
    (ClockResumed(2), '{"type":"clock_resumed","seat":2}'),
    (TimeAdded(2, 24, 0), '{"type":"time_added","seat":2,"hours":24,"by":0}'),
    (TimeAdded(2, 24, None), '{"type":"time_added","seat":2,"hours":24,"by":null}'),
    (GamePaused(), '{"type":"game_paused"}'),
    (GamePaused(AT), '{"type":"game_paused","until":"2026-11-04T08:30:00+00:00"}'),
    (GameResumed(), '{"type":"game_resumed"}'),
    (SeatResigned(3), '{"type":"seat_resigned","seat":3}'),
    (SeatCaretaken(3), '{"type":"seat_kept","seat":3}'),
    (SeatReturned(3), '{"type":"seat_returned","seat":3}'),
    (SeatOffered(3), '{"type":"seat_offered","seat":3}'),
    (SeatPassedOver(3), '{"type":"seat_passed_over","seat":3}'),
    (TimeWithdrawn(2, 24, 1), '{"type":"time_withdrawn","seat":2,"hours":24,"by":1}'),
    (
        VoteCast(1, VoteKind.EMPTY_SEAT, VoteAnswer.GO_ON, 0),
        '{"type":"vote_cast","seat":1,"vote":"empty seat","answer":"go on","about":0}',
    ),
    (
        VoteCast(1, VoteKind.PAUSE, VoteAnswer.YES, until=AT),
        '{"type":"vote_cast","seat":1,"vote":"pause","answer":"yes","until":"2026-11-04T08:30:00+00:00"}',
    ),
    (
        EarlierVote((("type", "motion_agreed"), ("seat", 1), ("motion", "close the game"))),
        '{"type":"motion_agreed","seat":1,"motion":"close the game"}',
    ),
    (
        EarlierVote((("type", "motion_declined"), ("seat", 1), ("motion", "pause"))),
        '{"type":"motion_declined","seat":1,"motion":"pause"}',
    ),
]


@pytest.mark.parametrize(("fact", "line"), SPELLED, ids=[line for _, line in SPELLED])
def test_each_is_spelled_so_and_read_again(fact: ServerFact, line: str) -> None:
    assert json.dumps(encode_server_fact(fact), separators=(",", ":")) == line
    assert decode_server_fact(json.loads(line)) == fact


def test_all_of_them_are_spelled_above() -> None:
    assert {json.loads(line)["type"] for _, line in SPELLED} == SERVER_FACT_TYPES


def test_what_older_databases_hold_is_written_again_as_it_stands_there() -> None:
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
def test_one_of_another_shape_is_refused(fact: EventJson) -> None:
    with pytest.raises(InvalidServerFact, match=str(fact["type"])):
        decode_server_fact(fact)


def test_a_log_that_holds_such_a_one_is_corrupt(context: Context) -> None:
    game = start_game(context, "Anna", "Ben")

    def spoil(row: ActRow, _: list[EventJson]) -> ActRow:
        return row._replace(events='[{"type":"seat_left"}]') if row.seq == 1 else row

    with context.writing() as session:
        assert replace_acts(session, game, 0, spoil)
        session.commit()
    context.history_cache = HistoryCache()
    with context.reading() as session:
        with pytest.raises(CorruptLog, match="act 1 cannot be read: seat_left"):
            context.history_of(session, session.get_one(Game, game))
        with pytest.raises(CorruptLog, match="act 1 cannot be read: seat_left"):
            list_server_facts(load_acts(session, game)[0][0])
