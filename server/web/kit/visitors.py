"""Visitors: language, sessions, bans, and limits on the actions of one visitor.

A page has the language and time zone of the ticket's player, or else of the visitor. A visitor chooses a
language by `?lang=nl`, which links between public pages keep; otherwise the preference of the browser counts.
The browser's time zone comes in an unsigned cookie, since it only decides how times are shown.

The session token has a cookie of its own. If the token were in the signed cookie, a late response could
restore an old token after the user signs in or out. The signed cookie stores the players for whom this
browser at once performs the orders of a link in a letter, the players who were offered this choice, the seats
played here, and the opened mails of the built-in mailbox.

A banned network cannot open games, join them or request sign-in links. A player with a banned address has no
session, and links in the player's letters affect no other player; unsubscribing and giving a seat back still
work.

Limits are counted in the database, across processes and restarts. Of a high limit, such as those of steps on
the board and of API calls, a process reserves several actions at once. Flask-Limiter is not used: it needs
four packages and a separate store.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from threading import Lock
from time import monotonic, sleep
from typing import Any, cast
from urllib.parse import urlencode

from flask import Flask, Response, abort, current_app, g, has_request_context, request, session, url_for
from sqlmodel import Session, col, delete, func, select

from emails.i18n import (
    UTC_ZONE,
    Locale,
    current_locale,
    current_zone,
    gettext,
    gettext_noop,
    plural_form,
    use_locale,
    zone_names,
)
from emails.languages.lexicon import lexicon_of
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.wording import phrases
from emails.wording.advice_text import strength_word
from engine.notation.vocabulary import Vocabulary
from server.accounts import sign_in
from server.accounts.vacations import store_zone
from server.monitoring import AttemptChannel, SecurityEvent
from server.network import network_of
from server.outbox.budgets import Origin, OriginKind, is_network_blocked, is_player_banned, player_origin
from server.outbox.notifications import load_preferences
from server.store.context import Context
from server.store.event_log import Refusal, RefusalCode
from server.store.models import Player, Visit
from server.web.kit import request_context
from server.web.kit.request_context import (
    current_context,
    is_mail_down,
    now,
    read,
    redirect_to,
    session_token,
)

ZONE_COOKIE = "alexandros-zone"
"""Name of the cookie for the time zone, also used in clock.js."""


def browser_zone() -> str:
    """Return the time zone of the visitor's browser, or UTC if the zone is unknown or invalid."""
    told = request.cookies.get(ZONE_COOKIE, "")
    return told if told in zone_names() else UTC_ZONE


def learn_zone(player: int) -> None:
    """Store the time zone of the visitor's browser for a player who has none. Commits."""
    zone = browser_zone()
    if zone == UTC_ZONE or read(load_preferences, player).zone != UTC_ZONE:
        return
    with current_context().writing() as session:
        if session.get(Player, player) is not None:  # the player may have been erased meanwhile
            store_zone(session, player, zone, now())
            session.commit()


def use_zone(zone: str) -> None:
    """Show times in a time zone for the rest of the request."""
    g.speech.enter_context(use_locale(replace(current_locale(), zone=zone)))


LANGUAGE_PARAMETER = "lang"
LANGUAGE_ENDPOINTS = (
    "new_game.",
    "open_seat_pages.take_open_seat",
    "public_pages.",
    "mailbox_pages.",
    "settings_pages.change_subscription",
    "settings_pages.confirm_address",
    "readonly_pages.show_spectator_page",
    "readonly_pages.show_player_history",
    "readonly_pages.show_spectator_history",
    "readonly_pages.download_player_log",
    "readonly_pages.download_spectator_log",
    "live_updates.",
    "sign_in_pages.",
    "my_pages.show_my_games",
    "my_pages.show_finished_games",
    "my_pages.forget_games_played_here",
)
"""Prefixes of the endpoints that offer a choice of language."""
WORDLESS_BLUEPRINT = "live_updates"
"""Blueprint of endpoints that scripts request too often to negotiate a language."""


def use_player_locale(tongue: Locale, settings: str) -> None:
    """Use a player's locale. `settings`: link to the player's settings; empty: pages offer language links."""
    language = "" if settings else _chosen_language()
    zone = browser_zone() if tongue.zone == UTC_ZONE else tongue.zone
    g.speech.enter_context(use_locale(Locale(language or tongue.language, zone)))
    g.settings = settings


def page_vocabulary() -> Vocabulary:
    """Return the words of orders that a page reads: in the language of the page and in English."""
    return lexicon_of(current_locale().language).orders


def language_links() -> list[dict[str, object]]:
    """Return the language links of a page, sorted by name; none on a player's page, where settings decide."""
    if g.get("settings", ""):
        return []
    return [
        {
            "code": code,
            "name": name,
            "link": f"?{urlencode({**request.args, LANGUAGE_PARAMETER: code})}",
            "current": code == current_locale().language,
        }
        for code, name in sorted(LANGUAGES.items(), key=lambda one: one[1])
    ]


