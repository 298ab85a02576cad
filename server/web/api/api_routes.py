"""The routes of the API with their OpenAPI document, authentication by keys, limits, and error responses.

Programs and the pages of all sites may call the API. So it ignores cookies, and only a key identifies a
player. CORS credentials are never allowed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache, partial
from inspect import cleandoc
from typing import Any, TypeVar

from flask import Blueprint, Response, request
from flask.blueprints import BlueprintSetupState
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema
from werkzeug.exceptions import HTTPException

from emails.i18n import current_locale, gettext, gettext_noop
from emails.picture.palette import clean_name
from emails.tokens import Purpose
from emails.wording.phrases import format_list
from engine.plans import LONGEST_PLAN
from server.accounts import sign_in
from server.monitoring import AttemptChannel
from server.store.event_log import Refusal, RefusalCode
from server.store.turn_clock import load_availability
from server.turns.dry_run import MOST_ACTIONS
from server.web.api import game_view, operations, schemas
from server.web.api.game_view import FoundGame, find_game
from server.web.api.operations import AT_GAME, GET, OPERATIONS, Operation, Parameter, operation
from server.web.api.schemas import LONGEST_LINE, PROBLEM_KINDS, ApiError, JsonObject
from server.web.kit import errors, visitors
from server.web.kit.request_context import current_context, now

DOCUMENT_PATH = "/api/openapi.json"
PROBLEM_MEDIA_TYPE = "application/problem+json"


# --- a game ---------------------------------------------------------------------------------------------


SCHEMAS = "#/components/schemas/"


def refer_to(shape: type[BaseModel]) -> JsonObject:
    return {"$ref": SCHEMAS + shape.__name__}


def ok_answer(media_type: str, content: JsonObject, more: JsonObject | None = None) -> JsonObject:
    return {"200": {"description": "Success.", "content": {media_type: content}} | (more or {})}


def describe_parameter(name: str, told: str, schema: JsonObject, place: str = "query") -> JsonObject:
    required = place == "path"
    return {"name": name, "in": place, "required": required, "description": told, "schema": schema}


def problem_responses(*statuses: int) -> JsonObject:
    return {
        str(one): {"$ref": f"#/components/responses/{PROBLEM_KINDS[one].name}"} for one in sorted(statuses)
    }


ETAG: JsonObject = {
    "headers": {"ETag": {"description": "Changes whenever the response does.", "schema": {"type": "string"}}}
}
TAG_TOLD = "The `ETag` of your last response."
TAG_PARAMETER = describe_parameter("If-None-Match", TAG_TOLD, {"type": "string"}, "header")
GAME_OR_UNCHANGED: JsonObject = ok_answer("application/json", {"schema": refer_to(schemas.Game)}, ETAG) | {
    "304": {"description": "The game is unchanged."} | ETAG
}
LOG_EXAMPLE = (
    '{"type": "card_drawn", "seat": 1, "card": null, "meta": {"act": 18}}\n'
    '{"type": "turn_ended", "seat": 1, "meta": {"act": 18}}\n'
)
LINES: JsonObject = {"type": "string", "description": "Lines, each with a `Fact`."}
LOG = ok_answer("application/jsonl", {"schema": LINES, "example": LOG_EXAMPLE})


@operation(GET, AT_GAME, answer=GAME_OR_UNCHANGED, for_anybody=True)
def get_game(found: FoundGame) -> Response:
    """A game as you may know it.

    With the orders that you can give now, if it is your turn.
    """
    tag = version_tag(found)
    known = request.if_none_match.contains(tag)
    answer = Response(status=304) if known else json_response(game_view.describe_game(found))
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
    return current_context().links.keys.digests(Purpose.TAG, repr(shown).encode())[0].hex()[:32]


@operation(GET, f"{AT_GAME}/log", operations.AFTER, answer=LOG, for_anybody=True)
def get_log(found: FoundGame, after: int) -> Response:
    """The log of a game.

    JSON Lines: each line is one `Fact`, in order.

    The log of a finished game is complete, and `alexandros replay` checks it: it has all hands and drawn
    cards, and the first fact of each act has `meta` (time, seat, channel, words). The log of a running game
    has only what you may see: `"card": null` stands for a card that another player drew, null in `hands` for
    a hand that you did not see. Its `meta` is `{"act": N}`, with `"door": "plan"` if your plan was played,
    which other players do not see before the end. The log of a game that has not begun is empty.
    """
    lines = "".join(f"{line}\n" for line in game_view.log_lines(found, after))
    return Response(lines, content_type="application/jsonl")


# --- reading --------------------------------------------------------------------------------------------


KEY_SENTENCES = {
    "after": gettext_noop("“after” must be a whole number: that of the last act of the game as you saw it."),
    "lines": gettext_noop(
        "“lines” must be a list of 1 to %(lines)s texts, each with at most %(most)s characters."
    ),
    "vote": gettext_noop("“vote” must be one of “more time”, “pause” and “empty seat”."),
    "answer": gettext_noop(
        "“answer” must be one of “yes”, “no”, “wait”, “go on” and “end”, or not be there."
    ),
    "about": gettext_noop("“about” must be the number of a seat, from 0 to 3, or not be there."),
    "until": gettext_noop(
        "“until” must be a moment with its zone, as 2030-08-17T18:00:00Z is written, or not be there."
    ),
    "plan": gettext_noop("“plan” must be a text with at most %(plan)s characters, or null."),
    "zone": gettext_noop("“zone” must be the name of a time zone, such as Europe/Amsterdam."),
    "sleeps": gettext_noop(
        "“sleeps” must be an object with “begins” and “ends” as 23:00 is written, or null."
    ),
    "days_off": gettext_noop("“days_off” must be a list of weekdays, from 0 for Monday to 6 for Sunday."),
    "first": gettext_noop("“first” must be a day as 2030-08-17 is written, or not be there."),
    "last": gettext_noop("“last” must be a day as 2030-08-17 is written."),
    "vacation": gettext_noop("“vacation” must be the number of a vacation of yours, or not be there."),
    "game": gettext_noop("“game” must be the id of a game of yours, or not be there."),
    "reminders": gettext_noop("“reminders” must be true or false."),
    "preview": gettext_noop("“preview” must be true or false."),
    "seat": gettext_noop("“seat” must be the number of a seat, from 0 to 3, or not be there."),
}
Shape = TypeVar("Shape", bound=schemas.Body)


def read_body(shape: type[Shape]) -> Shape:
    """Parse the JSON body of the request. Raises `ApiError` if it does not match `shape`."""
    if request.mimetype != "application/json":
        raise ApiError(415)
    try:
        found = json.loads(
            request.get_data(cache=False).decode("utf-8"),
            parse_float=_parse_number,
            object_pairs_hook=_reject_duplicate_keys,
        )
    except (ValueError, RecursionError):
        raise ApiError(400, gettext("The body must be JSON, in UTF-8, with each key once.")) from None
    if not isinstance(found, dict):
        needed = format_list([f"“{name}”" for name, one in shape.model_fields.items() if one.is_required()])
        raise ApiError(400, gettext("The body must be an object, with the keys %(keys)s.", keys=needed))
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        key = str(*error.errors()[0]["loc"][:1])
    wrong = KEY_SENTENCES.get(key, gettext_noop("“%(key)s” is no key that can stand here. Nothing was done."))
    limits = {"most": LONGEST_LINE, "lines": MOST_ACTIONS, "plan": LONGEST_PLAN}
    raise ApiError(400, gettext(wrong, key=clean_name(key, 40), **limits))


def _parse_number(text: str) -> float | int:
    """Parse 17.0 as the integer 17 (JSON Schema, section 4.2.3)."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse duplicate keys, which parsers treat differently (RFC 8259, section 4). Raises `ValueError`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def read_parameter(parameter: Parameter) -> int | str | None:
    """Return a value of the query; its default if missing. Raises `ApiError` if invalid."""
    name, schema, given = parameter.name, parameter.schema, request.args.get(parameter.name)
    if given is None or schema["type"] == "string":
        return schema.get("default") if given is None else given
    least, most = schema["minimum"], schema["maximum"]
    if given.isascii() and given.isdigit() and len(given) <= 10 and least <= int(given) <= most:
        return int(given)
    sentence = gettext(
        "“%(name)s” must be a whole number from %(least)s to %(most)s.", name=name, least=least, most=most
    )
    raise ApiError(400, sentence)


