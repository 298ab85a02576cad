"""Pages for the operator: the desk, which does the work of the operator's commands, and health and metrics.

The desk needs a session of the operator (the address in ALEXANDROS_OPERATOR) that is at most an hour old. An
older session of the operator is redirected to the sign-in form. For other visitors the first page redirects
too, whether or not there is an operator; other pages answer 404.

Programs monitor the server by the pages of its health. `/livez` only says that the process answers, without
use of the database, for load balancers and supervisors. `/readyz` names the failing parts. `/metrics` answers
only the monitors named in the settings.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.letters.lobby_letters import LONGEST_ADDRESS
from server import readiness
from server.accounts import sign_in
from server.accounts.sign_in import DESK_PAGE
from server.admin.game_sheets import describe_sheet
from server.admin.interventions import (
    ask_new_address,
    extend_turn,
    list_failed_letters,
    pause_game,
    read_mail_again,
    replace_player,
    resume_game,
    send_letter_again,
)
from server.admin.reports import LONGEST_WORD, describe_backlog, describe_correspondence, find_by_word
from server.admin.setup_check import CheckResult, LiveProbes, check_setup
from server.monitoring import SecurityEvent
from server.network import Endpoint, is_within, parse_address
from server.retention import delete_all_expired
from server.store.models import Player
from server.web.kit import visitors
from server.web.kit.forms import FormPages
from server.web.kit.request_context import (
    UNKNOWN_VISITOR,
    current_context,
    in_transaction,
    now,
    redirect_to,
    session_token,
)

OPEN_FOR = timedelta(hours=1)
SURROUNDINGS = "surroundings"
CHECKING = Lock()  # one check at a time, since it blocks a thread of the web server
MOST_PIECES = 5
MOST_DIGITS = 18
pages = FormPages("desk_pages", __name__, url_prefix="/desk")


@pages.before_request
def check_operator() -> ResponseReturnValue | None:
    """Return None for the operator with a recent session; redirect others to sign in, or answer 404."""
    context, player = current_context(), visitors.signed_in_player()
    known, fresh = _is_operator(player)
    if player is None or not (known and fresh):
        if known or request.endpoint == "desk_pages.show_desk":
            return redirect_to("sign_in_pages.request_link", to=DESK_PAGE)
        abort(404)
    context.security.note(SecurityEvent.DESK_USED, visitors.visitor_network(), now(), player=player)
    return None


def _is_operator(player: int | None) -> tuple[bool, bool]:
    context = current_context()
    if player is None or context.settings.operator is None:
        return False, False
    with context.reading() as session:
        known = session.get_one(Player, player)
        browser = sign_in.find_browser(session, session_token(), now())
    is_theirs = known.address.lower() == context.settings.operator.lower() and known.confirmed_at is not None
    return is_theirs, browser is not None and browser.at > now() - OPEN_FOR


@pages.get("")
def show_desk() -> str:
    context, word = current_context(), request.args.get("word", "")[:LONGEST_WORD]
    with context.reading() as session:
        found = list(find_by_word(session, word, now()))
        failed = list(list_failed_letters(session, now()))
    backlog = list(describe_backlog(context, now()))
    return _render_desk(gettext("The desk"), [], word=word, found=found, failed=failed, backlog=backlog)


@pages.get("/mail")
def show_correspondence() -> str:
    address = request.args.get("address", "")[:LONGEST_WORD]
    found = list(describe_correspondence(current_context(), address, now()))
    told = found or ["No player has this address, and no stored letter or mail is to or from it."]
    return _render_desk(gettext("Mail"), told, address=address if found else "")


def _name_game(game: str = "") -> str:
    return game


def _render_refused(game: str, wrong: str) -> str:
    return _render_desk(gettext("The desk"), [], wrong=wrong, game=game)


def _render_done(done: str, game: str = "") -> str:
    return _render_desk(gettext("The desk"), [], done=done, game=game)


@pages.button("/mail", _name_game, _render_refused)
def change_address(_: str) -> ResponseReturnValue:
    known, new = _read_address("known"), _read_address("new")
    return _render_done(ask_new_address(current_context(), known, new, _moment()))


@pages.get("/game/<game>")
def show_game(game: str) -> str:
    lines = list(describe_sheet(current_context(), game, now()))
    if not lines:
        abort(404)
    return _render_desk(gettext("Game"), lines, game=game)


@pages.button("/game/<game>", _name_game, _render_refused)
def change_game(game: str) -> ResponseReturnValue:
    hours, seat, address = _read_number("hours"), _read_number("seat"), _read_address("address")
    works: dict[str, Callable[[], str]] = {
        "pause": lambda: pause_game(current_context(), game, _moment()),
        "resume": lambda: resume_game(current_context(), game, _moment()),
        "extend": lambda: extend_turn(current_context(), game, hours, _moment()),
        "replace": lambda: replace_player(current_context(), game, seat - 1, address, _moment()),
    }
    work = works.get(request.form.get("wish", "")) or abort(400)
    return _render_done(work(), game)


@pages.button("/repair", _name_game, _render_refused)
def repair(_: str) -> ResponseReturnValue:
    works = {"resend": send_letter_again, "retry": read_mail_again}
    work = works.get(request.form.get("wish", "")) or abort(400)
    return _render_done(in_transaction(lambda unit: work(unit, _read_number("number"))))


@pages.button("/care", _name_game, _render_refused)
def care_for_server(_: str) -> ResponseReturnValue:
    works = {"check": _check_setup, "prune": _delete_expired}
    work = works.get(request.form.get("wish", "")) or abort(400)
    return _render_desk(gettext("The desk"), work())


def _check_setup() -> list[str]:
    make: Callable[[], LiveProbes] = current_app.config.get(SURROUNDINGS, LiveProbes)
    if not CHECKING.acquire(blocking=False):
        return ["The setup is being looked at: wait a little."]
    try:
        found = list(check_setup(current_context().settings, make(), _moment()))
    finally:
        CHECKING.release()
    told = [one for one in found if one.verdict is not CheckResult.OK]
    lines = [f"{one.verdict} {one.what}: {one.said}. {one.advice}".rstrip() for one in told]
    return [*lines, f"{len(found) - len(told)} of {len(found)} things are ok."]


def _delete_expired() -> list[str]:
    context = current_context()
    deleted = delete_all_expired(context, _moment(), MOST_PIECES)
    lines = [f"{rows} {table}" for table, rows in deleted.items()]
    if context.next_cleanup is None:
        lines.append("There is more: press again, or let the clock do it.")
    return lines or ["Nothing has expired."]


def _moment() -> datetime:
    return now().replace(microsecond=0)


def _read_number(name: str) -> int:
    text = request.form.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else 0


def _read_address(name: str) -> str:
    return request.form.get(name, "").strip()[: LONGEST_ADDRESS + 1]


def _render_desk(title: str, lines: list[str], **known: object) -> str:
    empty: dict[str, object] = {"word": "", "found": [], "failed": [], "backlog": []}
    given = {**empty, "game": "", "address": "", "done": "", "wrong": "", **known}
    given |= {"title": title, "lines": lines, "longest": LONGEST_ADDRESS}
    return render_template("desk.html", **given)


# --- health ---------------------------------------------------------------------------------------------

METRICS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
WELL = "ok\n"

health = Blueprint("health_pages", __name__)


@health.get("/livez")
@health.get("/healthz")
def show_life() -> Response:
    return _plain_response(WELL)


@health.get("/readyz")
def show_readiness() -> Response:
    failing = current_context().health.find_failing()
    return _plain_response("".join(f"{part}\n" for part in failing) or WELL, 503 if failing else 200)


@health.get("/metrics")
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
    names = urlsplit(f"//{request.host}"), urlsplit(settings.base_url)
    asked, ours = ((one.hostname or "").rstrip(".") for one in names)
    is_public_name = asked == ours and not Endpoint(ours, 1).is_loopback
    may_be_proxy = address.is_loopback or is_within(address, settings.trusted_proxies)
    return not (may_be_proxy and is_public_name) and is_within(address, settings.monitors)


def _plain_response(words: str | bytes, status: int = 200) -> Response:
    answer = Response(words, status, mimetype="text/plain")
    answer.headers["Cache-Control"] = "no-store"
    return answer
