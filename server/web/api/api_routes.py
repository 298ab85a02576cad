"""The operations of the API with their OpenAPI document, authentication by keys, and limits.

Programs and the pages of all sites may call the API. So it ignores cookies, and only a key identifies a
player. CORS credentials are never allowed. flask-openapi3 is not used, as its error sentences cannot be
translated.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache, partial
from http import HTTPMethod

from flask import Blueprint, Flask, Response, current_app, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema

from emails.i18n import current_locale, gettext
from emails.tokens import Purpose
from server.accounts import sign_in
from server.security_log import AttemptChannel
from server.store.refusals import Refusal
from server.store.stored_availability import load_zone
from server.web.api import game_view
from server.web.api.game_view import PAGE_SIZE, FoundGame, advise_player
from server.web.api.requests import (
    AvailabilityRequest,
    AvailabilityView,
    PlanRequest,
    PlanView,
    ReminderRequest,
    ReminderView,
    VacationEnd,
    VacationRequest,
    change_plan,
    end_days,
    give_seat_up,
    nudge_mover,
    perform_acts,
    set_availability,
    set_reminders,
    show_availability,
    show_plan,
    show_reminders,
    take_days,
    take_seat_back,
    vote,
)
from server.web.api.schemas import (
    API_PATH,
    DOCUMENT_PATH,
    LARGEST_ACT_NUMBER,
    PROBLEM_KINDS,
    PROBLEM_MEDIA_TYPE,
    ActResult,
    Acts,
    Advice,
    ApiError,
    ApiShape,
    CommandResult,
    Fact,
    Games,
    GameView,
    JsonObject,
    Problem,
    ReturnResult,
    VoteRequest,
    VoteResult,
    render_http_error,
    render_problem,
    render_refusal,
)
from server.web.kit import errors, locale, visitors
from server.web.kit.request_context import current_context, now

SCHEMAS = "#/components/schemas/"
RETRY_AFTER = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
RESPONSE_HEADERS: dict[int, JsonObject] = {
    401: {"WWW-Authenticate": {"description": "Always a `Bearer` challenge.", "schema": {"type": "string"}}},
    405: {"Allow": {"description": "The methods that are known.", "schema": {"type": "string"}}},
    429: {"Retry-After": RETRY_AFTER},
}
ANSWERED_TO_ALL = (400, 401, 405, 429)
OF_A_GAME = (403, 404)
OF_A_BODY = (413, 415, 422)


@dataclass(frozen=True, slots=True)
class Operation:
    method: HTTPMethod
    path: str
    name: str
    summary: str
    told: str
    answer: type[BaseModel] | JsonObject
    """Schema of a successful response, or the `responses` object of the OpenAPI document."""
    body: type[BaseModel] | None = None
    parameters: tuple[JsonObject, ...] = ()
    refused: tuple[int, ...] = ()
    """Error statuses besides the usual ones."""
    more: JsonObject = field(default_factory=dict)
    run: Callable[..., ApiShape] | None = None
    """Called with the player, then arguments of path and query. None: a Flask view does the work."""

    def describe(self) -> JsonObject:
        answer = self.answer if isinstance(self.answer, dict) else json_response(self.answer)
        statuses = {*ANSWERED_TO_ALL, *self.refused}
        statuses |= {*OF_A_GAME} if any(one["name"] == "game" for one in self.parameters) else set()
        found: JsonObject = {"operationId": self.name, "summary": self.summary, "description": self.told}
        if self.parameters:
            found["parameters"] = list(self.parameters)
        if self.body is not None:
            statuses |= {*OF_A_BODY}
            content = {"application/json": {"schema": refer_to(self.body)}}
            found["requestBody"] = {"required": True, "content": content}
        return found | {"responses": answer | problem_responses(*statuses)} | self.more


def refer_to(shape: type[BaseModel]) -> JsonObject:
    return {"$ref": SCHEMAS + shape.__name__}


def parameter(name: str, place: str, told: str, schema: JsonObject) -> JsonObject:
    required = place == "path"
    return {"name": name, "in": place, "required": required, "description": told, "schema": schema}


def whole_number(least: int, most: int) -> JsonObject:
    return {"type": "integer", "minimum": least, "maximum": most}


def json_response(shape: type[BaseModel], more: JsonObject | None = None) -> JsonObject:
    return ok_response("application/json", {"schema": refer_to(shape)}, more)


def ok_response(media_type: str, content: JsonObject, more: JsonObject | None = None) -> JsonObject:
    return {"200": {"description": "Success.", "content": {media_type: content}} | (more or {})}


def problem_responses(*statuses: int) -> JsonObject:
    return {
        str(one): {"$ref": f"#/components/responses/{PROBLEM_KINDS[one].name}"} for one in sorted(statuses)
    }


def problem_response(status: int) -> JsonObject:
    kind = PROBLEM_KINDS[status]
    example = {"type": "about:blank", "title": kind.title, "status": status, "detail": kind.usual}
    content: JsonObject = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": SCHEMAS + "Problem"}, "example": example}}
    headers = {"headers": RESPONSE_HEADERS[status]} if status in RESPONSE_HEADERS else {}
    return {"description": kind.told, "content": content, **headers}


DESCRIPTION = """\
Play *Alexandros* by a program: list your games, follow a game, act in it.

