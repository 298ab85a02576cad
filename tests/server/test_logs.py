"""The log: no link and no answer address in it lets its reader act for anybody."""

import json
import logging
import re
import sqlite3
import threading

import pytest

from server.logs import MaskingHandler, mask_message, write_json_logs, write_masked_logs
from server.security_log import SecurityEvent, SecurityLog
from tests.paths import TOP
from tests.server.desk import NOON, start_game
from tests.server.web.site import site

TOKEN = "AbC-_dE12345fGhIjKlMnOpQrStUv"
ROADS = ("t", "u", "c", "s", "j", "n", "x", "new")


@pytest.fixture
def masked():
    """The log as the command writes it."""
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    write_masked_logs()
    write_masked_logs()
    assert sum(isinstance(one, MaskingHandler) for one in root.handlers) == 1
    yield
    root.handlers = before


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("more", ["", "/settings", "?look=1", "/say?to=2&words=hello", ".", "//x"])
def test_of_a_link_the_kind_is_kept_and_nothing_else(road: str, more: str) -> None:
    for before in ("", "https://example.org", "https://example.org/games", "http://127.0.0.1:8000"):
        said = mask_message(f'10.0.0.1 "GET {before}/{road}/{TOKEN}{more} HTTP/1.1" 200')
        assert said == f'10.0.0.1 "GET {before}/{road}/… HTTP/1.1" 200'


@pytest.mark.parametrize("kind", ["play", "new", "nieuw", "stop", "confirm", "bounce", "PLAY"])
def test_of_an_answer_address_too(kind: str) -> None:
    said = mask_message(f"mail for <{kind}+{TOKEN}@example.org> cannot be stored")
    assert said == f"mail for <{kind}+…@example.org> cannot be stored"


@pytest.mark.parametrize(
    "line",
    [
        'GET /new HTTP/1.1" 200',
        "GET /assets/0123456789/style.css",
        "GET /api/games/abcd2345/log",
        "the database /var/lib/alexandros/games.db cannot be used",
        '  File "/srv/t/server/web/kit/errors.py", line 12, in _render',
        "is it so? yes = no",
    ],
)
def test_what_holds_no_token_is_written_as_it_is(line: str) -> None:
    assert mask_message(line) == line


def test_what_was_asked_of_a_page_is_not_kept() -> None:
    assert mask_message("GET /mailbox?to=play%2Bx%40example.org HTTP/1.1") == "GET /mailbox?… HTTP/1.1"


def test_an_error_of_a_page_is_logged_with_its_trace_and_without_its_ticket(
    tmp_path, masked, monkeypatch, capsys
):
    place = site(tmp_path)
    link = place.link(start_game(place.context, "Anna", "Ben"))

    def fail(token: str) -> None:
        raise sqlite3.OperationalError(f"no such ticket: /t/{token}?look=1")

    monkeypatch.setattr("server.web.game.ticket_pages.load_ticket", fail)
    assert place.visitor().get(f"{link}?look=1").status == 500
    said = capsys.readouterr().err
    assert "Exception on /t/… [GET]" in said
    assert "sqlite3.OperationalError: no such ticket: /t/…" in said
    assert f'  File "{TOP}/server/web/game/ticket_pages.py", line ' in said
    assert link.removeprefix("/t/") not in said


def test_nginx_set_up_by_our_file_shows_no_more_than_the_first_part_of_an_address() -> None:
    block = (TOP / "config/web/nginx.conf").read_text("utf-8")
    lines = block.partition("map $request_uri")[2].partition("}\n")[0]
    rows = [(re.compile(form), kept) for form, kept in re.findall(r"^ +~(\S+) +(\S+);$", lines, re.MULTILINE)]
    assert len(rows) == 2

    def written(uri: str) -> str:
        form, kept = next((form, kept) for form, kept in rows if form.search(uri))
        found = form.search(uri)
        assert found
        return kept.replace("$request_uri", uri).replace("${kept}", found.groupdict().get("kept", ""))

    for road in ROADS:
        for more in ("", "/settings", "?look=1", "//x"):
            assert written(f"/{road}/{TOKEN}{more}") == f"/{road}/..."
            assert written(f"/games/{road}/{TOKEN}{more}") == "/games/..."
            assert written(f"/{road}%2F{TOKEN}{more}") == f"/{road}..."
            assert written(f"/%74/{TOKEN}{more}") == "/..."
    assert written("/new?lang=nl") == "/new..."
    assert written("/games") == "/games"
    assert "$request " not in block
    assert "$http_referer" not in block


# --- for programs -----------------------------------------------------------------------------------------


@pytest.fixture
def as_json(masked):
    """The log as `alexandros serve` writes it."""
    before = threading.excepthook
    write_json_logs()
    yield
    threading.excepthook = before
    logging.captureWarnings(False)
    logging.getLogger("alexandros.events").setLevel(logging.NOTSET)


def written(capsys) -> list[dict[str, str]]:
    """Each line of standard error, read as what it must be."""
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_each_line_is_one_object_whatever_is_in_it(as_json, capsys):
    logging.getLogger("server.x").error('a "line"\n of "%s" \u2028', f"/t/{TOKEN}\x00")
    said = capsys.readouterr().err
    assert said.isascii()
    assert said.count("\n") == 1
    line = json.loads(said)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("at"))
    assert line == {"level": "error", "log": "server.x", "message": 'a "line"\n of "/t/…" \u2028'}


def test_an_exception_is_told_with_where_and_why_and_without_what_it_quotes(as_json, capsys):
    try:
        try:
            int("well played")
        except ValueError as error:
            raise KeyError(f"it's Anna <anna@example.org> /t/{TOKEN}") from error
    except KeyError:
        logging.getLogger("server.x").exception("it failed")
    (line,) = written(capsys)
    assert line["message"] == "it failed"
    assert line["trace"].count(f'  File "{__file__}", line ') == 2
    assert "ValueError: invalid literal for int() with base 10: '…'" in line["trace"]
    assert line["trace"].splitlines()[-1] == 'KeyError: "…"'


def test_what_ends_a_thread_and_what_python_warns_of_are_lines_too(as_json, capsys):
    def fail() -> None:
        raise OSError(5, f"no such page: /t/{TOKEN}")

    thread = threading.Thread(target=fail, name="faces")
    thread.start()
    thread.join()
    logging.getLogger("py.warnings").warning("%s", "old")
    ended, warned = written(capsys)
    assert ended["message"] == "the thread faces has ended"
    assert ended["trace"].endswith("OSError: [Errno 5] no such page: /t/…")
    assert warned["log"] == "py.warnings"


def test_what_matters_for_security_keeps_its_facts(as_json, capsys):
    SecurityLog().note(SecurityEvent.SIGNED_IN, "192.0.2.77", NOON, address="anna@example.org", player=7)
    assert written(capsys) == [
        {"at": "2026-03-02T12:00:00Z", "level": "info", "log": "security", "event": "signed-in"}
        | {"origin": "192.0.2.0/24", "player": 7, "address": "a…@example.org"}
    ]


@pytest.mark.parametrize(
    "line", ["to anna@example.org", "<anna.b+c@example.org>", "smtp://u:anna@example.org"]
)
def test_of_an_address_its_first_letter_and_domain_are_kept(line: str) -> None:
    assert mask_message(line) == re.sub(r"anna[\w.+]*@", "a…@", line)
    assert mask_message(mask_message(line)) == mask_message(line)
