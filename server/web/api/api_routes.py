"""The routes of the API, authentication of callers by keys, and their limits.

The API answers programs and the pages of all sites, so it ignores cookies: only a key identifies a player,
and a page has no key that its user did not give it. CORS credentials are never allowed.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from flask import Blueprint, Flask, Response, current_app, request
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.tokens import Purpose
from server.accounts import sign_in
from server.security_log import AttemptChannel
from server.store.refusals import Refusal
from server.store.stored_availability import load_zone
from server.web.api import game_view
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
from server.web.kit import errors, locale, visitors
from server.web.kit.request_context import current_context, now

API_CALLS_PER_MINUTE = "API_CALLS_PER_MINUTE"
MINUTE = timedelta(minutes=1)
BEARER_SCHEME = "bearer "
KEY_NEEDED = {"WWW-Authenticate": 'Bearer realm="alexandros"'}
KEY_INVALID = {"WWW-Authenticate": 'Bearer realm="alexandros", error="invalid_token"'}  # RFC 6750, section 3


def identify_caller() -> int | None:
    """Return the calling player; None without a key. Raises `ApiError` for a bad key or at the limit."""
    given = request.headers.get("Authorization")
    player = None if given is None else _authenticate_key(given)
    # Counted by player, so that more keys allow no more calls; without a valid key by network.
    who = visitors.visitor_network() if player is None else f"player {player}"
    if not visitors.allow_often(visitors.LimitedAction.API, calls_per_minute(), who, MINUTE):
        wait = visitors.retry_after(visitors.LimitedAction.API, who, MINUTE)
        raise ApiError(429, headers={"Retry-After": str(wait)})
    if given is not None and player is None:
        errors.note_refused_seal(Purpose.API, AttemptChannel.API)
        raise ApiError(401, gettext("This key is not one of ours, or it was ended."), headers=KEY_INVALID)
    return player


def require_player() -> int:
    """Return the calling player. Raises `ApiError` without a valid key, or at the limit of calls."""
    found = identify_caller()
    if found is None:
        raise ApiError(401, headers=KEY_NEEDED)
    return found


def calls_per_minute() -> int:
    return int(current_app.config[API_CALLS_PER_MINUTE])


def _authenticate_key(given: str) -> int | None:
    if not given.lower().startswith(BEARER_SCHEME):
        return None
    key = given[len(BEARER_SCHEME) :].strip()
    with current_context().reading() as session:
        found = sign_in.player_with_key(session, key)
        if found is not None:
            locale.use_zone(load_zone(session, found))
    if found is not None:
        sign_in.note_key_use(current_context(), key, now())
    return found


DEFAULT_CALLS_PER_MINUTE = 120
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
    app.config.setdefault(API_CALLS_PER_MINUTE, DEFAULT_CALLS_PER_MINUTE)
    app.register_blueprint(pages)
    app.after_request(_allow_all_origins)
    errors.register_error_view(app, API_PATH, render_http_error)


def _allow_all_origins(response: Response) -> Response:
    """Allow pages of all sites to read the answers, also those to unknown paths of the API."""
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
    player = require_player()
    page = _number_argument("page", 1, MOST_PAGES)
    with current_context().reading() as session:
        return _json_response(game_view.list_games(session, player, 1 if page is None else page))


@pages.get("/api/games/<game>")
def get_game(game: str) -> ResponseReturnValue:
    """Return a game as the caller may see it, or 304 if their `ETag` is current."""
    found = game_view.find_game(identify_caller(), game, _number_argument("seat", 0, 3))
    tag = version_tag(found)
    known = request.if_none_match.contains(tag)
    answer = Response(status=304) if known else _json_response(game_view.describe_game(found))
    answer.set_etag(tag)
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer


def version_tag(found: FoundGame) -> str:
    """Return a keyed digest of what the caller may see, without the choices: they follow from the rest."""
    shown = (
        game_view.describe_game(found, offered=False).model_dump_json(),
        current_locale().language,
        _document_text(),
    )
    return current_context().links.keys.digest(Purpose.TAG, repr(shown).encode()).hex()[:32]


@pages.get("/api/games/<game>/log")
def get_log(game: str) -> ResponseReturnValue:
    player = identify_caller()
    after = _number_argument("after", 0, LARGEST_ACT_NUMBER)
    found = game_view.find_game(player, game, _number_argument("seat", 0, 3))
    lines = "".join(f"{line}\n" for line in game_view.log_lines(found, after or 0))
    return Response(lines, content_type="application/jsonl")


def _answer(operation: Operation, **path: str) -> ResponseReturnValue:
    player, given = require_player(), list[object](path.values())
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
    answer = Response(_document_text(), mimetype="application/json")
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


def _document_text() -> str:
    return build_openapi(current_context().settings.base_url, calls_per_minute())


def _json_response(shape: ApiShape) -> Response:
    return Response(shape.model_dump_json(exclude_unset=True), mimetype="application/json")


def _number_argument(name: str, least: int, most: int) -> int | None:
    """Return an integer of the query; None if it is missing. Raises `ApiError`."""
    given = request.args.get(name)
    if given is None:
        return None
    if given.isascii() and given.isdigit() and len(given) <= 10 and least <= int(given) <= most:
        return int(given)
    sentence = gettext(
        "“%(name)s” must be a whole number from %(least)s to %(most)s.", name=name, least=least, most=most
    )
    raise ApiError(400, sentence)
