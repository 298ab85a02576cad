"""Ports at which servers under test may listen.

A server begins to listen a while after its port was found free. Nobody else may be given it in between: not
another server of the same test, not a test in another process.
"""

import socket
from collections import deque
from fcntl import LOCK_EX, LOCK_NB, lockf
from functools import cache
from os import getuid
from pathlib import Path
from random import SystemRandom
from tempfile import gettempdir
from typing import BinaryIO

OWN = range(20_000, 32_000)
"""Below those that a system gives to outgoing connections (32768 and more)."""
_NEXT = deque(SystemRandom().sample(OWN, len(OWN)))
"""In the order in which they are given: whichever was given comes again after all others."""


def free_ports(number: int) -> list[int]:
    """So many ports at which nobody listens and that nobody else is given.

    AssertionError where all are taken.
    """
    found: list[int] = []
    for _ in OWN:
        if len(found) == number:
            return found
        port = _NEXT.popleft()
        _NEXT.append(port)
        if _reserve(port) and _is_free(port):
            found.append(port)
    raise AssertionError(f"of the ports {OWN.start} to {OWN.stop - 1} {len(found)} are free, not {number}")


def free_port() -> int:
    """A port at which nobody listens and that nobody else is given."""
    return free_ports(1)[0]


@cache
def _reservations() -> BinaryIO:
    """A file with a byte for each port, of which a process locks its own until it ends (fcntl(2))."""
    return (Path(gettempdir()) / f"ports-under-test-{getuid()}").open("ab")


def _reserve(port: int) -> bool:
    try:
        lockf(_reservations(), LOCK_EX | LOCK_NB, 1, port)
    except OSError:
        return False
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
