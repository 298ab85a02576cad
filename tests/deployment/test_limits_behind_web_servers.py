"""A flood of one network at nginx or Caddy, set up by the files of config/, is held and blocks no other."""

import time
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from server.app import create_app
from server.connections import THREADS, create_web_server
from server.network import Endpoint, read_networks
from tests.attacks.test_forged_visitor import MOST_SIGN_INS, House, sign_ins_allowed
from tests.deployment.web_servers import WebServer, caddy, line_to, nginx
from tests.ports import free_port
from tests.server.desk import desk
from tests.server.test_connections import CountedQueue, Slow, listening, running
from tests.server.test_serving import PATIENCE

pytestmark = pytest.mark.breadth

CROWD, HONEST = "127.0.5.1", "127.0.6.1"


def ask(line: HTTPConnection) -> int:
    line.request("GET", "/")
    answer = line.getresponse()
    answer.read()
    return answer.status


def test_nginx_holds_the_requests_of_one_network(tmp_path: Path) -> None:
    with listening() as ours, nginx(tmp_path, [ours]) as (port, _), ExitStack() as stack:
        crowd, honest = (stack.enter_context(closing(line_to(port, True, one))) for one in (CROWD, HONEST))
        began = time.monotonic()
        answers = [ask(crowd) for _ in range(400)]
        refilled = 20 * (time.monotonic() - began)
        assert ask(honest) == 200
    assert 200 <= answers.count(200) <= 202 + refilled
    assert answers.count(429) == 400 - answers.count(200)


def test_nginx_holds_the_connections_of_one_network(tmp_path: Path) -> None:
    application = Slow()
    with listening(application) as ours, nginx(tmp_path, [ours]) as (port, _), ExitStack() as stack:
        lines = [stack.enter_context(closing(line_to(port, True, one))) for one in [CROWD] * 120 + [HONEST]]
        for line in lines:
            line.request("GET", "/")
        application.released.set()
        answers = [line.getresponse().status for line in lines]
    assert answers.count(429) == 20
    assert answers.count(200) == 121 - answers.count(429)
    assert answers[-1] == 200


def test_behind_caddy_the_server_answers_a_visitor_before_the_crowd_of_another_network(
    tmp_path: Path,
) -> None:
    """Caddy without plug-ins limits nobody, and says who asks."""
    served: list[str] = []
    application, waiting, ours = Slow(), CountedQueue(), free_port()

    def noting(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        found = application(environ, start_response)
        served.append(environ["HTTP_X_FORWARDED_FOR"])
        return found

    trusted = read_networks("127.0.0.1")
    server = create_web_server(noting, Endpoint("127.0.0.1", ours), 1000, trusted=trusted)
    server.task_dispatcher.queue = waiting
    with running(server, server.map, ours), caddy(tmp_path, [ours]) as (port, _), ExitStack() as stack:
        lines = [stack.enter_context(closing(line_to(port, False, one))) for one in [CROWD] * 100 + [HONEST]]
        for number, line in enumerate(lines):
            if number == 100:
                assert all(waiting.added.acquire(timeout=PATIENCE) for _ in range(100))
            line.request("GET", "/")
        assert waiting.added.acquire(timeout=PATIENCE)
        application.released.set()
        assert {line.getresponse().status for line in lines} == {200}
    assert set(served) == {CROWD, HONEST}
    assert HONEST in served[: 2 * THREADS + 1]


@pytest.mark.parametrize("server", [nginx, caddy])
def test_a_visitor_who_makes_up_addresses_is_one_visitor(server: WebServer, tmp_path: Path) -> None:
    scheme = "https" if server is nginx else "http"
    context = desk(
        tmp_path,
        ALEXANDROS_TRUSTED_PROXIES="127.0.0.1",
        ALEXANDROS_BASE_URL=f"{scheme}://alexandros.example.org",
    )
    with listening(create_app(context)) as ours, server(tmp_path, [ours]) as (port, tls):
        assert sign_ins_allowed(House(port, tls, str, lambda: None), 2) == MOST_SIGN_INS
