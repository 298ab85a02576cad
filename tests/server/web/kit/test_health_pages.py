"""Programs that watch the server, and who asks behind a web server: only monitors get the figures."""

import re

import pytest
from flask import request

from server.monitoring import HealthPart
from server.network import read_networks
from server.web.kit.request_context import find_visitor
from tests.breadth import first
from tests.paths import TOP
from tests.server.desk import NOON
from tests.server.web.site import site


def ask(place, path, address="127.0.0.1", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return place.app.test_client().get(path, environ_base={"REMOTE_ADDR": address}, headers=named)


def fail(place, *parts):
    place.context.health.add(dict.fromkeys(parts, lambda: False))


@pytest.mark.parametrize("path", ["/livez", "/healthz", "/readyz"])
def test_all_is_well(place, path):
    answer = ask(place, path)
    assert (answer.status_code, answer.text, answer.mimetype) == (200, "ok\n", "text/plain")
    assert answer.headers["Cache-Control"] == "no-store"


def test_what_fails_is_named_by_its_word_and_no_more_is_said(place):
    fail(place, HealthPart.RELAY, HealthPart.DISK)
    answer = ask(place, "/readyz", "192.0.2.77")
    assert (answer.status_code, answer.text) == (503, "disk\nrelay\n")


def test_whether_the_process_lives_has_nothing_to_do_with_its_parts(place):
    fail(place, HealthPart.DATABASE)
    place.context.database.dispose()
    place.context.database = None
    assert [ask(place, path).status_code for path in ("/livez", "/healthz")] == [200, 200]


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "[::1]:8000", "localhost", "10.0.0.5"])
def test_a_monitor_may_ask_by_any_name_of_the_machine(place, host):
    for path in ("/livez", "/healthz", "/readyz", "/metrics"):
        assert ask(place, path, Host=host).status_code == 200


MONITORS = [
    ("127.0.0.1, ::1", "127.0.0.1", 200),
    ("127.0.0.1, ::1", "::1", 200),
    ("127.0.0.1, ::1", "::ffff:127.0.0.1", 200),
    ("127.0.0.1, ::1", "192.0.2.77", 404),
    ("127.0.0.1, ::1", "", 404),
    ("192.0.2.0/24", "192.0.2.77", 200),
    ("192.0.2.0/24", "127.0.0.1", 404),
    ("none", "127.0.0.1", 404),
]


@pytest.mark.parametrize(("monitors", "address", "status"), first(5, MONITORS))
def test_the_figures_are_for_the_monitors_of_the_settings(tmp_path, monitors, address, status):
    assert ask(site(tmp_path, ALEXANDROS_MONITORS=monitors), "/metrics", address).status_code == status


@pytest.mark.parametrize(
    ("proxies", "forwarded", "status"),
    [
        ("none", "192.0.2.77", 404),
        ("none", "127.0.0.1", 404),
        ("127.0.0.1", "192.0.2.77", 404),
        ("127.0.0.1", "192.0.2.77, 127.0.0.1", 404),
        ("127.0.0.1", "127.0.0.1, 192.0.2.77", 404),
        ("127.0.0.1, 10.0.0.0/8", "10.0.0.7", 404),
        ("127.0.0.1", "unknown", 404),
    ],
)
def test_whoever_comes_through_a_proxy_is_no_monitor_for_its_sake(tmp_path, proxies, forwarded, status):
    place = site(tmp_path, ALEXANDROS_TRUSTED_PROXIES=proxies)
    assert ask(place, "/metrics", X_Forwarded_For=forwarded).status_code == status


def test_of_two_machines_the_first_may_read_the_figures_of_the_second(tmp_path):
    """As config/machines.md sets it, and config/monitoring/prometheus.yaml asks it."""
    words = (TOP / "config/machines.md").read_text("utf-8")
    [block] = [one for one in words.split("```") if "ALEXANDROS_TRUSTED_PROXIES=" in one]
    of_second = dict(re.findall(r"^(ALEXANDROS_\w+)=(\S+)$", block, re.MULTILINE))
    jobs = (TOP / "config/monitoring/prometheus.yaml").read_text("utf-8").partition("scrape_configs:")[2]
    targets = re.findall(r"targets: \[\"(.+?)\"\]", jobs)
    assert targets == ["127.0.0.1:8000", of_second["ALEXANDROS_LISTEN"]]
    place = site(tmp_path, **of_second)
    for machine, status in (("10.0.0.11", 200), ("10.0.0.13", 404)):
        assert ask(place, "/metrics", machine, Host=targets[1]).status_code == status


PUBLIC = "alexandros.example.org"


@pytest.mark.parametrize(
    ("host", "address", "forwarded", "status"),
    [
        (PUBLIC, "127.0.0.1", None, 404),
        (f"{PUBLIC.upper()}.:443", "::1", None, 404),
        (PUBLIC, "10.0.0.7", None, 404),
        ("[::1", "127.0.0.1", None, 200),
        (PUBLIC, "10.0.0.7", "192.0.2.77", 200),
        (PUBLIC, "192.0.2.77", None, 200),
        ("127.0.0.1:8000", "127.0.0.1", None, 200),
        ("localhost", "::1", None, 200),
    ],
)
def test_by_its_public_name_nobody_is_this_machine_itself(tmp_path, host, address, forwarded, status):
    """Whoever seems to be has come through a web server that does not say who asks."""
    place = site(
        tmp_path,
        ALEXANDROS_BASE_URL=f"https://{PUBLIC}/games",
        ALEXANDROS_TRUSTED_PROXIES="10.0.0.0/8",
        ALEXANDROS_MONITORS="127.0.0.1, ::1, 10.0.0.0/8, 192.0.2.0/24",
    )
    headers = {"Host": host} | ({"X_Forwarded_For": forwarded} if forwarded else {})
    assert ask(place, "/metrics", address, **headers).status_code == status


