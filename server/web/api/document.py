"""The document that describes the API (OpenAPI 3.1), made of the shapes of which the answers are made.

Not flask-openapi3: it makes the same document of pydantic's shapes, but refuses what is wrong in sentences of
its own, where ours are translated and name the rule; the paths that it would save are 60 lines here.
"""

from __future__ import annotations

import json
import re
from functools import cache

from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import core_schema

from server.web.api.availability_shapes import (
    AvailabilityRequest,
    AvailabilityView,
    VacationEnd,
    VacationRequest,
)
from server.web.api.event_shapes import Fact, JsonObject
from server.web.api.game_view import PAGE_SIZE
from server.web.api.operations import (
    SCHEMAS,
    json_response,
    ok_response,
    operation,
    parameter,
    problem_response,
    problem_responses,
    request_body,
)
from server.web.api.plan_shapes import PlanRequest, PlanView
from server.web.api.problems import PROBLEM_KINDS
from server.web.api.reminder_request import ReminderRequest, ReminderView
from server.web.api.shapes import (
    LARGEST_ACT_NUMBER,
    ActResult,
    Acts,
    Advice,
    Games,
    GameView,
    Problem,
    ReturnResult,
    VoteRequest,
    VoteResult,
)

DESCRIPTION = """\
Play *Alexandros* by a program: look at your games, follow one, act in it.

**Your key.** On the page `/me/browsers` you make a key; your program sends it with each call, in the
header `Authorization: Bearer KEY`. Whoever has it plays for you: tell nobody, and end it there when you
are done. Without a key you see games that anybody may watch. No cookie is ever looked at.

**To follow a game** ask for it again with the `ETag` of the last answer in `If-None-Match`: as long as
nothing has happened the answer is 304 and empty. `after` is the number of the last act; `/log?after=N`
tells what came after act N. Every 20 seconds is often enough: at most {per_minute} calls a minute are
answered.

**To act** take a choice out of `choices` and send its `words`, with the `after` that you have seen.
Other legal orders can be sent too, spelled as in a mail: `/help` tells how, `/rules` has the rules with
their numbers. All lines of one call are done in order, or none of them; only what follows a card that
came up may stay undone, and the answer says why. Where somebody acted before you the answer is 409:
look again. With `"preview": true` nothing is done.

**Corners have numbers:** those to which a card leads count from 1, in reading order, as on the page and in
mails. `choose temple, march 2` goes to the second corner of the temple, `march 2` where the card is chosen
already; where several paths lead there the answer is 422, with each of them as a candidate. **Letters are
those of a mail:** the `b` with which a mail is answered stands for a turn that this mail offered, and means
nothing here. Send the `words`. Who takes over a province says what its loser gets (`takeover Troy give
horse+lyre`); without it the candidates say what can be given.

```sh
API={base}/api KEY=alx_... GAME=mq3ozk7a
curl -H "Authorization: Bearer $KEY" "$API/games"
curl -H "Authorization: Bearer $KEY" "$API/games/$GAME"
curl -H "Authorization: Bearer $KEY" "$API/games/$GAME/log?after=17"
curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$API/games/$GAME/acts" \\
    -d '{{"after": 17, "lines": ["choose lyre", "march Larissa A3-B4-C3"], "preview": true}}'
```

**A game that is over** has a `review`, once the judge of the house has looked through it: what it thinks
each turn cost in points, by what its player could know, and whence all points came.

Words for people (headings, titles, details) are in the language of `Accept-Language`, English or Dutch;
all other words never change. Each problem is a document with a sentence in it (RFC 9457).
"""
ADVICE_DESCRIPTION = """\
In your own turn, where the organiser has allowed advice; else the answer is 422, with a sentence. It is the
same however often you ask. To do one of them send its `words` as a line.
"""
VOTE_DESCRIPTION = """\
The first 24 hours more for a turn are added at once, and a no of another player takes them back; the next
need the yes of one. Who opened the game pauses it alone, else all who play have to agree; after a day anybody
ends a pause who did not agree to it. On an empty seat the majority of those decides who answer in three days:
it waits for a substitute, the others go on without it, or the game ends as it stands.
"""
PLAN_DESCRIPTION = """\
A plan is a list of whole turns, some with a condition, as a mail says it. A few seconds after your turn has
come the first that is legal and whose condition holds is played. Nobody else hears of it.
"""
AVAILABILITY_DESCRIPTION = """\
No time runs on your turns while you sleep, on your days off and on vacation, by the clock of your zone: in
all your games, and a vacation in one alone where it names that. You can play all the same. Only you are told
your hours of sleep and your days off; that you are away the others see. Where your zone is known and you have
set no hours of sleep, no reminder comes from 22:00 to 8:00 and a turn that would end then ends at 9:00, in
games whose turns have twelve hours or more.
"""
REMINDERS_DESCRIPTION = """\
A reminder comes when half, and another when an eighth of the time for your turn is left: never at night,
nor while no time runs on it.
"""
LOG_DESCRIPTION = """\
JSON Lines: each line is one `Fact`, in order.

Of a game that is over this is the whole log, which `alexandros replay` checks: all hands and drawn
cards are in it, and the first fact of each act has `meta` (when, which seat, by which way, in which
words). While a game runs it is only what you are told: `"card": null` stands for a card that somebody
else drew, null in `hands` for a hand that you did not see; `meta` is then `{"act": N}`, and with it
`"door": "plan"` where a plan of yours was played, which nobody else is told before the end. Of a game
that has not begun the log is empty.
"""
LOG_EXAMPLE = (
    '{"type": "card_drawn", "seat": 1, "card": null, "meta": {"act": 18}}\n'
    '{"type": "turn_ended", "seat": 1, "meta": {"act": 18}}\n'
)


