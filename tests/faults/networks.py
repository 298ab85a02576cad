"""Machines as network namespaces (ip-netns(8)): each has a cable, a veth pair, to a bridge of this machine.

At the address of the bridge stands what they share. A cable that is cut loses its carrier at both ends, so no
byte passes, and neither a RST nor a FIN: who waits for an answer is told nothing.
"""

import ctypes
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.wires import Wire
from tests.judges.court import missing

PROGRAM = "/usr/sbin/ip"
CLONE_NEWNET = 0x40000000
"""The kind of namespace (setns(2))."""
TAKES_AT_MOST = 30.0
"""Seconds, for one call of a program."""


def ip(*words: str) -> None:
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=TAKES_AT_MOST)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"


def enter(name: str) -> None:
    """Let this thread, and what it starts, stand in a network namespace; it does not come back."""
    at = os.open(f"/run/netns/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(at, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {name}")
    finally:
        os.close(at)


@dataclass(frozen=True)
class Machine:
    """A network namespace, and the end of its cable that is here."""

    name: str
    cable: str
    address: str

    def cut(self) -> None:
        ip("link", "set", self.cable, "down")

    def mend(self) -> None:
        ip("link", "set", self.cable, "up")


class Window(Wire):
    """A wire for visitors, who stand within a machine: from a port here to the same port of its loopback."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        super().__init__(("127.0.0.1", 0))
        self.place = ("127.0.0.1", self.port)

    def _lay(self, near: socket.socket) -> None:
        enter(self._machine.name)
        super()._lay(near)


@dataclass(frozen=True)
class Network:
    address: str
    range: str
    machines: list[Machine]


@contextmanager
def network(machines: int) -> Iterator[Network]:
    """So many machines on one bridge; the test is skipped where nobody may make it."""
    if os.geteuid() != 0 or not Path(PROGRAM).exists():
        missing("a network of its own needs the package iproute2, and root to make it")
    if not (_is_allowed("netns", "add", own := f"alx{os.getpid()}") and _is_allowed("netns", "delete", own)):
        pytest.skip("root makes no network namespaces here, as in most containers")
    parts = f"10.203.{os.getpid() % 250 + 1}"
    with ExitStack() as stack:
        bridge = f"alxb{os.getpid()}"
        ip("link", "add", bridge, "type", "bridge")
        stack.callback(ip, "link", "delete", bridge)
        ip("address", "add", f"{parts}.1/24", "dev", bridge)
        ip("link", "set", bridge, "up")
        built = [_join(stack, bridge, number, f"{parts}.{number + 11}") for number in range(machines)]
        yield Network(f"{parts}.1", f"{parts}.0/24", built)


def _is_allowed(*words: str) -> bool:
    return not subprocess.run([PROGRAM, *words], capture_output=True, timeout=TAKES_AT_MOST).returncode


def _join(stack: ExitStack, bridge: str, number: int, address: str) -> Machine:
    name = f"alx{os.getpid()}-{number}"
    ip("netns", "add", name)
    stack.callback(ip, "netns", "delete", name)
    ip("-n", name, "link", "set", "lo", "up")
    ip("link", "add", name, "type", "veth", "peer", "name", "cable", "netns", name)
    stack.callback(ip, "link", "delete", name)
    ip("link", "set", name, "master", bridge, "up")
    ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
    ip("-n", name, "link", "set", "cable", "up")
    return Machine(name, name, address)
