"""Letters that another one tells, letters that are withheld, and what the server says among the chat.

Until now a letter that another one told named it in a sentence, each of the two reminders had a kind of its
own, and what the server says stood as JSON among the words of players.
"""

import json

from alembic import op
from sqlalchemy import (
    Column,
    ForeignKey,
    Integer,
    String,
    bindparam,
    cast,
    column,
    func,
    select,
    table,
    update,
)

revision = "0005"
down_revision = "0004"

LETTERS = table("outgoing", *map(column, ("id", "kind", "state", "why", "told_by")))
CHAT = table("message", *map(column, ("id", "seat", "words", "announcement", "about")))
NEW_KINDS = {"turn": "your_turn", "over": "game_over", "reminder1": "reminder", "reminder2": "reminder"}
TOLD = "it is told in letter "
ROWS_AT_ONCE = 500


def upgrade() -> None:
    """Give letters and chat their columns, and fill them."""
    op.add_column("outgoing", Column("told_by", Integer, ForeignKey("outgoing.id")), inline_references=True)
    op.create_index("ix_outgoing_told_by", "outgoing", ["told_by"])
    _rename_letters()
    with op.batch_alter_table("message") as batch:
        batch.add_column(Column("announcement", String))
        batch.add_column(Column("about", String))
    _split_chat()
    with op.batch_alter_table("message") as batch:
        batch.alter_column("about", existing_type=String(), nullable=False)


def _rename_letters() -> None:
    """Map kinds, states and reasons; Message-IDs stay, for they are in the mailboxes of readers."""
    for old, new in NEW_KINDS.items():
        op.execute(update(LETTERS).where(LETTERS.c.kind == old).values(kind=new))
    dropped = update(LETTERS).where(LETTERS.c.state == "dropped")
    op.execute(dropped.where(LETTERS.c.why == "its reader wants no letters").values(state="withheld"))
    teller = LETTERS.alias("teller")
    number = cast(func.substr(LETTERS.c.why, len(TOLD) + 1), Integer)
    found = select(teller.c.id).where(teller.c.id == number).scalar_subquery()
    told = dropped.where(LETTERS.c.why.like(f"{TOLD}%"))
    op.execute(told.values(told_by=found, why="it is told in another letter"))


def _split_chat() -> None:
    """Take apart what the server says; of players the columns say so."""
    connection = op.get_bind()
    said_by_server = select(CHAT.c.id, CHAT.c.words).where(CHAT.c.seat.is_(None)).order_by(CHAT.c.id)
    change = update(CHAT).where(CHAT.c.id == bindparam("number"))
    change = change.values(announcement=bindparam("says"), about=bindparam("name"), words="")
    last = 0
    while rows := connection.execute(said_by_server.where(CHAT.c.id > last).limit(ROWS_AT_ONCE)).all():
        said = [(row.id, json.loads(row.words)) for row in rows]
        connection.execute(
            change,
            [
                {"number": number, "says": one["says"], "name": one.get("address") or one.get("name", "")}
                for number, one in said
            ],
        )
        last = rows[-1].id
    op.execute(update(CHAT).where(CHAT.c.seat.is_not(None)).values(about=""))
