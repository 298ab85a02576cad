"""What a service manager passes: sockets by their names, to this process alone; and what it is told."""

import os
import socket
import subprocess
import sys
from fcntl import F_DUPFD, fcntl
from pathlib import Path

from server.passed_sockets import READY, PassedSockets, notify_manager, take_passed_sockets
from tests.paths import TOP

TAKING = """
import os, sys
from server.passed_sockets import take_passed_sockets
for number, given in enumerate(sys.argv[1:], 3):
    os.dup2(int(given), number)
os.environ["LISTEN_PID"] = str(os.getpid())
taken = take_passed_sockets(os.environ)
for sockets in taken.pages, taken.mail:
    print(*(one.getsockname()[1] for one in sockets))
print(*(name for name in os.environ if name.startswith("LISTEN_")))
print(*(one.get_inheritable() for one in taken.pages + taken.mail))
"""


def test_a_socket_is_taken_by_its_name() -> None:
    bound = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    ports = [one.getsockname()[1] for one in bound]
    high = [fcntl(one.fileno(), F_DUPFD, 100) for one in bound]  # above what the program is to find them at
    given = {**os.environ, "LISTEN_FDS": "3", "LISTEN_FDNAMES": "pages:mail:alexandros.socket"}
    code = [sys.executable, "-c", TAKING, *map(str, high)]
    said = subprocess.run(code, env=given, pass_fds=high, cwd=TOP, capture_output=True, text=True, check=True)
    for number, one in zip(high, bound, strict=True):
        os.close(number)
        one.close()
    assert said.stdout.split("\n")[:-1] == [
        f"{ports[0]} {ports[2]}",
        str(ports[1]),
        "",
        "False False False",
    ]


def test_what_was_passed_to_another_process_is_left_alone() -> None:
    given = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid() + 1), "LISTEN_FDNAMES": "mail", "HOME": "/"}
    assert take_passed_sockets(given) == PassedSockets()
    assert given == {"HOME": "/"}
    assert take_passed_sockets({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "many"}) == PassedSockets()


def test_the_manager_hears_how_it_is_where_it_listens(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(f"\0{tmp_path}")
        notify_manager({"NOTIFY_SOCKET": f"@{tmp_path}"}, READY)
        assert heard.recv(100) == b"READY=1"
    for address in ({}, {"NOTIFY_SOCKET": f"@{tmp_path}"}, {"NOTIFY_SOCKET": "vsock:2:1"}):
        notify_manager(address, READY)
