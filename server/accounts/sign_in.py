"""Signing in: by a link that is mailed, without passwords and accounts; and keys for programs.

Whoever can read a player's mail is the player, here as with the tickets in his letters. A link is good for
half an hour and for one browser. What it gives that browser is a token; a program gets a key instead. Of all
three only digests are stored, so whoever reads the database cannot sign in: the code in a link follows from
the secret of the house and a mark that nobody can guess, and is worked out when its letter is written.

What is too old is deleted whenever somebody asks or signs in.
"""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import delete, func, or_
from sqlmodel import Session, col, select

from emails.i18n import say
from emails.links import signing_code
from emails.picture.palette import plain_name
from server.lobby.games import LONGEST_ADDRESS
from server.outbox.notifications import SIGNING, Occasion
from server.outbox.queue import queue
from server.store.context import Office
from server.store.models import (
    PROPOSED,
    Game,
    Key,
    Outgoing,
    Player,
    Seating,
    Second,
    SignedIn,
    SignIn,
)

KEPT = timedelta(days=1)
"""How long a link that is too old can still be told from one that is not ours."""
LASTS = timedelta(days=90)
"""How long a browser stays signed in after it was seen last."""
NOTED = timedelta(hours=1)
"""How much later than noted a browser may have been seen, or a key used: not every page writes."""
MOST_AN_HOUR, MOST_A_DAY = 4, 12
"""Links that are mailed to one player, whoever asks for them."""
MOST_UNUSED = 4
"""Links that may lie unused in the box of a player who asks by his ticket.

Within a day he gets twice as many as strangers can ask for, so that nobody bars his way.
"""
MOST_BROWSERS, MOST_KEYS = 50, 10
LONGEST_KEY_NAME = 40
CODE = re.compile(r"[a-z2-7]{32}")
PREFIX = "alx_"
"""How a key begins, so that people and programs that search for secrets know it."""
LONGEST_TOKEN = 100


class NotSigned(ValueError):
    """Somebody cannot be signed in, or given a key; the sentence says why, in the language spoken."""


# --- the link ---------------------------------------------------------------------------------------------


def ask(office: Office, address: str, now: datetime) -> None:
    """Mail a link to whoever plays here with an address, be it his second; it goes where his letters go.

    It says nothing about whether anybody does, and mails nothing where it was asked for too often. Commits.
    """
    with office.writing() as session:
        _forget_old(session, now)
        player = _player_at(session, address.strip())
        if player is not None and not _asked_often(session, player, now):
            _mail(office, session, player, now)
        session.commit()
    office.wake()


def ask_as(office: Office, player: int, now: datetime) -> None:
    """Mail a link to a player who is known, as by his ticket. Commits. Raises `NotSigned`: too often."""
    with office.writing() as session:
        _forget_old(session, now)
        known = session.get_one(Player, player)
        unused = select(func.count()).select_from(SignIn).where(SignIn.player == player)
        lie = session.exec(unused.where(SignIn.at > now - SIGNING)).one()
        if lie >= MOST_UNUSED or _mailed(session, known, now - timedelta(days=1)) >= 2 * MOST_A_DAY:
            raise NotSigned(say("Several links are on their way to you already. Please look in your mail."))
        _mail(office, session, known, now)
        session.commit()
    office.wake()


def _player_at(session: Session, address: str) -> Player | None:
    """Who gets letters at an address, or would if they came back from another."""
    if not 0 < len(address) <= LONGEST_ADDRESS:
        return None
    found = session.exec(select(Player).where(func.lower(Player.address) == address.lower())).first()
    if found is not None:
        return found
    second = select(Player).join(Second, col(Second.player) == Player.id)
    return session.exec(second.where(func.lower(Second.address) == address.lower())).first()


def _asked_often(session: Session, player: Player, now: datetime) -> bool:
    within = (timedelta(hours=1), MOST_AN_HOUR), (timedelta(days=1), MOST_A_DAY)
    return any(_mailed(session, player, now - ago) >= most for ago, most in within)


