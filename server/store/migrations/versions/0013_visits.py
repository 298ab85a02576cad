"""Visits that are counted, so that all processes know who came too often."""

from alembic import op
from sqlalchemy import Column, DateTime, Integer, String

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Nobody was counted here before."""
    op.create_table(
        "visit",
        Column("id", Integer, primary_key=True, nullable=False),
        Column("what", String, nullable=False),
        Column("visitor", String, nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_index("ix_visit_at", "visit", ["at"])
    op.create_index("ix_visit_who", "visit", ["what", "visitor", "at"])
