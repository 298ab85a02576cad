"""Whole games: the two examples with what was offered on the way, and one for each way a game can end."""

import json
from pathlib import Path

import pytest

from engine.board import Board
from engine.event_log import EVENT_FIELDS, check_log, describe, encode
from engine.evolve import replay
from tests.engine.build import alexandros
from tests.engine.record import RECORDED
from tests.paths import GAMES

LAKE = Board.read((GAMES / "lake.toml").read_text("utf-8"))
BOARDS = {board.name: board for board in (alexandros(), LAKE)}
LOGS = sorted(GAMES.glob("*.jsonl"))
WHOLE = [log for log in LOGS if not log.stem.endswith("first24")]


def lines(log: Path) -> list[bytes]:
    return log.read_bytes().splitlines()


@pytest.mark.parametrize("log", WHOLE, ids=lambda log: log.stem)
def test_every_game_is_accepted_and_ends_as_it_did(log: Path) -> None:
    *_, (_, last) = check_log(lines(log), BOARDS)
    assert last.table.over
    assert describe(last) == json.loads(log.with_suffix(".final.json").read_text("utf-8"))


@pytest.mark.parametrize("log", WHOLE, ids=lambda log: log.stem)
def test_folding_needs_no_judge(log: Path) -> None:
    checked = list(check_log(lines(log), BOARDS))
    assert replay(checked[0][1].table.board, [event for event, _ in checked]) == checked[-1][1]


@pytest.mark.parametrize("log", WHOLE, ids=lambda log: log.stem)
def test_every_game_is_written_as_it_was(log: Path) -> None:
    for line, (event, now) in zip(lines(log), check_log(lines(log), BOARDS), strict=True):
        assert encode(event, now.table.board) == json.loads(line)


@pytest.mark.parametrize("players", ["two", "three"])
def test_the_examples_offer_what_they_offered(players: str) -> None:
    expected = [json.loads(line) for line in lines(GAMES / f"{players}-players.first24.jsonl")]
    log = lines(GAMES / f"{players}-players.jsonl")[: len(expected)]
    found = [describe(now, with_legal=True) for _, now in check_log(log, BOARDS)]
    assert len(found) == 24
    assert found == expected


def test_a_game_for_every_way_to_end() -> None:
    reasons = {name: json.loads(lines(GAMES / f"{name}.jsonl")[-1])["reason"] for name in RECORDED}
    assert reasons == {
        "points": "points",
        "points-dutch": "points",
        "walls": "walls",
        "shortage": "walls",
        "stalemate": "stalemate",
        "no-march": "no march",
    }


def test_the_games_hold_every_kind_of_event() -> None:
    kinds = {json.loads(line)["type"] for log in WHOLE for line in lines(log)}
    by_agreement = {"game_closed", "turn_skipped"}  # the word of players, and no rule
    assert kinds | by_agreement == set(EVENT_FIELDS)
