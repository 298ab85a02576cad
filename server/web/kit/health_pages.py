"""What programs ask that watch the server: whether it lives, whether it is well, and what it has counted.

`/livez` says that the process answers, and nothing of its database: whoever balances load or restarts what
hangs asks that. `/readyz` names the parts that fail, for whoever is to be told. `/metrics` is for the
monitors that the settings name.
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
    """The process answers."""
    return _plain_response(WELL)


@pages.get("/readyz")
def show_readiness() -> Response:
    """Whether all parts are well; else the words of those that fail, and no more."""
    failing = current_context().health.find_failing()
    return _plain_response("".join(f"{part}\n" for part in failing) or WELL, 503 if failing else 200)


@pages.get("/metrics")
def show_metrics() -> Response:
    """What is counted and measured, for the monitors alone; others find nothing here."""
    if not _is_monitor():
        abort(404)
    answer = _plain_response(readiness.render_metrics(current_context(), now()))
    answer.headers["Content-Type"] = METRICS_MEDIA_TYPE
    return answer


def _is_monitor() -> bool:
    """Whether a monitor asks; nobody is one of whom an untrusted proxy, or one that we cannot read, tells.

    A proxy that tells of nobody looks like the machine it runs on. So nobody at this machine, and no trusted
    proxy, is one who asks by our public name; one that hides that name too is none that we can tell
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
    """Whether a request asks for us by the name in our links, which is not that of every machine itself."""
    names = (urlsplit(f"//{host}"), urlsplit(current_context().settings.base_url))
    asked, ours = ((one.hostname or "").rstrip(".") for one in names)
    return asked == ours and not Endpoint(ours, 1).is_loopback


def _plain_response(words: str | bytes, status: int = 200) -> Response:
    answer = Response(words, status, mimetype="text/plain")
    answer.headers["Cache-Control"] = "no-store"
    return answer
