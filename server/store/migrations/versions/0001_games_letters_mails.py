"""Games, the people who play them, letters and mails."""

from alembic import op
from sqlalchemy import Boolean, Column, DateTime, ForeignKey, Integer, LargeBinary, String, Text

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make their tables."""
    _create_basic_tables()
    _create_tables_of_games()


def _create_basic_tables() -> None:
    op.create_table(
        "game",
        Column("id", String, primary_key=True),
        Column("name", String, nullable=False),
        Column("board", String, nullable=False),
        Column("edition", String, nullable=False),
        Column("hours", Integer, nullable=False),
        Column("opened_at", DateTime, nullable=False),
        Column("seq", Integer, nullable=False),
        Column("after", Integer, nullable=False),
        Column("status", String, nullable=False, index=True),
        Column("turn", Integer, nullable=False),
        Column("seat", Integer, nullable=True),
        Column("turn_began_at", DateTime, nullable=True),
        Column("deadline", DateTime, nullable=True, index=True),
        Column("reminded", Integer, nullable=False),
    )
    op.create_table(
        "incoming",
        Column("id", Integer, primary_key=True),
        Column("digest", String, nullable=False, unique=True),
        Column("at", DateTime, nullable=False),
        Column("sender", String, nullable=False),
        Column("recipient", String, nullable=False),
        Column("raw", LargeBinary, nullable=False),
        Column("message_id", String, nullable=True, index=True),
        Column("state", String, nullable=False, index=True),
        Column("why", String, nullable=False),
    )
    op.create_table(
        "kept",
        Column("id", Integer, primary_key=True),
        Column("recipient", String, nullable=False, index=True),
        Column("message_id", String, nullable=False, unique=True),
        Column("at", DateTime, nullable=False),
        Column("raw", LargeBinary, nullable=False),
    )
    op.create_table(
        "player",
        Column("id", Integer, primary_key=True),
        Column("address", String, nullable=False, unique=True),
        Column("name", String, nullable=False),
    )


def _create_tables_of_games() -> None:
    op.create_table(
        "act",
        Column("game", String, ForeignKey("game.id"), primary_key=True),
        Column("seq", Integer, primary_key=True),
        Column("at", String, nullable=False),
        Column("seat", Integer, nullable=True),
        Column("door", String, nullable=False),
        Column("said", Text, nullable=False),
        Column("events", Text, nullable=False),
        Column("digest", String, nullable=False),
    )
    op.create_table(
        "outgoing",
        Column("id", Integer, primary_key=True),
        Column("message_id", String, nullable=False, unique=True),
        Column("game", String, ForeignKey("game.id"), nullable=False, index=True),
        Column("seq", Integer, nullable=False),
        Column("seat", Integer, nullable=False),
        Column("kind", String, nullable=False),
        Column("recipient", String, nullable=False),
        Column("detail", Text, nullable=False),
        Column("answers", String, nullable=True),
        Column("state", String, nullable=False, index=True),
        Column("why", String, nullable=False),
        Column("tries", Integer, nullable=False),
        Column("text", Text, nullable=False),
        Column("queued_at", DateTime, nullable=False),
        Column("due_at", DateTime, nullable=False),
        Column("sent_at", DateTime, nullable=True),
    )
    op.create_table(
        "seating",
        Column("game", String, ForeignKey("game.id"), primary_key=True),
        Column("seat", Integer, primary_key=True),
        Column("name", String, nullable=False),
        Column("player", Integer, ForeignKey("player.id"), nullable=True, index=True),
        Column("house", Boolean, nullable=False),
        Column("accepted_at", DateTime, nullable=True),
    )
