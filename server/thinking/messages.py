"""What a server and its thinking process send each other: pickled, but for boards.

A board has indexes that are made from its corners, and some are made while it is used, so it is sent once as
what it was read from, and named by a number from then on. Each end has the same boards in the same order.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from engine.board import Board, Point, Space
from engine.cards import Symbol

BoardSource = tuple[str, Point, Mapping[Space, Symbol | None], Mapping[Space, str]]
"""What a board is made from."""


class Messenger:
    """One end: makes messages of values, and values of messages."""

    def __init__(self) -> None:
        self._boards: list[Board] = []
        self._numbers: dict[Board, int] = {}

    def encode(self, value: object) -> bytes:
        """A message with a value."""
        known = len(self._boards)
        body = BytesIO()
        pickler = _Pickler(body, pickle.HIGHEST_PROTOCOL)
        pickler.number_board = self._number_board
        try:
            pickler.dump(value)
        except BaseException:  # no message, so the other end has heard of no board
            self._forget_boards(known)
            raise
        new = [_source_of(board) for board in self._boards[known:]]
        return pickle.dumps((new, body.getvalue()), pickle.HIGHEST_PROTOCOL)

    def decode(self, message: bytes) -> Any:
        """The value in a message of the other end."""
        sources: list[BoardSource]
        sources, body = pickle.loads(message)
        for source in sources:
            self._number_board(Board(*source))
        unpickler = _Unpickler(BytesIO(body))
        unpickler.boards = self._boards
        return unpickler.load()

    def _number_board(self, board: Board) -> int:
        number = self._numbers.setdefault(board, len(self._boards))
        if number == len(self._boards):
            self._boards.append(board)
        return number

    def _forget_boards(self, known: int) -> None:
        for board in self._boards[known:]:
            del self._numbers[board]
        del self._boards[known:]


class _Pickler(pickle.Pickler):
    number_board: Callable[[Board], int]

    def persistent_id(self, found: object) -> int | None:
        return self.number_board(found) if isinstance(found, Board) else None


class _Unpickler(pickle.Unpickler):
    boards: list[Board]

    def persistent_load(self, number: int) -> Board:
        return self.boards[number]


def _source_of(board: Board) -> BoardSource:
    return board.name, board.start, dict(board.symbols), dict(board.names)
