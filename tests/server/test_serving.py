"""The command itself, as a process: served, killed, served again; and the demo, from any folder."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from tests.server.desk import desk, game_row, start_game

PATIENCE = 30
"""Seconds."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def settings(folder: Path, port: int, **more: str) -> dict[str, str]:
    given = {
        "DATABASE": f"sqlite:///{folder / 'games.sqlite'}",
        "BASE_URL": f"http://127.0.0.1:{port}",
        "LISTEN": f"127.0.0.1:{port}",
        "SECRET": "a secret of more than sixteen letters",
        "MAIL_OUT": "local",
        "MAIL_FROM": "Alexandros <alexandros@example.org>",
        "MAIL_DOMAIN": "play.example.org",
        **more,
    }
    return {f"ALEXANDROS_{name}": text for name, text in given.items()}


@contextmanager
def alexandros(*arguments: str, folder: Path, environment: dict[str, str]):
    """The command in a folder of its own; it is told to stop at the end."""
    code = "import sys; from server.cli import main; sys.exit(main())"
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
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
        assert process.poll() is None, process.communicate()
        try:
            with urlopen(url, timeout=PATIENCE) as answer:
                return answer.read().decode()
        except OSError:
            select_nothing()
    raise AssertionError(f"nobody answers at {url}")


def select_nothing() -> None:
    """Let the other process have the machine for a moment."""
    time.sleep(0.02)


def test_a_server_that_is_killed_serves_the_same_games_again(tmp_path):
    port = free_port()
    given = settings(tmp_path, port)
    office = desk(tmp_path)
    game = start_game(office, "Anna", "house")
    before = game_row(office, game).seq
    for stop in (signal.SIGKILL, signal.SIGTERM):
        with alexandros("serve", folder=tmp_path, environment=given) as process:
            assert served(process, f"http://127.0.0.1:{port}/healthz").strip() == "ok"
            process.send_signal(stop)
            process.wait(PATIENCE)
    assert process.returncode == 0
    assert game_row(office, game).seq >= before


def test_a_port_that_is_taken_is_one_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        given = settings(tmp_path, taken.getsockname()[1])
        with alexandros("serve", folder=tmp_path, environment=given) as process:
            out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert "ALEXANDROS_LISTEN" in err
    assert out == ""


def test_the_demo_shows_a_mailbox_from_any_folder(tmp_path):
    port = free_port()
    with alexandros("demo", "--port", str(port), folder=tmp_path, environment={}) as process:
        page = served(process, f"http://127.0.0.1:{port}/mailbox")
        assert "Demo" in page or "mail" in page.lower()
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []
