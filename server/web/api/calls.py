"""The addresses of the API.

They answer programs on any machine, and in any browser the pages of all other sites: nothing here rests on
a cookie or on where somebody is. Only who has a key is a player, and a page has no key that its user did not
give it. We never allow credentials: where a browser sent cookies along, no such page can read the answer.
"""

from __future__ import annotations

import hashlib

from flask import Blueprint, Flask, Response, request
from flask.typing import ResponseReturnValue

from emails.i18n import say, spoken
from server.web.api import act_request, callers, game_view
from server.web.api.document import document
from server.web.api.event_shapes import Shape
from server.web.api.problems import DOCUMENT, PATH, Wrong, refuse, refuse_known
from server.web.api.shapes import MOST_ACTS
from server.web.kit import errors
from server.web.kit.request_context import office

CALLS = 120
"""That one player, or one address without a key, may make within a minute."""
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": "ETag, Retry-After, WWW-Authenticate",
    "Access-Control-Max-Age": "86400",
}
VARYING = ("Authorization", "Accept-Language")
MOST_PAGES = 10_000
pages = Blueprint("calls", __name__)


def register(app: Flask) -> None:
    """Answer programs; `API_CALLS_PER_MINUTE` says how often."""
    app.config.setdefault(callers.PER_MINUTE, CALLS)
    app.register_blueprint(pages)
    app.after_request(_open)
    errors.shown_by(app, PATH, refuse_known)


def _open(response: Response) -> Response:
    """Let pages of all sites read our answers: see above. What is below our path and unknown is told too."""
    if request.path.startswith(PATH):
        response.headers.update(OPEN)
        response.vary.update(VARYING)
    return response


@pages.errorhandler(Wrong)
def _refused(wrong: Wrong) -> Response:
    return refuse(wrong)


@pages.get("/api/games")
def games() -> ResponseReturnValue:
    """The games of a player."""
    player = callers.player()
    page = _number("page", 1, MOST_PAGES)
    with office().reading() as session:
        return _answer(game_view.games(session, player, 1 if page is None else page))


@pages.get("/api/games/<game>")
def game(game: str) -> ResponseReturnValue:
    """A game as the caller may know it; nothing but 304 where he knows that already."""
    found = game_view.look(callers.anybody().player, game, _number("seat", 0, 3))
    seen = (
        found.game.id,
        found.history.digest,
        found.game.deadline,
        found.players,
        found.me,
        spoken().language,
        _described(),
    )
    tag = hashlib.sha256(repr(seen).encode()).hexdigest()[:32]
    known = request.if_none_match.contains(tag)
    answer = Response(status=304) if known else _answer(game_view.shown(found))
    answer.set_etag(tag)
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer


@pages.get("/api/games/<game>/log")
def log(game: str) -> ResponseReturnValue:
    """What has happened, as the caller may know it."""
    player = callers.anybody().player
    after = _number("after", 0, MOST_ACTS)
    found = game_view.look(player, game, _number("seat", 0, 3))
    lines = "".join(f"{line}\n" for line in game_view.log(found, after or 0))
    return Response(lines, content_type="application/jsonl")


@pages.post("/api/games/<game>/acts")
def act(game: str) -> ResponseReturnValue:
    """Do what the caller says, or tell what it would do."""
    return _answer(act_request.act(callers.player(), game, act_request.sent()))


@pages.get(DOCUMENT)
def described() -> ResponseReturnValue:
    """The document that describes all this."""
    answer = Response(_described(), mimetype="application/json")
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


def _described() -> str:
    return document(office().settings.base_url, callers.most())


def _answer(shape: Shape) -> Response:
    return Response(shape.model_dump_json(exclude_unset=True), mimetype="application/json")


def _number(name: str, least: int, most: int) -> int | None:
    """A number in the address; None where there is none. Raises `Wrong`."""
    given = request.args.get(name)
    if given is None:
        return None
    if given.isascii() and given.isdigit() and len(given) <= 10 and least <= int(given) <= most:
        return int(given)
    sentence = say(
        "“%(name)s” must be a whole number from %(least)s to %(most)s.", name=name, least=least, most=most
    )
    raise Wrong(400, sentence)
