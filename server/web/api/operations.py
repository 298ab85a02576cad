"""Operations as the document of the API describes them: what is sent, what is answered, what can go wrong."""

from __future__ import annotations

from server.web.api.event_shapes import JsonObject
from server.web.api.problems import PROBLEM_KINDS, PROBLEM_MEDIA_TYPE

SCHEMAS = "#/components/schemas/"
RETRY_AFTER = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
RESPONSE_HEADERS: dict[int, JsonObject] = {
    401: {"WWW-Authenticate": {"description": "Always a `Bearer` challenge.", "schema": {"type": "string"}}},
    405: {"Allow": {"description": "The methods that are known.", "schema": {"type": "string"}}},
    429: {"Retry-After": RETRY_AFTER},
}


def parameter(name: str, place: str, told: str, schema: JsonObject) -> JsonObject:
    """A part of an address or a header; one of the path is always needed."""
    required = place == "path"
    return {"name": name, "in": place, "required": required, "description": told, "schema": schema}


def operation(name: str, summary: str, told: str, answers: JsonObject, *refused: int) -> JsonObject:
    """An operation with its good answers and the statuses of what can go wrong; some can with each."""
    responses = answers | problem_responses(*refused, 405, 429)
    return {"operationId": name, "summary": summary, "description": told, "responses": responses}


def request_body(shape: str) -> JsonObject:
    """JSON of a shape, which has to be sent."""
    return {"required": True, "content": {"application/json": {"schema": {"$ref": SCHEMAS + shape}}}}


def json_response(shape: str, headers: JsonObject | None = None) -> JsonObject:
    """The good answer as JSON of a shape."""
    return ok_response("application/json", {"schema": {"$ref": SCHEMAS + shape}}, headers)


def ok_response(media_type: str, content: JsonObject, headers: JsonObject | None = None) -> JsonObject:
    """The good answer as anything else."""
    good: JsonObject = {"description": "As asked.", "content": {media_type: content}}
    return {"200": good | ({"headers": headers} if headers else {})}


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
