"""What programs send wrongly: each thing is refused in one sentence, as a document, and nothing is done."""

import json

import pytest
from werkzeug.test import EnvironBuilder, TestResponse, run_wsgi_app
from werkzeug.wrappers import Request

from server.store.event_log import History
from tests.breadth import first
from tests.server.web.bots import bots, deal_lyre, problem

GOOD = '{"after": 2, "lines": ["draw"]}'
BAD = {
    "nothing": "",
    "no JSON": "choose lyre",
    "no object": "[1]",
    "a number": "17",
    "null": "null",
    "cut short": GOOD[:-1],
    "two": GOOD * 2,
    "a key twice": '{"after": 2, "after": 3, "lines": ["draw"]}',
    "not a number": '{"after": NaN, "lines": ["draw"]}',
    "infinite": '{"after": -Infinity, "lines": ["draw"]}',
    "a huge number": '{"after": 1' + "0" * 5000 + ', "lines": ["draw"]}',
    "a large number": '{"after": 99999999999999999999, "lines": ["draw"]}',
    "a negative number": '{"after": -1, "lines": ["draw"]}',
    "a fraction": '{"after": 2.5, "lines": ["draw"]}',
    "a text for a number": '{"after": "2", "lines": ["draw"]}',
    "true for a number": '{"after": true, "lines": ["draw"]}',
    "no after": '{"lines": ["draw"]}',
    "no lines": '{"after": 2}',
    "empty lines": '{"after": 2, "lines": []}',
    "too many lines": json.dumps({"after": 2, "lines": ["draw"] * 21}),
    "a long line": json.dumps({"after": 2, "lines": ["draw " * 500]}),
    "lines that are text": '{"after": 2, "lines": "draw"}',
    "lines that are none": '{"after": 2, "lines": [["draw"]]}',
    "half a character": '{"after": 2, "lines": ["draw \\ud800"]}',
    "half a character in a key": '{"after": 2, "lines": ["draw"], "\\udfff": 1}',
    "an unknown key": '{"after": 2, "lines": ["draw"], "previw": true}',
    "preview as text": '{"after": 2, "lines": ["draw"], "preview": "yes"}',
    "a seat too far": '{"after": 2, "lines": ["draw"], "seat": 4}',
    "deep lists": "[" * 30_000,
    "deep lines": '{"after": 2, "lines": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "deep objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "UTF-16": GOOD.encode("utf-16"),
    "no UTF-8": b'{"after": 2, "lines": ["draw \xff"]}',
    "a mark before it": b"\xef\xbb\xbf" + GOOD.encode(),
}  # fmt: skip


@pytest.mark.parametrize("body", first(14, BAD.values()), ids=BAD)
def test_a_body_that_is_not_as_described_is_refused_in_a_sentence(place, body):
    game = deal_lyre(place)
    first, _ = bots(place, game)
    stored = place.stored()
    assert len(problem(first.send(game, body), 400)["detail"]) < 200
    assert place.stored() == stored


LINES = [
    "draw \0",
    "\x1b[2J",
    "march " + "A3-" * 600,
    "é" * 2000,
    "“" * 50,
    "<script>",
    "draw" * 400,
    "\u202edraw",
    "%(word)s",
    "{}",
]


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_line_that_nobody_can_read_is_refused_in_a_sentence(place, line):
    game = deal_lyre(place)
    first, _ = bots(place, game)
    stored = place.stored()
    for preview in (True, False):
        refused = problem(first.act(game, line, preview=preview), 422)
        assert len(refused["detail"]) < 300
        assert len(refused["line"]) <= 200
    assert place.stored() == stored


def test_only_json_of_a_modest_size_is_read(place):
    game = deal_lyre(place)
    first, _ = bots(place, game)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"):
        assert problem(first.send(game, GOOD, kind), 415)
    large = json.dumps({"after": 2, "lines": ["draw"]}) + " " * 70_000
    assert problem(first.send(game, large), 413)
    assert problem(first.send(game, GOOD, "application/json; charset=utf-8"), 422)["rule"] == "3.1"
    assert problem(first.send(game, GOOD.replace("2", "2.0")), 422)["rule"] == "3.1"


def test_a_body_without_a_length_is_an_empty_one(place):
    game = deal_lyre(place)
    first, _ = bots(place, game)
    given = EnvironBuilder(
        f"/api/games/{game}/acts",
        method="POST",
        data=GOOD,
        content_type="application/json",
        headers=first.headers(),
    ).get_environ()
    del given["CONTENT_LENGTH"]
    assert problem(TestResponse(*run_wsgi_app(place.app, given), Request(given)), 400)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "POST", "QUERY"])
def test_what_nobody_serves_is_refused_as_a_document_too(place, method):
    client = place.app.test_client()
    refused = client.open("/api/games", method=method)
    assert problem(refused, 405)
    assert "GET" in refused.headers["Allow"]
    for path in ("/api/", "/api/nothing", "/api/games/aaaaaaaa/"):
        assert problem(client.open(path, method=method), 404)
    assert client.get("/apix").content_type.startswith("text/html")


def test_a_game_that_was_tampered_with_is_our_fault_and_no_page(place, caplog):
    game = deal_lyre(place)
    first, _ = bots(place, game)
    with place.context.writing() as session:
        session.connection().exec_driver_sql("UPDATE act SET said = 'x' WHERE seq = 1")
        session.commit()
    place.context.history_cache.put(game, History())
    assert problem(first.get(f"games/{game}"), 500)
    assert game in caplog.text
