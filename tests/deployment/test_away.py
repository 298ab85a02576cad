"""While no machine of ours answers, nginx and Caddy tell visitors so, in words of ours, and log no ticket."""

import re
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPMessage
from pathlib import Path
from threading import Thread

import pytest
from lxml import html

from tests.breadth import first
from tests.deployment.web_servers import AWAY, WebServer, caddy, line_to, nginx
from tests.ports import free_ports
from tests.post.town import PATIENCE

SERVERS = pytest.mark.parametrize("server", first(1, [nginx, caddy]))
TICKET = "a2b3c4d5" * 5
PAGE = AWAY.read_text("utf-8")


def ask(front: int, tls: bool, method: str) -> tuple[int, str, HTTPMessage]:
    """What is answered to whoever asks for the page of a seat."""
    with closing(line_to(front, tls)) as line:
        line.request(method, f"/t/{TICKET}", b"nonce=x" if method == "POST" else None)
        answer = line.getresponse()
        return answer.status, answer.read().decode(), answer.headers


@contextmanager
def answering(said: bytes) -> Iterator[int]:
    """The port of a machine that says this to each who asks, or nothing at all."""
    with socket.create_server(("127.0.0.1", 0)) as house:
        lines: list[socket.socket] = []

        def answer() -> None:
            while True:
                try:
                    line, _ = house.accept()
                except OSError:
                    return
                lines.append(line)
                if said:
                    line.recv(65536)
                    line.sendall(said)

        thread = Thread(target=answer, daemon=True)
        thread.start()
        yield house.getsockname()[1]
        house.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE)
        for line in lines:
            line.close()


def logged(folder: Path) -> str:
    files = [file for file in folder.iterdir() if file.suffix in (".log", ".said")]
    assert files
    return "".join(file.read_text("utf-8", "replace") for file in files)


@SERVERS
def test_a_visitor_is_told_so_and_the_log_has_no_ticket(server: WebServer, tmp_path: Path) -> None:
    with server(tmp_path, free_ports(2)) as (front, tls):
        for method in ("GET", "POST", "HEAD"):
            status, page, headers = ask(front, tls, method)
            assert status in (502, 503, 504)
            assert page == ("" if method == "HEAD" else PAGE)
            assert headers["Content-Type"].startswith("text/html")
            assert (headers["Cache-Control"], headers["Retry-After"]) == ("no-store", "60")
    assert TICKET not in logged(tmp_path)


@pytest.mark.breadth
def test_so_they_are_where_the_pages_take_too_long(tmp_path: Path) -> None:
    with (
        answering(b"") as port,
        nginx(tmp_path, [port], **{"proxy_read_timeout 60s": "proxy_read_timeout 1s"}) as (front, tls),
    ):
        status, page, _ = ask(front, tls, "GET")
    assert (status, page) == (504, PAGE)
    assert TICKET not in logged(tmp_path)


@SERVERS
def test_what_the_pages_say_themselves_goes_as_it_is(server: WebServer, tmp_path: Path) -> None:
    said = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\nConnection: close\r\n\r\nours"
    with answering(said) as port, server(tmp_path, [port]) as (front, tls):
        assert ask(front, tls, "GET")[:2] == (503, "ours")


def test_the_page_needs_nothing_else_and_says_in_both_languages_what_can_be_done() -> None:
    page = html.fromstring(PAGE)
    assert not page.xpath("//script | //link | //img | //form | //@src | //@onclick")
    assert set(page.xpath("//@href")) == {""}
    words = re.sub(r"\s+", " ", page.text_content())
    for sentence in (
        "Nothing of your game is lost",
        "Er is niets van je spel verloren",
        "You can also answer the last mail of your game",
        "Je kunt ook de laatste mail van je spel beantwoorden",
    ):
        assert sentence in words
    assert page.xpath("count(//a[ancestor::*[@lang][1]/@lang='nl'])") == 1
