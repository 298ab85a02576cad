"""The host that a request names: nothing repeats it, and under another than ours there is no mailbox."""

import pytest
from werkzeug.test import create_environ, run_wsgi_app

from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from tests.server.desk import NOON, open_game, start_game
from tests.server.web.lobby.test_open_seat_pages import ANNA, organiser_link
from tests.server.web.site import site

FOREIGN = "http://evil.example"
MAILBOX = ("", "/newest", "/1", "/1/html", "/1/source", "/1/part/board.png", "/1/answer")


# --- the mailbox ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "127.9.9.9:1", "[::1]:8000", "LOCALHOST"])
def test_the_mailbox_is_shown_under_every_name_of_this_machine(place, game, host):
    assert place.visitor().client.get("/mailbox", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost.evil.example", "10.0.0.1", "127.0.0.1.nip.example"],
)
def test_under_another_name_it_shows_nothing_and_sends_nothing(place, game, host):
    client = place.visitor().client
    for page in MAILBOX:
        for answer in (client.get, client.post):
            shown = answer(f"/mailbox{page}", headers={"Host": host})
            assert shown.status_code in (405, 421)
            assert host not in shown.text
    shown = client.get("/mailbox", headers={"Host": host})
    assert "The mailbox is shown on this machine alone" in shown.text
    assert "anna@example.org" not in shown.text


@pytest.mark.parametrize(
    "host", ["", "[::1", "a b", "evil.example/localhost", "@localhost", "localhost,evil"]
)
def test_a_host_that_is_none_is_no_way_in(place, game, host):
    assert place.visitor().client.get("/mailbox", headers={"Host": host}).status_code in (400, 421)


# --- redirects and errors -------------------------------------------------------------------------------


def pages(place) -> list[str]:
    game = start_game(place.context, "Anna", "Ben")
    token = place.token(game)
    paths = ["/", "//", "//new", "/t//x", f"//t/{token}", f"/t/{token}//settings", "//evil.example//new"]
    paths += ["/nowhere", "/me", "/signin", "/games", f"/t/{token}", f"/t/{token}?say=draw", f"/g/{game}"]
    paths += ["/mailbox", "/mailbox/", "/healthz", "/rules", "/help", "/api/openapi.json", "/api/games/x"]
    return [*paths, organiser_link(place, game)]


def test_no_answer_repeats_the_host_that_a_request_names(place):
    client, statuses = place.visitor().client, set()
    for path in pages(place):
        for method in ("GET", "POST", "DELETE"):
            answer = client.open(path, method=method, base_url=FOREIGN)
            said = f"{answer.headers}\n{answer.text}".replace("//evil.example//new", "")
            assert "http://evil" not in said, (method, path)
            location = answer.headers.get("Location", "/")
            assert location.startswith("/"), (method, path)
            assert not location.startswith("//"), (method, path)
            statuses.add(answer.status_code)
    assert {200, 303, 308, 404, 405} <= statuses


def test_doubled_slashes_lead_on_below_the_path_of_the_server(tmp_path):
    place = site(tmp_path, ALEXANDROS_BASE_URL="https://example.org/games")
    answer = place.visitor().client.get("/api//openapi.json?x=1", base_url=FOREIGN)
    assert (answer.status_code, answer.headers["Location"]) == (308, "/games/api/openapi.json?x=1")


def test_the_link_to_watch_a_game_names_our_own_host(tmp_path):
    place = site(tmp_path, ALEXANDROS_BASE_URL="https://example.org/games")
    requests = [ANNA, SeatRequest("", None)]
    game = open_game(
        place.context,
        "Friday",
        requests,
        NOON,
        organiser="anna@example.org",
        at_once=True,
        terms=GameTerms(watched=True),
    )
    shown = place.visitor().client.get(organiser_link(place, game), base_url=FOREIGN).text
    assert f"https://example.org/games/g/{game}<" in shown
    assert "evil" not in shown


# --- by https alone -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ALEXANDROS_BASE_URL": "https://example.org"}, None),
        ({"ALEXANDROS_BASE_URL": "https://example.org", "ALEXANDROS_HSTS": "31536000"}, "max-age=31536000"),
        ({"ALEXANDROS_BASE_URL": "http://example.org", "ALEXANDROS_HSTS": "31536000"}, None),
    ],
)
def test_browsers_are_told_to_come_by_https_alone_where_it_is_set(tmp_path, given, said):
    client = site(tmp_path, **given).visitor().client
    for path in ("/", "/nowhere", "/healthz", "//new", "/api/games/x"):
        assert client.get(path).headers.get("Strict-Transport-Security") == said


# --- names that are none --------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["a" * 64, "a" * 64 + ".example", "a..b", "xn--" + "a" * 70, "x" * 300])
def test_what_cannot_be_the_name_of_a_host_is_refused_on_every_page(place, host):
    environ = create_environ("/new")
    environ["HTTP_HOST"] = host
    words, status, _ = run_wsgi_app(place.app, environ)
    assert status == "400 BAD REQUEST"
    assert b"".join(words) == b"The request names no host that there could be.\n"


@pytest.mark.parametrize(
    "host", ["", "a" * 63, "localhost:8000", "[::1]:8000", "xn--bcher-kva.example", "a.example."]
)
def test_names_that_hosts_have_are_served(place, host):
    environ = create_environ("/new")
    environ["HTTP_HOST"] = host
    assert run_wsgi_app(place.app, environ)[1] == "200 OK"
