"""Seats whose links can be made new, confirmations of which only the digest of their code is kept.

And what a move waits for, where a link to sign in leads on to, and which addresses fail
as a mail alone reports.
"""

import json
from hashlib import sha256

from alembic import op
from sqlalchemy import Boolean, Column, DateTime, Integer, String, column, false, select, table, update

revision = "0006"
down_revision = "0005"

CONFIRMATIONS = table("confirmation", *map(column, ("digest", "purpose")))
LETTERS = table("outgoing", *map(column, ("id", "kind", "state", "detail", "text")))
PURPOSES = {"back": "back", "also": "second", "": "address"}
"""By what stood before the 26 letters of a code."""


def upgrade() -> None:
    """Every seat begins with its first links; no code that confirms an address stands in clear any more."""
    with op.batch_alter_table("seating") as batch:
        batch.add_column(Column("epoch", Integer, nullable=False, server_default="0"))
    with op.batch_alter_table("seating") as batch:
        batch.alter_column("epoch", server_default=None)
    with op.batch_alter_table("confirmation") as batch:
        batch.alter_column("code", new_column_name="digest", existing_type=String())
        batch.add_column(Column("purpose", String))
        batch.add_column(Column("due_at", DateTime))
        batch.add_column(Column("confirmed_at", DateTime))
    _hash_codes()
    with op.batch_alter_table("confirmation") as batch:
        batch.alter_column("purpose", existing_type=String(), nullable=False)
    _hash_codes_in_letters()
    with op.batch_alter_table("signin") as batch:
        batch.add_column(Column("leads_to", String, nullable=False, server_default=""))
    with op.batch_alter_table("signin") as batch:
        batch.alter_column("leads_to", server_default=None)
    with op.batch_alter_table("failing") as batch:
        batch.add_column(Column("reported", Boolean, nullable=False, server_default=false()))
    with op.batch_alter_table("failing") as batch:
        batch.alter_column("reported", server_default=None)


def _hash_codes() -> None:
    connection = op.get_bind()
    for code in connection.execute(select(CONFIRMATIONS.c.digest)).scalars().all():
        changed = update(CONFIRMATIONS).where(CONFIRMATIONS.c.digest == code)
        op.execute(changed.values(digest=_digest(code), purpose=PURPOSES[code[:-26]]))


def _hash_codes_in_letters() -> None:
    """Letters keep the digest alone; one that waits keeps the code, for it must still say it."""
    connection = op.get_bind()
    about_addresses = select(LETTERS).where(LETTERS.c.kind.in_(("confirm", "moved")))
    for row in connection.execute(about_addresses).all():
        detail = json.loads(row.detail)
        code = detail.pop("code", "")
        detail["digest"] = _digest(code) if code else ""
        detail["mark"] = code if row.state == "waiting" else ""
        changed = update(LETTERS).where(LETTERS.c.id == row.id)
        op.execute(changed.values(detail=json.dumps(detail), text=""))


def _digest(code: str) -> str:
    return sha256(code.encode()).hexdigest()