**Your key.** Create a key on the page `/me/browsers`; your program sends it with each call, in the header
`Authorization: Bearer KEY`. Everyone with the key can play for you: keep it secret, and end it on that page
when you need it no longer. Without a key you see the games that are open to spectators. Cookies are ignored.

**To follow a game** request it again with the `ETag` of the last response in `If-None-Match`: as long as
nothing has happened, the response is 304 and empty. `after` is the number of the last act; `/log?after=N`
lists the events after act N. Every 20 seconds is often enough: at most {per_minute} calls a minute are
answered.

**To act** take a choice out of `choices` and send its `words`, with the `after` that you have seen. You can
also send other legal orders, spelled as in a mail: see `/help`, and `/rules` for the rules with their
numbers. All lines of one call are performed in order, or none of them; only lines after a revealed card may
stay undone, and the response says why. If another player acted before you, the response is 409: request the
game again. With `"preview": true` nothing is performed.

**Corners have numbers:** the corners that a card reaches count from 1 in reading order, as on the page and in
mails. `choose temple, march 2` goes to the second corner of the temple; send `march 2` if the card is chosen
already. If several paths lead there, the response is 422, with each path as a candidate. **Letters belong to
mails:** the `b` in an answer to a mail stands for a turn that this mail offered, and means nothing here. Send
the `words`. To take over a province, name the cards for its loser (`takeover Troy give horse+lyre`); without
them the candidates list the possible cards.

```sh
API={base}/api KEY=alx_... GAME=mq3ozk7a
curl -H "Authorization: Bearer $KEY" "$API/games"
curl -H "Authorization: Bearer $KEY" "$API/games/$GAME"
curl -H "Authorization: Bearer $KEY" "$API/games/$GAME/log?after=17"
curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$API/games/$GAME/acts" \\
    -d '{{"after": 17, "lines": ["choose lyre", "march Larissa A3-B4-C3"], "preview": true}}'
```

**A finished game** has a `review` once the server's judge has reviewed it: the judge's estimate of what each
turn cost in points, by the knowledge of its player, and the sources of all points.

Words for people (headings, titles, details) are in the language of `Accept-Language`, English or Dutch. All
other words are fixed. Each problem is a document with a sentence (RFC 9457).
"""
ADVICE_DESCRIPTION = """\
Advice is given in your own turn if the organiser has allowed it; else the response is 422. Repeated requests
get equal advice. To play a suggestion, send its `words` as a line.
"""
VOTE_DESCRIPTION = """\
The first 24 hours more for a turn are added at once, and a “no” of another player withdraws them. The next
24 hours need the “yes” of another player. The organiser can pause the game alone; otherwise all players must
agree, and after a day each player who did not agree can end the pause. On a vacant seat the majority of
answers within three days decides: the seat waits for a substitute, is skipped, or the game ends as it stands.
While the seat waits, a differing answer opens the vote again.
"""
PLAN_DESCRIPTION = """\
A plan is a list of whole turns, some with a condition, written as in a mail. A few seconds after your turn
has come, the first turn that is legal and whose condition holds is played. Only you see the plan.
"""
AVAILABILITY_DESCRIPTION = """\
During your vacation no time runs on your turns in any of your games. In games with turns of twelve hours or
more, no time runs while you sleep and on your days off, in your time zone. You can play meanwhile. Other
players see that you are away, but not your sleep hours and days off. If your zone is known and you have set
no sleep hours, those games send no reminder from 22:00 to 8:00, and a turn that would end then ends at 9:00.
"""
REMINDERS_DESCRIPTION = """\
Reminders are sent when half and when an eighth of the time for your turn is left, but never at night or while
no time runs.
"""
LOG_DESCRIPTION = """\
JSON Lines: each line is one `Fact`, in order.

