"""What every answer tells the browser, the host that a request names, and pages for what goes wrong."""

import logging
import re
from itertools import islice

import pytest
from werkzeug.test import create_environ, run_wsgi_app

from server.web.kit import assets
from tests.server.web.lobby.test_open_seat_pages import organiser_link
from tests.server.web.site import site
from tests.server.web.tour import Tour


def test_no_page_is_kept_found_or_framed_and_none_tells_where_it_came_from(place, game):
    links = place.link(game), place.link(game, "march Troy")
    for link in ("/", "/new", "/mailbox", "/healthz", "/nowhere", *links):
        headers = place.visitor().client.get(link).headers
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Robots-Tag"] == "noindex, nofollow"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


def test_static_files_are_there_and_named_anew_when_they_change(place):
    page = place.visitor().get("/").page
    for link in page.xpath("//link/@href | //script/@src | //img/@src"):
        assert str(link).startswith(f"/assets/{assets.assets_version()}/")
        with place.visitor().client.get(str(link)) as answer:
            assert answer.status_code == 200
            assert "immutable" in answer.headers["Cache-Control"]


def test_a_file_of_an_old_version_is_there_but_not_kept(place):
    with place.visitor().client.get("/assets/0123456789/style.css") as answer:
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"
    assert place.visitor().get("/assets/0123456789/style/frame.css").status == 404
    assert place.visitor().get("/assets/0123456789/../app.py").status == 404


@pytest.mark.parametrize("face", ["bold", "italic"])
def test_the_faces_come_with_the_files_of_one_version(place, face):
    with place.visitor().client.get(f"/assets/{assets.assets_version()}/{face}.woff2") as answer:
        assert answer.status_code == 200
        assert answer.mimetype == "font/woff2"
        assert "immutable" in answer.headers["Cache-Control"]
    assert f'url("{face}.woff2")' in assets.build_style_sheet("style.css")


def test_what_scripts_and_styles_say_to_their_readers_alone_is_not_served(place):
    for file in (one for one in assets.asset_files().values() if one.suffix == ".js"):
        written = file.read_text("utf-8")
        with place.visitor().client.get(f"/assets/{assets.assets_version()}/{file.name}") as answer:
            served = answer.get_data(as_text=True)
        assert answer.mimetype == "text/javascript"
        assert not re.search(r"^(\s|//|/\*\*)", served, re.MULTILINE)
        assert len(served) > len(written) / 2
    assert "/*" not in assets.build_style_sheet("style.css")
    assert place.visitor().get(f"/assets/{assets.assets_version()}/nothing.js").status == 404


def test_what_is_not_there_and_what_cannot_be_asked_so(place):
    visitor = place.visitor()
    assert visitor.get("/nowhere").title == "There is nothing here"
    answer = visitor.client.post("/")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
    assert visitor.client.delete("/new").status_code == 405


def test_an_error_of_ours_is_a_sentence_without_its_inside(place, game, monkeypatch, caplog):
    link = place.link(game)
    monkeypatch.setattr("server.web.game.ticket_pages.load_ticket", lambda _: 1 // 0)
    with caplog.at_level(logging.CRITICAL, "server.web"):
        visitor = place.visitor().get(link)
    assert (visitor.status, visitor.title) == (500, "Something went wrong here")
    inside = ("Traceback", "sqlite", "server/web", "division")
    assert not [word for word in inside if word in visitor.answer.text]


def test_a_game_that_was_tampered_with_is_not_shown(place, game, caplog):
    link = place.link(game)
    place.context.tamper(game)
    with caplog.at_level(logging.CRITICAL, "server.web"):
        assert place.visitor().get(link).status == 500


@pytest.mark.parametrize(
    ("scheme", "cookie", "path"),
    [("http", "alexandros=", "Path=/games"), ("https", "__Host-alexandros.games=", "Path=/")],
)
def test_pages_under_a_path_of_their_own(tmp_path, scheme, cookie, path):
    place = site(tmp_path, ALEXANDROS_BASE_URL=f"{scheme}://example.org/games")
    for asked in ("/games/new", "/new"):
        visitor = place.visitor().get(asked)
        assert visitor.title == "A new game"
        assert visitor.form("//main//form")[1] == "/games/new"
        assert visitor.links("//a[@class='home']")[0][1] == "/games/"
        said = visitor.answer.headers["Set-Cookie"].split("; ")
        assert said[0].startswith(cookie)
        assert path in said


FOREIGN = "http://evil.example"


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "127.9.9.9:1", "[::1]:8000", "LOCALHOST"])
def test_the_mailbox_is_shown_under_every_name_of_this_machine(place, game, host):
    assert place.visitor().client.get("/mailbox", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["", "[::1", "a b", "evil.example/localhost", "@localhost", "localhost,evil"]
)
def test_a_host_that_is_none_is_no_way_in(place, game, host):
    assert place.visitor().client.get("/mailbox", headers={"Host": host}).status_code in (400, 421)


def test_no_answer_repeats_the_host_that_a_request_names(place, game):
    client, statuses, token = place.visitor().client, set(), place.token(game)
    paths = ["/", "//", "//new", "/t//x", f"//t/{token}", f"/t/{token}//settings", "//evil.example//new"]
    paths += ["/nowhere", "/me", "/signin", "/games", f"/t/{token}", f"/t/{token}?say=draw", f"/g/{game}"]
    paths += ["/mailbox", "/mailbox/", "/healthz", "/rules", "/help", "/api/openapi.json", "/api/games/x"]
    for path in (*paths, organiser_link(place, game)):
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


@pytest.mark.breadth
def test_every_form_leads_below_the_path_of_the_server(tmp_path):
    tour = Tour(site(tmp_path, ALEXANDROS_BASE_URL="http://example.org/games"), "en")
    for name, page in islice(tour.pages(), 120):  # those after need cookies, which belong to the path
        for action in page.xpath("//form[@method='post']/@action"):
            assert str(action).startswith(("/games/", "?")), name


def test_a_press_without_a_token_leaves_no_trace(place, game):
    link = place.link(game)
    place.context.resign(game, place.row(game).seat, "web")
    neighbour = {"Sec-Fetch-Site": "cross-site"}
    answer = place.visitor().client.post(f"{link}/resign", headers=neighbour)
    assert answer.status_code in (303, 400)
    assert "Set-Cookie" not in answer.headers
