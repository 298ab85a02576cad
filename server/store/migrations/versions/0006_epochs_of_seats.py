"""Seats whose links can be made new."""

from alembic import op
from sqlalchemy import Column, Integer

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Every seat begins with its first links."""
    with op.batch_alter_table("seating") as batch:
        batch.add_column(Column("epoch", Integer, nullable=False, server_default="0"))
    with op.batch_alter_table("seating") as batch:
        batch.alter_column("epoch", server_default=None)
