"""Operations as the document of the API describes them: what is sent, what is answered, what can go wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPMethod

from pydantic import BaseModel

from server.web.api.event_shapes import ApiShape, JsonObject
from server.web.api.problems import PROBLEM_KINDS, PROBLEM_MEDIA_TYPE

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
    """A call of the API."""

    method: HTTPMethod
    path: str
    name: str
    summary: str
    told: str
    answer: type[BaseModel] | JsonObject
    """The shape of the good answer, or what it is otherwise."""
    body: type[BaseModel] | None = None
    parameters: tuple[JsonObject, ...] = ()
    refused: tuple[int, ...] = ()
    """What can go wrong beside what does with every call, with a game and with a body."""
    more: JsonObject = field(default_factory=dict)
    """What else the document says of it."""
    run: Callable[..., ApiShape] | None = None
    """Does it for a player, given what the path and then the query name; None: it has a route of its own."""

    def describe(self) -> JsonObject:
        """The operation as the document has it."""
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
    """Where a shape is described."""
    return {"$ref": SCHEMAS + shape.__name__}


def parameter(name: str, place: str, told: str, schema: JsonObject) -> JsonObject:
    """A part of an address or a header; one of the path is always needed."""
    required = place == "path"
    return {"name": name, "in": place, "required": required, "description": told, "schema": schema}


def whole_number(least: int, most: int) -> JsonObject:
    """The schema of a whole number between two."""
    return {"type": "integer", "minimum": least, "maximum": most}


def json_response(shape: type[BaseModel], more: JsonObject | None = None) -> JsonObject:
    """The good answer as JSON of a shape."""
    return ok_response("application/json", {"schema": refer_to(shape)}, more)


def ok_response(media_type: str, content: JsonObject, more: JsonObject | None = None) -> JsonObject:
    """The good answer as anything else."""
    return {"200": {"description": "As asked.", "content": {media_type: content}} | (more or {})}


def problem_responses(*statuses: int) -> JsonObject:
    """Where each kind of problem is described that a call can meet."""
    return {
        str(one): {"$ref": f"#/components/responses/{PROBLEM_KINDS[one].name}"} for one in sorted(statuses)
    }


def problem_response(status: int) -> JsonObject:
    """A kind of problem with an example of it."""
    kind = PROBLEM_KINDS[status]
    example = {"type": "about:blank", "title": kind.title, "status": status, "detail": kind.usual}
    content: JsonObject = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": SCHEMAS + "Problem"}, "example": example}}
    headers = {"headers": RESPONSE_HEADERS[status]} if status in RESPONSE_HEADERS else {}
    return {"description": kind.told, "content": content, **headers}
