"""The command itself, as a process: served, killed, served again; and the demo, from any folder."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest

from tests.paths import TOP
from tests.server.desk import desk, game_row, start_game

PATIENCE = 120
"""Seconds, on a machine that does a lot besides."""


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
    """The command in a folder of its own, as a terminal starts it; it is told to stop at the end.

    Ctrl+C reaches it although the tests may run in the background, where a shell lets programs ignore it.
    """
    heeds = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"import signal, sys; from server.cli import main; {heeds}; sys.exit(main())"
    path = os.pathsep.join([str(TOP), os.environ.get("PYTHONPATH", "")])
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
        try:
            with urlopen(url, timeout=PATIENCE) as answer:
                return answer.read().decode()
        except OSError:
            with suppress(subprocess.TimeoutExpired):
                raise AssertionError(f"it ended with {process.wait(0.02)}: {process.communicate()}") from None
    raise AssertionError(f"nobody answers at {url}")


def test_a_server_that_is_killed_serves_the_same_games_again(tmp_path):
    port = free_port()
    given = settings(tmp_path, port)
    context = desk(tmp_path)
    game = start_game(context, "Anna", "house")
    before = game_row(context, game).seq
    for stop in (signal.SIGKILL, signal.SIGTERM):
        with alexandros("serve", folder=tmp_path, environment=given) as process:
            assert served(process, f"http://127.0.0.1:{port}/healthz").strip() == "ok"
            process.send_signal(stop)
            process.wait(PATIENCE)
    assert process.returncode == 0
    assert game_row(context, game).seq >= before


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


@pytest.mark.parametrize(("trusted", "sent_off"), [("127.0.0.0/8", 0), ("none", 4)])
def test_a_web_server_before_us_says_who_asks_if_it_is_trusted(tmp_path, trusted, sent_off):
    """Each visitor may open so many games an hour, and behind a trusted proxy they are not one visitor."""
    port = free_port()
    given = settings(tmp_path, port, TRUSTED_PROXIES=trusted)
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        served(process, f"http://127.0.0.1:{port}/healthz")
        statuses = [open_game(port, f"192.0.{number}.1") for number in range(24)]
    assert statuses == [200] * (24 - sent_off) + [429] * sent_off


def open_game(port: int, visitor: str) -> int:
    """Fill in the form of a new game; the status of the answer."""
    browser = build_opener(HTTPCookieProcessor())
    browser.addheaders = [("X-Forwarded-For", visitor)]
    page = browser.open(f"http://127.0.0.1:{port}/new", timeout=PATIENCE).read().decode()
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', page))
    fields |= {"name": "Friday", "kind1": "person", "name1": "Anna", "address1": "anna@example.org"}
    sent = urlencode(fields | {"kind2": "house"}).encode()
    try:
        return browser.open(f"http://127.0.0.1:{port}/new", sent, timeout=PATIENCE).status
    except HTTPError as refused:
        with refused:
            return refused.code


def test_the_demo_shows_a_mailbox_from_any_folder(tmp_path):
    port = free_port()
    with alexandros("demo", "--port", str(port), folder=tmp_path, environment={}) as process:
        page = served(process, f"http://127.0.0.1:{port}/mailbox")
        assert "Demo" in page or "mail" in page.lower()
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []
