"""The boards the server has: every board file in config/boards, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from engine.board import Board


@cache
def load_boards() -> dict[str, Board]:
    """Every board by its name."""
    folder = files("config") / "boards"
    found = (entry for entry in folder.iterdir() if entry.name.endswith(".toml"))
    read = [Board.read(entry.read_text(encoding="utf-8")) for entry in sorted(found, key=lambda e: e.name)]
    return {board.name: board for board in read}