# --- the caller -----------------------------------------------------------------------------------------


BEARER_SCHEME = "bearer "
KEY_NEEDED = {"WWW-Authenticate": 'Bearer realm="alexandros"'}
KEY_INVALID = {"WWW-Authenticate": 'Bearer realm="alexandros", error="invalid_token"'}  # RFC 6750, section 3


def identify_caller(called: Operation) -> int | None:
    """Return the calling player, or None if no key was sent and the operation needs no key.

    Raises `ApiError` for a bad or missing key, and `LimitReached`.
    """
    given = request.headers.get("Authorization")
    player = None if given is None else _authenticate_key(given)
    # Counted by player, so that several keys do not allow more calls; without a valid key by network.
    who = visitors.visitor_network() if player is None else f"player {player}"
    visitors.check_limit(visitors.LimitedAction.API, gettext(PROBLEM_KINDS[429].usual), who)
    if given is not None and player is None:
        errors.note_refused_seal(Purpose.API, AttemptChannel.API)
        raise ApiError(401, gettext("This key is not one of ours, or it was ended."), headers=KEY_INVALID)
    if player is None and not called.for_anybody:
        raise ApiError(401, headers=KEY_NEEDED)
    return player


def _authenticate_key(given: str) -> int | None:
    if not given.lower().startswith(BEARER_SCHEME):
        return None
    key = given[len(BEARER_SCHEME) :].strip()
    with current_context().reading() as session:
        found = sign_in.player_with_key(session, key)
        if found is not None:
            visitors.use_zone(load_availability(session, found).zone)
    if found is not None:
        sign_in.note_key_use(current_context(), key, now())
    return found


