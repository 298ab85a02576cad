"""Visitors: who is signed in, whom the operator has banned, and how often each may do something."""

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

from flask import Flask, Response, current_app, g, request, url_for
from sqlmodel import Session, col, delete, func, select
from werkzeug.exceptions import HTTPException

from emails.wording import phrases
from server.accounts import sign_in
from server.configuration.network import network_of
from server.outbox.budgets import Origin, OriginKind, is_network_blocked, is_player_banned, player_origin
from server.outbox.preferences import load_preferences
from server.security_log import AttemptChannel, SecurityEvent
from server.store.context import Context
from server.store.models import Player, Visit
from server.web.kit import cookies, locale
from server.web.kit.cookies import session_token
from server.web.kit.request_context import current_context, is_mail_down, now

EVEN_ANSWER_SECONDS = 0.1
"""Seconds that it takes to be told that a letter is on its way, whether one is or not."""


@contextmanager
def constant_time() -> Iterator[None]:
    """Let what is done here take as long as it ever does; a refusal comes at once, for it tells nothing."""
    begun = monotonic()
    yield
    sleep(max(0, begun + EVEN_ANSWER_SECONDS - monotonic()))


NO_NETWORK = "no network"
"""Where visitors come from who have no address, as over a socket in a folder."""
MOST_VISITORS = 10_000
"""Whose shares a process has in hand: of more, those who have not been here for longest lose theirs.

So nobody is refused because others come in crowds; they take another share.
"""
HOUR = timedelta(hours=1)
SHARES = 24
"""Into which a limit is divided, at least, that is taken in shares."""


class LimitedAction(StrEnum):
    """What is limited."""

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
    """What each visitor may still do in this process, out of the shares that were taken for them."""

    _left: OrderedDict[tuple[LimitedAction, str], tuple[int, datetime]] = field(default_factory=OrderedDict)
    """How often, and since when; whoever came last at the end."""
    _lock: Lock = field(default_factory=Lock)

    def use(self, whose: tuple[LimitedAction, str], moment: datetime, within: timedelta) -> bool:
        """Use a share that is in hand; one that is as old as the limit's time is none any more."""
        with self._lock:
            left, since = self._left.pop(whose, (0, moment))
            if left == 0 or abs(moment - since) >= within:  # ahead: the clock was put back
                return False
            self._left[whose] = left - 1, since
            return True

    def put(self, whose: tuple[LimitedAction, str], times: int, moment: datetime) -> None:
        """Have another share in hand."""
        with self._lock:
            before, _ = self._left.pop(whose, (0, moment))  # two threads may have taken one each
            self._left[whose] = before + times, moment
            while len(self._left) > MOST_VISITORS:
                self._left.popitem(last=False)


def allow(what: LimitedAction, most: int, visitor: str | None = None) -> bool:
    """Let the visitor do something, unless they did it as often as `most` within the hour."""
    who = visitor_network() if visitor is None else visitor
    allowed = allow_stored(current_context(), what, most, who, now())
    if not allowed:
        note_limit(what, who)
    return allowed


def allow_often(what: LimitedAction, most: int, visitor: str, within: timedelta = HOUR) -> bool:
    """The same for what is done so often that a row for each time would cost more than what is done."""
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
    """Let a visitor through by a share in hand, or by one that is taken now, where any is left for them."""
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
    """Let a visitor through, by what is written down of all; who is refused costs nobody a transaction."""
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
    """Whole seconds until a visitor who was not let through is let through again: 1 at least."""
    moment, at = now(), col(Visit.at)
    first = select(Visit.at).where(Visit.what == what, Visit.visitor == visitor, at > moment - within)
    with current_context().reading() as session:
        begun = session.exec(first.where(at < moment + within).order_by(at)).first()
    left = within if begun is None else begun + within - moment
    return max(1, ceil(left.total_seconds()))


def _is_full(
    session: Session, what: LimitedAction, most: int, visitor: str, moment: datetime, within: timedelta
) -> bool:
    """Whether a visitor came as often as they may; not counting the hours of a clock that was put back."""
    at = col(Visit.at)
    count = select(func.count()).select_from(Visit).where(Visit.what == what, Visit.visitor == visitor)
    return session.exec(count.where(at > moment - within, at < moment + within)).one() >= most


def note_limit(what: LimitedAction, who: str) -> None:
    """Note that somebody wants more than they may."""
    current_context().security.note(SecurityEvent.LIMIT_REACHED, who, now(), limit=what)


def visitor_network() -> str:
    """The network that the visitor comes from; limits hold for all of it, and for all who come from none."""
    return network_of(request.remote_addr or "") or NO_NETWORK


