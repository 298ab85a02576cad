"""The journal of withdrawals (blocks, erasures, stopped letters), which no backup contains or replaces.

A restored copy lacks later withdrawals, so server/admin/backups.py repeats them from this journal. Each line
is encrypted under the secret and holds digests instead of addresses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import URL
from sqlmodel import Session

from emails.tokens import ForgedToken
from server.store.context import Context
from server.store.dialects.system_choice import system_of

WITHDRAWALS_KEPT_FOR = timedelta(days=400)


class WithdrawalKind(StrEnum):
    """Kinds of withdrawals, each with its subject. A mailbox is a digest (`digest_address`)."""

    BLOCK = "block"
    """Kind, value and origin of a block, and what is shown of it."""
    LETTERS = "letters"
    """A mailbox, and the game whose letters were stopped; empty: all games."""
    ERASURE = "erasure"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    kind: WithdrawalKind
    subject: tuple[str, ...]
    holds: bool
    """False: it was taken back."""
    at: datetime


def note_withdrawal(
    context: Context, session: Session, kind: WithdrawalKind, *subject: str, now: datetime, holds: bool = True
) -> None:
    """Write a withdrawal down, before the transaction that does it is committed."""
    said = json.dumps([kind, subject, holds, now.isoformat()])
    line, database = context.links.keys.encrypt(said.encode()).decode(), context.settings.database
    system_of(database).append_line(session.connection(), line)


def read_withdrawals(context: Context, database: URL) -> tuple[Sequence[Withdrawal], int]:
    read = [_read_line(context, line) for line in system_of(database).read_lines(database)]
    found = [one for one in read if one is not None]
    return found, len(read) - len(found)


def delete_old_withdrawals(context: Context, now: datetime) -> None:
    """Delete lines older than `WITHDRAWALS_KEPT_FOR`; unreadable ones have no known age and stay."""
    system = system_of(context.settings.database)
    old = set[str]()
    for line in system.read_lines(context.settings.database):
        read = _read_line(context, line)
        if read is not None and read.at <= now - WITHDRAWALS_KEPT_FOR:
            old.add(line)
    if old:
        with context.writing() as session:
            system.delete_lines(session.connection(), old)
            session.commit()


def _read_line(context: Context, line: str) -> Withdrawal | None:
    """Decrypt a line of the journal; None if it was cut off, or its secret is gone."""
    try:
        kind, subject, holds, at = json.loads(context.links.keys.decrypt(line.encode()))
        return Withdrawal(WithdrawalKind(kind), tuple(subject), holds, datetime.fromisoformat(at))
    except (ForgedToken, ValueError):
        return None
