"""Sign-in by a mailed link, browser sessions and API keys."""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, bindparam, delete, func, or_
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import account_letters
from emails.letters.declaration import AccountEvent
from emails.letters.lobby_letters import LONGEST_ADDRESS, find_address_fault
from emails.picture.palette import clean_name
from emails.tokens import Purpose, digest_token, make_code
from server.accounts.addresses import queue_notice
from server.lobby.games import find_or_create_player
from server.lobby.open_seats import SeatRefused
from server.mail_addresses import digest_address
from server.monitoring import SecurityEvent
from server.outbox.budgets import (
    UNKNOWN,
    Origin,
    check_origin,
    is_player_banned,
    may_get_letter,
    player_origin,
    record_attempt,
    sign_in_origin,
)
from server.outbox.notifications import SIGN_IN_LINK_VALID, Notification, confirm_player
from server.outbox.queue import UnitOfWork, load_people, open_unit
from server.store.context import Context
from server.store.event_log import Refusal, RefusalCode
from server.store.game_terms import SeatRequest, check_addresses, check_name
from server.store.models import (
    ApiKey,
    Game,
    OutgoingLetter,
    Player,
    Seating,
    SignedInBrowser,
    SignInLink,
    count_rows,
)
from server.store.personal import Kept
from server.store.states import GameStatus

STAYS_SIGNED_IN_FOR = Kept.BROWSERS.period
"""Lifetime of a browser session, counted from the last visit."""
SEEN_NOTED_EVERY = timedelta(hours=1)
"""Minimum interval between records of visits and key uses, so that few pages write to the database."""
SIGN_IN_FRESH_FOR = timedelta(minutes=10)
"""Period after sign-in in which a browser may do irreversible actions."""
LONGEST_TOKEN = 100
SELECT_BROWSER = select(SignedInBrowser).where(
    col(SignedInBrowser.digest) == bindparam("of"), col(SignedInBrowser.seen_at) > bindparam("since")
)


def note_visit(context: Context, token: str, now: datetime) -> int | None:
    """Return the player signed in with a browser's token, or None if signed out or banned.

    Records the visit, at most once an hour. Commits.
    """
    with context.reading() as session:
        found = find_browser(session, token, now)
        if found is not None and is_player_banned(session, found.player):
            return None
    if found is not None and found.seen_at <= now - SEEN_NOTED_EVERY:
        with context.writing() as session:
            found = find_browser(session, token, now)
            if found is not None:
                found.seen_at = now
            session.commit()
    return None if found is None else found.player


def find_browser(session: Session, token: str, now: datetime) -> SignedInBrowser | None:
    if not 0 < len(token) <= LONGEST_TOKEN:
        return None
    asked = {"of": digest_token(token), "since": now - STAYS_SIGNED_IN_FOR}
    return session.exec(SELECT_BROWSER, params=asked).first()


def is_sign_in_fresh(session: Session, token: str, now: datetime) -> bool:
    """Return whether a browser signed in within ten minutes. A fresh sign-in proves access to the mailbox."""
    found = find_browser(session, token, now)
    return found is not None and found.at > now - SIGN_IN_FRESH_FOR


def browsers_of(session: Session, player: int, now: datetime | None = None) -> list[SignedInBrowser]:
    """Return a player's browser sessions, the last seen first; with `now`, omit expired sessions."""
    chosen = select(SignedInBrowser).where(SignedInBrowser.player == player)
    if now is not None:
        chosen = chosen.where(SignedInBrowser.seen_at > now - STAYS_SIGNED_IN_FOR)
    return list(
        session.exec(chosen.order_by(col(SignedInBrowser.seen_at).desc(), col(SignedInBrowser.id).desc()))
    )


def is_same_browser(one: SignedInBrowser, token: str) -> bool:
    return secrets.compare_digest(one.digest, digest_token(token))


def _delete_rows(
    context: Context, table: type[SignedInBrowser | ApiKey], *which: ColumnElement[bool]
) -> None:
    with context.writing() as session:
        session.execute(delete(table).where(*which))
        session.commit()


def sign_out_browser(context: Context, player: int, number: int) -> None:
    own = col(SignedInBrowser.player) == player
    _delete_rows(context, SignedInBrowser, own, col(SignedInBrowser.id) == number)