def _mailed(session: Session, player: Player, since: datetime) -> int:
    """How many links were mailed to a player; by his address, for a seat may be another's by now."""
    sent = select(func.count()).select_from(Outgoing).where(Outgoing.kind == "signin")
    return session.exec(sent.where(Outgoing.recipient == player.address, Outgoing.queued_at > since)).one()


def _mail(office: Office, session: Session, player: Player, now: datetime) -> None:
    """Queue the letter; its kind is told apart from others by its mark, from which its code follows.

    A letter belongs to a game: it is the player's latest, one that has begun before others, since the seats
    of these can be given back before the letter has left. Whom somebody only named in a game that nobody has
    confirmed does not play here, and gets none.
    """
    assert player.id is not None
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    playing = playing.where(Seating.player == player.id, Game.status != PROPOSED)
    latest = col(Game.status) == "open", col(Game.opened_at).desc(), col(Game.id)
    found = session.exec(playing.order_by(*latest).limit(1)).first()
    if found is None:
        return
    seating, game = found
    mark = secrets.token_hex(16)
    digest = _digest(signing_code(mark, office.post.secret))
    session.add(SignIn(digest=digest, player=player.id, at=now))
    session.flush()
    letter = Occasion(seating.seat, "signin", {"digest": digest, "mark": mark}, mark=mark)
    queue(office, session, game, [letter], now)


def asked(office: Office, code: str, now: datetime) -> str:
    """The name of the player whom a code would sign in; changes nothing. Raises `NotSigned`."""
    with office.reading() as session:
        return _found(session, code, now)[1].name


def sign_in(office: Office, code: str, browser: str, now: datetime) -> str:
    """Sign a browser in; gives the token that it keeps. The code is used up. Commits. Raises `NotSigned`.

    `browser`: which it is, in a few words. Of two who press at once, one is signed in.
    """
    token = secrets.token_urlsafe(32)
    with office.writing() as session:
        found, player = _found(session, code, now)
        assert player.id is not None
        session.delete(found)
        _forget_old(session, now)
        oldest = select(SignedIn).where(SignedIn.player == player.id).order_by(col(SignedIn.seen_at).desc())
        for one in session.exec(oldest.offset(MOST_BROWSERS - 1)):
            session.delete(one)
        made = SignedIn(digest=_digest(token), player=player.id, browser=browser[:80], at=now, seen_at=now)
        session.add(made)
        session.commit()
    return token


def _found(session: Session, code: str, now: datetime) -> tuple[SignIn, Player]:
    code = code.lower()
    if not CODE.fullmatch(code):
        raise NotSigned(say("This link is not one of ours, or it was damaged on its way."))
    found = session.get(SignIn, _digest(code))
    if found is None:
        raise NotSigned(say("This link has been used already, or it is not one of ours: each is good once."))
    if found.at <= now - SIGNING:
        raise NotSigned(say("This link is older than half an hour, and no longer good."))
    return found, session.get_one(Player, found.player)


def _forget_old(session: Session, now: datetime) -> None:
    """Delete what is too old; the caller commits."""
    session.execute(delete(SignIn).where(col(SignIn.at) <= now - KEPT))
    session.execute(delete(SignedIn).where(col(SignedIn.seen_at) <= now - LASTS))


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


# --- browsers ---------------------------------------------------------------------------------------------


def player_of(session: Session, token: str, now: datetime) -> int | None:
    """The player who is signed in in the browser that holds a token; None where nobody is, or is no more."""
    found = _browser(session, token, now)
    return None if found is None else found.player


def visit(office: Office, token: str, now: datetime) -> int | None:
    """The same; that the browser was seen is noted, once an hour at most. Commits."""
    with office.reading() as session:
        found = _browser(session, token, now)
    if found is not None and found.seen_at <= now - NOTED:
        with office.writing() as session:
            found = _browser(session, token, now)
            if found is not None:
                found.seen_at = now
            session.commit()
    return None if found is None else found.player


