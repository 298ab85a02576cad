"""Seats whose links can be made new, confirmations of which only the digest of their code is kept.

No token is left in the words of letters that were sent, nor in mails that were read: of these no bytes are
left. And what a move waits for, where a link to sign in leads on to, and which addresses fail
as a mail alone reports.
"""

import json
import re
from hashlib import sha256

from alembic import op
from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Integer,
    String,
    bindparam,
    column,
    false,
    select,
    table,
    update,
)

revision = "0006"
down_revision = "0005"

CONFIRMATIONS = table("confirmation", *map(column, ("digest", "purpose")))
LETTERS = table("outgoing", *map(column, ("id", "kind", "state", "detail", "text")))
MAILS = table("incoming", *map(column, ("raw", "state")))
TOKEN = re.compile(
    r"(/(?:[cjnstu]|new)/|\b(?:play|stop|confirm|bounce|new|nieuw)(?:\+|%2b))[a-z2-7]{12,}", re.IGNORECASE
)
"""A token in the words of a letter, and what stands before it."""
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
    _mask_letters()
    op.execute(update(MAILS).where(MAILS.c.state != "waiting").values(raw=b""))
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


def _mask_letters() -> None:
    """The words stay, for an answer is told by them from what it quotes."""
    connection = op.get_bind()
    written = connection.execute(select(LETTERS.c.id, LETTERS.c.text).where(LETTERS.c.text != "")).all()
    masked = [{"letter": number, "words": TOKEN.sub(r"\1...", text)} for number, text in written]
    if masked:
        changed = update(LETTERS).where(LETTERS.c.id == bindparam("letter"))
        connection.execute(changed.values(text=bindparam("words")), masked)


def _digest(code: str) -> str:
    return sha256(code.encode()).hexdigest()
