"""The routes of the API.

They answer programs on any machine, and in any browser the pages of all other sites: nothing here rests on
a cookie or on where somebody is. Only who has a key is a player, and a page has no key that its user did not
give it. We never allow credentials: where a browser sent cookies along, no such page can read the answer.
"""

from __future__ import annotations

from flask import Blueprint, Flask, Response, request
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.keys import Purpose
from server.security_log import AttemptChannel
from server.store.refusals import Refusal
from server.web.api import (
    act_request,
    advice_view,
    availability_request,
    callers,
    game_view,
    plan_request,
    reminder_request,
    vote_request,
)
from server.web.api.document import build_openapi
from server.web.api.event_shapes import ApiShape
from server.web.api.game_view import FoundGame
from server.web.api.problems import (
    API_PATH,
    DOCUMENT_PATH,
    ApiError,
    render_http_error,
    render_problem,
    render_refusal,
)
from server.web.api.shapes import LARGEST_ACT_NUMBER
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
    found = game_view.find_game(callers.identify_caller().player, game, _number_argument("seat", 0, 3))
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
    player = callers.identify_caller().player
    after = _number_argument("after", 0, LARGEST_ACT_NUMBER)
    found = game_view.find_game(player, game, _number_argument("seat", 0, 3))
    lines = "".join(f"{line}\n" for line in game_view.log_lines(found, after or 0))
    return Response(lines, content_type="application/jsonl")


@pages.get("/api/games/<game>/advice")
def get_advice(game: str) -> ResponseReturnValue:
    """A few good turns for the caller, whose turn it is."""
    seat = _number_argument("seat", 0, 3)
    return _json_response(advice_view.advise_player(callers.require_player(), game, seat))


@pages.post("/api/games/<game>/acts")
def post_acts(game: str) -> ResponseReturnValue:
    """Do what the caller says, or tell what it would do."""
    return _json_response(act_request.perform_acts(callers.require_player(), game))


@pages.post("/api/games/<game>/votes")
def post_vote(game: str) -> ResponseReturnValue:
    """Ask all players for something, or answer a vote."""
    return _json_response(vote_request.vote(callers.require_player(), game))


@pages.post("/api/games/<game>/back")
def post_back(game: str) -> ResponseReturnValue:
    """The caller is back: no caretaker keeps their seat any more."""
    return _json_response(
        vote_request.take_seat_back(callers.require_player(), game, _number_argument("seat", 0, 3))
    )


@pages.get("/api/games/<game>/plan")
def get_plan(game: str) -> ResponseReturnValue:
    """What the caller plans for their next turn."""
    seat = _number_argument("seat", 0, 3)
    return _json_response(plan_request.show_plan(callers.require_player(), game, seat))


@pages.post("/api/games/<game>/plan")
def post_plan(game: str) -> ResponseReturnValue:
    """Keep a plan of the caller, or withdraw it."""
    return _json_response(plan_request.change_plan(callers.require_player(), game))


@pages.get("/api/availability")
def get_availability() -> ResponseReturnValue:
    """When no time runs on the turns of the caller."""
    return _json_response(availability_request.show_availability(callers.require_player()))


@pages.post("/api/availability")
def post_availability() -> ResponseReturnValue:
    """Keep the zone, the hours of sleep and the days off of the caller."""
    return _json_response(availability_request.set_availability(callers.require_player()))


@pages.get("/api/reminders")
def get_reminders() -> ResponseReturnValue:
    """Whether the caller is reminded of their turns."""
    player = callers.require_player()
    return _json_response(reminder_request.show_reminders(player, request.args.get("game")))


@pages.post("/api/reminders")
def post_reminders() -> ResponseReturnValue:
    """Keep whether the caller wants reminders."""
    return _json_response(reminder_request.set_reminders(callers.require_player()))


@pages.post("/api/vacations")
def post_vacation() -> ResponseReturnValue:
    """Note that the caller is away."""
    return _json_response(availability_request.take_days(callers.require_player()))


@pages.post("/api/vacations/end")
def post_vacation_end() -> ResponseReturnValue:
    """Note that the caller is back, or not away after all."""
    return _json_response(availability_request.end_days(callers.require_player()))


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