# --- answering ------------------------------------------------------------------------------------------


CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": "ETag, Retry-After, WWW-Authenticate",
    "Access-Control-Max-Age": "86400",
}
VARY_HEADERS = ("Authorization", "Accept-Language")
pages = Blueprint("api_routes", __name__)


@pages.record_once
def _register_error_view(state: BlueprintSetupState) -> None:
    state.app.extensions[errors.API_ERROR_VIEW] = render_http_error


@pages.after_request
def _allow_all_origins(response: Response) -> Response:
    response.headers.update(CORS_HEADERS)
    response.vary.update(VARY_HEADERS)
    return response


def answer_call(called: Operation, game: str = "") -> Response:
    """Answer a call: identify its player, read its query, body and game, and do its work."""
    player = identify_caller(called)
    given: dict[str, Any] = {one.name: read_parameter(one) for one in called.query}
    if called.body is not None:
        given["body"] = read_body(called.body)
    caller: FoundGame | int | None = player
    if called.is_of_game:
        caller = find_game(player, game, given.pop("seat") if called.body is None else given["body"].seat)
        if not called.for_anybody:
            _ = caller.own_seat
    found = called.run(caller, **given)
    return found if isinstance(found, Response) else json_response(found)


for _one in OPERATIONS:
    _rule = _one.path.replace("{", "<").replace("}", ">")
    pages.add_url_rule(_rule, _one.name, partial(answer_call, _one), methods=[_one.method])


@pages.get(DOCUMENT_PATH)
def get_document() -> Response:
    answer = Response(_document_text(), mimetype="application/json")
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


def _document_text() -> str:
    per_minute = visitors.limit_of(visitors.LimitedAction.API)
    return build_openapi(current_context().settings.base_url, per_minute)


def json_response(shape: BaseModel) -> Response:
    return Response(shape.model_dump_json(exclude_unset=True), mimetype="application/json")


STATUS_OF_REFUSAL = {RefusalCode.STALE: 409, RefusalCode.NOT_RUNNING: 404}
"""HTTP status by refusal code; 422 for all other codes."""


@pages.errorhandler(Refusal)
def _answer_refusal(refusal: Refusal) -> Response:
    errors.note_refusal(refusal, AttemptChannel.API)
    if isinstance(refusal, ApiError):
        return render_problem(refusal)
    if isinstance(refusal, visitors.LimitReached):
        wait = visitors.retry_after(refusal.what, refusal.visitor)
        return render_problem(ApiError(429, refusal.sentence, headers={"Retry-After": str(wait)}))
    return render_problem(ApiError(STATUS_OF_REFUSAL.get(refusal.code, 422), refusal.sentence))


def render_problem(wrong: ApiError) -> Response:
    kind = PROBLEM_KINDS[wrong.status]
    problem = schemas.Problem.model_validate(
        {
            "type": f"{current_context().settings.base_url}{DOCUMENT_PATH}#/components/responses/{kind.name}",
            "title": gettext(kind.title),
            "status": wrong.status,
            "detail": wrong.sentence,
            **wrong.more,
        }
    )
    body = problem.model_dump_json(exclude_unset=True)
    return Response(body, wrong.status, dict(wrong.headers), content_type=PROBLEM_MEDIA_TYPE)


