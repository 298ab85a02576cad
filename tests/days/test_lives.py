"""Lives of games are as their files expect, and what each player gets to read is as it was approved by eye.

`APPROVE=1 pytest tests/days/test_lives.py` writes the transcripts anew: read the difference by eye.
"""

import os
from pathlib import Path

import pytest

from tests.breadth import spread
from tests.days.lives import LIVES, Life, Run

APPROVED = LIVES.parent / "approved"
FILES = sorted(LIVES.glob("*.toml"))


@pytest.mark.parametrize("file", spread(14, FILES), ids=[file.stem for file in FILES])
def test_a_life_is_as_its_file_expects_and_as_it_was_approved(file: Path, tmp_path: Path) -> None:
    life = Life.read(file)
    run = Run(life, tmp_path).live()
    assert not run.problems
    approved = APPROVED / f"{life.name}.txt"
    if os.environ.get("APPROVE"):
        approved.write_text(run.transcript, "utf-8")
    assert approved.exists(), "not approved yet: APPROVE=1 writes it"
    assert run.transcript == approved.read_text("utf-8")


def test_no_transcript_is_left_over() -> None:
    assert {file.stem for file in APPROVED.iterdir()} == {life.stem for life in FILES}
