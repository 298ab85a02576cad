"""Ports at which servers under test may listen."""

import socket
from contextlib import ExitStack
from itertools import islice
from random import SystemRandom

OWN = range(20_000, 32_000)
"""Below those that a system gives to outgoing connections (32768 and more), so that nobody is given one of
these between the moment in which it is found free and that in which its server begins to listen."""


def free_ports(number: int) -> list[int]:
    """So many ports at which nobody listens."""
    tried = SystemRandom().sample(OWN, len(OWN))
    with ExitStack() as stack:
        return list(islice((port for port in tried if _is_free(port, stack)), number))


def free_port() -> int:
    """A port at which nobody listens."""
    return free_ports(1)[0]


def _is_free(port: int, stack: ExitStack) -> bool:
    """Whether nobody listens there; it is held until the stack is closed."""
    probe = stack.enter_context(socket.socket())
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True
