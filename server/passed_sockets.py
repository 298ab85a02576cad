"""Sockets passed by a service manager (sd_listen_fds(3)), and notifications to it (sd_notify(3)).

During a restart such a socket queues new connections, so none is refused.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from server.configuration.network import Endpoint

FIRST_PASSED = 3
MAIL = "mail"
"""Name of the socket for incoming mail; all other sockets are for pages."""
READY, STOPPING = "READY=1", "STOPPING=1"


@dataclass(frozen=True, slots=True)
class PassedSockets:
    pages: tuple[socket.socket, ...] = ()
    mail: tuple[socket.socket, ...] = ()


def take_passed_sockets(environment: MutableMapping[str, str]) -> PassedSockets:
    """Return the sockets passed to this process; delete the variables so that no child process takes them."""
    given = [environment.pop(name, "") for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")]
    process, count, names = given
    if process != str(os.getpid()) or not count.isdecimal():
        return PassedSockets()
    called = names.split(":") if names else []
    pages: list[socket.socket] = []
    mail: list[socket.socket] = []
    for number in range(int(count)):
        os.set_inheritable(FIRST_PASSED + number, False)
        is_mail = called[number : number + 1] == [MAIL]
        (mail if is_mail else pages).append(socket.socket(fileno=FIRST_PASSED + number))
    return PassedSockets(tuple(pages), tuple(mail))


def check_passed(passed: Sequence[socket.socket], listen: Endpoint) -> None:
    """Check that passed sockets listen at the configured address. Raises `ValueError`."""
    for one in passed:
        if one.family not in (socket.AF_INET, socket.AF_INET6) or one.type != socket.SOCK_STREAM:
            raise ValueError("a passed socket is not a TCP socket")
        host, port = one.getsockname()[:2]
        hosts = {info[4][0] for info in socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM)}
        if port != listen.port or host not in hosts:
            raise ValueError(f"a passed socket listens at {Endpoint(host, port)}")


def notify_manager(environment: MutableMapping[str, str], state: str) -> None:
    address = environment.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return
    with (
        suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line,
    ):  # the manager may have ended
        line.sendto(state.encode(), "\0" + address[1:] if address[0] == "@" else address)
