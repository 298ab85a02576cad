"""Games asked for by mail, resignations, and letters that come back."""

from alembic import op
from sqlalchemy import Column, DateTime, ForeignKey, Integer, String, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make their tables."""
    op.create_table(
        "failing",
        Column("player", Integer, ForeignKey("player.id"), primary_key=True),
        Column("address", String, primary_key=True),
        Column("since", DateTime, nullable=False),
        Column("why", String, nullable=False),
        Column("ended_at", DateTime, nullable=True),
    )
    op.create_table(
        "proposal",
        Column("game", String, ForeignKey("game.id"), primary_key=True),
        Column("seat", Integer, nullable=False),
        Column("wishes", Text, nullable=False),
        Column("replaced_by", String, nullable=False),
    )
    op.create_table(
        "resigned",
        Column("game", String, ForeignKey("game.id"), primary_key=True),
        Column("seat", Integer, primary_key=True),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "second",
        Column("player", Integer, ForeignKey("player.id"), primary_key=True),
        Column("address", String, nullable=False),
    )
