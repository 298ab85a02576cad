"""The routes of the API.

They answer programs on any machine, and in any browser the pages of all other sites: nothing here rests on
a cookie or on where somebody is. Only who has a key is a player, and a page has no key that its user did not
give it. We never allow credentials: where a browser sent cookies along, no such page can read the answer.
"""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Flask, Response, request
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.keys import Purpose
from server.security_log import AttemptChannel
from server.store.refusals import Refusal
from server.web.api import callers, game_view
from server.web.api.game_view import FoundGame
from server.web.api.openapi import OF_GAME, OPERATIONS, SEAT, Operation, build_openapi
from server.web.api.problems import (
    API_PATH,
    DOCUMENT_PATH,
    ApiError,
    render_http_error,
    render_problem,
    render_refusal,
)
from server.web.api.schemas import LARGEST_ACT_NUMBER, ApiShape
from server.web.kit import errors
from server.web.kit.request_context import current_context

DEFAULT_CALLS_PER_MINUTE = 120
"""That one player, or one address without a key, may make within a minute."""
CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": "ETag, Retry-After, WWW-Authenticate",
    "Access-Control-Max-Age": "86400",
}
VARY_HEADERS = ("Authorization", "Accept-Language")
MOST_PAGES = 10_000
pages = Blueprint("api_routes", __name__)


def register(app: Flask) -> None:
    """Answer programs; `API_CALLS_PER_MINUTE` says how often."""
    app.config.setdefault(callers.API_CALLS_PER_MINUTE, DEFAULT_CALLS_PER_MINUTE)
    app.register_blueprint(pages)
    app.after_request(_allow_all_origins)
    errors.register_error_view(app, API_PATH, render_http_error)


def _allow_all_origins(response: Response) -> Response:
    """Let pages of all sites read our answers: see above. What is below our path and unknown is told too."""
    if request.path.startswith(API_PATH):
        response.headers.update(CORS_HEADERS)
        response.vary.update(VARY_HEADERS)
    return response


@pages.errorhandler(ApiError)
def _answer_api_error(wrong: ApiError) -> Response:
    errors.note_refusal(wrong, AttemptChannel.API)
    return render_problem(wrong)


@pages.errorhandler(Refusal)
def _answer_refusal(refusal: Refusal) -> Response:
    errors.note_refusal(refusal, AttemptChannel.API)
    return render_refusal(refusal)


@pages.get("/api/games")
def list_games() -> ResponseReturnValue:
    """The games of a player."""
    player = callers.require_player()
    page = _number_argument("page", 1, MOST_PAGES)
    with current_context().reading() as session:
        return _json_response(game_view.list_games(session, player, 1 if page is None else page))


@pages.get("/api/games/<game>")
def get_game(game: str) -> ResponseReturnValue:
    """A game as the caller may know it; nothing but 304 where they know that already."""
    found = game_view.find_game(callers.identify_caller(), game, _number_argument("seat", 0, 3))
    tag = version_tag(found)
    known = request.if_none_match.contains(tag)
    answer = Response(status=304) if known else _json_response(game_view.describe_game(found))
    answer.set_etag(tag)
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer


def version_tag(found: FoundGame) -> str:
    """The `ETag` of a game as the caller may know it: a keyed digest of what they are shown alone.

    The choices are left out, which take long to find: they follow from how the game stands for the caller.
    """
    shown = (
        game_view.describe_game(found, offered=False).model_dump_json(),
        current_locale().language,
        _document_text(),
    )
    return current_context().links.keys.digest(Purpose.TAG, repr(shown).encode()).hex()[:32]


@pages.get("/api/games/<game>/log")
def get_log(game: str) -> ResponseReturnValue:
    """What has happened, as the caller may know it."""
    player = callers.identify_caller()
    after = _number_argument("after", 0, LARGEST_ACT_NUMBER)
    found = game_view.find_game(player, game, _number_argument("seat", 0, 3))
    lines = "".join(f"{line}\n" for line in game_view.log_lines(found, after or 0))
    return Response(lines, content_type="application/jsonl")


def _answer(operation: Operation, **path: str) -> ResponseReturnValue:
    """Do an operation for the caller, as its parameters say."""
    player, given = callers.require_player(), list[object](path.values())
    if SEAT in operation.parameters:
        given.append(_number_argument("seat", 0, 3))
    if OF_GAME in operation.parameters:
        given.append(request.args.get("game"))
    assert operation.run is not None
    return _json_response(operation.run(player, *given))


for _one in OPERATIONS:
    if _one.run is not None:
        _rule = _one.path.replace("{", "<").replace("}", ">")
        pages.add_url_rule(_rule, _one.name, partial(_answer, _one), methods=[_one.method])


@pages.get(DOCUMENT_PATH)
def get_document() -> ResponseReturnValue:
    """The document that describes all this."""
    answer = Response(_document_text(), mimetype="application/json")
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


def _document_text() -> str:
    return build_openapi(current_context().settings.base_url, callers.calls_per_minute())


def _json_response(shape: ApiShape) -> Response:
    return Response(shape.model_dump_json(exclude_unset=True), mimetype="application/json")


def _number_argument(name: str, least: int, most: int) -> int | None:
    """A number in the address; None where there is none. Raises `ApiError`."""
    given = request.args.get(name)
    if given is None:
        return None
    if given.isascii() and given.isdigit() and len(given) <= 10 and least <= int(given) <= most:
        return int(given)
    sentence = gettext(
        "“%(name)s” must be a whole number from %(least)s to %(most)s.", name=name, least=least, most=most
    )
    raise ApiError(400, sentence)
