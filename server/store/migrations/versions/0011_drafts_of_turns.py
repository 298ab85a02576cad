"""Turns that are begun and not played."""

from alembic import op
from sqlalchemy import Column, DateTime, ForeignKey, Integer, String, Text

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """No turn is begun while a database is migrated."""
    op.create_table(
        "draft",
        Column("game", String, ForeignKey("game.id"), primary_key=True, nullable=False),
        Column("seat", Integer, primary_key=True, nullable=False),
        Column("after", Integer, nullable=False),
        Column("words", Text, nullable=False),
        Column("changed_at", DateTime, nullable=False),
    )
    op.create_index("ix_draft_changed", "draft", ["changed_at"])