def test_to_others_it_is_as_if_there_were_nothing(place):
    nothing, figures = ask(place, "/metricz", "192.0.2.77"), ask(place, "/metrics", "192.0.2.77")
    assert figures.status_code == nothing.status_code == 404
    assert figures.text.replace("/metrics", "/metricz") == nothing.text


def test_the_figures_are_read_as_prometheus_reads_them(place):
    game = place.start_game("Anna", "Ben")
    answer = ask(place, "/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    figures = dict(line.rsplit(" ", 1) for line in lines)
    assert figures["alexandros_games_running"] == "1.0"
    assert figures["alexandros_letters_waiting"] == "2.0"
    assert float(figures["alexandros_letter_oldest_seconds"]) == (place.clock() - NOON).total_seconds()
    assert figures['alexandros_acts_total{by="server"}'] == "1.0"
    assert figures['alexandros_part_failing{part="database"}'] == "0.0"
    assert float(figures["alexandros_disk_free_bytes"]) != 0, "NaN where another machine has it"
    assert int(float(figures["process_open_fds"])) > 0
    for word in (game, *place.names(game), "example.org", "Friday"):
        assert word not in answer.text, word


def test_a_label_is_a_kind_and_never_somebody(place, game):
    labels = set(re.findall(r"(\w+)=\"", ask(place, "/metrics").text))
    assert labels <= set("by code fate kind le loop part role schema state table to version".split())


def test_figures_that_cannot_be_measured_keep_none_of_the_others(place):
    place.context.database.dispose()
    place.context.database = None
    answer = ask(place, "/metrics")
    assert answer.status_code == 200
    assert "alexandros_acts_total" in answer.text


TRUSTED = read_networks("127.0.0.1, ::1, 10.0.0.0/8")
PROXY, PEER = "127.0.0.1", "192.0.2.1"


@pytest.mark.parametrize(
    ("peer", "forwarded", "visitor"),
    [
        (PEER, "", PEER),
        (PEER, "203.0.113.9", PEER),
        ("2001:db8::1", "203.0.113.9", "2001:db8::1"),
        ("localhost", "203.0.113.9", "localhost"),
        ("", "203.0.113.9", ""),
        (PROXY, "", PROXY),
        (PROXY, "203.0.113.9", "203.0.113.9"),
        (PROXY, "2001:DB8::0:9", "2001:db8::9"),
        (PROXY, "203.0.113.9:4711", "203.0.113.9"),
        (PROXY, "[2001:db8::9]:4711", "2001:db8::9"),
        (PROXY, "[2001:db8::9]", "2001:db8::9"),
        (PROXY, "::ffff:203.0.113.9", "203.0.113.9"),
        ("::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("::1", "203.0.113.9", "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (PROXY, "what a visitor made up,203.0.113.9", "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9, 10.0.0.7", "203.0.113.9"),
        (PROXY, "198.51.100.1, 203.0.113.9 ,10.0.0.7,10.0.0.8", "203.0.113.9"),
        (PROXY, "203.0.113.9, unknown", PROXY),
        (PROXY, "203.0.113.9,", PROXY),
        (PROXY, "203.0.113.9, unknown, 10.0.0.7", PROXY),
        (PROXY, "10.0.0.7, 10.0.0.8", PROXY),
        (PROXY, "999.1.1.1", PROXY),
        (PROXY, ", " * 10_000, PROXY),
    ],
)
def test_the_visitor_is_the_first_from_the_right_that_is_no_trusted_proxy(peer, forwarded, visitor):
    assert find_visitor(peer, forwarded, TRUSTED) == visitor


def test_without_trusted_proxies_nobody_is_believed():
    assert find_visitor(PROXY, "203.0.113.9", ()) == PROXY


@pytest.mark.parametrize(("trusted", "visitor"), [("none", "127.0.0.1"), ("127.0.0.1", "203.0.113.9")])
def test_pages_see_the_visitor_and_nothing_else_that_is_forwarded(tmp_path, trusted, visitor):
    place = site(tmp_path, ALEXANDROS_TRUSTED_PROXIES=trusted)
    seen = []

    def look() -> None:
        names = [name for name in request.environ if "FORWARDED" in name or name == "HTTP_X_REAL_IP"]
        seen.append((request.remote_addr, request.host, request.scheme, names))

    place.app.before_request(look)
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Real-IP": "198.51.100.1"}
    forged |= {"X-Forwarded-Port": "1", "X-Forwarded-Prefix": "/evil", "Forwarded": "for=198.51.100.1"}
    place.visitor().client.get("/", headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.9", **forged})
    assert seen == [(visitor, "localhost", "http", [])]