def _end_locale(_: BaseException | None) -> None:
    """Restore the locale, since threads are reused."""
    speech: ExitStack | None = g.pop("speech", None)
    if speech is not None:
        speech.close()


def _chosen_language() -> str:
    wanted = request.args.get(LANGUAGE_PARAMETER, "")
    return wanted if wanted in LANGUAGES else ""


def _carry_language(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint.startswith(LANGUAGE_ENDPOINTS) and has_request_context() and _chosen_language():
        values.setdefault(LANGUAGE_PARAMETER, _chosen_language())


def _vary_by_language(response: Response) -> Response:
    if response.mimetype == "text/html":
        response.vary.add("Accept-Language")
    return response


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

    @property
    def period(self) -> timedelta:
        return timedelta(minutes=1) if self is LimitedAction.API else HOUR


LIMITS = {
    LimitedAction.ADVICE: 120,
    LimitedAction.GAMES: 20,
    LimitedAction.JOINS: 10,
    LimitedAction.SIGN_INS: 20,
    LimitedAction.API: 120,
    LimitedAction.PAGES_SEEN: 240,
    LimitedAction.STEPS: 3000,
    LimitedAction.DAYS_AWAY: 60,
}
"""Most actions of a network or player within an hour, of calls of the API within a minute."""
RESERVED_IN_SHARES = frozenset({LimitedAction.API, LimitedAction.STEPS})
"""Frequent actions, whose quota a process reserves in shares instead of one by one."""
LIMITS_KEY = "LIMITS"
"""Key in `app.config` of the limits of this server, by action."""


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


def limit_of(what: LimitedAction) -> int:
    return int(current_app.config[LIMITS_KEY][what])


def allow(what: LimitedAction, visitor: str = "") -> bool:
    """Count an action of a visitor, by default of the visitor's network. Returns False at the limit."""
    who, moment = visitor or visitor_network(), now()
    if what in RESERVED_IN_SHARES:
        shares: RateQuotas = current_app.extensions.setdefault("rate limit", RateQuotas())
        allowed = allow_share(current_context(), shares, what, limit_of(what), who, moment, what.period)
    else:
        allowed = allow_stored(current_context(), what, limit_of(what), who, moment, what.period)
    if allowed:
        return True
    current_context().security.note(SecurityEvent.LIMIT_REACHED, who, moment, limit=what)
    return False


class LimitReached(Refusal):
    code = RefusalCode.BUDGET

    def __init__(self, sentence: str, what: LimitedAction, visitor: str) -> None:
        super().__init__(sentence)
        self.what, self.visitor = what, visitor


def check_limit(what: LimitedAction, sentence: str, visitor: str = "") -> None:
    """Count an action of a visitor. Raises `LimitReached` at the limit."""
    if not allow(what, visitor):
        raise LimitReached(sentence, what, visitor or visitor_network())


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


def retry_after(what: LimitedAction, visitor: str) -> int:
    """Return the seconds until a refused visitor may act again, rounded up, at least 1."""
    moment, at, within = now(), col(Visit.at), what.period
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
        "draft_pages.send_chat",
        "ticket_pages.send_nudge",
        "votes_page.vote",
        "settings_pages.take_back",
        "settings_pages.change_address",
    }
)
"""POST endpoints closed to links of players with a banned address: invitations, moves, chat, votes."""


class VisitorBanned(request_context.PageError):
    code = 403
    title = gettext_noop("Not from here")
    words = gettext_noop(
        "The operator of this server takes nothing from your network, or from your address, so nothing "
        "was done. You can go on reading."
    )


def check_player_heard(session: Session, player: int | None) -> None:
    """Refuse a POST request of a player whose mail address is banned. Raises `VisitorBanned`."""
    if request.method == "POST" and request.endpoint in REFUSED_TO_PLAYERS and player is not None:
        _refuse_if(is_player_banned(session, player))


def _refuse_if(banned: bool) -> None:
    if banned:
        who, note = request.remote_addr or "", current_context().security.note
        note(SecurityEvent.BAN_MET, who, now(), by=AttemptChannel.PAGE)
        raise VisitorBanned


AT_ONCE_KEY, OFFERED_KEY, ENDED_KEY, READ_KEY, SEATS_KEY = "at-once", "offered", "ended", "read", "seats"
MOST_PLAYERS = 50
MOST_SEATS = 20
MOST_READ_MAILS = 300
"""Maximum number of mails recorded as opened, since a cookie has at most 4 kilobytes."""


def _numbers_under(name: str) -> list[int]:
    return cast(list[int], session.get(name, []))


def plays_at_once(player: int | None) -> bool:
    """Return whether a player chose to have orders in links performed without a button in this browser."""
    return player is not None and player in _numbers_under(AT_ONCE_KEY)


def set_plays_at_once(player: int, chosen: bool) -> None:
    others = [one for one in _numbers_under(AT_ONCE_KEY) if one != player]
    session[AT_ONCE_KEY] = [*others, player][-MOST_PLAYERS:] if chosen else others
    session.permanent = True


