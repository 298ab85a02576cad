"""Moments of the server itself that it has to know after a stop."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from server.store.states import MomentName
from server.store.work_models import ServerMoment


def read_moment(session: Session, name: MomentName) -> datetime | None:
    """When it was; None where nothing is kept."""
    found = session.get(ServerMoment, name)
    return None if found is None else found.at


def write_moment(session: Session, name: MomentName, at: datetime) -> None:
    """Keep a moment, in place of the one that was kept. No commit."""
    session.merge(ServerMoment(name=name, at=at))


def clear_moment(session: Session, name: MomentName) -> None:
    """Keep nothing of this name any more. No commit."""
    found = session.get(ServerMoment, name)
    if found is not None:
        session.delete(found)
