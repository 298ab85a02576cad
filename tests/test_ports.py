"""A port is given to one server at a time, whatever else is tested beside it."""

import subprocess
import sys
from itertools import chain
from subprocess import PIPE

from tests.paths import TOP
from tests.ports import free_port, free_ports

ASKED = 400


def test_that_no_port_is_given_twice_before_its_server_listens() -> None:
    given = [free_port() for _ in range(ASKED)]
    assert len({*given, *free_ports(ASKED)}) == 2 * ASKED


def test_that_processes_beside_each_other_are_given_different_ports() -> None:
    program = f"from tests.ports import free_ports; print(*free_ports({ASKED}), flush=True); input()"
    command = [sys.executable, "-c", program]
    begun = [subprocess.Popen(command, cwd=TOP, stdin=PIPE, stdout=PIPE) for _ in range(3)]
    given = [one.stdout.readline().split() for one in begun if one.stdout is not None]
    for one in begun:
        one.communicate(b"\n")
    assert len({*chain.from_iterable(given)}) == len(begun) * ASKED
