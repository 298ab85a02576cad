"""A visitor who makes up where they come from, behind nginx and Caddy set up by the files of config/."""

import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from emails.replies.screening import LARGEST_ACCEPTED
from tests.deployment.web_servers import WebServer, caddy, nginx
from tests.ports import free_ports
from tests.server.test_serving import PATIENCE, alexandros, served, settings

pytestmark = pytest.mark.breadth

SETS_ADDRESS = "        proxy_set_header X-Forwarded-For $remote_addr;\n"
ADDS_ADDRESS = SETS_ADDRESS.replace("$remote_addr", "$proxy_add_x_forwarded_for")
MOST_SIGN_INS = 20
"""Links to sign in with that one visitor may ask for within an hour."""
HOSTS = {
    "Host": "evil.example",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "gopher",
    "X-Forwarded-Port": "666",
    "Forwarded": "for=198.51.100.1;host=evil.example;proto=gopher",
}
TOKEN = "/t/" + "a2b3c4d5" * 6


@dataclass
class Client:
    """A visitor at one of the addresses of this machine, who keeps cookies."""

    port: int
    tls: bool
    address: str
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        line = HTTPConnection("127.0.0.1", self.port)
        if self.tls:
            line = HTTPSConnection("127.0.0.1", self.port, context=ssl._create_unverified_context())
        line.timeout, line.source_address = PATIENCE, (self.address, 0)
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        line.request(method, path, body, {"Cookie": kept} | headers)
        answer = line.getresponse()
        page, told = answer.read().decode("utf-8", "replace"), answer.getheaders()
        line.close()
        for name, value in told:
            if name.lower() == "set-cookie":
                self.cookies.update([value.partition(";")[0].split("=", 1)])
        return answer.status, page, dict(told)

    def sign_in(self, address: str, **headers: str) -> int:
        page = self.ask("GET", "/signin", **headers)[1]
        nonce = re.search(r'name="nonce" value="([^"]+)"', page)
        assert nonce, page
        form = urlencode({"nonce": nonce[1], "address": address}).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", "/signin", form, **kind, **headers)[0]


@dataclass(frozen=True)
class House:
    port: int
    tls: bool
    logs: Callable[[], str]
    stop_ours: Callable[[], None]

    def visitor(self, number: int) -> Client:
        return Client(self.port, self.tls, f"127.0.{number}.1")


@contextmanager
def behind(server: WebServer, folder: Path, **changes: str) -> Iterator[House]:
    """Our server behind another with our file; `changes`: what is made wrong in it."""
    (ours,) = free_ports(1)
    with ExitStack() as stack:
        scheme = "https" if server is nginx else "http"
        stop = stack.enter_context(our_server(folder, ours, scheme))
        port, tls = stack.enter_context(server(folder, [ours], **changes))
        yield House(port, tls, lambda: logs_in(folder), stop)


@contextmanager
def our_server(folder: Path, port: int, scheme: str) -> Iterator[Callable[[], None]]:
    """A server of ours that trusts the web server before it; gives what stops it."""
    more = {"TRUSTED_PROXIES": "127.0.0.1", "MAIL_SECRET": "shared with the mail server"}
    given = settings(folder, port, BASE_URL=f"{scheme}://alexandros.example.org", **more)
    with alexandros("serve", folder=folder, environment=given) as process, ExitStack() as stack:
        served(process, f"http://127.0.0.1:{port}/healthz")
        stack.callback(process.terminate)

        def stop() -> None:
            process.terminate()
            process.communicate(timeout=PATIENCE)

        yield stop


def logs_in(folder: Path) -> str:
    """The log files of a web server, and what it writes to its output, as Caddy does with its log."""
    files = sorted([*folder.glob("*.log"), *folder.glob("*.said")])
    return "".join(file.read_text("utf-8", "replace") for file in files)


SET_UP = {
    "nginx": lambda folder: behind(nginx, folder),
    "nginx that adds": lambda folder: behind(nginx, folder, **{SETS_ADDRESS: ADDS_ADDRESS}),
    "Caddy": lambda folder: behind(caddy, folder),
}


