"""API keys: a program that sends one acts for the player who made it."""

from __future__ import annotations

import secrets
from base64 import b32encode
from datetime import datetime, timedelta

from sqlalchemy import delete, or_
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters.contexts import AccountEvent
from emails.picture.palette import clean_name
from emails.tokens import digest_token
from server.accounts.notices import queue_notice
from server.accounts.sessions import LONGEST_TOKEN, SEEN_NOTED_EVERY
from server.accounts.sign_in import SignInRefused
from server.outbox.blocks import is_player_banned
from server.outbox.budgets import player_origin
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.models import Player
from server.store.session_models import ApiKey

MOST_KEYS = 10
LONGEST_KEY_NAME = 40
KEY_KEPT_UNUSED_FOR = timedelta(days=365)
"""After so long without use a key ends."""
KEY_PREFIX = "alx_"
"""How a key begins, so that people and programs that search for secrets know it."""


def create_key(context: Context, player: int, name: str, now: datetime, browser: str = "") -> str:
    """A key with which programs act for a player: shown once, and stored nowhere. Commits.

    The player is told of it, and in which browser it was made. Raises `SignInRefused`: no name, or too
    many keys.
    """
    name = clean_name(name, LONGEST_KEY_NAME)
    if not name:
        raise SignInRefused(
            gettext("Please give the key a name, such as that of the program that will use it.")
        )
    token = KEY_PREFIX + b32encode(secrets.token_bytes(20)).decode().lower()
    with context.writing() as session:
        if len(keys_of(session, player)) >= MOST_KEYS:
            sentence = gettext(
                "You have %(most)s keys, and no more can be made: end one first.", most=MOST_KEYS
            )
            raise SignInRefused(sentence)
        session.add(ApiKey(digest=digest_token(token), player=player, name=name, at=now))
        owner = session.get_one(Player, player)
        queue_notice(context, session, owner, AccountEvent.KEY_MADE, now, browser, name)
        context.commit_work(session)
    context.security.note(SecurityEvent.KEY_MADE, player_origin(player).text, now)
    return token


def keys_of(session: Session, player: int) -> list[ApiKey]:
    """A player's keys, the newest first."""
    return list(session.exec(select(ApiKey).where(ApiKey.player == player).order_by(col(ApiKey.id).desc())))


def revoke_key(context: Context, player: int, number: int) -> None:
    """End one of a player's keys. Twice is once. Commits."""
    with context.writing() as session:
        session.execute(delete(ApiKey).where(col(ApiKey.player) == player, col(ApiKey.id) == number))
        session.commit()


def player_with_key(session: Session, token: str) -> int | None:
    """The player for whom whoever holds a key acts; None where it is no key, or ended, or they are banned."""
    if not token.startswith(KEY_PREFIX) or len(token) > LONGEST_TOKEN:
        return None
    found = session.exec(select(ApiKey).where(ApiKey.digest == digest_token(token))).first()
    return None if found is None or is_player_banned(session, found.player) else found.player


def note_key_use(context: Context, token: str, now: datetime) -> None:
    """Note that a key is used, once an hour at most. Commits."""
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
