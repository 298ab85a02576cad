"""What every answer tells the browser, and the pages for what goes wrong."""

import logging
import re

import pytest

from server.web.kit import assets
from tests.server.desk import start_game
from tests.server.web.site import site

SECRETS = ("Traceback", "sqlite", "server/web")


def pages(place) -> list[str]:
    game = start_game(place.context, "Anna", "Ben")
    return ["/", "/new", "/mailbox", "/healthz", "/nowhere", place.link(game), place.link(game, "march Troy")]


def test_no_page_is_kept_found_or_framed_and_none_tells_where_it_came_from(place):
    for link in pages(place):
        headers = place.visitor().client.get(link).headers
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Robots-Tag"] == "noindex, nofollow"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


def test_no_page_has_script_or_style_of_its_own_or_asks_strangers(place):
    visitor = place.visitor()
    for link in pages(place):
        page = visitor.get(link).page
        assert not page.xpath("//*[@style] | //style | //script[not(@src)]")
        assert not [name for element in page.iter() for name in element.attrib if name.startswith("on")]
        sources = page.xpath("//@src | //link/@href | //form/@action")
        assert all(str(one).startswith("/") for one in sources), sources


def test_every_field_has_a_label_every_picture_a_name_every_page_one_heading(place):
    visitor = place.visitor()
    for link in pages(place):
        page = visitor.get(link).page
        if link == "/healthz":
            continue
        assert page.xpath("string(/html/@lang)") == "en"
        assert len(page.xpath("//h1")) == 1
        assert not page.xpath("//img[not(@alt)]")
        ids = page.xpath("//@id")
        assert len(ids) == len(set(ids)), "an id stands twice"
        for entry in page.xpath("//input[not(@type='hidden')] | //select | //textarea"):
            named = page.xpath("//label[@for=$id]", id=entry.get("id") or "?")
            assert named or entry.xpath("ancestor::label"), entry.get("name")
        assert not page.xpath("//table//tr[1]/*[not(self::th)]/parent::tr[not(th)]")


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


def test_too_much_is_refused(place):
    visitor = place.visitor()
    visitor._show(visitor.client.post("/new", data={"name": "x" * 70_000}))
    assert (visitor.status, visitor.title) == (413, "That is too much")


def test_an_error_of_ours_is_a_sentence_without_its_inside(place, monkeypatch, caplog):
    game = start_game(place.context, "Anna", "Ben")
    link = place.link(game)
    monkeypatch.setattr("server.web.game.ticket_pages.load_ticket", lambda _: 1 // 0)
    with caplog.at_level(logging.CRITICAL, "server.web"):
        visitor = place.visitor().get(link)
    assert (visitor.status, visitor.title) == (500, "Something went wrong here")
    assert not [word for word in (*SECRETS, "division") if word in visitor.answer.text]


def test_a_game_that_was_tampered_with_is_not_shown(place, caplog):
    from sqlalchemy import update

    from server.store.event_log import HistoryCache
    from server.store.models import Act

    game = start_game(place.context, "Anna", "Ben")
    link = place.link(game)
    with place.context.writing() as session:
        session.execute(update(Act).values(said="something else"))
        session.commit()
    place.context.history_cache = HistoryCache()
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
