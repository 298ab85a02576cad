"""Problem documents (RFC 9457) for errors of the API, one kind for each status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Response, request
from werkzeug.exceptions import HTTPException

from emails.i18n import gettext, gettext_noop
from server.store.refusals import Refusal, RefusalCode
from server.web.api.schemas import Problem
from server.web.kit.request_context import current_context

API_PATH = "/api/"
DOCUMENT_PATH = "/api/openapi.json"
PROBLEM_MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ProblemKind:
    name: str
    title: str
    usual: str
    """Sentence if there is no more specific one."""
    told: str


PROBLEM_KINDS = {
    400: ProblemKind(
        "NotUnderstood",
        gettext_noop("That could not be understood"),
        gettext_noop("What was sent cannot be read. Nothing was done."),
        "The body is no JSON of the described shape, or a parameter is not what it must be.",
    ),
    401: ProblemKind(
        "NoKey",
        gettext_noop("A key is needed"),
        gettext_noop("This needs a key: send the header “Authorization: Bearer” followed by the key."),
        "There is no key where one is needed, or the key is not one of ours, or it was ended.",
    ),
    403: ProblemKind(
        "NotYours",
        gettext_noop("That is not your seat"),
        gettext_noop("You have no seat in this game, so you can only watch it."),
        "The seat is not the caller's.",
    ),
    404: ProblemKind(
        "NotHere",
        gettext_noop("There is nothing here"),
        gettext_noop("There is no such game, or it is not shown to you."),
        "There is no such address or game, or the game is not shown to the caller: nothing tells which.",
    ),
    405: ProblemKind(
        "NotInThisWay",
        gettext_noop("Not in this way"),
        gettext_noop("This address cannot be asked in that way. Nothing was done."),
        "This address does not know the method; `Allow` names those that it knows.",
    ),
    409: ProblemKind(
        "Stale",
        gettext_noop("The game has moved on"),
        gettext_noop("The game has moved on since you saw it. Nothing was done."),
        "Somebody acted in between. `after` says where the game is now: look again and decide anew.",
    ),
    413: ProblemKind(
        "TooLarge",
        gettext_noop("That is too much"),
        gettext_noop("What was sent is larger than can be taken here. Nothing was done."),
        "The body has too many bytes.",
    ),
    415: ProblemKind(
        "NotJson",
        gettext_noop("Only JSON is read here"),
        gettext_noop(
            "The body must be JSON, with the header “Content-Type: application/json”. Nothing was done."
        ),
        "The body is not said to be `application/json`.",
    ),
    422: ProblemKind(
        "Refused",
        gettext_noop("Nothing was done"),
        gettext_noop("That cannot be done."),
        "The orders cannot be read, could mean several things, or are against the rules; nothing was done. "
        "`candidates` and `did_you_mean` say what can be sent instead.",
    ),
    429: ProblemKind(
        "TooOften",
        gettext_noop("That is too often"),
        gettext_noop("That was asked too often. Please wait for a while."),
        "Too many calls within a minute; `Retry-After` says for how many seconds to wait.",
    ),
    500: ProblemKind(
        "Broken",
        gettext_noop("Something went wrong here"),
        gettext_noop("That is our fault, not yours. Please try again later."),
        "A fault of the server.",
    ),
    503: ProblemKind(
        "Unavailable",
        gettext_noop("Not just now"),
        gettext_noop("Nothing was done. Please try again in a minute."),
        "The server's database is away or its disk is full; `Retry-After` says for how many seconds to wait.",
    ),
}


STATUS_OF_REFUSAL = {RefusalCode.STALE: 409, RefusalCode.NOT_RUNNING: 404}
"""Status by refusal code; 422 for all others."""
NOTHING_MORE: Mapping[str, object] = {}
NO_HEADERS: Mapping[str, str] = {}


class ApiError(Refusal):
    """An error answer; `more` are further keys of the problem document, such as `after`."""

    code = RefusalCode.REQUEST

    def __init__(
        self,
        status: int,
        detail: str = "",
        more: Mapping[str, object] = NOTHING_MORE,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        super().__init__(detail or gettext(PROBLEM_KINDS[status].usual))
        self.status, self.more, self.headers = status, more, headers


class OrdersError(ApiError):
    code = RefusalCode.ORDERS


class StaleError(ApiError):
    """The act was meant for an earlier position."""

    code = RefusalCode.STALE


def render_problem(wrong: ApiError) -> Response:
    kind = PROBLEM_KINDS[wrong.status]
    problem = Problem.model_validate(
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


def render_refusal(refusal: Refusal) -> Response:
    return render_problem(ApiError(STATUS_OF_REFUSAL.get(refusal.code, 422), refusal.sentence))


def render_http_error(error: HTTPException) -> Response:
    given = error.code or 500
    status = given if given in PROBLEM_KINDS else 400 if given < 500 else 500
    detail = (
        gettext("There is no such address in the API.") if status == 404 and request.url_rule is None else ""
    )
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return render_problem(ApiError(status, detail, headers=headers))
