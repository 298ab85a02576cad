"""The database: tables, migrations, the log of each game, and columns computed from it; the board files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from engine.board import Board

FOLDER = Path(__file__).parents[2] / "config/boards"


@cache
def load_boards() -> dict[str, Board]:
    """Return all boards by name."""
    read = [Board.read(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.toml"))]
    return {board.name: board for board in read}