def sign_out_everywhere(context: Context, player: int, but: str = "") -> None:
    """Sign a player out in all browsers except the one with the token `but`. Commits."""
    own = col(SignedInBrowser.player) == player
    _delete_rows(context, SignedInBrowser, own, col(SignedInBrowser.digest) != digest_token(but))


def sign_out(context: Context, token: str) -> None:
    _delete_rows(context, SignedInBrowser, col(SignedInBrowser.digest) == digest_token(token))


EXPIRED_LINK_KEPT_FOR = Kept.SIGN_IN_LINKS.period
"""Age at which an unused link is deleted. Until then a refusal can say that the link has expired."""
# maximum of sign-in links to a player, requested without proof of identity: unused at a time, per day
MOST_AT_ONCE, MOST_A_DAY = 2, 12
MOST_UNUSED_LINKS = 4  # for requests through a game link, which strangers cannot make
MOST_BROWSERS = 50
JOIN_PAGE = "j/"
"""Prefix of a `SignInLink.leads_to` that leads to the page of an open seat; the game's id follows."""
DESK_PAGE = "desk"
SESSIONS_PAGE = "me/browsers"
CODE_FORM = re.compile(r"[a-z2-7]{32}")


class SignInRefused(Refusal):
    """A refused sign-in, sign-in link or API key."""

    code = RefusalCode.SIGN_IN


def request_link(
    context: Context, address: str, now: datetime, leads_to: str = "", network: str = ""
) -> None:
    """Mail a sign-in link to the player with this address, in any spelling. Commits.

    `leads_to` is stored as `SignInLink.leads_to`. If the player has never confirmed the address, the limits
    on unsolicited mail requested from `network` apply. If no player has the address, or too many links were
    requested, nothing is mailed and no error raised, so that the caller learns nothing about the address.
    """
    with open_unit(context, now, sign_in_origin(network)) as unit:
        forget_old(unit.session, now)
        player = player_of_mailbox(unit.session, address.strip())
        if player is not None and not has_asked_often(unit.session, player, now):
            _queue_link(unit, player, leads_to, asked=player.confirmed_at is not None)
        unit.commit()


def request_link_for(context: Context, player: int, now: datetime, leads_to: str = "") -> None:
    """Mail a sign-in link to a player who requests it through a game link. Commits.

    Raises `SignInRefused` above the limit.
    """
    with open_unit(context, now) as unit:
        forget_old(unit.session, now)
        known = unit.session.get_one(Player, player)
        if (
            _count_unused_links(unit.session, player, now) >= MOST_UNUSED_LINKS
            or _count_mailed_links(unit.session, known, now - timedelta(days=1)) >= 2 * MOST_A_DAY
        ):
            raise SignInRefused(
                gettext("Several links are on their way to you already. Please look in your mail.")
            )
        _queue_link(unit, known, leads_to, asked=True)
        unit.commit()


def request_link_for_seat(
    context: Context, game: str, request: SeatRequest, now: datetime, origin: Origin = UNKNOWN
) -> None:
    """Mail a letter that lets its recipient claim a seat. Commits.

    Raises the errors of `queue_seat_letter`.
    """
    with open_unit(context, now, origin) as unit:
        queue_seat_letter(unit, unit.session.get_one(Game, game), request)
        unit.commit()


def queue_seat_letter(unit: UnitOfWork, game: Game, request: SeatRequest) -> None:
    """Queue a letter that lets its recipient claim a seat, by its link or by a reply.

    Queues nothing if the address has received too many letters; the caller cannot notice this. Raises
    `SeatRefused` if the address is unusable, and `BudgetSpent` if the requester (`origin` of the unit) has
    caused too many letters.
    """
    session, now = unit.session, unit.now
    address = (request.address or "").strip()
    if fault := find_address_fault(address):
        raise SeatRefused(fault)
    check_addresses([request], unit.context.settings)
    name = check_name(request.name)
    check_origin(session, unit.origin, now)
    forget_old(session, now)
    player, people = player_at(session, address), load_people(session, game.id)
    often = player is not None and has_asked_often(session, player, now)
    goes_to = address if player is None else player.address
    if often or not people or not may_get_letter(session, goes_to, now):
        record_attempt(session, unit.origin, now)
        return
    player = player or find_or_create_player(session, name, address, request.language, now)
    session.flush()
    digest, mark = store_link(unit, player, JOIN_PAGE + game.id)
    claim = account_letters.SeatClaim(digest, mark, player.id or 0)
    unit.queue(game, [Notification(min(people), claim, mark=mark, recipient=player.address, asked=False)])


