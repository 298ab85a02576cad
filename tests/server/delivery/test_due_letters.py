"""In which order the letters that are due are looked at: two processes that send do not follow each other."""

from dataclasses import replace
from datetime import timedelta
from itertools import groupby

import pytest
from sqlmodel import select

from server.delivery import claims
from server.delivery.claims import find_due_letters
from server.store.context import Context
from server.store.models import OutgoingLetter
from tests.server.desk import NOON, desk, start_game

LATER = NOON + timedelta(hours=1)


@pytest.fixture
def context(tmp_path) -> Context:
    """Twelve games of three, whose letters of the beginning wait."""
    found = desk(tmp_path)
    for number in range(12):
        start_game(found, f"Anna{number}", f"Ben{number}", f"Cleo{number}")
    return found


def order_of(context: Context, sender: str, *, shared: bool = True) -> list[tuple[int, str]]:
    """The letters as one process looks at them: number and game of each."""
    process = replace(context, sender=sender)
    with process.reading() as session:
        games = {row.id: row.game for row in session.exec(select(OutgoingLetter)) if row.id}
        return [(one, games[one]) for one in find_due_letters(process, session, LATER, shared=shared)]


def test_one_process_looks_at_them_in_order(context):
    alone = order_of(context, "one", shared=False)
    assert alone == sorted(alone)
    assert len(alone) == 36


@pytest.mark.parametrize("batch", [50, 36, 7])
def test_of_several_each_has_all_of_them_game_by_game(context, monkeypatch, batch):
    monkeypatch.setattr(claims, "BATCH_SIZE", batch)
    found = order_of(context, "one")
    assert sorted(found) == order_of(context, "one", shared=False)
    assert all(letters == sorted(letters) for letters in map(list, by_game(found)))
    if batch >= len(found):
        assert len(list(by_game(found))) == 12, "the letters of a game stand together"


def by_game(letters: list[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    return [list(run) for _, run in groupby(letters, lambda one: one[1])]


def test_each_begins_with_another_game(context):
    firsts = {order_of(context, f"process {number}")[0][1] for number in range(8)}
    assert len(firsts) > 3
