"""The thinking process itself: reads requests from a socket, and answers each with what came of it.

It ends at once when the server does, whatever it works out, and when nobody has asked for long.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

from server.thinking.messages import Messenger

READY = b"ready"
"""What it says before all else."""
LINGERS = 300.0
"""Seconds after which it ends if nobody asks."""

FunctionCall = tuple[Callable[..., object], tuple[object, ...]]
"""Function and arguments."""
Answer = tuple[Any, Exception | None]
"""What a function gave, and what it raised."""


def answer_requests(connection: Connection, lingers: float = LINGERS) -> None:
    """Work out what is asked for, until nobody asks any more."""
    messenger = Messenger()
    try:
        while connection.poll(lingers):
            connection.send_bytes(_answer(connection.recv_bytes(), messenger))
    except (EOFError, OSError):  # the server has ended
        return


def _answer(message: bytes, messenger: Messenger) -> bytes:
    try:
        request: FunctionCall = messenger.decode(message)
        function, arguments = request
        given: Answer = function(*arguments), None
        return messenger.encode(given)
    except Exception as error:
        raised: Answer = None, _make_sendable(error)
        return messenger.encode(raised)


def _make_sendable(error: Exception) -> Exception:
    """An error as it can be sent, with where it was raised."""
    told = "".join(traceback.format_exception(error))
    try:
        Messenger().decode(Messenger().encode(error))
    except Exception:  # what it was made with is not what it keeps
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(told)
    return error


def end_with_server(number: int) -> None:
    """Wait until the other end of a socket is closed, and end this process."""
    watched = select.poll()
    watched.register(number, 0)  # that it was closed is told unasked
    while not watched.poll():
        pass
    os._exit(0)


if __name__ == "__main__":
    os.nice(int(sys.argv[2]))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a service manager asks every process; the server ends us
    socket = int(sys.argv[1])
    Thread(target=end_with_server, args=(socket,), daemon=True).start()
    found = Connection(socket)
    import_module("engine.bots.advice")  # what is asked for needs it: loaded now, that is nobody's time
    found.send_bytes(READY)
    answer_requests(found)
