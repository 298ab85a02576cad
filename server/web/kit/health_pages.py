"""Health and metrics for programs that monitor the server.

`/livez` only says that the process answers, without use of the database, for load balancers and
supervisors. `/readyz` names the failing parts. `/metrics` answers only the monitors named in the settings.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, request

from server import readiness
from server.configuration.network import Endpoint, is_within, parse_address
from server.web.kit.middleware import UNKNOWN_VISITOR
from server.web.kit.request_context import current_context, now

METRICS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
WELL = "ok\n"

pages = Blueprint("health_pages", __name__)


@pages.get("/livez")
@pages.get("/healthz")
def show_life() -> Response:
    return _plain_response(WELL)


@pages.get("/readyz")
def show_readiness() -> Response:
    failing = current_context().health.find_failing()
    return _plain_response("".join(f"{part}\n" for part in failing) or WELL, 503 if failing else 200)


@pages.get("/metrics")
def show_metrics() -> Response:
    if not _is_monitor():
        abort(404)
    answer = _plain_response(readiness.render_metrics(current_context(), now()))
    answer.headers["Content-Type"] = METRICS_MEDIA_TYPE
    return answer


def _is_monitor() -> bool:
    """Return whether the request comes directly from a configured monitor.

    If a proxy does not forward the visitor's address, the request seems to come from the proxy itself. So a
    request from this machine or a trusted proxy counts only if it does not use our public host name
    (config/watching.md).
    """
    address, settings = parse_address(request.remote_addr or ""), current_context().settings
    if address is None or UNKNOWN_VISITOR in request.environ:
        return False
    may_be_proxy = address.is_loopback or is_within(address, settings.trusted_proxies)
    if may_be_proxy and _is_public_name(request.host):
        return False
    return is_within(address, settings.monitors)


def _is_public_name(host: str) -> bool:
    names = (urlsplit(f"//{host}"), urlsplit(current_context().settings.base_url))
    asked, ours = ((one.hostname or "").rstrip(".") for one in names)
    return asked == ours and not Endpoint(ours, 1).is_loopback


def _plain_response(words: str | bytes, status: int = 200) -> Response:
    answer = Response(words, status, mimetype="text/plain")
    answer.headers["Cache-Control"] = "no-store"
    return answer
