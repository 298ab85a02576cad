"""The journal of withdrawals (blocks, erasures, stopped letters), which no backup contains or replaces.

A restored backup lacks later withdrawals, so server/admin/backups.py repeats them from this journal. Each
line is encrypted under the server's secret and holds digests instead of addresses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import URL
from sqlmodel import Session

from emails.tokens import ForgedToken
from server.store.context import Context
from server.store.dialects import system_of
from server.store.personal import Kept

WITHDRAWALS_KEPT_FOR = Kept.WITHDRAWALS.period


class WithdrawalKind(StrEnum):
    """Kinds of withdrawals; `Withdrawal.subject` depends on the kind. Mailboxes are stored as digests."""

    BLOCK = "block"
    """`subject`: kind, value and origin of the block, and its displayed text."""
    LETTERS = "letters"
    """`subject`: a mailbox, and the game whose letters were stopped (empty: all games)."""
    ERASURE = "erasure"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    kind: WithdrawalKind
    subject: tuple[str, ...]
    holds: bool
    """False if the withdrawal was taken back."""
    at: datetime


def note_withdrawal(
    context: Context, session: Session, kind: WithdrawalKind, *subject: str, now: datetime, holds: bool = True
) -> None:
    """Append a withdrawal (`holds` False: its cancellation) to the journal, before the caller commits it."""
    said = json.dumps([kind, subject, holds, now.isoformat()])
    line, database = context.links.keys.encrypt(said.encode()).decode(), context.settings.database
    system_of(database).append_line(session.connection(), line)


def read_withdrawals(context: Context, database: URL) -> tuple[Sequence[Withdrawal], int]:
    read = [_read_line(context, line) for line in system_of(database).read_lines(database)]
    found = [one for one in read if one is not None]
    return found, len(read) - len(found)


def delete_old_withdrawals(context: Context, now: datetime) -> None:
    """Delete lines older than `WITHDRAWALS_KEPT_FOR`; unreadable lines, of unknown age, are not deleted."""
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
    """Decrypt a line of the journal; None if the line is truncated or its secret is no longer configured."""
    try:
        kind, subject, holds, at = json.loads(context.links.keys.decrypt(line.encode()))
        return Withdrawal(WithdrawalKind(kind), tuple(subject), holds, datetime.fromisoformat(at))
    except (ForgedToken, ValueError):
        return None