class _UntitledJsonSchema(GenerateJsonSchema):
    """Schemas without titles that only repeat the names of their keys."""

    def field_title_should_be_set(self, schema: core_schema.CoreSchema) -> bool:
        """Never."""
        return False


@cache
def build_openapi(base: str, per_minute: int) -> str:
    """The document as JSON; `base` is where our pages are."""
    shapes = [
        *((one, "validation") for one in (Acts, VoteRequest, PlanRequest, AvailabilityRequest)),
        *((one, "validation") for one in (VacationRequest, VacationEnd, ReminderRequest)),
        *((one, "serialization") for one in (GameView, Games, Advice, ActResult, VoteResult, Problem)),
        *((one, "serialization") for one in (ReturnResult, PlanView, AvailabilityView, ReminderView, Fact)),
    ]
    _, found = models_json_schema(
        shapes,  # type: ignore[arg-type]
        ref_template=SCHEMAS + "{model}",
        schema_generator=_UntitledJsonSchema,
    )
    titles = {name: schema["title"] for name, schema in found["$defs"].items()}
    whole: JsonObject = {
        "openapi": "3.1.0",
        "info": {
            "title": "Alexandros by mail",
            "version": "1",
            "description": DESCRIPTION.format(base=base, per_minute=per_minute),
        },
        "servers": [{"url": base}],
        "security": [{"key": []}],
        "paths": _paths(),
        "components": {
            "schemas": {titles[name]: schema for name, schema in found["$defs"].items()},
            "responses": {kind.name: problem_response(status) for status, kind in PROBLEM_KINDS.items()},
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key of yours, from `/me/browsers`.",
                }
            },
        },
    }
    return _use_titles(json.dumps(whole, ensure_ascii=False), titles)


def _use_titles(document: str, titles: dict[str, str]) -> str:
    """The document with each schema under its title: what programs know stays when a class is renamed."""
    return re.sub(rf'"{SCHEMAS}(\w+)"', lambda found: f'"{SCHEMAS}{titles[found[1]]}"', document)


def _paths() -> JsonObject:
    game = parameter("game", "path", "The id of the game.", {"type": "string", "pattern": "^[a-z2-7]{8}$"})
    seat_is = "Look for this seat of yours; needed only where several are."
    seat = parameter("seat", "query", seat_is, {"type": "integer", "minimum": 0, "maximum": 3})
    tag = parameter("If-None-Match", "header", "The `ETag` of the answer you have.", {"type": "string"})
    number = {"type": "integer", "minimum": 0, "maximum": LARGEST_ACT_NUMBER, "default": 0}
    after = parameter("after", "query", "Only what came after the act of this number.", number)
    pages = {"type": "integer", "minimum": 1, "maximum": 10_000, "default": 1}
    page = parameter("page", "query", f"Which page of the list; each has {PAGE_SIZE} games.", pages)
    fresh: JsonObject = {
        "ETag": {"description": "Changes whenever the answer does.", "schema": {"type": "string"}}
    }
    unchanged: JsonObject = {"304": {"description": "Nothing has changed since.", "headers": fresh}}
    lines: JsonObject = {"type": "string", "description": "Lines, each of them a `Fact`."}
    anybody: JsonObject = {"security": [{"key": []}, {}]}
    return {
        "/api/games": {
            "get": operation("listGames", "Your games", "The one opened last first.",
                json_response("Games"), 400, 401,
            )
            | {"parameters": [page]}
        },
        "/api/games/{game}": {
            "get": operation(
                "getGame", "A game as you may know it", "With what you can do now, where it is your turn.",
                json_response("GameView", fresh) | unchanged, 400, 401, 403, 404,
            )
            | {"parameters": [game, seat, tag]} | anybody
        },
        "/api/games/{game}/log": {
            "get": operation(
                "getLog", "What has happened in a game", LOG_DESCRIPTION,
                ok_response("application/jsonl", {"schema": lines, "example": LOG_EXAMPLE}),
                400, 401, 403, 404,
            )
            | {"parameters": [game, after, seat]} | anybody
        },
        **_turn_paths(game, seat),
        **_plan_paths(game, seat),
        **_availability_paths(),
        "/api/openapi.json": {
            "get": {
                "operationId": "getDocument",
                "summary": "This document",
                "security": [],
                "responses": ok_response("application/json", {"schema": {"type": "object"}})
                | problem_responses(405),
            }
        },
    }  # fmt: skip