The log of a finished game is complete, and `alexandros replay` checks it: it has all hands and drawn cards,
and the first fact of each act has `meta` (time, seat, channel, words). The log of a running game has only
what you may see: `"card": null` stands for a card that another player drew, null in `hands` for a hand that
you did not see. Its `meta` is `{"act": N}`, with `"door": "plan"` if your plan was played, which other
players do not see before the end. The log of a game that has not begun is empty.
"""
LOG_EXAMPLE = (
    '{"type": "card_drawn", "seat": 1, "card": null, "meta": {"act": 18}}\n'
    '{"type": "turn_ended", "seat": 1, "meta": {"act": 18}}\n'
)


GET, POST = HTTPMethod.GET, HTTPMethod.POST
GAME_ID: JsonObject = {"type": "string", "pattern": "^[a-z2-7]{8}$"}
GAME = parameter("game", "path", "The id of the game.", GAME_ID)
OF_GAME = parameter("game", "query", "One of your games; by default all.", GAME_ID)
SEAT_IS = "Your seat; needed only if several seats of the game are yours."
SEAT = parameter("seat", "query", SEAT_IS, whole_number(0, 3))
AFTER_IS = "Only the events after the act with this number."
AFTER = parameter("after", "query", AFTER_IS, whole_number(0, LARGEST_ACT_NUMBER) | {"default": 0})
PAGE_IS = f"The page of the list; each page has {PAGE_SIZE} games."
PAGE = parameter("page", "query", PAGE_IS, whole_number(1, 10_000) | {"default": 1})
TAG = parameter("If-None-Match", "header", "The `ETag` of your last response.", {"type": "string"})
FRESH: JsonObject = {
    "headers": {"ETag": {"description": "Changes whenever the response does.", "schema": {"type": "string"}}}
}
GAME_OR_UNCHANGED = json_response(GameView, FRESH) | {
    "304": {"description": "The game is unchanged."} | FRESH
}
LINES: JsonObject = {"type": "string", "description": "Lines, each with a `Fact`."}
LOG = ok_response("application/jsonl", {"schema": LINES, "example": LOG_EXAMPLE})
FOR_ANYBODY: JsonObject = {"security": [{"key": []}, {}]}
AT_GAME = "/api/games/{game}"
# fmt: off
OPERATIONS = (
    Operation(GET, "/api/games", "listGames", "Your games", "The newest game comes first.", Games,
        parameters=(PAGE,)),
    Operation(GET, AT_GAME, "getGame", "A game as you may know it",
        "With the orders that you can give now, if it is your turn.", GAME_OR_UNCHANGED,
        parameters=(GAME, SEAT, TAG), more=FOR_ANYBODY),
    Operation(GET, f"{AT_GAME}/log", "getLog", "The log of a game", LOG_DESCRIPTION, LOG,
        parameters=(GAME, AFTER, SEAT), more=FOR_ANYBODY),
    Operation(GET, f"{AT_GAME}/advice", "getAdvice", "A few good turns for you", ADVICE_DESCRIPTION, Advice,
        parameters=(GAME, SEAT), refused=(422,), run=advise_player),
    Operation(POST, f"{AT_GAME}/acts", "act", "Act in a game, or preview an act",
        "All lines are performed in order, or none of them.", ActResult, Acts,
        parameters=(GAME,), refused=(409,), run=perform_acts),
    Operation(POST, f"{AT_GAME}/back", "comeBack", "Return to your seat",
        "No caretaker plays your seat from now on.", ReturnResult, parameters=(GAME, SEAT), refused=(422,),
        run=take_seat_back),
    Operation(POST, f"{AT_GAME}/nudge", "nudge", "Remind the player to move",
        "The reminder is a mail; a game allows one a day, after half of the turn's time.", CommandResult,
        parameters=(GAME, SEAT), refused=(422,), run=nudge_mover),
    Operation(POST, f"{AT_GAME}/resign", "resign", "Give your seat up",
        "A caretaker plays your turns. You can return until another player has the seat.", CommandResult,
        parameters=(GAME, SEAT), refused=(409, 422), run=give_seat_up),
    Operation(POST, f"{AT_GAME}/votes", "castVote", "Make a request to all players, or answer a vote",
        VOTE_DESCRIPTION, VoteResult, VoteRequest, parameters=(GAME,), refused=(409,), run=vote),
    Operation(GET, f"{AT_GAME}/plan", "getPlan", "Your plan for your next turn", PLAN_DESCRIPTION, PlanView,
        parameters=(GAME, SEAT), refused=(422,), run=show_plan),
    Operation(POST, f"{AT_GAME}/plan", "setPlan", "Store or withdraw a plan for your next turn",
        PLAN_DESCRIPTION, PlanView, PlanRequest, parameters=(GAME,), run=change_plan),
    Operation(GET, "/api/availability", "getAvailability", "The times in which no time runs on your turns",
        AVAILABILITY_DESCRIPTION, AvailabilityView, run=show_availability),
    Operation(POST, "/api/availability", "setAvailability", "Set your time zone, hours of sleep and days off",
        AVAILABILITY_DESCRIPTION, AvailabilityView, AvailabilityRequest, run=set_availability),
    Operation(POST, "/api/vacations", "takeVacation", "Take a vacation",
        AVAILABILITY_DESCRIPTION, AvailabilityView, VacationRequest, run=take_days),
    Operation(POST, "/api/vacations/end", "endVacation", "End or cancel a vacation",
        AVAILABILITY_DESCRIPTION, AvailabilityView, VacationEnd, run=end_days),
    Operation(GET, "/api/reminders", "getReminders", "Whether you are reminded of your turns",
        REMINDERS_DESCRIPTION, ReminderView, parameters=(OF_GAME,), run=show_reminders),
    Operation(POST, "/api/reminders", "setReminders", "Set whether you are reminded of your turns",
        REMINDERS_DESCRIPTION, ReminderView, ReminderRequest, refused=(403, 404), run=set_reminders),
)
# fmt: on
DOCUMENT: JsonObject = {
    "operationId": "getDocument",
    "summary": "This document",
    "security": [],
    "responses": ok_response("application/json", {"schema": {"type": "object"}}) | problem_responses(405),
}


class _UntitledJsonSchema(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: core_schema.CoreSchema) -> bool:
        return False


@cache
def build_openapi(base: str, per_minute: int) -> str:
    """Return the OpenAPI document as JSON. `base` is the address of our pages."""
    sent = [one.body for one in OPERATIONS if one.body is not None]
    answered: list[type[BaseModel]] = [one.answer for one in OPERATIONS if not isinstance(one.answer, dict)]
    shapes: list[tuple[type[BaseModel], JsonSchemaMode]] = [(one, "validation") for one in sent]
    answered += [GameView, Fact, Problem]
    shapes += [(one, "serialization") for one in dict.fromkeys(answered)]
    _, found = models_json_schema(
        shapes,
        ref_template=SCHEMAS + "{model}",
        schema_generator=_UntitledJsonSchema,
    )
    titles = {name: schema["title"] for name, schema in found["$defs"].items()}
    paths = defaultdict[str, JsonObject](dict)
    for one in OPERATIONS:
        paths[one.path][one.method.lower()] = one.describe()
    whole: JsonObject = {
        "openapi": "3.1.0",
        "info": {
            "title": "Alexandros by mail",
            "version": "1",
            "description": DESCRIPTION.format(base=base, per_minute=per_minute),
        },
        "servers": [{"url": base}],
        "security": [{"key": []}],
        "paths": {**paths, DOCUMENT_PATH: {"get": DOCUMENT}},
        "components": {
            "schemas": {titles[name]: schema for name, schema in found["$defs"].items()},
            "responses": {kind.name: problem_response(status) for status, kind in PROBLEM_KINDS.items()},
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Your key, from `/me/browsers`.",
                }
            },
        },
    }
    document = json.dumps(whole, ensure_ascii=False)
    # each schema is named by its title, so that a renamed class does not change the document
    return re.sub(rf'"{SCHEMAS}(\w+)"', lambda found: f'"{SCHEMAS}{titles[found[1]]}"', document)


API_CALLS_PER_MINUTE = "API_CALLS_PER_MINUTE"
MINUTE = timedelta(minutes=1)
BEARER_SCHEME = "bearer "
KEY_NEEDED = {"WWW-Authenticate": 'Bearer realm="alexandros"'}
KEY_INVALID = {"WWW-Authenticate": 'Bearer realm="alexandros", error="invalid_token"'}  # RFC 6750, section 3


def identify_caller() -> int | None:
    """Return the calling player, or None without a key. Raises `ApiError` for a bad key or at the limit."""
    given = request.headers.get("Authorization")
    player = None if given is None else _authenticate_key(given)
    # Counted by player, so that several keys do not allow more calls; without a valid key by network.
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
    """Allow pages of all sites to read the responses, even for unknown paths of the API."""
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
    """Return a game as its caller may see it, or 304 if the caller's `ETag` is current."""
    found = game_view.find_game(identify_caller(), game, _number_argument("seat", 0, 3))
    tag = version_tag(found)
    known = request.if_none_match.contains(tag)
    answer = Response(status=304) if known else _json_response(game_view.describe_game(found))
    answer.set_etag(tag)
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer


def version_tag(found: FoundGame) -> str:
    """Return a keyed digest of a game as the caller sees it, without `choices`."""
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
    """Return an integer of the query, or None if missing. Raises `ApiError` if invalid."""
    given = request.args.get(name)
    if given is None:
        return None
    if given.isascii() and given.isdigit() and len(given) <= 10 and least <= int(given) <= most:
        return int(given)
    sentence = gettext(
        "“%(name)s” must be a whole number from %(least)s to %(most)s.", name=name, least=least, most=most
    )
    raise ApiError(400, sentence)