REFUSED_TO_NETWORKS = frozenset(
    {
        "new_game.submit_new_game",
        "new_game.confirm_proposal",
        "sign_in_pages.request_link",
        "open_seat_pages.take_open_seat",
    }
)
"""What a banned network cannot send: a new game, the yes to one, a request to sign in or for an open seat."""
REFUSED_TO_PLAYERS = frozenset(
    {
        "open_seat_pages.submit_rematch",
        "new_game.change_game",
        "ticket_pages.perform_ticket",
        "draft_pages.change_draft",
        "draft_pages.change_plan",
        "chat_box.send_chat",
        "turn_pages.send_nudge",
        "votes_page.vote",
        "absence_pages.take_back",
        "address_pages.change_address",
    }
)
"""What a link of a player with a banned address does not do: invite, fill games, play, write, move them."""


class VisitorBanned(HTTPException):
    """A visitor from whom nothing is taken, because of their network or of their address."""

    code = 403


def register_bans(app: Flask) -> None:
    """Refuse what whoever is banned sends."""
    app.before_request(_refuse_banned_visitor)


def check_player_heard(session: Session, player: int | None) -> None:
    """Refuse what a player sends whose address is banned. Raises `VisitorBanned`."""
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
"""Seconds for which a browser is to keep it; when it is no longer good is for the server to say."""
SILENT_BLUEPRINTS = ("assets", "api_routes", "health_pages", "live_updates")
"""Blueprints that speak no language, or to programs, which have no cookies."""


def register(app: Flask) -> None:
    """Speak to those who are signed in in their own language, on pages for everybody too."""
    app.before_request(_use_player_locale)
    app.jinja_env.globals.update(my_games=my_games_link, is_mail_down=is_mail_down)


def signed_in_player() -> int | None:
    """The player who is signed in in this browser, looked up once a request."""
    if "signed_in" not in g:
        token = session_token()
        g.signed_in = sign_in.note_visit(current_context(), token, now()) if token else None
        if token and g.signed_in is None:  # it was ended, perhaps from another browser
            cookies.forget_players_once(token)
    found: int | None = g.signed_in
    return found


def ask_no_more() -> None:
    """Take a visitor for one who is not signed in, where the database cannot be asked."""
    g.signed_in = None


def signed_in_name() -> str:
    """The name of the player who is signed in in this browser; empty where nobody is."""
    player = signed_in_player()
    if player is None:
        return ""
    with current_context().reading() as session:
        return phrases.safe_name(session.get_one(Player, player).name)


def origin() -> Origin:
    """Who causes the letters that this visitor asks for, as server/outbox/budgets.py counts them."""
    player = signed_in_player()
    if player is None:
        return Origin(OriginKind.NETWORK, visitor_network())
    return player_origin(player)


def note_event(event: SecurityEvent, player: int) -> None:
    """Log what a player has done who is signed in, with the network that they came from."""
    current_context().security.note(event, visitor_network(), now(), player=player)


def set_session_cookie(response: Response, given: str) -> None:
    """Let this browser hold a new token, and end what the one before was good for."""
    if session_token():
        sign_in.sign_out(current_context(), session_token())
    response.set_cookie(value=given, max_age=COOKIE_SECONDS, **_cookie_attributes())
    g.pop("signed_in", None)


def clear_session_cookie(response: Response) -> None:
    """Let this browser hold no token any more, and no link play at once there."""
    cookies.forget_players()
    response.delete_cookie(**_cookie_attributes())
    g.pop("signed_in", None)


def _cookie_attributes() -> dict[str, Any]:
    """How the cookie is set, and so how it must be deleted, for browsers refuse a `__Host-` one otherwise."""
    kept = current_app.config
    return {
        "key": kept[cookies.SIGN_IN_COOKIE],
        "path": kept["SESSION_COOKIE_PATH"],
        "secure": kept["SESSION_COOKIE_SECURE"],
        "httponly": True,
        "samesite": kept["SESSION_COOKIE_SAMESITE"],
    }


def my_games_link() -> str:
    """Where a link to all games of the reader leads.

    Where this browser knows nothing of them, a page with a ticket leads to one that knows whose it is.
    """
    known = signed_in_player() is not None or cookies.played_seats()
    if not known and g.get("settings") and request.view_args and "token" in request.view_args:
        return url_for("sign_in_pages.show_link_offer", token=request.view_args["token"])
    return url_for("my_pages.show_my_games")


def _use_player_locale() -> None:
    if request.blueprint not in SILENT_BLUEPRINTS and (player := signed_in_player()) is not None:
        with current_context().reading() as session:
            locale.use_player_locale(load_preferences(session, player).locale, "")
