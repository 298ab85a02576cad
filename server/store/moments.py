"""Moments of the server itself that it has to know after a stop.

One that cannot be read counts as none, so that it stops nothing; it is told of once.
"""

from __future__ import annotations

import logging
from datetime import datetime
from functools import cache

from sqlalchemy import delete, insert
from sqlmodel import Session, col, select

from server.store.states import MomentName
from server.store.work_models import ServerMoment

LOG = logging.getLogger(__name__)


def read_moment(session: Session, name: MomentName) -> datetime | None:
    """When it was; None where nothing is kept that can be read."""
    try:
        return session.exec(select(ServerMoment.at).where(ServerMoment.name == name)).first()
    except ValueError:
        _tell_unreadable(name)
        return None


def write_moment(session: Session, name: MomentName, at: datetime) -> None:
    """Keep a moment, in place of the one that was kept. No commit."""
    clear_moment(session, name)
    session.execute(insert(ServerMoment).values(name=name, at=at))


def clear_moment(session: Session, name: MomentName) -> None:
    """Keep nothing of this name any more. No commit."""
    session.execute(delete(ServerMoment).where(col(ServerMoment.name) == name))


@cache
def _tell_unreadable(name: MomentName) -> None:
    LOG.error("the moment %s of the server cannot be read, and counts as none", name)
