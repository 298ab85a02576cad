"""The browsers in which players are signed in: each holds a token, and each can be ended."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlmodel import Session, col, select

from emails.tokens import digest_token
from server.outbox.blocks import is_player_banned
from server.store.context import Context
from server.store.session_models import SignedInBrowser

STAYS_SIGNED_IN_FOR = timedelta(days=90)
"""How long a browser stays signed in after it was seen last."""
SEEN_NOTED_EVERY = timedelta(hours=1)
"""How much later than noted a browser may have been seen, or a key used: not every page writes."""
SIGN_IN_FRESH_FOR = timedelta(minutes=10)
"""How long after a sign-in a browser may do what has no way back."""
LONGEST_TOKEN = 100


def note_visit(context: Context, token: str, now: datetime) -> int | None:
    """The player who is signed in in the browser that holds a token; None where nobody is, or is no more.

    Whom the operator has banned is signed in nowhere as long as that holds. That the browser was seen is
    noted, once an hour at most. Commits.
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
    """The browser that holds a token, unless it has been away too long."""
    if not 0 < len(token) <= LONGEST_TOKEN:
        return None
    chosen = select(SignedInBrowser).where(
        SignedInBrowser.digest == digest_token(token), SignedInBrowser.seen_at > now - STAYS_SIGNED_IN_FOR
    )
    return session.exec(chosen).first()


def is_sign_in_fresh(session: Session, token: str, now: datetime) -> bool:
    """Whether somebody signed in a moment ago in the browser that holds a token, and so reads their mail."""
    found = find_browser(session, token, now)
    return found is not None and found.at > now - SIGN_IN_FRESH_FOR


def browsers_of(session: Session, player: int, now: datetime | None = None) -> list[SignedInBrowser]:
    """Where a player is signed in, the browser that was seen last first; `now` leaves out what has ended."""
    chosen = select(SignedInBrowser).where(SignedInBrowser.player == player)
    if now is not None:
        chosen = chosen.where(SignedInBrowser.seen_at > now - STAYS_SIGNED_IN_FOR)
    return list(
        session.exec(chosen.order_by(col(SignedInBrowser.seen_at).desc(), col(SignedInBrowser.id).desc()))
    )


def is_same_browser(one: SignedInBrowser, token: str) -> bool:
    """Whether this is the browser that holds a token."""
    return secrets.compare_digest(one.digest, digest_token(token))


def sign_out_browser(context: Context, player: int, number: int) -> None:
    """Sign a player out in one of their browsers. Twice is once. Commits."""
    with context.writing() as session:
        session.execute(
            delete(SignedInBrowser).where(
                col(SignedInBrowser.player) == player, col(SignedInBrowser.id) == number
            )
        )
        session.commit()


def sign_out_everywhere(context: Context, player: int, but: str = "") -> None:
    """Sign a player out everywhere, or everywhere but in the browser that holds a token. Commits."""
    with context.writing() as session:
        others = delete(SignedInBrowser).where(col(SignedInBrowser.player) == player)
        session.execute(others.where(col(SignedInBrowser.digest) != digest_token(but)))
        session.commit()


def sign_out(context: Context, token: str) -> None:
    """Sign out whoever is signed in in the browser that holds a token. Twice is once. Commits."""
    with context.writing() as session:
        session.execute(delete(SignedInBrowser).where(col(SignedInBrowser.digest) == digest_token(token)))
        session.commit()