def player_at(session: Session, address: str) -> Player | None:
    if not 0 < len(address) <= LONGEST_ADDRESS:
        return None
    return session.exec(select(Player).where(func.lower(Player.address) == address.lower())).first()


def player_of_mailbox(session: Session, address: str) -> Player | None:
    """Return the player with this address, or else the first player with another spelling of it."""
    same = select(Player).where(Player.mailbox == digest_address(address)).order_by(col(Player.id))
    return player_at(session, address) or session.exec(same).first()


def has_asked_often(session: Session, player: Player, now: datetime) -> bool:
    """Return whether a player has reached the limit of sign-in links requested without proof of identity."""
    if _count_unused_links(session, player.id, now) >= MOST_AT_ONCE:
        return True
    return _count_mailed_links(session, player, now - timedelta(days=1)) >= MOST_A_DAY


def _count_unused_links(session: Session, player: int, now: datetime) -> int:
    return count_rows(
        session, SignInLink, SignInLink.player == player, SignInLink.at > now - SIGN_IN_LINK_VALID
    )


def _count_mailed_links(session: Session, player: Player, since: datetime) -> int:
    links = col(OutgoingLetter.kind).in_((account_letters.SignIn.kind, account_letters.SeatClaim.kind))
    to_them = func.lower(OutgoingLetter.recipient) == player.address.lower()
    return count_rows(session, OutgoingLetter, links, to_them, OutgoingLetter.queued_at > since)


def _queue_link(unit: UnitOfWork, player: Player, leads_to: str, asked: bool) -> None:
    playing = select(Seating.seat, Game).join(Game, col(Game.id) == Seating.game)
    playing = playing.where(Seating.player == player.id, Game.status != GameStatus.PROPOSED)
    latest = col(Game.status) == GameStatus.OPEN, col(Game.opened_at).desc(), col(Game.id)
    found = unit.session.exec(playing.order_by(*latest).limit(1)).first()
    if found is not None:
        seat, game = found
        digest, mark = store_link(unit, player, leads_to)
        link = account_letters.SignIn(digest, mark)
        unit.queue(game, [Notification(seat, link, mark=mark, recipient=player.address, asked=asked)])


def store_link(unit: UnitOfWork, player: Player, leads_to: str) -> tuple[str, str]:
    """Store a sign-in link; return the digest and the mark of its code."""
    mark = secrets.token_hex(16)
    digest = digest_token(make_code(Purpose.SIGN_IN, mark, unit.context.links.keys))
    unit.session.add(SignInLink(digest=digest, player=player.id, at=unit.now, leads_to=leads_to))
    unit.session.flush()
    return digest, mark


def read_code(context: Context, code: str, now: datetime) -> tuple[str, str]:
    """Return the player's name and the destination of an unused link. Raises `SignInRefused`."""
    with context.reading() as session:
        found, player = _find_link(session, code, now)
        return player.name, found.leads_to


def sign_in(
    context: Context, code: str, browser: str, now: datetime, token_before: str = "", network: str = ""
) -> str:
    """Sign a browser in by the code of a link, which is used up; return the browser's token. Commits.

    `browser` describes the browser, `network` its origin. If the previous token `token_before` is not this
    player's, the player gets a notice about a new browser. Of two simultaneous requests one succeeds. Raises
    `SignInRefused`.
    """
    token = secrets.token_urlsafe(32)
    with open_unit(context, now) as unit:
        session = unit.session
        found, player = _find_link(session, code, now)
        session.delete(found)
        confirm_player(session, player.id, now)
        forget_old(session, now)
        for one in browsers_of(session, player.id)[MOST_BROWSERS - 1 :]:
            session.delete(one)
        made = SignedInBrowser(
            digest=digest_token(token), player=player.id, browser=browser[:80], at=now, seen_at=now
        )
        session.add(made)
        known = find_browser(session, token_before, now)
        if known is None or known.player != player.id:
            queue_notice(unit, player, AccountEvent.SIGNED_IN, made.browser)
        unit.commit()
    context.security.note(SecurityEvent.SIGNED_IN, network, now, player=player.id)
    return token


