"""Players who never showed that they read mail: what they are kept for, and how they go without it."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, delete, exists, or_
from sqlmodel import Session, SQLModel, col, select

from server.store.models import (
    AddressConfirmation,
    BouncingAddress,
    Player,
    Seating,
    StoredPreferences,
)
from server.store.session_models import ApiKey, SignedInBrowser, SignInLink

KEPT_FOR: tuple[type[SQLModel], ...] = (
    Seating,
    AddressConfirmation,
    SignInLink,
    SignedInBrowser,
    ApiKey,
)
"""The tables with a row of whoever plays, or has asked for something that is not over."""


def is_kept(blocked: bool = False) -> ColumnElement[bool]:
    """Whether a row of `Player` must be kept: they play, or something is known of them that is needed.

    `blocked`: it is known by a digest that they want no letters, so it need not be known here too.
    """
    needed = [_has_row(table) for table in KEPT_FOR]
    if not blocked:
        silent = and_(col(StoredPreferences.game) == "", col(StoredPreferences.letters_stopped).is_not(False))
        needed += [_has_row(BouncingAddress), _has_row(StoredPreferences, silent)]
    return or_(*needed)


def _has_row(table: type[SQLModel], *which: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(col(table.player) == col(Player.id), *which)  # type: ignore[attr-defined]


def must_keep_player(session: Session, player: int, blocked: bool = False) -> bool:
    """Whether a player must be kept, as `is_kept` says."""
    kept = select(Player.id).where(Player.id == player, is_kept(blocked))
    return session.exec(kept).first() is not None


def delete_stranger(session: Session, player: int) -> None:
    """Delete a player who need not be kept, with what they were said to want. The caller commits."""
    for table in (StoredPreferences, BouncingAddress):
        session.execute(delete(table).where(col(table.player) == player))
    session.execute(delete(Player).where(col(Player.id) == player))
