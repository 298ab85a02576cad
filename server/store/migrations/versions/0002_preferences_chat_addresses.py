"""Preferences, chat, and addresses that are confirmed."""

from alembic import op
from sqlalchemy import Column, DateTime, ForeignKey, Integer, String, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make their tables."""
    op.create_table(
        "confirmation",
        Column("code", String, primary_key=True),
        Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
        Column("address", String, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "heard",
        Column("game", String, ForeignKey("game.id"), primary_key=True),
        Column("seat", Integer, primary_key=True),
        Column("message", Integer, nullable=False),
    )
    op.create_table(
        "message",
        Column("id", Integer, primary_key=True),
        Column("game", String, ForeignKey("game.id"), nullable=False, index=True),
        Column("at", DateTime, nullable=False),
        Column("seat", Integer, nullable=True),
        Column("addressee", Integer, nullable=True),
        Column("words", Text, nullable=False),
    )
    op.create_table(
        "preference",
        Column("player", Integer, ForeignKey("player.id"), primary_key=True),
        Column("game", String, primary_key=True),
        Column("said", Text, nullable=False),
    )
