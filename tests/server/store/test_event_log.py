"""The log of acts, whole or not at all, never changed or lost; the server's facts in it, read as written."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import select

from emails.terms import AbsenceRule, Caretaker, JoinedBy, TurnTime
from emails.wording.requests import VoteAnswer, VoteKind
from engine.bots import stand_in
from server.store.context import RecentlyUsed
from server.store.event_log import (
    ActRow,
    CorruptLog,
    list_server_facts,
    load_acts,
    replace_acts,
)
from server.store.models import Act, Game, OutgoingLetter
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
    encode_fact,
)
from server.turns.play import HALF_PLAYED_DELAY, play_turn
from tests.emails.positions import BOARD
from tests.server.desk import NOON
from tests.server.store.old_database import STATEMENTS


@pytest.mark.systems
def test_an_act_is_one_row_with_its_facts_and_letters(context):
    game = context.start_game("Anna", "Ben")
    words = context.turn_words(game)[0]
    context.say(game, words)
    with context.reading() as session:
        stored = session.exec(select(Act).where(Act.game == game)).all()
        assert [act.seq for act in stored] == [1, 2, 3]
        types = [json.loads(act.events)[0]["type"] for act in stored]
        assert types == ["game_opened", "game_started", "card_chosen"]
        assert (stored[2].seat, stored[2].door, stored[2].said) == (0, "link", words)
        (letter,) = session.exec(select(OutgoingLetter).where(OutgoingLetter.seq == 3))
        assert (letter.kind, letter.due_at) == ("step", NOON + HALF_PLAYED_DELAY)  # he saw it on the page
    play_turn(context, game, context.game_row(game).after, stand_in, "clock", NOON)
    assert context.rows_of(OutgoingLetter, OutgoingLetter.seq == 4)


@pytest.mark.systems
@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE act SET said = 'choose another' WHERE seq = 3", "act 3"),
        ("UPDATE act SET door = 'window' WHERE seq = 1", "window"),
        ("DELETE FROM act WHERE seq = 2", "act"),
    ],
    ids=["a changed row", "a channel that nobody knows", "a missing row"],
)
def test_what_is_wrong_with_the_log_is_found_when_the_game_is_read(context, change, found):
    game = context.start_game("Anna", "Ben")
    context.say(game, context.turn_words(game)[0])
    with context.changing() as session:
        session.execute(text(change))
    context.history_cache = RecentlyUsed()
    with pytest.raises(CorruptLog, match=found):
        context.history(game)


@pytest.mark.systems
def test_the_list_of_games_can_be_worked_out_anew(context, clock):
    game = context.start_game("Anna", "Ben")
    words = context.turn_words(game)[:1]
    context.play(game, 0, context.game_row(game).after, words, "link", clock.forward(1))
    kept = context.game_row(game).model_dump()
    with context.changing() as session:
        spoiled = session.get_one(Game, game)
        spoiled.turn, spoiled.seat, spoiled.deadline, spoiled.seq, spoiled.after = 9, 1, None, 0, 0
    assert context.rebuild() == 1
    assert context.game_row(game).model_dump() == kept


# --- the server's own facts -----------------------------------------------------------------------------

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
    assert json.dumps(encode_fact(fact, BOARD), separators=(",", ":")) == line


def test_all_types_are_spelled_there_and_mean_what_they_say():
    facts = [json.loads(line) for line in LINES]
    assert {fact["type"] for fact in facts} == SERVER_FACT_TYPES
    for kind, meant in READ.items():
        assert meant in [decode_server_fact(fact) for fact in facts if fact["type"] == kind]


def test_what_older_databases_hold_is_written_again_as_it_stands_there():
    read = 0
    for line in STATEMENTS.splitlines():
        if not line.startswith('INSERT INTO "act"'):
            continue
        facts = json.loads(line[line.index("'[{") + 1 : line.rindex("]'") + 1].replace("''", "'"))
        for fact in facts:
            if fact["type"] in SERVER_FACT_TYPES:
                assert encode_fact(decode_server_fact(fact), BOARD) == fact
                read += 1
    assert read > 5


WRONG: list[EventJson] = [
    {"type": "seat_left"},
    {"type": "seat_left", "seat": "0"},
    {"type": "seat_left", "seat": True},
    {"type": "seat_joined", "seat": 0},
    {"type": "time_added", "seat": 0, "hours": 1.5, "by": None},
    {"type": "game_paused", "until": "tomorrow"},
    {"type": "game_paused", "until": 1},
    {"type": "game_opened", "name": "x", "board": "x", "edition": "x", "hours": "24", "seats": ["Anna"]},
    {"type": "vote_cast", "seat": 0, "vote": "a song", "answer": "yes"},
    {"type": "game_opened", "name": "x", "board": "x", "edition": "x", "hours": 1, "seats": "Anna"},
    {"type": "something else"},
]


@pytest.mark.parametrize("fact", WRONG)
def test_one_of_another_shape_is_refused(fact):
    with pytest.raises(InvalidServerFact, match=str(fact["type"])):
        decode_server_fact(fact)


def test_a_log_that_holds_such_a_one_is_corrupt(context):
    game = context.start_game("Anna", "Ben")

    def spoil(row: ActRow, _: list[EventJson]) -> ActRow:
        return row._replace(events='[{"type":"seat_left"}]') if row.seq == 1 else row

    with context.changing() as session:
        assert replace_acts(session, game, 0, spoil)
    context.history_cache = RecentlyUsed()
    with pytest.raises(CorruptLog, match="act 1 cannot be read: seat_left"):
        context.history(game)
    with context.reading() as session, pytest.raises(CorruptLog, match="act 1 cannot be read: seat_left"):
        list_server_facts(load_acts(session, game)[0])
