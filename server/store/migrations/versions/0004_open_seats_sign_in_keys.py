"""Open seats, sign-in and keys of programs."""

from alembic import op
from sqlalchemy import Boolean, Column, DateTime, ForeignKey, Integer, String

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make their tables."""
    op.create_table(
        "key",
        Column("id", Integer, primary_key=True),
        Column("digest", String, nullable=False, unique=True),
        Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
        Column("name", String, nullable=False),
        Column("at", DateTime, nullable=False),
        Column("used_at", DateTime, nullable=True),
    )
    op.create_table(
        "opening",
        Column("game", String, ForeignKey("game.id"), primary_key=True),
        Column("seat", Integer, nullable=True),
        Column("joined_by", String, nullable=False),
        Column("watched", Boolean, nullable=False),
        Column("rematch_of", String, nullable=False, index=True),
    )
    op.create_table(
        "signedin",
        Column("id", Integer, primary_key=True),
        Column("digest", String, nullable=False, unique=True),
        Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
        Column("browser", String, nullable=False),
        Column("at", DateTime, nullable=False),
        Column("seen_at", DateTime, nullable=False),
    )
    op.create_table(
        "signin",
        Column("digest", String, primary_key=True),
        Column("player", Integer, ForeignKey("player.id"), nullable=False, index=True),
        Column("at", DateTime, nullable=False),
    )