def _turn_paths(game: JsonObject, seat: JsonObject) -> JsonObject:
    """What whoever is to move asks and does."""
    return {
        "/api/games/{game}/advice": {
            "get": operation(
                "getAdvice", "A few good turns for you", ADVICE_DESCRIPTION,
                json_response("Advice"), 400, 401, 403, 404, 422,
            )
            | {"parameters": [game, seat]}
        },
        "/api/games/{game}/acts": {
            "post": operation(
                "act", "Act in a game, or look what an act would do",
                "All lines are done in order, or none of them.",
                json_response("ActResult"), 400, 401, 403, 404, 409, 413, 415, 422,
            )
            | {"parameters": [game], "requestBody": request_body("Acts")}
        },
        "/api/games/{game}/back": {
            "post": operation(
                "comeBack", "Say that you are back", "No caretaker plays your seat any more.",
                json_response("ReturnResult"), 400, 401, 403, 404, 422,
            )
            | {"parameters": [game, seat]}
        },
        "/api/games/{game}/votes": {
            "post": operation(
                "castVote", "Ask all players for something, or answer a vote", VOTE_DESCRIPTION,
                json_response("VoteResult"), 400, 401, 403, 404, 409, 413, 415, 422,
            )
            | {"parameters": [game], "requestBody": request_body("VoteRequest")}
        },
    }  # fmt: skip


def _plan_paths(game: JsonObject, seat: JsonObject) -> JsonObject:
    """What whoever waits plans for their next turn."""
    return {
        "/api/games/{game}/plan": {
            "get": operation(
                "getPlan", "Your plan for your next turn", PLAN_DESCRIPTION,
                json_response("PlanView"), 400, 401, 403, 404, 422,
            )
            | {"parameters": [game, seat]},
            "post": operation(
                "setPlan", "Keep a plan for your next turn, or withdraw it", PLAN_DESCRIPTION,
                json_response("PlanView"), 400, 401, 403, 404, 413, 415, 422,
            )
            | {"parameters": [game], "requestBody": request_body("PlanRequest")},
        },
    }  # fmt: skip


def _availability_paths() -> JsonObject:
    """When the clock of a player stands still, and when it reminds them."""
    one_game = "Whose vacations and allowance are told too, beside those of all games."
    game = parameter("game", "query", one_game, {"type": "string", "pattern": "^[a-z2-7]{8}$"})
    of_game = game | {"description": "The game of yours that is asked about; else all."}
    told, answered = AVAILABILITY_DESCRIPTION, json_response("AvailabilityView")
    return {
        "/api/availability": {
            "get": operation(
                "getAvailability", "When no time runs on your turns", told, answered, 400, 401, 403, 404
            )
            | {"parameters": [game]},
            "post": operation(
                "setAvailability", "Set your time zone, hours of sleep and days off", told, answered,
                400, 401, 413, 415, 422,
            )
            | {"requestBody": request_body("AvailabilityRequest")},
        },
        "/api/vacations": {
            "post": operation(
                "takeVacation", "Be away for some days", told, answered, 400, 401, 403, 404, 413, 415, 422
            )
            | {"requestBody": request_body("VacationRequest")},
        },
        "/api/vacations/end": {
            "post": operation(
                "endVacation", "Be back, or be there after all", told, answered,
                400, 401, 403, 404, 413, 415, 422,
            )
            | {"requestBody": request_body("VacationEnd")},
        },
        "/api/reminders": {
            "get": operation(
                "getReminders", "Whether you are reminded of your turns", REMINDERS_DESCRIPTION,
                json_response("ReminderView"), 400, 401, 403, 404,
            )
            | {"parameters": [of_game]},
            "post": operation(
                "setReminders", "Set whether you are reminded of your turns", REMINDERS_DESCRIPTION,
                json_response("ReminderView"), 400, 401, 403, 404, 413, 415, 422,
            )
            | {"requestBody": request_body("ReminderRequest")},
        },
    }  # fmt: skip