def render_http_error(error: HTTPException) -> Response:
    """Answer an error, even for an unknown path or method, which belongs to no route of the API."""
    given = error.code or 500
    status = given if given in PROBLEM_KINDS else 400 if given < 500 else 500
    unknown = status == 404 and request.url_rule is None
    detail = gettext("There is no such address in the API.") if unknown else ""
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return _allow_all_origins(render_problem(ApiError(status, detail, headers=headers)))


# --- the document ---------------------------------------------------------------------------------------


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
RETRY_AFTER = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
RESPONSE_HEADERS: dict[int, JsonObject] = {
    401: {"WWW-Authenticate": {"description": "Always a `Bearer` challenge.", "schema": {"type": "string"}}},
    405: {"Allow": {"description": "The methods that are known.", "schema": {"type": "string"}}},
    429: {"Retry-After": RETRY_AFTER},
}
ANSWERED_TO_ALL = frozenset({400, 401, 405, 429})
OF_A_GAME = frozenset({403, 404})
OF_A_BODY = frozenset({413, 415, 422})
DOCUMENT: JsonObject = {
    "operationId": "getDocument",
    "summary": "This document",
    "security": [],
    "responses": ok_answer("application/json", {"schema": {"type": "object"}}) | problem_responses(405),
}


def describe_operation(one: Operation) -> JsonObject:
    summary, _, told = cleandoc(one.run.__doc__ or "").partition("\n\n")
    described: JsonObject = {
        "operationId": one.name,
        "summary": summary.removesuffix("."),
        "description": told or one.told,
    }
    parameters = [describe_parameter(*of) for of in one.query]
    if one.is_of_game:
        parameters.insert(0, describe_parameter("game", "The id of the game.", operations.GAME_ID, "path"))
    if one.path == AT_GAME:
        parameters.append(TAG_PARAMETER)
    if parameters:
        described["parameters"] = parameters
    if one.body is not None:
        content = {"application/json": {"schema": refer_to(one.body)}}
        described["requestBody"] = {"required": True, "content": content}
    if one.for_anybody:
        described["security"] = [{"key": []}, {}]
    answer = (
        one.answer
        if isinstance(one.answer, dict)
        else ok_answer("application/json", {"schema": refer_to(one.answer)})
    )
    return described | {"responses": answer | problem_responses(*list_statuses(one))}


def list_statuses(one: Operation) -> frozenset[int]:
    """Return the statuses of the errors that an operation can answer."""
    statuses, is_played = ANSWERED_TO_ALL, one.is_of_game and not one.for_anybody
    names_game = operations.OF_GAME in one.query or (one.body and "game" in one.body.model_fields)
    if one.body is not None:
        statuses |= OF_A_BODY
    if one.is_of_game or names_game:
        statuses |= OF_A_GAME
    if is_played:
        statuses |= {422}
    if is_played and one.method is operations.POST:
        statuses |= {409}
    return statuses


def problem_response(status: int) -> JsonObject:
    kind = PROBLEM_KINDS[status]
    example = {"type": "about:blank", "title": kind.title, "status": status, "detail": kind.usual}
    content: JsonObject = {PROBLEM_MEDIA_TYPE: {"schema": refer_to(schemas.Problem), "example": example}}
    headers = {"headers": RESPONSE_HEADERS[status]} if status in RESPONSE_HEADERS else {}
    return {"description": kind.told, "content": content, **headers}


class _UntitledJsonSchema(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: core_schema.CoreSchema) -> bool:
        return False


@cache
def build_openapi(base: str, per_minute: int) -> str:
    """Return the OpenAPI document as JSON. `base` is the address of our pages."""
    answers = [one.answer for one in OPERATIONS if not isinstance(one.answer, dict)]
    shapes: dict[type[BaseModel], JsonSchemaMode] = {one.body: "validation" for one in OPERATIONS if one.body}
    shapes |= dict.fromkeys([*answers, schemas.Game, schemas.Fact, schemas.Problem], "serialization")
    _, found = models_json_schema(
        list(shapes.items()), ref_template=SCHEMAS + "{model}", schema_generator=_UntitledJsonSchema
    )
    paths = defaultdict[str, JsonObject](dict)
    for one in OPERATIONS:
        paths[one.path][one.method.lower()] = describe_operation(one)
    key = {"type": "http", "scheme": "bearer", "description": "Your key, from `/me/browsers`."}
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
            "schemas": found["$defs"],
            "responses": {kind.name: problem_response(status) for status, kind in PROBLEM_KINDS.items()},
            "securitySchemes": {"key": key},
        },
    }
    return json.dumps(whole, ensure_ascii=False)