def _browser(session: Session, token: str, now: datetime) -> SignedIn | None:
    if not 0 < len(token) <= LONGEST_TOKEN:
        return None
    chosen = select(SignedIn).where(SignedIn.digest == _digest(token), SignedIn.seen_at > now - LASTS)
    return session.exec(chosen).first()


def browsers(session: Session, player: int, now: datetime | None = None) -> list[SignedIn]:
    """Where a player is signed in, the browser that was seen last first; `now` leaves out what has ended."""
    chosen = select(SignedIn).where(SignedIn.player == player)
    if now is not None:
        chosen = chosen.where(SignedIn.seen_at > now - LASTS)
    return list(session.exec(chosen.order_by(col(SignedIn.seen_at).desc(), col(SignedIn.id).desc())))


def is_browser(one: SignedIn, token: str) -> bool:
    """Whether this is the browser that holds a token."""
    return secrets.compare_digest(one.digest, _digest(token))


def end(office: Office, player: int, number: int) -> None:
    """Sign a player out in one of his browsers. Twice is once. Commits."""
    with office.writing() as session:
        session.execute(delete(SignedIn).where(col(SignedIn.player) == player, col(SignedIn.id) == number))
        session.commit()


def end_all(office: Office, player: int, but: str = "") -> None:
    """Sign a player out everywhere, or everywhere but in the browser that holds a token. Commits."""
    with office.writing() as session:
        others = delete(SignedIn).where(col(SignedIn.player) == player)
        session.execute(others.where(col(SignedIn.digest) != _digest(but)))
        session.commit()


def sign_out(office: Office, token: str) -> None:
    """Sign out whoever is signed in in the browser that holds a token. Twice is once. Commits."""
    with office.writing() as session:
        session.execute(delete(SignedIn).where(col(SignedIn.digest) == _digest(token)))
        session.commit()


# --- keys -------------------------------------------------------------------------------------------------


def new_key(office: Office, player: int, name: str, now: datetime) -> str:
    """A key with which programs act for a player: shown once, and stored nowhere. Commits.

    Raises `NotSigned`: no name, or too many keys.
    """
    name = plain_name(name, LONGEST_KEY_NAME)
    if not name:
        raise NotSigned(say("Please give the key a name, such as that of the program that will use it."))
    token = PREFIX + b32encode(secrets.token_bytes(20)).decode().lower()
    with office.writing() as session:
        if len(keys(session, player)) >= MOST_KEYS:
            sentence = say("You have %(most)s keys, and no more can be made: end one first.", most=MOST_KEYS)
            raise NotSigned(sentence)
        session.add(Key(digest=_digest(token), player=player, name=name, at=now))
        session.commit()
    return token


def keys(session: Session, player: int) -> list[Key]:
    """A player's keys, the newest first."""
    return list(session.exec(select(Key).where(Key.player == player).order_by(col(Key.id).desc())))


def end_key(office: Office, player: int, number: int) -> None:
    """End one of a player's keys. Twice is once. Commits."""
    with office.writing() as session:
        session.execute(delete(Key).where(col(Key.player) == player, col(Key.id) == number))
        session.commit()


def bearer(session: Session, token: str, now: datetime) -> int | None:
    """The player for whom whoever holds a key acts; None where it is no key, or ended."""
    if not token.startswith(PREFIX) or len(token) > LONGEST_TOKEN:
        return None
    found = session.exec(select(Key).where(Key.digest == _digest(token))).first()
    return None if found is None else found.player


def note_use(office: Office, token: str, now: datetime) -> None:
    """Note that a key is used, once an hour at most. Commits."""
    stale = or_(col(Key.used_at).is_(None), col(Key.used_at) <= now - NOTED)
    chosen = select(Key).where(Key.digest == _digest(token), stale)
    with office.reading() as session:
        if session.exec(chosen).first() is None:
            return
    with office.writing() as session:
        for found in session.exec(chosen):
            found.used_at = now
        session.commit()
