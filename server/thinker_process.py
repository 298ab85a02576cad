"""The child process that thinks: receives function calls from a pipe, and sends back their results.

The process ends at once when the server ends, even during a computation, and after a long time without calls.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from threading import Thread
from typing import Any

from engine.board import Board, Point, Space
from engine.cards import Symbol

READY = "ready"
LINGERS = 300.0

FunctionCall = tuple[Callable[..., object], tuple[object, ...]]
Answer = tuple[Any, Exception | None]

BoardSource = tuple[str, Point, tuple[tuple[Space, Symbol | None], ...], tuple[tuple[Space, str], ...]]
"""Data from which another process rebuilds a board; the board itself, with its indexes, is larger."""
_boards: dict[BoardSource, Board] = {}  # equal sources give the same object


def _board_from(source: BoardSource) -> Board:
    if source not in _boards:
        name, start, symbols, names = source
        _boards[source] = Board(name, start, dict(symbols), dict(names))
    return _boards[source]


def _reduce_board(board: Board) -> tuple[Callable[[BoardSource], Board], tuple[BoardSource]]:
    source = board.name, board.start, tuple(board.symbols.items()), tuple(board.names.items())
    _boards.setdefault(source, board)
    return _board_from, (source,)


ForkingPickler.register(Board, _reduce_board)


def answer_calls(connection: Connection[bytes, bytes], lingers: float = LINGERS) -> None:
    try:
        while connection.poll(lingers):
            connection.send_bytes(_answer(connection.recv_bytes()))
    except (EOFError, OSError):  # the server has ended
        return


def _answer(message: bytes) -> bytes:
    try:
        call: FunctionCall = pickle.loads(message)
        function, arguments = call
        result: Answer = function(*arguments), None
        return bytes(ForkingPickler.dumps(result))
    except Exception as error:
        failure: Answer = None, _make_sendable(error)
        return bytes(ForkingPickler.dumps(failure))


def _make_sendable(error: Exception) -> Exception:
    """Return the error, or a `RuntimeError` in place of an unpicklable error; add the traceback as a note."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(ForkingPickler.dumps(error))
    except Exception:  # its arguments differ from its class's parameters
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(trace)
    return error


def end_with_server(number: int) -> None:
    """Wait until the other end of a socket is closed, and end this process. `number`: file descriptor."""
    watched = select.poll()
    watched.register(number, 0)  # a hang-up is reported without being requested
    while not watched.poll():
        pass
    os._exit(0)


def main() -> None:
    number, niceness = map(int, sys.argv[1:])
    os.nice(niceness)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a service manager signals all; the server ends this
    Thread(target=end_with_server, args=(number,), daemon=True).start()
    connection: Connection[Any, Any] = Connection(number)
    import_module("engine.bots.advice")  # needed by calls, and so loaded before their time limits start
    connection.send(READY)
    answer_calls(connection)
