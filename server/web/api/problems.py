"""Why something was not answered: problem documents as RFC 9457 has them, one kind for each status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import Response, request
from werkzeug.exceptions import HTTPException

from emails.i18n import say, sentence
from server.web.api.shapes import Problem
from server.web.kit.request_context import office

PATH = "/api/"
"""Where the addresses of the API begin."""
DOCUMENT = "/api/openapi.json"
MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem."""

    name: str
    """Of its description in the document."""
    title: str
    usual: str
    """What is said where there is nothing more exact."""
    told: str
    """What the document says of it, always in English."""


KINDS = {
    400: Kind(
        "NotUnderstood",
        sentence("That could not be understood"),
        sentence("What was sent cannot be read. Nothing was done."),
        "The body is no JSON of the described shape, or a parameter is not what it must be.",
    ),
    401: Kind(
        "NoKey",
        sentence("A key is needed"),
        sentence("This needs a key: send the header “Authorization: Bearer” followed by the key."),
        "There is no key where one is needed, or the key is not one of ours, or it was ended.",
    ),
    403: Kind(
        "NotYours",
        sentence("That is not your seat"),
        sentence("You have no seat in this game, so you can only watch it."),
        "The seat is not the caller's.",
    ),
    404: Kind(
        "NotHere",
        sentence("There is nothing here"),
        sentence("There is no such game, or it is not shown to you."),
        "There is no such address or game, or the game is not shown to the caller: nothing tells which.",
    ),
    405: Kind(
        "NotInThisWay",
        sentence("Not in this way"),
        sentence("This address cannot be asked in that way. Nothing was done."),
        "This address does not know the method; `Allow` names those that it knows.",
    ),
    409: Kind(
        "Stale",
        sentence("The game has moved on"),
        sentence("The game has moved on since you saw it. Nothing was done."),
        "Somebody acted in between. `after` says where the game is now: look again and decide anew.",
    ),
    413: Kind(
        "TooLarge",
        sentence("That is too much"),
        sentence("What was sent is larger than can be taken here. Nothing was done."),
        "The body has too many bytes.",
    ),
    415: Kind(
        "NotJson",
        sentence("Only JSON is read here"),
        sentence(
            "The body must be JSON, with the header “Content-Type: application/json”. Nothing was done."
        ),
        "The body is not said to be `application/json`.",
    ),
    422: Kind(
        "Refused",
        sentence("Nothing was done"),
        sentence("That cannot be done."),
        "The orders cannot be read, could mean several things, or are against the rules; nothing was done. "
        "`candidates` and `did_you_mean` say what can be sent instead.",
    ),
    429: Kind(
        "TooOften",
        sentence("That is too often"),
        sentence("That was asked too often. Please wait for a while."),
        "Too many calls within a minute; `Retry-After` says for how many seconds to wait.",
    ),
    500: Kind(
        "Broken",
        sentence("Something went wrong here"),
        sentence("That is our fault, not yours. Please try again later."),
        "A fault of the server.",
    ),
}
"""For each status its kind."""


@dataclass(slots=True)
class Wrong(Exception):
    """Something that is not answered; `more` are further keys of the document, such as `after`."""

    status: int
    detail: str = ""
    more: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def refuse(wrong: Wrong) -> Response:
    """The problem document of something that is not answered."""
    kind = KINDS[wrong.status]
    problem = Problem.model_validate(
        {
            "type": f"{office().settings.base_url}{DOCUMENT}#/components/responses/{kind.name}",
            "title": say(kind.title),
            "status": wrong.status,
            "detail": wrong.detail or say(kind.usual),
            **wrong.more,
        }
    )
    said = problem.model_dump_json(exclude_unset=True)
    return Response(said, wrong.status, dict(wrong.headers), content_type=MEDIA_TYPE)


def refuse_known(error: HTTPException) -> Response:
    """The same for what Flask refuses by itself: an address, a method, a size; and for our own faults."""
    given = error.code or 500
    status = given if given in KINDS else 400 if given < 500 else 500
    detail = say("There is no such address in the API.") if status == 404 and request.url_rule is None else ""
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return refuse(Wrong(status, detail, headers=headers))
