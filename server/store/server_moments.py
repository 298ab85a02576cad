"""Moments of the server itself that it has to know after a stop, and which processes are at work.

One that cannot be read counts as none, so that it stops nothing; it is told of once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache

from sqlalchemy import ColumnElement, bindparam, delete, func, insert, select
from sqlmodel import Session, col

from server.roles import Role
from server.store.columns import table_of
from server.store.states import MomentName
from server.store.work_models import RoleProcess, ServerMoment

LOG = logging.getLogger(__name__)
GONE_AFTER = timedelta(minutes=1)
"""Who has said for so long nothing of being at work is not."""
MOMENT_COLUMNS = table_of(ServerMoment).c
SELECT_MOMENT = select(MOMENT_COLUMNS.at).where(MOMENT_COLUMNS.name == bindparam("name"))
"""A plain statement: it is a part of each act."""


def read_moment(session: Session, name: MomentName) -> datetime | None:
    """When it was; None where nothing is kept that can be read."""
    try:
        found = session.connection().execute(SELECT_MOMENT, {"name": name}).scalars().all()
    except ValueError:
        _tell_unreadable(name)
        return None
    return found[0] if found else None


def write_moment(session: Session, name: MomentName, at: datetime) -> None:
    """Keep a moment, in place of the one that was kept. No commit."""
    clear_moment(session, name)
    session.execute(insert(ServerMoment).values(name=name, at=at))


def clear_moment(session: Session, name: MomentName) -> None:
    """Keep nothing of this name any more. No commit."""
    session.execute(delete(ServerMoment).where(col(ServerMoment.name) == name))


def note_at_work(session: Session, process: str, roles: Iterable[Role], now: datetime) -> None:
    """A process is well at the work of these roles, and of no other. No commit."""
    own_or_gone = (col(RoleProcess.process) == process) | ~_is_of_late(now)
    session.execute(delete(table_of(RoleProcess)).where(own_or_gone))  # which reads none of them
    for role in sorted(roles):
        write_moment(session, _moment_of(role), now)
        session.execute(insert(RoleProcess).values(process=process, role=role, at=now))


def count_at_work(session: Session, now: datetime) -> dict[Role, int]:
    """How many processes are at the work of each role."""
    known = select(col(RoleProcess.role), func.count()).where(col(RoleProcess.role).in_(Role))
    counted = dict.fromkeys(Role, 0)
    for role, number in session.execute(known.where(_is_of_late(now)).group_by(col(RoleProcess.role))):
        counted[role] = number
    return counted


def when_at_work(session: Session, role: Role) -> datetime | None:
    """When a process with a role was last at work; None where none has ever been."""
    return read_moment(session, _moment_of(role))


def is_gone(session: Session, role: Role, now: datetime) -> bool:
    """Whether there was a process with a role, and is none any more."""
    last = when_at_work(session, role)
    return last is not None and now - last > GONE_AFTER


def _is_of_late(now: datetime) -> ColumnElement[bool]:
    """Whether a process has said something within the minute; by a wall clock that was put back none has."""
    return col(RoleProcess.at).between(now - GONE_AFTER, now + GONE_AFTER)


def _moment_of(role: Role) -> MomentName:
    return MomentName(f"at-{role}")


@cache
def _tell_unreadable(name: MomentName) -> None:
    LOG.error("the moment %s of the server cannot be read, and counts as none", name)