@pytest.fixture(scope="module", params=SET_UP)
def house(request, tmp_path_factory) -> Iterator[House]:
    with SET_UP[request.param](tmp_path_factory.mktemp("house")) as built:
        yield built


def sign_ins_allowed(house: House, number: int) -> int:
    """How many of twice as many attempts pass, each with another address made up."""
    visitor = house.visitor(number)
    forged = [f"198.51.{attempt}.1" for attempt in range(2 * MOST_SIGN_INS)]
    made_up = [f"{one}, 203.0.{one.split('.')[2]}.7" if number % 2 else one for one in forged]
    heads = [{"X-Forwarded-For": one, "X-Real-IP": one, "Forwarded": f"for={one}"} for one in made_up]
    answers = [visitor.sign_in("anna@example.org", **one) for one in heads]
    assert set(answers) <= {303, 429}
    return answers.count(303)


def test_who_makes_up_an_address_is_counted_as_one_visitor(house, figure):
    allowed = [sign_ins_allowed(house, number) for number in (1, 2)]
    figure(f"sign-ins with made-up addresses, of {2 * MOST_SIGN_INS} each: {allowed} passed")
    assert allowed == [MOST_SIGN_INS] * 2


def test_no_host_that_a_visitor_makes_up_comes_back(house):
    visitor = house.visitor(3)
    for path in ("/", "//new", "/me", "/signin", "/nowhere", "/games"):
        for head in (HOSTS, {name: text for name, text in HOSTS.items() if name != "Host"}):
            status, page, told = visitor.ask("GET", path, **head)
            assert status < 500
            assert "evil.example" not in page + str(told)
            assert "gopher" not in page + str(told)
            assert told.get("Location", "/").startswith("/")


def test_the_figures_are_not_for_visitors(house):
    assert house.visitor(6).ask("GET", "/metrics")[0] == 404
    assert house.visitor(6).ask("GET", "/livez")[0] == 200


def test_a_mail_is_let_through_and_nothing_larger(house):
    visitor = house.visitor(4)
    assert visitor.ask("POST", "/mail", b"x" * LARGEST_ACCEPTED)[0] == 401
    with suppress(ConnectionError, ssl.SSLError):  # cut off while it was still sending
        assert visitor.ask("POST", "/mail", b"x" * (LARGEST_ACCEPTED + 300_000))[0] in (413, 502)


def ask_for_links(house: House) -> None:
    visitor = house.visitor(5)
    encoded = TOKEN.replace("/t/", "/%74/"), TOKEN.replace("/t/", "/t%2F"), TOKEN.replace("/t/", "//t/")
    for path in (TOKEN, f"{TOKEN}/settings?x=1", f"/signin?to={TOKEN}", TOKEN.replace("t", "x", 1), *encoded):
        assert visitor.ask("GET", path, Referer=f"https://alexandros.example.org{TOKEN}")[0] < 500
    house.stop_ours()
    assert visitor.ask("GET", TOKEN)[0] == 502


@pytest.mark.parametrize("name", SET_UP)
def test_no_link_is_kept_in_a_log_even_when_our_server_is_away(name, tmp_path):
    with SET_UP[name](tmp_path) as house:
        ask_for_links(house)
    logs = house.logs()  # whole, now that the web server has ended
    assert TOKEN.removeprefix("/t/") not in logs
    assert ('"GET /t/..." 502' if "nginx" in name else '"status":502') in logs, "it logs that somebody asked"


LINKS_KEPT = {
    "nginx's own form of a line": (nginx, {"alexandros.log masked;": "alexandros.log;"}),
    "errors of nginx": (nginx, {"alexandros.error.log crit;": "alexandros.error.log error;"}),
    "addresses in Caddy": (caddy, {"request>uri delete": ""}),
}


@pytest.mark.parametrize("name", LINKS_KEPT)
def test_control_a_file_without_that_keeps_links(name, tmp_path):
    server, changes = LINKS_KEPT[name]
    with behind(server, tmp_path, **changes) as house:
        ask_for_links(house)
    assert TOKEN.removeprefix("/t/") in house.logs()