def note_offer(player: int) -> bool:
    """Record that a player was offered the choice of `plays_at_once`; return whether the offer is new."""
    if player in _numbers_under(OFFERED_KEY):
        return False
    session[OFFERED_KEY] = [*_numbers_under(OFFERED_KEY), player][-MOST_PLAYERS:]
    session.permanent = True
    return True


def played_seats() -> list[tuple[str, int, int]]:
    """Return game, seat and generation of links for the seats played in this browser, most recent first."""
    found = [tuple(one) for one in session.get(SEATS_KEY, [])]
    return cast(list[tuple[str, int, int]], found[::-1])


def note_played_seat(game: str, seat: int, generation: int) -> None:
    known = played_seats()
    if (game, seat, generation) not in known:
        others = [list(one) for one in reversed(known) if one[:2] != (game, seat)]
        session[SEATS_KEY] = [*others, [game, seat, generation]][-MOST_SEATS:]
        session.permanent = True


def forget_played_seats() -> None:
    session.pop(SEATS_KEY, None)


def forget_players() -> None:
    session.pop(AT_ONCE_KEY, None)
    forget_played_seats()


def forget_players_once(token: str) -> None:
    """Forget the players and seats stored in this browser, unless done before for this ended session."""
    ended = request_context.digest_token(token)
    if session.get(ENDED_KEY) != ended:
        forget_players()
        session[ENDED_KEY] = ended


def opened_mail_ids() -> frozenset[int]:
    return frozenset(_numbers_under(READ_KEY))


def mark_mail_opened(mail: int) -> None:
    if mail not in _numbers_under(READ_KEY):
        session[READ_KEY] = [*_numbers_under(READ_KEY), mail][-MOST_READ_MAILS:]


COOKIE_SECONDS = 365 * 24 * 3600
SILENT_BLUEPRINTS = ("assets", "api_routes", "health_pages", "live_updates")
"""Blueprints that do not use the signed-in player's language: without words, or for programs."""


def signed_in_player() -> int | None:
    """Return the player signed in in this browser. Queried once per request."""
    if "signed_in" not in g:
        token = session_token()
        g.signed_in = sign_in.note_visit(current_context(), token, now()) if token else None
        if token and g.signed_in is None:  # the session was ended, perhaps from another browser
            forget_players_once(token)
    found: int | None = g.signed_in
    return found


def require_player(leads_to: str | None = None) -> int:
    """Return the signed-in player; redirect other visitors to sign in and from there to `leads_to`."""
    player = signed_in_player()
    if player is None:
        abort(redirect_to("sign_in_pages.request_link", to=leads_to))
    return player


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
    forget_players()
    response.delete_cookie(**_cookie_attributes())
    g.pop("signed_in", None)


def _cookie_attributes() -> dict[str, Any]:
    kept = current_app.config
    return {
        "key": kept[request_context.SIGN_IN_COOKIE],
        "path": kept["SESSION_COOKIE_PATH"],
        "secure": kept["SESSION_COOKIE_SECURE"],
        "httponly": True,
        "samesite": kept["SESSION_COOKIE_SAMESITE"],
    }


def my_games_link() -> str:
    """Return the link to the reader's games; on a ticket's page, to sign-in if the browser knows no games."""
    known = signed_in_player() is not None or played_seats()
    if not known and g.get("settings") and request.view_args and "token" in request.view_args:
        return url_for("sign_in_pages.mail_link", token=request.view_args["token"])
    return url_for("my_pages.show_my_games")


def register(app: Flask) -> None:
    app.config[LIMITS_KEY] = LIMITS | app.config.get(LIMITS_KEY, {})
    app.before_request(_begin_request)
    app.after_request(_vary_by_language)
    app.teardown_request(_end_locale)
    app.url_defaults(_carry_language)
    jinja = app.jinja_env
    jinja.add_extension("jinja2.ext.i18n")
    jinja.install_gettext_callables(gettext, plural_form, newstyle=True)  # type: ignore[attr-defined]
    jinja.globals["_"] = jinja.globals["gettext"]  # else each text is two calls
    jinja.globals.update(spoken=current_locale, switches=language_links)
    jinja.globals.update(my_games=my_games_link, is_mail_down=is_mail_down)
    jinja.filters.update(
        local=lambda moment: moment.astimezone(current_zone()),
        orders=phrases.translate_order,
        strength=strength_word,
    )


def _begin_request() -> None:
    """Use the visitor's language. Refuse banned networks."""
    g.speech = ExitStack()
    wordless = request.blueprint == WORDLESS_BLUEPRINT
    preferred = request.accept_languages.best_match(LANGUAGES, default=ENGLISH)
    spoken = ENGLISH if wordless else _chosen_language() or preferred
    g.speech.enter_context(use_locale(Locale(spoken, browser_zone())))
    if request.blueprint not in SILENT_BLUEPRINTS and (player := signed_in_player()) is not None:
        use_player_locale(read(load_preferences, player), "")
    if request.method == "POST" and request.endpoint in REFUSED_TO_NETWORKS:
        _refuse_if(read(is_network_blocked, request.remote_addr or ""))