def _find_link(session: Session, code: str, now: datetime) -> tuple[SignInLink, Player]:
    code = code.lower()
    if not CODE_FORM.fullmatch(code):
        raise SignInRefused(gettext("This link is not one of ours, or it was damaged on its way."))
    found = session.get(SignInLink, digest_token(code))
    if found is None:
        raise SignInRefused(
            gettext("This link has been used already, or it is not one of ours: each is good once.")
        )
    if found.at <= now - SIGN_IN_LINK_VALID:
        raise SignInRefused(gettext("This link is older than ten minutes, and no longer good."))
    return found, session.get_one(Player, found.player)


def forget_old(session: Session, now: datetime) -> None:
    session.execute(delete(SignInLink).where(col(SignInLink.at) <= now - EXPIRED_LINK_KEPT_FOR))
    session.execute(delete(SignedInBrowser).where(col(SignedInBrowser.seen_at) <= now - STAYS_SIGNED_IN_FOR))


MOST_KEYS = 10
LONGEST_KEY_NAME = 40
KEY_PREFIX = "alx_"
"""Prefix by which people and secret scanners recognise a key."""


def create_key(context: Context, player: int, name: str, now: datetime, browser: str = "") -> str:
    """Create and return an API key of a player; store only its digest. Commits.

    The player gets a notice that names the browser. Raises `SignInRefused` without a name, or with too many
    keys.
    """
    name = clean_name(name, LONGEST_KEY_NAME)
    if not name:
        raise SignInRefused(
            gettext("Please give the key a name, such as that of the program that will use it.")
        )
    token = KEY_PREFIX + b32encode(secrets.token_bytes(20)).decode().lower()
    with open_unit(context, now) as unit:
        if len(keys_of(unit.session, player)) >= MOST_KEYS:
            raise SignInRefused(
                gettext("You have %(most)s keys, and no more can be made: end one first.", most=MOST_KEYS)
            )
        unit.session.add(ApiKey(digest=digest_token(token), player=player, name=name, at=now))
        owner = unit.session.get_one(Player, player)
        queue_notice(unit, owner, AccountEvent.KEY_MADE, browser, name)
        unit.commit()
    context.security.note(SecurityEvent.KEY_MADE, player_origin(player).text, now)
    return token


def keys_of(session: Session, player: int) -> list[ApiKey]:
    return list(session.exec(select(ApiKey).where(ApiKey.player == player).order_by(col(ApiKey.id).desc())))


def revoke_key(context: Context, player: int, number: int) -> None:
    _delete_rows(context, ApiKey, col(ApiKey.player) == player, col(ApiKey.id) == number)


def player_with_key(session: Session, token: str) -> int | None:
    """Return the player of an API key, or None if the key is unknown or the player is banned."""
    if not token.startswith(KEY_PREFIX) or len(token) > LONGEST_TOKEN:
        return None
    found = session.exec(select(ApiKey).where(ApiKey.digest == digest_token(token))).first()
    return None if found is None or is_player_banned(session, found.player) else found.player


def note_key_use(context: Context, token: str, now: datetime) -> None:
    """Record the use of an API key, at most once an hour. Commits."""
    stale = or_(col(ApiKey.used_at).is_(None), col(ApiKey.used_at) <= now - SEEN_NOTED_EVERY)
    chosen = select(ApiKey).where(ApiKey.digest == digest_token(token), stale)
    with context.reading() as session:
        if session.exec(chosen).first() is None:
            return
    with context.writing() as session:
        for found in session.exec(chosen):
            if found.used_at is None:
                who = player_origin(found.player).text
                context.security.note(SecurityEvent.KEY_FIRST_USED, who, now, key=found.id or 0)
            found.used_at = now
        session.commit()


BROWSER_SIGNS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Vivaldi/": "Vivaldi",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
    "Lynx/": "Lynx",
    "w3m/": "w3m",
    "Links": "Links",
}
SYSTEM_SIGNS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "Linux": "Linux",
}


def summarize_agent(agent: str) -> str:
    """Reduce a User-Agent header to the names of browser and system, such as "Firefox; Android"."""
    return f"{_first_match(BROWSER_SIGNS, agent)}; {_first_match(SYSTEM_SIGNS, agent)}"


def describe_agent(kept: str) -> str:
    """Return a stored summary in the current language, such as "Firefox on Android"."""
    browser, _, system = kept.partition("; ")
    if browser and system:
        return gettext("%(browser)s on %(system)s", browser=browser, system=system)
    if system:
        return gettext("a browser on %(system)s", system=system)
    return browser or gettext("a browser")


def _first_match(names: dict[str, str], agent: str) -> str:
    return next((name for sign, name in names.items() if sign in agent[:500]), "")
