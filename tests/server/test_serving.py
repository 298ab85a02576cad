"""The command itself, as a process: served, killed, served again; and the demo, from any folder."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from server.loops import STOPPING_TAKES
from tests.paths import TOP
from tests.ports import free_port
from tests.server.desk import GIVEN, desk
from tests.server.storage import storage

PATIENCE = 120
"""Seconds, on a machine that does a lot besides."""


def settings(folder: Path, port: int, **more: str) -> dict[str, str]:
    at = f"127.0.0.1:{port}"
    own = {"DATABASE": storage().bare(folder), "BASE_URL": f"http://{at}", "LISTEN": at} | more
    return GIVEN | {f"ALEXANDROS_{name}": text for name, text in own.items()}


@contextmanager
def alexandros(
    *arguments: str, folder: Path, environment: dict[str, str], passed: socket.socket | None = None
):
    """The command in a folder of its own, as a terminal starts it; it is told to stop at the end.

    Ctrl+C reaches it although the tests may run in the background, where a shell lets programs ignore it.
    `passed`: a socket that it gets as a service manager passes it.
    """
    heeds = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    if passed is not None:
        heeds += f"; os.dup2({passed.fileno()}, 3); os.environ['LISTEN_PID'] = str(os.getpid())"
        environment = environment | {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "pages"}
    code = f"import os, signal, sys; from server.cli import main; {heeds}; sys.exit(main())"
    path = os.pathsep.join([str(TOP), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=() if passed is None else (passed.fileno(),),
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=PATIENCE)


def served(process, url: str) -> str:
    """The page at `url`, as soon as somebody answers there."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            with urlopen(url, timeout=PATIENCE) as answer:
                return answer.read().decode()
        except OSError:
            with suppress(subprocess.TimeoutExpired):
                raise AssertionError(f"it ended with {process.wait(0.02)}: {process.communicate()}") from None
    raise AssertionError(f"nobody answers at {url}")


@pytest.mark.breadth
def test_a_server_that_is_killed_serves_the_same_games_again(tmp_path):
    port = free_port()
    given = settings(tmp_path, port)
    context = desk(tmp_path)
    game = context.start_game("Anna", "house")
    context.set_preferences(game, "Anna", pictures=False)
    before = context.game_row(game).seq
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        assert served(process, f"http://127.0.0.1:{port}/healthz").strip() == "ok"
        process.kill()
        process.wait(PATIENCE)
    with managed(tmp_path, given, port) as (bound, heard):
        first, report = serve_sixty(tmp_path, given, bound, heard)
        assert (first.returncode, report) == (0, [b"READY=1", b"STOPPING=1"])
    assert context.game_row(game).seq >= before


@contextmanager
def managed(folder: Path, given: dict[str, str], port: int):
    """What a service manager holds: the socket at which the pages are, and the one where it hears of them."""
    with (
        socket.create_server(("127.0.0.1", port), backlog=128) as bound,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard,
    ):
        heard.bind(str(folder / "manager"))
        heard.settimeout(PATIENCE)
        given["NOTIFY_SOCKET"] = str(folder / "manager")
        yield bound, heard


def serve_sixty(folder: Path, given: dict[str, str], bound: socket.socket, heard: socket.socket):
    """Let sixty visitors ask at once and then tell the server to stop; the process, and what it reported."""
    url = f"http://127.0.0.1:{bound.getsockname()[1]}/rules"
    with alexandros("serve", folder=folder, environment=given, passed=bound) as process, ExitStack() as stack:
        report = [heard.recv(100)]
        asked = f"GET {url} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        peers = [
            stack.enter_context(socket.create_connection(bound.getsockname(), PATIENCE)) for _ in range(60)
        ]
        for peer in peers:
            peer.sendall(asked)
        process.terminate()
        statuses = [peer.makefile("rb").readline().split()[1:2] for peer in peers]
        process.wait(PATIENCE)
    assert statuses == [[b"200"]] * 60
    return process, [*report, heard.recv(100)]


@pytest.mark.breadth
def test_who_is_told_twice_to_stop_ends_at_once(tmp_path):
    port = free_port()
    given = settings(tmp_path, port)
    with (
        managed(tmp_path, given, port) as (bound, heard),
        alexandros("serve", folder=tmp_path, environment=given, passed=bound) as process,
    ):
        assert heard.recv(100) == b"READY=1"
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as half:
            half.sendall(b"GET / HTTP/1.1\r\n")
            process.terminate()
            assert heard.recv(100) == b"STOPPING=1"
            process.terminate()
            assert process.wait(PATIENCE) == -signal.SIGTERM


@pytest.mark.breadth
def test_it_stops_in_time_whatever_is_in_hand(tmp_path):
    """A relay that says nothing, half a request and half a mail."""
    port, mail = free_port(), free_port()
    desk(tmp_path).start_game("Anna", "Ben")
    with socket.create_server(("127.0.0.1", 0)) as relay, ExitStack() as stack:
        relay_at = f"smtp://127.0.0.1:{relay.getsockname()[1]}"
        given = settings(tmp_path, port, MAIL_IN=f"smtp://127.0.0.1:{mail}", MAIL_OUT=relay_at)
        with alexandros("serve", folder=tmp_path, environment=given) as process:
            served(process, f"http://127.0.0.1:{port}/healthz")
            for where, said in ((port, b"GET / HTTP/1.1\r\n"), (mail, b"EHLO peer\r\nMAIL FROM:<>\r\n")):
                stack.enter_context(socket.create_connection(("127.0.0.1", where), PATIENCE)).sendall(said)
            stack.enter_context(relay.accept()[0])
            begun = time.monotonic()
            process.terminate()
            assert process.wait(PATIENCE) == 0
            assert time.monotonic() - begun < STOPPING_TAKES + 5


@pytest.mark.breadth
def test_a_port_that_is_taken_is_one_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        given = settings(tmp_path, taken.getsockname()[1])
        with alexandros("serve", folder=tmp_path, environment=given) as process:
            out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    assert "ALEXANDROS_LISTEN" in err


@pytest.mark.breadth
@pytest.mark.parametrize("listen", ["no.such.invalid:18700", "999.1.1.1:18700"])
def test_a_host_that_is_none_is_one_sentence(tmp_path, listen):
    given = settings(tmp_path, 8000, LISTEN=listen)
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (2, "")
    assert "ALEXANDROS_LISTEN" in err
    assert "Traceback" not in err


@pytest.mark.breadth
def test_every_address_of_the_machine_can_be_listened_at(tmp_path):
    port = free_port()
    given = settings(tmp_path, port, LISTEN=f"0.0.0.0:{port}")
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        assert served(process, f"http://127.0.0.1:{port}/healthz").strip() == "ok"


def test_the_demo_shows_a_mailbox_with_a_letter_from_any_folder(tmp_path):
    port = free_port()
    with alexandros("demo", "--port", str(port), folder=tmp_path, environment={}) as process:
        page = served(process, f"http://127.0.0.1:{port}/mailbox")
        assert re.search(r'href="/mailbox/\d+"', page), "the first letter is there as soon as the page"
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []
