"""Visitors: sessions, bans, and limits on the actions of one visitor.

The session token has a cookie of its own. If the token were in the signed cookie (cookies.py), a late
response could restore an old token after the user signs in or out. A banned network cannot open games, join
them or request sign-in links. A player with a banned address has no session, and links in the player's
letters affect no other player; unsubscribing and giving a seat back still work.

Limits are counted in the database, across processes and restarts. For frequent actions, such as steps on the
board and API calls, a process reserves several at once. Flask-Limiter is not used: it needs four packages and
a separate store.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from threading import Lock
from time import monotonic, sleep
from typing import Any

from flask import Flask, Response, abort, current_app, g, request, url_for
from sqlmodel import Session, col, delete, func, select
from werkzeug.exceptions import HTTPException

from emails.wording import phrases
from server.accounts import sign_in
from server.configuration.network import network_of
from server.outbox.budgets import Origin, OriginKind, is_network_blocked, is_player_banned, player_origin
from server.outbox.notifications import load_preferences
from server.security_log import AttemptChannel, SecurityEvent
from server.store.context import Context
from server.store.event_log import Refusal, RefusalCode
from server.store.models import Player, Visit
from server.web.kit import cookies, locale
from server.web.kit.cookies import session_token
from server.web.kit.request_context import current_context, is_mail_down, now, redirect_to

EVEN_ANSWER_SECONDS = 0.1
"""Minimum seconds that a request for a link takes, so that it does not show whether a mail is sent."""


@contextmanager
def constant_time() -> Iterator[None]:
    """Pad the run time of the block to a constant, which reveals nothing. Exceptions are not delayed."""
    begun = monotonic()
    yield
    sleep(max(0, begun + EVEN_ANSWER_SECONDS - monotonic()))


NO_NETWORK = "no network"
"""Stands for visitors without an address, as over a Unix socket."""
MOST_VISITORS = 10_000
"""Maximum visitors with reserved quota; a new one replaces the visitor who was seen least recently."""
HOUR = timedelta(hours=1)
SHARES = 24  # a process reserves 1/24 of a limit at once, to save transactions


class LimitedAction(StrEnum):
    ADVICE = "advice"
    GAMES = "games"
    JOINS = "joins"
    SIGN_INS = "sign-ins"
    API = "api"
    PAGES_SEEN = "pages-seen"
    STEPS = "steps"
    DAYS_AWAY = "days-away"


@dataclass(slots=True)
class RateQuotas:
    """Quota that this process has reserved in the database, by action and visitor."""

    _left: OrderedDict[tuple[LimitedAction, str], tuple[int, datetime]] = field(default_factory=OrderedDict)
    """Remaining actions and the moment of the reservation; the most recent visitor last."""
    _lock: Lock = field(default_factory=Lock)

    def use(self, whose: tuple[LimitedAction, str], moment: datetime, within: timedelta) -> bool:
        """Use one reserved action; return False if none is left or the reservation is older than `within`."""
        with self._lock:
            left, since = self._left.pop(whose, (0, moment))
            if left == 0 or abs(moment - since) >= within:  # also if the clock was set back far
                return False
            self._left[whose] = left - 1, since
            return True

    def put(self, whose: tuple[LimitedAction, str], times: int, moment: datetime) -> None:
        with self._lock:
            before, _ = self._left.pop(whose, (0, moment))  # two threads may have reserved at once
            self._left[whose] = before + times, moment
            while len(self._left) > MOST_VISITORS:
                self._left.popitem(last=False)


def allow(what: LimitedAction, most: int, visitor: str | None = None) -> bool:
    """Count an action of a visitor. Returns False after `most` actions within the hour."""
    who = visitor_network() if visitor is None else visitor
    allowed = allow_stored(current_context(), what, most, who, now())
    if not allowed:
        note_limit(what, who)
    return allowed


class LimitReached(Refusal):
    code = RefusalCode.BUDGET


def check_limit(what: LimitedAction, most: int, sentence: str, visitor: str | None = None) -> None:
    """Count an action of a visitor. Raises `LimitReached` after `most` actions within the hour."""
    if not allow(what, most, visitor):
        raise LimitReached(sentence)


def allow_often(what: LimitedAction, most: int, visitor: str, within: timedelta = HOUR) -> bool:
    """Count a frequent action of a visitor by reserved quota. Returns False at the limit."""
    shares: RateQuotas = current_app.extensions.setdefault("rate limit", RateQuotas())
    allowed = allow_share(current_context(), shares, what, most, visitor, now(), within)
    if not allowed:
        note_limit(what, visitor)
    return allowed


def allow_share(
    context: Context,
    shares: RateQuotas,
    what: LimitedAction,
    most: int,
    visitor: str,
    moment: datetime,
    within: timedelta = HOUR,
) -> bool:
    """Count an action of a visitor, if possible by the quota in `shares`. Returns False at the limit."""
    if shares.use((what, visitor), moment, within):
        return True
    times = max(1, most // SHARES)
    if not allow_stored(context, what, most // times, visitor, moment, within):
        return False
    if times > 1:
        shares.put((what, visitor), times - 1, moment)
    return True


def allow_stored(
    context: Context, what: LimitedAction, most: int, visitor: str, moment: datetime, within: timedelta = HOUR
) -> bool:
    """Count an action in the database. Returns False at the limit. A refusal needs no write transaction."""
    with context.reading() as session:
        if _is_full(session, what, most, visitor, moment, within):
            return False
    with context.writing() as session:
        if _is_full(session, what, most, visitor, moment, within):
            return False
        theirs = (col(Visit.what) == what, col(Visit.visitor) == visitor)
        session.exec(delete(Visit).where(*theirs, col(Visit.at) <= moment - within))
        session.add(Visit(what=what, visitor=visitor, at=moment))
        session.commit()
    return True


def retry_after(what: LimitedAction, visitor: str, within: timedelta = HOUR) -> int:
    """Return the seconds until a refused visitor may act again, rounded up, at least 1."""
    moment, at = now(), col(Visit.at)
    first = select(Visit.at).where(Visit.what == what, Visit.visitor == visitor, at > moment - within)
    with current_context().reading() as session:
        begun = session.exec(first.where(at < moment + within).order_by(at)).first()
    left = within if begun is None else begun + within - moment
    return max(1, ceil(left.total_seconds()))


def _is_full(
    session: Session, what: LimitedAction, most: int, visitor: str, moment: datetime, within: timedelta
) -> bool:
    at = col(Visit.at)
    count = select(func.count()).select_from(Visit).where(Visit.what == what, Visit.visitor == visitor)
    return session.exec(count.where(at > moment - within, at < moment + within)).one() >= most


def note_limit(what: LimitedAction, who: str) -> None:
    current_context().security.note(SecurityEvent.LIMIT_REACHED, who, now(), limit=what)


def visitor_network() -> str:
    """Return the visitor's network, which limits treat as one visitor."""
    return network_of(request.remote_addr or "") or NO_NETWORK


REFUSED_TO_NETWORKS = frozenset(
    {
        "new_game.submit_new_game",
        "new_game.confirm_proposal",
        "sign_in_pages.request_link",
        "open_seat_pages.take_open_seat",
    }
)
"""POST endpoints closed to banned networks: opening a game, sign-in, open seats."""
REFUSED_TO_PLAYERS = frozenset(
    {
        "open_seat_pages.submit_rematch",
        "new_game.change_game",
        "ticket_pages.perform_ticket",
        "draft_pages.change_draft",
        "draft_pages.change_plan",
        "chat_box.send_chat",
        "ticket_pages.send_nudge",
        "votes_page.vote",
        "settings_pages.take_back",
        "settings_pages.change_address",
    }
)
"""POST endpoints closed to links of players with a banned address: invitations, moves, chat, votes."""


class VisitorBanned(HTTPException):
    code = 403


def register_bans(app: Flask) -> None:
    app.before_request(_refuse_banned_visitor)


def check_player_heard(session: Session, player: int | None) -> None:
    """Refuse a POST request of a player whose mail address is banned. Raises `VisitorBanned`."""
    if request.method == "POST" and request.endpoint in REFUSED_TO_PLAYERS and player is not None:
        _refuse_if(is_player_banned(session, player))


def _refuse_banned_visitor() -> None:
    if request.method != "POST" or request.endpoint not in REFUSED_TO_NETWORKS:
        return
    with current_context().reading() as session:
        _refuse_if(is_network_blocked(session, request.remote_addr or ""))


def _refuse_if(banned: bool) -> None:
    if banned:
        who, note = request.remote_addr or "", current_context().security.note
        note(SecurityEvent.BAN_MET, who, now(), by=AttemptChannel.PAGE)
        raise VisitorBanned


COOKIE_SECONDS = 365 * 24 * 3600
SILENT_BLUEPRINTS = ("assets", "api_routes", "health_pages", "live_updates")
"""Blueprints that do not use the signed-in player's language: without words, or for programs."""


def register(app: Flask) -> None:
    app.before_request(_use_player_locale)
    app.jinja_env.globals.update(my_games=my_games_link, is_mail_down=is_mail_down)


def signed_in_player() -> int | None:
    """Return the player signed in in this browser. Queried once per request."""
    if "signed_in" not in g:
        token = session_token()
        g.signed_in = sign_in.note_visit(current_context(), token, now()) if token else None
        if token and g.signed_in is None:  # the session was ended, perhaps from another browser
            cookies.forget_players_once(token)
    found: int | None = g.signed_in
    return found


def require_player(leads_to: str | None = None) -> int:
    """Return the signed-in player; redirect other visitors to sign in and from there to `leads_to`."""
    player = signed_in_player()
    if player is None:
        abort(redirect_to("sign_in_pages.request_link", to=leads_to))
    return player


def treat_as_signed_out() -> None:
    g.signed_in = None


def signed_in_name() -> str:
    player = signed_in_player()
    if player is None:
        return ""
    with current_context().reading() as session:
        return phrases.safe_name(session.get_one(Player, player).name)


def origin() -> Origin:
    player = signed_in_player()
    if player is None:
        return Origin(OriginKind.NETWORK, visitor_network())
    return player_origin(player)


def note_event(event: SecurityEvent, player: int) -> None:
    current_context().security.note(event, visitor_network(), now(), player=player)


def set_session_cookie(response: Response, given: str) -> None:
    """Set a new session token, and end the session of the previous token."""
    if session_token():
        sign_in.sign_out(current_context(), session_token())
    response.set_cookie(value=given, max_age=COOKIE_SECONDS, **_cookie_attributes())
    g.pop("signed_in", None)


def clear_session_cookie(response: Response) -> None:
    cookies.forget_players()
    response.delete_cookie(**_cookie_attributes())
    g.pop("signed_in", None)


def _cookie_attributes() -> dict[str, Any]:
    kept = current_app.config
    return {
        "key": kept[cookies.SIGN_IN_COOKIE],
        "path": kept["SESSION_COOKIE_PATH"],
        "secure": kept["SESSION_COOKIE_SECURE"],
        "httponly": True,
        "samesite": kept["SESSION_COOKIE_SAMESITE"],
    }


def my_games_link() -> str:
    """Return the link to the reader's games; on a ticket's page, to sign-in if the browser knows no games."""
    known = signed_in_player() is not None or cookies.played_seats()
    if not known and g.get("settings") and request.view_args and "token" in request.view_args:
        return url_for("sign_in_pages.mail_link", token=request.view_args["token"])
    return url_for("my_pages.show_my_games")


def _use_player_locale() -> None:
    if request.blueprint not in SILENT_BLUEPRINTS and (player := signed_in_player()) is not None:
        with current_context().reading() as session:
            locale.use_player_locale(load_preferences(session, player).locale, "")
